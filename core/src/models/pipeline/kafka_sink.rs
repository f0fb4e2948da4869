//! The sink where the output topic has brokers: writer and committer of a `KafkaSink`, one step after the
//! other.
//!
//! At the start a subtask commits what the restored checkpoint holds, aborts what an earlier attempt has left
//! open, and begins a transaction. At a barrier it flushes, prepares the commit, and begins the next
//! transaction; when it hears that the checkpoint is complete, it commits. All of that is done by the
//! subtask's only thread, which waits for Kafka meanwhile and does nothing else.
//!
//! Sources: `KafkaWriter`, `ExactlyOnceKafkaWriter`, `KafkaCommitter`, `TransactionAbortStrategyImpl`,
//! `TransactionNamingStrategyImpl` (flink-connector-kafka 4); `SinkWriterOperator`, `CommitterOperator`,
//! `CommitRequestImpl` (Flink).

use smallvec::SmallVec;

use super::failure::Cause;
use super::state::Contents;
use super::{Pipeline, Role, State};
use crate::collections::Bits;
use crate::event::{Event, SinkEvent, SinkFailure};
use crate::id::{CheckpointId, PartitionId, RecordId, SubtaskId};
use crate::kafka::batch::ProducerEpoch;
use crate::kafka::error::TransactionError;
use crate::kafka::log::Outcome;
use crate::kafka::transaction_coordinator::{Session, TransactionalId};
use crate::models::delivery::driven::{Driver, Naming, Progress, SLOTS, Trouble};
use crate::models::delivery::{self, ClientId, Delivery};
use crate::protocol::{Disabled, Observer};
use crate::scenario::{DeliveryGuarantee, Ticket, TransactionNamingStrategy};

/// The brokers, and what the sink is like.
#[derive(Debug)]
pub(super) struct Brokers {
    pub delivery: Delivery,
    pub guarantee: DeliveryGuarantee,
    pub strategy: TransactionNamingStrategy,
}

/// How often a commit is tried again: `sink.committer.retries`.
const RETRIES: u8 = 10;

/// What changes in Kafka and in the sink.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct OnBrokers {
    pub kafka: delivery::State,
    /// By sink subtask.
    pub writers: SmallVec<[Writer; 2]>,
    /// The place of the prefix that the sink has.
    pub prefix: u16,
    /// How many subtasks it has: those with a higher number were removed.
    pub parallelism: u16,
}

/// The producers of a sink subtask, and what its thread does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Writer {
    pub stage: Stage,
    /// The slot of the producer into which records go.
    pub current: Option<u8>,
    /// How many records have gone into it since it began.
    pub records: u32,
    /// The slots of the transactions that wait for their checkpoint.
    pub prepared: SmallVec<[(u8, TransactionalId); 2]>,
    /// Slots that are free to be used again with the producer that is in them.
    pub pool: SmallVec<[u8; 1]>,
    /// Slots of producers that are being closed while they abort.
    pub closing: SmallVec<[u8; 1]>,
    /// With an id for every transaction: the number of the last one.
    pub last: u32,
    /// With pooled ids: the numbers of those that are in use, and of those that will be free at the next
    /// snapshot.
    pub held: SmallVec<[u32; 2]>,
    pub finished: SmallVec<[u32; 2]>,
    /// How often a commit was tried again.
    pub retries: u8,
    /// The snapshot may be stored as soon as it is taken: every barrier is here.
    pub stores: bool,
}

/// What the thread of a sink subtask does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Stage {
    /// It does not run.
    #[default]
    Down,
    /// It is deployed, and has done nothing yet.
    Deployed,
    /// It commits what the restored checkpoint holds.
    Recommitting(u8),
    /// It asks for the identity of an id of an earlier attempt.
    Cleaning(u8, Search),
    /// It asks for the identity of its first transaction.
    Opening(u8),
    /// It takes records.
    Ready,
    /// It waits until everything is acknowledged that it has written before a barrier.
    Flushing(CheckpointId),
    /// It asks for the identity of the next transaction, behind a barrier, or of one before it that no
    /// checkpoint has used: so that the ids are without a gap.
    Beginning(CheckpointId, u8),
    /// It commits what belongs to a completed checkpoint, and to earlier ones.
    Committing(CheckpointId),
}

/// Where a search for lingering transactions is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Search {
    prefix: u16,
    subtask: u16,
    number: u32,
    /// Whether an id of this prefix and subtask was used before.
    found: bool,
}

/// What a sink subtask keeps in a checkpoint: the state of its committer, and that of its writer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct SinkState {
    /// What is to be committed, the oldest first.
    pub committables: SmallVec<[KafkaCommittable; 1]>,
    /// The subtasks whose transactional ids it owns, as bits: its own, and after a redeployment with fewer
    /// subtasks those of others. None: it has no state, and owns its own.
    pub owned: u16,
    /// How many subtasks the sink has had at most, as far as checkpoints know: those of more are spread over them.
    pub spread: u16,
}

/// A transaction that is committed with its checkpoint: `KafkaCommittable`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct KafkaCommittable {
    pub checkpoint: CheckpointId,
    pub id: TransactionalId,
    pub session: Session,
    pub records: u32,
}

impl Brokers {
    pub(super) fn is_transactional(&self) -> bool {
        self.guarantee == DeliveryGuarantee::ExactlyOnce
    }

    fn naming(&self) -> Option<&Naming> {
        self.delivery.naming()
    }

    fn pools(&self) -> bool {
        self.strategy == TransactionNamingStrategy::Pooling
    }

    fn id(&self, prefix: u16, subtask: u16, number: u32) -> TransactionalId {
        let naming = self.naming();
        naming.map_or(TransactionalId(0), |it| it.id(prefix, subtask, number))
    }

    /// The number of a transaction: of its checkpoint, or that of its id.
    pub(super) fn number(&self, id: TransactionalId) -> u32 {
        self.naming().map_or(0, |it| it.parts(id).2)
    }
}

