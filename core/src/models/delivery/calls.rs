//! What a client asks of the coordinators, one request at a time, and what it makes of the answers.
//!
//! Sources: the Java client's `TransactionManager` (one request in flight; retriable and fatal errors),
//! `ConsumerCoordinator` (`OffsetCommitResponseHandler`), Streams' `StreamsProducer` and `TaskManager`.

use smallvec::SmallVec;

use super::message::{Refusal, Reply, Request};
use super::state::{ClientState, Fate, State, Trouble};
use super::{ClientId, Delivery, Writes};
use crate::event::{Event, KafkaEvent};
use crate::id::{LinkId, PartitionId};
use crate::kafka::error::TransactionError;
use crate::kafka::group::{MemberId, Offsets};
use crate::kafka::log::Outcome;
use crate::kafka::transaction_coordinator::{Session, TransactionVersion, TransactionalId};
use crate::protocol::Observer;
use crate::scenario::delivery::{Api, SendOffsets};
use crate::scene::kafka::ClientTransaction;

impl Delivery {
    /// The request that a client needs next, and of whom.
    pub(super) fn next_call(&self, state: &State, client: ClientId) -> Option<(u16, Request)> {
        let own = state.clients.get(usize::from(client.0))?;
        if !own.is_running() || own.call.is_some() {
            return None;
        }
        if let Some(request) = self.next_of_producer(own, client) {
            return Some((self.transactions(), request));
        }
        let (offsets, _) = own.reading.commit.as_ref()?;
        let request = Request::OffsetCommit {
            group: self.reads(client)?.group,
            from: own.reading.generation.map(|it| (MemberId(client.0), it)),
            offsets: offsets.clone(),
        };
        Some((self.group_coordinator(), request))
    }

    fn next_of_producer(&self, own: &ClientState, client: ClientId) -> Option<Request> {
        let writes = self.writes(client)?;
        let transaction = &own.transaction;
        if transaction.reinitializes {
            return Some(Request::InitProducerId {
                id: own.id,
                expected: None,
            });
        }
        if transaction.phase == ClientTransaction::Initializing {
            return Some(Request::InitProducerId {
                id: own.id,
                expected: own.session.filter(|_| transaction.renew),
            });
        }
        let (id, session) = (own.id?, own.session?);
        let adds = matches!(
            transaction.phase,
            ClientTransaction::Open | ClientTransaction::Committing
        ) && writes.version == TransactionVersion::One;
        let partitions = if adds {
            missing(own, writes)
        } else {
            SmallVec::new()
        };
        if !partitions.is_empty() {
            return Some(Request::AddPartitionsToTxn {
                id,
                session,
                partitions,
            });
        }
        match transaction.phase {
            ClientTransaction::Committing if !own.is_outstanding() => {
                if let Some(request) = self.next_of_streams(own, client, (id, session)) {
                    return Some(request);
                }
                transaction.used.then_some(Request::EndTxn {
                    id,
                    session,
                    outcome: Outcome::Commit,
                })
            }
            ClientTransaction::Aborting if own.flights.is_empty() && transaction.used => {
                Some(Request::EndTxn {
                    id,
                    session,
                    outcome: Outcome::Abort,
                })
            }
            _ => None,
        }
    }

    /// Offsets that Streams has to send with its transaction.
    fn next_of_streams(
        &self,
        own: &ClientState,
        client: ClientId,
        (id, session): (TransactionalId, Session),
    ) -> Option<Request> {
        let streams = self.streams(client)?;
        let group = self.reads(client)?.group;
        let writes = self.writes(client)?;
        let offsets = self.to_commit(own);
        if own.transaction.offsets_sent || offsets.is_empty() {
            return None;
        }
        if writes.version == TransactionVersion::One && !own.transaction.offsets_added {
            return Some(Request::AddOffsetsToTxn { id, session, group });
        }
        let generation = own.reading.generation;
        let from = match streams.send_offsets {
            SendOffsets::GroupMetadata => generation.map(|it| (MemberId(client.0), it)),
            SendOffsets::GroupIdOnly => None,
        };
        Some(Request::TxnOffsetCommit {
            id,
            session,
            group,
            from,
            offsets,
        })
    }

