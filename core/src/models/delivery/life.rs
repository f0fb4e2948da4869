//! What became of a record that somebody does not see, and what it waits for.

use alloc::vec::Vec;

use smallvec::SmallVec;

use super::Delivery;
use super::action::ClientId;
use super::consuming::group_place;
use super::message::Request;
use super::state::{Fate, Standing, State};
use crate::id::{Offset, PartitionId, RecordId};
use crate::kafka::batch::{Entry, ProducerId};
use crate::kafka::consumer_options::AutoOffsetReset;
use crate::kafka::group::{MemberId, Offsets};
use crate::kafka::log::{IsolationLevel, Outcome};
use crate::kafka::replica::{Placed, Replica};
use crate::kafka::replicated_log::ReplicatedLog;
use crate::kafka::transaction_state::TransactionState;
use crate::scenario::delivery::Effect;
use crate::scene::kafka::{Audience, ClientTransaction};
use crate::verdict::Hindrance;

/// What became of a record that somebody does not see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Life {
    /// It may still come.
    Waiting,
    /// It is there, and not visible for a transaction that nobody will end.
    Hidden,
    /// Whoever sent it was told that it was not written.
    Failed,
    /// Nothing will ever show it.
    Lost,
}

/// Where each record stands in each partition: in its leader's log, or, where nobody leads, in the log of any
/// replica that may.
pub(super) struct Presence {
    /// By partition and record.
    places: Vec<Vec<Option<Place>>>,
}

/// Where a record stands in a log.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// Its last copy.
    offset: Offset,
    /// How the transaction of its last copy has ended; commit outside of any; none while it is open.
    outcome: Option<Outcome>,
    /// Whether any copy is not aborted.
    remains: bool,
}

impl Presence {
    pub(super) fn new(delivery: &Delivery, state: &State) -> Self {
        let records = delivery.records.len();
        let of = |log: &ReplicatedLog| {
            let mut places = alloc::vec![None; records];
            match log.leading() {
                Some(leader) => locate(leader, &mut places),
                None => log
                    .in_sync()
                    .filter_map(|it| log.replica(it))
                    .for_each(|replica| locate(replica, &mut places)),
            }
            places
        };
        Self {
            places: state.logs.iter().map(of).collect(),
        }
    }

    fn of(&self, partition: PartitionId, record: RecordId) -> Option<Place> {
        *self.places.get(partition.index())?.get(record.index())?
    }

    /// Whether a record is there, not counting copies whose transaction was aborted.
    fn has(&self, partition: PartitionId, record: RecordId) -> bool {
        self.of(partition, record).is_some_and(|it| it.remains)
    }
}

/// How the transaction of each entry in a log has ended; commit for records outside of any, the marker's own for a
/// marker; none while it is open.
pub(super) fn outcomes(replica: &Replica) -> Vec<Option<Outcome>> {
    // From the end: so the end of a transaction is known before its records.
    let mut ended: SmallVec<[(ProducerId, Outcome); 4]> = SmallVec::new();
    let of = |placed: &Placed| match &placed.entry {
        Entry::Data(batch) => match batch.stamp().filter(|stamp| stamp.transactional) {
            None => Some(Outcome::Commit),
            Some(stamp) => ended
                .iter()
                .find(|(producer, _)| *producer == stamp.producer)
                .map(|(_, outcome)| *outcome),
        },
        Entry::Control(marker) => {
            ended.retain(|(producer, _)| *producer != marker.producer);
            ended.push((marker.producer, marker.outcome));
            Some(marker.outcome)
        }
    };
    let mut outcomes: Vec<Option<Outcome>> = replica.entries().iter().rev().map(of).collect();
    outcomes.reverse();
    outcomes
}

/// Finds the records in a log, the last entry first.
fn locate(replica: &Replica, places: &mut [Option<Place>]) {
    for (placed, outcome) in replica.entries().iter().zip(outcomes(replica)).rev() {
        let Entry::Data(batch) = &placed.entry else {
            continue;
        };
        let remains = outcome != Some(Outcome::Abort);
        for (at, record) in batch.records().iter().enumerate().rev() {
            let Some(place) = places.get_mut(record.index()) else {
                continue;
            };
            let offset = Offset(placed.offset.0.saturating_add(at as u32));
            match place {
                Some(known) => known.remains |= remains,
                None => {
                    *place = Some(Place {
                        offset,
                        outcome,
                        remains,
                    });
                }
            }
        }
    }
}

