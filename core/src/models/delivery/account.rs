//! What became of each record, and for whom.

use alloc::vec::Vec;

use super::Delivery;
use super::action::ClientId;
use super::consuming::group_place;
use super::state::{Fate, Standing, State};
use crate::id::{Offset, PartitionId, RecordId};
use crate::kafka::batch::Entry;
use crate::kafka::consumer_options::AutoOffsetReset;
use crate::kafka::group::MemberId;
use crate::kafka::log::{IsolationLevel, Outcome};
use crate::kafka::replica::Replica;
use crate::kafka::replicated_log::ReplicatedLog;
use crate::kafka::state_store::StateStore;
use crate::kafka::transaction_state::TransactionState;
use crate::scenario::delivery::{Effect, Judge};
use crate::scene::kafka::{Audience, ClientTransaction};
use crate::verdict::{Verdict, Witness};

/// What became of a record that somebody does not see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Life {
    /// It may still come.
    Waiting,
    /// It is there and decided, but hidden behind an older open transaction.
    Hidden,
    /// Whoever sent it was told that it was not written.
    Failed,
    /// Nothing will ever show it.
    Lost,
}

impl Delivery {
    /// Everybody who is judged: readers of what is written last, consumer groups, stores.
    pub(super) fn audiences(&self) -> Vec<Audience> {
        let readers = [
            IsolationLevel::ReadCommitted,
            IsolationLevel::ReadUncommitted,
        ];
        let groups = (0..self.groups.len() as u16).filter(|group| {
            self.client_ids().any(|client| {
                self.streams(client).is_none()
                    && self.reads(client).is_some_and(|it| it.group == *group)
            })
        });
        let stores = self.stores().map(|(at, _)| Audience::Store(at));
        readers
            .into_iter()
            .map(Audience::Reader)
            .chain(groups.map(Audience::Effects))
            .chain(stores)
            .collect()
    }

