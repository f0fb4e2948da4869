//! Which data of one channel an unaligned checkpoint stores.
//!
//! It stores what the barrier has overtaken, and nothing behind the barrier. If the barrier is already
//! there when the checkpoint starts, that is a number of elements at the head of the queue; if not, it
//! is all that is there, and all that comes until the barrier does.
//! Source: Flink's `ChannelStatePersister` and `RemoteInputChannel`.

use super::NewerBarrier;
use crate::id::CheckpointId;

/// What one channel knows of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct InFlight {
    /// The newest checkpoint that was started or stopped here, or whose barrier has come.
    newest: CheckpointId,
    status: Status,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum Status {
    /// The newest checkpoint is over.
    #[default]
    Over,
    /// It was started, and its barrier is awaited.
    Awaiting,
    /// Its barrier is there.
    Received {
        /// How many elements that still wait came before the barrier.
        overtaken: u32,
    },
}

impl InFlight {
    /// A barrier arrives; before it, this many elements wait that it overtakes or may overtake.
    pub fn barrier(&mut self, checkpoint: CheckpointId, waiting: usize) {
        let awaited = match self.status {
            Status::Awaiting => checkpoint >= self.newest,
            Status::Over | Status::Received { .. } => checkpoint > self.newest,
        };
        if awaited {
            self.newest = checkpoint;
            self.status = Status::Received {
                overtaken: u32::try_from(waiting).unwrap_or(u32::MAX),
            };
        }
    }

    /// Whether data that arrives now is to be stored.
    pub fn stores_arrivals(&self) -> bool {
        self.status == Status::Awaiting
    }

    /// The first of the waiting elements is taken away, by the task or because it is prioritised.
    pub fn taken(&mut self) {
        if let Status::Received { overtaken } = &mut self.status {
            *overtaken = overtaken.saturating_sub(1);
        }
    }

    /// The element at this place among the waiting ones is taken out of the row.
    pub fn taken_out(&mut self, place: usize) {
        if let Status::Received { overtaken } = self.status
            && place < overtaken as usize
        {
            self.taken();
        }
    }

    /// Whether `checkpoint` can still be started.
    ///
    /// # Errors
    /// [`NewerBarrier`] if not: what its barrier would have overtaken is not known any more.
    pub fn may_start(&self, checkpoint: CheckpointId) -> Result<(), NewerBarrier> {
        match self.status {
            Status::Received { .. } if self.newest > checkpoint => Err(NewerBarrier),
            _ => Ok(()),
        }
    }

    /// The checkpoint starts. Returns how many of the waiting elements, from the first, it covers.
    pub fn start(&mut self, checkpoint: CheckpointId) -> usize {
        match self.status {
            Status::Received { overtaken } if self.newest == checkpoint => overtaken as usize,
            _ => {
                if checkpoint > self.newest {
                    // The barrier of an older checkpoint says nothing about this one.
                    self.newest = checkpoint;
                    self.status = Status::Awaiting;
                }
                usize::MAX
            }
        }
    }

    /// The checkpoint is complete or aborted.
    pub fn stop(&mut self, checkpoint: CheckpointId) {
        if checkpoint >= self.newest {
            self.newest = checkpoint;
            self.status = Status::Over;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: CheckpointId = CheckpointId(1);
    const TWO: CheckpointId = CheckpointId(2);

    #[test]
    fn what_the_barrier_has_overtaken_and_the_task_not_taken_is_covered() {
        let mut channel = InFlight::default();
        channel.barrier(ONE, 5);
        channel.taken();
        channel.taken_out(1);
        channel.taken_out(4);
        assert_eq!(channel.start(ONE), 3);
        assert!(!channel.stores_arrivals());
    }

    #[test]
    fn without_a_barrier_everything_is_covered_until_it_comes() {
        let mut channel = InFlight::default();
        channel.barrier(ONE, 5);
        assert_eq!(channel.start(TWO), usize::MAX, "an older one says nothing");
        assert!(channel.stores_arrivals());
        channel.barrier(ONE, 0);
        assert!(channel.stores_arrivals());
        channel.barrier(TWO, 0);
        assert!(!channel.stores_arrivals());
    }

    #[test]
    fn a_checkpoint_that_is_over_needs_no_barrier() {
        let mut channel = InFlight::default();
        channel.start(ONE);
        channel.stop(ONE);
        assert!(!channel.stores_arrivals());
        channel.barrier(ONE, 5);
        assert_eq!(channel.start(TWO), usize::MAX);
    }

    #[test]
    fn a_newer_barrier_makes_it_too_late() {
        let mut channel = InFlight::default();
        channel.barrier(TWO, 5);
        assert_eq!(channel.may_start(ONE), Err(NewerBarrier));
        assert_eq!(channel.may_start(TWO), Ok(()));
        channel.stop(ONE);
        assert_eq!(
            channel.start(TWO),
            5,
            "the end of an older one changes nothing"
        );
    }
}
