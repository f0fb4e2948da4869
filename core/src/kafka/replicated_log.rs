//! A partition with its replicas: who leads, who is in sync, what is acknowledged and when.
//!
//! Sources: Kafka's `Partition` (`appendRecordsToLeader`, `maybeIncrementLeaderHW`,
//! `isFollowerInSync`), `ReplicaManager`, `AbstractFetcherThread` (truncation); KIP-101, KIP-595 (a
//! fetch finds out where logs part).
//!
//! A fetch is one step: the request tells the leader how far the follower is, the response brings
//! entries and the high watermark. So a follower learns a high watermark one fetch later, as in Kafka. A
//! response that is lost brings nothing (`max` 0). A leader that has been replaced knows it at once.
//! Only the leader deletes old entries; a follower hears of its log start with the high watermark.
//! Who leads is decided in [`election`](super::election).

use smallvec::{SmallVec, smallvec};

use super::batch::{Batch, Entry, LeaderEpoch, Marker, ProducerId};
use super::error::ProduceError;
use super::log::IsolationLevel;
use super::producer_state::Verdict;
use super::replica::Replica;
use crate::collections::Bits;
use crate::id::{Offset, RecordId};

/// A replica of a partition, on a broker of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReplicaId(pub u16);

/// What a producer waits for: the option `acks`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Acks {
    /// `0`: for nothing.
    None,
    /// `1`: for the leader's own log.
    Leader,
    /// `all`: for every replica that is in sync at that moment. The default since 3.0.
    #[default]
    All,
}

/// A topic's options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TopicOptions {
    /// `min.insync.replicas`: with fewer, a write with `acks=all` is refused.
    pub min_in_sync: u16,
    /// `unclean.leader.election.enable`
    pub unclean_election: bool,
}

impl Default for TopicOptions {
    fn default() -> Self {
        Self {
            min_in_sync: 1,
            unclean_election: false,
        }
    }
}

/// What the leader has in its log because of a request, now or from an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Produced {
    /// Where the first record stands.
    pub first: Offset,
    /// The offset behind the last one.
    pub end: Offset,
    /// The leader's term.
    pub epoch: LeaderEpoch,
    /// Nothing was appended: the batch was there.
    pub duplicate: bool,
}

/// What a follower's fetch did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fetched {
    /// So many entries were copied.
    Copied(usize),
    /// The logs part, or the leader's starts later only: the follower has cut its own off here, and
    /// fetches again.
    Truncated(Offset),
}

/// A partition with its replicas.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReplicatedLog {
    pub(super) replicas: SmallVec<[Replica; 3]>,
    pub(super) alive: Bits,
    pub(super) leader: Option<ReplicaId>,
    pub(super) epoch: LeaderEpoch,
    /// Where the leader's log ended when its term began.
    pub(super) epoch_start: Offset,
    pub(super) in_sync: Bits,
    /// How far each follower is, as far as the leader knows.
    pub(super) known: SmallVec<[Offset; 3]>,
}

impl ReplicatedLog {
    /// An empty partition with so many replicas, all in sync. The first one leads.
    pub fn new(replicas: u16) -> Self {
        let count = usize::from(replicas);
        Self {
            replicas: smallvec![Replica::default(); count],
            alive: Bits::below(count),
            leader: (replicas > 0).then_some(ReplicaId(0)),
            epoch: LeaderEpoch(0),
            epoch_start: Offset(0),
            in_sync: Bits::below(count),
            known: smallvec![Offset(0); count],
        }
    }

    /// `Produce`: the leader checks a batch and appends it. When it may be acknowledged,
    /// [`acknowledged`](Self::acknowledged) says.
    pub fn produce(
        &mut self,
        options: &TopicOptions,
        acks: Acks,
        batch: Batch,
    ) -> Result<Produced, ProduceError> {
        let entry = Entry::Data(batch);
        let leader = self.writable(options, acks)?;
        if entry.is_empty() {
            return Err(ProduceError::InvalidRecord);
        }
        let verdict = match &entry {
            Entry::Data(batch) => batch.stamp(),
            Entry::Control(_) => None,
        }
        .map(|stamp| leader.producers().check(&stamp))
        .transpose()?;
        match verdict {
            Some(Verdict::Duplicate(first)) => Ok(Produced {
                first,
                end: entry.end(first),
                epoch: self.epoch,
                duplicate: true,
            }),
            _ => self.append(entry),
        }
    }

