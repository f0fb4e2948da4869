//! A table sink: writers close files at a barrier and hand them over, a committer commits them when the checkpoint is
//! complete, and the catalog remembers what was committed.
//!
//! What the writers hand over travels through channels like records, and has numbers of its own there.
//! Each checkpoint is committed on its own; Iceberg puts those together that only append.

use smallvec::SmallVec;

use super::failure::Cause;
use super::state::{Contents, DataFiles, JobStatus, TableCommit, TableState};
use super::{Pipeline, Role, State};
use crate::collections::{Bits, Rare};
use crate::event::{Event, JobEvent};
use crate::flink::channel::ElementKind;
use crate::flink::table_committer::{Committable, Committables, Filed};
use crate::id::{ChannelId, CheckpointId, RecordId, SubtaskId};
use crate::protocol::{Disabled, Observer};
use crate::scenario::{DedupeKey, EndOfData};

/// What becomes of a commit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    /// The committer hears that it is done.
    Heard,
    /// It does not, and fails.
    Lost,
}

impl Pipeline {
    pub(super) fn fresh_table(&self) -> Rare<TableState> {
        Rare(TableState {
            open: smallvec::smallvec![SmallVec::new(); self.writers],
            committers: smallvec::smallvec![Committables::default(); self.committers.len()],
        })
    }

    /// A writer puts a record into a file.
    pub(super) fn write_to_file(
        &self,
        state: &mut State,
        writer: SubtaskId,
        number: usize,
        channel: ChannelId,
        record: RecordId,
        o: &mut impl Observer,
    ) {
        if let Some(open) = state.live.table.open.get_mut(number) {
            open.push(record);
        }
        o.event(Event::Job(JobEvent::FileWritten {
            subtask: self.subtask_node(writer),
            record,
            bytes: self.bytes_of(channel, record),
        }));
    }

    /// What the parts of a table sink do before they pass a barrier on: writers hand over what they have written
    /// (`prepareSnapshotPreBarrier`); committers store what they have received.
    pub(super) fn before_barrier(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        checkpoint: CheckpointId,
        o: &mut impl Observer,
    ) {
        match self.role(subtask) {
            Some(Role::TableWriter { number, .. }) => {
                let open = state.live.table.open.get_mut(*number);
                let records = open.map(core::mem::take).unwrap_or_default();
                if !records.is_empty() {
                    self.hand_over(state, subtask, checkpoint, records, o);
                }
            }
            Some(Role::Committer {
                number, keeping, ..
            }) => {
                let committer = state.live.table.committers.get_mut(*number);
                let gone = committer.map(|committer| committer.store(checkpoint, *keeping));
                let gone = gone.unwrap_or_default();
                if let Some(first) = gone.first() {
                    o.event(Event::Job(JobEvent::CommittablesReplaced {
                        subtask: self.subtask_node(subtask),
                        checkpoint: first.checkpoint,
                        records: records_in(state, &gone),
                    }));
                }
            }
            _ => {}
        }
    }

    /// Hands files over to whoever comes next.
    fn hand_over(
        &self,
        state: &mut State,
        from: SubtaskId,
        checkpoint: CheckpointId,
        records: SmallVec<[RecordId; 2]>,
        o: &mut impl Observer,
    ) {
        o.event(Event::Job(JobEvent::CommittablesSent {
            subtask: self.subtask_node(from),
            checkpoint,
            records: records.len() as u32,
        }));
        let committable = Committable(state.seldom.table.files.len() as u32);
        let job = state.seldom.table.job;
        state.seldom.table.files.push(DataFiles {
            checkpoint,
            job,
            records,
        });
        let channel = self.channels_from(from).next();
        if let Some(channel) = channel {
            self.put_record(state, channel, committable.on_the_way(), o);
        }
    }