impl OnBrokers {
    /// The sink subtasks that there are, by number.
    fn present(&self) -> impl Iterator<Item = (usize, &Writer)> {
        let writers = self.writers.iter().enumerate();
        writers.take(usize::from(self.parallelism))
    }
}

impl Writer {
    /// A slot that nobody has.
    fn free_slot(&self) -> Option<u8> {
        let mut slots = 0..SLOTS as u8;
        slots.find(|slot| {
            self.current != Some(*slot)
                && !self.prepared.iter().any(|(other, _)| other == slot)
                && !self.pool.contains(slot)
                && !self.closing.contains(slot)
        })
    }

    /// Whether the thread waits for Kafka, and so does nothing else.
    pub(super) fn is_engaged(&self) -> bool {
        self.stage != Stage::Ready
    }

    /// Whether it has not come so far yet that it takes records.
    pub(super) fn is_starting(&self) -> bool {
        matches!(
            self.stage,
            Stage::Deployed | Stage::Recommitting(_) | Stage::Cleaning(..) | Stage::Opening(_)
        )
    }

    /// The slots in which a producer may be.
    pub(super) fn slots(&self) -> SmallVec<[u8; 4]> {
        let own = match self.stage {
            Stage::Recommitting(slot)
            | Stage::Cleaning(slot, _)
            | Stage::Opening(slot)
            | Stage::Beginning(_, slot) => Some(slot),
            _ => None,
        };
        let prepared = self.prepared.iter().map(|(slot, _)| *slot);
        let mut slots: SmallVec<[u8; 4]> = self
            .current
            .into_iter()
            .chain(own)
            .chain(prepared)
            .chain(self.pool.iter().copied())
            .chain(self.closing.iter().copied())
            .collect();
        slots.sort_unstable();
        slots.dedup();
        slots
    }
}

/// What a subtask does next, found out without changing anything.
enum Next {
    Nothing,
    Fail(SinkFailure),
    Overlook(ClientId),
    Recommit,
    Recommitted(u8),
    Refused(u8, TransactionError),
    Cleaned(u8, Search, ProducerEpoch),
    Opened(u8),
    Prepare(CheckpointId),
    Begun(CheckpointId, u8),
    Committed(CheckpointId, u8),
    Dropped(CheckpointId, u8, TransactionError),
}

impl Pipeline {
    /// The number of a sink subtask, if the output topic has brokers.
    pub(super) fn writer_number(&self, subtask: SubtaskId) -> Option<usize> {
        self.brokers.as_ref()?;
        match self.role(subtask)? {
            Role::Sink { number, .. } => Some(*number),
            _ => None,
        }
    }

