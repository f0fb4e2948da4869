//! What a subtask does for a checkpoint: it passes the barrier on, copies its state, stores it, and tells
//! the coordinator.

use core::ops::Range;

use super::failure::Cause;
use super::state::{Contents, InFlight, Report, UnderWay};
use super::{Pipeline, Role, State};
use crate::collections::Bits;
use crate::event::Event;
use crate::flink::barrier::handler::Mode;
use crate::flink::channel::{Element, ElementKind};
use crate::flink::coordinator::{FailureReason, Purpose};
use crate::id::{ActorId, ChannelId, CheckpointId, SubtaskId};
use crate::kafka::log::TransactionId;
use crate::protocol::{Disabled, Observer};
use crate::scenario::Phase;
use crate::time::Micros;

impl Pipeline {
    /// A source hears that a checkpoint starts.
    pub(super) fn inject(
        &self,
        state: &mut State,
        source: SubtaskId,
        checkpoint: CheckpointId,
        o: &mut impl Observer,
    ) -> Result<(), Disabled> {
        if !state.runs(source.index()) {
            return Err(Disabled);
        }
        let under_way = state.of_mut(checkpoint).ok_or(Disabled)?;
        if !under_way.triggers.remove(source.index()) {
            return Err(Disabled);
        }
        let savepoint = under_way.purpose.is_savepoint();
        o.taken(self.trigger_link(source));
        o.event(Event::BarrierInjected {
            source: self.subtask_node(source),
            checkpoint,
        });
        let unaligned = self.mode() == Mode::Unaligned && !savepoint;
        self.checkpoint_state(state, source, checkpoint, unaligned, o);
        self.upload(state, source, checkpoint, o);
        if self.begins_late {
            o.woken(self.coordinator_actor());
        }
        self.prune(state);
        Ok(())
    }

    /// A snapshot is due: a sink pre-commits, the barrier goes on, then the state is copied. That order
    /// is Flink's (`SubtaskCheckpointCoordinatorImpl.checkpointState`). A subtask that was told that the
    /// checkpoint is given up sends a cancellation marker instead, so that nobody behind it waits.
    pub(super) fn checkpoint_state(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        checkpoint: CheckpointId,
        unaligned: bool,
        o: &mut impl Observer,
    ) {
        let node = self.subtask_node(subtask);
        let over = state
            .of_mut(checkpoint)
            .is_none_or(|under_way| under_way.told.remove(subtask.index()));
        if over {
            self.forward_cancellation(state, subtask, checkpoint, o);
            return;
        }
        if self.writer_number(subtask).is_some() {
            self.flush(state, subtask, checkpoint, o);
            return;
        }
        self.before_barrier(state, subtask, checkpoint, o);
        if self.heads_loop(subtask) {
            self.start_log(state, subtask, checkpoint, o);
        }
        let mut flush = Micros::ZERO;
        if let Some(Role::Sink {
            number, partition, ..
        }) = self.role(subtask)
        {
            if let Some(sink) = state.live.sinks.get_mut(*number) {
                let transaction = sink.pre_commit(checkpoint).0;
                let id = TransactionId::new(subtask.0, transaction);
                let log = state.output.get(partition.index());
                o.event(Event::PreCommitted {
                    subtask: node,
                    checkpoint,
                    transaction,
                    records: log.map_or(0, |log| log.open_records(id)),
                });
            }
            flush = o.occupied(ActorId(subtask.0), self.scenario.costs.flush_ms);
        } else {
            if subtask.0 >= self.sources && self.channels_from(subtask).next().is_some() {
                o.event(Event::BarrierForwarded {
                    subtask: node,
                    checkpoint,
                });
            }
            self.broadcast_barrier(state, subtask, checkpoint, unaligned, o);
        }
        self.take_snapshot(state, subtask, checkpoint, flush, o);
    }