    /// A committer gets files from a writer, or a global committer from a committer.
    pub(super) fn receive_committable(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        record: RecordId,
        o: &mut impl Observer,
    ) {
        let node = self.subtask_node(subtask);
        let Some(committable) = Committable::of(record) else {
            return;
        };
        let files = state.seldom.table.files.get(committable.0 as usize);
        let Some(checkpoint) = files.map(|files| files.checkpoint) else {
            return;
        };
        let filed = Filed {
            checkpoint,
            committable,
        };
        let records = records_in(state, &[filed]);
        if state.seldom.table.finished.contains(subtask.index()) {
            o.event(Event::Job(JobEvent::CommittablesTooLate {
                subtask: node,
                checkpoint,
                records,
            }));
            return;
        }
        let Some(Role::Committer { number, global, .. }) = self.role(subtask) else {
            return;
        };
        let committer = state.live.table.committers.get_mut(*number);
        let late = committer.is_some_and(|committer| committer.receive(filed));
        o.event(Event::Job(JobEvent::CommittablesReceived {
            subtask: node,
            checkpoint,
            records,
            late: late && !*global,
        }));
        if *global {
            // It gets nothing before the checkpoint is complete, and all of a checkpoint at once.
            if let Some(committer) = state.live.table.committers.get_mut(*number) {
                *committer = Committables::default();
            }
            let files = smallvec::smallvec![committable];
            let answer = self.commit(state, subtask, checkpoint, files, false, o);
            if answer == Answer::Lost {
                self.fail(state, Cause::Subtask(subtask), o);
            }
        }
    }

    /// A committer hears that a checkpoint is complete: it commits what belongs to it and to older ones, checkpoint by
    /// checkpoint, or hands it on.
    pub(super) fn commit_to_table(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        checkpoint: CheckpointId,
        o: &mut impl Observer,
    ) {
        let Some(Role::Committer { global, .. }) = self.role(subtask) else {
            return;
        };
        if *global {
            self.finish_with_last(state, subtask, checkpoint, o);
        } else if self.commit_ready(state, subtask, checkpoint, false, o) == Answer::Lost {
            self.fail(state, Cause::Subtask(subtask), o);
        }
    }

    /// A global committer that has heard of the end of the data finishes when the last checkpoint is complete.
    fn finish_with_last(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        checkpoint: CheckpointId,
        o: &mut impl Observer,
    ) {
        let told = self.committers.iter().any(|committer| {
            matches!(
                self.role(*committer),
                Some(Role::Committer {
                    hands_on: Some(EndOfData::AtEndOfInput),
                    ..
                })
            )
        });
        if told
            && state.job == JobStatus::Finishing
            && state.seldom.table.finished.insert(subtask.index())
        {
            o.event(Event::Job(JobEvent::CommitterFinished {
                subtask: self.subtask_node(subtask),
                checkpoint,
            }));
        }
    }

    fn commit_ready(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        checkpoint: CheckpointId,
        recovered: bool,
        o: &mut impl Observer,
    ) -> Answer {
        let Some(Role::Committer {
            number, hands_on, ..
        }) = self.role(subtask)
        else {
            return Answer::Heard;
        };
        let committer = state.live.table.committers.get(*number);
        let ready = committer.map(|committer| committer.ready(checkpoint));
        let ready = ready.unwrap_or_default();
        let mut rest = ready.as_slice();
        while let Some(first) = rest.first() {
            let same = rest
                .iter()
                .take_while(|filed| filed.checkpoint == first.checkpoint);
            let (these, others) = rest.split_at(same.count());
            rest = others;
            if hands_on.is_some() {
                let mut records = SmallVec::new();
                for filed in these {
                    if let Some(files) = state.seldom.table.files.get(filed.committable.0 as usize)
                    {
                        records.extend_from_slice(&files.records);
                    }
                }
                self.hand_over(state, subtask, first.checkpoint, records, o);
            } else {
                let files = these.iter().map(|filed| filed.committable).collect();
                let answer = self.commit(state, subtask, first.checkpoint, files, recovered, o);
                if answer == Answer::Lost {
                    return answer;
                }
            }
            if let Some(committer) = state.live.table.committers.get_mut(*number) {
                committer.committed(first.checkpoint);
            }
        }
        Answer::Heard
    }

