//! The tree of branches: which run left which, and at which step.

use std::rc::Rc;

use super::Run;

/// A run in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Twig {
    /// Its place in the list of runs.
    pub place: usize,
    /// How many branchings lead to it.
    pub depth: usize,
    /// The row of the run that it left, if it is a branch.
    pub parent: Option<usize>,
}

/// The runs in the order of the tree: each one is followed by its branches, and these by when they leave it.
pub fn tree(runs: &[Rc<Run>]) -> Vec<Twig> {
    let mut rows = Vec::new();
    for (place, run) in runs.iter().enumerate() {
        if parent(runs, run).is_none() {
            grow(runs, place, None, &mut rows);
        }
    }
    rows
}

fn grow(runs: &[Rc<Run>], place: usize, parent: Option<usize>, rows: &mut Vec<Twig>) {
    let row = rows.len();
    let depth = parent
        .and_then(|row| rows.get(row))
        .map_or(0, |it| it.depth + 1);
    rows.push(Twig {
        place,
        depth,
        parent,
    });
    let branches = runs.iter().enumerate().filter_map(|(other, run)| {
        let origin = run.origin.as_ref()?;
        (origin.from == runs[place].number).then_some((origin.step, run.number, other))
    });
    let mut branches: Vec<_> = branches.collect();
    branches.sort_unstable();
    for (.., branch) in branches {
        grow(runs, branch, Some(row), rows);
    }
}

/// The place of the run that a branch has left.
pub(super) fn parent(runs: &[Rc<Run>], run: &Run) -> Option<usize> {
    let from = run.origin.as_ref()?.from;
    // A run has a higher number than the one that it left: there are no circles.
    let mut runs = runs.iter();
    runs.position(|other| other.number == from && from < run.number)
}

/// Whether a run is a branch of another one, or of one of its branches, or that one itself.
pub(super) fn is_of(runs: &[Rc<Run>], run: &Run, number: usize) -> bool {
    run.number == number || parent(runs, run).is_some_and(|place| is_of(runs, &runs[place], number))
}