    /// The state is copied, if that does not fail.
    pub(super) fn take_snapshot(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        checkpoint: CheckpointId,
        flush: Micros,
        o: &mut impl Observer,
    ) {
        let node = self.subtask_node(subtask);
        if self.is_doomed(checkpoint, Some(subtask), Phase::Sync) {
            o.event(Event::SnapshotFailed {
                subtask: node,
                checkpoint,
                sync: true,
            });
            self.fail(state, Cause::Subtask(subtask), o);
            return;
        }
        let sync = o.occupied(ActorId(subtask.0), self.scenario.costs.sync_ms);
        self.copy_state(state, subtask, checkpoint);
        let bytes = if o.is_timed() {
            self.bytes_in(&state.live, subtask)
        } else {
            0
        };
        o.event(Event::SnapshotTaken {
            subtask: node,
            checkpoint,
            flush,
            sync,
            bytes,
        });
    }

    /// Puts a barrier into every output of a subtask. One that may overtake goes past what is in the
    /// output queues, and that is stored.
    fn broadcast_barrier(
        &self,
        state: &mut State,
        sender: SubtaskId,
        checkpoint: CheckpointId,
        unaligned: bool,
        o: &mut impl Observer,
    ) {
        let purpose = state.of(checkpoint).map(|u| u.purpose).unwrap_or_default();
        let (mut records, mut bytes) = (0, 0);
        for id in self.channels_from(sender) {
            if !self.carries_barriers(id) || self.leads_nowhere(state, id) {
                continue;
            }
            let Some(channel) = state.channels.get_mut(id.index()) else {
                continue;
            };
            let link = self.channel_link(id);
            if unaligned && self.may_overtake(id) {
                let overtaken = channel.output().len();
                let place = channel.put_first(Element::unaligned_barrier(checkpoint));
                o.queued(link, channel.input().len() + place);
                let overtaken = overtaken.saturating_sub(place);
                let stored = self.store_output(state, id, checkpoint, place, overtaken);
                (records, bytes) = (records + stored.0, bytes + stored.1);
            } else if purpose == Purpose::Checkpoint {
                o.queued(link, channel.iter().len());
                channel.put(Element::barrier(checkpoint));
            } else {
                o.queued(link, channel.iter().len());
                channel.put(Element::savepoint_barrier(checkpoint));
            }
        }
        self.tell_output_stored(sender, checkpoint, records, bytes, o);
        for id in self.channels_from(sender) {
            self.advance(state, id, o);
        }
    }

    /// Stores so many elements of an output queue, behind the barrier that has this place in it; how many
    /// records and bytes that is.
    fn store_output(
        &self,
        state: &mut State,
        id: ChannelId,
        checkpoint: CheckpointId,
        barrier: usize,
        overtaken: usize,
    ) -> (u32, u64) {
        let channel = state.channels.get(id.index());
        let queue = channel.map_or(0, |channel| channel.input().len());
        let first = queue + barrier + 1;
        self.store_elements(state, id, checkpoint, true, first..first + overtaken)
    }

    /// Stores the records among some elements of a channel with a checkpoint, as in-flight data of its
    /// output queue or of its input queue; how many records and bytes that is.
    pub(super) fn store_elements(
        &self,
        state: &mut State,
        channel: ChannelId,
        checkpoint: CheckpointId,
        output: bool,
        elements: Range<usize>,
    ) -> (u32, u64) {
        let (mut records, mut bytes) = (0, 0);
        let mut all = state.under_way.iter_mut();
        let under_way = all.find(|u| u.checkpoint == checkpoint && !u.over);
        let (Some(queues), Some(under_way)) = (state.channels.get(channel.index()), under_way)
        else {
            return (records, bytes);
        };
        for element in queues.iter().take(elements.end).skip(elements.start) {
            if let ElementKind::Record(record) = element {
                under_way.contents.store_in_flight(InFlight {
                    channel,
                    output,
                    record,
                });
                records += 1;
                bytes += u64::from(self.bytes_of(channel, record));
            }
        }
        (records, bytes)
    }

    fn tell_output_stored(
        &self,
        sender: SubtaskId,
        checkpoint: CheckpointId,
        records: u32,
        bytes: u64,
        o: &mut impl Observer,
    ) {
        if records > 0 {
            o.event(Event::InFlightStored {
                subtask: self.subtask_node(sender),
                checkpoint,
                records,
                bytes,
                output: true,
            });
        }
    }

