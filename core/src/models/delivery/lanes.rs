//! Who has a lane in a space-time diagram, and whom an action concerns.

use alloc::string::String;
use alloc::vec::Vec;

use super::Delivery;
use super::action::{Action, Body, ClientId};
use super::picture::health;
use super::state::State;
use crate::diagram::{Lane, LaneKind, Reach};
use crate::id::{ActorId, LaneId, LinkId, NodeId, PartitionId};
use crate::kafka::transaction_state::Participant;
use crate::scene::{Health, TokenKind};

impl Delivery {
    /// The lanes: clients, unless somebody else's processes hold them, then brokers, then the coordinators.
    pub(in crate::models) fn processes(&self) -> Vec<Lane> {
        let clients = self.client_ids().filter(|it| !self.is_driven(*it));
        let clients = clients.filter_map(|client| {
            Some(Lane {
                kind: LaneKind::Client,
                name: self.client(client)?.name.clone(),
                number: 0,
                of: 1,
                nodes: smallvec::smallvec![self.client_node(client)],
            })
        });
        let coordinator = |kind, node: NodeId| Lane {
            kind,
            name: String::new(),
            number: 0,
            of: 1,
            nodes: smallvec::smallvec![node],
        };
        let brokers = (0..self.brokers()).map(|broker| Lane {
            kind: LaneKind::Broker,
            name: String::new(),
            number: broker,
            of: self.brokers(),
            nodes: (self.replicas_on(broker))
                .map(|(partition, replica)| self.replica_node(partition, replica))
                .collect(),
        });
        clients
            .chain(brokers)
            .chain([
                coordinator(LaneKind::TransactionCoordinator, self.coordinator_node()),
                coordinator(LaneKind::GroupCoordinator, self.groups_node()),
            ])
            .collect()
    }

    /// How many lanes its clients have.
    fn client_lanes(&self) -> u16 {
        let is_driven = self.clients.first().is_some_and(|it| it.driver.is_some());
        match is_driven {
            true => 0,
            false => self.clients.len() as u16,
        }
    }

    /// The lane of something that can be down.
    pub(in crate::models) fn lane_of_body(&self, body: Body) -> LaneId {
        let first = self.client_lanes();
        LaneId(match body {
            Body::Client(client) => client.0,
            Body::Broker(broker) => first.saturating_add(broker),
            Body::TransactionCoordinator => first.saturating_add(self.transactions()),
            Body::GroupCoordinator => first.saturating_add(self.group_coordinator()),
        })
    }

    /// What has a lane.
    pub(in crate::models) fn body_at(&self, lane: LaneId) -> Option<Body> {
        match lane.0.checked_sub(self.client_lanes()) {
            None => Some(Body::Client(ClientId(lane.0))),
            Some(destination) => self.body_of_destination(destination),
        }
    }

    fn body_of_destination(&self, destination: u16) -> Option<Body> {
        match destination {
            broker if broker < self.brokers() => Some(Body::Broker(broker)),
            other if other == self.transactions() => Some(Body::TransactionCoordinator),
            other if other == self.group_coordinator() => Some(Body::GroupCoordinator),
            _ => None,
        }
    }

    /// Whose actor it is; none for whoever stands for what nobody decides.
    pub(in crate::models) fn body_of(&self, actor: ActorId) -> Option<Body> {
        if let Some(destination) = actor.0.checked_sub(self.actor_of(0).0) {
            return self.body_of_destination(destination);
        }
        let mut clients = self.client_ids_at(actor);
        let client = clients.find(|client| {
            let config = self.client(*client);
            config.is_some_and(|it| {
                let own = it.actor.0..=it.actor.0.saturating_add(it.workers.max(1));
                own.contains(&actor.0)
            })
        });
        client.map(Body::Client)
    }

    /// Who plays the application of a client, if that is not part of this model.
    pub(in crate::models) fn driver_of(&self, client: ClientId) -> Option<ActorId> {
        self.client(client)?.driver
    }

    pub(in crate::models) fn health_of(&self, state: &State, body: Body) -> Health {
        health(Self::standing(state, body))
    }

