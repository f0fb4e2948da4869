//! All of it as a scene: clients, replicas, coordinators, and whoever sees what came out.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::account::is_over;
use super::action::{Action, Body, ClientId};
use super::life::{Presence, outcomes};
use super::state::{ClientState, Fate, Standing, State};
use super::{Delivery, Reads, Writes};
use crate::clock::Clock;
use crate::diagram::{Lane, Reach};
use crate::id::{ActorId, CheckpointId, LaneId, LinkId, NodeId, Offset, PartitionId, RecordId};
use crate::kafka::batch::Entry;
use crate::kafka::log::Outcome;
use crate::kafka::replica::Replica;
use crate::kafka::replicated_log::{ReplicaId, ReplicatedLog};
use crate::kafka::transaction_coordinator::TransactionalId;
use crate::kafka::transaction_state::Participant;
use crate::mark::Ending;
use crate::models::Model;
use crate::scenario::StoryRef;
use crate::scene::kafka::{
    AudienceView, BatchView, ConsumerView, EntryView, GroupView, GroupsView, Message, OffsetRow,
    PositionRow, ProducerView, ReplicaView, StoreView, TransactionRow, TransactionsView,
};
use crate::scene::{
    CellStatus, Choice, Facts, Health, KafkaChoice, Node, Place, Scene, Token, TokenKind, Wire,
    WireKind, Withheld, Work,
};
use crate::verdict::Verdict;

impl Model for Delivery {
    fn story(&self) -> StoryRef<'_> {
        StoryRef::Delivery(&self.scenario)
    }

    fn scene(&self, state: &State, clock: &Clock<Action>) -> Scene {
        Scene {
            at: clock.now(),
            nodes: self.nodes(state, clock),
            links: self.wires(state, clock),
        }
    }

    fn choice(&self, state: &State, action: Action) -> Option<Choice> {
        self.kafka_choice(state, action).map(Choice::Kafka)
    }

    fn withheld(&self, state: &State) -> Vec<Withheld> {
        self.withheld_in(state)
    }

    fn verdict(&self, state: &State) -> Verdict {
        self.judgement(state, is_over(self, state))
    }

    fn verdict_at_end(&self, state: &State) -> Verdict {
        self.judgement(state, true)
    }

    /// Only where everybody is back: who is down, or stands still, goes on some time.
    fn is_stuck(&self, state: &State) -> bool {
        let mut bodies = self.bodies();
        bodies.all(|body| Self::standing(state, body) == Standing::Running)
            && self.judgement(state, true).stuck > 0
    }

    fn verdict_at(&self, state: &State, clock: &Clock<Action>) -> Verdict {
        let done = is_over(self, state) && !clock.faults_ahead();
        self.judgement(state, done)
    }

    fn ending(&self, _state: &State) -> Ending {
        Ending::Done
    }

    fn transactional_id(&self, number: u32) -> Option<String> {
        self.id_name(TransactionalId(number))
    }

    fn record(&self, record: RecordId) -> Option<(&str, u64)> {
        let (record, count) = self.changed(record)?;
        let config = self.record_of(record)?;
        // A change in a changelog says how often a record is counted.
        let value = match count {
            0 => u64::from(config.value),
            count => u64::from(count),
        };
        Some((&config.key, value))
    }

    fn lanes(&self) -> Vec<Lane> {
        self.processes()
    }

    fn lane_of(&self, actor: ActorId) -> Option<LaneId> {
        Some(self.lane_of_body(self.body_of(actor)?))
    }

    fn reach(&self, state: &State, action: Action) -> Reach {
        self.reach_of(state, action, |body| self.lane_of_body(body))
    }

    fn message(&self, state: &State, link: LinkId, place: usize) -> Option<TokenKind> {
        self.message_on(state, link, place)
    }

    fn health(&self, state: &State, lane: LaneId) -> Health {
        match self.body_at(lane) {
            Some(body) => self.health_of(state, body),
            None => Health::Running,
        }
    }
}

