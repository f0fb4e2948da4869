//! What the transaction coordinator and the group coordinator do.

use super::message::{Refusal, Reply, Request};
use super::state::{Standing, State, Unlogged};
use super::timers::Of;
use super::{ClientId, Delivery};
use crate::event::{Event, KafkaEvent, Leaving};
use crate::id::{Offset, PartitionId};
use crate::kafka::error::{GroupError, TransactionError};
use crate::kafka::group::{Generation, MemberId, Offsets};
use crate::kafka::transaction_coordinator::{Answer, InitProducerId, Session, TransactionalId};
use crate::kafka::transaction_state::{GroupId, Participant, TransactionState};
use crate::protocol::Observer;
use crate::scenario::delivery::Api;

impl Delivery {
    /// A coordinator takes a request that is no batch.
    pub(super) fn coordinate(
        &self,
        state: &mut State,
        client: ClientId,
        origin: (u16, u8),
        request: Request,
        observer: &mut impl Observer,
    ) {
        let (api, id) = (request.api(), request.transactional_id());
        let answer = match request {
            Request::Produce { .. } => return,
            Request::OffsetCommit {
                group,
                from,
                offsets,
            } => {
                let result = self.commit_offsets(state, client, group, from, &offsets, observer);
                let result = result.map(|()| None).map_err(Refusal::Group);
                let reply = Reply::Called { api, result };
                self.answer(state, client, origin, reply, observer);
                return;
            }
            Request::TxnOffsetCommit {
                id,
                session,
                group,
                from,
                offsets,
            } => {
                let result = self.commit_in_transaction(
                    state,
                    client,
                    (id, session),
                    group,
                    from,
                    &offsets,
                    observer,
                );
                let reply = Reply::Called {
                    api,
                    result: result.map(|()| None),
                };
                self.answer(state, client, origin, reply, observer);
                return;
            }
            Request::InitProducerId { id: None, .. } => {
                let producer = state.coordinator.new_producer();
                Ok(Answer::Now(Session {
                    producer,
                    epoch: crate::kafka::batch::ProducerEpoch::FIRST,
                }))
            }
            Request::InitProducerId {
                id: Some(id),
                expected,
            } => self.init(state, client, id, expected),
            Request::AddPartitionsToTxn {
                id,
                session,
                partitions,
            } => {
                let participants = partitions.into_iter().map(Participant::Partition);
                let participants: smallvec::SmallVec<[Participant; 2]> = participants.collect();
                self.add(state, id, session, &participants, observer)
            }
            Request::AddOffsetsToTxn { id, session, group } => {
                let participant = Participant::Offsets(GroupId(group));
                self.add(state, id, session, &[participant], observer)
            }
            Request::EndTxn {
                id,
                session,
                outcome,
            } => match state.locked.contains(id) {
                true => Err(TransactionError::ConcurrentTransactions),
                false => {
                    let version = self.writes(client).map(|it| it.version);
                    let version = version.unwrap_or_default();
                    state.coordinator.end(version, id, session, outcome)
                }
            },
        };
        let result = match (answer, id) {
            (Ok(Answer::Now(session)), _) => Ok(Some(session)),
            (Ok(answer), Some(id)) => {
                observer.event(Event::Kafka(KafkaEvent::Taken {
                    client: self.client_node(client),
                    api,
                }));
                observer.woken(self.actor_of(self.transactions()));
                state.unlogged.push(Unlogged {
                    id,
                    client: client.0,
                    connection: origin.1,
                    api,
                    fencing: answer == Answer::Fencing,
                });
                return;
            }
            (Ok(_), None) => Ok(None),
            (Err(error), _) => {
                observer.event(Event::Kafka(KafkaEvent::TransactionRefused {
                    client: self.client_node(client),
                    api,
                    error,
                }));
                Err(Refusal::Transaction(error))
            }
        };
        let reply = Reply::Called { api, result };
        self.answer(state, client, origin, reply, observer);
    }

    fn init(
        &self,
        state: &mut State,
        client: ClientId,
        id: TransactionalId,
        expected: Option<Session>,
    ) -> Result<Answer, TransactionError> {
        if state.locked.contains(id) {
            return Err(TransactionError::ConcurrentTransactions);
        }
        let timeout = self.writes(client).map(|it| it.transaction_timeout);
        let request = InitProducerId {
            timeout: timeout.unwrap_or_default(),
            two_phase_commit: false,
            expected,
        };
        state
            .coordinator
            .init_producer_id(&self.coordinator, id, &request)
    }