    /// What is at a place of a link.
    pub(in crate::models) fn message_on(
        &self,
        state: &State,
        link: LinkId,
        place: usize,
    ) -> Option<TokenKind> {
        self.message(state, link, place).map(TokenKind::Message)
    }

    /// Whom an action concerns besides its actor. Clients ask the group coordinator for most things, and a leader for
    /// records, without a message; a coordinator writes markers, and a follower fetches, without one, too.
    pub(in crate::models) fn reach_of(
        &self,
        state: &State,
        action: Action,
        lane: impl Fn(Body) -> LaneId,
    ) -> Reach {
        let mut reach = Reach::default();
        let leader = |partition: PartitionId| self.leader_of(state, partition).map(Body::Broker);
        match action {
            Action::Start(body) | Action::Stop(body) => {
                reach.lanes.push(lane(body));
                // A member that is started again, or shut down, is no member any more.
                if let Body::Client(client) = body
                    && self.reads(client).is_some()
                {
                    reach.lanes.push(lane(Body::GroupCoordinator));
                }
            }
            Action::Crash(body) | Action::Pause(body) | Action::Resume(body) => {
                reach.lanes.push(lane(body));
            }
            Action::LoseLog(broker) => reach.lanes.push(lane(Body::Broker(broker))),
            Action::StepClockBack => reach.lanes.push(lane(Body::TransactionCoordinator)),
            Action::Lose(link, place) => reach.message = Some((link, usize::from(place))),
            Action::Fetch(partition, _)
            | Action::FallBehind(partition, _)
            | Action::Forget(partition, _)
            | Action::Delete(partition)
            | Action::WriteMarker(_, Participant::Partition(partition)) => {
                reach.lanes.extend(leader(partition).map(lane));
            }
            Action::WriteMarker(_, Participant::Offsets(_)) => {
                reach.lanes.push(lane(Body::GroupCoordinator));
            }
            Action::Elect(partition, replica) => {
                let broker = self.broker_at(partition, replica).map(Body::Broker);
                reach.lanes.extend(broker.map(&lane));
                // Whoever led before is down: that is why.
                let brokers = self.partition(partition).into_iter();
                let brokers = brokers.flat_map(|it| it.brokers.iter().copied());
                let gone = brokers.filter(|broker| !Self::is_up(state, *broker));
                reach.looks.extend(gone.map(Body::Broker).map(&lane));
            }
            Action::Join(client) | Action::Assign(client) | Action::Leave(client) => {
                reach.lanes.push(lane(Body::GroupCoordinator));
                let read = self.partitions_read_by(client).filter_map(leader);
                reach.looks.extend(read.map(lane));
            }
            Action::Poll(client) => {
                let read = self.partitions_read_by(client).filter_map(leader);
                reach.looks.extend(read.map(lane));
            }
            Action::Restore(client, partition) => {
                let changelog = self.reads_at(client, partition).and_then(|at| {
                    let route = self.streams(client)?.routes.get(at)?;
                    route.changelog
                });
                reach.looks.extend(changelog.and_then(leader).map(lane));
            }
            // A client finds its connection closed: the other end has died.
            Action::TimeOut(client, destination) => {
                let own = state.clients.get(usize::from(client.0));
                let closed = own.is_some_and(|own| own.closed.contains(usize::from(destination)));
                let other = self.body_of_destination(destination).filter(|_| closed);
                reach.looks.extend(other.map(lane));
            }
            Action::Send(_)
            | Action::Finish(_)
            | Action::Call(_)
            | Action::Transmit(..)
            | Action::Receive(..)
            | Action::Expire(..)
            | Action::Take(..)
            | Action::Process(..)
            | Action::AutoCommit(_)
            | Action::Log(_)
            | Action::Overdue(_)
            | Action::Scan
            | Action::Evict(_)
            | Action::ExpireOffsets(_) => {}
        }
        reach
    }

    fn partitions_read_by(&self, client: ClientId) -> impl Iterator<Item = PartitionId> + '_ {
        let reads = self.reads(client).into_iter();
        reads.flat_map(|reads| reads.partitions.iter().copied())
    }
}
