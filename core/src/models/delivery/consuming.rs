//! Applications that read: their group, what they poll, what they do with it, and when they commit.
//!
//! Sources: the Java client's `ConsumerCoordinator` (automatic commit inside `poll`, before joining again
//! and on close), `AbstractCoordinator` (`max.poll.interval.ms`); librdkafka's `INTRODUCTION.md` (offset
//! store, background commit), `rdkafka_cgrp.c`.

use smallvec::SmallVec;

use super::broker::contains;
use super::state::{Item, Part, Standing, State};
use super::timers::Of;
use super::{ClientId, Delivery};
use crate::event::{Event, KafkaEvent, Leaving};
use crate::id::{Offset, PartitionId, RecordId};
use crate::kafka::batch::{Entry, ProducerId};
use crate::kafka::consumer_options::AutoOffsetReset;
use crate::kafka::group::{MemberId, Offsets};
use crate::kafka::log::{IsolationLevel, Outcome};
use crate::kafka::replica::Replica;
use crate::kafka::replicated_log::ReplicatedLog;
use crate::protocol::Observer;
use crate::scenario::delivery::{CommitWhen, Effect, ProcessingGuarantee};
use crate::scene::kafka::ClientTransaction;
use crate::time::Micros;

impl Delivery {
    /// Whether a consumer's thread may go on from poll to poll: it works on nothing, and waits for no
    /// commit.
    fn polls(&self, state: &State, client: ClientId) -> bool {
        let Some(own) = state.clients.get(usize::from(client.0)) else {
            return false;
        };
        let waits = own.reading.commit.as_ref().is_some_and(|(_, waits)| *waits);
        let busy = match self.hands_over(client) {
            true => !own.reading.buffer.is_empty(),
            false => own.reading.is_busy(),
        };
        own.standing == Standing::Running
            && !own.reading.failed
            && !own.reading.committing
            && !busy
            && !waits
            && matches!(
                own.transaction.phase,
                ClientTransaction::None | ClientTransaction::Ready | ClientTransaction::Open
            )
    }

    /// Whether records are handed to other threads, so that the next poll does not wait for them.
    fn hands_over(&self, client: ClientId) -> bool {
        self.client(client).is_some_and(|it| it.workers > 1)
    }

    /// Whether a consumer has to join its group, or to join again, and may.
    pub(super) fn may_join(&self, state: &State, client: ClientId) -> bool {
        let (Some(reads), Some(own), Some(config)) = (
            self.reads(client),
            state.clients.get(usize::from(client.0)),
            self.client(client),
        ) else {
            return false;
        };
        let Some(group) = state.groups.get(usize::from(reads.group)) else {
            return false;
        };
        let member = MemberId(client.0);
        let needs = own.reading.generation.is_none()
            || !group.group.is_member(member)
            || group.group.must_rejoin(member);
        let waits_for_others = group.group.is_member(member) && !group.group.must_rejoin(member);
        let free = match config.library.joins_in_background() {
            true => own.is_running() && !own.reading.failed,
            // Streams commits before it gives its tasks up.
            false => self.polls(state, client) && !self.may_begin_commit(state, client),
        };
        needs && !waits_for_others && free
    }

    /// A consumer joins. Whoever commits automatically does so first.
    pub(super) fn join_group(
        &self,
        state: &mut State,
        client: ClientId,
        observer: &mut impl Observer,
    ) -> bool {
        if !self.may_join(state, client) {
            return false;
        }
        self.commit_at_once(state, client, observer);
        let keeps = self
            .client(client)
            .is_some_and(|it| it.library.keeps_stored_offsets());
        let Some(own) = state.clients.get_mut(usize::from(client.0)) else {
            return false;
        };
        if keeps {
            let stored = own.reading.parts.iter();
            let stored = stored.filter(|part| part.stored > part.committed);
            let stored = stored.filter_map(|part| Some((part.partition, part.stored?)));
            let stored: Offsets = stored.collect();
            for (partition, offset) in stored {
                own.reading.stale.retain(|(it, _)| *it != partition);
                own.reading.stale.push((partition, offset));
            }
        }
        own.reading.revoke();
        own.reading.generation = None;
        self.join(state, client, observer);
        true
    }

