//! What breaks, and how it comes back.

use smallvec::SmallVec;

use super::action::{Body, ClientId};
use super::state::{Fate, Standing, State, Transaction};
use super::timers::Of;
use super::{Delivery, Writes};
use crate::event::{Event, KafkaEvent, Leaving};
use crate::id::{LinkId, NodeId, Offset, RecordId};
use crate::kafka::replicated_log::ReplicaId;
use crate::protocol::Observer;
use crate::scene::kafka::ClientTransaction;

impl Delivery {
    pub(super) fn client_node(&self, client: ClientId) -> NodeId {
        self.client(client).map_or(NodeId(0), |it| it.node)
    }

    /// The node of something that can be down; a broker is where its first replica is.
    pub(super) fn body_node(&self, body: Body) -> NodeId {
        match body {
            Body::Client(client) => self.client_node(client),
            Body::Broker(broker) => self
                .replicas_on(broker)
                .map(|(partition, replica)| self.replica_node(partition, replica))
                .next()
                .unwrap_or_default(),
            Body::TransactionCoordinator => self.coordinator_node(),
            Body::GroupCoordinator => self.groups_node(),
        }
    }

    /// Whom a client talks to there.
    pub(super) fn host_node(&self, destination: u16) -> NodeId {
        self.body_node(match destination {
            broker if broker < self.brokers() => Body::Broker(broker),
            other if other == self.transactions() => Body::TransactionCoordinator,
            _ => Body::GroupCoordinator,
        })
    }

