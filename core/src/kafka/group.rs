//! A consumer group: who is in it, who reads what, and how far the group has come.
//!
//! Sources: Kafka's `ClassicGroup` (`validateOffsetCommit`), `GroupMetadataManager` (rebalances),
//! `OffsetMetadataManager` (pending offsets, expiry), `RangeAssignor`; KIP-98, KIP-211, KIP-447.
//!
//! Between the last join and the assignment there is no time: `CompletingRebalance`, in which a plain
//! commit is refused with `REBALANCE_IN_PROGRESS`, is never seen. Whether the partition of
//! `__consumer_offsets` takes a transactional commit of this producer's epoch is for its log to say.

use smallvec::SmallVec;

use super::batch::ProducerId;
use super::error::GroupError;
use super::log::Outcome;
use crate::id::{Offset, PartitionId};

/// A member of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemberId(pub u16);

/// How often a group has been rebalanced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Generation(pub u32);

/// Offsets of partitions: each the next one to read.
pub type Offsets = SmallVec<[(PartitionId, Offset); 2]>;

/// One member, as the coordinator sees it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Member {
    id: MemberId,
    /// It has joined since the rebalance began. All have, if there is none.
    joined: bool,
    assignment: SmallVec<[PartitionId; 2]>,
}

/// An offset of a transaction that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Pending {
    producer: ProducerId,
    partition: PartitionId,
    offset: Offset,
    /// A commit that was written later holds already: this one will change nothing.
    overtaken: bool,
}

/// A group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Group {
    generation: Generation,
    rebalancing: bool,
    /// In the order of their ids.
    members: SmallVec<[Member; 2]>,
    /// In the order of the partitions.
    committed: Offsets,
    /// In the order of the partitions, and of each in the order of arrival.
    pending: SmallVec<[Pending; 1]>,
}

impl Group {
    /// A member joins, or joins again: a rebalance is prepared. When every member has joined it is done
    /// at once, and `partitions`, those of the topic, are spread over the members.
    pub fn join(&mut self, member: MemberId, partitions: &[PartitionId]) {
        self.prepare_rebalance();
        let at = self.members.partition_point(|known| known.id < member);
        match self.members.get_mut(at).filter(|known| known.id == member) {
            Some(known) => {
                known.joined = true;
                known.assignment.clear();
            }
            None => {
                let joined = Member {
                    id: member,
                    joined: true,
                    assignment: SmallVec::new(),
                };
                self.members.insert(at, joined);
            }
        }
        self.complete_rebalance(partitions);
    }

    /// A member is gone: it says so, its session has timed out, or `max.poll.interval.ms` has passed. The
    /// others have to join again.
    pub fn leave(&mut self, member: MemberId, partitions: &[PartitionId]) {
        if !self.is_member(member) {
            return;
        }
        self.members.retain(|known| known.id != member);
        self.prepare_rebalance();
        self.complete_rebalance(partitions);
    }

    /// Whether the group knows this member.
    pub fn is_member(&self, member: MemberId) -> bool {
        self.find(member).is_some()
    }

    /// Whether a member is waited for.
    pub fn must_rejoin(&self, member: MemberId) -> bool {
        self.find(member).is_some_and(|known| !known.joined)
    }

    /// `Heartbeat`: what a member hears of its group.
    pub fn heartbeat(&self, member: MemberId, generation: Generation) -> Result<(), GroupError> {
        self.check(member, generation)?;
        match self.rebalancing {
            true => Err(GroupError::RebalanceInProgress),
            false => Ok(()),
        }
    }

    /// Whether a rebalance waits for members.
    pub fn is_rebalancing(&self) -> bool {
        self.rebalancing
    }

    /// The generation that holds, until the next rebalance is done.
    pub fn generation(&self) -> Generation {
        self.generation
    }

