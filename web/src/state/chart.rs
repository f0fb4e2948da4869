//! A run in space and time, with what had to happen before what.

use barrierscope_core::diagram::{Causality, Diagram, Steps};

/// A run in space and time.
#[derive(Debug)]
pub struct Chart {
    /// Lanes, messages, bars, marks.
    pub diagram: Diagram,
    /// What happened before what.
    pub causality: Causality,
}

impl Chart {
    /// Of a diagram.
    pub fn of(diagram: Diagram) -> Self {
        Self {
            causality: Causality::of(&diagram),
            diagram,
        }
    }

    /// The light cone of a step.
    pub fn cone(&self, step: u32) -> Cone {
        Cone {
            here: step,
            past: self.causality.past(step),
            future: self.causality.future(step),
        }
    }
}

/// What happened before a step, and what only after it; everything else is neither.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cone {
    /// The step.
    pub here: u32,
    /// Every step that happened before it.
    pub past: Steps,
    /// Every step before which it happened.
    pub future: Steps,
}

/// What runs along a space-time diagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    /// Steps: each takes the same room.
    Steps,
    /// Virtual time.
    Time,
}

impl Along {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::Steps, Self::Time];

    /// The word for it in the address.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Steps => "steps",
            Self::Time => "time",
        }
    }
}
