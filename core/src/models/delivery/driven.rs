//! Producers whose application is not part of this model: the sinks of a Flink job.
//!
//! A sink subtask has several producers one after the other, and some at the same time: one into which
//! records go, and those whose transaction waits for its checkpoint. Each has a place of its own (a *slot*)
//! among the clients, which another takes when it is closed.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use smallvec::SmallVec;

use super::action::{Action, Body, ClientId};
use super::life::outcomes;
pub(in crate::models) use super::state::Trouble;
use super::state::{Standing, State};
use super::{Base, Client, Delivery};
use crate::event::{Event, KafkaEvent};
use crate::id::{ActorId, NodeId, Offset, PartitionId, RecordId};
use crate::kafka::batch::Entry;
use crate::kafka::log::{IsolationLevel, Outcome};
use crate::kafka::replica::Replica;
use crate::kafka::transaction_coordinator::{Session, TransactionalId};
use crate::kafka::transaction_state::TransactionState;
use crate::protocol::Observer;
use crate::scenario::{self, ScenarioError};
use crate::scene::Node;
use crate::scene::kafka::ClientTransaction;
use crate::time::Millis;

/// How many producers a sink subtask may have at once.
pub(in crate::models) const SLOTS: u16 = 16;

/// The application of some producers.
#[derive(Clone, Copy, Debug)]
pub(in crate::models) struct Driver {
    /// How it is drawn.
    pub node: NodeId,
    /// Its thread.
    pub actor: ActorId,
    /// Where it writes.
    pub partition: PartitionId,
}

/// How transactional ids are called that are made while the job runs.
#[derive(Clone, Debug)]
pub(in crate::models) struct Naming {
    /// The prefixes that the job has at one time or another.
    pub prefixes: Vec<String>,
    /// How many subtasks each may name.
    pub subtasks: u16,
}

/// Ids of one prefix and subtask.
const NUMBERS: u32 = 1 << 16;

impl Naming {
    /// The id `prefix-subtask-number`.
    pub(in crate::models) fn id(&self, prefix: u16, subtask: u16, number: u32) -> TransactionalId {
        let row = u32::from(prefix) * u32::from(self.subtasks) + u32::from(subtask);
        let number = number.min(NUMBERS - 1);
        TransactionalId(row.saturating_mul(NUMBERS).saturating_add(number))
    }

    /// What an id consists of: the place of its prefix, the subtask, the number.
    pub(in crate::models) fn parts(&self, id: TransactionalId) -> (u16, u16, u32) {
        let row = id.0 / NUMBERS;
        let subtasks = u32::from(self.subtasks).max(1);
        (
            (row / subtasks) as u16,
            (row % subtasks) as u16,
            id.0 % NUMBERS,
        )
    }

    fn name(&self, id: TransactionalId) -> Option<String> {
        let (prefix, subtask, number) = self.parts(id);
        let prefix = self.prefixes.get(usize::from(prefix))?;
        Some(format!("{prefix}-{subtask}-{number}"))
    }
}

/// Where a producer is, as its application sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::models) enum Progress {
    /// There is none.
    Closed,
    /// It cannot go on.
    Failed(Trouble),
    /// It waits for something that was asked of a broker or the coordinator.
    Waiting,
    /// It has no transaction, and may begin one.
    Ready(Session),
    /// Records may be sent.
    Open,
}

/// An entry of a log, with what matters to whoever waits for it.
#[derive(Clone, Copy, Debug)]
pub(in crate::models) struct Written {
    pub record: RecordId,
    /// Whose transaction it is in, and how that has ended.
    pub transaction: Option<(Session, Option<Outcome>)>,
    /// Whether the reader sees it.
    pub visible: bool,
}

impl Delivery {
    /// The brokers that the sinks of a job write to.
    ///
    /// # Errors
    /// [`ScenarioError`] names the field that makes no sense.
    pub(in crate::models) fn for_sinks(
        scenario: scenario::Delivery,
        base: Base,
        drivers: &[Driver],
        transaction_timeout: Millis,
        naming: Naming,
    ) -> Result<Self, ScenarioError> {
        let mut delivery = Self::new(scenario)?;
        delivery.base = base;
        let mut clients = Vec::new();
        for slot in 0..SLOTS {
            for (driver, template) in drivers.iter().zip(&delivery.clients) {
                let mut writes = template.writes.clone();
                if let Some(writes) = &mut writes {
                    writes.id = None;
                    writes.transaction_timeout = transaction_timeout;
                    writes.partitions = alloc::vec![driver.partition];
                }
                clients.push(Client {
                    name: match slot {
                        0 => template.name.clone(),
                        _ => String::new(),
                    },
                    library: template.library,
                    node: driver.node,
                    actor: ActorId(0),
                    workers: 0,
                    start: Millis(0),
                    driver: Some(driver.actor),
                    writes,
                    reads: None,
                    streams: None,
                });
            }
        }
        delivery.clients = clients;
        delivery.number();
        delivery.messages = delivery.message_faults();
        delivery.naming = Some(naming);
        Ok(delivery)
    }