impl Delivery {
    /// What became of a record that somebody does not see.
    pub(super) fn life(
        &self,
        state: &State,
        presence: &Presence,
        audience: Audience,
        record: RecordId,
    ) -> Life {
        let Some(config) = self.record_of(record) else {
            return Life::Lost;
        };
        let mut topic = config.partition;
        let mut life = self.life_in_topic(state, presence, topic, record);
        let Some(target) = self.comes_to(audience, topic) else {
            return Life::Lost;
        };
        // On its way from application to application.
        while topic != target {
            let Some(next) = self.way(topic).nth(1) else {
                return Life::Lost;
            };
            life = match life {
                None => self.life_behind(state, presence, topic, next, record),
                earlier => earlier,
            };
            if life.is_some() {
                break;
            }
            topic = next;
        }
        if let Some(life) = life {
            return life;
        }
        match audience {
            Audience::Reader(isolation) => self.hidden(state, presence, target, isolation, record),
            Audience::Effects(group) => self.life_in_group(state, presence, group, target, record),
            Audience::Store(store) => {
                let app = self.app_of(store);
                let Some((app, group)) = app.and_then(|app| Some((app, self.reads(app)?.group)))
                else {
                    return Life::Lost;
                };
                match self.life_in_group(state, presence, group, target, record) {
                    Life::Lost if self.is_being_restored(state, app, target, record) => {
                        Life::Waiting
                    }
                    life => life,
                }
            }
        }
    }

    /// What became of a record that a producer sends to a topic; none if it is in the leader's log.
    fn life_in_topic(
        &self,
        state: &State,
        presence: &Presence,
        partition: PartitionId,
        record: RecordId,
    ) -> Option<Life> {
        let fate = state.fates.get(record.index()).copied();
        let fate = fate.unwrap_or(Fate::Unsent);
        if was_deleted(state, partition, record) {
            return None;
        }
        // If nobody leads, whoever may has it.
        if presence.has(partition, record) {
            return None;
        }
        if is_requested(state, partition, record) {
            return Some(Life::Waiting);
        }
        Some(match fate {
            Fate::Unsent | Fate::Sent => match self.sender_is_gone(state, record) {
                true => Life::Failed,
                false => Life::Waiting,
            },
            Fate::Failed => Life::Failed,
            Fate::Acknowledged | Fate::Dropped | Fate::Aborted => Life::Lost,
        })
    }

    /// Whether the application that sends a record is fenced for good.
    fn sender_is_gone(&self, state: &State, record: RecordId) -> bool {
        let sender = self.client_ids().find(|client| {
            let writes = self.writes(*client);
            writes.is_some_and(|it| it.records.contains(&record.0))
        });
        let own = sender.and_then(|client| state.clients.get(usize::from(client.0)));
        own.is_some_and(|own| own.transaction.phase == ClientTransaction::Fenced)
    }

    /// What became of the output for a record; none if it is in the leader's log of the topic behind.
    fn life_behind(
        &self,
        state: &State,
        presence: &Presence,
        topic: PartitionId,
        next: PartitionId,
        record: RecordId,
    ) -> Option<Life> {
        if presence.has(next, record) {
            return None;
        }
        let group = self.client_ids().find_map(|client| {
            self.streams(client)?;
            self.reads_at(client, topic)?;
            Some(self.reads(client)?.group)
        })?;
        match self.life_in_group(state, presence, group, topic, record) {
            // It is processed, and its output is with the producer.
            Life::Lost if self.is_in_producer(state, group, next) => Some(Life::Waiting),
            other => Some(other),
        }
    }

