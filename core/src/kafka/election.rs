//! Who leads a partition: crashes, returns, and clean and unclean elections.
//!
//! Sources: Kafka's controller (`ReplicationControlManager`, `PartitionChangeBuilder`); KIP-101 (terms),
//! KIP-903 (who comes back is not in sync). KIP-966 (eligible leader replicas) is left out: with it, the
//! last replica in sync that lost its log would not lead without an unclean election.

use smallvec::SmallVec;

use super::error::ElectionError;
use super::replica::Replica;
use super::replicated_log::{ReplicaId, ReplicatedLog, TopicOptions, index};
use crate::id::Offset;

impl ReplicatedLog {
    /// A replica's broker crashes. Its log is on disk.
    pub fn crash(&mut self, replica: ReplicaId) {
        self.alive.remove(index(replica));
        if self.leader == Some(replica) {
            self.leader = None;
        }
    }

    /// A replica that does not live loses what it has not written to disk: everything from `offset` on.
    pub fn lose(&mut self, replica: ReplicaId, offset: Offset) {
        if !self.alive.contains(index(replica))
            && let Some(replica) = self.replicas.get_mut(index(replica))
        {
            replica.truncate(offset);
        }
    }

    /// A replica's broker comes back. It is out of sync until it has caught up (KIP-903), unless nobody else
    /// who lives is in sync: then it may be what all wait for.
    pub fn restart(&mut self, replica: ReplicaId) {
        if index(replica) >= self.replicas.len() || !self.alive.insert(index(replica)) {
            return;
        }
        let lives = |at: usize| at != index(replica) && self.alive.contains(at);
        let replaced = self.in_sync.iter().any(lives);
        if self.leader.is_some() || replaced {
            self.in_sync.remove(index(replica));
            self.advance();
        }
    }

    /// Whether a replica may be made leader, and if so, whether that is clean.
    pub fn may_lead(
        &self,
        options: &TopicOptions,
        candidate: ReplicaId,
    ) -> Result<bool, ElectionError> {
        if self.leader == Some(candidate) {
            return Err(ElectionError::ElectionNotNeeded);
        }
        if !self.alive.contains(index(candidate)) {
            return Err(ElectionError::EligibleLeadersNotAvailable);
        }
        if self.in_sync.contains(index(candidate)) {
            return Ok(true);
        }
        // Unclean only where nothing else is left.
        let clean = self.in_sync.iter().any(|other| self.alive.contains(other));
        match options.unclean_election && !clean {
            true => Ok(false),
            false => Err(ElectionError::EligibleLeadersNotAvailable),
        }
    }

    /// The controller makes a replica leader. Returns whether the election was clean: if not, what is
    /// missing in its log is lost.
    pub fn elect(
        &mut self,
        options: &TopicOptions,
        candidate: ReplicaId,
    ) -> Result<bool, ElectionError> {
        let clean = self.may_lead(options, candidate)?;
        let stay = |at: &usize| clean && self.alive.contains(*at);
        let gone: SmallVec<[usize; 3]> = self.in_sync.iter().filter(|at| !stay(at)).collect();
        for at in gone {
            self.in_sync.remove(at);
        }
        self.in_sync.insert(index(candidate));
        self.leader = Some(candidate);
        self.epoch.0 = self.epoch.0.saturating_add(1);
        self.epoch_start = self.leading().map_or(Offset(0), Replica::end);
        self.known.fill(Offset(0));
        self.advance();
        Ok(clean)
    }
}

#[cfg(test)]
mod tests {
    use super::super::batch::Batch;
    use super::super::error::ProduceError;
    use super::super::log::IsolationLevel;
    use super::super::replicated_log::{Acks, Fetched, Produced};
    use super::*;
    use crate::id::RecordId;
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

    fn batch() -> Batch {
        Batch::plain(&[RecordId(0)])
    }

