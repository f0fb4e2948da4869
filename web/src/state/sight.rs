//! The ways of looking at a run.

/// What the middle of the page shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sight {
    /// The stage: the graph, alive.
    #[default]
    Watch,
    /// The checkpoints of the run, in a table.
    Checkpoints,
    /// Runs side by side that differ in one knob.
    Compare,
    /// What settings of producer and consumer come to.
    Guarantees,
    /// What becomes of a record at every crash point of a job that writes to Kafka.
    FaultMatrix,
    /// The search for a counterexample.
    Search,
    /// Statements that searches decide. They are about no run.
    Claims,
    /// The scenario itself, as text and in a form. It is what the next run will be of, not the one that is open.
    Editor,
    /// The lessons. They are about no run, until one is open.
    Lessons,
    /// The gallery of fault reports. It is about no run.
    Gallery,
}

impl Sight {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Watch,
        Self::Checkpoints,
        Self::Compare,
        Self::Guarantees,
        Self::FaultMatrix,
        Self::Search,
        Self::Claims,
        Self::Editor,
        Self::Lessons,
        Self::Gallery,
    ];

    /// Whether it shows something of the run that is open: the editor, the lessons and the gallery do not.
    pub const fn is_about_a_run(self) -> bool {
        !matches!(
            self,
            Self::Claims | Self::Editor | Self::Lessons | Self::Gallery
        )
    }

    /// Whether one sees time pass there.
    pub const fn has_time(self) -> bool {
        self.is_about_a_run() && !matches!(self, Self::Search)
    }

    /// The word for it in the address.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Watch => "watch",
            Self::Checkpoints => "checkpoints",
            Self::Compare => "compare",
            Self::Guarantees => "guarantees",
            Self::FaultMatrix => "fault-matrix",
            Self::Search => "search",
            Self::Claims => "claims",
            Self::Editor => "editor",
            Self::Lessons => "lessons",
            Self::Gallery => "gallery",
        }
    }
}