    /// Whether the change that a record has made is in the changelog, or on its way there, so that the next
    /// owner's store will have it.
    fn is_being_restored(
        &self,
        state: &State,
        app: ClientId,
        partition: PartitionId,
        record: RecordId,
    ) -> bool {
        let changelog = self.reads_at(app, partition).and_then(|at| {
            let route = self.streams(app)?.routes.get(at)?;
            route.changelog
        });
        let (Some(changelog), Some(group)) = (changelog, self.reads(app).map(|it| it.group)) else {
            return false;
        };
        let holds = |replica: &Replica, from: Offset| {
            let entries = replica.entries().iter().zip(outcomes(replica));
            let mut behind = entries.filter(|(placed, _)| placed.end() > from);
            behind.any(|(placed, outcome)| match &placed.entry {
                Entry::Data(batch) => batch.records().iter().any(|change| {
                    self.changed(*change).is_some_and(|(of, _)| of == record)
                        && outcome != Some(Outcome::Abort)
                }),
                Entry::Control(_) => false,
            })
        };
        let log = state.logs.get(changelog.index());
        let there = log.is_some_and(|log| match log.leading() {
            // What is readable and not in a store that is ready is missing there.
            Some(leader) => holds(leader, leader.last_stable_offset()),
            None => log
                .in_sync()
                .filter_map(|it| log.replica(it))
                .any(|replica| holds(replica, Offset(0))),
        });
        there || self.is_in_producer(state, group, changelog)
    }

    fn is_in_producer(&self, state: &State, group: u16, partition: PartitionId) -> bool {
        self.client_ids().any(|client| {
            let at = self.writes_at(client, partition);
            let own = state.clients.get(usize::from(client.0));
            self.reads(client).is_some_and(|it| it.group == group)
                && own
                    .zip(at)
                    .and_then(|(own, at)| own.producers.get(at))
                    .is_some_and(|it| it.outstanding().next().is_some())
        })
    }

    /// What became of a record in the log of a topic that a group reads, and that it has not processed.
    fn life_in_group(
        &self,
        state: &State,
        presence: &Presence,
        group: u16,
        partition: PartitionId,
        record: RecordId,
    ) -> Life {
        // Whoever has polled it finishes what it has begun, also if it was put out of its group since, or the record
        // was deleted from the log.
        if self.is_at_work(state, group, record) {
            return Life::Waiting;
        }
        if was_deleted(state, partition, record) {
            return Life::Lost;
        }
        let (Some(place), Some(own)) = (
            presence.of(partition, record),
            state.groups.get(usize::from(group)),
        ) else {
            return Life::Waiting;
        };
        let offset = place.offset;
        let isolation = self.group_isolation(group);
        if leading(state, partition).is_some_and(|it| offset >= it.readable_end(isolation)) {
            return self.hidden(state, presence, partition, isolation, record);
        }
        // Whoever has the partition in this generation.
        for client in self.client_ids() {
            let (Some(reads), Some(consumer)) =
                (self.reads(client), state.clients.get(usize::from(client.0)))
            else {
                continue;
            };
            let lives = matches!(consumer.standing, Standing::Running | Standing::Paused);
            if reads.group != group || !lives {
                continue;
            }
            let reading = &consumer.reading;
            let current = reading.generation == Some(own.group.generation())
                && own.group.is_member(MemberId(client.0));
            if let Some(part) = reading.part(partition).filter(|_| current) {
                let comes = part.position <= offset;
                // Streams has it in its transaction, or will begin again at the committed offset.
                let undecided = self.streams(client).is_some()
                    && part.committed.is_none_or(|committed| committed <= offset);
                if comes || undecided {
                    return Life::Waiting;
                }
                return Life::Lost;
            }
        }
        if self.is_going_back(state, group, partition, offset) {
            return Life::Waiting;
        }
        match self.group_begins(state, group, partition) {
            Some(begins) if begins <= offset => Life::Waiting,
            Some(_) => Life::Lost,
            // Nobody knows yet.
            None => Life::Waiting,
        }
    }

    /// Whether somebody of a group who lives has polled a record, and is not done with it.
    fn is_at_work(&self, state: &State, group: u16, record: RecordId) -> bool {
        self.client_ids().any(|client| {
            let own = state.clients.get(usize::from(client.0));
            self.reads(client).is_some_and(|it| it.group == group)
                && own.is_some_and(|own| {
                    let polled = own.reading.buffer.iter();
                    let mut polled = polled.chain(own.reading.working.iter().flatten());
                    matches!(own.standing, Standing::Running | Standing::Paused)
                        && polled.any(|item| item.record == record)
                })
        })
    }

