use smallvec::SmallVec;

use crate::collections::{Bits, Tally};
use crate::flink::barrier::handler::Handler;
use crate::flink::channel::Channel;
use crate::flink::coordinator::Coordinator;
use crate::flink::two_phase_commit::SinkTransactions;
use crate::id::{ChannelId, RecordId, SubtaskId};
use crate::kafka::log::PartitionLog;

/// What changes in a pipeline. A small one lives without the heap.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The subtask that died, while the job is down.
    pub(super) crashed: Option<SubtaskId>,
    /// How many crashes there may still be.
    pub(super) crashes_left: u8,
    /// What the running subtasks hold.
    pub(super) live: Contents,
    /// By channel.
    pub(super) channels: SmallVec<[Channel; 6]>,
    /// By subtask, sources left out.
    pub(super) gates: SmallVec<[Handler; 4]>,
    /// By output that sends to each channel in turn: how many records it has sent.
    pub(super) turns: SmallVec<[u16; 4]>,
    pub(super) coordinator: Coordinator,
    /// The sources that have not yet heard of the pending checkpoint.
    pub(super) triggers: Bits,
    /// The subtasks whose alignment may time out.
    pub(super) timers: Bits,
    /// The channels on which what comes is stored with the pending checkpoint, until its barrier comes.
    pub(super) persisting: Bits,
    /// The subtasks whose snapshot for the pending checkpoint is under way to the store.
    pub(super) uploads: Bits,
    /// The subtasks that have not yet heard of the last completed checkpoint.
    pub(super) notifications: Bits,
    /// The snapshots of the pending checkpoint, as far as they were taken.
    pub(super) pending: Contents,
    /// The last completed checkpoint.
    pub(super) stored: Contents,
    /// By output partition.
    pub(super) output: SmallVec<[PartitionLog; 2]>,
}

/// What subtasks hold, and what a checkpoint keeps of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Contents {
    /// By input partition: the offset that is read next.
    pub(super) offsets: SmallVec<[u32; 2]>,
    /// How often each record was counted, by `sum` vertex and record.
    pub(super) counted: Tally,
    /// By sink subtask, if the sink is transactional.
    pub(super) sinks: SmallVec<[SinkTransactions; 2]>,
    /// In-flight data, in the order of the channels: in a checkpoint, what its barriers overtook; of a
    /// job that is down, what is put back into the channels when it starts again.
    pub(super) in_flight: SmallVec<[(ChannelId, RecordId); 2]>,
}

impl Contents {
    /// Adds a record of a channel to the in-flight data, behind those of the same channel.
    pub(super) fn store_in_flight(&mut self, channel: ChannelId, record: RecordId) {
        let behind = self
            .in_flight
            .partition_point(|(other, _)| *other <= channel);
        self.in_flight.insert(behind, (channel, record));
    }
}
