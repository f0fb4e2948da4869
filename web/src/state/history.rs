//! The checkpoints of a run as they stand at one step, with their figures.

use barrierscope_core::id::{CheckpointId, NodeId};
use barrierscope_core::mark::MarkKind;
use barrierscope_core::scene::Facts;
use barrierscope_core::statistics::{CheckpointStatistics, Kind, Status, SubtaskStatistics};
use barrierscope_core::time::Micros;

use super::run::View;

/// A checkpoint as it stands at a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Which.
    pub checkpoint: CheckpointId,
    /// The step that triggered it.
    pub step: usize,
    /// What kind it is, as far as one knows by now.
    pub kind: Kind,
    /// What has become of it by now.
    pub status: Status,
    /// How many subtasks have acknowledged it in time, and how many there are.
    pub acknowledged: (usize, usize),
    /// The figures of the whole: durations are those of the slowest subtask, sizes are sums.
    pub whole: Line,
    /// By subtask of the job: its figures, once it has acknowledged.
    pub subtasks: Vec<(NodeId, Option<Line>)>,
}

/// The figures of a checkpoint, or of one subtask's part of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// From the trigger to the end; so far, while the checkpoint is under way.
    pub end_to_end: Micros,
    /// From the trigger to the first barrier.
    pub start_delay: Micros,
    /// From the first barrier to the last.
    pub alignment: Micros,
    /// The synchronous part.
    pub sync: Micros,
    /// The asynchronous part.
    pub asynchronous: Micros,
    /// Bytes processed during the alignment.
    pub processed: u64,
    /// Bytes of in-flight data.
    pub persisted: u64,
    /// Bytes in all.
    pub size: u64,
    /// Whether the acknowledgement came too late.
    pub late: bool,
}

impl Line {
    fn of(subtask: &SubtaskStatistics, end_to_end: Micros) -> Self {
        Self {
            end_to_end,
            start_delay: subtask.start_delay,
            alignment: subtask.alignment,
            sync: subtask.sync,
            asynchronous: subtask.asynchronous,
            processed: subtask.processed,
            persisted: subtask.persisted,
            size: subtask.state_size,
            late: subtask.late,
        }
    }

    /// Whether its parts come one after the other. Those of an unaligned checkpoint do not: its snapshot
    /// starts at the first barrier, while the others are still awaited.
    pub fn is_stacked(&self) -> bool {
        let parts = self.start_delay + self.alignment + self.sync + self.asynchronous;
        self.persisted == 0 && parts <= self.end_to_end
    }
}

/// The checkpoints that had been triggered by the step that is looked at, the newest first, but no more
/// than `most`; and how many older ones there are.
pub fn history(view: &View, most: usize) -> (Vec<Entry>, usize) {
    let subtasks: Vec<NodeId> = view.subtasks().map(|node| node.id).collect();
    view.run.with(|session| {
        let (mut triggered, mut over) = (Vec::new(), Vec::new());
        for mark in session.marks() {
            let step = mark.step as usize;
            match mark.kind {
                _ if step > view.step => break,
                MarkKind::Triggered => triggered.push((mark.checkpoint, step)),
                MarkKind::Completed | MarkKind::Aborted => over.push(mark.checkpoint),
                _ => {}
            }
        }
        let all = session.checkpoints();
        let newest = triggered.iter().rev().take(most);
        let entries = newest.filter_map(|(checkpoint, step)| {
            let statistics = all.iter().rfind(|known| known.checkpoint == *checkpoint)?;
            let is_over = over.contains(checkpoint);
            Some(entry(view, statistics, *step, is_over, &subtasks))
        });
        (entries.collect(), triggered.len().saturating_sub(most))
    })
}

fn entry(
    view: &View,
    whole: &CheckpointStatistics,
    step: usize,
    is_over: bool,
    subtasks: &[NodeId],
) -> Entry {
    let mut known = whole.clone();
    if !is_over {
        known.status = Status::InProgress;
        known.end_to_end = view.time - known.triggered;
    }
    // What was acknowledged after this step is not known yet.
    let triggered = known.triggered;
    let by_now = |end: Micros| triggered + end <= view.time;
    known
        .subtasks
        .retain(|subtask| subtask.end_to_end.is_some_and(by_now));
    let longest = |of: fn(&SubtaskStatistics) -> Micros| {
        let times = known.acknowledged().map(of);
        times.max().unwrap_or_default()
    };
    let acknowledged = pending(view, known.checkpoint).unwrap_or(known.acknowledged().count());
    Entry {
        checkpoint: known.checkpoint,
        step,
        kind: known.kind(),
        status: known.status,
        acknowledged: (acknowledged, subtasks.len()),
        whole: Line {
            end_to_end: known.end_to_end,
            start_delay: longest(|subtask| subtask.start_delay),
            alignment: longest(|subtask| subtask.alignment),
            sync: longest(|subtask| subtask.sync),
            asynchronous: longest(|subtask| subtask.asynchronous),
            processed: known.processed(),
            persisted: known.persisted(),
            size: known.state_size(),
            late: false,
        },
        subtasks: subtasks
            .iter()
            .map(|id| {
                let found = known.subtasks.iter().find(|subtask| subtask.subtask == *id);
                let line = found.and_then(|subtask| Some(Line::of(subtask, subtask.end_to_end?)));
                (*id, line)
            })
            .collect(),
    }
}

/// How many have acknowledged a checkpoint that is under way, as the coordinator says.
fn pending(view: &View, checkpoint: CheckpointId) -> Option<usize> {
    view.scene.nodes.iter().find_map(|node| match &node.facts {
        Facts::Coordinator { pending, .. } => {
            let mut pending = pending.iter();
            let found = pending.find(|pending| pending.checkpoint == checkpoint)?;
            Some(found.acknowledged as usize)
        }
        _ => None,
    })
}
