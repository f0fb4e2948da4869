//! Applications that read, process and write: the loop of Kafka Streams.
//!
//! Sources: Kafka Streams' `StreamThread`, `TaskManager`, `StreamTask` (commit: flush, offsets, end of the
//! transaction), `ProcessorStateManager` and `StoreChangelogReader` (stores); KIP-447.

use smallvec::SmallVec;

use super::state::{ClientState, Item, State, Transaction};
use super::timers::Of;
use super::{ClientId, Delivery};
use crate::event::{Event, KafkaEvent};
use crate::id::{Offset, PartitionId, RecordId};
use crate::kafka::log::{IsolationLevel, Outcome};
use crate::kafka::replica::Replica;
use crate::kafka::replicated_log::ReplicatedLog;
use crate::protocol::Observer;
use crate::scene::kafka::ClientTransaction;

impl Delivery {
    /// The record of a changelog that says how often a store contains a record.
    pub(super) fn change(&self, record: RecordId, count: u32) -> RecordId {
        let records = self.records.len() as u32;
        RecordId(record.0.saturating_add(records.saturating_mul(count)))
    }

    /// What a record of a changelog says.
    pub(super) fn changed(&self, change: RecordId) -> Option<(RecordId, u32)> {
        let records = self.records.len() as u32;
        let count = change.0.checked_div(records)?;
        Some((RecordId(change.0 % records), count))
    }

    /// What a changelog says from an offset on, as an application reads its own, and where it ends.
    pub(super) fn changes(
        &self,
        client: ClientId,
        changelog: &Replica,
        from: Offset,
    ) -> (SmallVec<[(RecordId, u32); 8]>, Offset) {
        let isolation = match self.is_exactly_once(client) {
            true => IsolationLevel::ReadCommitted,
            false => IsolationLevel::ReadUncommitted,
        };
        let mut changes = SmallVec::new();
        let end = changelog.read(isolation, from, |_, change| {
            changes.extend(self.changed(change));
        });
        (changes, end)
    }

    /// A Streams application is done with a record: its store, its changelog and its output.
    pub(super) fn process_streams(
        &self,
        state: &mut State,
        client: ClientId,
        item: Item,
        observer: &mut impl Observer,
    ) {
        let (Some(streams), Some(at)) =
            (self.streams(client), self.reads_at(client, item.partition))
        else {
            return;
        };
        let Some(route) = streams.routes.get(at).copied() else {
            return;
        };
        let node = self.client_node(client);
        let Some(own) = state.clients.get_mut(usize::from(client.0)) else {
            return;
        };
        if own.transaction.phase == ClientTransaction::Ready {
            own.transaction.phase = ClientTransaction::Open;
            observer.event(Event::Kafka(KafkaEvent::TransactionBegun {
                client: node,
                number: own.transaction.ended.saturating_add(1),
            }));
        }
        let mut change = None;
        if let Some(store) = own.stores.get_mut(at) {
            let times = store.counts.apply(item.record);
            observer.event(Event::Kafka(KafkaEvent::Counted {
                client: node,
                record: item.record,
                times,
            }));
            change = route.changelog.map(|changelog| (changelog, times));
        }
        if let Some((changelog, times)) = change {
            let change = self.change(item.record, times);
            self.hand_over(state, client, changelog, &[change], observer);
        }
        observer.event(Event::Kafka(KafkaEvent::Sent {
            client: node,
            record: item.record,
            partition: route.output,
            again: false,
        }));
        self.hand_over(state, client, route.output, &[item.record], observer);
    }

    /// Whether there is something that Streams would commit.
    pub(super) fn may_begin_commit(&self, state: &State, client: ClientId) -> bool {
        let Some(own) = state.clients.get(usize::from(client.0)) else {
            return false;
        };
        self.streams(client).is_some()
            && own.is_running()
            && !own.reading.committing
            && own.reading.generation.is_some()
            && own.reading.working.iter().all(Option::is_none)
            && matches!(
                own.transaction.phase,
                ClientTransaction::None | ClientTransaction::Open
            )
            && !self.to_commit(own).is_empty()
    }

    /// Streams begins to commit: output first, then offsets.
    pub(super) fn begin_commit(
        &self,
        state: &mut State,
        client: ClientId,
        observer: &mut impl Observer,
    ) -> bool {
        if !self.may_begin_commit(state, client) {
            return false;
        }
        let Some(own) = state.clients.get_mut(usize::from(client.0)) else {
            return false;
        };
        own.reading.committing = true;
        if own.transaction.phase == ClientTransaction::Open {
            own.transaction.phase = ClientTransaction::Committing;
        }
        observer.event(Event::Kafka(KafkaEvent::Ending {
            client: self.client_node(client),
            outcome: Outcome::Commit,
        }));
        observer.fired(self.timer(client, Of::Commit));
        self.wake_client(client, observer);
        true
    }

    /// Without a transaction: when all output is acknowledged, the offsets are committed.
    pub(super) fn flushed(&self, own: &mut ClientState) {
        if own.reading.committing
            && own.reading.commit.is_none()
            && own.transaction.phase == ClientTransaction::None
            && !own.is_outstanding()
        {
            let offsets = self.to_commit(own);
            match offsets.is_empty() {
                true => own.reading.committing = false,
                false => own.reading.commit = Some((offsets, false)),
            }
        }
    }

