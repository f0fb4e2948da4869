//! What somebody sees, and whether it is right.

use alloc::vec::Vec;

use super::Delivery;
use super::action::ClientId;
use super::life::{Life, Presence, leading};
use super::state::{Fate, Standing, State};
use crate::id::{Offset, PartitionId, RecordId};
use crate::kafka::log::IsolationLevel;
use crate::kafka::state_store::StateStore;
use crate::scenario::delivery::Judge;
use crate::scene::kafka::{Audience, ClientTransaction};
use crate::verdict::{Held, Verdict, Witness};

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

    /// The account for whom the scenario's verdict is about.
    pub(super) fn judgement(&self, state: &State, done: bool) -> Verdict {
        self.account(state, &Presence::new(self, state), self.judged(), done)
    }

    /// The account for somebody, in a run that is over (`done`) or not.
    pub(super) fn account(
        &self,
        state: &State,
        presence: &Presence,
        audience: Audience,
        done: bool,
    ) -> Verdict {
        let mut verdict = Verdict {
            done,
            ..Verdict::default()
        };
        let counts = self.counts(state, audience);
        let comes = |partition| self.comes_to(audience, partition).is_some();
        let comes: Vec<bool> = self.partition_ids().map(comes).collect();
        for (at, config) in self.records.iter().enumerate() {
            let record = RecordId(at as u32);
            if comes.get(config.partition.index()) != Some(&true) {
                continue;
            }
            let copies = counts.get(at).copied().unwrap_or_default();
            let due = config.due;
            let value = u64::from(config.value);
            verdict.total += value * u64::from(copies);
            verdict.true_total += value * u64::from(due);
            if due > 0 {
                verdict.expected += 1;
                verdict.read += u32::from(state.fates.get(at) != Some(&Fate::Unsent));
                verdict.visible += u32::from(copies > 0);
            }
            let witness = Witness {
                record,
                copies,
                due,
            };
            if copies > due {
                verdict.doubled += 1;
                verdict.witnesses.push(witness);
            } else if copies < due {
                match self.life(state, presence, audience, record) {
                    Life::Waiting if !done => verdict.waiting += 1,
                    Life::Waiting | Life::Hidden => {
                        verdict.stuck += 1;
                        verdict.held.push(Held {
                            record,
                            by: self.hindrance(state, presence, audience, record),
                        });
                    }
                    Life::Failed => verdict.failed += 1,
                    Life::Lost => {
                        verdict.lost += 1;
                        verdict.witnesses.push(witness);
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
                let counts = self.counts(state, audience).into_iter().enumerate();
                for (at, copies) in counts {
                    let record = RecordId(at as u32);
                    seen.extend(core::iter::repeat_n(record, copies as usize));
                }
            }
        }
        seen
    }

    /// The partitions that are written and that no application reads to write on.
    pub(super) fn last_topics(&self) -> impl Iterator<Item = PartitionId> + '_ {
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
    pub(super) fn comes_to(
        &self,
        audience: Audience,
        partition: PartitionId,
    ) -> Option<PartitionId> {
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
    pub(super) fn app_of(&self, store: u16) -> Option<ClientId> {
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

    /// How often somebody sees each record, by record.
    fn counts(&self, state: &State, audience: Audience) -> Vec<u32> {
        let mut counts = alloc::vec![0; self.records.len()];
        match audience {
            Audience::Reader(isolation) => {
                for partition in self.last_topics() {
                    show(state, partition, isolation, &mut counts);
                }
            }
            Audience::Effects(group) => {
                if let Some(group) = state.groups.get(usize::from(group)) {
                    for (at, count) in counts.iter_mut().enumerate() {
                        *count = u32::from(group.effects.get(at));
                    }
                }
            }
            Audience::Store(store) => {
                let app = self.app_of(store);
                let parts = app.and_then(|app| Some(self.reads(app)?.partitions.len()));
                for at in 0..parts.unwrap_or_default() {
                    self.count_store(state, app.unwrap_or(ClientId(0)), at, &mut counts);
                }
            }
        }
        counts
    }

    /// How often the store for a partition that an application reads contains each record: that of whoever has
    /// the partition, or else what the changelog says.
    fn count_store(&self, state: &State, app: ClientId, at: usize, counts: &mut [u32]) {
        let mut add = |store: &StateStore| {
            for (record, count) in store.iter() {
                if let Some(known) = counts.get_mut(record.index()) {
                    *known = known.saturating_add(count);
                }
            }
        };
        let Some(reads) = self.reads(app) else {
            return;
        };
        let partition = reads.partitions.get(at).copied();
        let generation = state
            .groups
            .get(usize::from(reads.group))
            .map(|group| group.group.generation());
        let owner = self.client_ids().find_map(|client| {
            let own = state.clients.get(usize::from(client.0))?;
            // Whoever has not heard yet that somebody else has the partition holds an old store.
            let owns = self.reads(client)?.group == reads.group
                && own.is_running()
                && own.reading.generation == generation
                && own.reading.part(partition?).is_some();
            own.stores.get(at).filter(|store| owns && store.ready)
        });
        if let Some(store) = owner {
            return add(&store.counts);
        }
        let route = self.streams(app).and_then(|it| it.routes.get(at));
        let changelog = route.and_then(|route| route.changelog);
        if let Some(leader) = changelog.and_then(|it| leading(state, it)) {
            let (changes, _) = self.changes(app, leader, Offset(0));
            let mut store = StateStore::default();
            store.restore(changes.into_iter());
            add(&store);
        }
    }
}

/// Counts what a reader sees in a partition, and has seen before retention deleted it.
fn show(state: &State, partition: PartitionId, isolation: IsolationLevel, counts: &mut [u32]) {
    let add = |counts: &mut [u32], record: RecordId| {
        if let Some(count) = counts.get_mut(record.index()) {
            *count = count.saturating_add(1);
        }
    };
    if let Some(deleted) = state.deleted.get(partition.index()) {
        for (at, count) in counts.iter_mut().enumerate() {
            *count = count.saturating_add(u32::from(deleted.get(at)));
        }
    }
    if let Some(leader) = leading(state, partition) {
        leader.read(isolation, Offset(0), |_, record| add(counts, record));
    } else if let Some(log) = state.logs.get(partition.index()) {
        // Nobody leads; what readers have seen they have seen.
        let before = counts.to_vec();
        for replica in log.in_sync().filter_map(|it| log.replica(it)) {
            let mut shown = before.clone();
            replica.read(isolation, Offset(0), |_, record| add(&mut shown, record));
            for (count, shown) in counts.iter_mut().zip(shown) {
                *count = (*count).max(shown);
            }
        }
    }
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
    let coordinator = state.coordinator.ids().all(|id| {
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
