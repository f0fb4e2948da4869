use alloc::vec;
use alloc::vec::Vec;

use super::{Pipeline, State};
use crate::flink::channel::ElementKind;
use crate::id::{ChannelId, PartitionId, RecordId};
use crate::kafka::log::{EntryView, IsolationLevel, Outcome, TransactionId};
use crate::kafka::transaction_coordinator::Session;
use crate::verdict::{Verdict, Witness};

/// Where the copies of a record are, as far as it matters to whoever waits for them.
#[derive(Clone, Copy, Default)]
struct Whereabouts {
    /// Copies that the reader sees.
    visible: u32,
    /// Copies that are on their way, or written and to be committed.
    waiting: u32,
    /// Copies that are committed, and hidden behind an older open transaction.
    hidden: u32,
}

impl Pipeline {
    /// Whether a record is lost or doubled for the reader, or miscounted in a state: what a search asks
    /// of every state.
    pub fn is_broken(&self, state: &State) -> bool {
        let verdict = self.account(state);
        verdict.lost > 0 || verdict.doubled > 0 || verdict.miscounted > 0
    }

    /// How many records a state counts too often, or, when all is `done`, too seldom.
    fn miscounted(&self, state: &State, done: bool) -> u32 {
        let wrong = |(index, due): (usize, &u8)| {
            let count = state.live.counted.get(index);
            let record = index.checked_rem(self.records.len()).unwrap_or(0);
            let done = done && !self.is_skipped(state, RecordId(record as u32));
            count > *due || done && count < *due
        };
        let wrong = self.counts_due.iter().enumerate().map(wrong);
        wrong.filter(|wrong| *wrong).count() as u32
    }

    /// What the reader got so far, record by record.
    pub(super) fn account(&self, state: &State) -> Verdict {
        let done = crate::Protocol::is_done(self, state);
        // A job that was stopped, or has failed for good, leaves records unread, and counts none of them.
        let complete = done && state.all_run() && self.all_read(state);
        let read: u32 = state.live.offsets.iter().sum();
        let mut verdict = Verdict {
            read: read.saturating_sub(self.skipped(state)),
            miscounted: self.miscounted(state, complete),
            done,
            ..Verdict::default()
        };
        let places = self.whereabouts(state);
        // What could not be written is read again when the job has failed because of it.
        let fails = self.is_about_to_fail(state);
        for (number, (place, record)) in places.iter().zip(&self.records).enumerate() {
            let value = u64::from(record.value);
            let id = RecordId(number as u32);
            let due = self.copies_due.get(number).copied().unwrap_or(0);
            // What came before its source began may have been seen by an earlier attempt; nobody waits for it.
            let due = match self.is_skipped(state, id) {
                true => due.min(place.visible),
                false => due,
            };
            verdict.expected += u32::from(due > 0);
            verdict.true_total += value * u64::from(due);
            verdict.total += value * u64::from(place.visible);
            let seen = place.visible >= due;
            verdict.visible += u32::from(due > 0 && seen);
            // What is hidden behind an older transaction waits for its end, as long as there may be one.
            let waits = place.waiting > 0 || !done && place.hidden > 0;
            verdict.waiting += u32::from(!seen && waits);
            verdict.stuck += u32::from(!seen && done && place.hidden > 0);
            let coming = place.visible + place.waiting + place.hidden;
            let lost = coming < due && !self.is_unread(state, id) && !fails;
            verdict.lost += u32::from(lost);
            verdict.doubled += u32::from(place.visible > due);
            if lost || place.visible > due {
                verdict.witnesses.push(Witness {
                    record: id,
                    copies: place.visible,
                    due,
                });
            }
        }
        verdict
    }

    fn is_unread(&self, state: &State, record: RecordId) -> bool {
        self.place_of(record).is_some_and(|(partition, offset)| {
            let next = state.live.offsets.get(partition.index());
            next.is_none_or(|next| offset >= *next)
        })
    }

    fn whereabouts(&self, state: &State) -> Vec<Whereabouts> {
        let mut places = vec![Whereabouts::default(); self.records.len()];
        let mut on_way = |channel: ChannelId, record: RecordId| {
            let ends = self.graph.channels().get(channel.index());
            let vertex = ends.and_then(|ends| Some(self.graph.subtask(ends.to)?.vertex));
            if let (Some(vertex), Some(place)) = (vertex, places.get_mut(record.index())) {
                let yields = self.yields(record);
                let back = self.feedback.contains(channel.index());
                place.waiting += yields.at(vertex.index(), back);
            }
        };
        for (id, channel) in state.channels.iter().enumerate() {
            for element in channel.iter() {
                if let ElementKind::Record(record) = element {
                    on_way(ChannelId(id as u32), record);
                }
            }
        }
        // While the job is down, its in-flight data is where it will be put back from.
        for item in &state.live.in_flight {
            on_way(item.channel, item.record);
        }
        self.find_in_table(state, &mut |record, visible| {
            if let Some(place) = places.get_mut(record.index()) {
                place.visible += u32::from(visible);
                place.waiting += u32::from(!visible);
            }
        });
        let isolation = self.isolation();
        self.whereabouts_in_kafka(state, &mut places);
        for log in state.output.iter() {
            let stable = log.last_stable_offset();
            log.scan(|offset, view| {
                let (record, visible, waiting, hidden) = match (view, isolation) {
                    (EntryView::Control(..), _) => return,
                    (EntryView::Transactional(record, ..), IsolationLevel::ReadUncommitted) => {
                        (record, true, false, false)
                    }
                    (EntryView::Plain(record), IsolationLevel::ReadUncommitted) => {
                        (record, true, false, false)
                    }
                    (EntryView::Plain(record), _)
                    | (EntryView::Transactional(record, _, Some(Outcome::Commit)), _) => {
                        (record, offset < stable, false, offset >= stable)
                    }
                    (EntryView::Transactional(record, id, None), _) => {
                        (record, false, self.will_commit(state, id), false)
                    }
                    (EntryView::Transactional(record, _, Some(Outcome::Abort)), _) => {
                        (record, false, false, false)
                    }
                };
                if let Some(place) = places.get_mut(record.index()) {
                    place.visible += u32::from(visible);
                    place.waiting += u32::from(waiting);
                    place.hidden += u32::from(hidden);
                }
            });
        }
        places
    }