    /// The members, in the order of their ids.
    pub fn members(&self) -> impl Iterator<Item = MemberId> + '_ {
        self.members.iter().map(|member| member.id)
    }

    /// The partitions that are a member's in this generation. It gives them up when it joins again.
    pub fn assignment(&self, member: MemberId) -> &[PartitionId] {
        let member = self.find(member);
        member.map_or(&[], |member| member.assignment.as_slice())
    }

    /// `OffsetCommit`. While a rebalance is prepared, members of the generation that still holds may
    /// commit. `from` is none for a consumer that is in no group, and for an administrator: they may only
    /// while the group has no member.
    pub fn commit(
        &mut self,
        from: Option<(MemberId, Generation)>,
        offsets: &[(PartitionId, Offset)],
    ) -> Result<(), GroupError> {
        match from {
            Some((member, generation)) => self.check(member, generation)?,
            None if self.members.is_empty() => {}
            None => return Err(GroupError::UnknownMemberId),
        }
        for (partition, offset) in offsets {
            self.put(*partition, *offset);
            for pending in &mut self.pending {
                pending.overtaken |= pending.partition == *partition;
            }
        }
        Ok(())
    }

    /// `TxnOffsetCommit`: the offsets are pending until the transaction ends. Without a member and its
    /// generation they are accepted from anybody, at any time (before KIP-447, and from clients that name
    /// the group only).
    pub fn commit_in_transaction(
        &mut self,
        producer: ProducerId,
        from: Option<(MemberId, Generation)>,
        offsets: &[(PartitionId, Offset)],
    ) -> Result<(), GroupError> {
        if let Some((member, generation)) = from {
            self.check(member, generation)?;
        }
        for (partition, offset) in offsets {
            self.pending
                .retain(|it| (it.producer, it.partition) != (producer, *partition));
            let at = self
                .pending
                .partition_point(|it| it.partition <= *partition);
            let pending = Pending {
                producer,
                partition: *partition,
                offset: *offset,
                overtaken: false,
            };
            self.pending.insert(at, pending);
        }
        Ok(())
    }

    /// The marker on `__consumer_offsets`: a producer's pending offsets hold now, or never will. Of two
    /// commits of a partition the one that was written last holds, whatever ends last.
    pub fn end_transaction(&mut self, producer: ProducerId, outcome: Outcome) {
        while let Some(at) = self.pending.iter().position(|it| it.producer == producer) {
            let ended = self.pending.remove(at);
            if outcome == Outcome::Abort || ended.overtaken {
                continue;
            }
            self.put(ended.partition, ended.offset);
            let earlier = self.pending.iter_mut().take(at);
            for pending in earlier.filter(|it| it.partition == ended.partition) {
                pending.overtaken = true;
            }
        }
    }

    /// The offset that holds for a partition.
    pub fn committed(&self, partition: PartitionId) -> Option<Offset> {
        let at = self.committed.iter().find(|(it, _)| *it == partition);
        at.map(|(_, offset)| *offset)
    }

    /// The newest offset of a partition that is pending.
    pub fn pending(&self, partition: PartitionId) -> Option<Offset> {
        let mut newest_first = self.pending.iter().rev();
        let newest = newest_first.find(|it| it.partition == partition);
        newest.map(|it| it.offset)
    }

    /// `OffsetFetch`. One that requires a stable offset is put off while one is pending (KIP-447); Java's
    /// consumers always do.
    pub fn fetch(
        &self,
        partition: PartitionId,
        require_stable: bool,
    ) -> Result<Option<Offset>, GroupError> {
        if require_stable && self.pending(partition).is_some() {
            return Err(GroupError::UnstableOffsetCommit);
        }
        Ok(self.committed(partition))
    }

    /// Whether an offset may expire: the group has no member, and nothing is pending for it.
    pub fn may_expire(&self) -> bool {
        let mut committed = self.committed.iter();
        self.members.is_empty() && committed.any(|(it, _)| self.pending(*it).is_none())
    }

    /// `offsets.retention.minutes` have passed since the last member was gone: the offsets are forgotten,
    /// but for those for which others are pending. False if none is.
    pub fn expire_offsets(&mut self) -> bool {
        let may = self.may_expire();
        if may {
            let pending = &self.pending;
            self.committed
                .retain(|(it, _)| pending.iter().any(|pending| pending.partition == *it));
        }
        may
    }

    /// Whether a request comes from a member, and is of this generation.
    fn check(&self, member: MemberId, generation: Generation) -> Result<(), GroupError> {
        if !self.is_member(member) {
            return Err(GroupError::UnknownMemberId);
        }
        match generation == self.generation {
            true => Ok(()),
            false => Err(GroupError::IllegalGeneration),
        }
    }

    fn find(&self, member: MemberId) -> Option<&Member> {
        self.members.iter().find(|known| known.id == member)
    }

    fn prepare_rebalance(&mut self) {
        if !self.rebalancing {
            self.rebalancing = true;
            for member in &mut self.members {
                member.joined = false;
            }
        }
    }

    /// The rebalance is done if nobody is waited for. With the last member gone, too, a generation
    /// begins: one without members.
    fn complete_rebalance(&mut self, partitions: &[PartitionId]) {
        if !self.members.iter().all(|member| member.joined) {
            return;
        }
        self.rebalancing = false;
        self.generation.0 = self.generation.0.saturating_add(1);
        let mut rest = partitions;
        let mut members_left = self.members.len();
        for member in &mut self.members {
            // The first ones get one more, if it does not come out even.
            let share = rest.len().div_ceil(members_left);
            let (mine, others) = rest.split_at(share.min(rest.len()));
            member.assignment = mine.into();
            (rest, members_left) = (others, members_left.saturating_sub(1));
        }
    }

    fn put(&mut self, partition: PartitionId, offset: Offset) {
        let at = self.committed.partition_point(|(it, _)| *it < partition);
        match self.committed.get_mut(at).filter(|it| it.0 == partition) {
            Some(known) => known.1 = offset,
            None => self.committed.insert(at, (partition, offset)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    const A: MemberId = MemberId(1);
    const B: MemberId = MemberId(2);
    const C: MemberId = MemberId(3);
    const P: PartitionId = PartitionId(0);
    const Q: PartitionId = PartitionId(1);
    const OLD: ProducerId = ProducerId(1);
    const NEW: ProducerId = ProducerId(2);
    const TOPIC: [PartitionId; 5] = [P, Q, PartitionId(2), PartitionId(3), PartitionId(4)];

    fn at(offset: u32) -> [(PartitionId, Offset); 1] {
        [(P, Offset(offset))]
    }

    fn group(members: &[MemberId]) -> Group {
        let mut group = Group::default();
        for member in members {
            group.join(*member, &TOPIC);
            for known in members.iter().filter(|known| **known < *member) {
                group.join(*known, &TOPIC);
            }
        }
        assert!(!group.is_rebalancing());
        group
    }

    #[test]
    fn partitions_are_spread_in_ranges_and_the_first_members_get_more() {
        let mut group = group(&[A, B, C]);
        let shares = [A, B, C].map(|member| group.assignment(member).len());
        assert_eq!(shares, [2, 2, 1]);
        assert_eq!(group.assignment(B), [PartitionId(2), PartitionId(3)]);
        let generation = group.generation();
        group.leave(B, &TOPIC);
        assert!(group.must_rejoin(A) && group.must_rejoin(C));
        group.leave(C, &TOPIC);
        group.join(A, &TOPIC);
        assert_eq!(group.generation(), Generation(generation.0 + 1));
        assert_eq!(group.assignment(A), TOPIC);
        assert_eq!(group.members().collect::<Vec<_>>(), [A]);
        assert!(group.assignment(B).is_empty());
    }

    #[test]
    fn a_rebalance_is_done_when_the_last_one_that_is_waited_for_leaves() {
        let mut group = group(&[A]);
        group.join(B, &TOPIC);
        assert!(group.must_rejoin(A) && !group.must_rejoin(B));
        assert_eq!(group.assignment(A), TOPIC, "it has not given them up");
        let told = group.heartbeat(A, group.generation());
        assert_eq!(told, Err(GroupError::RebalanceInProgress));
        group.leave(A, &TOPIC);
        assert_eq!(group.assignment(B), TOPIC);
        assert_eq!(group.heartbeat(B, group.generation()), Ok(()));
        let before = group.generation();
        group.leave(B, &TOPIC);
        assert!(!group.is_rebalancing() && group.generation() > before);
    }

    #[test]
    fn a_member_commits_until_the_next_generation_begins() {
        let mut group = group(&[A]);
        let from = Some((A, group.generation()));
        group.join(B, &TOPIC);
        assert_eq!(group.commit(from, &at(3)), Ok(()), "it is only prepared");
        group.join(A, &TOPIC);
        let late = group.commit(from, &at(1));
        assert_eq!(late, Err(GroupError::IllegalGeneration));
        group.leave(A, &TOPIC);
        let gone = group.commit(from, &at(1));
        assert_eq!(gone, Err(GroupError::UnknownMemberId));
        assert_eq!(group.committed(P), Some(Offset(3)));
    }

    #[test]
    fn a_commit_without_a_member_is_for_an_empty_group_unless_it_is_in_a_transaction() {
        let mut group = group(&[A]);
        let refused = group.commit(None, &at(1));
        assert_eq!(refused, Err(GroupError::UnknownMemberId));
        let zombie = Some((A, Generation(0)));
        let refused = group.commit_in_transaction(OLD, zombie, &at(1));
        assert_eq!(refused, Err(GroupError::IllegalGeneration));
        let accepted = group.commit_in_transaction(OLD, None, &at(1));
        assert_eq!(accepted, Ok(()));
        group.leave(A, &TOPIC);
        assert_eq!(group.commit(None, &at(2)), Ok(()));
    }

    #[test]
    fn a_pending_offset_makes_the_next_owner_wait() {
        let mut group = Group::default();
        assert_eq!(group.commit(None, &at(1)), Ok(()));
        let _ = group.commit_in_transaction(OLD, None, &at(5));
        let _ = group.commit_in_transaction(OLD, None, &at(6));
        assert_eq!(group.pending(P), Some(Offset(6)));
        assert_eq!(group.fetch(P, true), Err(GroupError::UnstableOffsetCommit));
        assert_eq!(group.fetch(P, false), Ok(Some(Offset(1))));
        assert_eq!(group.fetch(Q, true), Ok(None));
        let mut other = group.clone();
        group.end_transaction(OLD, Outcome::Commit);
        assert_eq!(group.fetch(P, true), Ok(Some(Offset(6))));
        other.end_transaction(OLD, Outcome::Abort);
        assert_eq!(other.fetch(P, true), Ok(Some(Offset(1))));
    }

    #[test]
    fn the_commit_that_was_written_last_holds_whatever_ends_last() {
        let mut group = Group::default();
        let _ = group.commit_in_transaction(OLD, None, &at(5));
        let _ = group.commit_in_transaction(NEW, None, &at(9));
        group.end_transaction(NEW, Outcome::Commit);
        group.end_transaction(OLD, Outcome::Commit);
        assert_eq!(group.committed(P), Some(Offset(9)));
        let _ = group.commit_in_transaction(OLD, None, &at(11));
        let _ = group.commit(None, &at(10));
        group.end_transaction(OLD, Outcome::Commit);
        assert_eq!(group.committed(P), Some(Offset(10)));
        let _ = group.commit_in_transaction(OLD, None, &at(12));
        let _ = group.commit_in_transaction(NEW, None, &at(13));
        group.end_transaction(OLD, Outcome::Commit);
        assert_eq!(group.committed(P), Some(Offset(12)));
        group.end_transaction(NEW, Outcome::Commit);
        assert_eq!(group.committed(P), Some(Offset(13)));
    }

    #[test]
    fn offsets_expire_only_in_an_empty_group_and_not_those_that_wait() {
        let mut group = group(&[A]);
        let offsets = [(P, Offset(4)), (Q, Offset(7))];
        let from = Some((A, group.generation()));
        assert_eq!(group.commit(from, &offsets), Ok(()));
        assert!(!group.expire_offsets());
        let _ = group.commit_in_transaction(OLD, from, &at(5));
        group.leave(A, &TOPIC);
        assert!(group.expire_offsets());
        assert_eq!(group.committed(P), Some(Offset(4)));
        assert_eq!(group.committed(Q), None);
        assert!(!group.may_expire());
    }
}
