//! Kafka's part of the rules.
//!
//! A small log, for a pipeline that a search goes through:
//!
//! * [`log`]: a partition with transactions, control records and the last stable offset.
//!
//! And Kafka as Kafka does it, each a state machine of its own:
//!
//! | module | what it is |
//! | --- | --- |
//! | [`batch`] | what is written: batches with producer id, epoch and sequence; control records |
//! | [`producer_options`] | what a producer's options come to, version by version |
//! | [`producer`] | what a client has under way: sequences, retries, doubt |
//! | [`producer_state`] | what a leader remembers of a producer: duplicates, order, open transactions |
//! | [`replica`] | one copy of a partition: high watermark, last stable offset, what a reader sees |
//! | [`replicated_log`] | leader and followers: `acks`, fetches, who is in sync |
//! | [`election`] | who leads: crashes, returns, clean and unclean elections |
//! | [`transaction_state`] | a transactional id: its states, one transition at a time |
//! | [`transaction_coordinator`] | what the coordinator answers: producer ids, ends, timeouts, markers |
//! | [`group`] | a consumer group: members, rebalances, offsets committed and pending |
//! | [`client`] | a client library in one of its versions, and the bugs it has |
//! | [`consumer_options`] | what a consumer's options come to, by library and version |
//! | [`state_store`] | the local store of a Kafka Streams task |
//! | [`error`] | the errors, by Kafka's names |
//!
//! # What this model leaves out
//!
//! The model *delivery* uses all but [`log`]; the pipeline uses [`log`] only. There a partition has one
//! replica, a batch holds one record, and a transaction is ended by its producer directly: replication,
//! idempotence and the transaction coordinator are not in that model yet. So a transaction never expires there, while a real one is
//! aborted after `transaction.timeout.ms`: a commit that comes later than that loses data.

pub mod batch;
pub mod client;
pub mod consumer_options;
pub mod election;
pub mod error;
pub mod group;
pub mod log;
pub mod producer;
pub mod producer_options;
pub mod producer_state;
pub mod replica;
pub mod replicated_log;
pub mod state_store;
pub mod transaction_coordinator;
mod transaction_requests;
pub mod transaction_state;
