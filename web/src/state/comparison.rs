//! The running scenario with its checkpoints taken in each way, measured one way after another.

use std::rc::Rc;

use barrierscope_core::Barriers;
use barrierscope_core::measurement::{Measurement, Spread};
use barrierscope_core::scenario::{Breakage, Fault, Phase, Scenario, ScenarioError, SnapshotFault};
use barrierscope_core::scene::Choice;
use barrierscope_core::time::{Micros, Millis};

use super::run::{Run, is_subtask};

/// What a run comes to, as far as it is compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// The latency of half of the records is no longer; none if the reader saw none.
    pub latency: Option<Micros>,
    /// That of 99 of 100.
    pub latency_p99: Option<Micros>,
    /// How long half of the completed checkpoints took at most; none if none was completed.
    pub duration: Option<Micros>,
    /// How long the longest took.
    pub longest: Option<Micros>,
    /// The median size of a completed checkpoint, in bytes.
    pub stored: Option<u64>,
    /// The median of what of it is in-flight data.
    pub in_flight: Option<u64>,
    /// For how long channels were blocked, all of them together.
    pub blocked: Micros,
    /// The median time from a failure until everything that had been read was read again; none if there
    /// was none that was recovered from.
    pub recovery: Option<Micros>,
    /// How many times a record was read again; none if nothing failed.
    pub repeated: Option<u64>,
    /// How many records the reader sees more than once.
    pub doubled: u64,
    /// How many records it will never see.
    pub lost: u64,
    /// How many records an operator's state counts wrongly.
    pub miscounted: u64,
    /// How many checkpoints failed, those included that were refused.
    pub failed: u64,
}

impl Figures {
    /// The figures of a run.
    pub fn of(measured: &Measurement) -> Self {
        let some = |spread: Spread, time: Micros| (spread.count > 0).then_some(time);
        let (stored, in_flight) = measured.sizes();
        let completed = measured.durations.count > 0;
        Self {
            latency: some(measured.latency, measured.latency.median),
            latency_p99: some(measured.latency, measured.latency.p99),
            duration: some(measured.durations, measured.durations.median),
            longest: some(measured.durations, measured.durations.longest),
            stored: completed.then_some(stored),
            in_flight: completed.then_some(in_flight),
            blocked: measured.blocked,
            recovery: some(measured.recovery, measured.recovery.median),
            repeated: (measured.restored > 0).then_some(measured.repeated.into()),
            doubled: measured.verdict.doubled.into(),
            lost: measured.verdict.lost.into(),
            miscounted: measured.verdict.miscounted.into(),
            failed: measured.failed() as u64 + u64::from(measured.refused),
        }
    }
}

/// The ways of taking checkpoints, side by side.
#[derive(Default)]
pub struct Comparison {
    /// The run that it was asked for.
    run: Option<Rc<Run>>,
    /// What is measured: the run's scenario, with what a person broke in the run.
    scenario: Option<Scenario>,
    /// In the order of [`Barriers::ALL`]; none is not measured yet.
    pub columns: [Option<Result<Rc<Figures>, ScenarioError>>; 3],
}

impl Comparison {
    /// The comparison for a run; none if this is the one already.
    pub(super) fn anew(&self, run: &Rc<Run>) -> Option<Self> {
        if self.run.as_ref().is_some_and(|old| Rc::ptr_eq(old, run)) {
            return None;
        }
        let scenario = as_it_ran(run);
        // Another run of the same scenario gives the same figures.
        let columns = if self.scenario == scenario {
            self.columns.clone()
        } else {
            [None, None, None]
        };
        Some(Self {
            run: Some(Rc::clone(run)),
            scenario,
            columns,
        })
    }

    /// Whether something has still to be measured.
    pub fn is_incomplete(&self) -> bool {
        self.scenario.is_some() && self.columns.iter().any(Option::is_none)
    }

    /// The comparison with one more way measured: that takes as long as it takes.
    pub(super) fn with_next(&self) -> Option<Self> {
        let at = self.columns.iter().position(Option::is_none)?;
        let scenario = self.scenario.as_ref()?;
        let barriers = *Barriers::ALL.get(at)?;
        let measured = barrierscope_core::measure_with(scenario, barriers);
        let mut columns = self.columns.clone();
        columns[at] = Some(measured.map(|measured| Rc::new(Figures::of(&measured))));
        Some(Self {
            run: self.run.clone(),
            scenario: self.scenario.clone(),
            columns,
        })
    }

    /// Everything measured, once it is.
    pub fn figures(&self) -> Option<[Rc<Figures>; 3]> {
        let [aligned, unaligned, at_least_once] = &self.columns;
        let of = |column: &Option<Result<Rc<Figures>, ScenarioError>>| {
            column.as_ref()?.as_ref().ok().map(Rc::clone)
        };
        Some([of(aligned)?, of(unaligned)?, of(at_least_once)?])
    }
}

/// The way in which a scenario takes its checkpoints, if it is one of those that are compared.
pub fn barriers_of(scenario: &Scenario) -> Option<Barriers> {
    Barriers::ALL
        .into_iter()
        .find(|barriers| barriers.apply(scenario.clone()).checkpointing == scenario.checkpointing)
}

/// The scenario of a run, with the faults that a person caused in it at their moments; none if it is of
/// another model.
fn as_it_ran(run: &Run) -> Option<Scenario> {
    let (mut scenario, nodes) = run.with(|session| {
        let scenario = session.story().pipeline()?.clone();
        Some((scenario, session.scene().nodes))
    })?;
    let name = |id| {
        let node = nodes
            .iter()
            .find(|node| node.id == id && is_subtask(node))?;
        Some(format!("{}[{}]", node.name, node.number))
    };
    for (moment, choice) in &run.faults {
        let what = match *choice {
            Choice::Crash { subtask } => name(subtask).map(Breakage::Crash),
            Choice::LoseTaskManager { number, .. } => Some(Breakage::LoseTaskManager(number)),
            Choice::LoseJobManager { .. } => Some(Breakage::LoseJobManager),
            Choice::LoseNotification { subtask, .. } => {
                name(subtask).map(Breakage::LoseNotification)
            }
            Choice::FailSnapshot {
                subtask,
                checkpoint,
            } => {
                scenario.faults.snapshots.push(SnapshotFault {
                    checkpoint: checkpoint.0,
                    subtask: name(subtask),
                    phase: Phase::Async,
                });
                None
            }
            Choice::Refuse { checkpoint, .. } => {
                scenario.faults.snapshots.push(SnapshotFault {
                    checkpoint: checkpoint.0,
                    subtask: None,
                    phase: Phase::Finalize,
                });
                None
            }
            _ => None,
        };
        let at_ms = Millis(u32::try_from(moment.0 / 1_000).unwrap_or(u32::MAX));
        scenario
            .faults
            .schedule
            .extend(what.map(|what| Fault { at_ms, what }));
    }
    Some(scenario)
}