    /// What Streams would commit now.
    pub(super) fn to_commit(&self, own: &ClientState) -> Offsets {
        let reading = &own.reading;
        let parts = reading.parts.iter().map(|part| {
            let offset = match reading.is_busy() {
                true => part.finished,
                false => part.position,
            };
            (part, offset)
        });
        parts
            .filter(|(part, offset)| Some(*offset) > part.committed)
            .map(|(part, offset)| (part.partition, offset))
            .collect()
    }

    /// A client makes the request that it needs next.
    pub(super) fn call(
        &self,
        state: &mut State,
        client: ClientId,
        observer: &mut impl Observer,
    ) -> bool {
        let Some((destination, request)) = self.next_call(state, client) else {
            return false;
        };
        let Some(own) = state.clients.get_mut(usize::from(client.0)) else {
            return false;
        };
        own.backing_off = false;
        match &request {
            Request::AddPartitionsToTxn { partitions, .. } => {
                own.transaction.asked.clone_from(partitions);
                own.transaction.used = true;
            }
            Request::AddOffsetsToTxn { .. } | Request::TxnOffsetCommit { .. } => {
                own.transaction.used = true;
            }
            _ => {}
        }
        observer.event(Event::Kafka(KafkaEvent::Asked {
            client: self.client_node(client),
            api: request.api(),
        }));
        self.ask(state, client, destination, request, observer);
        true
    }

    /// A client takes a response.
    pub(super) fn receive(
        &self,
        state: &mut State,
        link: LinkId,
        place: u16,
        observer: &mut impl Observer,
    ) -> bool {
        let (client, destination, _) = self.ends(link);
        let running = state
            .clients
            .get(usize::from(client.0))
            .is_some_and(ClientState::is_running);
        if !running {
            return false;
        }
        let Some((_, reply)) = self.take_reply(state, link, place, observer) else {
            return false;
        };
        observer.fired(self.response_timer(client, destination));
        match reply {
            Reply::Produced {
                partition,
                number,
                result,
                ..
            } => self.produced(state, client, partition, number, result, observer),
            Reply::Called { api, result } => {
                if let Some(own) = state.clients.get_mut(usize::from(client.0)) {
                    own.call = None;
                }
                self.called(state, client, api, result, observer);
            }
        }
        self.wake_client(client, observer);
        true
    }

    fn called(
        &self,
        state: &mut State,
        client: ClientId,
        api: Api,
        result: Result<Option<Session>, Refusal>,
        observer: &mut impl Observer,
    ) {
        let Some(own) = state.clients.get_mut(usize::from(client.0)) else {
            return;
        };
        let has_id = own.id.is_some();
        if result.is_ok() {
            observer.event(Event::Kafka(KafkaEvent::Granted {
                client: self.client_node(client),
                api,
            }));
        }
        match (api, result) {
            (Api::InitProducerId, Ok(Some(session))) => {
                self.identify(own, session);
                let transaction = &mut own.transaction;
                transaction.renew = false;
                if transaction.reinitializes {
                    transaction.reinitializes = false;
                    transaction.added.clear();
                    transaction.used = false;
                    observer.event(Event::Kafka(KafkaEvent::Reinitialized {
                        client: self.client_node(client),
                    }));
                } else {
                    transaction.phase = match has_id {
                        true => ClientTransaction::Ready,
                        false => ClientTransaction::None,
                    };
                }
                observer.event(Event::Kafka(KafkaEvent::Identified {
                    client: self.client_node(client),
                    producer: session.producer,
                    epoch: session.epoch,
                }));
            }
            (Api::AddPartitionsToTxn, Ok(_)) => {
                let asked = core::mem::take(&mut own.transaction.asked);
                own.transaction.added.extend(asked);
            }
            (Api::AddOffsetsToTxn, Ok(_)) => own.transaction.offsets_added = true,
            (Api::TxnOffsetCommit, Ok(_)) => own.transaction.offsets_sent = true,
            (Api::EndTxn, Ok(session)) => {
                let outcome = match own.transaction.phase {
                    ClientTransaction::Aborting => Outcome::Abort,
                    _ => Outcome::Commit,
                };
                self.transaction_ended(state, client, outcome, session, observer);
            }
            (Api::OffsetCommit, Ok(_)) => {
                if let Some((offsets, _)) = own.reading.commit.take() {
                    for (partition, offset) in offsets {
                        if let Some(part) = own.reading.part_mut(partition) {
                            part.committed = Some(offset);
                        }
                    }
                }
                own.reading.committing = false;
            }
            (_, Err(Refusal::Transaction(TransactionError::ConcurrentTransactions))) => {
                own.backing_off = true;
            }
            (_, Err(Refusal::Transaction(TransactionError::TransactionAbortable))) => {
                self.must_abort(state, client, observer);
            }
            (_, Err(Refusal::Transaction(error))) => {
                self.fence(state, client, (api, error), observer)
            }
            (Api::TxnOffsetCommit, Err(Refusal::Group(_))) => {
                own.reading.generation = None;
                self.must_abort(state, client, observer);
            }
            (_, Err(Refusal::Group(_))) => {
                // The partitions are somebody else's by now: it has to join again.
                own.reading.revoke();
                own.reading.committing = false;
                own.reading.generation = None;
            }
            (Api::Produce | Api::InitProducerId, Ok(_)) => {}
        }
    }

