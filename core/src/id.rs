//! Ids as newtypes: an offset cannot be taken for a checkpoint by mistake.

use core::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident($raw:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
        pub struct $name(pub $raw);

        impl $name {
            /// The id as an index into a list.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }
    };
}

id! {
    /// Something that acts on its own, one thing at a time: a subtask, a coordinator, the environment
    /// that breaks things.
    ActorId(u16)
}
id! {
    /// A directed way along which messages travel in order from one actor to another.
    LinkId(u32)
}
id! {
    /// A parallel instance of an operator, numbered through the whole job.
    SubtaskId(u16)
}
id! {
    /// A channel between two subtasks, numbered through the whole job, grouped by receiver.
    ChannelId(u32)
}
id! {
    /// A vertex of the job graph, in topological order.
    VertexId(u16)
}
id! {
    /// A record of the workload: its number in the order of production. The same record written twice
    /// keeps its number, which is how a duplicate is known.
    RecordId(u32)
}
id! {
    /// A partition of a topic.
    PartitionId(u16)
}
id! {
    /// A place in a partition: of a record or of a control record.
    Offset(u32)
}
id! {
    /// A checkpoint. Ids start at 1 and only grow, across restarts too (Flink's `CheckpointIDCounter`);
    /// 0 stands for "before the first checkpoint".
    CheckpointId(u32)
}
id! {
    /// A lane of a space-time diagram: a process whose steps come one after the other.
    LaneId(u16)
}
id! {
    /// A thing on the stage: a subtask, a partition, a coordinator, the checkpoint store, the reader.
    NodeId(u16)
}

impl CheckpointId {
    /// Before the first checkpoint: the state in which a job starts.
    pub const NONE: Self = Self(0);

    /// The checkpoint after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}
