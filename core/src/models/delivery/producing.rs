//! Applications that write: what they hand to their producer, what it sends, and what they are told.

use super::message::Request;
use super::state::{ClientState, Fate, Flight, State, Trouble};
use super::{ClientId, Delivery, Writes};
use crate::event::{Event, KafkaEvent};
use crate::id::{PartitionId, RecordId};
use crate::kafka::error::ProduceError;
use crate::kafka::log::Outcome;
use crate::kafka::producer::{BatchNumber, Fate as BatchFate, Response};
use crate::kafka::replicated_log::Acks;
use crate::kafka::transaction_coordinator::TransactionVersion;
use crate::protocol::Observer;
use crate::scenario::delivery::OnError;
use crate::scene::kafka::ClientTransaction;
use crate::time::Micros;

impl Delivery {
    /// The record that an application would send next, and whether it has sent it before.
    pub(super) fn next_to_send(
        &self,
        own: &ClientState,
        writes: &Writes,
    ) -> Option<(RecordId, bool)> {
        if let Some(record) = own.again.first() {
            return Some((*record, true));
        }
        let record = writes.records.start.checked_add(own.next)?;
        (record < writes.records.end).then_some((RecordId(record), false))
    }

    /// Whether an application may hand something to its producer.
    pub(super) fn may_send(&self, state: &State, client: ClientId) -> bool {
        let (Some(writes), Some(own)) = (
            self.writes(client),
            state.clients.get(usize::from(client.0)),
        ) else {
            return false;
        };
        if !own.is_running() || self.next_to_send(own, writes).is_none() {
            return false;
        }
        match own.transaction.phase {
            ClientTransaction::None | ClientTransaction::Ready => true,
            ClientTransaction::Open => !Self::is_full(own, writes),
            _ => false,
        }
    }

    /// Whether all records of the open transaction have been sent.
    fn is_full(own: &ClientState, writes: &Writes) -> bool {
        let sent = own.next.saturating_sub(own.transaction.begun_at);
        let all = writes.records.end.saturating_sub(writes.records.start);
        own.again.is_empty() && (sent >= writes.per_transaction || own.next >= all)
    }

    /// An application hands the next records to its producer: those of one batch.
    pub(super) fn send(
        &self,
        state: &mut State,
        client: ClientId,
        observer: &mut impl Observer,
    ) -> bool {
        if !self.may_send(state, client) {
            return false;
        }
        let (Some(writes), Some(own)) = (
            self.writes(client),
            state.clients.get_mut(usize::from(client.0)),
        ) else {
            return false;
        };
        let node = self.client_node(client);
        if own.transaction.phase == ClientTransaction::Ready {
            own.transaction.phase = ClientTransaction::Open;
            own.transaction.begun_at = own.next;
            observer.event(Event::Kafka(KafkaEvent::TransactionBegun {
                client: node,
                number: own.transaction.ended.saturating_add(1),
            }));
        }
        let mut batch: smallvec::SmallVec<[RecordId; 2]> = smallvec::SmallVec::new();
        let mut target = None;
        let mut trouble = false;
        while (batch.len() as u32) < writes.batch {
            if own.transaction.phase == ClientTransaction::Open && Self::is_full(own, writes) {
                break;
            }
            let Some((record, again)) = self.next_to_send(own, writes) else {
                break;
            };
            let Some(config) = self.record_of(record) else {
                break;
            };
            if target.is_some_and(|target| target != config.partition) {
                break;
            }
            let was_sent = again || own.transaction.repeated;
            if config.too_large && !was_sent && !batch.is_empty() {
                break;
            }
            target = Some(config.partition);
            if again {
                own.again.remove(0);
            } else {
                own.next = own.next.saturating_add(1);
            }
            if config.too_large && !was_sent {
                trouble = self.too_large(own, client, record, &mut state.fates, observer);
                break;
            }
            if let Some(fate) = state.fates.get_mut(record.index()) {
                *fate = Fate::Sent;
            }
            observer.event(Event::Kafka(KafkaEvent::Sent {
                client: node,
                record,
                partition: config.partition,
                again: was_sent,
            }));
            batch.push(record);
        }
        if let Some(partition) = target.filter(|_| !batch.is_empty()) {
            self.hand_over(state, client, partition, &batch, observer);
        }
        if trouble {
            self.must_abort(state, client, observer);
        }
        self.wake_client(client, observer);
        true
    }