    fn send(log: &mut ReplicatedLog) -> Produced {
        let produced = log.produce(&UNCLEAN, Acks::All, batch());
        produced.expect("somebody leads")
    }

    fn visible(log: &ReplicatedLog) -> Vec<u32> {
        let mut records = Vec::new();
        let from = Offset(0);
        log.read(IsolationLevel::ReadUncommitted, from, |_, it| {
            records.push(it.0)
        });
        records
    }

    #[test]
    fn what_only_the_leader_has_is_lost_with_it_and_cut_off_when_it_returns() {
        let mut log = ReplicatedLog::new(3);
        let first = send(&mut log);
        assert_eq!(log.acknowledged(&SAFE, Acks::Leader, &first), Ok(true));
        log.crash(B1);
        let refused = log.produce(&SAFE, Acks::Leader, batch());
        assert_eq!(refused, Err(ProduceError::NotLeaderOrFollower));
        assert_eq!(log.elect(&SAFE, B2), Ok(true));
        let lost = log.acknowledged(&SAFE, Acks::All, &first);
        assert_eq!(lost, Err(ProduceError::NotLeaderOrFollower));
        send(&mut log);
        log.fetch(B3, 9);
        log.fetch(B3, 9);
        log.restart(B1);
        assert_eq!(log.fetch(B1, 9), Some(Fetched::Truncated(Offset(0))));
        assert_eq!(log.fetch(B1, 9), Some(Fetched::Copied(1)));
        let (old, new) = (log.replica(B1), log.replica(B2));
        assert_eq!(old.map(Replica::entries), new.map(Replica::entries));
        assert!(
            !log.in_sync().any(|it| it == B1),
            "the leader has still to hear of it"
        );
        log.fetch(B1, 9);
        assert!(log.in_sync().any(|it| it == B1));
    }

    #[test]
    fn an_unclean_leader_loses_what_was_acknowledged() {
        let mut log = ReplicatedLog::new(2);
        let first = send(&mut log);
        assert!(log.fall_behind(B2));
        assert_eq!(log.acknowledged(&UNCLEAN, Acks::All, &first), Ok(true));
        log.crash(B1);
        let clean_only = log.elect(&SAFE, B2);
        let unavailable = Err(ElectionError::EligibleLeadersNotAvailable);
        assert_eq!(clean_only, unavailable);
        let mut waiting = log.clone();
        assert_eq!(log.elect(&UNCLEAN, B2), Ok(false));
        assert!(visible(&log).is_empty());
        // Who waits for the last one in sync may find that it has lost its log.
        waiting.lose(B1, Offset(0));
        waiting.restart(B1);
        assert_eq!(waiting.elect(&UNCLEAN, B2), unavailable);
        assert_eq!(waiting.elect(&SAFE, B1), Ok(true));
        assert!(visible(&waiting).is_empty());
    }

    #[test]
    fn who_comes_back_before_the_election_is_not_in_sync() {
        let mut log = ReplicatedLog::new(3);
        send(&mut log);
        log.crash(B1);
        log.lose(B1, Offset(0));
        log.restart(B1);
        assert_eq!(
            log.elect(&SAFE, B1),
            Err(ElectionError::EligibleLeadersNotAvailable),
            "it may have lost its log, and others have theirs"
        );
        assert_eq!(log.elect(&SAFE, B2), Ok(true));
        assert!(!log.in_sync().any(|it| it == B1));
    }

    #[test]
    fn nobody_there_is_no_panic() {
        let mut log = ReplicatedLog::new(0);
        let nobody = ReplicaId(u16::MAX);
        log.crash(nobody);
        log.lose(nobody, Offset(0));
        log.restart(nobody);
        assert_eq!(log.fetch(nobody, 1), None);
        assert!(log.elect(&UNCLEAN, nobody).is_err());
        assert!(!log.fall_behind(nobody));
        assert!(log.produce(&SAFE, Acks::None, batch()).is_err());
    }
}