    /// The commit that a client makes in one step, when it joins again or closes.
    fn commit_at_once(&self, state: &mut State, client: ClientId, observer: &mut impl Observer) {
        let (Some(reads), Some(own)) =
            (self.reads(client), state.clients.get(usize::from(client.0)))
        else {
            return;
        };
        let Some(generation) = own.reading.generation else {
            return;
        };
        let commits = matches!(
            reads.commit,
            CommitWhen::Auto | CommitWhen::StoreAfterProcessing
        );
        let offsets = self.automatic(state, client);
        if commits && !offsets.is_empty() {
            let from = Some((MemberId(client.0), generation));
            let group = reads.group;
            let done = self.commit_offsets(state, client, group, from, &offsets, observer);
            if let Some(own) = state.clients.get_mut(usize::from(client.0))
                && done.is_ok()
            {
                for (partition, offset) in offsets {
                    if let Some(part) = own.reading.part_mut(partition) {
                        part.committed = Some(offset);
                    }
                }
            }
        }
    }

    /// What a client would commit by itself now.
    fn automatic(&self, state: &State, client: ClientId) -> Offsets {
        let (Some(reads), Some(own), Some(config)) = (
            self.reads(client),
            state.clients.get(usize::from(client.0)),
            self.client(client),
        ) else {
            return Offsets::new();
        };
        let stores = config.library.commits_in_background();
        let live = config
            .library
            .commits_live_position(reads.options.group_protocol);
        let busy = own.reading.is_busy();
        let parts = own.reading.parts.iter();
        let offsets = parts.filter_map(|part| {
            let offset = if stores {
                part.stored?
            } else if busy && !live && !self.hands_over(client) {
                // Inside a poll's records: those of earlier polls only.
                return None;
            } else {
                part.position
            };
            let newer = match stores {
                // It never goes back behind what it knows as committed.
                true => part.committed < Some(offset),
                false => Some(offset) != part.committed,
            };
            newer.then_some((part.partition, offset))
        });
        offsets.collect()
    }

    /// Whether a client would commit by itself, if it is time.
    pub(super) fn may_auto_commit(&self, state: &State, client: ClientId) -> bool {
        let (Some(reads), Some(own)) =
            (self.reads(client), state.clients.get(usize::from(client.0)))
        else {
            return false;
        };
        matches!(
            reads.commit,
            CommitWhen::Auto | CommitWhen::StoreAfterProcessing
        ) && own.is_running()
            && own.reading.commit.is_none()
            && own.call.is_none()
            && own.reading.generation.is_some()
            && !self.automatic(state, client).is_empty()
    }

    pub(super) fn auto_commit(
        &self,
        state: &mut State,
        client: ClientId,
        observer: &mut impl Observer,
    ) -> bool {
        if !self.may_auto_commit(state, client) {
            return false;
        }
        let offsets = self.automatic(state, client);
        if let Some(own) = state.clients.get_mut(usize::from(client.0)) {
            own.reading.commit = Some((offsets, false));
        }
        observer.event(Event::Kafka(KafkaEvent::AutoCommits {
            client: self.client_node(client),
        }));
        observer.fired(self.timer(client, Of::AutoCommit));
        self.wake_client(client, observer);
        true
    }

    /// Whether a consumer joins its group, and gets partitions, in the background, not inside `poll`.
    pub(super) fn joins_behind(&self, client: ClientId) -> bool {
        self.client(client)
            .is_some_and(|it| it.library.joins_in_background())
    }

    /// Whether the automatic commit happens in the background, not inside `poll`.
    pub(super) fn commits_behind(&self, client: ClientId) -> bool {
        let (Some(config), Some(reads)) = (self.client(client), self.reads(client)) else {
            return false;
        };
        config.library.commits_in_background()
            || config
                .library
                .commits_live_position(reads.options.group_protocol)
    }