    /// A client goes on with this identity.
    fn identify(&self, own: &mut ClientState, session: Session) {
        own.session = Some(session);
        for producer in &mut own.producers {
            producer.init(session);
        }
    }

    /// A client is told that its transaction has ended.
    pub(super) fn transaction_ended(
        &self,
        state: &mut State,
        client: ClientId,
        outcome: Outcome,
        session: Option<Session>,
        observer: &mut impl Observer,
    ) {
        let (Some(writes), Some(own)) = (
            self.writes(client),
            state.clients.get_mut(usize::from(client.0)),
        ) else {
            return;
        };
        if let Some(session) = session
            && own.session != Some(session)
        {
            self.identify(own, session);
            own.transaction.renew = false;
        }
        let number = own.transaction.ended.saturating_add(1);
        observer.event(Event::Kafka(KafkaEvent::TransactionEnded {
            client: self.client_node(client),
            number,
            outcome,
        }));
        let begun_at = own.transaction.begun_at;
        let deliberate = writes.aborts.contains(&number) && self.streams(client).is_none();
        let repeats = outcome == Outcome::Abort && !deliberate;
        own.transaction = super::state::Transaction {
            phase: match own.transaction.renew {
                true => ClientTransaction::Initializing,
                false => ClientTransaction::Ready,
            },
            renew: own.transaction.renew,
            ended: match repeats {
                true => own.transaction.ended,
                false => number,
            },
            repeated: repeats,
            ..super::state::Transaction::default()
        };
        if self.streams(client).is_some() {
            self.streams_ended(state, client, outcome, observer);
            return;
        }
        let records = writes.records.clone();
        let until = begun_at.saturating_add(writes.per_transaction);
        if repeats {
            own.next = begun_at;
        } else if outcome == Outcome::Abort {
            // The application wanted it aborted: what had not been sent when it failed belonged to it, and is
            // given up with it.
            own.next = until.min(records.end - records.start);
            own.again.clear();
        }
        for at in begun_at..own.next.max(begun_at) {
            let record = (records.start + at) as usize;
            if let Some(fate) = state.fates.get_mut(record)
                && *fate != Fate::Dropped
            {
                *fate = match outcome {
                    Outcome::Commit => Fate::Acknowledged,
                    Outcome::Abort => Fate::Aborted,
                };
            }
        }
        if repeats {
            for at in begun_at..until.min(records.end - records.start) {
                let record = (records.start + at) as usize;
                if let Some(fate) = state.fates.get_mut(record) {
                    *fate = Fate::Unsent;
                }
            }
        }
    }

    /// Whether a commit or an abort is over without a request: nothing was written.
    pub(super) fn ends_by_itself(&self, state: &State, client: ClientId) -> Option<Outcome> {
        let own = state.clients.get(usize::from(client.0))?;
        if !own.is_running() || own.awaits() || own.transaction.used {
            return None;
        }
        match own.transaction.phase {
            ClientTransaction::Committing
                if !own.is_outstanding() && self.next_call(state, client).is_none() =>
            {
                Some(Outcome::Commit)
            }
            ClientTransaction::Aborting => Some(Outcome::Abort),
            _ => None,
        }
    }

