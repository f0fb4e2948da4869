//! What settings of producer and consumer come to: a table that the model fills in, cell by cell.

use std::rc::Rc;

use barrierscope_core::models::delivery::matrix::{self, Cell, Setting};
use barrierscope_core::scenario::Delivery;
use barrierscope_core::session::Session;
use barrierscope_core::verdict::Verdict;

/// The table, as far as it is computed.
#[derive(Default)]
pub struct Guarantees {
    /// The settings, row by row, each with what it comes to.
    pub cells: Vec<(Setting, Option<Rc<Cell>>)>,
}

/// A run that shows something of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// A record is lost, or reported as failed.
    Loss,
    /// A record is doubled.
    Duplicate,
    /// Nothing breaks.
    Calm,
}

impl Guarantees {
    /// The table with nothing in it yet.
    pub(super) fn empty() -> Self {
        let settings = matrix::settings().into_iter();
        Self {
            cells: settings.map(|setting| (setting, None)).collect(),
        }
    }

    /// How many cells are computed.
    pub fn done(&self) -> usize {
        self.cells.iter().filter(|(_, cell)| cell.is_some()).count()
    }

    /// The table with one more cell computed: that takes as long as it takes.
    pub(super) fn with_next(&self) -> Option<Self> {
        let next = self.cells.iter().position(|(_, cell)| cell.is_none())?;
        let mut cells = self.cells.clone();
        let (setting, cell) = cells.get_mut(next)?;
        *cell = Some(Rc::new(matrix::compute(*setting)));
        Some(Self { cells })
    }

    /// The scenario of a run that shows something of a cell.
    pub fn proof(&self, cell: usize, proof: Proof) -> Option<&Delivery> {
        match self.cells.get(cell)?.1.as_deref()? {
            Cell::Refused { .. } => None,
            Cell::Computed {
                loss,
                duplicate,
                calm,
                ..
            } => match proof {
                Proof::Loss => loss.as_deref(),
                Proof::Duplicate => duplicate.as_deref(),
                Proof::Calm => Some(calm),
            },
        }
    }
}

/// The step of a run at which it shows what it is to show, for good; the last one of a run that shows
/// nothing.
pub(super) fn shown_at(session: &mut dyn Session, proof: Proof) -> usize {
    let shows = |verdict: &Verdict| match proof {
        Proof::Loss => verdict.lost + verdict.failed > 0,
        Proof::Duplicate => verdict.doubled > 0,
        Proof::Calm => false,
    };
    let last = session.last();
    let mut shown = last;
    let mut before = false;
    for step in 0..=last {
        session.go_to(step);
        let now = shows(&session.verdict());
        if now && !before {
            shown = step;
        }
        before = now;
    }
    if before { shown } else { last }
}
