//! Flink's part of the rules: small state machines, each usable without the rest.
//!
//! * [`key_groups`]: which subtask a key belongs to.
//! * [`job_graph`]: vertices, subtasks, and the channels between them.
//! * [`channel`]: what is on its way between two subtasks, in finite buffers.
//! * [`barrier`]: what an input gate does when barriers arrive, in every mode.
//! * [`coordinator`]: the checkpoint coordinator on the JobManager.
//! * [`split`]: what the enumerator of a source knows of a partition.
//! * [`table_committer`]: the committables of a table sink, until their checkpoint is complete.
//! * [`two_phase_commit`]: the transactions of a sink that commits with the checkpoint.
//!
//! # What this model leaves out
//!
//! Buffers are counted in records: as many as fit into so many bytes, and a record is sent on at once
//! (no buffer timeout, no debloating). The floating buffers of a gate are shared equally by its channels.
//! What has credit is in the receiver's queue at once; the time it takes is kept apart. The asynchronous
//! upload of a snapshot and its acknowledgement are one message. Snapshots are full ones, not incremental.
//! A source has an enumerator where it begins at the latest offset only. A subtask that has come to the end of its data does
//! not end its channels; it waits for the last checkpoint as the others do. A savepoint that is complete
//! is told as an event and kept nowhere.
//!
//! # What it shows that is easily overlooked
//!
//! A savepoint is not recovered from. If a job stops with a savepoint, and a subtask is lost after another
//! one has committed because of it, the job starts again from an older checkpoint, and what was committed
//! is written again (Flink throws a `StopWithSavepointStoppingException` for somebody to look into it).
//!
//! Where a barrier that overtakes comes to an edge on which barriers do not (forward, broadcast), it is
//! aligned there. In a graph whose branches join again, a subtask may then wait for a barrier that stands
//! behind records whose way leads through the very channel that is blocked. Such a checkpoint can only
//! expire, and that opens no channel: the job stands still. This follows from the rules; no recording of it
//! is known.

pub mod barrier;
pub mod channel;
pub mod coordinator;
pub mod job_graph;
pub mod key_groups;
pub mod split;
pub mod table_committer;
pub mod two_phase_commit;
