//! A job that is killed, and deployed again from a checkpoint of one's choice, or from none.
//!
//! Source: `flink run -s` with a retained checkpoint (Flink's documentation, "Checkpoints: Resuming from a
//! retained checkpoint"). Whoever goes back to an older one than the last, or to none, reads again what was
//! committed since.
//!
//! The sink may have another parallelism then. What its subtasks keep is one list for each part of it, writer and
//! committer, and each subtask gets a run of that list (`RoundRobinOperatorStateRepartitioner`): the first ones one
//! entry more, where it does not come out even. A writer's entries say which subtasks' transactional ids are its
//! own (`TransactionOwnership`, `KafkaWriterState`). In-flight data goes to the subtask that would get the record
//! now (`SubtaskStateMapper`).

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;

use super::failure::Cause;
use super::kafka_sink::SinkState;
use super::state::{Contents, InFlight, JobStatus};
use super::{Pipeline, Role, State};
use crate::collections::Shared;
use crate::event::Event;
use crate::flink::barrier::handler::Handler;
use crate::flink::job_graph::{Output, Partitioning};
use crate::flink::key_groups;
use crate::id::{ChannelId, CheckpointId, SubtaskId};
use crate::protocol::{Disabled, Observer};
use crate::scenario::Breakage;

/// How a job is deployed again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// From which checkpoint; none: the last one.
    checkpoint: Option<CheckpointId>,
    /// The place of the prefix that its sink has from then on; none: it stays.
    prefix: Option<u16>,
    /// How many subtasks its sink has from then on; none: as many as before.
    parallelism: Option<u16>,
}

impl Pipeline {
    /// The prefixes that the sink has at one time or another, its first one first.
    pub(super) fn prefixes(&self, first: &str) -> Vec<String> {
        let mut prefixes = alloc::vec![first.to_string()];
        for fault in &self.scenario.faults.schedule {
            if let Breakage::Redeploy(redeploy) = &fault.what
                && let Some(prefix) = &redeploy.prefix
                && !prefixes.contains(prefix)
            {
                prefixes.push(prefix.clone());
            }
        }
        prefixes
    }

    pub(super) fn assign_redeployments(&mut self) {
        let kafka = self.scenario.kafka.as_ref();
        let prefixes = self.prefixes(kafka.map_or("", |kafka| &kafka.sink.prefix));
        let faults = self.scenario.faults.schedule.iter();
        let plans = faults.filter_map(|fault| match &fault.what {
            Breakage::Redeploy(redeploy) => Some(Plan {
                checkpoint: redeploy.checkpoint.map(CheckpointId),
                prefix: redeploy.prefix.as_ref().and_then(|prefix| {
                    let at = prefixes.iter().position(|known| known == prefix)?;
                    Some(at as u16)
                }),
                parallelism: redeploy.parallelism,
            }),
            _ => None,
        });
        self.redeployments = plans.collect();
    }

    /// A completed checkpoint or savepoint is kept, if the job is to be deployed from it.
    pub(super) fn keep(&self, state: &mut State, checkpoint: CheckpointId, contents: &Contents) {
        let named = |plan: &Plan| plan.checkpoint == Some(checkpoint);
        if self.redeployments.iter().any(named) {
            state.seldom.kept.push((checkpoint, contents.clone()));
        }
    }

    pub(super) fn may_redeploy(&self, state: &State, number: u8) -> bool {
        let plan = self.redeployments.get(usize::from(number));
        state.budget.crashes > 0
            // A job that has failed for good can be deployed again; one that has finished need not.
            && (state.job == JobStatus::Failed || !self.is_over(state))
            && plan.is_some_and(|plan| match plan.checkpoint {
                None | Some(CheckpointId(0)) => true,
                Some(named) => state.seldom.kept.iter().any(|(kept, _)| *kept == named),
            })
    }

    /// From which checkpoint a scheduled redeployment would be, whether the prefix changes with it, and how many
    /// subtasks the sink has then if that changes.
    pub(super) fn redeployment(
        &self,
        state: &State,
        number: u8,
    ) -> Option<(CheckpointId, bool, Option<u16>)> {
        let plan = self.redeployments.get(usize::from(number))?;
        let prefix = state.brokers.as_ref().map(|on| on.prefix);
        let checkpoint = plan.checkpoint.unwrap_or(state.coordinator.completed());
        let prefix_changes = plan.prefix.is_some() && plan.prefix != prefix;
        let before = state.brokers.as_ref().map(|on| on.parallelism);
        let parallelism = plan.parallelism.filter(|_| plan.parallelism != before);
        Some((checkpoint, prefix_changes, parallelism))
    }