impl Delivery {
    fn nodes(&self, state: &State, clock: &Clock<Action>) -> Vec<Node> {
        let mut nodes = Vec::new();
        for client in self.client_ids() {
            nodes.extend(self.client_view(state, client, clock));
        }
        for partition in self.partition_ids() {
            for replica in self.replicas_of(partition) {
                nodes.extend(self.replica_view(state, partition, replica));
            }
        }
        nodes.push(self.transactions_view(state));
        nodes.push(self.groups_view(state));
        let judged = self.judged();
        let done = is_over(self, state) && !clock.faults_ahead();
        let presence = Presence::new(self, state);
        for (at, audience) in self.audiences().into_iter().enumerate() {
            nodes.push(Node {
                id: NodeId(self.groups_node().0 + 1 + at as u16),
                name: String::new(),
                number: at as u16,
                of: 1,
                place: Place::Reader,
                task_manager: None,
                health: Health::Running,
                work: None,
                facts: Facts::Audience(AudienceView {
                    audience,
                    judged: audience == judged,
                    records: self.seen(state, audience),
                    verdict: self.account(state, &presence, audience, done),
                }),
            });
        }
        nodes
    }

    fn client_view(&self, state: &State, client: ClientId, clock: &Clock<Action>) -> Option<Node> {
        let config = self.client(client)?;
        let own = state.clients.get(usize::from(client.0))?;
        let producer = || {
            let writes = config.writes.as_ref()?;
            Some(self.producer_view(state, own, writes))
        };
        let consumer = || {
            let reads = config.reads.as_ref()?;
            Some(self.consumer_view(state, client, own, reads))
        };
        let facts = match (&config.streams, producer(), consumer()) {
            (Some(streams), Some(producer), Some(consumer)) => Facts::Streams {
                consumer,
                producer,
                store: streams.has_store.then(|| self.store_view(state, client)),
            },
            (None, Some(producer), _) => Facts::Producer(producer),
            (_, _, Some(consumer)) => Facts::Consumer(consumer),
            _ => return None,
        };
        // Producers first, what reads and writes between its topics, consumers last.
        let same: Vec<ClientId> = self
            .client_ids()
            .filter(|other| self.stage_of(*other) == self.stage_of(client))
            .collect();
        let lane = same.iter().position(|other| *other == client)?;
        Some(Node {
            id: config.node,
            name: config.name.clone(),
            number: 0,
            of: 1,
            place: Place::Flow {
                stage: self.stage_of(client),
                lane: lane as u16,
                lanes: same.len() as u16,
            },
            task_manager: None,
            health: health(own.standing),
            work: self.work_of(state, client, clock),
            facts,
        })
    }

    /// How far along the flow a client is: topics are between clients.
    fn stage_of(&self, client: ClientId) -> u16 {
        match (self.streams(client), self.reads(client)) {
            (None, None) => 0,
            (_, Some(reads)) => {
                let topic = reads.partitions.first();
                topic.map_or(0, |partition| self.stage_of_topic(*partition) + 1)
            }
            (Some(_), None) => 0,
        }
    }

    fn stage_of_topic(&self, partition: PartitionId) -> u16 {
        let writer = self.client_ids().find(|client| {
            self.streams(*client).is_some() && self.writes_at(*client, partition).is_some()
        });
        let before = writer.and_then(|client| self.reads(client)?.partitions.first().copied());
        match before {
            // A topic that feeds itself has no place of its own.
            Some(before) if before != partition && self.feeds(before) => {
                self.stage_of_topic(before) + 2
            }
            _ => 1,
        }
    }

    /// Whether nothing that is written behind a partition comes back to it.
    fn feeds(&self, partition: PartitionId) -> bool {
        self.way(partition).skip(1).all(|it| it != partition)
    }

