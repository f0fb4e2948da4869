//! What brokers do: batches, replication, elections, markers, retention.

use super::message::{Reply, Request};
use super::state::{Awaiting, Standing, State, Verification, Whose};
use super::{ClientId, Delivery};
use crate::event::{Event, KafkaEvent};
use crate::id::{LinkId, NodeId, Offset, PartitionId, RecordId};
use crate::kafka::batch::{Batch, Entry, ProducerId, Stamp};
use crate::kafka::error::{BatchError, ProduceError, TransactionError};
use crate::kafka::log::IsolationLevel;
use crate::kafka::producer::BatchNumber;
use crate::kafka::replica::Replica;
use crate::kafka::replicated_log::{Acks, Fetched, Produced, ReplicaId, ReplicatedLog};
use crate::kafka::transaction_coordinator::{Answer, Session, TransactionVersion, TransactionalId};
use crate::kafka::transaction_state::Participant;
use crate::protocol::Observer;

impl Delivery {
    /// A broker or a coordinator takes a request.
    pub(super) fn handle(
        &self,
        state: &mut State,
        link: LinkId,
        place: u16,
        observer: &mut impl Observer,
    ) -> bool {
        let (client, destination, _) = self.ends(link);
        let Some((connection, request)) = self.take_request(state, link, place, observer) else {
            return false;
        };
        let own = state.clients.get(usize::from(client.0));
        let current = own.and_then(|own| own.connections.get(usize::from(destination)));
        if current != Some(&connection) {
            observer.event(Event::Kafka(KafkaEvent::StragglerArrived {
                client: self.client_node(client),
                api: request.api(),
            }));
        }
        match request {
            Request::Produce {
                partition,
                number,
                batch,
                id,
            } => self.produce(
                state,
                client,
                (destination, connection),
                (partition, number),
                (batch, id),
                observer,
            ),
            other => self.coordinate(state, client, (destination, connection), other, observer),
        }
        true
    }

    fn produce(
        &self,
        state: &mut State,
        client: ClientId,
        origin: (u16, u8),
        (partition, number): (PartitionId, BatchNumber),
        (batch, id): (Batch, Option<TransactionalId>),
        observer: &mut impl Observer,
    ) {
        let Some(writes) = self.writes(client) else {
            return;
        };
        let acks = writes.options.acks;
        let record = batch.records().first().copied().unwrap_or_default();
        let records = batch.records().len() as u32;
        let leads = self.leader_of(state, partition) == Some(origin.0);
        let result = match leads {
            true => self
                .let_in(state, client, partition, (&batch, id), observer)
                .and_then(|()| self.append(state, partition, acks, batch, observer)),
            false => Err(ProduceError::NotLeaderOrFollower),
        };
        let reply = |result| Reply::Produced {
            partition,
            number,
            record,
            records,
            result,
        };
        match result {
            Ok(_) if acks == Acks::None => self.settle(state, partition, observer),
            Ok(produced) => {
                state.awaiting.push(Awaiting {
                    partition,
                    produced,
                    whose: Whose::Client {
                        client: client.0,
                        connection: origin.1,
                        number,
                    },
                });
                self.settle(state, partition, observer);
            }
            Err(error) => {
                observer.event(Event::Kafka(KafkaEvent::Refused {
                    partition,
                    leader: self.leader_node(state, partition),
                    record,
                    error,
                }));
                if acks != Acks::None {
                    self.answer(state, client, origin, reply(Err(error)), observer);
                }
            }
        }
    }