    /// Commits files to the table, unless the catalog says that it was done before.
    fn commit(
        &self,
        state: &mut State,
        operator: SubtaskId,
        checkpoint: CheckpointId,
        files: SmallVec<[Committable; 2]>,
        recovered: bool,
        o: &mut impl Observer,
    ) -> Answer {
        let subtask = self.subtask_node(operator);
        let Some(Role::Committer { dedupe_key, .. }) = self.role(operator) else {
            return Answer::Heard;
        };
        let table = &mut state.seldom.table;
        let written_by = files.first();
        let written_by = written_by.and_then(|file| table.files.get(file.0 as usize));
        let job = match dedupe_key {
            DedupeKey::JobId | DedupeKey::OperatorUid => table.job,
            DedupeKey::CommittableJobId => written_by.map_or(table.job, |files| files.job),
        };
        let known = table.commits.iter().any(|commit| {
            commit.operator == operator
                && commit.checkpoint >= checkpoint
                && (*dedupe_key == DedupeKey::OperatorUid || commit.job == job)
        });
        if known {
            o.event(Event::Job(JobEvent::AlreadyCommitted {
                subtask,
                checkpoint,
            }));
            return Answer::Heard;
        }
        let records = files
            .iter()
            .filter_map(|file| table.files.get(file.0 as usize));
        let records = records.map(|files| files.records.len() as u32).sum();
        table.commits.push(TableCommit {
            job,
            operator,
            checkpoint,
            files,
        });
        o.event(Event::Job(JobEvent::TableCommitted {
            subtask,
            checkpoint,
            records,
            job: u32::from(job),
            recovered,
        }));
        if !table.unanswered.remove(operator.index()) {
            return Answer::Heard;
        }
        o.event(Event::Job(JobEvent::ResponseLost {
            subtask,
            checkpoint,
        }));
        Answer::Lost
    }

    pub(super) fn may_lose_response(&self, state: &State, committer: SubtaskId) -> bool {
        state.budget.losses > 0
            && !self.is_over(state)
            && !state.seldom.table.unanswered.contains(committer.index())
    }

    /// The next commit of a committer will get no answer.
    pub(super) fn lose_response(
        &self,
        state: &mut State,
        committer: SubtaskId,
        o: &mut impl Observer,
    ) -> Result<(), Disabled> {
        if !self.committers.contains(&committer) || !self.may_lose_response(state, committer) {
            return Err(Disabled);
        }
        state.budget.losses -= 1;
        state.seldom.table.unanswered.insert(committer.index());
        o.event(Event::Job(JobEvent::ResponseWillBeLost {
            subtask: self.subtask_node(committer),
        }));
        Ok(())
    }

    pub(super) fn copy_table_state(&self, subtask: SubtaskId, from: &Contents, to: &mut Contents) {
        match self.role(subtask) {
            Some(Role::TableWriter { number, .. }) => {
                if let (Some(from), Some(to)) =
                    (from.table.open.get(*number), to.table.open.get_mut(*number))
                {
                    *to = from.clone();
                }
            }
            Some(Role::Committer { number, .. }) => {
                if let (Some(from), Some(to)) = (
                    from.table.committers.get(*number),
                    to.table.committers.get_mut(*number),
                ) {
                    *to = from.snapshot();
                }
            }
            _ => {}
        }
    }

    /// A job that is not restarted by its cluster is submitted anew: it has another id.
    pub(super) fn submit_anew(&self, state: &mut State, o: &mut impl Observer) {
        if self.scenario.restart.resubmitted {
            state.seldom.table.job = state.seldom.table.job.saturating_add(1);
            o.event(Event::Job(JobEvent::JobResubmitted {
                job: u32::from(state.seldom.table.job),
            }));
        }
    }

