//! Iterations: a record goes round once, and what is on its way back is in no checkpoint, unless it is logged.
//!
//! Barriers that are to be aligned do not go round a loop: its head would wait for a barrier that waits for the head.
//! So the head aligns the barriers of its other inputs, and what comes back belongs to no side of any barrier. Where
//! it is logged, the head sends a barrier round all the same, and stores what comes back before it.

use super::{Pipeline, State};
use crate::event::{Event, JobEvent};
use crate::flink::job_graph::Output;
use crate::id::{ChannelId, CheckpointId, RecordId, SubtaskId};
use crate::protocol::Observer;

impl Pipeline {
    /// Whether a record that came on a channel is sent on by an output: the head of a loop sends into it what comes,
    /// and out of it what comes back.
    pub(super) fn sends_by(&self, output: &Output, came_by: Option<ChannelId>) -> bool {
        if self.feedback.is_empty() {
            return true;
        }
        let (Some(first), Some(came_by)) = (output.channels.first(), came_by) else {
            return true;
        };
        let receiver = self.graph.channels().get(came_by.index());
        if !receiver.is_some_and(|ends| self.heads_loop(ends.to)) {
            return true;
        }
        self.into_loop.contains(first.index()) != self.feedback.contains(came_by.index())
    }

    /// Whether barriers, and word that none will come, are sent on a channel.
    pub(super) fn carries_barriers(&self, channel: ChannelId) -> bool {
        !self.feedback.contains(channel.index()) || self.logged.contains(channel.index())
    }

    /// A record comes to the head of a loop.
    pub(super) fn pass_head(
        &self,
        state: &mut State,
        head: SubtaskId,
        channel: ChannelId,
        record: RecordId,
        o: &mut impl Observer,
    ) {
        o.event(Event::Job(JobEvent::LoopPassed {
            subtask: self.subtask_node(head),
            record,
            bytes: self.bytes_of(channel, record),
            leaves: self.feedback.contains(channel.index()),
        }));
        self.send(state, head, channel, record, o);
    }

    /// Whether a subtask is the head of a loop.
    pub(super) fn heads_loop(&self, subtask: SubtaskId) -> bool {
        !self.feedback.is_empty()
            && self
                .channels_into(subtask)
                .any(|id| self.feedback.contains(id.index()))
    }

    /// The head of a loop takes its snapshot: from now on, what comes back belongs to it, until a barrier has gone
    /// round.
    pub(super) fn start_log(
        &self,
        state: &mut State,
        head: SubtaskId,
        checkpoint: CheckpointId,
        o: &mut impl Observer,
    ) {
        for id in self.channels_into(head) {
            if !self.logged.contains(id.index()) {
                continue;
            }
            let queued = state.channels.get(id.index());
            let queued = queued.map_or(0, |channel| channel.input().len());
            let (records, bytes) = self.store_elements(state, id, checkpoint, false, 0..queued);
            if let Some(under_way) = state.of_mut(checkpoint)
                && !under_way.over
            {
                under_way.persisting.insert(id.index());
                o.event(Event::Job(JobEvent::LogStarted {
                    subtask: self.subtask_node(head),
                    checkpoint,
                    records,
                    bytes,
                }));
            }
        }
    }

    /// Whether the head of a loop still waits for a barrier that goes round.
    pub(super) fn awaits_round(
        &self,
        state: &State,
        head: SubtaskId,
        checkpoint: CheckpointId,
    ) -> bool {
        if self.logged.is_empty() {
            return false;
        }
        let under_way = state.of(checkpoint);
        under_way.is_some_and(|under_way| {
            self.channels_into(head).any(|id| {
                self.logged.contains(id.index()) && under_way.persisting.contains(id.index())
            })
        })
    }

    /// A barrier has gone round a loop: all that was on its way back before it is stored.
    pub(super) fn barrier_came_round(
        &self,
        state: &mut State,
        channel: ChannelId,
        checkpoint: CheckpointId,
        o: &mut impl Observer,
    ) {
        let Some(ends) = self.graph.channels().get(channel.index()) else {
            return;
        };
        if state.of(checkpoint).is_none_or(|under_way| under_way.over) {
            o.event(Event::BarrierIgnored {
                subtask: self.subtask_node(ends.to),
                checkpoint,
            });
            self.prune(state);
            return;
        }
        o.event(Event::Job(JobEvent::BarrierCameRound {
            subtask: self.subtask_node(ends.to),
            checkpoint,
        }));
        self.upload_if_barriers_left(state, ends.to, checkpoint, o);
    }
}
