//! Broadcast state: every subtask has a copy, every copy is stored, and which one is restored makes a difference.

use super::{Pipeline, Role, State};
use crate::collections::Bits;
use crate::event::{Event, JobEvent};
use crate::id::{ChannelId, RecordId, SubtaskId};
use crate::protocol::Observer;

impl Pipeline {
    /// A record comes to an operator with broadcast state: one of the control stream is applied, any other passes.
    pub(super) fn process_at_broadcast(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        channel: ChannelId,
        record: RecordId,
        o: &mut impl Observer,
    ) {
        let counted = match self.role(subtask) {
            Some(Role::Broadcast { base, .. }) if self.control.contains(channel.index()) => {
                let index = base + record.index();
                state.live.counted.add(index);
                Some(state.live.counted.get(index))
            }
            _ => None,
        };
        o.event(Event::RecordProcessed {
            subtask: self.subtask_node(subtask),
            record,
            counted,
            bytes: self.bytes_of(channel, record),
        });
        self.send(state, subtask, channel, record, o);
    }

    /// Subtasks that start again get the copies that are theirs, or those of subtask 0.
    pub(super) fn restore_copies(&self, state: &mut State, down: &Bits, o: &mut impl Observer) {
        for at in down.iter() {
            let id = SubtaskId(at as u16);
            let Some(Role::Broadcast {
                base,
                restored_from,
                ..
            }) = self.role(id)
            else {
                continue;
            };
            if base == restored_from {
                continue;
            }
            let mut records = 0;
            for record in 0..self.records.len() {
                let times = state.stored.counted.get(restored_from + record);
                records += u32::from(times > 0);
                state.live.counted.set(base + record, times);
            }
            let first = self.graph.subtask(id).map(|subtask| subtask.index);
            o.event(Event::Job(JobEvent::CopyRestored {
                subtask: self.subtask_node(id),
                from: self.subtask_node(SubtaskId(id.0.saturating_sub(first.unwrap_or(0)))),
                records,
            }));
        }
    }
}