    /// `WriteTxnMarkers`: a coordinator ends a transaction. It is acknowledged like a write with
    /// `acks=all`.
    pub fn write_marker(
        &mut self,
        options: &TopicOptions,
        marker: Marker,
    ) -> Result<Produced, ProduceError> {
        let leader = self.writable(options, Acks::All)?;
        leader.producers().check_marker(&marker)?;
        self.append(Entry::Control(marker))
    }

    /// Whether what was produced may be acknowledged now.
    pub fn acknowledged(
        &self,
        options: &TopicOptions,
        acks: Acks,
        produced: &Produced,
    ) -> Result<bool, ProduceError> {
        if acks != Acks::All {
            return Ok(true);
        }
        let leader = self.leading().ok_or(ProduceError::NotLeaderOrFollower)?;
        if self.epoch != produced.epoch {
            return Err(ProduceError::NotLeaderOrFollower);
        }
        if leader.high_watermark() < produced.end {
            return Ok(false);
        }
        match self.has_enough(options) {
            true => Ok(true),
            false => Err(ProduceError::NotEnoughReplicasAfterAppend),
        }
    }

    /// A follower fetches up to `max` entries. None if there is no leader, or it is no follower that
    /// lives.
    pub fn fetch(&mut self, follower: ReplicaId, max: usize) -> Option<Fetched> {
        let leader = self.leading()?;
        if self.leader == Some(follower) || !self.alive.contains(index(follower)) {
            return None;
        }
        let behind = self.replicas.get(index(follower))?;
        let start = leader.log_start();
        if behind.end() < start {
            self.replicas.get_mut(index(follower))?.restart(start);
            return Some(Fetched::Truncated(start));
        }
        if let Some(offset) = behind.divergence(leader) {
            self.replicas.get_mut(index(follower))?.truncate(offset);
            return Some(Fetched::Truncated(offset));
        }
        let end = behind.end();
        let at = leader.entries().partition_point(|it| it.offset < end);
        let missing = leader.entries().get(at..).unwrap_or_default();
        let copied: SmallVec<[_; 2]> = missing.iter().take(max).cloned().collect();
        self.follower_is_at(follower, end);
        let high_watermark = self.high_watermark();
        let behind = self.replicas.get_mut(index(follower))?;
        let count = copied.len();
        for placed in copied {
            behind.append(placed.epoch, placed.entry);
        }
        behind.raise_high_watermark(high_watermark);
        behind.delete_before(start);
        Some(Fetched::Copied(count))
    }

    /// Whether the leader may say where its log ends (`ListOffsets`): a new one does not, until its high
    /// watermark has come to where its term began (KIP-207).
    pub fn knows_its_end(&self) -> bool {
        self.leading()
            .is_some_and(|leader| leader.high_watermark() >= self.epoch_start)
    }

    /// Whether a fetch would tell a follower, or the leader, anything.
    pub fn would_learn(&self, follower: ReplicaId) -> bool {
        let (Some(leader), Some(behind)) = (self.leading(), self.replica(follower)) else {
            return false;
        };
        let known = self.known.get(index(follower)).copied();
        self.leader != Some(follower)
            && self.alive.contains(index(follower))
            && (behind.end() < leader.end()
                || behind.high_watermark() < leader.high_watermark()
                || behind.log_start() < leader.log_start()
                || known != Some(behind.end())
                || !self.in_sync.contains(index(follower))
                || behind.divergence(leader).is_some())
    }