    /// How many nodes it has besides the clients, how far its actors and its links go.
    pub(in crate::models) fn extent(&self) -> (u16, u16, u32) {
        let replicas = self.partitions.iter().map(|it| it.brokers.len() as u16);
        let links = self.clients.len() * usize::from(self.destinations()) * 3;
        (
            replicas.sum::<u16>() + 1,
            self.actors,
            self.base.link + links as u32,
        )
    }

    fn sinks(&self) -> u16 {
        self.clients.len() as u16 / SLOTS
    }

    /// The client in a slot of a sink.
    pub(in crate::models) fn slot(&self, sink: u16, slot: u8) -> ClientId {
        ClientId(
            u16::from(slot)
                .saturating_mul(self.sinks())
                .saturating_add(sink),
        )
    }

    pub(in crate::models) fn is_driven(&self, client: ClientId) -> bool {
        self.client(client).is_some_and(|it| it.driver.is_some())
    }

    /// The client by which faults name one: those of one sink have one name.
    pub(super) fn named(&self, client: ClientId) -> ClientId {
        match self.is_driven(client) {
            true => ClientId(client.0.checked_rem(self.sinks()).unwrap_or(0)),
            false => client,
        }
    }

    pub(in crate::models) fn naming(&self) -> Option<&Naming> {
        self.naming.as_ref()
    }

    /// How a transactional id is called.
    pub(in crate::models) fn id_name(&self, id: TransactionalId) -> Option<String> {
        match &self.naming {
            Some(naming) => naming.name(id),
            None => self.ids.get(id.0 as usize).cloned(),
        }
    }

    /// Whether an action is one that only a producer's application decides.
    pub(in crate::models) fn is_decided_by_driver(&self, action: Action) -> bool {
        match action {
            Action::Send(_) => true,
            Action::Start(body)
            | Action::Crash(body)
            | Action::Stop(body)
            | Action::Pause(body)
            | Action::Resume(body) => {
                matches!(body, Body::Client(client) if self.is_driven(client))
            }
            _ => false,
        }
    }

    /// A producer is made, and asks for its identity.
    pub(in crate::models) fn open_producer(
        &self,
        state: &mut State,
        client: ClientId,
        id: Option<TransactionalId>,
        observer: &mut impl Observer,
    ) {
        while state.clients.len() <= usize::from(client.0) {
            let next = ClientId(state.clients.len() as u16);
            state.clients.push(self.start_client(next));
        }
        let phase = self.first_phase(client);
        if let Some(own) = state.clients.get_mut(usize::from(client.0)) {
            own.standing = Standing::Running;
            own.id = id;
            own.trouble = None;
            own.transaction.phase = phase;
        }
        self.wake_client(client, observer);
    }

    /// A producer is made that goes on with an open transaction
    /// (`FlinkKafkaInternalProducer.resumeTransaction`).
    pub(in crate::models) fn resume_producer(
        &self,
        state: &mut State,
        client: ClientId,
        (id, session): (TransactionalId, Session),
        observer: &mut impl Observer,
    ) {
        self.open_producer(state, client, Some(id), observer);
        if let Some(own) = state.clients.get_mut(usize::from(client.0)) {
            own.session = Some(session);
            for producer in &mut own.producers {
                producer.init(session);
            }
            own.transaction.used = true;
            own.transaction.phase = ClientTransaction::Open;
        }
    }

    /// A transaction begins: no request tells anybody.
    pub(in crate::models) fn begin(&self, state: &mut State, client: ClientId) {
        if let Some(own) = state.clients.get_mut(usize::from(client.0))
            && own.transaction.phase == ClientTransaction::Ready
        {
            own.transaction.phase = ClientTransaction::Open;
        }
    }

    /// A record is handed to a producer.
    pub(in crate::models) fn produce_one(
        &self,
        state: &mut State,
        client: ClientId,
        record: RecordId,
        observer: &mut impl Observer,
    ) {
        let partition = self
            .writes(client)
            .and_then(|it| it.partitions.first().copied());
        let Some(partition) = partition else {
            return;
        };
        observer.event(Event::Kafka(KafkaEvent::Sent {
            client: self.client_node(client),
            record,
            partition,
            again: false,
        }));
        self.hand_over(state, client, partition, &[record], observer);
        self.wake_client(client, observer);
    }

