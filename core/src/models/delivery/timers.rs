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

// What has more of a kind than there are numbers shares them with what is long over.
const CLIENTS: u32 = 256;
const KINDS: u32 = 8;
const DESTINATIONS: u32 = 12;
const PARTITIONS: u32 = 32;
/// Batches of a client and a partition that are told apart.
const BATCHES: u32 = 16;
const REPLICAS: u32 = 9;
/// Entries of a log that are told apart by their age.
const ENTRIES: u32 = 64;
const PRODUCERS: u32 = 256;
const IDS: u32 = 1 << 12;

const BY_DESTINATION: u32 = CLIENTS * KINDS;
const BY_TARGET: u32 = BY_DESTINATION + CLIENTS * DESTINATIONS;
const BY_BATCH: u32 = BY_TARGET + CLIENTS * PARTITIONS;
const BY_REPLICA: u32 = BY_BATCH + CLIENTS * PARTITIONS * BATCHES;
const BY_PARTITION: u32 = BY_REPLICA + 2 * PARTITIONS * REPLICAS;
const BY_ENTRY: u32 = BY_PARTITION + PARTITIONS;
const BY_PRODUCER: u32 = BY_ENTRY + PARTITIONS * ENTRIES;
const BY_ID: u32 = BY_PRODUCER + PARTITIONS * PRODUCERS;
const BY_MARKER: u32 = BY_ID + 2 * IDS;
const BY_BROKER: u32 = BY_MARKER + IDS * (PARTITIONS + CLIENTS);
const BY_GROUP: u32 = BY_BROKER + DESTINATIONS;
const SCAN: u32 = BY_GROUP + CLIENTS;

impl Delivery {
    fn timer_at(&self, number: u32) -> TimerId {
        TimerId(self.base.timer + number)
    }

    fn target(client: ClientId, partition: PartitionId) -> u32 {
        u32::from(client.0) % CLIENTS * PARTITIONS + place(partition)
    }

    pub(super) fn timer(&self, client: ClientId, of: Of) -> TimerId {
        self.timer_at(u32::from(client.0) % CLIENTS * KINDS + of as u32)
    }

    /// Since when a client waits for a broker or a coordinator.
    pub(super) fn response_timer(&self, client: ClientId, destination: u16) -> TimerId {
        let pair = u32::from(client.0) % CLIENTS * DESTINATIONS;
        self.timer_at(BY_DESTINATION + pair + u32::from(destination) % DESTINATIONS)
    }

    pub(super) fn retry_timer(&self, client: ClientId, partition: PartitionId) -> TimerId {
        self.timer_at(BY_TARGET + Self::target(client, partition))
    }

    pub(super) fn batch_timer(
        &self,
        client: ClientId,
        partition: PartitionId,
        number: BatchNumber,
    ) -> TimerId {
        let target = Self::target(client, partition);
        self.timer_at(BY_BATCH + target * BATCHES + number.0 % BATCHES)
    }

    pub(super) fn fetch_timer(&self, partition: PartitionId, replica: ReplicaId) -> TimerId {
        self.timer_at(BY_REPLICA + place(partition) * REPLICAS + u32::from(replica.0) % REPLICAS)
    }

    pub(super) fn lag_timer(&self, partition: PartitionId, replica: ReplicaId) -> TimerId {
        TimerId(self.fetch_timer(partition, replica).0 + PARTITIONS * REPLICAS)
    }

    pub(super) fn election_timer(&self, partition: PartitionId) -> TimerId {
        self.timer_at(BY_PARTITION + place(partition))
    }

    /// The age of an entry.
    pub(super) fn entry_timer(&self, partition: PartitionId, offset: Offset) -> TimerId {
        self.timer_at(BY_ENTRY + place(partition) * ENTRIES + offset.0 % ENTRIES)
    }

    /// Since when a producer has not written.
    pub(super) fn producer_timer(&self, partition: PartitionId, producer: ProducerId) -> TimerId {
        self.timer_at(BY_PRODUCER + place(partition) * PRODUCERS + producer.0 % PRODUCERS)
    }

    pub(super) fn log_timer(&self, id: TransactionalId) -> TimerId {
        self.timer_at(BY_ID + id.0 % IDS)
    }

    /// Since when a transaction has been open.
    pub(super) fn transaction_timer(&self, id: TransactionalId) -> TimerId {
        self.timer_at(BY_ID + IDS + id.0 % IDS)
    }

    pub(super) fn marker_timer(&self, id: TransactionalId, participant: u32) -> TimerId {
        self.timer_at(BY_MARKER + id.0 % IDS * (PARTITIONS + CLIENTS) + participant)
    }

    pub(super) fn broker_timer(&self, broker: u16) -> TimerId {
        self.timer_at(BY_BROKER + u32::from(broker) % DESTINATIONS)
    }

    pub(super) fn group_timer(&self, group: u16) -> TimerId {
        self.timer_at(BY_GROUP + u32::from(group) % CLIENTS)
    }

    pub(super) fn scan_timer(&self) -> TimerId {
        self.timer_at(SCAN)
    }
}

fn place(partition: PartitionId) -> u32 {
    u32::from(partition.0) % PARTITIONS
}

/// The number of a participant among those that a transaction may have.
pub(super) fn participant(participant: crate::kafka::transaction_state::Participant) -> u32 {
    use crate::kafka::transaction_state::Participant;
    match participant {
        Participant::Partition(partition) => place(partition),
        Participant::Offsets(group) => PARTITIONS + u32::from(group.0) % CLIENTS,
    }
}
