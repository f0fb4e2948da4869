//! A job that is killed, and deployed again from a checkpoint of one's choice, or from none.
//!
//! Source: `flink run -s` with a retained checkpoint (Flink's documentation, "Checkpoints: Resuming from a
//! retained checkpoint"). Whoever goes back to an older one than the last, or to none, reads again what was
//! committed since.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::failure::Cause;
use super::state::{Contents, JobStatus};
use super::{Pipeline, State};
use crate::event::Event;
use crate::id::CheckpointId;
use crate::protocol::{Disabled, Observer};
use crate::scenario::Breakage;

/// How a job is deployed again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// From which checkpoint; none: the last one.
    checkpoint: Option<CheckpointId>,
    /// The place of the prefix that its sink has from then on; none: it stays.
    prefix: Option<u16>,
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
            }),
            _ => None,
        });
        self.redeployments = plans.collect();
    }

    /// A completed checkpoint or savepoint is kept, if the job is to be deployed from it.
    pub(super) fn keep(&self, state: &mut State, checkpoint: CheckpointId, contents: &Contents) {
        let named = |plan: &Plan| plan.checkpoint == Some(checkpoint);
        if self.redeployments.iter().any(named) {
            state.kept.push((checkpoint, contents.clone()));
        }
    }

    pub(super) fn may_redeploy(&self, state: &State, number: u8) -> bool {
        let plan = self.redeployments.get(usize::from(number));
        state.budget.crashes > 0
            // A job that has failed for good can be deployed again; one that has finished need not.
            && (state.job == JobStatus::Failed || !self.is_over(state))
            && plan.is_some_and(|plan| match plan.checkpoint {
                None | Some(CheckpointId(0)) => true,
                Some(named) => state.kept.iter().any(|(kept, _)| *kept == named),
            })
    }

    /// From which checkpoint a scheduled redeployment would be, and whether the prefix changes with it.
    pub(super) fn redeployment(&self, state: &State, number: u8) -> Option<(CheckpointId, bool)> {
        let plan = self.redeployments.get(usize::from(number))?;
        let prefix = state.brokers.as_ref().map(|on| on.prefix);
        let checkpoint = plan.checkpoint.unwrap_or(state.coordinator.completed());
        Some((checkpoint, plan.prefix.is_some() && plan.prefix != prefix))
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
            None => (state.coordinator.completed(), state.stored.clone()),
            Some(CheckpointId(0)) => (CheckpointId(0), self.empty_contents()),
            Some(named) => {
                let kept = state.kept.iter().find(|(kept, _)| *kept == named);
                kept.cloned().ok_or(Disabled)?
            }
        };
        let before = state.brokers.as_ref().map(|on| on.prefix);
        if let (Some(on), Some(prefix)) = (&mut state.brokers, plan.prefix) {
            on.prefix = prefix;
        }
        o.event(Event::JobRedeployed {
            checkpoint,
            prefix_changed: before != state.brokers.as_ref().map(|on| on.prefix),
        });
        state.stored = contents;
        self.fail(state, Cause::Killed, o);
        // Those that were down already hold what the last checkpoint said.
        state.live = state.stored.clone();
        state.coordinator.restore(checkpoint);
        state.job = JobStatus::Running;
        Ok(())
    }
}
