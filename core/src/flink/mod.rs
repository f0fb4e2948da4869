//! Flink's part of the rules: small state machines, each usable without the rest.
//!
//! * [`key_groups`]: which subtask a key belongs to.
//! * [`job_graph`]: vertices, subtasks, and the channels between them.
//! * [`channel`]: what is on its way between two subtasks, in finite buffers.
//! * [`barrier`]: what an input gate does when barriers arrive, in every mode.
//! * [`coordinator`]: the checkpoint coordinator on the JobManager.
//! * [`two_phase_commit`]: the transactions of a sink that commits with the checkpoint.
//!
//! # What this model leaves out
//!
//! One buffer holds one record. Barriers need no buffer (in Flink, events are sent without credit).
//! A channel's output queue, its wire and its input queue are one queue here, so that in-flight data is
//! always stored by the receiver, while in Flink the sender stores what its barrier overtook in its
//! output queue: together it is the same. The asynchronous upload of a snapshot and its acknowledgement
//! are one message. One checkpoint at a time; no savepoint, minimum pause, decline, or limit of tolerable
//! failures yet, and after a restart the next checkpoint comes when it is due. A restart restarts all subtasks (one pipelined region).

pub mod barrier;
pub mod channel;
pub mod coordinator;
pub mod job_graph;
pub mod key_groups;
pub mod two_phase_commit;