    /// The first batch of a transaction on a partition: the coordinator is asked whether it is in one
    /// (KIP-890), or is told, if the client leaves that to the broker.
    fn let_in(
        &self,
        state: &mut State,
        client: ClientId,
        partition: PartitionId,
        (batch, id): (&Batch, Option<TransactionalId>),
        observer: &mut impl Observer,
    ) -> Result<(), ProduceError> {
        let (Some(stamp), Some(writes)) = (batch.stamp(), self.writes(client)) else {
            return Ok(());
        };
        let Some(id) = id.filter(|_| stamp.transactional) else {
            return Ok(());
        };
        let log = state.logs.get(partition.index());
        let leader = log.and_then(ReplicatedLog::leading);
        if leader.is_some_and(|leader| is_known(leader, &stamp)) {
            return Ok(());
        }
        let session = Session {
            producer: stamp.producer,
            epoch: stamp.epoch,
        };
        let participant = Participant::Partition(partition);
        // The answer to Produce knows no PRODUCER_FENCED (`AddPartitionsToTxnManager`): with an invalid epoch the
        // client may still abort.
        let refused = |error| {
            Err(match error {
                TransactionError::ProducerFenced => {
                    ProduceError::Batch(BatchError::InvalidProducerEpoch)
                }
                other => ProduceError::Transaction(other),
            })
        };
        let verifies =
            writes.version == TransactionVersion::Two || self.scenario.cluster.verification;
        if verifies && !remember(state, partition, &stamp) {
            return Err(ProduceError::Batch(BatchError::OutOfOrderSequence));
        }
        if writes.version == TransactionVersion::Two {
            if state.locked.contains(id) {
                return refused(TransactionError::ConcurrentTransactions);
            }
            return match self.add(state, id, session, &[participant], observer) {
                Ok(Answer::WhenLogged) => {
                    self.log(state, id, observer);
                    Ok(())
                }
                Ok(_) => Ok(()),
                Err(error) => refused(error),
            };
        }
        if !self.scenario.cluster.verification {
            return Ok(());
        }
        match state.coordinator.verify(id, session, participant) {
            Ok(()) => Ok(()),
            Err(error) => refused(error),
        }
    }

    fn append(
        &self,
        state: &mut State,
        partition: PartitionId,
        acks: Acks,
        batch: Batch,
        observer: &mut impl Observer,
    ) -> Result<Produced, ProduceError> {
        let refused = Err(ProduceError::NotLeaderOrFollower);
        let Some(config) = self.partition(partition) else {
            return refused;
        };
        let leader = self.leader_node(state, partition);
        let Some(log) = state.logs.get_mut(partition.index()) else {
            return refused;
        };
        let record = batch.records().first().copied().unwrap_or_default();
        let records = batch.records().len() as u32;
        let stamp = batch.stamp();
        let again = log.leading().is_some_and(|leader| contains(leader, record));
        let produced = log.produce(&config.options, acks, batch)?;
        if produced.duplicate {
            let there = log
                .leading()
                .and_then(|leader| record_at(leader, produced.first));
            observer.event(Event::Kafka(KafkaEvent::Deduplicated {
                partition,
                leader,
                record,
                offset: produced.first,
                mistaken: there != Some(record),
            }));
        } else {
            observer.event(Event::Kafka(KafkaEvent::Appended {
                partition,
                leader,
                record,
                records,
                offset: produced.first,
                again,
            }));
            observer.fired(self.entry_timer(partition, produced.first));
            if config.retention.is_some() {
                // It has a time from now on.
                observer.woken(self.environment());
            }
            if let Some(stamp) = stamp {
                state
                    .verifications
                    .retain(|it| (it.partition, it.producer) != (partition, stamp.producer));
                observer.fired(self.producer_timer(partition, stamp.producer));
            }
        }
        Ok(produced)
    }

    /// Answers what has been replicated in a partition, and what never will be.
    pub(super) fn settle(
        &self,
        state: &mut State,
        partition: PartitionId,
        observer: &mut impl Observer,
    ) {
        self.wake_readers(observer);
        let Some(config) = self.partition(partition) else {
            return;
        };
        let mut at = 0;
        while let Some(awaiting) = state.awaiting.get(at) {
            if awaiting.partition != partition {
                at += 1;
                continue;
            }
            let acks = match awaiting.whose {
                Whose::Client { client, .. } => self
                    .writes(ClientId(client))
                    .map_or(Acks::All, |it| it.options.acks),
                Whose::Marker(_) => Acks::All,
            };
            let Some(log) = state.logs.get(partition.index()) else {
                return;
            };
            let result = match log.acknowledged(&config.options, acks, &awaiting.produced) {
                Ok(false) => {
                    at += 1;
                    continue;
                }
                Ok(true) => Ok(()),
                Err(error) => Err(error),
            };
            let awaiting = state.awaiting.remove(at);
            match awaiting.whose {
                Whose::Marker(id) => {
                    if result.is_ok() {
                        let participant = Participant::Partition(partition);
                        state.coordinator.marked(id, participant);
                    }
                    observer.woken(self.actor_of(self.transactions()));
                }
                Whose::Client {
                    client,
                    connection,
                    number,
                } => {
                    let broker = self.broker_of_epoch(state, partition, &awaiting.produced);
                    let first = self.record_in(state, partition, awaiting.produced.first);
                    let produced = &awaiting.produced;
                    let reply = Reply::Produced {
                        partition,
                        number,
                        record: first.unwrap_or_default(),
                        records: produced.end.0.saturating_sub(produced.first.0),
                        result,
                    };
                    // A leader that has been replaced, or has died, can tell nobody.
                    if let Some(broker) = broker {
                        let client = ClientId(client);
                        self.answer(state, client, (broker, connection), reply, observer);
                    }
                }
            }
        }
    }

