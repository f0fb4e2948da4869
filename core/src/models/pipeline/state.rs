use alloc::boxed::Box;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use smallvec::SmallVec;

use super::kafka_sink::{KafkaCommittable, OnBrokers, SinkState};

use crate::collections::{Bits, Rare, Shared, Tally};
use crate::flink::barrier::handler::Handler;
use crate::flink::channel::Channel;
use crate::flink::coordinator::{Coordinator, FailureReason, Purpose};
use crate::flink::split::Split;
use crate::flink::table_committer::{Committable, Committables};
use crate::flink::two_phase_commit::SinkTransactions;
use crate::id::{ChannelId, CheckpointId, RecordId, SubtaskId};
use crate::kafka::log::PartitionLog;

/// What changes in a pipeline. A small one lives without the heap.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct State {
    /// Whether the job goes on.
    pub(super) job: JobStatus,
    /// The savepoint with which the job stops, once it is complete.
    pub(super) stopped_with: CheckpointId,
    /// Whether a checkpoint has been triggered at once, at the end of the data.
    pub(super) rushed: bool,
    /// How often the job has been restarted, if that is limited.
    pub(super) restarts: u8,
    /// What may still go wrong.
    pub(super) budget: Budget,
    /// The subtasks that do not run: those that died, and those that were cancelled with them.
    pub(super) down: Bits,
    /// The subtasks that died themselves.
    pub(super) dead: Bits,
    /// The subtasks that are deployed and do not run yet.
    pub(super) starting: Bits,
    /// What the running subtasks hold.
    pub(super) live: Shared<Contents>,
    /// By channel.
    pub(super) channels: SmallVec<[Channel; 6]>,
    /// By subtask, sources left out.
    pub(super) gates: Shared<SmallVec<[Handler; 4]>>,
    /// By output that sends to each channel in turn: how many records it has sent.
    pub(super) turns: SmallVec<[u16; 4]>,
    pub(super) coordinator: Coordinator,
    /// The subtasks whose alignment may time out.
    pub(super) timers: Bits,
    /// What subtasks do for each checkpoint, the oldest first; for one that is over too, as long as
    /// anything of it is still about.
    pub(super) under_way: SmallVec<[UnderWay; 1]>,
    /// What subtasks report to the coordinator, by subtask, each in the order in which it was sent.
    pub(super) reports: SmallVec<[Report; 8]>,
    /// Notifications under way, in the order in which they were sent.
    pub(super) notices: SmallVec<[Notice; 1]>,
    /// The last completed checkpoint.
    pub(super) stored: Shared<Contents>,
    /// By output partition; none where it has brokers.
    pub(super) output: Shared<SmallVec<[PartitionLog; 2]>>,
    /// Kafka and the sink's producers, where the output topic has brokers.
    #[serde(skip)]
    pub(super) brokers: Option<Box<OnBrokers>>,
    /// What few jobs have.
    pub(super) seldom: Shared<Seldom>,
}

/// What is to be known of a job that may be deployed anew, writes a table, or reads topics while they fill.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Seldom {
    /// The completed checkpoints from which the job may be deployed again, the oldest first.
    pub(super) kept: Vec<(CheckpointId, Contents)>,
    /// The table that the job writes, and what is about it.
    pub(super) table: Rare<Table>,
    /// What is to be known of input topics that fill while they are read.
    pub(super) topics: Rare<Topics>,
}

/// A table and its catalog, outside the job; and what is to be known of the job for its sake.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Table {
    /// Every committable that a writer ever handed over.
    pub(super) files: SmallVec<[DataFiles; 1]>,
    /// What was committed, the oldest first: each time one change of the table, all of it or nothing.
    pub(super) commits: SmallVec<[TableCommit; 1]>,
    /// How often the job was submitted anew: its id.
    pub(super) job: u8,
    /// The committers whose next commit gets no answer.
    pub(super) unanswered: Bits,
    /// The committers that have finished.
    pub(super) finished: Bits,
}

/// The data files that a writer closed at a barrier.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct DataFiles {
    pub(super) checkpoint: CheckpointId,
    /// The job that wrote them.
    pub(super) job: u8,
    pub(super) records: SmallVec<[RecordId; 2]>,
}

/// A change of the table, with what its catalog says of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct TableCommit {
    pub(super) job: u8,
    pub(super) operator: SubtaskId,
    pub(super) checkpoint: CheckpointId,
    pub(super) files: SmallVec<[Committable; 2]>,
}

/// What the parts of a table sink hold, and what a checkpoint keeps of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct TableState {
    /// By writer: the records in files that are not closed yet.
    pub(super) open: SmallVec<[SmallVec<[RecordId; 2]>; 1]>,
    /// By committer.
    pub(super) committers: SmallVec<[Committables; 1]>,
}

/// Input topics that fill while they are read, and sources that do not begin at their beginning.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Topics {
    /// By input partition: how many records have come to it. Empty where all are there from the start.
    pub(super) written: SmallVec<[u32; 1]>,
    /// By input partition: where it is read from. Empty where every source begins at the beginning.
    pub(super) starts: SmallVec<[StartOffset; 1]>,
}

/// The offset from which a partition is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct StartOffset {
    /// As it was evaluated first: every record from there on is to be read.
    pub(super) first: Option<u32>,
    /// As it was evaluated last.
    pub(super) last: u32,
}

/// Whether the job goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) enum JobStatus {
    /// It does: it runs, or is about to be restarted.
    #[default]
    Running,
    /// The savepoint with which it stops is complete; sinks have still to hear of it.
    Stopping,
    /// The checkpoint at the end of the data is complete; sinks have still to hear of it.
    Finishing,
    /// It has failed for good.
    Failed,
}