    /// Whether a consumer can take over what its group has given to it.
    pub(super) fn may_assign(&self, state: &State, client: ClientId) -> bool {
        let (Some(reads), Some(own)) =
            (self.reads(client), state.clients.get(usize::from(client.0)))
        else {
            return false;
        };
        let Some(group) = state.groups.get(usize::from(reads.group)) else {
            return false;
        };
        let (group, member) = (&group.group, MemberId(client.0));
        own.is_running()
            && !own.reading.failed
            && own.reading.generation != Some(group.generation())
            && group.is_member(member)
            && !group.must_rejoin(member)
            && !group.is_rebalancing()
            && group.assignment(member).iter().all(|partition| {
                let leads = self.leader_of(state, *partition);
                let log = state.logs.get(partition.index());
                leads.is_some_and(|it| Self::is_up(state, it))
                    && log.is_some_and(ReplicatedLog::knows_its_end)
                    // A new owner waits for offsets that are pending (KIP-447).
                    && group.fetch(*partition, true).is_ok()
            })
    }

    /// A consumer takes over its partitions.
    pub(super) fn assign(
        &self,
        state: &mut State,
        client: ClientId,
        observer: &mut impl Observer,
    ) -> bool {
        if !self.may_assign(state, client) {
            return false;
        }
        let Some(reads) = self.reads(client) else {
            return false;
        };
        let Some(group) = state.groups.get(usize::from(reads.group)) else {
            return false;
        };
        let generation = group.group.generation();
        let assigned: SmallVec<[PartitionId; 2]> =
            group.group.assignment(MemberId(client.0)).into();
        let mut parts = SmallVec::new();
        let mut failed = false;
        for partition in assigned {
            let committed = group.group.committed(partition);
            let at = group_place(&self.groups, reads.group, partition);
            let stored = at.and_then(|at| group.stored.get(at).copied().flatten());
            let known = match reads.effect {
                Effect::WithOffset => stored,
                _ => committed,
            };
            let (position, reset) = self.begin_at(state, client, partition, known);
            let node = self.client_node(client);
            let Some(position) = position else {
                failed = true;
                observer.event(Event::Kafka(KafkaEvent::NoOffset {
                    client: node,
                    partition,
                }));
                continue;
            };
            observer.event(Event::Kafka(KafkaEvent::Assigned {
                client: node,
                partition,
                position,
                reset,
            }));
            let own = state.clients.get(usize::from(client.0));
            let stale = own.and_then(|own| {
                let mut stale = own.reading.stale.iter();
                stale.find(|(it, _)| *it == partition).map(|it| it.1)
            });
            parts.push(Part {
                partition,
                position,
                stored: stale,
                // The automatic commit overtakes the answer that says what is committed.
                committed: committed.filter(|_| stale.is_none()),
                finished: position,
            });
        }
        let Some(own) = state.clients.get_mut(usize::from(client.0)) else {
            return false;
        };
        own.reading
            .stale
            .retain(|(it, _)| !parts.iter().any(|part: &Part| part.partition == *it));
        own.reading.parts = parts;
        own.reading.generation = Some(generation);
        own.reading.failed = failed;
        observer.fired(self.timer(client, Of::AutoCommit));
        observer.fired(self.timer(client, Of::PollInterval));
        self.close_stores(state, client);
        self.wake_client(client, observer);
        true
    }

    /// Where a consumer begins that knows this offset.
    fn begin_at(
        &self,
        state: &State,
        client: ClientId,
        partition: PartitionId,
        known: Option<Offset>,
    ) -> (Option<Offset>, Option<AutoOffsetReset>) {
        let (Some(reads), Some(leader)) = (
            self.reads(client),
            state
                .logs
                .get(partition.index())
                .and_then(ReplicatedLog::leading),
        ) else {
            return (Some(Offset(0)), None);
        };
        if let Some(offset) = known
            && (leader.log_start()..=leader.end()).contains(&offset)
        {
            return (Some(offset), None);
        }
        let reset = reads.options.auto_offset_reset;
        let position = match reset {
            AutoOffsetReset::Latest => Some(leader.readable_end(self.isolation(client))),
            AutoOffsetReset::Earliest => Some(leader.log_start()),
            AutoOffsetReset::None => None,
        };
        (position, Some(reset))
    }