    /// The checkpoint, if there is one, whose barrier waits in an output queue of a subtask and may time
    /// out there.
    pub(super) fn waiting_output(&self, state: &State, sender: SubtaskId) -> Option<CheckpointId> {
        if self.mode() != Mode::Alternating || !state.runs(sender.index()) {
            return None;
        }
        let mut all = state.under_way.iter();
        let waits = |u: &&UnderWay| !u.over && self.barrier_waits(state, sender, u.checkpoint);
        Some(all.find(waits)?.checkpoint)
    }

    /// A barrier has waited too long in the output queues of a subtask: it overtakes what is there
    /// (Flink's `PipelinedSubpartition.alignedBarrierTimeout`).
    pub(super) fn time_out_output(
        &self,
        state: &mut State,
        sender: SubtaskId,
        o: &mut impl Observer,
    ) -> Result<(), Disabled> {
        let checkpoint = self.waiting_output(state, sender).ok_or(Disabled)?;
        o.event(Event::OutputTimedOut {
            subtask: self.subtask_node(sender),
            checkpoint,
        });
        let (mut records, mut bytes) = (0, 0);
        for id in self
            .channels_from(sender)
            .filter(|id| self.may_overtake(*id))
        {
            let Some(channel) = state.channels.get_mut(id.index()) else {
                continue;
            };
            if let Some(before) = channel.withdraw(checkpoint) {
                let (link, arrived) = (self.channel_link(id), channel.input().len());
                o.withdrawn(link, arrived + before);
                let place = channel.put_first(Element::unaligned_barrier(checkpoint));
                o.queued(link, arrived + place);
                let overtaken = before.saturating_sub(place);
                let stored = self.store_output(state, id, checkpoint, place, overtaken);
                (records, bytes) = (records + stored.0, bytes + stored.1);
            }
        }
        self.tell_output_stored(sender, checkpoint, records, bytes, o);
        for id in self.channels_from(sender) {
            self.advance(state, id, o);
        }
        self.upload_if_barriers_left(state, sender, checkpoint, o);
        Ok(())
    }

    /// Sends word downstream that a checkpoint will not be completed.
    pub(super) fn forward_cancellation(
        &self,
        state: &mut State,
        sender: SubtaskId,
        checkpoint: CheckpointId,
        o: &mut impl Observer,
    ) {
        if self.channels_from(sender).next().is_some() {
            o.event(Event::CancellationForwarded {
                subtask: self.subtask_node(sender),
                checkpoint,
            });
        }
        for id in self.channels_from(sender) {
            if self.feedback.contains(id.index()) || self.leads_nowhere(state, id) {
                continue;
            }
            if let Some(channel) = state.channels.get_mut(id.index()) {
                o.queued(self.channel_link(id), channel.iter().len());
                channel.put(Element::cancel(checkpoint));
            }
            self.advance(state, id, o);
        }
    }

    /// Copies the state of a subtask into the checkpoint.
    fn copy_state(&self, state: &mut State, subtask: SubtaskId, checkpoint: CheckpointId) {
        let mut all = state.under_way.iter_mut();
        let Some(under_way) = all.find(|u| u.checkpoint == checkpoint) else {
            return;
        };
        under_way.taken.insert(subtask.index());
        if under_way.over {
            return;
        }
        self.copy(subtask, &state.live, &mut under_way.contents);
    }

    /// How large the state of a subtask is in some contents, in bytes, without in-flight data.
    pub(super) fn bytes_in(&self, contents: &Contents, subtask: SubtaskId) -> u64 {
        let size = self.state_size(subtask);
        let keys = match self.role(subtask) {
            Some(Role::Keyed {
                base, mask, keys, ..
            }) => u64::from(self.keys_in(contents, *base, mask, *keys)),
            Some(Role::Sink { number, .. }) => {
                let pending = contents.sinks.get(*number).map(|sink| sink.pending().len());
                let prepared = contents.on_brokers.get(*number);
                let prepared = prepared.map(|sink| sink.committables.len());
                pending.or(prepared).unwrap_or(0) as u64
            }
            Some(Role::Broadcast { base, mask, .. }) => {
                u64::from(self.keys_in(contents, *base, mask, u32::MAX))
            }
            Some(Role::Committer { number, .. }) => contents
                .table
                .committers
                .get(*number)
                .map_or(0, |committer| committer.all().count() as u64),
            _ => 0,
        };
        u64::from(size.bytes) + u64::from(size.key_bytes) * keys
    }