/// How much may still go wrong, or be asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Budget {
    pub(super) crashes: u8,
    pub(super) declines: u8,
    pub(super) refusals: u8,
    pub(super) losses: u8,
    pub(super) savepoints: u8,
}

/// What subtasks do for a checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct UnderWay {
    pub(super) checkpoint: CheckpointId,
    pub(super) purpose: Purpose,
    /// It was triggered at the end of the data.
    pub(super) last: bool,
    /// The coordinator has given it up.
    pub(super) over: bool,
    /// Word of that was lost, so that a subtask may go on with it.
    pub(super) unheard: bool,
    /// The sources that have not yet heard of it.
    pub(super) triggers: Bits,
    /// The subtasks that have taken their snapshot.
    pub(super) taken: Bits,
    /// The subtasks whose snapshot waits until the barrier has left their output queues.
    pub(super) waiting: Bits,
    /// The subtasks that were told that it is over, before they have come to the end of it.
    pub(super) told: Bits,
    /// The channels on which what comes is stored, until the barrier comes.
    pub(super) persisting: Bits,
    /// The snapshots, as far as they were taken.
    pub(super) contents: Shared<Contents>,
}

/// What a subtask reports of a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Report {
    pub(super) subtask: SubtaskId,
    pub(super) checkpoint: CheckpointId,
    /// Why it declines; none: its snapshot is on its way to the store, and will be acknowledged.
    pub(super) declines: Option<FailureReason>,
}

/// Word of what became of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Notice {
    pub(super) checkpoint: CheckpointId,
    /// Whether it was completed; otherwise it was given up.
    pub(super) completed: bool,
    /// The last checkpoint that was completed when this was sent: whoever hears of one that was given up
    /// hears of that too, in case word of it was lost.
    pub(super) latest: CheckpointId,
    /// The subtasks that have not yet heard of it.
    pub(super) to: Bits,
}

/// What subtasks hold, and what a checkpoint keeps of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Contents {
    /// By input partition: the offset that is read next.
    pub(super) offsets: SmallVec<[u32; 2]>,
    /// How often each record was counted, by keyed vertex and record.
    pub(super) counted: Tally,
    /// By sink subtask, if the sink is transactional.
    pub(super) sinks: SmallVec<[SinkTransactions; 2]>,
    /// By sink subtask, if the output topic has brokers.
    #[serde(skip)]
    pub(super) on_brokers: Vec<SinkState>,
    /// The prefix of the sink's transactional ids.
    pub(super) prefix: u16,
    /// In-flight data, in the order in which it is put back into the channels: in a checkpoint, what its
    /// barriers overtook; of a job that is down, what is put back when it starts again.
    pub(super) in_flight: SmallVec<[InFlight; 2]>,
    /// What the parts of a table sink hold.
    pub(super) table: Rare<TableState>,
    /// By input partition: what the enumerator of its source knows of it. Of one that is found and not assigned,
    /// `offsets` has the start offset. Empty where every source begins at the beginning.
    pub(super) splits: Rare<SmallVec<[Split; 2]>>,
}

/// A record that an unaligned barrier overtook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct InFlight {
    pub(super) channel: ChannelId,
    /// Whether it was in the output queue, and stored by the sender.
    pub(super) output: bool,
    pub(super) record: RecordId,
}

impl Contents {
    /// What all sink subtasks have to commit, where the output topic has brokers.
    pub(super) fn committables(&self) -> impl Iterator<Item = &KafkaCommittable> {
        self.on_brokers.iter().flat_map(|sink| &sink.committables)
    }

    /// Adds a record to the in-flight data, behind those of the same queue.
    pub(super) fn store_in_flight(&mut self, item: InFlight) {
        let order = |other: &InFlight| (other.channel, other.output);
        let behind = self
            .in_flight
            .partition_point(|other| order(other) <= order(&item));
        self.in_flight.insert(behind, item);
    }
}

impl State {
    /// Whether a subtask runs.
    pub(super) fn runs(&self, subtask: usize) -> bool {
        !self.down.contains(subtask) && !self.starting.contains(subtask)
    }

    /// Whether every subtask runs.
    pub(super) fn all_run(&self) -> bool {
        self.down.is_empty() && self.starting.is_empty()
    }

    /// A subtask's report of a checkpoint that is under way, and its place among the subtask's.
    pub(super) fn report(
        &self,
        subtask: SubtaskId,
        checkpoint: CheckpointId,
    ) -> Option<(usize, Report)> {
        let own = self.reports.iter().filter(|r| r.subtask == subtask);
        let mut own = own.copied().enumerate();
        own.find(|(_, report)| report.checkpoint == checkpoint)
    }

    /// Takes a report from its way.
    pub(super) fn take_report(&mut self, report: Report) {
        self.reports.retain(|other| *other != report);
    }

    /// Sends a report, unless the subtask has sent one of this checkpoint that is still under way.
    pub(super) fn send_report(&mut self, report: Report) -> bool {
        if self.report(report.subtask, report.checkpoint).is_some() {
            return false;
        }
        let behind = self
            .reports
            .partition_point(|r| r.subtask <= report.subtask);
        self.reports.insert(behind, report);
        true
    }

    /// What subtasks do for a checkpoint, if anything of it is still about.
    pub(super) fn of(&self, checkpoint: CheckpointId) -> Option<&UnderWay> {
        self.under_way.iter().find(|u| u.checkpoint == checkpoint)
    }

    /// The same, to change it.
    pub(super) fn of_mut(&mut self, checkpoint: CheckpointId) -> Option<&mut UnderWay> {
        let mut all = self.under_way.iter_mut();
        all.find(|u| u.checkpoint == checkpoint)
    }
}