    /// Whether a poll would return, skip or reset something.
    pub(super) fn may_poll(&self, state: &State, client: ClientId) -> bool {
        let Some(own) = state.clients.get(usize::from(client.0)) else {
            return false;
        };
        if !self.polls(state, client)
            || own.reading.parts.is_empty()
            || self.may_join(state, client)
            || !self.stores_ready(state, client)
        {
            return false;
        }
        let isolation = self.isolation(client);
        own.reading.parts.iter().any(|part| {
            let leads = self.leader_of(state, part.partition);
            let log = state.logs.get(part.partition.index());
            leads.is_some_and(|it| Self::is_up(state, it))
                && log.and_then(ReplicatedLog::leading).is_some_and(|leader| {
                    leader.readable_end(isolation) > part.position
                        || part.position < leader.log_start()
                        || part.position > leader.end()
                })
        })
    }

    /// A consumer polls.
    pub(super) fn poll(
        &self,
        state: &mut State,
        client: ClientId,
        observer: &mut impl Observer,
    ) -> bool {
        if !self.may_poll(state, client) {
            return false;
        }
        let Some(reads) = self.reads(client) else {
            return false;
        };
        let isolation = self.isolation(client);
        let drops = self
            .client(client)
            .is_some_and(|it| it.library.drops_after_empty_abort());
        let node = self.client_node(client);
        let mut room = reads.options.max_poll_records as usize;
        let parts = state.clients.get(usize::from(client.0));
        let parts = parts.map(|own| own.reading.parts.clone());
        for part in parts.unwrap_or_default() {
            let leader = state
                .logs
                .get(part.partition.index())
                .and_then(ReplicatedLog::leading);
            let Some(leader) = leader else {
                continue;
            };
            if !(leader.log_start()..=leader.end()).contains(&part.position) {
                self.reset(state, client, part.partition, observer);
                continue;
            }
            let polled = read(leader, isolation, part.position, room, drops);
            room -= polled.items.len();
            if polled.skipped > 0 {
                observer.event(Event::Kafka(KafkaEvent::Skipped {
                    client: node,
                    partition: part.partition,
                    records: polled.skipped,
                }));
            }
            if polled.position == part.position {
                continue;
            }
            observer.event(Event::Kafka(KafkaEvent::Polled {
                client: node,
                partition: part.partition,
                records: polled.items.len() as u32,
                position: polled.position,
            }));
            let Some(own) = state.clients.get_mut(usize::from(client.0)) else {
                continue;
            };
            let items = polled.items.into_iter().map(|(offset, record)| Item {
                record,
                partition: part.partition,
                offset,
            });
            let before = own.reading.buffer.len();
            own.reading.buffer.extend(items);
            let nothing = own.reading.buffer.len() == before;
            let busy = own.reading.is_busy();
            if let Some(known) = own.reading.part_mut(part.partition) {
                known.position = polled.position;
                if nothing && !busy {
                    known.finished = polled.position;
                }
            }
        }
        if reads.commit == CommitWhen::BeforeProcessing
            && let Some(own) = state.clients.get_mut(usize::from(client.0))
        {
            let parts = own.reading.parts.iter();
            let offsets = parts.map(|part| (part.partition, part.position)).collect();
            own.reading.commit = Some((offsets, true));
        }
        observer.fired(self.timer(client, Of::PollInterval));
        self.wake_client(client, observer);
        true
    }

    /// A position is not in the log: the policy decides where to go on.
    fn reset(
        &self,
        state: &mut State,
        client: ClientId,
        partition: PartitionId,
        observer: &mut impl Observer,
    ) {
        let (position, reset) = self.begin_at(state, client, partition, None);
        let node = self.client_node(client);
        let Some(own) = state.clients.get_mut(usize::from(client.0)) else {
            return;
        };
        match position {
            Some(position) => {
                if let Some(part) = own.reading.part_mut(partition) {
                    part.position = position;
                    part.finished = position;
                }
                observer.event(Event::Kafka(KafkaEvent::Assigned {
                    client: node,
                    partition,
                    position,
                    reset,
                }));
            }
            None => {
                own.reading.failed = true;
                observer.event(Event::Kafka(KafkaEvent::NoOffset {
                    client: node,
                    partition,
                }));
            }
        }
    }