    /// How many different keys a keyed subtask holds, of so many that it may.
    fn keys_in(&self, contents: &Contents, base: usize, mask: &[u64], most: u32) -> u32 {
        let mut seen = Bits::default();
        let mut keys = 0;
        for at in contents.counted.masked(mask) {
            let record = at.checked_sub(base);
            let key = record.and_then(|record| self.keys.get(record));
            if let Some(key) = key {
                keys += u32::from(seen.insert(*key as usize));
            }
            if keys == most {
                break;
            }
        }
        keys
    }

    /// How many bytes of in-flight data a subtask has stored: of its output queues, and of its input
    /// queues.
    pub(super) fn in_flight_of(&self, contents: &Contents, subtask: SubtaskId) -> u64 {
        let own = contents.in_flight.iter().filter(|item| {
            let ends = self.graph.channels().get(item.channel.index());
            ends.is_some_and(|ends| (if item.output { ends.from } else { ends.to }) == subtask)
        });
        own.map(|item| u64::from(self.bytes_of(item.channel, item.record)))
            .sum()
    }

    /// A subtask has all that belongs to its snapshot, in-flight data included, and stores it. With a
    /// barrier that may time out, it waits until that has left its output queues.
    pub(super) fn upload(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        checkpoint: CheckpointId,
        o: &mut impl Observer,
    ) {
        if !state.runs(subtask.index()) || self.stores_later(state, subtask, checkpoint) {
            return;
        }
        let waits = self.mode() == Mode::Alternating
            && self.barrier_waits(state, subtask, checkpoint)
            || self.awaits_round(state, subtask, checkpoint);
        let Some(under_way) = state.of_mut(checkpoint) else {
            return;
        };
        // What was told meanwhile that it is over is not stored any more.
        if under_way.told.remove(subtask.index()) || !under_way.taken.contains(subtask.index()) {
            return;
        }
        if waits {
            under_way.waiting.insert(subtask.index());
            return;
        }
        self.store(state, subtask, checkpoint, o);
    }

    /// If a snapshot waited until its barrier had left the output queues, and it has, it is stored.
    pub(super) fn upload_if_barriers_left(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        checkpoint: CheckpointId,
        o: &mut impl Observer,
    ) {
        let waits = |under_way: &UnderWay| under_way.waiting.contains(subtask.index());
        if !state.of(checkpoint).is_some_and(waits)
            || self.barrier_waits(state, subtask, checkpoint)
            || self.awaits_round(state, subtask, checkpoint)
        {
            return;
        }
        if let Some(under_way) = state.of_mut(checkpoint) {
            under_way.waiting.remove(subtask.index());
        }
        self.store(state, subtask, checkpoint, o);
    }

    fn store(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        checkpoint: CheckpointId,
        o: &mut impl Observer,
    ) {
        let node = self.subtask_node(subtask);
        if self.is_doomed(checkpoint, Some(subtask), Phase::Async) {
            o.event(Event::SnapshotFailed {
                subtask: node,
                checkpoint,
                sync: false,
            });
            self.decline(state, subtask, checkpoint, FailureReason::Asynchronous, o);
            return;
        }
        let (bytes, cost) = if o.is_timed() {
            self.cost_of_storing(state, subtask, checkpoint)
        } else {
            (0, Micros::ZERO)
        };
        let report = Report {
            subtask,
            checkpoint,
            declines: None,
        };
        if state.send_report(report) {
            let asynchronous = o.sent_late(self.snapshot_link(subtask), cost);
            o.event(Event::SnapshotUploading {
                subtask: node,
                checkpoint,
                bytes,
                asynchronous,
            });
        }
    }