    /// The same, where the output topic has brokers.
    fn whereabouts_in_kafka(&self, state: &State, places: &mut [Whereabouts]) {
        let (Some(brokers), Some(on)) = (&self.brokers, &state.brokers) else {
            return;
        };
        let (delivery, isolation) = (&brokers.delivery, self.isolation());
        let mut add = |record: RecordId, seen: Whereabouts| {
            if let Some(place) = places.get_mut(record.index()) {
                place.visible += seen.visible;
                place.waiting += seen.waiting;
                place.hidden += seen.hidden;
            }
        };
        for partition in (0..self.output_partitions).map(PartitionId) {
            delivery.scan_log(&on.kafka, partition, isolation, |entry| {
                let session = entry.transaction.map(|(session, _)| session);
                let outcome = match entry.transaction {
                    None => Some(Outcome::Commit),
                    Some((_, outcome)) => outcome,
                };
                let mut seen = Whereabouts::default();
                match outcome {
                    _ if entry.visible => seen.visible = 1,
                    Some(Outcome::Commit) => seen.hidden = 1,
                    // Somebody else has aborted what a sink still writes or holds for a checkpoint that is not
                    // complete: it may notice in time, and the records are read again.
                    Some(Outcome::Abort) => {
                        let meant = session.is_some_and(|session| self.may_notice(state, session));
                        seen.waiting = u32::from(meant);
                    }
                    None => {
                        let meant =
                            session.is_some_and(|session| self.means_to_commit(state, session));
                        seen.waiting = u32::from(meant);
                    }
                }
                add(entry.record, seen);
            });
        }
        for (number, writer) in on.writers.iter().enumerate() {
            let Some(slot) = writer.current else {
                continue;
            };
            let client = delivery.slot(number as u16, slot);
            for record in delivery.unwritten(&on.kafka, client) {
                add(
                    record,
                    Whereabouts {
                        waiting: 1,
                        ..Whereabouts::default()
                    },
                );
            }
        }
    }

    /// Whether a transaction is one that a running sink writes into, or holds for a checkpoint that is not
    /// complete.
    fn may_notice(&self, state: &State, session: Session) -> bool {
        let completed = state.coordinator.completed();
        let held = state.live.committables();
        let mut held = held.filter(|committable| committable.checkpoint > completed);
        held.any(|committable| committable.session == session) || self.is_written(state, session)
    }

    /// Whether a transaction is one that a running sink writes into.
    fn is_written(&self, state: &State, session: Session) -> bool {
        let (Some(brokers), Some(on)) = (&self.brokers, &state.brokers) else {
            return false;
        };
        let writers = on.writers.iter().enumerate();
        let mut current = writers.filter_map(|(number, writer)| {
            let client = brokers.delivery.slot(number as u16, writer.current?);
            brokers.delivery.session(&on.kafka, client)
        });
        current.any(|it| it == session)
    }

    /// Whether an open transaction is one that is still to be committed: its sink writes into it, a
    /// checkpoint holds it, or the coordinator has decided so.
    fn means_to_commit(&self, state: &State, session: Session) -> bool {
        let (Some(brokers), Some(on)) = (&self.brokers, &state.brokers) else {
            return false;
        };
        let mut held = state.live.committables();
        held.any(|committable| committable.session == session)
            || self.is_written(state, session)
            || brokers.delivery.is_decided(&on.kafka, session)
    }

    /// Whether its sink still means to commit an open transaction.
    fn will_commit(&self, state: &State, id: TransactionId) -> bool {
        let number = self.sinks.iter().position(|sink| sink.0 == id.producer());
        let Some(sink) = number.and_then(|number| state.live.sinks.get(number)) else {
            return false;
        };
        let pending = sink.pending().iter().any(|p| p.number.0 == id.number());
        // While the job is down the current transaction is one that recovery will abort.
        let runs = !state.down.contains(usize::from(id.producer()));
        pending || (runs && sink.current().0 == id.number())
    }
}