    fn work_of(&self, state: &State, client: ClientId, clock: &Clock<Action>) -> Option<Work> {
        let workers = self.client(client)?.workers.max(1);
        (0..workers).find_map(|worker| {
            let (action, began, until) = clock.busy(self.worker(client, worker))?;
            let Action::Process(..) = action else {
                return None;
            };
            let own = state.clients.get(usize::from(client.0))?;
            let item = own.reading.working.get(usize::from(worker)).copied()??;
            Some(Work {
                began,
                until,
                record: Some(item.record),
            })
        })
    }

    pub(super) fn producer_view(
        &self,
        state: &State,
        own: &ClientState,
        writes: &Writes,
    ) -> ProducerView {
        let mut outstanding = Vec::new();
        for (partition, producer) in writes.partitions.iter().zip(&own.producers) {
            for (number, in_flight) in producer.outstanding() {
                let (sequence, attempts) = producer.sent(number).unwrap_or((None, 0));
                outstanding.push(BatchView {
                    partition: *partition,
                    records: producer.records(number).to_vec(),
                    sequence,
                    in_flight,
                    attempts,
                });
            }
        }
        let fates = writes
            .records
            .clone()
            .filter_map(|it| state.fates.get(it as usize));
        let count =
            |wanted: &[Fate]| fates.clone().filter(|fate| wanted.contains(fate)).count() as u32;
        ProducerView {
            session: own.session.map(|it| (it.producer, it.epoch)),
            idempotent: writes.options.idempotence,
            transactional_id: own.id.and_then(|id| self.id_name(id)),
            transaction: own.transaction.phase,
            records: writes.records.len() as u32,
            acknowledged: count(&[Fate::Acknowledged]),
            failed: count(&[Fate::Failed, Fate::Dropped]),
            outstanding,
        }
    }

    fn consumer_view(
        &self,
        state: &State,
        client: ClientId,
        own: &ClientState,
        reads: &Reads,
    ) -> ConsumerView {
        let group = state.groups.get(usize::from(reads.group));
        let isolation = self.isolation(client);
        let rows = own.reading.parts.iter().map(|part| {
            let leader = state
                .logs
                .get(part.partition.index())
                .and_then(ReplicatedLog::leading);
            PositionRow {
                partition: part.partition,
                position: part.position,
                stored: part.stored,
                committed: group.and_then(|it| it.group.committed(part.partition)),
                readable: leader.map_or(Offset(0), |leader| leader.readable_end(isolation)),
            }
        });
        ConsumerView {
            group: self
                .groups
                .get(usize::from(reads.group))
                .map(|it| it.name.clone())
                .unwrap_or_default(),
            generation: own.reading.generation.map(|it| it.0),
            isolation,
            rows: rows.collect(),
            buffered: own.reading.buffer.iter().map(|item| item.record).collect(),
            working: own
                .reading
                .working
                .iter()
                .flatten()
                .map(|item| item.record)
                .collect(),
            failed: own.reading.failed,
        }
    }

    fn store_view(&self, state: &State, client: ClientId) -> StoreView {
        let mut counts: Vec<(String, u32)> = Vec::new();
        let mut counted_twice = 0;
        let stores = state.clients.get(usize::from(client.0));
        for store in stores.into_iter().flat_map(|own| &own.stores) {
            for (record, count) in store.counts.iter() {
                let Some(config) = self.record_of(record) else {
                    continue;
                };
                counted_twice += u32::from(count > config.due);
                match counts.iter_mut().find(|(key, _)| *key == config.key) {
                    Some((_, sum)) => *sum += count,
                    None => counts.push((config.key.clone(), count)),
                }
            }
        }
        StoreView {
            counts,
            counted_twice,
        }
    }

