//! A dozen deliberate faults, one at a time, each in a pipeline that keeps its promises without it. A search must find every
//! one of them, with and without reductions: what does not find them would find no real one either.

use alloc::vec::Vec;

use super::failure::Ending;
use super::state::{Contents, JobStatus};
use super::{Action, Pipeline, State};
use crate::collections::Shared;
use crate::explorer::progress::Status;
use crate::explorer::question::{Property, Question, Shown};
use crate::explorer::{Explorer, Settings};
use crate::id::{ActorId, LinkId, SubtaskId};
use crate::models::Barriers;
use crate::models::Model as _;
use crate::protocol::{Disabled, Link, Observer, Protocol, Taking, Timing};
use crate::scenario::{DeliveryGuarantee, Faults, Scenario, Story, Workload};

/// What a pipeline does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mutation {
    /// A sink commits when it has stored its snapshot, not when the checkpoint is complete.
    CommitsBeforeCompletion,
    /// A sink that hears of a completed checkpoint commits what it writes for the next one, too.
    CommitsTheCurrentOne,
    /// A sink that hears of a completed checkpoint forgets to commit.
    ForgetsToCommit,
    /// A restart does not commit what the checkpoint holds as pre-committed.
    ForgetsToCommitAgain,
    /// A restart commits what it should abort.
    CommitsWhatItShouldAbort,
    /// Sources go on where they were before a crash.
    KeepsItsPosition,
    /// Operators keep their state across a crash.
    KeepsItsCounts,
    /// What is in the channels survives a crash.
    KeepsItsChannels,
    /// A source stores the position before the last record that it has sent.
    StoresAnOlderPosition,
    /// A checkpoint does not hold what its barriers have overtaken.
    ForgetsInFlightData,
    /// What barriers have overtaken is put back twice.
    RestoresInFlightDataTwice,
    /// A checkpoint is complete though one subtask has not acknowledged it.
    CompletesTooEarly,
    /// A completed checkpoint does not take the place of the one before.
    RestoresAnOlderCheckpoint,
}

use Mutation as M;

const ALL: [(Mutation, Barriers); 13] = [
    (M::CommitsBeforeCompletion, Barriers::Aligned),
    (M::CommitsTheCurrentOne, Barriers::Aligned),
    (M::ForgetsToCommit, Barriers::Aligned),
    (M::ForgetsToCommitAgain, Barriers::Aligned),
    (M::CommitsWhatItShouldAbort, Barriers::Aligned),
    (M::KeepsItsPosition, Barriers::Aligned),
    (M::KeepsItsCounts, Barriers::Aligned),
    (M::KeepsItsChannels, Barriers::Aligned),
    (M::StoresAnOlderPosition, Barriers::Aligned),
    (M::ForgetsInFlightData, Barriers::Unaligned),
    (M::RestoresInFlightDataTwice, Barriers::Unaligned),
    (M::CompletesTooEarly, Barriers::Aligned),
    (M::RestoresAnOlderCheckpoint, Barriers::Aligned),
];

/// A pipeline that does something wrong.
struct Mutant {
    pipeline: Pipeline,
    mutation: Option<Mutation>,
}

impl Mutant {
    /// Two sources, of which one operator takes; two records, so many checkpoints, one crash.
    fn new(mutation: Option<Mutation>, barriers: Barriers, checkpoints: u32) -> Self {
        let mut scenario = Scenario::default_story().expect("it is part of the program");
        scenario.inputs[0].workload = Workload::Numbered { count: 2, keys: 2 };
        scenario.inputs[0].partitions = 2;
        scenario.checkpointing.max_checkpoints = Some(checkpoints);
        scenario.faults = Faults::none();
        if let Some(guarantee) = scenario.sink_mut() {
            *guarantee = DeliveryGuarantee::ExactlyOnce;
        }
        for (vertex, parallelism) in scenario.job.vertices.iter_mut().zip([2, 1, 1]) {
            vertex.parallelism = parallelism;
        }
        let Story::Pipeline(scenario) = Story::from(barriers.apply(scenario)).for_search(1) else {
            unreachable!("it is a pipeline");
        };
        Self {
            pipeline: Pipeline::new(scenario).expect("it makes sense"),
            mutation,
        }
    }