    /// Whether a worker may begin with the next record.
    pub(super) fn may_take(&self, state: &State, client: ClientId, worker: u16) -> bool {
        let Some(own) = state.clients.get(usize::from(client.0)) else {
            return false;
        };
        let waits = own.reading.commit.as_ref().is_some_and(|(_, waits)| *waits);
        let ready = match self.streams(client) {
            Some(_) => {
                !own.reading.committing
                    && matches!(
                        own.transaction.phase,
                        ClientTransaction::None
                            | ClientTransaction::Ready
                            | ClientTransaction::Open
                    )
            }
            None => true,
        };
        own.is_running()
            && ready
            && !waits
            && !own.reading.buffer.is_empty()
            && own.reading.working.get(usize::from(worker)) == Some(&None)
    }

    pub(super) fn take(
        &self,
        state: &mut State,
        client: ClientId,
        worker: u16,
        observer: &mut impl Observer,
    ) -> bool {
        if !self.may_take(state, client, worker) {
            return false;
        }
        let stores = self.client(client).is_some_and(|it| {
            it.library.commits_in_background()
                && self
                    .reads(client)
                    .is_some_and(|it| it.options.auto_offset_store)
        });
        let Some(own) = state.clients.get_mut(usize::from(client.0)) else {
            return false;
        };
        let item = own.reading.buffer.remove(0);
        if stores && let Some(part) = own.reading.part_mut(item.partition) {
            part.stored = Some(Offset(item.offset.0.saturating_add(1)));
        }
        if let Some(slot) = own.reading.working.get_mut(usize::from(worker)) {
            *slot = Some(item);
        }
        observer.event(Event::Kafka(KafkaEvent::Begun {
            client: self.client_node(client),
            record: item.record,
        }));
        self.wake_client(client, observer);
        true
    }

    /// How long a worker takes for its record.
    pub(super) fn processing_time(&self, state: &State, client: ClientId, worker: u16) -> Micros {
        let own = state.clients.get(usize::from(client.0));
        let item = own.and_then(|own| own.reading.working.get(usize::from(worker)).copied()?);
        let of_record = item
            .and_then(|item| self.record_of(item.record))
            .and_then(|record| record.processing);
        let usual = self.reads(client).map_or(Micros::ZERO, |it| it.processing);
        of_record.map_or(usual, Micros::from)
    }

    /// A worker finishes its record.
    pub(super) fn process(
        &self,
        state: &mut State,
        client: ClientId,
        worker: u16,
        observer: &mut impl Observer,
    ) -> bool {
        let Some(own) = state.clients.get_mut(usize::from(client.0)) else {
            return false;
        };
        if !own.is_running() {
            return false;
        }
        let slot = own.reading.working.get_mut(usize::from(worker));
        let Some(item) = slot.and_then(Option::take) else {
            return false;
        };
        if self.streams(client).is_some() {
            self.process_streams(state, client, item, observer);
        } else {
            self.effect(state, client, item, observer);
        }
        let Some(own) = state.clients.get_mut(usize::from(client.0)) else {
            return false;
        };
        let next = Offset(item.offset.0.saturating_add(1));
        Self::note_done(own, item);
        self.commit_by_hand(state, client, item, next);
        self.wake_client(client, observer);
        true
    }