    /// A transaction can only be aborted.
    pub(super) fn must_abort(
        &self,
        state: &mut State,
        client: ClientId,
        observer: &mut impl Observer,
    ) {
        let Some(own) = state.clients.get_mut(usize::from(client.0)) else {
            return;
        };
        if !matches!(
            own.transaction.phase,
            ClientTransaction::Open | ClientTransaction::Committing
        ) {
            return;
        }
        own.transaction.phase = ClientTransaction::MustAbort;
        observer.event(Event::Kafka(KafkaEvent::MustAbort {
            client: self.client_node(client),
            number: own.transaction.ended.saturating_add(1),
        }));
        self.wake_client(client, observer);
    }

    /// Another client has the transactional id. Streams gives up its tasks and begins anew; another
    /// application ends.
    fn fence(
        &self,
        state: &mut State,
        client: ClientId,
        (api, error): (Api, TransactionError),
        observer: &mut impl Observer,
    ) {
        let Some(own) = state.clients.get_mut(usize::from(client.0)) else {
            return;
        };
        observer.event(Event::Kafka(KafkaEvent::Fenced {
            client: self.client_node(client),
            api,
        }));
        if self.streams(client).is_some() {
            self.begin_anew(state, client, observer);
            return;
        }
        let ended = own.transaction.ended;
        own.forget_producer();
        own.trouble = Some(Trouble::Refused(error));
        own.transaction = super::state::Transaction {
            phase: ClientTransaction::Fenced,
            ended,
            ..super::state::Transaction::default()
        };
        let Some(writes) = self.writes(client) else {
            return;
        };
        for record in writes.records.clone() {
            if let Some(fate @ (Fate::Unsent | Fate::Sent)) = state.fates.get_mut(record as usize) {
                *fate = Fate::Failed;
            }
        }
    }

    /// No response has come in time, or the broker is gone.
    pub(super) fn time_out(
        &self,
        state: &mut State,
        client: ClientId,
        destination: u16,
        observer: &mut impl Observer,
    ) -> bool {
        if !self.may_time_out(state, client, destination) {
            return false;
        }
        let Some(own) = state.clients.get_mut(usize::from(client.0)) else {
            return false;
        };
        let call = own.call.filter(|it| it.destination == destination);
        let flights: SmallVec<[super::state::Flight; 2]> = own
            .flights
            .iter()
            .filter(|it| it.destination == destination)
            .copied()
            .collect();
        let api = call.map(|it| it.api);
        let api = api.or((!flights.is_empty()).then_some(Api::Produce));
        let silent = !own.closed.contains(usize::from(destination));
        observer.event(Event::Kafka(match api.filter(|_| silent) {
            Some(api) => KafkaEvent::RequestTimedOut {
                client: self.client_node(client),
                api,
            },
            None => KafkaEvent::Disconnected {
                client: self.client_node(client),
                from: self.host_node(destination),
                api,
            },
        }));
        if call.is_some() {
            // It asks again, but not at once.
            own.backing_off = true;
        }
        self.reconnect(state, client, destination, observer);
        for flight in flights {
            self.missing(state, client, flight, observer);
        }
        self.wake_client(client, observer);
        true
    }

    pub(super) fn may_time_out(&self, state: &State, client: ClientId, destination: u16) -> bool {
        let Some(own) = state.clients.get(usize::from(client.0)) else {
            return false;
        };
        own.is_running()
            && (own.awaits_of(destination)
                // A broken connection is noticed, also by who awaits nothing.
                || own.mute.contains(usize::from(destination))
                || own.closed.contains(usize::from(destination)))
    }

    pub(super) fn wake_client(&self, client: ClientId, observer: &mut impl Observer) {
        observer.woken(self.app(client));
        observer.woken(self.background(client));
        if let Some(driver) = self.client(client).and_then(|it| it.driver) {
            observer.woken(driver);
        }
        let workers = self.client(client).map_or(0, |it| it.workers);
        for worker in 1..workers {
            observer.woken(self.worker(client, worker));
        }
        observer.woken(self.actor_of(self.group_coordinator()));
    }
}

/// The partitions to which something is to be sent and that the coordinator does not know of.
fn missing(own: &ClientState, writes: &Writes) -> SmallVec<[PartitionId; 2]> {
    let targets = writes.partitions.iter().zip(&own.producers);
    let wanted = targets.filter(|(partition, producer)| {
        producer.outstanding().next().is_some() && !own.transaction.added.contains(partition)
    });
    wanted.map(|(partition, _)| *partition).collect()
}