    /// A partition, or the offsets of a group, join a transaction.
    pub(super) fn add(
        &self,
        state: &mut State,
        id: TransactionalId,
        session: Session,
        participants: &[Participant],
        observer: &mut impl Observer,
    ) -> Result<Answer, TransactionError> {
        if state.locked.contains(id) {
            return Err(TransactionError::ConcurrentTransactions);
        }
        let known = state.coordinator.get(id);
        let begins = known.is_some_and(|it| it.state() != TransactionState::Ongoing);
        let answer = state.coordinator.add(id, session, participants)?;
        if state.clock_back && answer == Answer::WhenLogged {
            // The start time lies before the last update: the transition fails, and stays pending.
            state.clock_back = false;
            if self.scenario.cluster.coordinator_locks_on_clock_step {
                state.coordinator.failed(id);
                state.locked.insert(id);
                observer.event(Event::Kafka(KafkaEvent::ClockSteppedBack {
                    coordinator: self.coordinator_node(),
                    locks: true,
                }));
                return Err(TransactionError::ConcurrentTransactions);
            }
        }
        if begins && answer == Answer::WhenLogged {
            state.overdue.remove(id);
            observer.fired(self.transaction_timer(id));
        }
        Ok(answer)
    }

    /// The coordinator has logged the pending transition of a transactional id.
    pub(super) fn log(
        &self,
        state: &mut State,
        id: TransactionalId,
        observer: &mut impl Observer,
    ) -> bool {
        if state.locked.contains(id) {
            return false;
        }
        let Some(logged) = state.coordinator.logged(id) else {
            return false;
        };
        let epoch = state.coordinator.get(id).and_then(|it| it.epoch());
        observer.event(Event::Kafka(KafkaEvent::TransactionLogged {
            coordinator: self.coordinator_node(),
            transactional_id: id.0,
            state: logged.state,
            epoch: epoch.unwrap_or(logged.session.epoch),
        }));
        if logged.state != TransactionState::Ongoing {
            state.overdue.remove(id);
        }
        observer.woken(self.actor_of(self.transactions()));
        let mut at = 0;
        while let Some(unlogged) = state.unlogged.get(at).copied() {
            if unlogged.id != id {
                at += 1;
                continue;
            }
            state.unlogged.remove(at);
            let result = match unlogged.fencing {
                true => Err(Refusal::Transaction(
                    TransactionError::ConcurrentTransactions,
                )),
                false => Ok(Some(logged.session)),
            };
            let reply = Reply::Called {
                api: unlogged.api,
                result,
            };
            let origin = (self.transactions(), unlogged.connection);
            self.answer(state, ClientId(unlogged.client), origin, reply, observer);
        }
        true
    }

    /// Whether the coordinator may log a transition.
    pub(super) fn may_log(&self, state: &State, id: TransactionalId) -> bool {
        !state.locked.contains(id) && state.coordinator.get(id).is_some_and(|it| it.may_log())
    }

    /// Whether a transaction is open that would time out.
    pub(super) fn may_be_overdue(&self, state: &State, id: TransactionalId) -> bool {
        !state.overdue.contains(id)
            && !state.locked.contains(id)
            && state.coordinator.may_time_out(id)
    }

    /// `abortTimedOutTransactions`
    pub(super) fn scan(&self, state: &mut State, observer: &mut impl Observer) {
        let mut found = 0;
        for id in state.overdue.iter() {
            if state.coordinator.time_out(&self.coordinator, id) {
                found += 1;
                state.overdue.remove(id);
                observer.event(Event::Kafka(KafkaEvent::TransactionTimedOut {
                    coordinator: self.coordinator_node(),
                    transactional_id: id.0,
                }));
            }
        }
        observer.event(Event::Kafka(KafkaEvent::Scanned {
            coordinator: self.coordinator_node(),
            found,
        }));
        observer.woken(self.actor_of(self.transactions()));
    }