    pub(super) fn redeploy(
        &self,
        state: &mut State,
        number: u8,
        o: &mut impl Observer,
    ) -> Result<(), Disabled> {
        if !self.may_redeploy(state, number) {
            return Err(Disabled);
        }
        let plan = self.redeployments.get(usize::from(number));
        let plan = plan.copied().ok_or(Disabled)?;
        state.budget.crashes -= 1;
        let (checkpoint, contents) = match plan.checkpoint {
            None => (state.coordinator.completed(), (*state.stored).clone()),
            Some(CheckpointId(0)) => (CheckpointId(0), self.empty_contents()),
            Some(named) => {
                let kept = state.seldom.kept.iter().find(|(kept, _)| *kept == named);
                kept.cloned().ok_or(Disabled)?
            }
        };
        let (_, prefix_changed, parallelism) = self.redeployment(state, number).ok_or(Disabled)?;
        if let (Some(on), Some(prefix)) = (&mut state.brokers, plan.prefix) {
            on.prefix = prefix;
        }
        o.event(Event::JobRedeployed {
            checkpoint,
            prefix_changed,
            parallelism,
        });
        state.stored = Shared::new(contents);
        self.fail(state, Cause::Killed, o);
        if let Some(parallelism) = parallelism {
            self.rescale(state, parallelism, o);
        }
        if let Some(on) = &state.brokers {
            self.redistribute(&mut state.stored, on.parallelism);
        }
        // Those that were down already hold what the last checkpoint said.
        state.live = state.stored.clone();
        state.coordinator.restore(checkpoint);
        state.job = JobStatus::Running;
        Ok(())
    }

    /// The sink has so many subtasks from now on: it is down, and the others are no part of the job.
    fn rescale(&self, state: &mut State, parallelism: u16, o: &mut impl Observer) {
        let handler = Handler::restarted(self.handler(), state.coordinator.triggered());
        for sink in self.sinks.iter().copied() {
            if let Some(gate) = self
                .gate_number(sink)
                .and_then(|at| state.gates.get_mut(at))
            {
                gate.clone_from(&handler);
            }
            state.down.insert(sink.index());
        }
        if let Some(on) = &mut state.brokers {
            on.parallelism = parallelism;
        }
        for sink in self.sinks.iter().copied() {
            if self.is_removed(state, sink) {
                self.close_all(state, sink, o);
                state.down.remove(sink.index());
                state.dead.remove(sink.index());
            }
        }
    }

    /// Gives what the subtasks of a sink have stored to so many subtasks.
    fn redistribute(&self, contents: &mut Contents, parallelism: u16) {
        let stored = contents.on_brokers.iter();
        let before = stored.filter(|sink| sink.owned != 0).count();
        if before == 0 || before == usize::from(parallelism) {
            return;
        }
        let sinks = contents.on_brokers.len();
        let mut owned = Vec::new();
        let mut spread = 0;
        let mut committers = Vec::new();
        for sink in core::mem::take(&mut contents.on_brokers) {
            if sink.owned == 0 {
                continue;
            }
            let bits = (0..u16::BITS).filter_map(|at| 1_u16.checked_shl(at));
            owned.extend(bits.filter(|bit| sink.owned & bit != 0));
            spread = sink.spread.max(spread);
            committers.push(sink.committables);
        }
        let mut owned_runs = runs(owned.len(), parallelism);
        let mut committer_runs = runs(committers.len(), parallelism);
        for _ in 0..sinks {
            let bits = owned.get(owned_runs.next().unwrap_or_default());
            let parts = committers.get(committer_runs.next().unwrap_or_default());
            let bits = bits.unwrap_or_default().iter();
            let owned = bits.fold(0, |all, bit| all | bit);
            let mut sink = SinkState {
                owned,
                // Who gets no state knows of no other subtasks.
                spread: if owned == 0 { 0 } else { spread },
                committables: parts
                    .unwrap_or_default()
                    .iter()
                    .flatten()
                    .copied()
                    .collect(),
            };
            // What was prepared for one checkpoint is committed before what was for a later one.
            sink.committables.sort_by_key(|it| it.checkpoint);
            contents.on_brokers.push(sink);
        }
        for item in core::mem::take(&mut contents.in_flight) {
            let channel = self.rerouted(item, parallelism).unwrap_or(item.channel);
            contents.store_in_flight(InFlight { channel, ..item });
        }
    }