    pub(super) fn replica_view(
        &self,
        state: &State,
        partition: PartitionId,
        replica: ReplicaId,
    ) -> Option<Node> {
        let config = self.partition(partition)?;
        let log = state.logs.get(partition.index())?;
        let copy = log.replica(replica)?;
        let broker = self.broker_at(partition, replica)?;
        let standing = Self::standing(state, Body::Broker(broker));
        let stage = self.stage_of_topic(partition);
        let (mut lane, mut lanes) = (0, 0);
        for other in self.partition_ids() {
            let count = self.partition(other).map_or(0, |it| it.brokers.len()) as u16;
            if self.stage_of_topic(other) != stage {
                continue;
            }
            lanes += count;
            if other < partition {
                lane += count;
            }
        }
        Some(Node {
            id: self.replica_node(partition, replica),
            name: config.topic.clone(),
            number: config.number,
            of: self
                .partitions
                .iter()
                .filter(|other| other.topic == config.topic)
                .count() as u16,
            place: Place::Flow {
                stage,
                lane: lane + replica.0,
                lanes,
            },
            task_manager: None,
            health: health(standing),
            work: None,
            facts: Facts::Replica(ReplicaView {
                partition,
                broker: broker + 1,
                leads: log.leader() == Some(replica),
                in_sync: log.in_sync().any(|it| it == replica),
                epoch: log.leader_epoch().0,
                start: copy.log_start(),
                end: copy.end(),
                high_watermark: copy.high_watermark(),
                last_stable: copy.last_stable_offset(),
                entries: entries(copy),
            }),
        })
    }

    pub(super) fn transactions_view(&self, state: &State) -> Node {
        let rows = state.coordinator.ids().filter_map(|id| {
            let known = state.coordinator.get(id)?;
            let current = known.current();
            let participants = || current.participants.iter();
            Some(TransactionRow {
                number: id.0,
                transactional_id: self.id_name(id)?,
                state: known.state(),
                pending: known.pending(),
                producer: current.producer,
                epoch: known.epoch(),
                partitions: participants()
                    .filter_map(|it| match it {
                        Participant::Partition(partition) => Some(*partition),
                        Participant::Offsets(_) => None,
                    })
                    .collect(),
                offsets: participants().any(|it| matches!(it, Participant::Offsets(_))),
                unmarked: known.unmarked().len() as u32,
                locked: state.locked.contains(id),
            })
        });
        self.control_node(
            self.coordinator_node(),
            "transaction-coordinator",
            Facts::Transactions(TransactionsView {
                rows: rows.collect(),
                term: state.coordinator.term(),
            }),
        )
    }

    fn groups_view(&self, state: &State) -> Node {
        let groups = self.groups.iter().enumerate().filter_map(|(at, config)| {
            let group = &state.groups.get(at)?.group;
            let owner = |partition: &PartitionId| {
                let owner = group
                    .members()
                    .find(|member| group.assignment(*member).contains(partition))?;
                Some(self.client_node(ClientId(owner.0)))
            };
            Some(GroupView {
                name: config.name.clone(),
                generation: group.generation().0,
                rebalancing: group.is_rebalancing(),
                members: group
                    .members()
                    .map(|member| self.client_node(ClientId(member.0)))
                    .collect(),
                rows: config
                    .partitions
                    .iter()
                    .map(|partition| OffsetRow {
                        partition: *partition,
                        committed: group.committed(*partition),
                        pending: group.pending(*partition),
                        owner: owner(partition),
                    })
                    .collect(),
            })
        });
        let groups = groups.collect();
        self.control_node(
            self.groups_node(),
            "group-coordinator",
            Facts::Groups(GroupsView { groups }),
        )
    }

    fn control_node(&self, id: NodeId, name: &str, facts: Facts) -> Node {
        Node {
            id,
            name: name.to_string(),
            number: 0,
            of: 1,
            place: Place::Control,
            task_manager: None,
            health: Health::Running,
            work: None,
            facts,
        }
    }