    /// The transaction of a Streams application has ended.
    pub(super) fn streams_ended(
        &self,
        state: &mut State,
        client: ClientId,
        outcome: Outcome,
        observer: &mut impl Observer,
    ) {
        let Some(own) = state.clients.get_mut(usize::from(client.0)) else {
            return;
        };
        own.reading.committing = false;
        match outcome {
            Outcome::Commit => {
                let busy = own.reading.is_busy();
                for part in &mut own.reading.parts {
                    let offset = match busy {
                        true => part.finished,
                        false => part.position,
                    };
                    part.committed = part.committed.max(Some(offset));
                }
            }
            Outcome::Abort => Self::give_up_tasks(own),
        }
        self.wake_client(client, observer);
    }

    /// A Streams application begins anew, with another producer: what the old one has not been told of it never
    /// hears, and what was not sent is nobody's any more.
    pub(super) fn begin_anew(
        &self,
        state: &mut State,
        client: ClientId,
        observer: &mut impl Observer,
    ) {
        for destination in 0..self.destinations() {
            self.reconnect(state, client, destination, observer);
        }
        let phase = self.first_phase(client);
        let Some(own) = state.clients.get_mut(usize::from(client.0)) else {
            return;
        };
        own.forget_producer();
        own.backing_off = false;
        own.transaction = Transaction {
            phase,
            ended: own.transaction.ended,
            ..Transaction::default()
        };
        Self::give_up_tasks(own);
        self.wake_client(client, observer);
    }

    /// It joins its group again, goes on where the last commit was, and makes its stores anew.
    fn give_up_tasks(own: &mut ClientState) {
        own.reading.revoke();
        own.reading.committing = false;
        own.reading.generation = None;
        for slot in &mut own.reading.working {
            *slot = None;
        }
        // What was processed while the transaction was being aborted belongs to it.
        for producer in &mut own.producers {
            own.transaction.renew |= producer.abort();
        }
        for store in &mut own.stores {
            store.ready = false;
            store.counts.wipe();
        }
    }

    /// New tasks make their stores ready before they begin.
    pub(super) fn close_stores(&self, state: &mut State, client: ClientId) {
        let Some(own) = state.clients.get_mut(usize::from(client.0)) else {
            return;
        };
        for store in &mut own.stores {
            store.ready = false;
        }
    }

    /// Whether the store of a partition can be made ready. With exactly-once, what is open in its changelog is
    /// decided first.
    pub(super) fn may_restore(
        &self,
        state: &State,
        client: ClientId,
        partition: PartitionId,
    ) -> bool {
        let (Some(streams), Some(at), Some(own)) = (
            self.streams(client),
            self.reads_at(client, partition),
            state.clients.get(usize::from(client.0)),
        ) else {
            return false;
        };
        let Some(store) = own.stores.get(at) else {
            return false;
        };
        let changelog = streams.routes.get(at).and_then(|route| route.changelog);
        let log = changelog.and_then(|it| state.logs.get(it.index()));
        let leader = log.and_then(ReplicatedLog::leading);
        own.is_running()
            && log.is_some_and(ReplicatedLog::knows_its_end)
            && !store.ready
            && own.reading.part(partition).is_some()
            && leader.is_some_and(|leader| {
                !self.is_exactly_once(client)
                    || leader.last_stable_offset() == leader.high_watermark()
            })
    }

    /// A store is made ready: with exactly-once after an unclean stop, it is wiped and restored from its
    /// changelog; otherwise what is on disk is kept, and what the changelog has more is added.
    pub(super) fn restore(
        &self,
        state: &mut State,
        client: ClientId,
        partition: PartitionId,
        observer: &mut impl Observer,
    ) -> bool {
        if !self.may_restore(state, client, partition) {
            return false;
        }
        let (Some(streams), Some(at), Some(config)) = (
            self.streams(client),
            self.reads_at(client, partition),
            self.client(client),
        ) else {
            return false;
        };
        let exactly = self.is_exactly_once(client);
        let keeps = !exactly || config.library.keeps_store_after_unclean_stop();
        let Some(changelog) = streams.routes.get(at).and_then(|route| route.changelog) else {
            return false;
        };
        let leader = state
            .logs
            .get(changelog.index())
            .and_then(ReplicatedLog::leading);
        let Some(leader) = leader else {
            return false;
        };
        let own = state.clients.get_mut(usize::from(client.0));
        let Some(store) = own.and_then(|own| own.stores.get_mut(at)) else {
            return false;
        };
        let checkpoint = store.counts.position().filter(|_| keeps);
        let kept = checkpoint.is_some();
        if !kept {
            store.counts.wipe();
        }
        let (changes, end) = self.changes(client, leader, checkpoint.unwrap_or_default());
        store.counts.restore(changes.into_iter());
        store.counts.set_position(end);
        store.ready = true;
        observer.event(Event::Kafka(KafkaEvent::StoreReady {
            client: self.client_node(client),
            restored: !kept,
        }));
        self.wake_client(client, observer);
        true
    }
}