    /// The replicas on a broker.
    pub(super) fn replicas_on(
        &self,
        broker: u16,
    ) -> impl Iterator<Item = (crate::id::PartitionId, ReplicaId)> + '_ {
        self.partition_ids().filter_map(move |partition| {
            let brokers = &self.partition(partition)?.brokers;
            let at = brokers.iter().position(|it| *it == broker)?;
            Some((partition, ReplicaId(at as u16)))
        })
    }

    pub(super) fn replicas_of(
        &self,
        partition: crate::id::PartitionId,
    ) -> impl Iterator<Item = ReplicaId> + use<> {
        let count = self.partition(partition).map_or(0, |it| it.brokers.len());
        (0..count as u16).map(ReplicaId)
    }

    pub(super) fn standing(state: &State, body: Body) -> Standing {
        let known = match body {
            Body::Client(client) => state
                .clients
                .get(usize::from(client.0))
                .map(|own| own.standing),
            Body::Broker(broker) => state.brokers.get(usize::from(broker)).copied(),
            // Another broker takes over at once.
            Body::TransactionCoordinator | Body::GroupCoordinator => None,
        };
        known.unwrap_or(Standing::Running)
    }

    fn set_standing(state: &mut State, body: Body, standing: Standing) {
        match body {
            Body::Client(client) => {
                if let Some(own) = state.clients.get_mut(usize::from(client.0)) {
                    own.standing = standing;
                }
            }
            Body::Broker(broker) => {
                if let Some(known) = state.brokers.get_mut(usize::from(broker)) {
                    *known = standing;
                }
            }
            Body::TransactionCoordinator | Body::GroupCoordinator => {}
        }
    }

    /// Everything that can be down.
    pub(super) fn bodies(&self) -> impl Iterator<Item = Body> + '_ {
        let clients = self.client_ids().filter(|it| !self.is_driven(*it));
        let clients = clients.map(Body::Client);
        let brokers = (0..self.brokers()).map(Body::Broker);
        let coordinator = self.transactional.then_some(Body::TransactionCoordinator);
        clients.chain(brokers).chain(coordinator)
    }

    /// Whether a fault may still happen.
    fn may_break(&self, state: &State) -> bool {
        state.crashes < self.scenario.faults.max_crashes
    }

    pub(super) fn may_crash(&self, state: &State, body: Body) -> bool {
        self.may_break(state)
            && matches!(
                Self::standing(state, body),
                Standing::Running | Standing::Paused
            )
            && body != Body::GroupCoordinator
            && (body != Body::TransactionCoordinator || self.transactional)
    }

    pub(super) fn may_pause(&self, state: &State, body: Body) -> bool {
        self.may_break(state)
            && matches!(body, Body::Client(_) | Body::Broker(_))
            && Self::standing(state, body) == Standing::Running
    }

    pub(super) fn may_resume(state: &State, body: Body) -> bool {
        Self::standing(state, body) == Standing::Paused
    }

    pub(super) fn may_start(state: &State, body: Body) -> bool {
        matches!(
            Self::standing(state, body),
            Standing::Waiting | Standing::Down | Standing::Stopped
        )
    }

    pub(super) fn may_lose_log(&self, state: &State, broker: u16) -> bool {
        self.may_break(state)
            && matches!(
                Self::standing(state, Body::Broker(broker)),
                Standing::Down | Standing::Stopped
            )
            && self.replicas_on(broker).any(|(partition, replica)| {
                let log = state.logs.get(partition.index());
                log.and_then(|log| log.replica(replica))
                    .is_some_and(|replica| !replica.entries().is_empty())
            })
    }

    /// Something dies, or is shut down.
    pub(super) fn go_down(
        &self,
        state: &mut State,
        body: Body,
        stopped: bool,
        observer: &mut impl Observer,
    ) -> bool {
        if !self.may_crash(state, body) || stopped && !self.may_pause(state, body) {
            return false;
        }
        state.crashes = state.crashes.saturating_add(1);
        let node = self.body_node(body);
        observer.event(Event::Kafka(match stopped {
            true => KafkaEvent::Stopped { node },
            false => KafkaEvent::Crashed { node },
        }));
        match body {
            Body::Client(client) => {
                if stopped {
                    self.close(state, client, observer);
                }
                self.client_down(state, client, observer);
            }
            Body::Broker(broker) => self.broker_down(state, broker, observer),
            Body::TransactionCoordinator => self.coordinator_down(state, observer),
            Body::GroupCoordinator => {}
        }
        Self::set_standing(
            state,
            body,
            match stopped {
                true => Standing::Stopped,
                false => Standing::Down,
            },
        );
        observer.woken(self.environment());
        true
    }

    /// Where a client begins: who has an identity asks for it first.
    pub(super) fn first_phase(&self, client: ClientId) -> ClientTransaction {
        match self.writes(client).is_some_and(|it| it.options.idempotence) {
            true => ClientTransaction::Initializing,
            false => ClientTransaction::None,
        }
    }

    pub(super) fn client_down(
        &self,
        state: &mut State,
        client: ClientId,
        observer: &mut impl Observer,
    ) {
        for destination in 0..self.destinations() {
            self.reconnect(state, client, destination, observer);
        }
        let Some(own) = state.clients.get_mut(usize::from(client.0)) else {
            return;
        };
        own.call = None;
        own.flights.clear();
        own.backing_off = false;
        own.forget_producer();
        own.reading.crash();
        for store in &mut own.stores {
            store.ready = false;
        }
        let writes = self.writes(client);
        if let Some(writes) = writes
            && self.streams(client).is_none()
        {
            (own.next, own.again) = resume_at(writes, &state.fates);
            if writes.options.transactional {
                // What is in doubt is sent again, in a transaction of its own.
                let per = writes.per_transaction.max(1);
                own.transaction.ended = own.next / per;
            }
            for record in writes.records.clone() {
                if let Some(fate @ Fate::Sent) = state.fates.get_mut(record as usize) {
                    *fate = Fate::Unsent;
                }
            }
        }
        own.transaction = Transaction {
            ended: own.transaction.ended,
            ..Transaction::default()
        };
        observer.interrupted(self.app(client));
        observer.interrupted(self.background(client));
        let workers = self.client(client).map_or(0, |it| it.workers);
        for worker in 1..workers {
            observer.interrupted(self.worker(client, worker));
        }
        observer.woken(self.actor_of(self.group_coordinator()));
    }

    fn broker_down(&self, state: &mut State, broker: u16, observer: &mut impl Observer) {
        self.purge(state, broker, observer);
        for (partition, replica) in self.replicas_on(broker).collect::<SmallVec<[_; 4]>>() {
            if let Some(log) = state.logs.get_mut(partition.index()) {
                log.crash(replica);
            }
            self.settle(state, partition, observer);
        }
        // What it has answered before is on its way.
        observer.interrupted(self.actor_of(broker));
        self.wake_all(observer);
    }

    /// Another broker reads `__transaction_state`, and goes on: what was not logged did not happen.
    fn coordinator_down(&self, state: &mut State, observer: &mut impl Observer) {
        let coordinator = self.transactions();
        self.purge(state, coordinator, observer);
        state.coordinator.recover();
        state.unlogged.clear();
        state.locked.clear();
        state.clock_back = false;
        for client in self.client_ids() {
            // The connection to the old one is closed.
            let waits = self.may_time_out(state, client, coordinator);
            if waits {
                self.time_out(state, client, coordinator, observer);
            }
            self.wake_client(client, observer);
        }
        observer.interrupted(self.actor_of(coordinator));
        observer.woken(self.actor_of(coordinator));
    }

    /// Something runs again.
    pub(super) fn start(
        &self,
        state: &mut State,
        body: Body,
        observer: &mut impl Observer,
    ) -> bool {
        if !Self::may_start(state, body) {
            return false;
        }
        let node = self.body_node(body);
        Self::set_standing(state, body, Standing::Running);
        observer.event(Event::Kafka(KafkaEvent::Started { node }));
        match body {
            Body::Client(client) => {
                let phase = self.first_phase(client);
                let Some(own) = state.clients.get_mut(usize::from(client.0)) else {
                    return false;
                };
                own.transaction.phase = phase;
                // A consumer that has been restarted has a new member id, and the old one is missed until its
                // session ends. Here a client has one member id: it takes that one over.
                self.leave(state, client, Leaving::Restarted, observer);
                observer.fired(self.timer(client, Of::Send));
                observer.fired(self.timer(client, Of::Commit));
                observer.fired(self.timer(client, Of::AutoCommit));
                observer.fired(self.timer(client, Of::PollInterval));
                self.wake_client(client, observer);
            }
            Body::Broker(broker) => {
                for (partition, replica) in self.replicas_on(broker).collect::<SmallVec<[_; 4]>>() {
                    if let Some(log) = state.logs.get_mut(partition.index()) {
                        log.restart(replica);
                    }
                    self.settle(state, partition, observer);
                }
                self.wake_all(observer);
            }
            Body::TransactionCoordinator | Body::GroupCoordinator => {}
        }
        true
    }

    pub(super) fn pause(
        &self,
        state: &mut State,
        body: Body,
        observer: &mut impl Observer,
    ) -> bool {
        if !self.may_pause(state, body) {
            return false;
        }
        state.crashes = state.crashes.saturating_add(1);
        Self::set_standing(state, body, Standing::Paused);
        observer.event(Event::Kafka(KafkaEvent::Paused {
            node: self.body_node(body),
        }));
        if let Body::Client(client) = body {
            observer.interrupted(self.app(client));
            observer.interrupted(self.background(client));
        }
        observer.woken(self.actor_of(self.group_coordinator()));
        observer.woken(self.environment());
        true
    }

    pub(super) fn resume(
        &self,
        state: &mut State,
        body: Body,
        observer: &mut impl Observer,
    ) -> bool {
        if !Self::may_resume(state, body) {
            return false;
        }
        Self::set_standing(state, body, Standing::Running);
        observer.event(Event::Kafka(KafkaEvent::Resumed {
            node: self.body_node(body),
        }));
        match body {
            Body::Client(client) => {
                observer.fired(self.timer(client, Of::PollInterval));
                self.wake_client(client, observer);
            }
            _ => self.wake_all(observer),
        }
        true
    }

    /// Whoever it is may have something to do now.
    pub(super) fn wake_all(&self, observer: &mut impl Observer) {
        for actor in self.base.actor..self.actors {
            observer.woken(crate::id::ActorId(actor));
        }
    }

    pub(super) fn lose_log(
        &self,
        state: &mut State,
        broker: u16,
        observer: &mut impl Observer,
    ) -> bool {
        if !self.may_lose_log(state, broker) {
            return false;
        }
        state.crashes = state.crashes.saturating_add(1);
        for (partition, replica) in self.replicas_on(broker).collect::<SmallVec<[_; 4]>>() {
            if let Some(log) = state.logs.get_mut(partition.index()) {
                log.lose(replica, Offset(0));
            }
        }
        observer.event(Event::Kafka(KafkaEvent::LogLost {
            node: self.body_node(Body::Broker(broker)),
        }));
        observer.woken(self.environment());
        true
    }

    pub(super) fn may_lose(&self, state: &State, link: LinkId, place: u16) -> bool {
        state.losses < self.scenario.faults.max_losses
            && usize::from(place) < self.under_way(state, link)
    }

    pub(super) fn lose(
        &self,
        state: &mut State,
        link: LinkId,
        place: u16,
        observer: &mut impl Observer,
    ) -> bool {
        if !self.may_lose(state, link, place) {
            return false;
        }
        let (client, ..) = self.ends(link);
        let Some((api, part)) = self.cut(state, link, place, observer) else {
            return false;
        };
        state.losses = state.losses.saturating_add(1);
        observer.event(Event::Kafka(KafkaEvent::MessageLost {
            client: self.client_node(client),
            api,
            part,
        }));
        self.wake_client(client, observer);
        true
    }

    pub(super) fn may_step_clock_back(&self, state: &State) -> bool {
        self.may_break(state) && !state.clock_back && self.transactional
    }

    pub(super) fn step_clock_back(&self, state: &mut State, observer: &mut impl Observer) -> bool {
        if !self.may_step_clock_back(state) {
            return false;
        }
        state.crashes = state.crashes.saturating_add(1);
        state.clock_back = true;
        observer.event(Event::Kafka(KafkaEvent::ClockSteppedBack {
            coordinator: self.coordinator_node(),
            locks: false,
        }));
        true
    }
}

/// Where an application goes on after a crash, and what it sends again before: whatever it has sent and was not
/// told of. In transactions it goes on at the first record of the first one whose end it was not told of.
fn resume_at(writes: &Writes, fates: &[Fate]) -> (u32, SmallVec<[RecordId; 1]>) {
    let fate = |record: u32| fates.get(record as usize).copied();
    let told = |record: u32| {
        matches!(
            fate(record),
            Some(Fate::Acknowledged | Fate::Failed | Fate::Dropped | Fate::Aborted)
        )
    };
    let (start, end) = (writes.records.start, writes.records.end);
    if writes.options.transactional {
        let first = writes.records.clone().find(|record| !told(*record));
        let at = first.unwrap_or(end) - start;
        let per = writes.per_transaction.max(1);
        let next = if at < end - start { at / per * per } else { at };
        return (next, SmallVec::new());
    }
    let mut known = writes.records.clone().rev();
    let last = known.find(|record| !matches!(fate(*record), Some(Fate::Unsent) | None));
    let next = last.map_or(start, |last| last.saturating_add(1));
    let again = (start..next).filter(|record| !told(*record)).map(RecordId);
    (next - start, again.collect())
}
