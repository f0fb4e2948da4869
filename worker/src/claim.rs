//! Statements that people make about these systems, decided by searches.
//!
//! A statement has cases: a configuration, a property, and what the statement says of it. What comes out of the searches
//! decides whether it is true; what was expected to come out stands beside, so that one sees when the two differ.

use barrierscope_core::models::spared::{PART, Spared};
use serde::Deserialize;

use crate::message::{Ask, Outcome, Way};
use barrierscope_core::explorer::progress::Status;
use barrierscope_core::scenario::{ScenarioError, Story};

/// Bytes that the search of a case may take.
const MEMORY: u64 = 1 << 29;

/// What a statement says of a property: that it always holds, or that it can be broken (or reached).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Claimed {
    /// It holds in all states.
    Holds,
    /// Some run breaks it; or reaches what is to be reached.
    Breaks,
}

/// A property that a case is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Of {
    /// Nothing is lost.
    Lost,
    /// Nothing is doubled.
    Doubled,
    /// No state counts wrongly.
    Miscounted,
    /// Nothing is stuck.
    Stuck,
    /// A part of what is written together is seen.
    Part,
    /// AC1: all decide the same.
    Ac1,
    /// AC3: nobody commits without all votes.
    Ac3,
    /// A participant is blocked.
    Blocked,
}

impl Of {
    /// Its number among those of its model.
    pub const fn number(self) -> u32 {
        match self {
            Self::Lost | Self::Ac1 => 0,
            Self::Doubled => 1,
            Self::Miscounted | Self::Ac3 => 2,
            Self::Stuck => 3,
            Self::Part => PART,
            Self::Blocked => 5,
        }
    }
}

/// A configuration, and what a statement says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case<'a> {
    /// The scenario, as JSON.
    pub scenario: &'a str,
    /// How many faults a run may have.
    pub faults: u8,
    /// Which faults do not happen.
    pub spared: Spared,
    /// Which property.
    pub of: Of,
    /// What the statement says of it.
    pub claimed: Claimed,
    /// Whether it is about a limit of the statement, and not about the statement itself.
    pub but: bool,
    /// Steps of the shortest run that is expected to show it; none if nothing is.
    pub expected: Option<u32>,
}

/// What the search of a case has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CameTo {
    /// It holds, in so many states.
    Holds(u64),
    /// It shows after so many steps.
    Shows(u32),
    /// The search has not come to an end.
    Undecided,
}

impl Case<'_> {
    /// What a worker is asked.
    ///
    /// # Errors
    /// [`ScenarioError`] if the scenario makes no sense.
    pub fn ask(&self) -> Result<Ask, ScenarioError> {
        let story = Story::from_json(self.scenario)?.for_search(self.faults);
        Ok(Ask {
            scenario: story.as_ref().to_json(),
            faults: self.faults,
            spared: self.spared.clone(),
            memory: MEMORY,
            goes_on: false,
            only: Some(self.of.number()),
            way: Way::Exhaustive,
        })
    }

    /// What the search of it has come to.
    pub fn came_to(&self, outcome: &Outcome) -> CameTo {
        match (outcome.shown(self.of.number()), outcome.progress.status) {
            (Some(shown), _) => CameTo::Shows(shown.choices.len() as u32),
            (None, Status::Exhausted) => CameTo::Holds(outcome.progress.distinct),
            (None, _) => CameTo::Undecided,
        }
    }

    /// Whether it came out as was expected.
    pub fn is_as_expected(&self, came_to: CameTo) -> bool {
        match came_to {
            CameTo::Holds(_) => self.expected.is_none(),
            CameTo::Shows(steps) => self.expected == Some(steps),
            CameTo::Undecided => false,
        }
    }

    /// Whether what came out is what the statement says; none if nothing was decided.
    pub const fn agrees(&self, came_to: CameTo) -> Option<bool> {
        match (came_to, self.claimed) {
            (CameTo::Undecided, _) => None,
            (CameTo::Holds(_), Claimed::Holds) | (CameTo::Shows(_), Claimed::Breaks) => Some(true),
            (CameTo::Holds(_), Claimed::Breaks) | (CameTo::Shows(_), Claimed::Holds) => Some(false),
        }
    }
}

/// What becomes of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It is true.
    True,
    /// It is true as it is meant, and has a limit.
    TrueBut,
    /// It is false.
    False,
}

impl Verdict {
    /// What follows from what each case came to, with whether the case is about a limit; none before all are decided.
    pub fn of(cases: impl IntoIterator<Item = (bool, Option<bool>)>) -> Option<Self> {
        let mut verdict = Self::True;
        for (but, agrees) in cases {
            match (but, agrees?) {
                (false, false) => verdict = Self::False,
                (true, false) if verdict == Self::True => verdict = Self::TrueBut,
                _ => {}
            }
        }
        Some(verdict)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_what_its_cases_come_to() {
        let of = |cases: &[(bool, Option<bool>)]| Verdict::of(cases.iter().copied());
        assert_eq!(of(&[(false, Some(true))]), Some(Verdict::True));
        let limited = [(false, Some(true)), (true, Some(false))];
        assert_eq!(of(&limited), Some(Verdict::TrueBut));
        let wrong = [(true, Some(false)), (false, Some(false))];
        assert_eq!(of(&wrong), Some(Verdict::False));
        assert_eq!(
            of(&[(false, Some(false)), (true, Some(false))]),
            Some(Verdict::False)
        );
        assert_eq!(of(&[(false, Some(true)), (true, None)]), None);
    }
}