    /// How many bytes a subtask stores for a checkpoint, and how long that takes.
    fn cost_of_storing(
        &self,
        state: &State,
        subtask: SubtaskId,
        checkpoint: CheckpointId,
    ) -> (u64, Micros) {
        let costs = &self.scenario.costs;
        let Some(under_way) = state.of(checkpoint) else {
            return (0, Micros::ZERO);
        };
        // Nobody keeps the contents of a checkpoint that is over; its snapshot is as large all the same.
        let held = if under_way.over {
            self.bytes_in(&state.live, subtask)
        } else {
            self.bytes_in(&under_way.contents, subtask)
        };
        let in_flight = self.in_flight_of(&under_way.contents, subtask);
        let mut cost = Micros::from(costs.snapshot_ms);
        let rate = u64::from(costs.store_bytes_per_ms);
        if let Some(time) = held.saturating_mul(1_000).checked_div(rate) {
            cost = cost + Micros(time);
        }
        if in_flight > 0 {
            cost = cost + costs.in_flight_ms;
        }
        (held + in_flight, cost)
    }

    /// A subtask cannot take part in a checkpoint, and tells the coordinator.
    pub(super) fn decline(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        checkpoint: CheckpointId,
        reason: FailureReason,
        o: &mut impl Observer,
    ) {
        let report = Report {
            subtask,
            checkpoint,
            declines: Some(reason),
        };
        if state.of(checkpoint).is_some() && state.send_report(report) {
            o.sent(self.snapshot_link(subtask));
        }
    }

    /// A subtask hears that a checkpoint is given up: what it has not finished for it is dropped
    /// (`SubtaskCheckpointCoordinatorImpl.notifyCheckpointAborted`).
    pub(super) fn hear_abort(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        checkpoint: CheckpointId,
        o: &mut impl Observer,
    ) {
        o.event(Event::AbortNotified {
            subtask: self.subtask_node(subtask),
            checkpoint,
        });
        let at = subtask.index();
        let collecting = self
            .gate_number(subtask)
            .and_then(|gate| state.gates.get(gate));
        let collecting =
            collecting.is_some_and(|gate| gate.pending().any(|pending| pending == checkpoint));
        let stored = state.report(subtask, checkpoint);
        let stored = stored.filter(|(_, report)| report.declines.is_none());
        if let Some((place, report)) = stored {
            state.take_report(report);
            o.taken_at(self.snapshot_link(subtask), place);
        }
        let Some(under_way) = state.of_mut(checkpoint) else {
            return;
        };
        if stored.is_none() && (!under_way.taken.contains(at) || collecting) {
            under_way.told.insert(at);
        }
        under_way.waiting.remove(at);
        for id in self.channels_into(subtask) {
            under_way.persisting.remove(id.index());
        }
    }

    /// Forgets checkpoints that are over once every subtask has heard of it: whoever still gets a barrier
    /// of one that is not known any more takes it for that. Where word was lost, it is kept as long as a
    /// barrier of it is about.
    pub(super) fn prune(&self, state: &mut State) {
        if state.under_way.iter().all(|u| !u.over) {
            return;
        }
        let mut kept = Bits::default();
        for (at, under_way) in state.under_way.iter().enumerate() {
            let checkpoint = under_way.checkpoint;
            let needed = !under_way.over
                || !under_way.triggers.is_empty()
                || state.notices.iter().any(|n| n.checkpoint == checkpoint)
                || state.reports.iter().any(|r| r.checkpoint == checkpoint)
                || under_way.unheard && self.is_about(state, checkpoint);
            if needed {
                kept.insert(at);
            }
        }
        let mut at = 0;
        state.under_way.retain(|_| {
            at += 1;
            kept.contains(at - 1)
        });
    }

    /// Whether a barrier of a checkpoint, or word that it will not come, is in any channel or gate.
    fn is_about(&self, state: &State, checkpoint: CheckpointId) -> bool {
        let on_way = |kind: ElementKind| {
            kind.barrier() == Some(checkpoint) || kind == ElementKind::Cancel(checkpoint)
        };
        let mut channels = state.channels.iter();
        let mut gates = state.gates.iter();
        channels.any(|channel| channel.has_events() && channel.iter().any(on_way))
            || gates.any(|gate| gate.pending().any(|pending| pending == checkpoint))
    }
}
