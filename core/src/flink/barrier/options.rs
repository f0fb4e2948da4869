//! What a barrier says about its checkpoint.
//!
//! Source: Flink's `CheckpointOptions`.

use core::fmt;
use core::num::NonZeroU32;
use serde::{Deserialize, Serialize};

use crate::time::Millis;

/// How a checkpoint is to be taken, packed into one word: states hold many of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Options(NonZeroU32);

/// Whether a barrier waits for the others or overtakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum AlignmentType {
    /// It waits, however long that takes.
    Aligned,
    /// It waits for this long, counted from the creation of the barrier.
    Timeoutable(Millis),
    /// It overtakes.
    Unaligned,
}

/// For what a snapshot is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Snapshot {
    /// To recover from failures.
    Checkpoint,
    /// Because someone asked for it, to keep.
    Savepoint,
}

/// The bit that is set in every word, so that "no options" needs no room of its own.
const PRESENT: NonZeroU32 = NonZeroU32::MIN;
/// The bit of savepoints.
const SAVEPOINT: u32 = 1 << 1;
/// The bit of those that overtake.
const UNALIGNED: u32 = 1 << 2;
/// The bit that says that the bits below it are a timeout instead.
const TIMEOUTABLE: NonZeroU32 = match NonZeroU32::new(1 << 31) {
    Some(bit) => bit,
    None => NonZeroU32::MIN,
};

impl Options {
    /// An aligned checkpoint or savepoint.
    pub fn aligned(snapshot: Snapshot) -> Self {
        Self(PRESENT | bit_of(snapshot))
    }

    /// A checkpoint that is aligned as long as it takes no longer than `timeout`. Timeouts of 2³¹
    /// milliseconds and more count as one less than that. A savepoint never times out.
    pub fn timeoutable(timeout: Millis) -> Self {
        Self(TIMEOUTABLE | timeout.0.min(TIMEOUTABLE.get() - 1))
    }

    /// An unaligned checkpoint. (Flink takes no unaligned savepoint; its handlers would.)
    pub fn unaligned(snapshot: Snapshot) -> Self {
        Self(PRESENT | UNALIGNED | bit_of(snapshot))
    }

    /// Whether the barrier waits or overtakes.
    pub fn alignment(self) -> AlignmentType {
        let word = self.0.get();
        if word & TIMEOUTABLE.get() != 0 {
            AlignmentType::Timeoutable(Millis(word & !TIMEOUTABLE.get()))
        } else if word & UNALIGNED != 0 {
            AlignmentType::Unaligned
        } else {
            AlignmentType::Aligned
        }
    }

    /// For what the snapshot is taken.
    pub fn snapshot(self) -> Snapshot {
        let word = self.0.get();
        if word & TIMEOUTABLE.get() == 0 && word & SAVEPOINT != 0 {
            Snapshot::Savepoint
        } else {
            Snapshot::Checkpoint
        }
    }

    /// Whether the barrier overtakes.
    pub fn is_unaligned(self) -> bool {
        self.alignment() == AlignmentType::Unaligned
    }

    /// The same for a checkpoint that is not aligned any more.
    #[must_use]
    pub fn into_unaligned(self) -> Self {
        Self::unaligned(self.snapshot())
    }
}

fn bit_of(snapshot: Snapshot) -> u32 {
    match snapshot {
        Snapshot::Checkpoint => 0,
        Snapshot::Savepoint => SAVEPOINT,
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {:?}", self.alignment(), self.snapshot())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_packed_comes_out_again() {
        for snapshot in [Snapshot::Checkpoint, Snapshot::Savepoint] {
            let aligned = Options::aligned(snapshot);
            assert_eq!(aligned.alignment(), AlignmentType::Aligned);
            assert_eq!(aligned.snapshot(), snapshot);
            let unaligned = Options::unaligned(snapshot);
            assert!(unaligned.is_unaligned());
            assert_eq!(unaligned.snapshot(), snapshot);
            assert_eq!(aligned.into_unaligned(), unaligned);
        }
        for timeout in [0, 1, 7, 10_000, i32::MAX as u32] {
            let options = Options::timeoutable(Millis(timeout));
            assert_eq!(
                options.alignment(),
                AlignmentType::Timeoutable(Millis(timeout))
            );
            assert_eq!(options.snapshot(), Snapshot::Checkpoint);
        }
        assert_eq!(
            Options::timeoutable(Millis(u32::MAX)),
            Options::timeoutable(Millis(i32::MAX as u32))
        );
        assert_eq!(size_of::<Option<Options>>(), 4);
    }
}