    /// Whether a follower may be put out of sync: it is in sync, and is behind or does not live.
    pub fn may_fall_behind(&self, follower: ReplicaId) -> bool {
        let Some(leader) = self.leading() else {
            return false;
        };
        let known = self.known.get(index(follower));
        let behind = known.is_some_and(|known| *known < leader.end());
        let gone = !self.alive.contains(index(follower));
        self.leader != Some(follower) && self.in_sync.contains(index(follower)) && (behind || gone)
    }

    /// `replica.lag.time.max.ms` has passed since a follower was last at the leader's end, or its
    /// broker is gone: it is no longer in sync. False if it may not be put out.
    pub fn fall_behind(&mut self, follower: ReplicaId) -> bool {
        let may = self.may_fall_behind(follower);
        if may {
            self.in_sync.remove(index(follower));
            self.advance();
        }
        may
    }

    /// `producer.id.expiration.ms` has passed: the leader forgets a producer. False if it must not.
    pub fn expire_producer(&mut self, producer: ProducerId) -> bool {
        self.leading_mut()
            .is_some_and(|leader| leader.expire_producer(producer))
    }

    /// The leader's old entries are deleted: those that end at `offset` or before, below the high
    /// watermark. False if there is none. The followers' go when they fetch.
    pub fn retain_from(&mut self, offset: Offset) -> bool {
        self.leading_mut()
            .is_some_and(|leader| leader.delete_before(offset))
    }

    /// Calls `visit` with every record that a reader of this isolation level sees, from an offset on.
    /// Returns its position afterwards; none without a leader.
    pub fn read(
        &self,
        isolation: IsolationLevel,
        from: Offset,
        visit: impl FnMut(Offset, RecordId),
    ) -> Option<Offset> {
        Some(self.leading()?.read(isolation, from, visit))
    }

    /// Who leads.
    pub fn leader(&self) -> Option<ReplicaId> {
        self.leader
    }

    /// The leader's copy.
    pub fn leading(&self) -> Option<&Replica> {
        self.replica(self.leader?)
    }

    /// The leader's term.
    pub fn leader_epoch(&self) -> LeaderEpoch {
        self.epoch
    }

    /// A replica.
    pub fn replica(&self, replica: ReplicaId) -> Option<&Replica> {
        self.replicas.get(index(replica))
    }

    /// The replicas that are in sync (ISR).
    pub fn in_sync(&self) -> impl Iterator<Item = ReplicaId> + '_ {
        self.in_sync.iter().map(|at| ReplicaId(at as u16))
    }

    /// Whether a replica's broker lives.
    pub fn is_alive(&self, replica: ReplicaId) -> bool {
        self.alive.contains(index(replica))
    }

    /// The leader, if it takes a write with these `acks`.
    fn writable(&self, options: &TopicOptions, acks: Acks) -> Result<&Replica, ProduceError> {
        let leader = self.leading().ok_or(ProduceError::NotLeaderOrFollower)?;
        if acks == Acks::All && !self.has_enough(options) {
            return Err(ProduceError::NotEnoughReplicas);
        }
        Ok(leader)
    }

    fn has_enough(&self, options: &TopicOptions) -> bool {
        self.in_sync.len() >= usize::from(options.min_in_sync)
    }

    fn append(&mut self, entry: Entry) -> Result<Produced, ProduceError> {
        let epoch = self.epoch;
        let leader = self.leading_mut();
        let leader = leader.ok_or(ProduceError::NotLeaderOrFollower)?;
        let first = leader.append(epoch, entry);
        let end = leader.end();
        self.advance();
        Ok(Produced {
            first,
            end,
            epoch,
            duplicate: false,
        })
    }

    /// The leader hears how far a follower is. One that has caught up is in sync.
    fn follower_is_at(&mut self, follower: ReplicaId, end: Offset) {
        if let Some(known) = self.known.get_mut(index(follower)) {
            *known = end;
        }
        if end >= self.high_watermark().max(self.epoch_start) {
            self.in_sync.insert(index(follower));
        }
        self.advance();
    }

    /// The high watermark is how far every replica is that is in sync.
    pub(super) fn advance(&mut self) {
        let Some(end) = self.leading().map(Replica::end) else {
            return;
        };
        let followers = self.in_sync().filter(|other| Some(*other) != self.leader);
        let known = followers.filter_map(|other| self.known.get(index(other)).copied());
        let offset = known.fold(end, Offset::min);
        if let Some(leader) = self.leading_mut() {
            leader.raise_high_watermark(offset);
        }
    }

    fn high_watermark(&self) -> Offset {
        self.leading().map_or(Offset(0), Replica::high_watermark)
    }

    fn leading_mut(&mut self) -> Option<&mut Replica> {
        self.replicas.get_mut(index(self.leader?))
    }
}

