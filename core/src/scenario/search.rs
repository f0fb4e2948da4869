//! A scenario made fit for a search: what is scheduled for a moment gives way to budgets.

use super::Story;
use crate::time::Millis;

/// Checkpoints in a search, if the scenario does not limit them: without a limit there is no end of states.
const CHECKPOINTS: u32 = 2;

impl Story {
    /// The same scenario, to be searched: faults are no longer scheduled, but may happen at any moment, up to so many
    /// of each kind. Nobody takes savepoints, checkpoints do not expire (they would at every moment), and there are two
    /// of them if the scenario does not say how many at most. Messages that the scenario has lost or late stay so.
    #[must_use]
    pub fn for_search(mut self, faults: u8) -> Self {
        match &mut self {
            Self::Pipeline(scenario) => {
                let budget = &mut scenario.faults;
                budget.schedule.clear();
                budget.max_crashes = faults;
                budget.max_declines = budget.max_declines.min(faults);
                budget.max_refusals = budget.max_refusals.min(faults);
                budget.max_lost_notifications = budget.max_lost_notifications.min(faults);
                scenario.savepoints.max = 0;
                scenario.savepoints.schedule.clear();
                let checkpointing = &mut scenario.checkpointing;
                checkpointing.timeout_ms = Millis(0);
                checkpointing.max_checkpoints.get_or_insert(CHECKPOINTS);
                if let Some(kafka) = &mut scenario.kafka {
                    kafka.faults.schedule.clear();
                    kafka.faults.max_crashes = faults;
                    kafka.faults.max_losses = faults;
                }
            }
            Self::Delivery(scenario) => {
                scenario.faults.schedule.clear();
                scenario.faults.max_crashes = faults;
                scenario.faults.max_losses = faults;
            }
            Self::Votes(scenario) => {
                scenario.faults.schedule.clear();
                scenario.faults.max_crashes = faults;
                scenario.faults.max_losses = scenario.faults.max_losses.min(faults);
                scenario.faults.max_duplicates = scenario.faults.max_duplicates.min(faults);
                scenario.faults.max_early_timeouts.get_or_insert(faults);
            }
        }
        self
    }
}
