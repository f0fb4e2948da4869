//! Topics that fill while they are read, and where sources begin: what their enumerators find, assign and store.

use alloc::vec::Vec;

use smallvec::SmallVec;

use super::failure::Cause;
use super::rules::EXPIRY_TIMERS;
use super::state::{Contents, StartOffset, Topics};
use super::{Action, Pipeline, State};
use crate::collections::{Bits, Rare};
use crate::event::{Event, JobEvent};
use crate::flink::split::Split;
use crate::id::{ActorId, CheckpointId, Offset, PartitionId, RecordId};
use crate::protocol::{Disabled, Observer, TimerId};
use crate::scenario::{EnumeratorState, StartupMode};

impl Pipeline {
    pub(super) fn fresh_topics(&self) -> Rare<Topics> {
        let mut topics = Topics::default();
        if self.fills {
            let inputs = self.inputs.iter();
            topics.written = inputs.map(|input| input.present.min(input.len)).collect();
        }
        if self.begins_late {
            topics.starts = smallvec::smallvec![StartOffset::default(); self.inputs.len()];
        }
        Rare(topics)
    }

    pub(super) fn fresh_splits(&self) -> Rare<SmallVec<[Split; 2]>> {
        let inputs = self.inputs.iter();
        Rare(match self.begins_late {
            false => SmallVec::new(),
            true => inputs
                .map(|input| match input.start.startup_mode {
                    StartupMode::EarliestOffset => Split::Assigned,
                    StartupMode::LatestOffset => Split::Unknown,
                })
                .collect(),
        })
    }

    pub(super) fn append_timer(&self, partition: PartitionId) -> TimerId {
        TimerId(self.inputs.len() as u32 + 3 + EXPIRY_TIMERS + u32::from(partition.0))
    }

    pub(super) fn assign_timer(&self, partition: PartitionId) -> TimerId {
        TimerId(self.append_timer(partition).0 + self.inputs.len() as u32)
    }

    /// How many records have come to a partition.
    pub(super) fn written(&self, state: &State, partition: PartitionId) -> u32 {
        let input = self.inputs.get(partition.index());
        let all = input.map_or(0, |input| input.len);
        let written = state.seldom.topics.written.get(partition.index());
        written.copied().unwrap_or(all)
    }

    /// What the enumerator knows of a partition.
    pub(super) fn split(contents: &Contents, partition: PartitionId) -> Split {
        let split = contents.splits.get(partition.index()).copied();
        split.unwrap_or(Split::Assigned)
    }

    /// Where a partition is read from, if that is not its beginning: as it was evaluated first and last.
    pub(super) fn start_of(&self, state: &State, partition: PartitionId) -> StartOffset {
        let starts = state.seldom.topics.starts.get(partition.index());
        starts.copied().unwrap_or_default()
    }

    /// Whether a record came before its source began to read: nobody is to see it.
    pub(super) fn is_skipped(&self, state: &State, record: RecordId) -> bool {
        self.begins_late
            && self.place_of(record).is_some_and(|(partition, offset)| {
                let first = self.start_of(state, partition).first;
                first.is_some_and(|first| offset < first)
            })
    }

    /// How many records were there before the sources began to read.
    pub(super) fn skipped(&self, state: &State) -> u32 {
        let starts = state.seldom.topics.starts.iter();
        starts.filter_map(|start| start.first).sum()
    }

    pub(super) fn enabled_at_enumerator(&self, state: &State, into: &mut Vec<Action>) {
        if !self.begins_late || !state.down.is_empty() {
            return;
        }
        for partition in self.input_partitions() {
            match Self::split(&state.live, partition) {
                Split::Unknown | Split::Named => into.push(Action::Find(partition)),
                Split::Found if self.may_assign(state, partition) => {
                    into.push(Action::Assign(partition));
                }
                Split::Found | Split::Assigned => {}
            }
        }
    }

    /// Whether a partition may be assigned: its reader runs. What the enumerator sends after its part of a checkpoint
    /// comes after the reader's part (`OperatorCoordinatorHolder` closes its gateways).
    fn may_assign(&self, state: &State, partition: PartitionId) -> bool {
        let reader = self.reader_of(partition).index();
        let mut under_way = state.under_way.iter();
        state.runs(reader) && !under_way.any(|u| u.triggers.contains(reader))
    }

    /// The next record comes to a partition.
    pub(super) fn append(
        &self,
        state: &mut State,
        partition: PartitionId,
        o: &mut impl Observer,
    ) -> Result<(), Disabled> {
        let offset = self.written(state, partition);
        let record = self.record_at(partition, offset).ok_or(Disabled)?;
        let written = state.seldom.topics.written.get_mut(partition.index());
        *written.ok_or(Disabled)? += 1;
        o.event(Event::Job(JobEvent::RecordArrived {
            topic: self.input_node(partition),
            record,
            offset: Offset(offset),
        }));
        o.woken(ActorId(self.reader_of(partition).0));
        Ok(())
    }