    /// The broker that took a write, if it still leads.
    pub(super) fn broker_of_epoch(
        &self,
        state: &State,
        partition: PartitionId,
        produced: &Produced,
    ) -> Option<u16> {
        let log = state.logs.get(partition.index())?;
        match log.leader_epoch() == produced.epoch {
            true => self.leader_of(state, partition),
            false => None,
        }
    }

    fn record_in(&self, state: &State, partition: PartitionId, offset: Offset) -> Option<RecordId> {
        record_at(state.logs.get(partition.index())?.leading()?, offset)
    }

    /// The broker that leads a partition.
    pub(super) fn leader_of(&self, state: &State, partition: PartitionId) -> Option<u16> {
        let leader = state.logs.get(partition.index())?.leader()?;
        self.broker_at(partition, leader)
    }

    pub(super) fn broker_at(&self, partition: PartitionId, replica: ReplicaId) -> Option<u16> {
        let brokers = &self.partition(partition)?.brokers;
        brokers.get(usize::from(replica.0)).copied()
    }

    pub(super) fn replica_node(&self, partition: PartitionId, replica: ReplicaId) -> NodeId {
        let first = self.partition(partition).map_or(0, |it| it.node.0);
        NodeId(first + replica.0)
    }

    /// The node of whoever leads; of the first replica if nobody does.
    pub(super) fn leader_node(&self, state: &State, partition: PartitionId) -> NodeId {
        let log = state.logs.get(partition.index());
        let leader = log.and_then(ReplicatedLog::leader).unwrap_or_default();
        self.replica_node(partition, leader)
    }

    pub(super) fn is_up(state: &State, broker: u16) -> bool {
        state.brokers.get(usize::from(broker)) == Some(&Standing::Running)
    }

    /// Whether a follower would learn something by a fetch.
    pub(super) fn may_fetch(
        &self,
        state: &State,
        partition: PartitionId,
        follower: ReplicaId,
    ) -> bool {
        let (Some(log), Some(broker)) = (
            state.logs.get(partition.index()),
            self.broker_at(partition, follower),
        ) else {
            return false;
        };
        let leads = self.leader_of(state, partition);
        if !Self::is_up(state, broker) || !leads.is_some_and(|it| Self::is_up(state, it)) {
            return false;
        }
        log.would_learn(follower)
    }

    pub(super) fn fetch(
        &self,
        state: &mut State,
        partition: PartitionId,
        follower: ReplicaId,
        observer: &mut impl Observer,
    ) -> bool {
        if !self.may_fetch(state, partition, follower) {
            return false;
        }
        let Some(log) = state.logs.get_mut(partition.index()) else {
            return false;
        };
        let was_in_sync = log.in_sync().any(|it| it == follower);
        let Some(fetched) = log.fetch(follower, usize::MAX) else {
            return false;
        };
        let joined = !was_in_sync && log.in_sync().any(|it| it == follower);
        let node = self.replica_node(partition, follower);
        match fetched {
            Fetched::Copied(entries) => {
                observer.event(Event::Kafka(KafkaEvent::Replicated {
                    partition,
                    follower: node,
                    entries: entries as u32,
                    joined,
                }));
            }
            Fetched::Truncated(offset) => {
                observer.event(Event::Kafka(KafkaEvent::Truncated {
                    partition,
                    replica: node,
                    offset,
                }));
            }
        }
        self.settle(state, partition, observer);
        true
    }