    /// The effect of a record happens.
    fn effect(
        &self,
        state: &mut State,
        client: ClientId,
        item: Item,
        observer: &mut impl Observer,
    ) {
        let Some(reads) = self.reads(client) else {
            return;
        };
        let Some(at) = group_place(&self.groups, reads.group, item.partition) else {
            return;
        };
        let Some(group) = state.groups.get_mut(usize::from(reads.group)) else {
            return;
        };
        let known = match reads.effect {
            Effect::Plain => false,
            Effect::Idempotent => group
                .known
                .get_mut(at)
                .is_some_and(|known| !known.insert(item.offset.index())),
            // The store refuses what it has an offset behind already.
            Effect::WithOffset => group.stored.get_mut(at).is_some_and(|stored| {
                let next = Offset(item.offset.0.saturating_add(1));
                let known = stored.is_some_and(|stored| stored >= next);
                *stored = Some(stored.map_or(next, |stored| stored.max(next)));
                known
            }),
        };
        if !known {
            group.effects.add(item.record.index());
        }
        observer.event(Event::Kafka(KafkaEvent::Processed {
            client: self.client_node(client),
            record: item.record,
            times: u32::from(group.effects.get(item.record.index())),
            known,
        }));
    }

    /// How far all records of a partition are done.
    fn note_done(own: &mut super::state::ClientState, item: Item) {
        own.reading.done.push(item);
        let pending = own
            .reading
            .buffer
            .iter()
            .chain(own.reading.working.iter().flatten())
            .filter(|other| other.partition == item.partition)
            .map(|other| other.offset)
            .min();
        let finished = own
            .reading
            .done
            .iter()
            .filter(|other| other.partition == item.partition)
            .map(|other| Offset(other.offset.0.saturating_add(1)))
            .filter(|offset| pending.is_none_or(|pending| *offset <= pending))
            .max();
        let Some(part) = own.reading.part_mut(item.partition) else {
            own.reading
                .done
                .retain(|other| other.partition != item.partition);
            return;
        };
        if let Some(finished) = finished {
            part.finished = part.finished.max(finished);
        }
        if pending.is_none() {
            part.finished = part.finished.max(part.position);
        }
        let finished = part.finished;
        own.reading
            .done
            .retain(|other| other.partition != item.partition || other.offset >= finished);
    }

    /// What an application commits by hand when a record is done.
    fn commit_by_hand(&self, state: &mut State, client: ClientId, item: Item, next: Offset) {
        let Some(reads) = self.reads(client) else {
            return;
        };
        let keeps = self
            .client(client)
            .is_some_and(|it| it.library.stores_after_revocation());
        let Some(own) = state.clients.get_mut(usize::from(client.0)) else {
            return;
        };
        match reads.commit {
            CommitWhen::AfterProcessing if !own.reading.is_busy() => {
                let parts = own.reading.parts.iter();
                let offsets: Offsets = parts
                    .filter(|part| Some(part.position) != part.committed)
                    .map(|part| (part.partition, part.position))
                    .collect();
                if !offsets.is_empty() {
                    own.reading.commit = Some((offsets, true));
                }
            }
            CommitWhen::HighestDone => {
                add_commit(&mut own.reading.commit, item.partition, next);
            }
            CommitWhen::ContiguousDone => {
                if let Some(part) = own.reading.part(item.partition).copied()
                    && Some(part.finished) > part.committed
                {
                    add_commit(&mut own.reading.commit, item.partition, part.finished);
                }
            }
            CommitWhen::StoreAfterProcessing => match own.reading.part_mut(item.partition) {
                Some(part) => part.stored = Some(next),
                None if keeps => {
                    own.reading.stale.retain(|(it, _)| *it != item.partition);
                    own.reading.stale.push((item.partition, next));
                }
                None => {}
            },
            _ => {}
        }
    }

    /// Whether a consumer works on something, so that the time since its last poll counts.
    pub(super) fn may_leave(&self, state: &State, client: ClientId) -> bool {
        let (Some(reads), Some(own)) =
            (self.reads(client), state.clients.get(usize::from(client.0)))
        else {
            return false;
        };
        let group = state.groups.get(usize::from(reads.group));
        own.is_running()
            && own.reading.working.iter().any(Option::is_some)
            && !self.hands_over(client)
            && reads.options.max_poll_interval.is_some()
            && group.is_some_and(|it| it.group.is_member(MemberId(client.0)))
    }