    /// Whether a commit of an offset at or before this one is under way: whoever is next begins there.
    fn is_going_back(
        &self,
        state: &State,
        group: u16,
        partition: PartitionId,
        offset: Offset,
    ) -> bool {
        let is_before = |offsets: &Offsets| {
            let mut offsets = offsets.iter();
            offsets.any(|(it, committed)| *it == partition && *committed <= offset)
        };
        let under_way = state
            .requests
            .iter()
            .flatten()
            .any(|(_, request)| match request {
                Request::OffsetCommit {
                    group: of, offsets, ..
                } => *of == group && is_before(offsets),
                _ => false,
            });
        under_way
            || self.client_ids().any(|client| {
                let own = state.clients.get(usize::from(client.0));
                let commit = own.and_then(|own| own.reading.commit.as_ref());
                self.reads(client).is_some_and(|it| it.group == group)
                    && commit.is_some_and(|(offsets, _)| is_before(offsets))
            })
    }

    /// Where the next owner of a partition begins.
    fn group_begins(&self, state: &State, group: u16, partition: PartitionId) -> Option<Offset> {
        let own = state.groups.get(usize::from(group))?;
        let reads = self.client_ids().find_map(|client| {
            let reads = self.reads(client)?;
            (reads.group == group).then_some(reads)
        })?;
        let known = match reads.effect {
            Effect::WithOffset => {
                let at = group_place(&self.groups, group, partition)?;
                own.stored.get(at).copied().flatten()
            }
            _ => own.group.committed(partition),
        };
        let Some(leader) = leading(state, partition) else {
            return known;
        };
        match (known, reads.options.auto_offset_reset) {
            (Some(known), _) if (leader.log_start()..=leader.end()).contains(&known) => Some(known),
            (_, AutoOffsetReset::Earliest) => Some(leader.log_start()),
            (Some(_), AutoOffsetReset::Latest) => {
                Some(leader.readable_end(reads.options.isolation_level))
            }
            _ => None,
        }
    }

    fn group_isolation(&self, group: u16) -> IsolationLevel {
        let reader = self
            .client_ids()
            .find(|client| self.reads(*client).is_some_and(|it| it.group == group));
        reader.map_or(IsolationLevel::ReadUncommitted, |it| self.isolation(it))
    }

    /// What became of a record that is in the leader's log and that a reader does not see.
    fn hidden(
        &self,
        state: &State,
        presence: &Presence,
        partition: PartitionId,
        isolation: IsolationLevel,
        record: RecordId,
    ) -> Life {
        let Some(leader) = leading(state, partition) else {
            return Life::Waiting;
        };
        let Some(Place {
            offset, outcome, ..
        }) = presence.of(partition, record)
        else {
            return Life::Lost;
        };
        if isolation == IsolationLevel::ReadUncommitted || offset >= leader.high_watermark() {
            return Life::Waiting;
        }
        match outcome {
            Some(Outcome::Abort) => match self.will_repeat(state, record) {
                true => Life::Waiting,
                false => Life::Lost,
            },
            // It is not decided, or something older is open: what is open first is what everybody waits for.
            _ if self.is_orphan(state, leader, leader.last_stable_offset()) => Life::Hidden,
            _ => Life::Waiting,
        }
    }

    /// What a record waits for that is stuck.
    pub(super) fn hindrance(
        &self,
        state: &State,
        presence: &Presence,
        audience: Audience,
        record: RecordId,
    ) -> Hindrance {
        let Some(config) = self.record_of(record) else {
            return Hindrance::NotWritten;
        };
        let target = self.comes_to(audience, config.partition);
        let mut before: Option<PartitionId> = None;
        for topic in self.way(config.partition) {
            if leading(state, topic).is_none() {
                return Hindrance::NoLeader;
            }
            if !presence.has(topic, record) {
                return match before {
                    None => Hindrance::NotWritten,
                    Some(input) => self.unprocessed(state, presence, input, record),
                };
            }
            if Some(topic) == target {
                break;
            }
            before = Some(topic);
        }
        let target = target.unwrap_or(config.partition);
        match audience {
            Audience::Reader(isolation) => {
                let unread = self.unread(state, presence, target, isolation, record);
                unread.unwrap_or(Hindrance::NotProcessed)
            }
            Audience::Effects(_) | Audience::Store(_) => {
                self.unprocessed(state, presence, target, record)
            }
        }
    }