    /// Committers that start again commit what the checkpoint holds: it is complete.
    pub(super) fn recover_table(&self, state: &mut State, down: &Bits, o: &mut impl Observer) {
        let completed = state.coordinator.completed();
        for committer in self.committers.iter().copied() {
            if down.contains(committer.index()) {
                state.seldom.table.finished.remove(committer.index());
                // An answer that is lost now is asked for again: the commit is looked up.
                state.seldom.table.unanswered.remove(committer.index());
                self.commit_ready(state, committer, completed, true, o);
            }
        }
    }

    /// Whether no record waits in a table sink for being committed.
    pub(super) fn table_is_settled(&self, state: &State) -> bool {
        if self.committers.is_empty() {
            return true;
        }
        let mut open = state.live.table.open.iter();
        open.all(SmallVec::is_empty)
            && self.committers_are_done(state)
            && state.channels.iter().all(|channel| channel.records() == 0)
    }

    /// Whether no committer holds anything.
    pub(super) fn committers_are_done(&self, state: &State) -> bool {
        let mut committers = state.live.table.committers.iter();
        committers.all(Committables::is_empty)
    }

    /// Tells of each record in the table, and of each that is on its way there: whether it is visible.
    pub(super) fn find_in_table(&self, state: &State, found: &mut dyn FnMut(RecordId, bool)) {
        if self.committers.is_empty() {
            return;
        }
        let table = &state.seldom.table;
        let mut in_files = |committable: Committable, visible: bool| {
            let files = table.files.get(committable.0 as usize);
            for record in files.into_iter().flat_map(|files| &files.records) {
                found(*record, visible);
            }
        };
        for commit in &table.commits {
            for file in &commit.files {
                in_files(*file, true);
            }
        }
        let committers = state.live.table.committers.iter().zip(&self.committers);
        for (held, committer) in committers {
            for filed in held.all() {
                // What the catalog has already is not about to come once more, unless nobody recognises it.
                if !self.is_committed(state, *committer, filed) {
                    in_files(filed.committable, false);
                }
            }
        }
        for channel in &state.channels {
            for element in channel.iter() {
                if let ElementKind::Record(record) = element
                    && let Some(committable) = Committable::of(record)
                {
                    in_files(committable, false);
                }
            }
        }
        for item in &state.live.in_flight {
            if let Some(committable) = Committable::of(item.record) {
                in_files(committable, false);
            }
        }
        for open in &state.live.table.open {
            for record in open {
                found(*record, false);
            }
        }
    }

    fn is_committed(&self, state: &State, committer: SubtaskId, filed: Filed) -> bool {
        let mut commits = state.seldom.table.commits.iter();
        commits
            .any(|commit| commit.operator == committer && commit.files.contains(&filed.committable))
    }

    /// The records in the table, in the order of their commits, each with its checkpoint.
    pub(super) fn rows(&self, state: &State) -> alloc::vec::Vec<(RecordId, CheckpointId)> {
        let mut rows = alloc::vec::Vec::new();
        for commit in &state.seldom.table.commits {
            for file in &commit.files {
                let files = state.seldom.table.files.get(file.0 as usize);
                let records = files.into_iter().flat_map(|files| &files.records);
                rows.extend(records.map(|record| (*record, commit.checkpoint)));
            }
        }
        rows
    }

    /// How many records a part of a table sink holds, if it is one.
    pub(super) fn held_for_table(&self, state: &State, subtask: SubtaskId) -> Option<u32> {
        match self.role(subtask)? {
            Role::TableWriter { number, .. } => {
                let open = state.live.table.open.get(*number)?;
                Some(open.len() as u32)
            }
            Role::Committer { number, .. } => {
                let committer = state.live.table.committers.get(*number)?;
                let held: SmallVec<[Filed; 4]> = committer.all().collect();
                Some(records_in(state, &held))
            }
            _ => None,
        }
    }
}

/// How many records are in some files.
fn records_in(state: &State, filed: &[Filed]) -> u32 {
    let files = filed.iter();
    files
        .filter_map(|filed| state.seldom.table.files.get(filed.committable.0 as usize))
        .map(|files| files.records.len() as u32)
        .sum()
}