    /// A producer's application commits or aborts.
    pub(in crate::models) fn end(
        &self,
        state: &mut State,
        client: ClientId,
        outcome: Outcome,
        observer: &mut impl Observer,
    ) {
        let Some(own) = state.clients.get_mut(usize::from(client.0)) else {
            return;
        };
        let may = match outcome {
            Outcome::Commit => own.transaction.phase == ClientTransaction::Open,
            Outcome::Abort => matches!(
                own.transaction.phase,
                ClientTransaction::Open | ClientTransaction::MustAbort
            ),
        };
        if !may || !own.is_running() {
            return;
        }
        observer.event(Event::Kafka(KafkaEvent::Ending {
            client: self.client_node(client),
            outcome,
        }));
        match outcome {
            Outcome::Commit => own.transaction.phase = ClientTransaction::Committing,
            Outcome::Abort => self.abort_transaction(own),
        }
        self.wake_client(client, observer);
    }

    /// A producer is gone: closed, or with the process that it was in.
    pub(in crate::models) fn close_producer(
        &self,
        state: &mut State,
        client: ClientId,
        observer: &mut impl Observer,
    ) {
        let running = state.clients.get(usize::from(client.0));
        if !running.is_some_and(super::state::ClientState::is_running) {
            return;
        }
        self.client_down(state, client, observer);
        if let Some(own) = state.clients.get_mut(usize::from(client.0)) {
            own.standing = Standing::Waiting;
            own.trouble = None;
            own.id = None;
        }
    }

    /// Where a producer is.
    pub(in crate::models) fn progress(&self, state: &State, client: ClientId) -> Progress {
        let own = state.clients.get(usize::from(client.0));
        let Some(own) = own.filter(|own| own.is_running()) else {
            return Progress::Closed;
        };
        if let Some(trouble) = own.trouble {
            return Progress::Failed(trouble);
        }
        match (own.transaction.phase, own.session) {
            (ClientTransaction::Ready, Some(session)) => Progress::Ready(session),
            (ClientTransaction::MustAbort, _) => Progress::Failed(Trouble::Send),
            (ClientTransaction::None | ClientTransaction::Open, _) => Progress::Open,
            _ => Progress::Waiting,
        }
    }

    /// Whether a producer has sent everything, and was told so.
    pub(in crate::models) fn is_flushed(&self, state: &State, client: ClientId) -> bool {
        let own = state.clients.get(usize::from(client.0));
        !own.is_some_and(super::state::ClientState::is_outstanding)
    }

    /// The `transactional.id` of a producer.
    pub(in crate::models) fn id_of(
        &self,
        state: &State,
        client: ClientId,
    ) -> Option<TransactionalId> {
        state.clients.get(usize::from(client.0))?.id
    }

    /// The identity of a producer.
    pub(in crate::models) fn session(&self, state: &State, client: ClientId) -> Option<Session> {
        state.clients.get(usize::from(client.0))?.session
    }

    /// An application does not look at what it was told.
    pub(in crate::models) fn overlook(&self, state: &mut State, client: ClientId) {
        if let Some(own) = state.clients.get_mut(usize::from(client.0)) {
            own.trouble = None;
        }
    }

    /// The records that a producer has not been told of.
    pub(in crate::models) fn outstanding(
        &self,
        state: &State,
        client: ClientId,
    ) -> SmallVec<[RecordId; 4]> {
        let own = state.clients.get(usize::from(client.0));
        let producers = own.into_iter().flat_map(|own| &own.producers);
        producers
            .flat_map(|producer| {
                let numbers = producer.outstanding();
                numbers.flat_map(|(number, _)| producer.records(number))
            })
            .collect()
    }

    /// The same, without those that are in the log all the same: only the answer is missing.
    pub(in crate::models) fn unwritten(
        &self,
        state: &State,
        client: ClientId,
    ) -> SmallVec<[RecordId; 4]> {
        let mut unwritten = SmallVec::new();
        let (Some(own), Some(writes)) = (
            state.clients.get(usize::from(client.0)),
            self.writes(client),
        ) else {
            return unwritten;
        };
        for (partition, producer) in writes.partitions.iter().zip(&own.producers) {
            let copy = witness(state, *partition);
            let entries = copy.map(Replica::entries).unwrap_or_default();
            for (number, _) in producer.outstanding() {
                let sequence = producer.sent(number).and_then(|(sequence, _)| sequence);
                let is_there = entries.iter().any(|placed| match &placed.entry {
                    Entry::Data(batch) => batch.stamp().is_some_and(|stamp| {
                        Some(stamp.first) == sequence
                            && own.session.is_some_and(|session| {
                                (session.producer, session.epoch) == (stamp.producer, stamp.epoch)
                            })
                    }),
                    Entry::Control(_) => false,
                });
                if !is_there {
                    unwritten.extend(producer.records(number));
                }
            }
        }
        unwritten
    }