    fn end_all(&self, state: &mut State, ending: Ending, o: &mut impl Observer) {
        for sink in self.pipeline.sinks.clone() {
            let open = state.output.iter().flat_map(|log| log.open_transactions());
            let open: Vec<_> = open.filter(|it| it.producer() == sink.0).collect();
            for transaction in open {
                self.pipeline
                    .end_transaction(state, sink, transaction.number(), ending, o);
            }
        }
    }

    /// What it does instead of, or besides, what is right.
    fn go_wrong(
        &self,
        mutation: Mutation,
        (before, action): (&State, Action),
        state: &mut State,
        o: &mut impl Observer,
    ) {
        let notified = matches!(action, Action::Notify(_));
        let crashed = !before.down.iter().eq(state.down.iter()) && !state.down.is_empty();
        let restarted = matches!(action, Action::Restart);
        let completed = state.coordinator.completed() != before.coordinator.completed();
        match mutation {
            M::CommitsBeforeCompletion => {
                let sinks = || self.pipeline.sinks.iter().zip(&state.live.sinks);
                let more = sinks()
                    .zip(&before.live.sinks)
                    .any(|((_, now), before)| now.pending().len() > before.pending().len());
                if more && !notified {
                    self.end_all(state, Ending::Commit, o);
                }
            }
            M::CommitsTheCurrentOne if notified => self.end_all(state, Ending::Commit, o),
            M::ForgetsToCommit if notified => state.output = before.output.clone(),
            M::ForgetsToCommitAgain if crashed => {
                for sink in &mut state.live.sinks {
                    sink.recover(before.coordinator.triggered().next());
                }
            }
            M::CommitsWhatItShouldAbort if restarted => {
                state.output = before.output.clone();
                self.end_all(state, Ending::Commit, o);
            }
            M::KeepsItsPosition if crashed => state.live.offsets.clone_from(&before.live.offsets),
            M::KeepsItsCounts if crashed => state.live.counted = before.live.counted.clone(),
            M::KeepsItsChannels if crashed => {
                // Barriers are gone with their checkpoint.
                for (now, then) in state.channels.iter_mut().zip(&before.channels) {
                    if then.iter().all(|it| it.barrier().is_none()) {
                        now.clone_from(then);
                    }
                }
            }
            M::StoresAnOlderPosition => {
                if let Action::Inject(_, checkpoint) = action
                    && let Some(under_way) = state.of_mut(checkpoint)
                {
                    for offset in &mut under_way.contents.offsets {
                        *offset = offset.saturating_sub(1);
                    }
                }
            }
            M::ForgetsInFlightData => {
                for under_way in &mut state.under_way {
                    under_way.contents.in_flight.clear();
                }
                state.stored.in_flight.clear();
            }
            M::RestoresInFlightDataTwice if crashed => {
                let twice = state.live.in_flight.clone();
                state.live.in_flight.extend(twice);
            }
            M::CompletesTooEarly => {
                if let Action::Acknowledge(_, checkpoint) = action
                    && state
                        .coordinator
                        .missing(checkpoint, self.pipeline.subtasks())
                        == Some(1)
                {
                    let missing = state.reports.iter().find(|it| it.checkpoint == checkpoint);
                    let missing = missing.map(|it| it.subtask);
                    let pending = state.coordinator.find(checkpoint).cloned();
                    let absent = (0..self.pipeline.subtasks() as u16)
                        .map(SubtaskId)
                        .find(|it| {
                            pending
                                .as_ref()
                                .is_some_and(|own| !own.acknowledged.contains(it.index()))
                        });
                    if missing.is_none()
                        && let Some(subtask) = absent
                    {
                        state.send_report(super::state::Report {
                            subtask,
                            checkpoint,
                            declines: None,
                        });
                        let _ = self.pipeline.acknowledge(state, subtask, checkpoint, o);
                    }
                }
            }
            M::RestoresAnOlderCheckpoint if completed => {
                state.stored = Shared::new(Contents::clone(&before.stored));
            }
            _ => {}
        }
    }
}

impl Protocol for Mutant {
    type State = State;
    type Action = Action;