    /// The first instance of each application that has a store, with its number among the audiences.
    fn stores(&self) -> impl Iterator<Item = (u16, ClientId)> + '_ {
        let firsts = self.client_ids().filter(|client| {
            let group = self.reads(*client).map(|it| it.group);
            let first = self.client_ids().find(|other| {
                self.streams(*other).is_some() && self.reads(*other).map(|it| it.group) == group
            });
            self.streams(*client).is_some_and(|it| it.has_store) && first == Some(*client)
        });
        firsts.enumerate().map(|(at, client)| (at as u16, client))
    }

    /// Whom the scenario's verdict is about.
    pub(super) fn judged(&self) -> Audience {
        let all = self.audiences();
        let effects = all
            .iter()
            .find(|it| matches!(it, Audience::Effects(_)))
            .copied();
        let committed = Audience::Reader(IsolationLevel::ReadCommitted);
        match self.scenario.judge {
            Some(Judge::ReadCommitted) => committed,
            Some(Judge::ReadUncommitted) => Audience::Reader(IsolationLevel::ReadUncommitted),
            Some(Judge::Effects) | None => effects.unwrap_or(committed),
            Some(Judge::Store) => all
                .iter()
                .find(|it| matches!(it, Audience::Store(_)))
                .copied()
                .unwrap_or(committed),
        }
    }

    /// The account for somebody.
    pub(super) fn account(&self, state: &State, audience: Audience) -> Verdict {
        let done = is_over(self, state);
        let mut verdict = Verdict {
            done,
            ..Verdict::default()
        };
        for at in 0..self.records.len() as u32 {
            let record = RecordId(at);
            let Some(config) = self.record_of(record) else {
                continue;
            };
            if self.comes_to(audience, config.partition).is_none() {
                continue;
            }
            let copies = self.copies(state, audience, record);
            verdict.expected += u32::from(config.due > 0);
            let sent = state.fates.get(record.index()) != Some(&Fate::Unsent);
            verdict.read += u32::from(sent);
            verdict.visible += u32::from(copies > 0);
            let value = u64::from(config.value);
            verdict.total += value * u64::from(copies);
            verdict.true_total += value * u64::from(config.due);
            if copies > config.due {
                verdict.doubled += 1;
                verdict.witnesses.push(Witness { record, copies });
            } else if copies < config.due {
                match self.life(state, audience, record) {
                    Life::Waiting if done => verdict.stuck += 1,
                    Life::Waiting => verdict.waiting += 1,
                    Life::Hidden => verdict.stuck += 1,
                    Life::Failed => verdict.failed += 1,
                    Life::Lost => {
                        verdict.lost += 1;
                        verdict.witnesses.push(Witness { record, copies });
                    }
                }
            }
        }
        if matches!(audience, Audience::Store(_)) {
            verdict.miscounted = verdict.doubled + verdict.lost;
        }
        verdict
    }

    /// The records that somebody sees, in order, each as often as they do.
    pub(super) fn seen(&self, state: &State, audience: Audience) -> Vec<RecordId> {
        let mut seen = Vec::new();
        match audience {
            Audience::Reader(isolation) => {
                for partition in self.last_topics() {
                    if let Some(leader) = leading(state, partition) {
                        leader.read(isolation, Offset(0), |_, record| seen.push(record));
                    }
                }
            }
            Audience::Effects(_) | Audience::Store(_) => {
                for at in 0..self.records.len() as u32 {
                    let record = RecordId(at);
                    let copies = self.copies(state, audience, record) as usize;
                    seen.extend(core::iter::repeat_n(record, copies));
                }
            }
        }
        seen
    }

    /// The partitions that are written and that no application reads to write on.
    fn last_topics(&self) -> impl Iterator<Item = PartitionId> + '_ {
        self.partition_ids().filter(|partition| {
            let Some(config) = self.partition(*partition) else {
                return false;
            };
            let written = self
                .client_ids()
                .any(|client| self.writes_at(client, *partition).is_some());
            let passed_on = self.client_ids().any(|client| {
                self.streams(client).is_some() && self.reads_at(client, *partition).is_some()
            });
            written && !passed_on && !config.is_changelog
        })
    }

    /// Where records that are sent to a partition come to somebody, if they do at all.
    fn comes_to(&self, audience: Audience, partition: PartitionId) -> Option<PartitionId> {
        let mut way = self.way(partition);
        match audience {
            Audience::Reader(_) => self.ends_up(partition),
            Audience::Effects(group) => {
                let read = &self.groups.get(usize::from(group))?.partitions;
                way.find(|it| read.contains(it))
            }
            Audience::Store(store) => {
                let app = self.app_of(store)?;
                way.find(|it| self.reads_at(app, *it).is_some())
            }
        }
    }

    /// The application of a store.
    fn app_of(&self, store: u16) -> Option<ClientId> {
        let (_, app) = self.stores().find(|(at, _)| *at == store)?;
        Some(app)
    }

    /// The partitions that a record passes that is sent to this one, from application to application.
    pub(super) fn way(&self, partition: PartitionId) -> impl Iterator<Item = PartitionId> + '_ {
        let next = |from: &PartitionId| {
            let from = *from;
            self.client_ids().find_map(|client| {
                let at = self.reads_at(client, from)?;
                Some(self.streams(client)?.routes.get(at)?.output)
            })
        };
        // Topics that feed each other would go round for ever.
        core::iter::successors(Some(partition), next).take(self.partitions.len())
    }

    fn ends_up(&self, partition: PartitionId) -> Option<PartitionId> {
        let last = self.way(partition).last()?;
        self.last_topics().find(|it| *it == last)
    }

    /// How often somebody sees a record.
    fn copies(&self, state: &State, audience: Audience, record: RecordId) -> u32 {
        let Some(config) = self.record_of(record) else {
            return 0;
        };
        match audience {
            Audience::Reader(isolation) => self
                .ends_up(config.partition)
                .map_or(0, |partition| visible(state, partition, isolation, record)),
            Audience::Effects(group) => {
                let group = state.groups.get(usize::from(group));
                group.map_or(0, |group| u32::from(group.effects.get(record.index())))
            }
            Audience::Store(store) => self
                .app_of(store)
                .map_or(0, |app| self.counted(state, app, record)),
        }
    }

    /// How often the store of an application contains a record: that of whoever has its partition, or else
    /// what the changelog says.
    fn counted(&self, state: &State, app: ClientId, record: RecordId) -> u32 {
        let Some(config) = self.record_of(record) else {
            return 0;
        };
        let Some(at) = self
            .way(config.partition)
            .find_map(|it| self.reads_at(app, it))
        else {
            return 0;
        };
        let group = self.reads(app).map(|it| it.group);
        let partition = self
            .reads(app)
            .and_then(|it| it.partitions.get(at).copied());
        let instances = self
            .client_ids()
            .filter(|client| self.reads(*client).map(|it| it.group) == group);
        for client in instances {
            let Some(own) = state.clients.get(usize::from(client.0)) else {
                continue;
            };
            // Whoever has not heard yet that somebody else has the partition holds an old store.
            let generation = group
                .and_then(|group| state.groups.get(usize::from(group)))
                .map(|group| group.group.generation());
            let owns = own.reading.generation == generation
                && partition.is_some_and(|it| own.reading.part(it).is_some());
            let store = own.stores.get(at).filter(|store| store.ready);
            if own.is_running()
                && owns
                && let Some(store) = store
            {
                return store.counts.count(record);
            }
        }
        let route = self.streams(app).and_then(|it| it.routes.get(at));
        let changelog = route.and_then(|route| route.changelog);
        let Some(leader) = changelog.and_then(|it| leading(state, it)) else {
            return 0;
        };
        let (changes, _) = self.changes(app, leader, Offset(0));
        let mut store = StateStore::default();
        store.restore(changes.into_iter());
        store.count(record)
    }

    /// What became of a record that somebody does not see.
    fn life(&self, state: &State, audience: Audience, record: RecordId) -> Life {
        let Some(config) = self.record_of(record) else {
            return Life::Lost;
        };
        let mut topic = config.partition;
        let mut life = self.life_in_topic(state, topic, record);
        let Some(target) = self.comes_to(audience, topic) else {
            return Life::Lost;
        };
        // On its way from application to application.
        while topic != target {
            let Some(next) = self.way(topic).nth(1) else {
                return Life::Lost;
            };
            life = match life {
                None => self.life_behind(state, topic, next, record),
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
            Audience::Reader(isolation) => self.hidden(state, target, isolation, record),
            Audience::Effects(group) => self.life_in_group(state, group, target, record),
            Audience::Store(store) => {
                let app = self.app_of(store);
                let Some((app, group)) = app.and_then(|app| Some((app, self.reads(app)?.group)))
                else {
                    return Life::Lost;
                };
                match self.life_in_group(state, group, target, record) {
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
        partition: PartitionId,
        record: RecordId,
    ) -> Option<Life> {
        let fate = state.fates.get(record.index()).copied();
        let fate = fate.unwrap_or(Fate::Unsent);
        let Some(log) = state.logs.get(partition.index()) else {
            return Some(Life::Lost);
        };
        if was_deleted(state, partition, record) {
            return None;
        }
        if let Some(leader) = log.leading() {
            if committed_or_open(leader, record) {
                return None;
            }
        } else if self.is_somewhere(log, record) {
            // Nobody leads, but whoever may has it.
            return Some(Life::Waiting);
        }
        Some(match fate {
            Fate::Unsent | Fate::Sent => match self.sender_is_gone(state, record) {
                true => Life::Failed,
                false => Life::Waiting,
            },
            Fate::Failed => Life::Failed,
            Fate::Acknowledged | Fate::Dropped => Life::Lost,
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

    /// Whether a replica that may lead has a record.
    fn is_somewhere(&self, log: &ReplicatedLog, record: RecordId) -> bool {
        log.in_sync()
            .filter_map(|replica| log.replica(replica))
            .any(|replica| committed_or_open(replica, record))
    }

    /// What became of the output for a record; none if it is in the leader's log of the topic behind.
    fn life_behind(
        &self,
        state: &State,
        topic: PartitionId,
        next: PartitionId,
        record: RecordId,
    ) -> Option<Life> {
        let leader = leading(state, next);
        if leader.is_some_and(|leader| committed_or_open(leader, record)) {
            return None;
        }
        if leader.is_none() {
            let log = state.logs.get(next.index());
            if log.is_some_and(|log| self.is_somewhere(log, record)) {
                return Some(Life::Waiting);
            }
        }
        let group = self.client_ids().find_map(|client| {
            self.streams(client)?;
            self.reads_at(client, topic)?;
            Some(self.reads(client)?.group)
        })?;
        match self.life_in_group(state, group, topic, record) {
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
            let mut behind = replica.entries().iter().filter(|it| it.end() > from);
            behind.any(|placed| match &placed.entry {
                Entry::Data(batch) => batch.records().iter().any(|change| {
                    self.changed(*change).is_some_and(|(of, _)| of == record)
                        && committed_or_open(replica, *change)
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
        group: u16,
        partition: PartitionId,
        record: RecordId,
    ) -> Life {
        let (Some(leader), Some(own)) = (
            leading(state, partition),
            state.groups.get(usize::from(group)),
        ) else {
            return Life::Waiting;
        };
        let offset = places(leader, record).next_back();
        let Some(offset) = offset else {
            // It was there, and retention has deleted it.
            return match was_deleted(state, partition, record) {
                true => Life::Lost,
                false => Life::Waiting,
            };
        };
        let isolation = self.group_isolation(group);
        if offset >= leader.readable_end(isolation) {
            return self.hidden(state, partition, isolation, record);
        }
        // Whoever has the partition in this generation.
        for client in self.client_ids() {
            let (Some(reads), Some(consumer)) =
                (self.reads(client), state.clients.get(usize::from(client.0)))
            else {
                continue;
            };
            let current = consumer.reading.generation == Some(own.group.generation())
                && own.group.is_member(MemberId(client.0))
                && matches!(consumer.standing, Standing::Running | Standing::Paused);
            if reads.group != group || !current {
                continue;
            }
            let reading = &consumer.reading;
            if let Some(part) = reading.part(partition) {
                let holds = reading
                    .buffer
                    .iter()
                    .chain(reading.working.iter().flatten())
                    .any(|item| item.record == record);
                let comes = part.position <= offset || holds;
                // Streams has it in its transaction, or will begin again at the committed offset.
                let undecided = self.streams(client).is_some()
                    && part.committed.is_none_or(|committed| committed <= offset);
                if comes || undecided {
                    return Life::Waiting;
                }
                return Life::Lost;
            }
        }
        let begins = self.group_begins(state, group, partition);
        match begins {
            Some(begins) if begins <= offset => Life::Waiting,
            Some(_) => Life::Lost,
            // Nobody knows yet.
            None => Life::Waiting,
        }
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
        let leader = leading(state, partition)?;
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
        partition: PartitionId,
        isolation: IsolationLevel,
        record: RecordId,
    ) -> Life {
        let Some(leader) = leading(state, partition) else {
            return Life::Waiting;
        };
        let Some(offset) = places(leader, record).next_back() else {
            return Life::Lost;
        };
        if isolation == IsolationLevel::ReadUncommitted || offset >= leader.high_watermark() {
            return Life::Waiting;
        }
        match fate_in_log(leader, offset) {
            // Decided, and still not visible: something older is open.
            Some(Outcome::Commit) => Life::Hidden,
            Some(Outcome::Abort) => match self.will_repeat(state, record) {
                true => Life::Waiting,
                false => Life::Lost,
            },
            None if self.is_orphan(state, leader, offset) => Life::Hidden,
            None => Life::Waiting,
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

    /// Whether a record is in a transaction that no coordinator knows of: nobody will end it.
    fn is_orphan(&self, state: &State, leader: &Replica, offset: Offset) -> bool {
        let Some(stamp) = stamp_at(leader, offset) else {
            return false;
        };
        let known = self.id_numbers().any(|id| {
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

fn leading(state: &State, partition: PartitionId) -> Option<&Replica> {
    state.logs.get(partition.index())?.leading()
}

/// Where a record stands in a log, copies of aborted transactions included.
fn places(replica: &Replica, record: RecordId) -> impl DoubleEndedIterator<Item = Offset> + '_ {
    replica.entries().iter().flat_map(move |placed| {
        let records = match &placed.entry {
            Entry::Data(batch) => batch.records(),
            Entry::Control(_) => &[],
        };
        let start = placed.offset.0;
        let places = records.iter().enumerate();
        places
            .filter(move |(_, it)| **it == record)
            .map(move |(at, _)| Offset(start.saturating_add(at as u32)))
            .collect::<smallvec::SmallVec<[Offset; 2]>>()
    })
}

fn stamp_at(replica: &Replica, offset: Offset) -> Option<crate::kafka::batch::ProducerId> {
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

/// How the transaction of the record at an offset has ended; commit for a record outside of any; none while it
/// is open.
pub(super) fn fate_in_log(replica: &Replica, offset: Offset) -> Option<Outcome> {
    let Some(producer) = stamp_at(replica, offset) else {
        return Some(Outcome::Commit);
    };
    let behind = replica
        .entries()
        .iter()
        .filter(|placed| placed.offset > offset);
    behind
        .filter_map(|placed| match &placed.entry {
            Entry::Control(marker) if marker.producer == producer => Some(marker.outcome),
            _ => None,
        })
        .next()
}

/// Whether a record is in a log, not counting copies whose transaction was aborted.
fn committed_or_open(replica: &Replica, record: RecordId) -> bool {
    places(replica, record).any(|offset| fate_in_log(replica, offset) != Some(Outcome::Abort))
}

fn was_deleted(state: &State, partition: PartitionId, record: RecordId) -> bool {
    let deleted = state.deleted.get(partition.index());
    deleted.is_some_and(|it| it.get(record.index()) > 0)
}

/// How often a reader sees a record in a partition, and has seen it before retention deleted it.
fn visible(
    state: &State,
    partition: PartitionId,
    isolation: IsolationLevel,
    record: RecordId,
) -> u32 {
    let deleted = state.deleted.get(partition.index());
    let mut copies = deleted.map_or(0, |it| u32::from(it.get(record.index())));
    if let Some(leader) = leading(state, partition) {
        leader.read(isolation, Offset(0), |_, other| {
            copies += u32::from(other == record);
        });
    } else if let Some(log) = state.logs.get(partition.index()) {
        // Nobody leads; what readers have seen they have seen.
        let shown = log
            .in_sync()
            .filter_map(|replica| log.replica(replica))
            .map(|replica| {
                let mut copies = 0;
                replica.read(isolation, Offset(0), |_, other| {
                    copies += u32::from(other == record);
                });
                copies
            })
            .max();
        copies += shown.unwrap_or(0);
    }
    copies
}

/// Whether nothing will happen any more that anybody could see.
pub(super) fn is_over(delivery: &Delivery, state: &State) -> bool {
    let clients = delivery.client_ids().all(|client| {
        let Some(own) = state.clients.get(usize::from(client.0)) else {
            return true;
        };
        if own.standing == Standing::Stopped {
            return true;
        }
        if own.transaction.phase == ClientTransaction::Fenced || own.reading.failed {
            return true;
        }
        if own.standing != Standing::Running || own.awaits() || own.is_outstanding() {
            return false;
        }
        let writes = delivery.writes(client);
        let sends = writes.is_some_and(|it| delivery.next_to_send(own, it).is_some());
        let settled = matches!(
            own.transaction.phase,
            ClientTransaction::None | ClientTransaction::Ready
        );
        let reads = delivery.reads(client).is_none_or(|_| {
            !own.reading.is_busy()
                && own.reading.commit.is_none()
                && !own.reading.committing
                && !delivery.may_poll(state, client)
                && !delivery.may_join(state, client)
                && !delivery.may_assign(state, client)
                && !delivery.may_auto_commit(state, client)
                && !delivery.may_begin_commit(state, client)
                && is_settled(delivery, state, client)
        });
        !sends && settled && reads
    });
    let messages = state.requests.iter().all(|queue| queue.is_empty())
        && state.replies.iter().all(|queue| queue.is_empty());
    let coordinator = delivery.id_numbers().all(|id| {
        !delivery.may_log(state, id)
            && state
                .coordinator
                .get(id)
                .is_none_or(|it| it.unmarked().is_empty() && !state.coordinator.may_time_out(id))
    });
    let logs = delivery.partition_ids().all(|partition| {
        let Some(log) = state.logs.get(partition.index()) else {
            return true;
        };
        log.leading()
            .is_some_and(|leader| leader.high_watermark() == leader.end())
            && delivery
                .replicas_of(partition)
                .all(|replica| !delivery.may_fetch(state, partition, replica))
    });
    clients && messages && coordinator && logs && state.awaiting.is_empty()
}

/// Whether a consumer has its partitions, or its group has none for it.
fn is_settled(delivery: &Delivery, state: &State, client: ClientId) -> bool {
    let (Some(reads), Some(own)) = (
        delivery.reads(client),
        state.clients.get(usize::from(client.0)),
    ) else {
        return true;
    };
    let group = state.groups.get(usize::from(reads.group));
    let stores = own
        .stores
        .iter()
        .zip(&reads.partitions)
        .all(|(store, partition)| store.ready || own.reading.part(*partition).is_none());
    stores && group.is_some_and(|it| own.reading.generation == Some(it.group.generation()))
}