    pub(super) fn fall_behind(
        &self,
        state: &mut State,
        partition: PartitionId,
        follower: ReplicaId,
        observer: &mut impl Observer,
    ) -> bool {
        let Some(log) = state.logs.get_mut(partition.index()) else {
            return false;
        };
        if !log.fall_behind(follower) {
            return false;
        }
        let in_sync = log.in_sync().count() as u32;
        observer.event(Event::Kafka(KafkaEvent::FellBehind {
            partition,
            replica: self.replica_node(partition, follower),
            in_sync,
        }));
        self.settle(state, partition, observer);
        true
    }

    pub(super) fn elect(
        &self,
        state: &mut State,
        partition: PartitionId,
        candidate: ReplicaId,
        observer: &mut impl Observer,
    ) -> bool {
        let (Some(config), Some(log)) = (
            self.partition(partition),
            state.logs.get_mut(partition.index()),
        ) else {
            return false;
        };
        if log.leader().is_some() {
            return false;
        }
        let Ok(clean) = log.elect(&config.options, candidate) else {
            return false;
        };
        // What a leader remembers besides its log goes with it.
        state.verifications.retain(|it| it.partition != partition);
        observer.event(Event::Kafka(KafkaEvent::Elected {
            partition,
            replica: self.replica_node(partition, candidate),
            clean,
        }));
        self.wake_all(observer);
        self.settle(state, partition, observer);
        true
    }

    /// `WriteTxnMarkers`: the coordinator has a partition, or the offsets of a group, end a transaction.
    pub(super) fn write_marker(
        &self,
        state: &mut State,
        id: TransactionalId,
        participant: Participant,
        observer: &mut impl Observer,
    ) -> bool {
        if !self.may_mark(state, id, participant) {
            return false;
        }
        let Some(marker) = state.coordinator.marker(id) else {
            return false;
        };
        let partition = match participant {
            Participant::Partition(partition) => partition,
            Participant::Offsets(group) => {
                if let Some(own) = state.groups.get_mut(usize::from(group.0)) {
                    own.group.end_transaction(marker.producer, marker.outcome);
                }
                state.coordinator.marked(id, participant);
                observer.event(Event::Kafka(KafkaEvent::OffsetsDecided {
                    group: group.0,
                    outcome: marker.outcome,
                }));
                self.wake_readers(observer);
                return true;
            }
        };
        let leader = self.leader_node(state, partition);
        let (Some(config), Some(log)) = (
            self.partition(partition),
            state.logs.get_mut(partition.index()),
        ) else {
            return false;
        };
        match log.write_marker(&config.options, marker) {
            Ok(produced) => {
                observer.event(Event::Kafka(KafkaEvent::MarkerWritten {
                    partition,
                    leader,
                    offset: produced.first,
                    outcome: marker.outcome,
                    producer: marker.producer,
                }));
                observer.fired(self.entry_timer(partition, produced.first));
                observer.fired(self.producer_timer(partition, marker.producer));
                if config.retention.is_some() {
                    observer.woken(self.environment());
                }
                state.awaiting.push(Awaiting {
                    partition,
                    produced,
                    whose: Whose::Marker(id),
                });
                self.settle(state, partition, observer);
            }
            Err(ProduceError::Marker(_)) => {
                // A newer session has ended it there: nothing is left to do.
                state.coordinator.marked(id, participant);
                observer.event(Event::Kafka(KafkaEvent::MarkerRefused {
                    partition,
                    producer: marker.producer,
                }));
            }
            Err(_) => return false,
        }
        true
    }

    /// Whether a participant lacks its marker, and may get it now.
    pub(super) fn may_mark(
        &self,
        state: &State,
        id: TransactionalId,
        participant: Participant,
    ) -> bool {
        let Some(transaction) = state.coordinator.get(id) else {
            return false;
        };
        if !transaction.unmarked().contains(&participant) {
            return false;
        }
        let Participant::Partition(partition) = participant else {
            return true;
        };
        let under_way = state
            .awaiting
            .iter()
            .any(|it| it.partition == partition && it.whose == Whose::Marker(id));
        let (Some(config), Some(log)) =
            (self.partition(partition), state.logs.get(partition.index()))
        else {
            return false;
        };
        let up = self.leader_of(state, partition);
        !under_way
            && up.is_some_and(|broker| Self::is_up(state, broker))
            && log.in_sync().count() >= usize::from(config.options.min_in_sync)
    }