    fn initial(&self) -> State {
        self.pipeline.initial()
    }
    fn actors(&self) -> usize {
        self.pipeline.actors()
    }
    fn links(&self) -> usize {
        self.pipeline.links()
    }
    fn link(&self, link: LinkId) -> Link {
        self.pipeline.link(link)
    }
    fn enabled(&self, state: &State, actor: ActorId, into: &mut Vec<Action>) {
        self.pipeline.enabled(state, actor, into);
    }
    fn actor(&self, action: Action) -> ActorId {
        self.pipeline.actor(action)
    }
    fn takes(&self, state: &State, action: Action) -> Option<Taking> {
        self.pipeline.takes(state, action)
    }
    fn timing(&self, state: &State, action: Action) -> Timing {
        self.pipeline.timing(state, action)
    }
    fn is_fault(&self, state: &State, action: Action) -> bool {
        Protocol::is_fault(&self.pipeline, state, action)
    }
    fn forget(&self, state: &mut State) {
        self.pipeline.forget(state);
    }
    fn stands_alone(&self, state: &State, action: Action) -> bool {
        Protocol::stands_alone(&self.pipeline, state, action)
    }
    fn is_done(&self, state: &State) -> bool {
        self.pipeline.is_done(state)
    }
    fn apply(
        &self,
        state: &mut State,
        action: Action,
        o: &mut impl Observer,
    ) -> Result<(), Disabled> {
        let before = state.clone();
        self.pipeline.apply(state, action, o)?;
        if let Some(mutation) = self.mutation {
            self.go_wrong(mutation, (&before, action), state, o);
        }
        Ok(())
    }
}

/// Whether nothing is lost, doubled or miscounted; and, where there is one checkpoint, whether nothing is stuck in the
/// end: what a second one leaves open, a third would end.
struct Kept {
    ends: bool,
}

impl Question<Mutant> for Kept {
    fn properties(&self) -> &[Property] {
        const BOTH: &[Property] = &[Property::always("right"), Property::at_ends("not stuck")];
        match self.ends {
            true => BOTH,
            false => &BOTH[..1],
        }
    }
    fn judge(&mut self, mutant: &Mutant, state: &State) -> Shown {
        Shown::NONE.with(0, mutant.pipeline.is_broken(state))
    }
    fn judge_end(&mut self, mutant: &Mutant, state: &State) -> Shown {
        let verdict = mutant.pipeline.verdict_at_end(state);
        let over = state.job == JobStatus::Running && state.coordinator.completed().0 > 0;
        // What came before the last checkpoint waits for nothing any more.
        let pending = state.live.sinks.iter().any(|sink| {
            let mut pending = sink.pending().iter();
            pending.any(|it| it.checkpoint <= state.coordinator.completed())
        });
        let open = state.output.iter().flat_map(|log| log.open_transactions());
        let current = |number: u32| state.live.sinks.iter().any(|it| it.current().0 == number);
        let left = { open }.any(|it| !current(it.number()));
        Shown::NONE.with(1, verdict.stuck > 0 || over && (pending || left))
    }
}

fn search(mutation: Option<Mutation>, barriers: Barriers, order: bool) -> Status {
    // What is committed too much shows when it is committed again; what is older is so beside another one.
    let checkpoints = match mutation {
        Some(M::CommitsTheCurrentOne | M::RestoresAnOlderCheckpoint) => 2,
        _ => 1,
    };
    search_with(mutation, barriers, checkpoints, order)
}

fn search_with(
    mutation: Option<Mutation>,
    barriers: Barriers,
    checkpoints: u32,
    order: bool,
) -> Status {
    let mutant = Mutant::new(mutation, barriers, checkpoints);
    let mut kept = Kept {
        ends: checkpoints == 1,
    };
    let settings = Settings {
        faults: Some(1),
        order,
        ..Settings::default()
    };
    let mut explorer = Explorer::new(&mutant, &mut kept, settings);
    explorer.finish(&mutant, &mut kept).status
}

#[test]
fn a_search_finds_each_of_a_dozen_deliberate_faults() {
    for order in [false, true] {
        for (barriers, checkpoints) in [
            (Barriers::Aligned, 1),
            (Barriers::Aligned, 2),
            (Barriers::Unaligned, 1),
        ] {
            assert_eq!(
                search_with(None, barriers, checkpoints, order),
                Status::Exhausted,
                "{barriers:?}"
            );
        }
        let missed = ALL.iter().filter(|(mutation, barriers)| {
            search(Some(*mutation), *barriers, order) != Status::Found
        });
        let missed: Vec<_> = missed.map(|(mutation, _)| *mutation).collect();
        assert_eq!(missed, [], "order {order}");
    }
}