    pub(super) fn leave_late(
        &self,
        state: &mut State,
        client: ClientId,
        observer: &mut impl Observer,
    ) -> bool {
        if !self.may_leave(state, client) {
            return false;
        }
        self.leave(state, client, Leaving::PollTooLate, observer);
        true
    }

    /// A consumer closes: what it would commit by itself, and its leave.
    pub(super) fn close(&self, state: &mut State, client: ClientId, observer: &mut impl Observer) {
        if self.reads(client).is_none() {
            return;
        }
        self.commit_at_once(state, client, observer);
        self.leave(state, client, Leaving::Closed, observer);
    }

    /// Whether the stores of all partitions may be used.
    fn stores_ready(&self, state: &State, client: ClientId) -> bool {
        let (Some(streams), Some(own)) = (
            self.streams(client),
            state.clients.get(usize::from(client.0)),
        ) else {
            return true;
        };
        !streams.has_store
            || own.reading.parts.iter().all(|part| {
                let at = self.reads_at(client, part.partition);
                at.and_then(|at| own.stores.get(at))
                    .is_some_and(|store| store.ready)
            })
    }

    /// Whether an application reads committed records only, and commits offsets with its output.
    pub(super) fn is_exactly_once(&self, client: ClientId) -> bool {
        self.streams(client)
            .is_some_and(|it| it.guarantee == ProcessingGuarantee::ExactlyOnceV2)
    }
}

/// The place of a partition among those of a group.
pub(super) fn group_place(
    groups: &[super::GroupConfig],
    group: u16,
    partition: PartitionId,
) -> Option<usize> {
    let partitions = &groups.get(usize::from(group))?.partitions;
    partitions.iter().position(|it| *it == partition)
}

fn add_commit(commit: &mut Option<(Offsets, bool)>, partition: PartitionId, offset: Offset) {
    let (offsets, _) = commit.get_or_insert_with(|| (Offsets::new(), false));
    match offsets.iter_mut().find(|(it, _)| *it == partition) {
        Some((_, known)) => *known = (*known).max(offset),
        None => offsets.push((partition, offset)),
    }
}

/// What a poll gets from a partition.
struct Polled {
    items: SmallVec<[(Offset, RecordId); 4]>,
    position: Offset,
    skipped: u32,
}

fn read(
    leader: &Replica,
    isolation: IsolationLevel,
    from: Offset,
    room: usize,
    drops: bool,
) -> Polled {
    // An old client takes an abort marker without data for the beginning of aborted records.
    let dropped_from = match (drops, isolation) {
        (true, IsolationLevel::ReadCommitted) => empty_abort(leader, from),
        _ => None,
    };
    let mut polled = Polled {
        items: SmallVec::new(),
        position: from,
        skipped: 0,
    };
    let mut full = None;
    let end = leader.read(isolation, from, |offset, record| {
        if dropped_from.is_some_and(|marker| offset > marker) {
            polled.skipped += 1;
        } else if polled.items.len() < room {
            polled.items.push((offset, record));
        } else if full.is_none() {
            full = Some(offset);
        }
    });
    polled.position = full.unwrap_or(end);
    debug_assert!(
        polled.items.iter().all(|it| contains(leader, it.1)),
        "a reader sees what is in the log"
    );
    polled
}

/// Where an abort marker stands behind `from` that ends no data.
fn empty_abort(leader: &Replica, from: Offset) -> Option<Offset> {
    let mut open: SmallVec<[ProducerId; 4]> = SmallVec::new();
    for placed in leader.entries() {
        match &placed.entry {
            Entry::Data(batch) => open.extend(
                batch
                    .stamp()
                    .filter(|stamp| stamp.transactional)
                    .map(|stamp| stamp.producer),
            ),
            Entry::Control(marker) => {
                let had = open.contains(&marker.producer);
                open.retain(|other| *other != marker.producer);
                if !had && marker.outcome == Outcome::Abort && placed.offset >= from {
                    return Some(placed.offset);
                }
            }
        }
    }
    None
}