    pub(super) fn sink_writer<'a>(
        &self,
        state: &'a State,
        subtask: SubtaskId,
    ) -> Option<&'a Writer> {
        let number = self.writer_number(subtask)?;
        state.brokers.as_ref()?.writers.get(number)
    }

    fn writer_mut<'a>(&self, state: &'a mut State, subtask: SubtaskId) -> Option<&'a mut Writer> {
        let number = self.writer_number(subtask)?;
        state.brokers.as_mut()?.writers.get_mut(number)
    }

    /// Whether the thread of a subtask waits for Kafka.
    pub(super) fn is_engaged(&self, state: &State, subtask: SubtaskId) -> bool {
        self.sink_writer(state, subtask)
            .is_some_and(Writer::is_engaged)
    }

    /// The sinks that are deployed and not ready.
    pub(super) fn starting_sinks(&self, state: &State) -> Bits {
        let mut starting = Bits::default();
        for sink in &self.sinks {
            if self
                .sink_writer(state, *sink)
                .is_some_and(Writer::is_starting)
            {
                starting.insert(sink.index());
            }
        }
        starting
    }

    fn client(&self, number: usize, slot: u8) -> Option<ClientId> {
        Some(self.brokers.as_ref()?.delivery.slot(number as u16, slot))
    }

    fn progress(&self, state: &State, number: usize, slot: u8) -> Progress {
        let found = || {
            let brokers = self.brokers.as_ref()?;
            let on = state.brokers.as_ref()?;
            Some(
                brokers
                    .delivery
                    .progress(&on.kafka, self.client(number, slot)?),
            )
        };
        found().unwrap_or(Progress::Closed)
    }

    /// The committables of a sink that are committed when a checkpoint is complete, the oldest first.
    fn due(
        &self,
        state: &State,
        number: usize,
        checkpoint: CheckpointId,
    ) -> Option<KafkaCommittable> {
        let own = state.live.on_brokers.get(number)?;
        let first = own.committables.first().copied()?;
        (first.checkpoint <= checkpoint).then_some(first)
    }

    /// Whether a sink has something to do by itself.
    pub(super) fn may_continue(&self, state: &State, subtask: SubtaskId) -> bool {
        !matches!(self.next(state, subtask), Next::Nothing)
    }

    fn next(&self, state: &State, subtask: SubtaskId) -> Next {
        let (Some(number), Some(writer), Some(brokers)) = (
            self.writer_number(subtask),
            self.sink_writer(state, subtask),
            self.brokers.as_ref(),
        ) else {
            return Next::Nothing;
        };
        if state.down.contains(subtask.index()) {
            return Next::Nothing;
        }
        if let Some(slot) = writer.current
            && let Progress::Failed(trouble) = self.progress(state, number, slot)
            && let Some(client) = self.client(number, slot)
        {
            return match trouble {
                Trouble::Send if self.lacks(Ticket::Flink35749) && !brokers.is_transactional() => {
                    Next::Overlook(client)
                }
                Trouble::Send => Next::Fail(SinkFailure::Send),
                Trouble::Refused(error) => Next::Fail(SinkFailure::Init(error)),
            };
        }
        match writer.stage {
            Stage::Down | Stage::Ready => Next::Nothing,
            Stage::Deployed => Next::Recommit,
            Stage::Recommitting(slot) => match self.progress(state, number, slot) {
                Progress::Ready(_) => Next::Recommitted(slot),
                Progress::Failed(Trouble::Refused(error)) => {
                    if is_known(error) && !self.lacks(Ticket::Flink8086) {
                        Next::Refused(slot, error)
                    } else {
                        Next::Fail(SinkFailure::Commit(error))
                    }
                }
                Progress::Failed(Trouble::Send) => Next::Fail(SinkFailure::Send),
                _ => Next::Nothing,
            },
            Stage::Cleaning(slot, search) => match self.progress(state, number, slot) {
                Progress::Ready(session) => Next::Cleaned(slot, search, session.epoch),
                Progress::Failed(trouble) => Next::Fail(refusal(trouble)),
                _ => Next::Nothing,
            },
            Stage::Opening(slot) => match self.progress(state, number, slot) {
                Progress::Ready(_) => Next::Opened(slot),
                Progress::Failed(trouble) => Next::Fail(refusal(trouble)),
                _ => Next::Nothing,
            },
            Stage::Flushing(checkpoint) => {
                let waits = brokers.guarantee != DeliveryGuarantee::None
                    && !self.is_flushed(state, number, writer);
                match waits {
                    true => Next::Nothing,
                    false => Next::Prepare(checkpoint),
                }
            }
            Stage::Beginning(checkpoint, slot) => match self.progress(state, number, slot) {
                Progress::Ready(_) => Next::Begun(checkpoint, slot),
                Progress::Failed(trouble) => Next::Fail(refusal(trouble)),
                _ => Next::Nothing,
            },
            Stage::Committing(checkpoint) => {
                let Some(due) = self.due(state, number, checkpoint) else {
                    return Next::Nothing;
                };
                let slot = writer.prepared.iter().find(|(_, id)| *id == due.id);
                let Some((slot, _)) = slot.copied() else {
                    return Next::Nothing;
                };
                match self.progress(state, number, slot) {
                    Progress::Ready(_) => Next::Committed(checkpoint, slot),
                    Progress::Failed(Trouble::Refused(error)) if is_known(error) => {
                        Next::Dropped(checkpoint, slot, error)
                    }
                    Progress::Failed(Trouble::Refused(error)) => {
                        Next::Fail(SinkFailure::Commit(error))
                    }
                    Progress::Failed(Trouble::Send) => Next::Fail(SinkFailure::Send),
                    _ => Next::Nothing,
                }
            }
        }
    }

    fn is_flushed(&self, state: &State, number: usize, writer: &Writer) -> bool {
        let (Some(brokers), Some(on), Some(slot)) = (&self.brokers, &state.brokers, writer.current)
        else {
            return true;
        };
        let client = brokers.delivery.slot(number as u16, slot);
        brokers.delivery.is_flushed(&on.kafka, client)
    }

    /// How many records of a sink are not acknowledged.
    fn unacknowledged(&self, state: &State, subtask: SubtaskId) -> u32 {
        let found = || {
            let number = self.writer_number(subtask)?;
            let slot = self.sink_writer(state, subtask)?.current?;
            let on = state.brokers.as_ref()?;
            let delivery = &self.brokers.as_ref()?.delivery;
            let client = delivery.slot(number as u16, slot);
            Some(delivery.outstanding(&on.kafka, client).len() as u32)
        };
        found().unwrap_or(0)
    }

    /// The thread of a sink goes on: what it waited for has come.
    pub(super) fn go_on(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        o: &mut impl Observer,
    ) -> Result<(), Disabled> {
        let node = self.subtask_node(subtask);
        let number = self.writer_number(subtask).ok_or(Disabled)?;
        match self.next(state, subtask) {
            Next::Nothing => return Err(Disabled),
            Next::Fail(reason) => {
                o.event(Event::Sink(SinkEvent::Failed {
                    subtask: node,
                    reason,
                }));
                self.fail(state, Cause::Task(subtask), o);
            }
            Next::Overlook(client) => {
                if let (Some(brokers), Some(on)) = (&self.brokers, &mut state.brokers) {
                    brokers.delivery.overlook(&mut on.kafka, client);
                }
                o.event(Event::Sink(SinkEvent::Overlooked { subtask: node }));
            }
            Next::Recommit => self.recommit(state, subtask, number, o),
            Next::Recommitted(slot) => {
                self.close(state, number, slot, o);
                if let Some(done) = self.take_committable(state, number) {
                    o.event(self.committed(subtask, done, true));
                    self.give_back(state, subtask, done.id);
                }
                self.recommit(state, subtask, number, o);
            }
            Next::Refused(slot, error) => {
                self.close(state, number, slot, o);
                if let Some(done) = self.take_committable(state, number) {
                    o.event(dropped(node, done, error));
                    self.give_back(state, subtask, done.id);
                }
                self.recommit(state, subtask, number, o);
            }
            Next::Cleaned(slot, search, epoch) => {
                self.cleaned(state, subtask, (slot, search), epoch, o);
            }
            Next::Opened(slot) => {
                self.begin_in(state, subtask, slot, o);
                self.ready(state, subtask, o);
            }
            Next::Prepare(checkpoint) => self.prepare_commit(state, subtask, checkpoint, o),
            Next::Begun(checkpoint, slot) => {
                if self.is_gap(state, subtask, checkpoint) {
                    self.close(state, number, slot, o);
                    self.begin_next(state, subtask, checkpoint, o);
                } else {
                    self.begin_in(state, subtask, slot, o);
                    self.finish_snapshot(state, subtask, checkpoint, o);
                }
            }
            Next::Committed(checkpoint, slot) => {
                let done = self.take_committable(state, number);
                if let Some(done) = done {
                    o.event(self.committed(subtask, done, false));
                }
                self.recycle(state, subtask, slot, done.map(|it| it.id), o);
                self.commit_next(state, subtask, checkpoint, o);
            }
            Next::Dropped(checkpoint, slot, error) => {
                let done = self.take_committable(state, number);
                if let Some(done) = done {
                    o.event(dropped(node, done, error));
                    self.give_back(state, subtask, done.id);
                }
                self.close(state, number, slot, o);
                self.forget_slot(state, subtask, slot);
                self.commit_next(state, subtask, checkpoint, o);
            }
        }
        o.woken(crate::id::ActorId(subtask.0));
        Ok(())
    }

    fn committed(&self, subtask: SubtaskId, done: KafkaCommittable, recovered: bool) -> Event {
        let brokers = self.brokers.as_ref();
        Event::TransactionCommitted {
            subtask: self.subtask_node(subtask),
            transaction: brokers.map_or(0, |it| it.number(done.id)),
            records: done.records,
            recovered,
        }
    }

    fn take_committable(&self, state: &mut State, number: usize) -> Option<KafkaCommittable> {
        let own = &mut state.live.on_brokers.get_mut(number)?.committables;
        (!own.is_empty()).then(|| own.remove(0))
    }

    fn close(&self, state: &mut State, number: usize, slot: u8, o: &mut impl Observer) {
        if let (Some(brokers), Some(on)) = (&self.brokers, &mut state.brokers) {
            let client = brokers.delivery.slot(number as u16, slot);
            brokers.delivery.close_producer(&mut on.kafka, client, o);
        }
    }

    /// The process of a subtask is gone, and does not come back: its producers are closed.
    pub(super) fn close_all(&self, state: &mut State, subtask: SubtaskId, o: &mut impl Observer) {
        let (Some(number), Some(writer)) =
            (self.writer_number(subtask), self.writer_mut(state, subtask))
        else {
            return;
        };
        for slot in core::mem::take(writer).slots() {
            self.close(state, number, slot, o);
        }
    }

    fn forget_slot(&self, state: &mut State, subtask: SubtaskId, slot: u8) {
        if let Some(writer) = self.writer_mut(state, subtask) {
            writer.prepared.retain(|(other, _)| *other != slot);
        }
    }

    /// A producer whose transaction is committed goes back to the pool.
    fn recycle(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        slot: u8,
        id: Option<TransactionalId>,
        o: &mut impl Observer,
    ) {
        self.forget_slot(state, subtask, slot);
        let Some(number) = self.writer_number(subtask) else {
            return;
        };
        if self.lacks(Ticket::Flink8132) {
            if let Some(writer) = self.writer_mut(state, subtask) {
                writer.pool.push(slot);
            }
            return;
        }
        self.close(state, number, slot, o);
        if let Some(id) = id {
            self.give_back(state, subtask, id);
        }
    }

    /// The committer tells the writer that an id may be used again; it hears of that at the next snapshot
    /// (`Backchannel`).
    fn give_back(&self, state: &mut State, subtask: SubtaskId, id: TransactionalId) {
        let Some(brokers) = &self.brokers else {
            return;
        };
        let number = brokers.number(id);
        if brokers.pools()
            && self.is_named_by(state, subtask, id)
            && let Some(writer) = self.writer_mut(state, subtask)
        {
            writer.finished.push(number);
        }
    }

    /// What the restored checkpoint holds is committed, one after the other; then what was left open is
    /// looked for.
    fn recommit(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        number: usize,
        o: &mut impl Observer,
    ) {
        let held = state.live.on_brokers.get(number);
        let next = held.and_then(|held| held.committables.first().copied());
        let (Some(brokers), Some(on), Some(next)) = (&self.brokers, &mut state.brokers, next)
        else {
            self.clean_up(state, subtask, o);
            return;
        };
        let client = brokers.delivery.slot(number as u16, 0);
        o.event(Event::Sink(SinkEvent::Commits {
            subtask: self.subtask_node(subtask),
            transactional_id: next.id.0,
            recovered: true,
        }));
        let delivery = &brokers.delivery;
        delivery.resume_producer(&mut on.kafka, client, (next.id, next.session), o);
        delivery.end(&mut on.kafka, client, Outcome::Commit, o);
        if let Some(writer) = on.writers.get_mut(number) {
            writer.stage = Stage::Recommitting(0);
        }
    }

    /// The first id that an earlier attempt may have left a transaction open under.
    fn clean_up(&self, state: &mut State, subtask: SubtaskId, o: &mut impl Observer) {
        let Some(brokers) = &self.brokers else {
            return;
        };
        if !brokers.is_transactional() {
            self.open_first(state, subtask, o);
            return;
        }
        match brokers.strategy {
            TransactionNamingStrategy::Incrementing => {
                let prefix = state.brokers.as_ref().map_or(0, |on| on.prefix);
                let search = Search {
                    prefix,
                    subtask: self.index_of(subtask),
                    number: state.coordinator.completed().next().0,
                    found: false,
                };
                self.probe(state, subtask, search, o);
            }
            TransactionNamingStrategy::Pooling => self.list(state, subtask, o),
        }
    }

    fn index_of(&self, subtask: SubtaskId) -> u16 {
        self.graph.subtask(subtask).map_or(0, |it| it.index)
    }

    fn probe(&self, state: &mut State, subtask: SubtaskId, search: Search, o: &mut impl Observer) {
        let (Some(number), Some(brokers), Some(on)) = (
            self.writer_number(subtask),
            &self.brokers,
            &mut state.brokers,
        ) else {
            return;
        };
        let id = brokers.id(search.prefix, search.subtask, search.number);
        o.event(Event::Sink(SinkEvent::Probes {
            subtask: self.subtask_node(subtask),
            transactional_id: id.0,
        }));
        let client = brokers.delivery.slot(number as u16, 0);
        brokers
            .delivery
            .open_producer(&mut on.kafka, client, Some(id), o);
        if let Some(writer) = on.writers.get_mut(number) {
            writer.stage = Stage::Cleaning(0, search);
        }
    }

    /// An id has an identity: if its epoch is not the first one, it was used before.
    fn cleaned(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        (slot, search): (u8, Search),
        epoch: ProducerEpoch,
        o: &mut impl Observer,
    ) {
        let (Some(number), Some(brokers)) = (self.writer_number(subtask), &self.brokers) else {
            return;
        };
        let parallelism = state.brokers.as_ref().map_or(1, |on| on.parallelism);
        let id = brokers.id(search.prefix, search.subtask, search.number);
        self.close(state, number, slot, o);
        if brokers.pools() {
            o.event(Event::Sink(SinkEvent::Lingering {
                subtask: self.subtask_node(subtask),
                transactional_id: id.0,
            }));
            self.list(state, subtask, o);
            return;
        }
        let used = epoch != ProducerEpoch::FIRST;
        if used {
            o.event(Event::Sink(SinkEvent::Lingering {
                subtask: self.subtask_node(subtask),
                transactional_id: id.0,
            }));
        }
        let first = state.coordinator.completed().next().0;
        let current = state.brokers.as_ref().map_or(0, |on| on.prefix);
        let next = if used {
            Some(Search {
                number: search.number.saturating_add(1),
                found: true,
                ..search
            })
        } else if search.found {
            // An attempt with more subtasks may have left something behind.
            Some(Search {
                subtask: search.subtask.saturating_add(parallelism),
                number: first,
                found: false,
                ..search
            })
        } else {
            // The restored state names the prefix that it was written under.
            let restored = state.stored.prefix;
            let is_other = restored != current && state.coordinator.completed().0 > 0;
            (search.prefix == current && is_other).then_some(Search {
                prefix: restored,
                subtask: self.index_of(subtask),
                number: first,
                found: false,
            })
        };
        match next {
            Some(search) => self.probe(state, subtask, search, o),
            None => self.open_first(state, subtask, o),
        }
    }

    /// Open transactions under the sink's prefix are listed, and those that no restored state holds are
    /// aborted.
    fn list(&self, state: &mut State, subtask: SubtaskId, o: &mut impl Observer) {
        let (Some(number), Some(brokers), Some(on)) =
            (self.writer_number(subtask), &self.brokers, &state.brokers)
        else {
            return;
        };
        let (owned, spread) = owned_by(&state.live, number, on.parallelism);
        let lacks = self.lacks(Ticket::Flink40626);
        for (id, session) in brokers.delivery.open_ids(&on.kafka) {
            let Some((prefix, owner, at)) = brokers.naming().map(|it| it.parts(id)) else {
                continue;
            };
            // Ids of more subtasks than any checkpoint knows are spread over those that it knows.
            let is_own = owner
                .checked_rem(spread)
                .is_some_and(|owner| owned & bit(owner) != 0)
                && (prefix == on.prefix || prefix == state.stored.prefix);
            if !is_own {
                continue;
            }
            // Who owns an id knows which transaction under it was prepared, whoever commits it.
            let same = state.stored.committables().find(|it| it.id == id);
            if same.is_some_and(|same| lacks || same.session == session) {
                o.event(Event::Sink(SinkEvent::LeftOpen {
                    subtask: self.subtask_node(subtask),
                    transactional_id: id.0,
                }));
                continue;
            }
            let search = Search {
                prefix,
                subtask: owner,
                number: at,
                found: true,
            };
            self.probe(state, subtask, search, o);
            return;
        }
        self.open_first(state, subtask, o);
    }

    /// Nothing is left behind: the first producer is opened.
    fn open_first(&self, state: &mut State, subtask: SubtaskId, o: &mut impl Observer) {
        let (Some(number), Some(brokers)) = (self.writer_number(subtask), &self.brokers) else {
            return;
        };
        if brokers.is_transactional() {
            o.event(Event::Sink(SinkEvent::Clean {
                subtask: self.subtask_node(subtask),
            }));
            let number = state.coordinator.completed().next().0;
            if let Some(slot) = self.open_next(state, subtask, number, o)
                && let Some(writer) = self.writer_mut(state, subtask)
            {
                writer.stage = Stage::Opening(slot);
            }
            return;
        }
        let Some(on) = &mut state.brokers else {
            return;
        };
        let client = brokers.delivery.slot(number as u16, 0);
        brokers
            .delivery
            .open_producer(&mut on.kafka, client, None, o);
        if let Some(writer) = on.writers.get_mut(number) {
            writer.current = Some(0);
        }
        self.ready(state, subtask, o);
    }

    /// A producer asks for the identity of the transaction of this number, or of one that the pool has, or one
    /// from the pool is taken as it is; its slot.
    fn open_next(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        next: u32,
        o: &mut impl Observer,
    ) -> Option<u8> {
        let number = self.writer_number(subtask)?;
        let brokers = self.brokers.as_ref()?;
        let node = self.subtask_node(subtask);
        let index = self.named_subtask(state, subtask);
        let on = state.brokers.as_mut()?;
        let writer = on.writers.get_mut(number)?;
        if !writer.pool.is_empty() {
            let slot = writer.pool.remove(0);
            let client = brokers.delivery.slot(number as u16, slot);
            let id = brokers.delivery.id_of(&on.kafka, client)?;
            o.event(Event::Sink(SinkEvent::Reuses {
                subtask: node,
                transactional_id: id.0,
            }));
            return Some(slot);
        }
        let slot = writer.free_slot()?;
        let place = match brokers.strategy {
            TransactionNamingStrategy::Incrementing => next,
            TransactionNamingStrategy::Pooling => {
                let free = (0..u32::MAX).find(|number| !writer.held.contains(number))?;
                writer.held.push(free);
                free
            }
        };
        writer.last = place;
        let id = brokers.id(on.prefix, index, place);
        o.event(Event::Sink(SinkEvent::Initializes {
            subtask: node,
            transactional_id: id.0,
        }));
        let client = brokers.delivery.slot(number as u16, slot);
        brokers
            .delivery
            .open_producer(&mut on.kafka, client, Some(id), o);
        Some(slot)
    }

    /// The transaction of a producer begins, and records go into it.
    fn begin_in(&self, state: &mut State, subtask: SubtaskId, slot: u8, o: &mut impl Observer) {
        let (Some(number), Some(brokers), Some(on)) = (
            self.writer_number(subtask),
            &self.brokers,
            &mut state.brokers,
        ) else {
            return;
        };
        let client = brokers.delivery.slot(number as u16, slot);
        brokers.delivery.begin(&mut on.kafka, client);
        if let Some(writer) = on.writers.get_mut(number) {
            writer.current = Some(slot);
            writer.records = 0;
        }
        if let Some(id) = brokers.delivery.id_of(&on.kafka, client) {
            o.event(Event::Sink(SinkEvent::Begins {
                subtask: self.subtask_node(subtask),
                transactional_id: id.0,
            }));
        }
    }

    /// A sink takes records from now on.
    fn ready(&self, state: &mut State, subtask: SubtaskId, o: &mut impl Observer) {
        if let Some(on) = &mut state.brokers {
            state.live.prefix = on.prefix;
            let number = self.writer_number(subtask);
            let own = number.and_then(|number| {
                let owned = owned_by(&state.live, number, on.parallelism);
                Some((state.live.on_brokers.get_mut(number)?, owned))
            });
            if let Some((own, owned)) = own {
                (own.owned, own.spread) = owned;
            }
        }
        if let Some(writer) = self.writer_mut(state, subtask) {
            writer.stage = Stage::Ready;
        }
        state.starting.remove(subtask.index());
        if state.starting.is_empty() {
            o.event(Event::JobRuns);
            o.woken(self.coordinator_actor());
        }
    }

    /// A record goes to the producer.
    pub(super) fn produce(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        record: RecordId,
        o: &mut impl Observer,
    ) {
        let (Some(number), Some(brokers), Some(on)) = (
            self.writer_number(subtask),
            &self.brokers,
            &mut state.brokers,
        ) else {
            return;
        };
        let Some(writer) = on.writers.get_mut(number) else {
            return;
        };
        let Some(slot) = writer.current else {
            return;
        };
        writer.records = writer.records.saturating_add(1);
        let client = brokers.delivery.slot(number as u16, slot);
        brokers
            .delivery
            .produce_one(&mut on.kafka, client, record, o);
    }

    /// A barrier has come to a sink: it flushes.
    pub(super) fn flush(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        checkpoint: CheckpointId,
        o: &mut impl Observer,
    ) {
        o.event(Event::Sink(SinkEvent::Flushes {
            subtask: self.subtask_node(subtask),
            checkpoint,
            outstanding: self.unacknowledged(state, subtask),
        }));
        if let Some(writer) = self.writer_mut(state, subtask) {
            writer.stage = Stage::Flushing(checkpoint);
            writer.stores = false;
        }
        o.woken(crate::id::ActorId(subtask.0));
    }

    /// Whether a sink has not come to its snapshot for a checkpoint yet; then it is stored as soon as it is
    /// taken.
    pub(super) fn stores_later(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        checkpoint: CheckpointId,
    ) -> bool {
        let Some(writer) = self.writer_mut(state, subtask) else {
            return false;
        };
        let busy = match writer.stage {
            Stage::Flushing(with) | Stage::Beginning(with, _) => with == checkpoint,
            _ => false,
        };
        writer.stores |= busy;
        busy
    }

    /// `prepareCommit`, and the next transaction.
    fn prepare_commit(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        checkpoint: CheckpointId,
        o: &mut impl Observer,
    ) {
        let node = self.subtask_node(subtask);
        let outstanding = self.unacknowledged(state, subtask);
        o.event(Event::Sink(SinkEvent::Flushed {
            subtask: node,
            checkpoint,
            outstanding,
        }));
        let (Some(number), Some(brokers), Some(on)) = (
            self.writer_number(subtask),
            &self.brokers,
            &mut state.brokers,
        ) else {
            return;
        };
        if !brokers.is_transactional() {
            self.finish_snapshot(state, subtask, checkpoint, o);
            return;
        }
        let Some(writer) = on.writers.get_mut(number) else {
            return;
        };
        if let Some(slot) = writer.current.take() {
            let client = brokers.delivery.slot(number as u16, slot);
            let id = brokers.delivery.id_of(&on.kafka, client);
            let session = brokers.delivery.session(&on.kafka, client);
            let records = core::mem::take(&mut writer.records);
            match (id, session) {
                (Some(id), Some(session)) if records > 0 => {
                    writer.prepared.push((slot, id));
                    if let Some(own) = state.live.on_brokers.get_mut(number) {
                        own.committables.push(KafkaCommittable {
                            checkpoint,
                            id,
                            session,
                            records,
                        });
                    }
                    o.event(Event::PreCommitted {
                        subtask: node,
                        checkpoint,
                        transaction: brokers.number(id),
                        records,
                    });
                }
                _ => {
                    o.event(Event::Sink(SinkEvent::NothingToCommit {
                        subtask: node,
                        checkpoint,
                    }));
                    if let Some(id) = id {
                        writer.held.retain(|held| *held != brokers.number(id));
                    }
                    self.close(state, number, slot, o);
                }
            }
        }
        if let Some(writer) = self.writer_mut(state, subtask) {
            let finished = core::mem::take(&mut writer.finished);
            writer.held.retain(|held| !finished.contains(held));
        }
        self.begin_next(state, subtask, checkpoint, o);
    }

    /// Whether the id whose identity has come is one that was only left out.
    fn is_gap(&self, state: &State, subtask: SubtaskId, checkpoint: CheckpointId) -> bool {
        let strategy = self.brokers.as_ref().map(|brokers| brokers.strategy);
        strategy == Some(TransactionNamingStrategy::Incrementing)
            && self
                .sink_writer(state, subtask)
                .is_some_and(|writer| writer.last < checkpoint.next().0)
    }

    /// A producer for the next transaction, behind the barrier of a checkpoint.
    fn begin_next(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        checkpoint: CheckpointId,
        o: &mut impl Observer,
    ) {
        let last = self
            .sink_writer(state, subtask)
            .map_or(0, |writer| writer.last);
        let next = last.saturating_add(1).min(checkpoint.next().0);
        if let Some(slot) = self.open_next(state, subtask, next, o)
            && let Some(writer) = self.writer_mut(state, subtask)
        {
            writer.stage = Stage::Beginning(checkpoint, slot);
        }
    }

    /// The snapshot is taken, and stored if everything has come that belongs to it.
    fn finish_snapshot(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        checkpoint: CheckpointId,
        o: &mut impl Observer,
    ) {
        let mut stores = false;
        if let Some(writer) = self.writer_mut(state, subtask) {
            writer.stage = Stage::Ready;
            stores = core::mem::take(&mut writer.stores);
        }
        self.take_snapshot(state, subtask, checkpoint, crate::time::Micros::ZERO, o);
        if stores {
            self.upload(state, subtask, checkpoint, o);
        }
        self.prune(state);
    }

    /// A checkpoint is complete: what was prepared for it, and for earlier ones, is committed.
    pub(super) fn commit_on_brokers(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        checkpoint: CheckpointId,
        o: &mut impl Observer,
    ) {
        self.commit_next(state, subtask, checkpoint, o);
    }

    fn commit_next(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        checkpoint: CheckpointId,
        o: &mut impl Observer,
    ) {
        let Some(number) = self.writer_number(subtask) else {
            return;
        };
        let due = self.due(state, number, checkpoint);
        let (Some(brokers), Some(on)) = (&self.brokers, &mut state.brokers) else {
            return;
        };
        let Some(writer) = on.writers.get_mut(number) else {
            return;
        };
        writer.retries = 0;
        let slot = due.and_then(|due| {
            let mut prepared = writer.prepared.iter();
            prepared
                .find(|(_, id)| *id == due.id)
                .map(|(slot, _)| *slot)
        });
        let (Some(due), Some(slot)) = (due, slot) else {
            writer.stage = Stage::Ready;
            o.woken(self.coordinator_actor());
            return;
        };
        writer.stage = Stage::Committing(checkpoint);
        o.event(Event::Sink(SinkEvent::Commits {
            subtask: self.subtask_node(subtask),
            transactional_id: due.id.0,
            recovered: false,
        }));
        let client = brokers.delivery.slot(number as u16, slot);
        brokers
            .delivery
            .end(&mut on.kafka, client, Outcome::Commit, o);
    }

    /// The sinks of a region do not run any more. Those that died leave everything as it is; the others abort
    /// the transaction that they were writing, and close their producers.
    pub(super) fn stop_sinks(
        &self,
        state: &mut State,
        dead: &Bits,
        region: &Bits,
        o: &mut impl Observer,
    ) {
        let (Some(brokers), Some(on)) = (&self.brokers, &mut state.brokers) else {
            return;
        };
        let delivery = &brokers.delivery;
        for (number, sink) in self.sinks.iter().enumerate() {
            if !region.contains(sink.index()) {
                continue;
            }
            let Some(writer) = on.writers.get_mut(number) else {
                continue;
            };
            let mut closing = SmallVec::new();
            for slot in writer.slots() {
                let client = delivery.slot(number as u16, slot);
                let aborts = writer.current == Some(slot)
                    && brokers.is_transactional()
                    && !dead.contains(sink.index());
                if aborts {
                    delivery.end(&mut on.kafka, client, Outcome::Abort, o);
                    closing.push(slot);
                } else if !writer.closing.contains(&slot) || dead.contains(sink.index()) {
                    delivery.close_producer(&mut on.kafka, client, o);
                } else {
                    closing.push(slot);
                }
            }
            *writer = Writer {
                closing,
                ..Writer::default()
            };
        }
    }

    /// Sinks are deployed again: they begin with what the restored checkpoint holds.
    pub(super) fn start_sinks(&self, state: &mut State, which: &Bits, o: &mut impl Observer) {
        for (number, sink) in self.sinks.iter().enumerate() {
            if !which.contains(sink.index()) {
                continue;
            }
            let held = self.held_numbers(state, *sink);
            let (Some(brokers), Some(on)) = (&self.brokers, &mut state.brokers) else {
                return;
            };
            let Some(writer) = on.writers.get_mut(number) else {
                continue;
            };
            for slot in core::mem::take(&mut writer.closing) {
                let client = brokers.delivery.slot(number as u16, slot);
                brokers.delivery.close_producer(&mut on.kafka, client, o);
            }
            writer.stage = Stage::Deployed;
            writer.held = held;
            o.woken(crate::id::ActorId(sink.0));
        }
    }

    /// With pooled ids: the numbers of those that the restored checkpoint holds, which are not given to others.
    fn held_numbers(&self, state: &State, subtask: SubtaskId) -> SmallVec<[u32; 2]> {
        let pooling = self.brokers.as_ref().filter(|brokers| brokers.pools());
        let Some(brokers) = pooling else {
            return SmallVec::new();
        };
        let held = state.stored.committables();
        let own = held.filter(|it| self.is_named_by(state, subtask, it.id));
        own.map(|it| brokers.number(it.id)).collect()
    }

    /// The subtask whose number is in the ids that a subtask makes: its own; with pooled ids the first one of
    /// those that it owns.
    fn named_subtask(&self, state: &State, subtask: SubtaskId) -> u16 {
        let own = self.index_of(subtask);
        let pools = self.brokers.as_ref().is_some_and(Brokers::pools);
        match self.writer_number(subtask) {
            Some(number) if pools => owned_by(&state.live, number, 0).0.trailing_zeros() as u16,
            _ => own,
        }
    }

    /// Whether a subtask makes ids of this name: it may use one again then.
    fn is_named_by(&self, state: &State, subtask: SubtaskId, id: TransactionalId) -> bool {
        let naming = self.brokers.as_ref().and_then(Brokers::naming);
        let (Some(naming), Some(on)) = (naming, &state.brokers) else {
            return false;
        };
        let (prefix, named, _) = naming.parts(id);
        prefix == on.prefix && named == self.named_subtask(state, subtask)
    }

    /// Whether the thread of a sink waits for a request of its own, which `max.block.ms` limits.
    pub(super) fn is_blocked_on_kafka(&self, state: &State, subtask: SubtaskId) -> bool {
        let (Some(number), Some(writer)) = (
            self.writer_number(subtask),
            self.sink_writer(state, subtask),
        ) else {
            return false;
        };
        let slot = match writer.stage {
            Stage::Recommitting(slot)
            | Stage::Cleaning(slot, _)
            | Stage::Opening(slot)
            | Stage::Beginning(_, slot) => Some(slot),
            Stage::Committing(checkpoint) => {
                let due = self.due(state, number, checkpoint);
                due.and_then(|due| {
                    let mut prepared = writer.prepared.iter();
                    prepared
                        .find(|(_, id)| *id == due.id)
                        .map(|(slot, _)| *slot)
                })
            }
            _ => None,
        };
        slot.is_some_and(|slot| self.progress(state, number, slot) == Progress::Waiting)
    }

    /// `max.block.ms` has passed: a commit is tried again, everything else fails.
    pub(super) fn block(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        o: &mut impl Observer,
    ) -> Result<(), Disabled> {
        if !self.is_blocked_on_kafka(state, subtask) {
            return Err(Disabled);
        }
        let number = self.writer_number(subtask).ok_or(Disabled)?;
        let node = self.subtask_node(subtask);
        let due = match self.sink_writer(state, subtask).map(|it| it.stage) {
            Some(Stage::Committing(checkpoint)) => self.due(state, number, checkpoint),
            Some(Stage::Recommitting(_)) => self.due(state, number, CheckpointId(u32::MAX)),
            _ => None,
        };
        let writer = self.writer_mut(state, subtask).ok_or(Disabled)?;
        let reason = match due {
            None => SinkFailure::Timeout,
            Some(_) if writer.retries >= RETRIES => SinkFailure::Retries,
            Some(due) => {
                writer.retries += 1;
                o.event(Event::Sink(SinkEvent::RetriesLater {
                    subtask: node,
                    transactional_id: due.id.0,
                    retries: u32::from(writer.retries),
                }));
                return Ok(());
            }
        };
        o.event(Event::Sink(SinkEvent::Failed {
            subtask: node,
            reason,
        }));
        self.fail(state, Cause::Task(subtask), o);
        Ok(())
    }

    /// The tasks end: what was not prepared is aborted.
    pub(super) fn close_current(&self, state: &mut State, o: &mut impl Observer) {
        let (Some(brokers), Some(on)) = (&self.brokers, &mut state.brokers) else {
            return;
        };
        for (number, writer) in on.writers.iter_mut().enumerate() {
            if let Some(slot) = writer.current.take() {
                let client = brokers.delivery.slot(number as u16, slot);
                if brokers.is_transactional() {
                    brokers
                        .delivery
                        .end(&mut on.kafka, client, Outcome::Abort, o);
                }
                writer.records = 0;
                writer.closing.push(slot);
            }
        }
    }

    /// Whether no sink waits for Kafka.
    pub(super) fn sinks_are_idle(&self, state: &State) -> bool {
        let Some(on) = &state.brokers else {
            return true;
        };
        on.present().all(|(number, writer)| {
            let mut closing = writer.closing.iter();
            writer.stage == Stage::Ready
                && closing.all(|slot| self.progress(state, number, *slot) != Progress::Waiting)
        })
    }

    /// Whether no record waits for a sink: none has anything to write or to commit. That it asks for the
    /// identity of its next transaction does not count: where checkpoints follow each other closely, one
    /// of the sinks always does.
    pub(super) fn sinks_rest(&self, state: &State) -> bool {
        let (Some(brokers), Some(on)) = (&self.brokers, &state.brokers) else {
            return true;
        };
        let committed = state.live.committables().next().is_none();
        let writers = on.present().all(|(number, writer)| {
            writer.stage != Stage::Down
                && !writer.is_starting()
                && !writer
                    .current
                    .is_some_and(|slot| self.is_in_trouble(state, number, slot))
                && (writer.records == 0 || !brokers.is_transactional())
                && self.is_flushed(state, number, writer)
        });
        committed && writers
    }

    fn is_in_trouble(&self, state: &State, number: usize, slot: u8) -> bool {
        matches!(self.progress(state, number, slot), Progress::Failed(_))
    }

    /// Whether a sink is about to fail because a record could not be written.
    pub(super) fn is_about_to_fail(&self, state: &State) -> bool {
        let mut sinks = self.sinks.iter();
        sinks.any(|sink| matches!(self.next(state, *sink), Next::Fail(_)))
    }

    /// Who writes to which partition, and how that is drawn.
    pub(super) fn drivers(&self) -> SmallVec<[Driver; 4]> {
        let partitions = self.sinks.iter().map(|sink| match self.role(*sink) {
            Some(Role::Sink { partition, .. }) => (*sink, *partition),
            _ => (*sink, PartitionId(0)),
        });
        partitions
            .map(|(sink, partition)| Driver {
                node: self.subtask_node(sink),
                actor: crate::id::ActorId(sink.0),
                partition,
            })
            .collect()
    }
}