    /// `send` fails at once. Returns whether the transaction can only be aborted.
    fn too_large(
        &self,
        own: &mut ClientState,
        client: ClientId,
        record: RecordId,
        fates: &mut [Fate],
        observer: &mut impl Observer,
    ) -> bool {
        let (Some(writes), Some(config)) = (self.writes(client), self.client(client)) else {
            return false;
        };
        let transactional = writes.options.transactional;
        let looks = writes.on_error != OnError::Ignore;
        let noticed = looks || transactional && !config.library.swallows_send_errors();
        observer.event(Event::Kafka(KafkaEvent::TooLarge {
            client: self.client_node(client),
            record,
            noticed,
        }));
        let fate = match (transactional, writes.on_error) {
            (true, _) if noticed => Fate::Unsent,
            (false, OnError::SendAgain) => {
                own.again.push(record);
                Fate::Unsent
            }
            (false, OnError::Report) => Fate::Failed,
            _ => Fate::Dropped,
        };
        if let Some(known) = fates.get_mut(record.index()) {
            *known = fate;
        }
        transactional && noticed
    }

    /// A batch is in the hands of the producer.
    pub(super) fn hand_over(
        &self,
        state: &mut State,
        client: ClientId,
        partition: PartitionId,
        records: &[RecordId],
        observer: &mut impl Observer,
    ) {
        let Some(at) = self.writes_at(client, partition) else {
            return;
        };
        let own = state.clients.get_mut(usize::from(client.0));
        let Some(producer) = own.and_then(|own| own.producers.get_mut(at)) else {
            return;
        };
        let number = producer.send(records);
        observer.fired(self.batch_timer(client, partition, number));
    }

    /// Whether a producer may send a batch to a partition now, and whether it has sent it before.
    pub(super) fn may_transmit(
        &self,
        state: &State,
        client: ClientId,
        partition: PartitionId,
    ) -> Option<bool> {
        let writes = self.writes(client)?;
        let own = state.clients.get(usize::from(client.0))?;
        let transaction = &own.transaction;
        if !own.is_running() || transaction.reinitializes {
            return None;
        }
        let may = match transaction.phase {
            ClientTransaction::None => true,
            ClientTransaction::Open | ClientTransaction::Committing => {
                writes.version == TransactionVersion::Two || transaction.added.contains(&partition)
            }
            _ => false,
        };
        if !may {
            return None;
        }
        let leader = self.leader_of(state, partition)?;
        // It learns of a new leader when what it has sent to the old one is refused or given up.
        let asks_another =
            |flight: &Flight| flight.partition == partition && flight.destination != leader;
        if own.flights.iter().any(asks_another) {
            return None;
        }
        let at = self.writes_at(client, partition)?;
        let producer = own.producers.get(at)?;
        producer.next_attempt(&writes.options).map(|it| it > 1)
    }

    /// A producer sends a batch.
    pub(super) fn transmit(
        &self,
        state: &mut State,
        client: ClientId,
        partition: PartitionId,
        observer: &mut impl Observer,
    ) -> bool {
        if self.may_transmit(state, client, partition).is_none() {
            return false;
        }
        let (Some(writes), Some(at), Some(leader)) = (
            self.writes(client),
            self.writes_at(client, partition),
            self.leader_of(state, partition),
        ) else {
            return false;
        };
        let Some(own) = state.clients.get_mut(usize::from(client.0)) else {
            return false;
        };
        let Some(producer) = own.producers.get_mut(at) else {
            return false;
        };
        let attempt = producer.next_attempt(&writes.options).unwrap_or(1);
        let Some(request) = producer.transmit(&writes.options) else {
            return false;
        };
        if writes.options.transactional {
            own.transaction.used = true;
        }
        let records = request.batch.records();
        let stamp = request.batch.stamp();
        observer.event(Event::Kafka(KafkaEvent::Transmitted {
            client: self.client_node(client),
            partition,
            record: records.first().copied().unwrap_or_default(),
            records: records.len() as u32,
            attempt,
            stamp: stamp.map(|it| (it.producer, it.epoch, it.first)),
        }));
        let told: smallvec::SmallVec<[RecordId; 2]> = records.into();
        let number = request.number;
        let produce = Request::Produce {
            partition,
            number,
            batch: request.batch,
            id: own.id,
        };
        self.ask(state, client, leader, produce, observer);
        if writes.options.acks == Acks::None {
            // Nothing is awaited.
            if let Some(own) = state.clients.get_mut(usize::from(client.0)) {
                own.flights
                    .retain(|it| (it.partition, it.number) != (partition, number));
            }
            self.told(state, client, &told, Fate::Acknowledged, observer);
        }
        observer.woken(self.background(client));
        observer.woken(self.app(client));
        true
    }

