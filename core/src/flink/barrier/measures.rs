//! How long an alignment took, how late it began, and how much passed meanwhile.
//!
//! Source: Flink's `CheckpointBarrierHandler`, whose figures become `alignmentDuration`,
//! `processedBytes` and `checkpointStartDelay` of a subtask's checkpoint. They depend on time, which
//! belongs to no handler's state: so they are kept apart, by a listener.

use super::Effect;
use crate::id::CheckpointId;
use crate::time::Micros;

/// What was measured of the alignments of one gate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measures {
    /// The checkpoint whose alignment was the last to begin.
    checkpoint: CheckpointId,
    /// When it began, while it is under way.
    began: Option<Micros>,
    /// How much data the task has taken since.
    bytes: u64,
    /// What came of it, once it has ended.
    last: Option<Alignment>,
    start_delay: Micros,
    newest: Option<Triggered>,
}

/// The figures of one alignment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Alignment {
    /// From the first channel that was counted to the last.
    pub duration: Micros,
    /// How much data the task took meanwhile, from any channel.
    pub bytes: u64,
}

/// The figures of one triggered checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Triggered {
    /// Which one.
    pub checkpoint: CheckpointId,
    /// From its creation to the first channel that was counted.
    pub start_delay: Micros,
    /// Its alignment: of an unaligned checkpoint it is known only when it has ended.
    pub alignment: Option<Alignment>,
}

impl Measures {
    /// A handler asks for something at this moment.
    pub fn hear(&mut self, effect: &Effect, now: Micros) {
        match *effect {
            Effect::AlignmentStarted {
                checkpoint,
                created,
            } => {
                self.reset();
                self.start_delay = now - created;
                self.began = Some(now);
                self.checkpoint = checkpoint;
            }
            Effect::AlignmentEnded => {
                if let Some(began) = self.began {
                    self.end(now - began);
                }
            }
            Effect::AlignmentReset => self.reset(),
            Effect::Trigger { checkpoint, .. } => self.newest = Some(self.triggered(checkpoint)),
            _ => {}
        }
    }

    /// The task takes this much data.
    pub fn handed_over(&mut self, bytes: u32) {
        if self.began.is_some() {
            self.bytes = self.bytes.saturating_add(bytes.into());
        }
    }

    /// Whether an alignment is under way.
    pub fn during_alignment(&self) -> bool {
        self.began.is_some()
    }

    /// How long the last alignment took, or takes so far.
    pub fn alignment_duration(&self, now: Micros) -> Micros {
        match (self.began, self.last) {
            (Some(began), _) => now - began,
            (None, Some(last)) => last.duration,
            (None, None) => Micros::ZERO,
        }
    }

    /// From the creation of the checkpoint that was aligned last to its first channel.
    pub fn start_delay(&self) -> Micros {
        self.start_delay
    }

    /// The figures of the newest checkpoint that was triggered.
    pub fn newest_triggered(&self) -> Option<Triggered> {
        self.newest
    }

    /// What can be said of a checkpoint when it is triggered: only one alignment is measured at a time.
    fn triggered(&self, checkpoint: CheckpointId) -> Triggered {
        if checkpoint == self.checkpoint {
            Triggered {
                checkpoint,
                start_delay: self.start_delay,
                alignment: self.last,
            }
        } else {
            Triggered {
                checkpoint,
                start_delay: Micros::ZERO,
                alignment: Some(Alignment::default()),
            }
        }
    }

    fn end(&mut self, duration: Micros) {
        let alignment = Alignment {
            duration,
            bytes: self.bytes,
        };
        self.last = Some(alignment);
        self.began = None;
        self.bytes = 0;
        if let Some(newest) = &mut self.newest {
            newest.alignment.get_or_insert(alignment);
        }
    }

    /// What is under way ends as if it had never lasted, and is forgotten but by those who wait for it.
    fn reset(&mut self) {
        self.end(Micros::ZERO);
        self.last = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flink::barrier::{Options, Snapshot};

    const ONE: CheckpointId = CheckpointId(1);

    fn start(checkpoint: CheckpointId) -> Effect {
        Effect::AlignmentStarted {
            checkpoint,
            created: Micros(100),
        }
    }

    fn trigger(checkpoint: CheckpointId) -> Effect {
        Effect::Trigger {
            checkpoint,
            options: Options::aligned(Snapshot::Checkpoint),
        }
    }

    #[test]
    fn an_aligned_checkpoint_knows_its_figures_when_it_is_triggered() {
        let mut measures = Measures::default();
        measures.handed_over(1);
        measures.hear(&start(ONE), Micros(150));
        measures.handed_over(10);
        assert_eq!(measures.alignment_duration(Micros(170)), Micros(20));
        measures.hear(&Effect::AlignmentEnded, Micros(180));
        measures.handed_over(100);
        measures.hear(&trigger(ONE), Micros(180));
        assert_eq!(
            measures.newest_triggered(),
            Some(Triggered {
                checkpoint: ONE,
                start_delay: Micros(50),
                alignment: Some(Alignment {
                    duration: Micros(30),
                    bytes: 10
                }),
            })
        );
    }

    #[test]
    fn an_unaligned_one_knows_them_later() {
        let mut measures = Measures::default();
        measures.hear(&start(ONE), Micros(150));
        measures.hear(&trigger(ONE), Micros(150));
        assert_eq!(measures.newest_triggered().unwrap().alignment, None);
        measures.handed_over(10);
        measures.hear(&Effect::AlignmentEnded, Micros(180));
        let alignment = measures.newest_triggered().unwrap().alignment.unwrap();
        assert_eq!((alignment.duration, alignment.bytes), (Micros(30), 10));
    }

    #[test]
    fn what_was_aborted_lasted_no_time() {
        let mut measures = Measures::default();
        measures.hear(&start(ONE), Micros(150));
        measures.hear(&trigger(ONE), Micros(150));
        measures.handed_over(10);
        measures.hear(&Effect::AlignmentReset, Micros(180));
        let alignment = measures.newest_triggered().unwrap().alignment.unwrap();
        assert_eq!((alignment.duration, alignment.bytes), (Micros::ZERO, 10));
        assert_eq!(measures.alignment_duration(Micros(200)), Micros::ZERO);
    }

    #[test]
    fn only_one_alignment_is_measured() {
        let mut measures = Measures::default();
        measures.hear(&start(ONE), Micros(150));
        measures.hear(&start(CheckpointId(2)), Micros(160));
        measures.hear(&trigger(ONE), Micros(180));
        assert_eq!(
            measures.newest_triggered().unwrap().alignment,
            Some(Alignment::default())
        );
    }
}