    /// The ids whose transaction is open.
    pub(in crate::models) fn open_ids(
        &self,
        state: &State,
    ) -> impl Iterator<Item = (TransactionalId, Session)> + use<> {
        let coordinator = &state.coordinator;
        let open = coordinator.active().filter_map(|id| {
            let known = coordinator.get(id)?;
            let session = Session {
                producer: known.current().producer,
                epoch: known.epoch()?,
            };
            (known.state() == TransactionState::Ongoing).then_some((id, session))
        });
        open.collect::<SmallVec<[_; 4]>>().into_iter()
    }

    /// Whether the coordinator has decided that an open transaction of this producer is committed.
    pub(in crate::models) fn is_decided(&self, state: &State, session: Session) -> bool {
        let coordinator = &state.coordinator;
        coordinator.active().any(|id| {
            coordinator.get(id).is_some_and(|known| {
                known.state() == TransactionState::PrepareCommit
                    && known.current().producer == session.producer
            })
        })
    }

    /// Whether something is still to happen in Kafka by itself: a decided transaction is marked, what was
    /// written is replicated, what is open times out.
    pub(in crate::models) fn is_settled(&self, state: &State) -> bool {
        let coordinator = &state.coordinator;
        let unmarked = coordinator.active().any(|id| {
            coordinator.get(id).is_some_and(|known| {
                // A producer that only gets its identity changes nothing for a reader.
                let pending = known.pending().filter(|it| *it != TransactionState::Empty);
                known.state().decision().is_some() || pending.is_some()
            })
        });
        let logs = self.partition_ids().all(|partition| {
            let leader = super::life::leading(state, partition);
            leader.is_some_and(|leader| {
                leader.high_watermark() == leader.end()
                    && leader.last_stable_offset() == leader.end()
            })
        });
        !unmarked && logs
    }

    /// Every record in a partition of the log, with what became of it; from the leader, or from who is in
    /// sync if nobody leads.
    pub(in crate::models) fn scan_log(
        &self,
        state: &State,
        partition: PartitionId,
        isolation: IsolationLevel,
        mut found: impl FnMut(Written),
    ) {
        let Some(replica) = witness(state, partition) else {
            return;
        };
        let readable = replica.readable_end(isolation);
        for (placed, outcome) in replica.entries().iter().zip(outcomes(replica)) {
            let Entry::Data(batch) = &placed.entry else {
                continue;
            };
            let stamp = batch.stamp().filter(|stamp| stamp.transactional);
            let session = stamp.map(|stamp| Session {
                producer: stamp.producer,
                epoch: stamp.epoch,
            });
            let committed = outcome == Some(Outcome::Commit);
            for (at, record) in batch.records().iter().enumerate() {
                let offset = Offset(placed.offset.0.saturating_add(at as u32));
                let seen = offset < readable;
                found(Written {
                    record: *record,
                    transaction: session.map(|session| (session, outcome)),
                    visible: seen && (committed || isolation == IsolationLevel::ReadUncommitted),
                });
            }
        }
    }

    /// What a reader's copy of a partition holds, to be drawn, and how far a `read_committed` reader may read.
    pub(in crate::models) fn entries_of(
        &self,
        state: &State,
        partition: PartitionId,
    ) -> (Vec<crate::scene::kafka::EntryView>, Offset) {
        witness(state, partition).map_or((Vec::new(), Offset(0)), |copy| {
            let readable = copy.readable_end(IsolationLevel::ReadCommitted);
            (super::picture::entries(copy), readable)
        })
    }

    /// The partition of which a node is a replica.
    pub(in crate::models) fn partition_at(&self, node: NodeId) -> Option<PartitionId> {
        let mut partitions = self.partition_ids();
        partitions.find(|partition| {
            let mut replicas = self.replicas_of(*partition);
            replicas.any(|replica| self.replica_node(*partition, replica) == node)
        })
    }

    /// The replicas and the transaction coordinator, to be drawn.
    pub(in crate::models) fn broker_nodes(&self, state: &State) -> Vec<Node> {
        let mut nodes = Vec::new();
        for partition in self.partition_ids() {
            for replica in self.replicas_of(partition) {
                nodes.extend(self.replica_view(state, partition, replica));
            }
        }
        nodes.push(self.transactions_view(state));
        nodes
    }

    /// The producers of a sink that are open, to be told of.
    pub(in crate::models) fn producer_of(
        &self,
        state: &State,
        client: ClientId,
    ) -> Option<crate::scene::kafka::ProducerView> {
        let own = state.clients.get(usize::from(client.0))?;
        let writes = self.writes(client)?;
        (own.standing != Standing::Waiting).then(|| self.producer_view(state, own, writes))
    }
}

fn witness(state: &State, partition: PartitionId) -> Option<&Replica> {
    let log = state.logs.get(partition.index())?;
    log.leading().or_else(|| {
        let copies = log.in_sync().filter_map(|it| log.replica(it));
        copies.max_by_key(|replica| replica.high_watermark())
    })
}