pub(super) fn index(replica: ReplicaId) -> usize {
    usize::from(replica.0)
}

#[cfg(test)]
mod tests {
    use super::super::batch::{CoordinatorEpoch, ProducerEpoch, Sequence};
    use super::super::error::{BatchError, MarkerError};
    use super::super::log::Outcome;
    use super::*;
    use alloc::vec::Vec;

    const B1: ReplicaId = ReplicaId(0);
    const B2: ReplicaId = ReplicaId(1);
    const B3: ReplicaId = ReplicaId(2);
    const SAFE: TopicOptions = TopicOptions {
        min_in_sync: 2,
        unclean_election: false,
    };
    const UNCLEAN: TopicOptions = TopicOptions {
        min_in_sync: 1,
        unclean_election: true,
    };

    fn batch(sequence: u32) -> Batch {
        let first = Sequence::new(sequence);
        let records = [RecordId(sequence)];
        Batch::idempotent(ProducerId(1), ProducerEpoch(0), first, &records)
    }

    fn send(log: &mut ReplicatedLog, sequence: u32) -> Produced {
        let produced = log.produce(&TopicOptions::default(), Acks::All, batch(sequence));
        produced.expect("it is in sequence")
    }

    fn visible(log: &ReplicatedLog) -> Vec<u32> {
        let mut records = Vec::new();
        let from = Offset(0);
        log.read(IsolationLevel::ReadUncommitted, from, |_, it| {
            records.push(it.0)
        });
        records
    }

    fn acknowledged(log: &ReplicatedLog, produced: &Produced) -> Result<bool, ProduceError> {
        log.acknowledged(&SAFE, Acks::All, produced)
    }

    #[test]
    fn acks_all_waits_for_every_replica_in_sync_and_a_follower_learns_of_it_later() {
        let mut log = ReplicatedLog::new(3);
        let first = send(&mut log, 0);
        assert_eq!(log.acknowledged(&SAFE, Acks::Leader, &first), Ok(true));
        log.fetch(B2, 9);
        log.fetch(B2, 9);
        assert_eq!(acknowledged(&log, &first), Ok(false), "B3 has not got it");
        assert!(log.fall_behind(B3));
        assert_eq!(acknowledged(&log, &first), Ok(true));
        assert_eq!(visible(&log), [0]);
        let known = log.replica(B2).map(Replica::high_watermark);
        assert_eq!(known, Some(Offset(0)));
        log.fetch(B2, 0);
        let known = log.replica(B2).map(Replica::high_watermark);
        assert_eq!(known, Some(Offset(1)));
    }

    #[test]
    fn the_next_leader_knows_a_batch_again() {
        let mut log = ReplicatedLog::new(2);
        let first = send(&mut log, 0);
        log.fetch(B2, 9);
        log.crash(B1);
        assert_eq!(log.elect(&SAFE, B2), Ok(true));
        let again = send(&mut log, 0);
        assert!(again.duplicate);
        assert_eq!((again.first, again.end), (first.first, first.end));
        let expired = log.expire_producer(ProducerId(1));
        assert!(expired);
        assert!(!send(&mut log, 0).duplicate, "it has forgotten");
        let late = log.produce(&UNCLEAN, Acks::All, batch(5));
        assert_eq!(late, Err(BatchError::OutOfOrderSequence.into()));
    }