    pub(in crate::models) fn wires<A: Copy + Eq + Ord>(
        &self,
        state: &State,
        clock: &Clock<A>,
    ) -> Vec<Wire> {
        let mut wires = Vec::new();
        for link in self.links_in_use(state) {
            let messages: Vec<Message> = self.messages(state, link).collect();
            let (client, destination, kind) = self.ends(link);
            // A wire is there for whoever uses it; the others would be a tangle.
            let used = match kind {
                // One for all producers of a sink, and what is under way.
                _ if self.named(client) != client => !messages.is_empty(),
                1 => !messages.is_empty(),
                _ => self.talks(client, destination),
            };
            let Some(other) = self
                .destination_node(state, client, destination, messages.iter().copied())
                .filter(|_| used)
            else {
                continue;
            };
            let own = self.client_node(client);
            let transit = clock.transit(link);
            let tokens = messages
                .iter()
                .zip(transit)
                .map(|(message, transit)| Token {
                    kind: TokenKind::Message(*message),
                    epoch: CheckpointId::NONE,
                    unaligned: false,
                    queued: false,
                    bytes: 0,
                    sent: transit.sent,
                    ready: transit.ready,
                });
            let (from, to, kind) = match kind {
                2 => (other, own, WireKind::Response),
                _ => (own, other, WireKind::Request),
            };
            wires.push(Wire {
                id: link,
                from,
                to,
                kind,
                blocked_by: None,
                tokens: tokens.collect(),
            });
        }
        wires
    }

    /// What is on a link, as messages.
    pub(super) fn messages(&self, state: &State, link: LinkId) -> impl Iterator<Item = Message> {
        let count = self.under_way(state, link);
        (0..count).filter_map(move |place| self.message(state, link, place))
    }

    /// A message on a link, by its place there.
    pub(super) fn message(&self, state: &State, link: LinkId, place: usize) -> Option<Message> {
        let (client, destination, kind) = self.ends(link);
        let own = state.clients.get(usize::from(client.0));
        let current = own.and_then(|own| own.connections.get(usize::from(destination)));
        match kind {
            2 => {
                let queue = state.replies.get(self.reply_slot(link))?;
                let (connection, reply) = queue.get(place)?;
                Some(reply.message(current != Some(connection)))
            }
            _ => {
                let queue = state.requests.get(self.request_slot(link))?;
                let (connection, request) = queue.get(place)?;
                Some(request.message(current != Some(connection)))
            }
        }
    }

    /// Whether a client ever asks something of a broker or a coordinator.
    fn talks(&self, client: ClientId, destination: u16) -> bool {
        if destination == self.transactions() {
            return self.writes(client).is_some_and(|it| it.options.idempotence);
        }
        if destination == self.group_coordinator() {
            return self.reads(client).is_some();
        }
        self.writes(client).is_some_and(|writes| {
            writes.partitions.iter().any(|partition| {
                self.partition(*partition)
                    .is_some_and(|it| it.brokers.contains(&destination))
            })
        })
    }

    /// Where a wire ends: at a coordinator, or at the replica on a broker that a client writes to.
    fn destination_node(
        &self,
        state: &State,
        client: ClientId,
        destination: u16,
        mut messages: impl Iterator<Item = Message>,
    ) -> Option<NodeId> {
        if destination == self.transactions() {
            return Some(self.coordinator_node());
        }
        if destination == self.group_coordinator() {
            return Some(self.groups_node());
        }
        let writes = self.writes(client)?;
        let record = messages.find_map(|message| message.record);
        let meant = record.and_then(|record| {
            let (record, count) = self.changed(record)?;
            let partition = self.record_of(record)?.partition;
            let way: Vec<PartitionId> = self.way(partition).collect();
            let mut own = writes.partitions.iter();
            own.find(|it| match count {
                0 => way.contains(it),
                _ => self.partition(**it).is_some_and(|it| it.is_changelog),
            })
            .copied()
        });
        let on_broker = |partition: &PartitionId| {
            let brokers = &self.partition(*partition)?.brokers;
            let at = brokers.iter().position(|it| *it == destination)?;
            Some(self.replica_node(*partition, ReplicaId(at as u16)))
        };
        let leads = writes
            .partitions
            .iter()
            .filter(|partition| self.leader_of(state, **partition) == Some(destination))
            .find_map(on_broker);
        meant
            .as_ref()
            .and_then(on_broker)
            .or(leads)
            .or_else(|| writes.partitions.iter().find_map(on_broker))
    }