    /// `producer.id.expiration.ms` has passed.
    pub(super) fn forget(
        &self,
        state: &mut State,
        partition: PartitionId,
        producer: ProducerId,
        observer: &mut impl Observer,
    ) -> bool {
        let log = state.logs.get_mut(partition.index());
        let forgotten = log.is_some_and(|log| log.expire_producer(producer));
        if forgotten {
            observer.event(Event::Kafka(KafkaEvent::ProducerForgotten {
                partition,
                producer,
            }));
        }
        forgotten
    }

    /// The end of the first entry of a log, if it may be deleted.
    pub(super) fn deletable(&self, state: &State, partition: PartitionId) -> Option<Offset> {
        self.partition(partition)?.retention?;
        let leader = state.logs.get(partition.index())?.leading()?;
        let first = leader.entries().first()?;
        // What is undecided stays.
        (first.end() <= leader.last_stable_offset()).then(|| first.end())
    }

    /// `retention.ms` has passed for the first entry of a log.
    pub(super) fn delete(
        &self,
        state: &mut State,
        partition: PartitionId,
        observer: &mut impl Observer,
    ) -> bool {
        let Some(start) = self.deletable(state, partition) else {
            return false;
        };
        let (Some(log), Some(deleted)) = (
            state.logs.get_mut(partition.index()),
            state.deleted.get_mut(partition.index()),
        ) else {
            return false;
        };
        if let Some(leader) = log.leading() {
            leader.read(
                IsolationLevel::ReadCommitted,
                Offset(0),
                |offset, record| {
                    if offset < start {
                        deleted.add(record.index());
                    }
                },
            );
        }
        if !log.retain_from(start) {
            return false;
        }
        observer.event(Event::Kafka(KafkaEvent::Deleted { partition, start }));
        true
    }

    /// Whoever reads may have something to do now.
    pub(super) fn wake_readers(&self, observer: &mut impl Observer) {
        for client in self.client_ids() {
            if self.reads(client).is_some() {
                observer.woken(self.app(client));
                observer.woken(self.background(client));
            }
        }
        for broker in 0..self.destinations() {
            observer.woken(self.actor_of(broker));
        }
    }
}

/// Whether the leader knows without asking: the transaction is open here, or the epoch is old.
fn is_known(leader: &Replica, stamp: &Stamp) -> bool {
    let states = leader.producers();
    let same_epoch = states.epoch(stamp.producer) == Some(stamp.epoch);
    same_epoch && states.transaction(stamp.producer).is_some()
        || states.check(stamp) == Err(BatchError::InvalidProducerEpoch)
}

/// Notes the lowest sequence of a transaction that is being verified; whether this batch has it. One that
/// overtook an earlier batch, which is refused for the moment, is not let in (Kafka's
/// `VerificationStateEntry`).
fn remember(state: &mut State, partition: PartitionId, stamp: &Stamp) -> bool {
    let mut known = state.verifications.iter_mut();
    let known = known.find(|it| (it.partition, it.producer) == (partition, stamp.producer));
    match known {
        Some(known) if known.epoch == stamp.epoch => {
            known.lowest = known.lowest.min(stamp.first);
            stamp.first == known.lowest
        }
        Some(known) => {
            if known.epoch < stamp.epoch {
                (known.epoch, known.lowest) = (stamp.epoch, stamp.first);
            }
            true
        }
        None => {
            state.verifications.push(Verification {
                partition,
                producer: stamp.producer,
                epoch: stamp.epoch,
                lowest: stamp.first,
            });
            true
        }
    }
}

/// Whether a record stands in a log.
pub(super) fn contains(replica: &Replica, record: RecordId) -> bool {
    replica.entries().iter().any(|placed| match &placed.entry {
        Entry::Data(batch) => batch.records().contains(&record),
        Entry::Control(_) => false,
    })
}

/// The record at an offset.
pub(super) fn record_at(replica: &Replica, offset: Offset) -> Option<RecordId> {
    let at = replica
        .entries()
        .partition_point(|placed| placed.end() <= offset);
    let placed = replica.entries().get(at)?;
    match &placed.entry {
        Entry::Data(batch) => {
            let place = offset.0.checked_sub(placed.offset.0)?;
            batch.records().get(place as usize).copied()
        }
        Entry::Control(_) => None,
    }
}