    #[test]
    fn too_few_in_sync_refuse_acks_all_only() {
        let mut log = ReplicatedLog::new(2);
        let first = send(&mut log, 0);
        assert!(log.fall_behind(B2));
        let after = acknowledged(&log, &first);
        assert_eq!(after, Err(ProduceError::NotEnoughReplicasAfterAppend));
        let refused = log.produce(&SAFE, Acks::All, batch(1));
        assert_eq!(refused, Err(ProduceError::NotEnoughReplicas));
        assert!(log.produce(&SAFE, Acks::Leader, batch(1)).is_ok());
        assert!(!log.fall_behind(B1), "the leader stays");
    }

    #[test]
    fn a_marker_is_a_write_and_checked_like_one() {
        let mut log = ReplicatedLog::new(1);
        let marker = |epoch| Marker {
            producer: ProducerId(1),
            epoch: ProducerEpoch(epoch),
            coordinator: CoordinatorEpoch(0),
            outcome: Outcome::Abort,
        };
        let refused = log.write_marker(&SAFE, marker(1));
        assert_eq!(refused, Err(ProduceError::NotEnoughReplicas));
        let written = log.write_marker(&UNCLEAN, marker(1));
        assert_eq!(written.map(|written| written.end), Ok(Offset(1)));
        let late = log.write_marker(&UNCLEAN, marker(0));
        assert_eq!(late, Err(MarkerError::InvalidProducerEpoch.into()));
        let late = log.produce(&UNCLEAN, Acks::All, batch(0).in_transaction());
        assert_eq!(late, Err(BatchError::InvalidProducerEpoch.into()));
    }

    #[test]
    fn followers_delete_what_the_leader_has_deleted_when_they_fetch() {
        let mut log = ReplicatedLog::new(2);
        for sequence in 0..3 {
            send(&mut log, sequence);
        }
        assert!(!log.retain_from(Offset(3)), "nothing is replicated");
        log.fetch(B2, 9);
        log.fetch(B2, 0);
        assert!(log.retain_from(Offset(2)));
        let start = |log: &ReplicatedLog| log.replica(B2).map(Replica::log_start);
        assert_eq!(start(&log), Some(Offset(0)));
        assert_eq!(log.fetch(B2, 9), Some(Fetched::Copied(0)));
        assert_eq!(start(&log), Some(Offset(2)));
        assert_eq!(log.replica(B1), log.replica(B2));
        assert_eq!(visible(&log), [2]);
        log.crash(B1);
        assert!(!log.retain_from(Offset(3)), "nobody leads");
        assert_eq!(log.elect(&SAFE, B2), Ok(true));
        assert!(
            send(&mut log, 0).duplicate,
            "the batch is gone, not its number"
        );
        assert_eq!(send(&mut log, 3).first, Offset(3));
    }

    #[test]
    fn a_follower_that_is_behind_the_leaders_log_start_begins_there() {
        let mut log = ReplicatedLog::new(2);
        send(&mut log, 0);
        log.fetch(B2, 9);
        assert!(log.fall_behind(B2));
        for sequence in 1..4 {
            send(&mut log, sequence);
        }
        assert!(log.retain_from(Offset(3)));
        assert_eq!(log.fetch(B2, 9), Some(Fetched::Truncated(Offset(3))));
        assert_eq!(log.fetch(B2, 9), Some(Fetched::Copied(1)));
        log.fetch(B2, 0);
        assert_eq!(log.in_sync().count(), 2);
        let entries = |replica| log.replica(replica).map(Replica::entries);
        assert_eq!(entries(B1), entries(B2));
        log.crash(B1);
        assert_eq!(log.elect(&SAFE, B2), Ok(true));
        let refused = log.produce(&UNCLEAN, Acks::All, batch(0));
        let unknown = Err(BatchError::OutOfOrderSequence.into());
        assert_eq!(refused, unknown, "it has never seen that batch");
    }
}
