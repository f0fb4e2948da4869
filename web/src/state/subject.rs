//! What a run is of, if it did not begin with a model's own scenario.

use barrierscope_core::scenario::{ScenarioError, Story};

use super::{Reported, Task};

/// Something that comes with the program and has a scenario of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A fault report.
    Report(Reported),
    /// A part of a lesson.
    Task(Task),
}

impl Subject {
    /// The fault report, if it is one.
    pub const fn report(self) -> Option<Reported> {
        match self {
            Self::Report(reported) => Some(reported),
            Self::Task(_) => None,
        }
    }

    /// The part of a lesson, if it is one.
    pub const fn task(self) -> Option<Task> {
        match self {
            Self::Report(_) => None,
            Self::Task(task) => Some(task),
        }
    }

    /// Its scenario.
    ///
    /// # Errors
    /// None, as long as the scenarios that come with the program are whole.
    pub fn story(self) -> Result<Story, ScenarioError> {
        match self {
            Self::Report(reported) => reported.story(),
            Self::Task(task) => task.story(),
        }
    }
}
