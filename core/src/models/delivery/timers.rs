//! The numbers of the timers.

use super::{ClientId, Delivery};
use crate::id::{Offset, PartitionId};
use crate::kafka::batch::ProducerId;
use crate::kafka::producer::BatchNumber;
use crate::kafka::replicated_log::ReplicaId;
use crate::kafka::transaction_coordinator::TransactionalId;
use crate::protocol::TimerId;

/// The timers of a client.
#[derive(Clone, Copy)]
pub(super) enum Of {
    Send,
    Backoff,
    AutoCommit,
    Poll,
    PollInterval,
    Session,
    Commit,
    Start,
}

const CLIENTS: u16 = 16;
const KINDS: u16 = 8;
const DESTINATIONS: u16 = 12;
const PARTITIONS: u16 = 32;
/// Batches of a client and a partition that are told apart.
const BATCHES: u16 = 16;
const REPLICAS: u16 = 9;
/// Entries of a log that are told apart by their age.
const ENTRIES: u16 = 64;
const PRODUCERS: u16 = 16;
const IDS: u16 = 16;

const BY_DESTINATION: u16 = CLIENTS * KINDS;
const BY_TARGET: u16 = BY_DESTINATION + CLIENTS * DESTINATIONS;
const BY_BATCH: u16 = BY_TARGET + CLIENTS * PARTITIONS;
const BY_REPLICA: u16 = BY_BATCH + CLIENTS * PARTITIONS * BATCHES;
const BY_PARTITION: u16 = BY_REPLICA + 2 * PARTITIONS * REPLICAS;
const BY_ENTRY: u16 = BY_PARTITION + PARTITIONS;
const BY_PRODUCER: u16 = BY_ENTRY + PARTITIONS * ENTRIES;
const BY_ID: u16 = BY_PRODUCER + PARTITIONS * PRODUCERS;
const BY_MARKER: u16 = BY_ID + 2 * IDS;
const BY_BROKER: u16 = BY_MARKER + IDS * (PARTITIONS + CLIENTS);
const BY_GROUP: u16 = BY_BROKER + DESTINATIONS;
const SCAN: u16 = BY_GROUP + CLIENTS;

impl Delivery {
    pub(super) fn timer(&self, client: ClientId, of: Of) -> TimerId {
        TimerId(client.0 % CLIENTS * KINDS + of as u16)
    }

    /// Since when a client waits for a broker or a coordinator.
    pub(super) fn response_timer(&self, client: ClientId, destination: u16) -> TimerId {
        TimerId(BY_DESTINATION + client.0 % CLIENTS * DESTINATIONS + destination % DESTINATIONS)
    }

    pub(super) fn retry_timer(&self, client: ClientId, partition: PartitionId) -> TimerId {
        TimerId(BY_TARGET + client.0 % CLIENTS * PARTITIONS + partition.0 % PARTITIONS)
    }

    pub(super) fn batch_timer(
        &self,
        client: ClientId,
        partition: PartitionId,
        number: BatchNumber,
    ) -> TimerId {
        let target = client.0 % CLIENTS * PARTITIONS + partition.0 % PARTITIONS;
        TimerId(BY_BATCH + target * BATCHES + (number.0 % u32::from(BATCHES)) as u16)
    }

    pub(super) fn fetch_timer(&self, partition: PartitionId, replica: ReplicaId) -> TimerId {
        TimerId(BY_REPLICA + partition.0 % PARTITIONS * REPLICAS + replica.0 % REPLICAS)
    }

    pub(super) fn lag_timer(&self, partition: PartitionId, replica: ReplicaId) -> TimerId {
        TimerId(self.fetch_timer(partition, replica).0 + PARTITIONS * REPLICAS)
    }

    pub(super) fn election_timer(&self, partition: PartitionId) -> TimerId {
        TimerId(BY_PARTITION + partition.0 % PARTITIONS)
    }

    /// The age of an entry.
    pub(super) fn entry_timer(&self, partition: PartitionId, offset: Offset) -> TimerId {
        let entry = (offset.0 % u32::from(ENTRIES)) as u16;
        TimerId(BY_ENTRY + partition.0 % PARTITIONS * ENTRIES + entry)
    }

    /// Since when a producer has not written.
    pub(super) fn producer_timer(&self, partition: PartitionId, producer: ProducerId) -> TimerId {
        let producer = (producer.0 % u32::from(PRODUCERS)) as u16;
        TimerId(BY_PRODUCER + partition.0 % PARTITIONS * PRODUCERS + producer)
    }

    pub(super) fn log_timer(&self, id: TransactionalId) -> TimerId {
        TimerId(BY_ID + id.0 % IDS)
    }

    /// Since when a transaction has been open.
    pub(super) fn transaction_timer(&self, id: TransactionalId) -> TimerId {
        TimerId(BY_ID + IDS + id.0 % IDS)
    }

    pub(super) fn marker_timer(&self, id: TransactionalId, participant: u16) -> TimerId {
        TimerId(BY_MARKER + id.0 % IDS * (PARTITIONS + CLIENTS) + participant)
    }

    pub(super) fn broker_timer(&self, broker: u16) -> TimerId {
        TimerId(BY_BROKER + broker % DESTINATIONS)
    }

    pub(super) fn group_timer(&self, group: u16) -> TimerId {
        TimerId(BY_GROUP + group % CLIENTS)
    }

    pub(super) fn scan_timer(&self) -> TimerId {
        TimerId(SCAN)
    }
}

/// The number of a participant among those that a transaction may have.
pub(super) fn participant(participant: crate::kafka::transaction_state::Participant) -> u16 {
    use crate::kafka::transaction_state::Participant;
    match participant {
        Participant::Partition(partition) => partition.0 % PARTITIONS,
        Participant::Offsets(group) => PARTITIONS + group.0 % CLIENTS,
    }
}