    pub(super) fn commit_offsets(
        &self,
        state: &mut State,
        client: ClientId,
        group: u16,
        from: Option<(MemberId, Generation)>,
        offsets: &[(PartitionId, Offset)],
        observer: &mut impl Observer,
    ) -> Result<(), GroupError> {
        let Some(own) = state.groups.get_mut(usize::from(group)) else {
            return Err(GroupError::UnknownMemberId);
        };
        let before: Offsets = offsets
            .iter()
            .filter_map(|(partition, _)| Some((*partition, own.group.committed(*partition)?)))
            .collect();
        let node = self.client_node(client);
        if let Err(error) = own.group.commit(from, offsets) {
            observer.event(Event::Kafka(KafkaEvent::CommitRefused {
                client: node,
                group,
                error,
            }));
            return Err(error);
        }
        for (partition, offset) in offsets {
            let older = before.iter().find(|(it, _)| it == partition);
            observer.event(Event::Kafka(KafkaEvent::OffsetCommitted {
                client: node,
                group,
                partition: *partition,
                offset: *offset,
                backwards: older.is_some_and(|(_, older)| older > offset),
                pending: false,
            }));
        }
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "a request, and who makes it")]
    fn commit_in_transaction(
        &self,
        state: &mut State,
        client: ClientId,
        (id, session): (TransactionalId, Session),
        group: u16,
        from: Option<(MemberId, Generation)>,
        offsets: &[(PartitionId, Offset)],
        observer: &mut impl Observer,
    ) -> Result<(), Refusal> {
        let node = self.client_node(client);
        let participant = Participant::Offsets(GroupId(group));
        // `__consumer_offsets` is a partition like others: its leader asks the coordinator too.
        let version = self.writes(client).map(|it| it.version);
        let checked = match version {
            Some(crate::kafka::transaction_coordinator::TransactionVersion::Two) => {
                let added = self.add(state, id, session, &[participant], observer);
                if added == Ok(Answer::WhenLogged) {
                    self.log(state, id, observer);
                }
                added.map(|_| ())
            }
            _ if self.scenario.cluster.verification => {
                state.coordinator.verify(id, session, participant)
            }
            _ => Ok(()),
        };
        if let Err(error) = checked {
            observer.event(Event::Kafka(KafkaEvent::TransactionRefused {
                client: node,
                api: Api::TxnOffsetCommit,
                error,
            }));
            return Err(Refusal::Transaction(error));
        }
        let Some(own) = state.groups.get_mut(usize::from(group)) else {
            return Err(Refusal::Group(GroupError::UnknownMemberId));
        };
        if let Err(error) = own
            .group
            .commit_in_transaction(session.producer, from, offsets)
        {
            observer.event(Event::Kafka(KafkaEvent::CommitRefused {
                client: node,
                group,
                error,
            }));
            return Err(Refusal::Group(error));
        }
        for (partition, offset) in offsets {
            observer.event(Event::Kafka(KafkaEvent::OffsetCommitted {
                client: node,
                group,
                partition: *partition,
                offset: *offset,
                backwards: false,
                pending: true,
            }));
        }
        Ok(())
    }

    /// Whether a member is missed: it is down or stands still, and the coordinator still counts on it.
    pub(super) fn may_evict(&self, state: &State, client: ClientId) -> bool {
        let Some(own) = state.clients.get(usize::from(client.0)) else {
            return false;
        };
        let Some(reads) = self.reads(client) else {
            return false;
        };
        let group = state.groups.get(usize::from(reads.group));
        matches!(
            own.standing,
            Standing::Down | Standing::Stopped | Standing::Paused
        ) && group.is_some_and(|it| it.group.is_member(MemberId(client.0)))
    }

    /// A member is no longer in its group.
    pub(super) fn leave(
        &self,
        state: &mut State,
        client: ClientId,
        reason: Leaving,
        observer: &mut impl Observer,
    ) {
        let Some(reads) = self.reads(client) else {
            return;
        };
        let number = reads.group;
        let Some(own) = state.groups.get_mut(usize::from(number)) else {
            return;
        };
        if !own.group.is_member(MemberId(client.0)) {
            return;
        }
        let before = own.group.generation();
        own.group.leave(MemberId(client.0), &reads.partitions);
        observer.event(Event::Kafka(KafkaEvent::Left {
            client: self.client_node(client),
            group: number,
            reason,
        }));
        let after = own.group.generation();
        if after != before {
            observer.event(Event::Kafka(KafkaEvent::Rebalanced {
                group: number,
                generation: after.0,
            }));
        }
        observer.fired(self.group_timer(number));
        self.wake_readers(observer);
    }

    /// A member joins its group, or joins again.
    pub(super) fn join(&self, state: &mut State, client: ClientId, observer: &mut impl Observer) {
        let Some(reads) = self.reads(client) else {
            return;
        };
        let Some(own) = state.groups.get_mut(usize::from(reads.group)) else {
            return;
        };
        let before = own.group.generation();
        own.group.join(MemberId(client.0), &reads.partitions);
        observer.event(Event::Kafka(KafkaEvent::Joined {
            client: self.client_node(client),
            group: reads.group,
        }));
        let after = own.group.generation();
        if after != before {
            observer.event(Event::Kafka(KafkaEvent::Rebalanced {
                group: reads.group,
                generation: after.0,
            }));
        }
        observer.fired(self.timer(client, Of::PollInterval));
        self.wake_readers(observer);
    }

    pub(super) fn expire_offsets(
        &self,
        state: &mut State,
        group: u16,
        observer: &mut impl Observer,
    ) -> bool {
        let own = state.groups.get_mut(usize::from(group));
        let expired = own.is_some_and(|own| own.group.expire_offsets());
        if expired {
            observer.event(Event::Kafka(KafkaEvent::OffsetsExpired { group }));
        }
        expired
    }
}