    /// Why a reader does not see a record of a log; none if it does.
    fn unread(
        &self,
        state: &State,
        presence: &Presence,
        partition: PartitionId,
        isolation: IsolationLevel,
        record: RecordId,
    ) -> Option<Hindrance> {
        let leader = leading(state, partition)?;
        let place = presence.of(partition, record)?;
        if place.offset >= leader.high_watermark() {
            Some(Hindrance::NotReplicated)
        } else if place.offset < leader.readable_end(isolation) {
            None
        } else if place.outcome.is_none() {
            Some(Hindrance::Undecided)
        } else {
            Some(Hindrance::OpenTransaction)
        }
    }

    /// Why nobody has processed a record of a log.
    fn unprocessed(
        &self,
        state: &State,
        presence: &Presence,
        partition: PartitionId,
        record: RecordId,
    ) -> Hindrance {
        let readers: SmallVec<[ClientId; 4]> = self
            .client_ids()
            .filter(|client| self.reads_at(*client, partition).is_some())
            .collect();
        let isolation = readers.first().map(|it| self.isolation(*it));
        let isolation = isolation.unwrap_or(IsolationLevel::ReadUncommitted);
        if let Some(unread) = self.unread(state, presence, partition, isolation, record) {
            return unread;
        }
        let failed = readers.iter().any(|client| {
            let own = state.clients.get(usize::from(client.0));
            own.is_some_and(|own| own.reading.failed)
        });
        match failed {
            true => Hindrance::NoOffset,
            false => Hindrance::NotProcessed,
        }
    }

    /// Whether a record whose transaction was aborted will be sent again.
    fn will_repeat(&self, state: &State, record: RecordId) -> bool {
        matches!(
            state.fates.get(record.index()),
            Some(Fate::Unsent | Fate::Sent)
        ) && !self.sender_is_gone(state, record)
            || self
                .client_ids()
                .any(|client| self.streams(client).is_some())
    }

    /// Whether what stands at an offset is in a transaction that no coordinator knows of: nobody will end it.
    fn is_orphan(&self, state: &State, leader: &Replica, offset: Offset) -> bool {
        let Some(stamp) = stamp_at(leader, offset) else {
            return false;
        };
        let known = state.coordinator.ids().any(|id| {
            state.coordinator.get(id).is_some_and(|it| {
                it.current().producer == stamp
                    && !matches!(
                        it.state(),
                        TransactionState::Empty
                            | TransactionState::CompleteAbort
                            | TransactionState::CompleteCommit
                    )
            })
        });
        !known
    }
}

pub(super) fn leading(state: &State, partition: PartitionId) -> Option<&Replica> {
    state.logs.get(partition.index())?.leading()
}

fn stamp_at(replica: &Replica, offset: Offset) -> Option<ProducerId> {
    let at = replica
        .entries()
        .partition_point(|placed| placed.end() <= offset);
    match &replica.entries().get(at)?.entry {
        Entry::Data(batch) => {
            let stamp = batch.stamp().filter(|stamp| stamp.transactional)?;
            Some(stamp.producer)
        }
        Entry::Control(_) => None,
    }
}

/// Whether a batch with a record is on its way to a partition.
fn is_requested(state: &State, partition: PartitionId, record: RecordId) -> bool {
    state
        .requests
        .iter()
        .flatten()
        .any(|(_, request)| match request {
            Request::Produce {
                partition: to,
                batch,
                ..
            } => *to == partition && batch.records().contains(&record),
            _ => false,
        })
}

fn was_deleted(state: &State, partition: PartitionId, record: RecordId) -> bool {
    let deleted = state.deleted.get(partition.index());
    deleted.is_some_and(|it| it.get(record.index()) > 0)
}
