//! Kafka's part of the rules.
//!
//! * [`log`]: a partition with transactions, control records and the last stable offset.
//!
//! # What this model leaves out
//!
//! A partition has one replica, a batch holds one record, and a transaction is ended by its producer
//! directly: replication, idempotence and the transaction coordinator are not modelled yet. So a
//! transaction never expires here, while a real one is aborted after `transaction.timeout.ms`: a commit
//! that comes later than that loses data.

pub mod log;