/// The subtasks whose ids a sink subtask owns, as bits, and over how many those of all are spread, in a sink that has
/// so many now (`TransactionOwnership`).
fn owned_by(contents: &Contents, number: usize, parallelism: u16) -> (u16, u16) {
    match contents.on_brokers.get(number) {
        Some(state) if state.owned != 0 => (state.owned, state.spread.max(parallelism)),
        _ => (bit(number as u16), parallelism),
    }
}

/// The bit of a subtask: there are no more of them than bits.
fn bit(subtask: u16) -> u16 {
    1_u16.checked_shl(u32::from(subtask)).unwrap_or(0)
}

/// Whether `KafkaCommitter` takes an error for one after which nothing can be done.
fn is_known(error: TransactionError) -> bool {
    matches!(
        error,
        TransactionError::ProducerFenced | TransactionError::InvalidTxnState
    )
}

fn refusal(trouble: Trouble) -> SinkFailure {
    match trouble {
        Trouble::Refused(error) => SinkFailure::Init(error),
        Trouble::Send => SinkFailure::Send,
    }
}

fn dropped(subtask: crate::id::NodeId, done: KafkaCommittable, error: TransactionError) -> Event {
    Event::Sink(SinkEvent::Dropped {
        subtask,
        transactional_id: done.id.0,
        records: done.records,
        error,
    })
}