    /// A batch is answered.
    pub(super) fn produced(
        &self,
        state: &mut State,
        client: ClientId,
        partition: PartitionId,
        number: BatchNumber,
        result: Result<(), ProduceError>,
        observer: &mut impl Observer,
    ) {
        let response = match result {
            Ok(()) => Response::Success,
            Err(error) => Response::Refused(error),
        };
        if let Some(own) = state.clients.get_mut(usize::from(client.0)) {
            own.flights
                .retain(|it| (it.partition, it.number) != (partition, number));
        }
        let mends = self
            .client(client)
            .is_some_and(|it| it.library.reinitializes_mid_transaction());
        if mends && result == Err(OUT_OF_ORDER) {
            self.reinitialize(state, client, partition, number, observer);
            return;
        }
        self.respond(state, client, partition, number, response, observer);
    }

    /// An old client goes through `InitProducerId` in the middle of its transaction, and sends again.
    fn reinitialize(
        &self,
        state: &mut State,
        client: ClientId,
        partition: PartitionId,
        number: BatchNumber,
        observer: &mut impl Observer,
    ) {
        let (Some(writes), Some(at)) = (self.writes(client), self.writes_at(client, partition))
        else {
            return;
        };
        let Some(own) = state.clients.get_mut(usize::from(client.0)) else {
            return;
        };
        if let Some(producer) = own.producers.get_mut(at) {
            // The batch is kept, as after a response that has not come.
            producer.receive(&writes.options, number, Response::Missing);
        }
        own.transaction.reinitializes = true;
        self.wake_client(client, observer);
    }

    /// No response has come for a batch.
    pub(super) fn missing(
        &self,
        state: &mut State,
        client: ClientId,
        flight: Flight,
        observer: &mut impl Observer,
    ) {
        let Flight {
            partition, number, ..
        } = flight;
        self.respond(
            state,
            client,
            partition,
            number,
            Response::Missing,
            observer,
        );
    }

    fn respond(
        &self,
        state: &mut State,
        client: ClientId,
        partition: PartitionId,
        number: BatchNumber,
        response: Response,
        observer: &mut impl Observer,
    ) {
        let (Some(writes), Some(at)) = (self.writes(client), self.writes_at(client, partition))
        else {
            return;
        };
        let own = state.clients.get_mut(usize::from(client.0));
        let Some(producer) = own.and_then(|own| own.producers.get_mut(at)) else {
            return;
        };
        let records = producer.records(number);
        let Some(fate) = producer.receive(&writes.options, number, response) else {
            return;
        };
        self.decide(state, client, partition, &records, fate, response, observer);
    }

    /// `delivery.timeout.ms` has passed for a batch.
    pub(super) fn expire(
        &self,
        state: &mut State,
        client: ClientId,
        partition: PartitionId,
        number: BatchNumber,
        observer: &mut impl Observer,
    ) -> bool {
        let (Some(writes), Some(at)) = (self.writes(client), self.writes_at(client, partition))
        else {
            return false;
        };
        let Some(own) = state.clients.get_mut(usize::from(client.0)) else {
            return false;
        };
        if !own.is_running() {
            return false;
        }
        let Some(producer) = own.producers.get_mut(at) else {
            return false;
        };
        let records = producer.records(number);
        let Some(fate) = producer.expire(&writes.options, number) else {
            return false;
        };
        // Its request is still under way: only a response, or that none comes, ends that.
        self.decide(
            state,
            client,
            partition,
            &records,
            fate,
            Response::Missing,
            observer,
        );
        self.wake_client(client, observer);
        true
    }

    /// What becomes of a batch, and what the application does about it.
    #[expect(clippy::too_many_arguments, reason = "a batch, its fate and its cause")]
    fn decide(
        &self,
        state: &mut State,
        client: ClientId,
        partition: PartitionId,
        records: &[RecordId],
        fate: BatchFate,
        response: Response,
        observer: &mut impl Observer,
    ) {
        let node = self.client_node(client);
        let record = records.first().copied().unwrap_or_default();
        let error = match (fate, response) {
            (BatchFate::Failed(error), _) | (_, Response::Refused(error)) => Some(error),
            _ => None,
        };
        match fate {
            BatchFate::Acknowledged => {
                observer.event(Event::Kafka(KafkaEvent::Acknowledged {
                    client: node,
                    record,
                    records: records.len() as u32,
                }));
                self.told(state, client, records, Fate::Acknowledged, observer);
            }
            BatchFate::Again => {
                observer.event(Event::Kafka(KafkaEvent::WillRetry {
                    client: node,
                    record,
                    error,
                }));
            }
            BatchFate::Failed(_) | BatchFate::InDoubt => {
                observer.event(Event::Kafka(KafkaEvent::GivenUp {
                    client: node,
                    record,
                    records: records.len() as u32,
                    error,
                }));
                self.told(state, client, records, Fate::Failed, observer);
            }
        }
        let must = self
            .writes_at(client, partition)
            .and_then(|at| state.clients.get(usize::from(client.0))?.producers.get(at))
            .is_some_and(crate::kafka::producer::Producer::must_abort);
        if must {
            self.must_abort(state, client, observer);
        }
    }