    fn kafka_choice(&self, state: &State, action: Action) -> Option<KafkaChoice> {
        let node = |client: ClientId| self.client_node(client);
        let coordinator = self.coordinator_node();
        let broker = |body: Body| match body {
            Body::Broker(broker) => Some(broker + 1),
            _ => None,
        };
        Some(match action {
            Action::Send(client) => {
                let own = state.clients.get(usize::from(client.0))?;
                let (record, _) = self.next_to_send(own, self.writes(client)?)?;
                KafkaChoice::Send {
                    client: node(client),
                    record,
                }
            }
            Action::Finish(client) => KafkaChoice::Finish {
                client: node(client),
                outcome: self.may_finish(state, client).unwrap_or(Outcome::Commit),
            },
            Action::Call(client) => KafkaChoice::Call {
                client: node(client),
                api: self.next_call(state, client)?.1.api(),
            },
            Action::Transmit(client, partition) => {
                let at = self.writes_at(client, partition)?;
                let own = state.clients.get(usize::from(client.0))?;
                let options = &self.writes(client)?.options;
                KafkaChoice::Transmit {
                    client: node(client),
                    partition,
                    record: own.producers.get(at)?.next_record(options)?,
                }
            }
            Action::Receive(link, place) => {
                let (client, destination, kind) = self.ends(link);
                let message = self.message(state, link, usize::from(place))?;
                let there = match kind {
                    2 => node(client),
                    _ => {
                        let messages = self.messages(state, link);
                        self.destination_node(state, client, destination, messages)?
                    }
                };
                KafkaChoice::Deliver {
                    node: there,
                    client: node(client),
                    message,
                    link,
                    place: u32::from(place),
                }
            }
            Action::TimeOut(client, destination) => KafkaChoice::TimeOut {
                client: node(client),
                from: self.destination_node(state, client, destination, core::iter::empty())?,
            },
            Action::Expire(client, partition, number) => {
                let at = self.writes_at(client, partition)?;
                let own = state.clients.get(usize::from(client.0))?;
                let records = own.producers.get(at)?.records(number);
                KafkaChoice::Expire {
                    client: node(client),
                    record: records.first().copied()?,
                }
            }
            Action::Join(client) => KafkaChoice::Join {
                client: node(client),
            },
            Action::Assign(client) => KafkaChoice::Assign {
                client: node(client),
            },
            Action::Restore(client, partition) => KafkaChoice::Restore {
                client: node(client),
                partition,
            },
            Action::Poll(client) => KafkaChoice::Poll {
                client: node(client),
            },
            Action::Take(client, _) => {
                let own = state.clients.get(usize::from(client.0))?;
                KafkaChoice::Begin {
                    client: node(client),
                    record: own.reading.buffer.first()?.record,
                }
            }
            Action::Process(client, worker) => {
                let own = state.clients.get(usize::from(client.0))?;
                let item = own.reading.working.get(usize::from(worker)).copied()??;
                KafkaChoice::Process {
                    client: node(client),
                    record: item.record,
                }
            }
            Action::AutoCommit(client) => KafkaChoice::Commit {
                client: node(client),
            },
            Action::Leave(client) | Action::Evict(client) => KafkaChoice::Leave {
                client: node(client),
            },
            Action::Fetch(partition, replica) => KafkaChoice::Fetch {
                replica: self.replica_node(partition, replica),
            },
            Action::FallBehind(partition, replica) => KafkaChoice::FallBehind {
                replica: self.replica_node(partition, replica),
            },
            Action::Elect(partition, replica) => KafkaChoice::Elect {
                replica: self.replica_node(partition, replica),
            },
            Action::Forget(partition, producer) => KafkaChoice::ForgetProducer {
                replica: self.leader_node(state, partition),
                producer: producer.0,
            },
            Action::Delete(partition) => KafkaChoice::Delete {
                replica: self.leader_node(state, partition),
                start: self.deletable(state, partition)?,
            },
            Action::Log(id) => KafkaChoice::Log {
                coordinator,
                transactional_id: id.0,
                state: state.coordinator.get(id)?.pending()?,
            },
            Action::WriteMarker(id, to) => KafkaChoice::WriteMarker {
                coordinator,
                transactional_id: id.0,
                partition: match to {
                    Participant::Partition(partition) => Some(partition),
                    Participant::Offsets(_) => None,
                },
            },
            Action::Overdue(id) => KafkaChoice::Overdue {
                coordinator,
                transactional_id: id.0,
            },
            Action::Scan => KafkaChoice::Scan { coordinator },
            Action::ExpireOffsets(group) => KafkaChoice::ExpireOffsets {
                coordinator: self.groups_node(),
                group,
            },
            Action::Start(body) => KafkaChoice::Start {
                node: self.body_node(body),
                broker: broker(body),
            },
            Action::Crash(body) => KafkaChoice::Crash {
                node: self.body_node(body),
                broker: broker(body),
            },
            Action::Stop(body) => KafkaChoice::Stop {
                node: self.body_node(body),
                broker: broker(body),
            },
            Action::Pause(body) => KafkaChoice::Pause {
                node: self.body_node(body),
                broker: broker(body),
            },
            Action::Resume(body) => KafkaChoice::Resume {
                node: self.body_node(body),
                broker: broker(body),
            },
            Action::LoseLog(lost) => KafkaChoice::LoseLog {
                node: self.body_node(Body::Broker(lost)),
                broker: lost + 1,
            },
            Action::Lose(link, place) => {
                let (client, ..) = self.ends(link);
                let message = self.message(state, link, usize::from(place))?;
                KafkaChoice::Lose {
                    client: node(client),
                    api: message.api,
                    part: message.part,
                    record: message.record,
                    link,
                    place: u32::from(place),
                }
            }
            Action::StepClockBack => KafkaChoice::StepClockBack { coordinator },
        })
    }
}