    /// The enumerator finds a partition, or has restored its name, and evaluates where it ends.
    pub(super) fn find(
        &self,
        state: &mut State,
        partition: PartitionId,
        o: &mut impl Observer,
    ) -> Result<(), Disabled> {
        let at = partition.index();
        let split = Self::split(&state.live, partition);
        if !matches!(split, Split::Unknown | Split::Named) || !state.down.is_empty() {
            return Err(Disabled);
        }
        let end = self.written(state, partition);
        let start = state.seldom.topics.starts.get_mut(at).ok_or(Disabled)?;
        let again = start.first.is_some();
        start.first.get_or_insert(end);
        start.last = end;
        *state.live.offsets.get_mut(at).ok_or(Disabled)? = end;
        *state.live.splits.get_mut(at).ok_or(Disabled)? = Split::Found;
        o.event(Event::Job(JobEvent::PartitionFound {
            source: self.subtask_node(self.reader_of(partition)),
            topic: self.input_node(partition),
            start: Offset(end),
            again,
        }));
        o.fired(self.assign_timer(partition));
        o.woken(self.coordinator_actor());
        Ok(())
    }

    /// The enumerator assigns a partition to its reader.
    pub(super) fn assign(
        &self,
        state: &mut State,
        partition: PartitionId,
        o: &mut impl Observer,
    ) -> Result<(), Disabled> {
        if Self::split(&state.live, partition) != Split::Found
            || !state.down.is_empty()
            || !self.may_assign(state, partition)
        {
            return Err(Disabled);
        }
        let split = state.live.splits.get_mut(partition.index());
        *split.ok_or(Disabled)? = Split::Assigned;
        let start = state.live.offsets.get(partition.index());
        let reader = self.reader_of(partition);
        o.event(Event::Job(JobEvent::PartitionAssigned {
            source: self.subtask_node(reader),
            topic: self.input_node(partition),
            start: Offset(start.copied().unwrap_or(0)),
        }));
        o.woken(ActorId(reader.0));
        Ok(())
    }

    /// The enumerators' part of a checkpoint: it is taken before the sources hear of it
    /// (`CheckpointCoordinator`: coordinators first).
    pub(super) fn store_enumerators(
        &self,
        state: &State,
        checkpoint: CheckpointId,
        contents: &mut Contents,
        o: &mut impl Observer,
    ) {
        if !self.begins_late {
            return;
        }
        let (mut unassigned, mut named) = (0, 0);
        for partition in self.input_partitions() {
            let at = partition.index();
            let input = self.inputs.get(at);
            let with_offset =
                input.is_some_and(|input| input.start.enumerator_state == EnumeratorState::Splits);
            let split = Self::split(&state.live, partition);
            let stored = split.stored(with_offset);
            unassigned += u32::from(split == Split::Found);
            named += u32::from(stored == Split::Named && split == Split::Found);
            if let Some(split) = contents.splits.get_mut(at) {
                *split = stored;
            }
            if let (Split::Found, Some(from), Some(to)) = (
                stored,
                state.live.offsets.get(at),
                contents.offsets.get_mut(at),
            ) {
                *to = *from;
            }
        }
        if unassigned > 0 {
            o.event(Event::Job(JobEvent::EnumeratorStored {
                coordinator: self.coordinator_node(),
                checkpoint,
                unassigned,
                with_offsets: named == 0,
            }));
        }
    }

    /// After a failure: with the JobManager the enumerators are lost, and restored from the checkpoint; otherwise they
    /// live on, and get back what failed readers have got since (`SourceCoordinator.subtaskReset`).
    pub(super) fn restore_splits(
        &self,
        state: &mut State,
        cause: Cause,
        region: &Bits,
        before: &[Split],
        o: &mut impl Observer,
    ) {
        if !self.begins_late {
            return;
        }
        let anew = cause == Cause::JobManager || self.scenario.restart.resubmitted;
        for partition in self.input_partitions() {
            let at = partition.index();
            let known = before.get(at).copied().unwrap_or_default();
            let stored = Self::split(&state.stored, partition);
            let lost = region.contains(self.reader_of(partition).index());
            let split = if anew {
                stored
            } else if lost {
                known.given_back(stored)
            } else {
                known
            };
            if let Some(place) = state.live.splits.get_mut(at) {
                *place = split;
            }
            // A job that starts anew, and whose checkpoint does not know the partition, has promised nothing of it.
            if anew
                && stored == Split::Unknown
                && let Some(start) = state.seldom.topics.starts.get_mut(at)
            {
                *start = StartOffset::default();
            }
            if split == Split::Found {
                if !anew {
                    let start = self.start_of(state, partition).last;
                    if let Some(offset) = state.live.offsets.get_mut(at) {
                        *offset = start;
                    }
                }
                o.fired(self.assign_timer(partition));
            }
        }
    }
}