    /// An application is told what became of records. In a transaction, only its end counts.
    fn told(
        &self,
        state: &mut State,
        client: ClientId,
        records: &[RecordId],
        fate: Fate,
        observer: &mut impl Observer,
    ) {
        let (Some(writes), Some(own)) = (
            self.writes(client),
            state.clients.get_mut(usize::from(client.0)),
        ) else {
            return;
        };
        if self.streams(client).is_some() {
            if fate == Fate::Failed && !writes.options.transactional {
                // Its thread dies, and another one begins where the last commit was.
                self.begin_anew(state, client, observer);
            }
            return;
        }
        if self.is_driven(client) && fate == Fate::Failed {
            own.trouble = Some(Trouble::Send);
        }
        if writes.options.transactional {
            return;
        }
        for record in records {
            let Some(known) = state.fates.get_mut(record.index()) else {
                continue;
            };
            *known = fate;
            if fate == Fate::Failed {
                match writes.on_error {
                    OnError::SendAgain => {
                        *known = Fate::Unsent;
                        own.again.push(*record);
                    }
                    OnError::Report => {}
                    OnError::Ignore => *known = Fate::Dropped,
                }
            }
        }
        observer.woken(self.app(client));
    }

    /// How an application would end its transaction now.
    pub(super) fn may_finish(&self, state: &State, client: ClientId) -> Option<Outcome> {
        let writes = self.writes(client)?;
        let own = state.clients.get(usize::from(client.0))?;
        if !own.is_running() {
            return None;
        }
        if let Some(outcome) = self.ends_by_itself(state, client) {
            return Some(outcome);
        }
        if self.is_driven(client) {
            return None;
        }
        match own.transaction.phase {
            // What is under way is awaited first.
            ClientTransaction::MustAbort if own.flights.is_empty() => Some(Outcome::Abort),
            ClientTransaction::Open if self.streams(client).is_none() => {
                let number = own.transaction.ended.saturating_add(1);
                let done = Self::is_full(own, writes) && !own.is_outstanding();
                done.then(|| match writes.aborts.contains(&number) {
                    true => Outcome::Abort,
                    false => Outcome::Commit,
                })
            }
            _ => None,
        }
    }

    /// An application commits or aborts.
    pub(super) fn finish(
        &self,
        state: &mut State,
        client: ClientId,
        observer: &mut impl Observer,
    ) -> bool {
        let Some(outcome) = self.may_finish(state, client) else {
            return self.begin_commit(state, client, observer);
        };
        if self.ends_by_itself(state, client).is_some() {
            self.transaction_ended(state, client, outcome, None, observer);
            self.wake_client(client, observer);
            return true;
        }
        let Some(own) = state.clients.get_mut(usize::from(client.0)) else {
            return false;
        };
        observer.event(Event::Kafka(KafkaEvent::Ending {
            client: self.client_node(client),
            outcome,
        }));
        match outcome {
            Outcome::Commit => own.transaction.phase = ClientTransaction::Committing,
            Outcome::Abort => self.abort_transaction(own),
        }
        self.wake_client(client, observer);
        true
    }

    /// What a transaction has not sent is dropped, and its end is asked for.
    pub(super) fn abort_transaction(&self, own: &mut ClientState) {
        own.transaction.phase = ClientTransaction::Aborting;
        let mut in_doubt = false;
        for producer in &mut own.producers {
            in_doubt |= producer.abort();
        }
        own.transaction.renew |= in_doubt;
    }

    /// How long an application waits before it sends.
    pub(super) fn send_interval(&self, state: &State, client: ClientId) -> Micros {
        let (Some(writes), Some(own)) = (
            self.writes(client),
            state.clients.get(usize::from(client.0)),
        ) else {
            return Micros::ZERO;
        };
        let next = self.next_to_send(own, writes);
        let wait = next.and_then(|(record, _)| self.record_of(record)?.wait);
        wait.unwrap_or(writes.interval).into()
    }
}

const OUT_OF_ORDER: ProduceError =
    ProduceError::Batch(crate::kafka::error::BatchError::OutOfOrderSequence);