pub(super) fn health(standing: Standing) -> Health {
    match standing {
        Standing::Waiting => Health::Starting,
        Standing::Running => Health::Running,
        Standing::Down => Health::Crashed,
        Standing::Stopped => Health::Cancelled,
        Standing::Paused => Health::Paused,
    }
}

/// The entries of a log, one for each offset.
pub(super) fn entries(copy: &Replica) -> Vec<EntryView> {
    let stable = copy.last_stable_offset();
    let mut views = Vec::new();
    for (placed, outcome) in copy.entries().iter().zip(outcomes(copy)) {
        match &placed.entry {
            Entry::Control(marker) => views.push(EntryView {
                offset: placed.offset,
                record: None,
                status: match marker.outcome {
                    Outcome::Commit => CellStatus::CommitMarker,
                    Outcome::Abort => CellStatus::AbortMarker,
                },
                producer: Some((marker.producer, marker.epoch)),
                sequence: None,
                begins_batch: true,
            }),
            Entry::Data(batch) => {
                let stamp = batch.stamp();
                for (at, record) in batch.records().iter().enumerate() {
                    let at = at as u32;
                    let offset = Offset(placed.offset.0.saturating_add(at));
                    let status = match outcome {
                        _ if stamp.is_none_or(|stamp| !stamp.transactional) => CellStatus::Plain,
                        None => CellStatus::Open,
                        Some(Outcome::Abort) => CellStatus::Aborted,
                        Some(Outcome::Commit) if offset >= stable => CellStatus::Hidden,
                        Some(Outcome::Commit) => CellStatus::Committed,
                    };
                    views.push(EntryView {
                        offset,
                        record: Some(*record),
                        status,
                        producer: stamp.map(|stamp| (stamp.producer, stamp.epoch)),
                        sequence: stamp.map(|stamp| stamp.first.plus(at)),
                        begins_batch: at == 0,
                    });
                }
            }
        }
    }
    views
}