    /// The channel into which in-flight data of a sink is put back that has so many subtasks; nothing if it is not
    /// a sink's.
    fn rerouted(&self, item: InFlight, parallelism: u16) -> Option<ChannelId> {
        let ends = self.graph.channels().get(item.channel.index())?;
        self.writer_number(ends.to)?;
        let outputs = &self.graph.subtask(ends.from)?.outputs;
        let place = |output: &Output| output.channels.iter().position(|id| *id == item.channel);
        let (output, at) = outputs.iter().find_map(|it| Some((it, place(it)?)))?;
        let to = match output.partitioning {
            Partitioning::Hash => {
                let hash = self.key_hashes.get(item.record.index())?;
                usize::from(key_groups::subtask_of(*hash, parallelism))
            }
            Partitioning::Rebalance => at.checked_rem(usize::from(parallelism))?,
            // A sink behind such an edge keeps its parallelism.
            Partitioning::Forward | Partitioning::Broadcast => at,
        };
        output.channels.get(to).copied()
    }

    /// The subtasks that are part of the job: a redeployment may have removed some of the sink's.
    pub(super) fn present<'a>(
        &'a self,
        state: &'a State,
    ) -> impl Iterator<Item = SubtaskId> + use<'a> {
        let all = (0..self.subtasks() as u16).map(SubtaskId);
        all.filter(|subtask| !self.is_removed(state, *subtask))
    }

    /// How many they are.
    pub(super) fn present_count(&self, state: &State) -> usize {
        let on = state.brokers.as_ref();
        let removed = on.map_or(0, |on| {
            let parallelism = usize::from(on.parallelism);
            self.sinks.len().saturating_sub(parallelism)
        });
        self.subtasks().saturating_sub(removed)
    }

    /// Whether a redeployment has removed a subtask.
    pub(super) fn is_removed(&self, state: &State, subtask: SubtaskId) -> bool {
        let Some(on) = &state.brokers else {
            return false;
        };
        usize::from(on.parallelism) < self.sinks.len()
            && matches!(
                self.role(subtask),
                Some(Role::Sink { number, .. }) if *number >= usize::from(on.parallelism)
            )
    }

    /// Whether a channel leads to a subtask that was removed.
    pub(super) fn leads_nowhere(&self, state: &State, channel: ChannelId) -> bool {
        let ends = self.graph.channels().get(channel.index());
        ends.is_some_and(|ends| self.is_removed(state, ends.to))
    }

    /// The channels of an output, without those to subtasks that were removed.
    pub(super) fn channels_of<'a>(&self, state: &State, output: &'a Output) -> &'a [ChannelId] {
        let all = output.channels.as_slice();
        let last = all.last();
        if last.is_none_or(|last| !self.leads_nowhere(state, *last)) {
            return all;
        }
        // The subtasks with the highest numbers are removed, and theirs are the last channels.
        let left = all.partition_point(|id| !self.leads_nowhere(state, *id));
        all.get(..left).unwrap_or_default()
    }
}

/// So many entries of a list in so many runs, the longer ones first; empty ones behind them.
fn runs(entries: usize, runs: u16) -> impl Iterator<Item = Range<usize>> {
    let runs = usize::from(runs).max(1);
    let (each, more) = (entries / runs, entries % runs);
    let end = move |run: usize| each * run + run.min(more);
    (0..runs).map(move |run| end(run)..end(run + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Flink's `RoundRobinOperatorStateRepartitioner` shares a list out: in runs, not one by one.
    #[test]
    fn a_list_is_shared_out_in_runs_of_which_the_first_are_longer() {
        let shared = |entries, among| runs(entries, among).collect::<Vec<_>>();
        assert_eq!(shared(3, 2), [0..2, 2..3]);
        assert_eq!(shared(4, 2), [0..2, 2..4]);
        assert_eq!(shared(7, 3), [0..3, 3..5, 5..7]);
        assert_eq!(shared(2, 3), [0..1, 1..2, 2..2]);
        assert_eq!(shared(2, 0), shared(2, 1));
    }
}
