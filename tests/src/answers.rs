//! What the Explorer finds in the published specifications, beside what is published.

use core::fmt::Write;

use barrierscope_core::explorer::progress::Progress;
use barrierscope_core::explorer::{Explorer, Run, Settings};

use crate::specs::{Holds, Of, Spec, Unknown, Use, named};

/// What is published of a specification.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// Its name.
    pub name: &'static str,
    /// Whether equal parts are seen once.
    pub symmetry: bool,
    /// Distinct states, as far as that is published.
    pub distinct: Option<u64>,
    /// States generated, as TLC counts them.
    pub generated: Option<u64>,
    /// States in the longest shortest run, or in the counterexample.
    pub depth: Option<u32>,
    /// Whether its property is broken.
    pub broken: bool,
}

const fn holds(name: &'static str, distinct: u64, generated: u64, depth: u32) -> Answer {
    Answer {
        name,
        symmetry: false,
        distinct: Some(distinct),
        generated: Some(generated),
        depth: Some(depth),
        broken: false,
    }
}

const fn breaks(
    name: &'static str,
    distinct: Option<u64>,
    generated: Option<u64>,
    depth: u32,
) -> Answer {
    Answer {
        name,
        symmetry: false,
        distinct,
        generated,
        depth: Some(depth),
        broken: true,
    }
}

const fn orbits(name: &'static str, distinct: u64) -> Answer {
    Answer {
        name,
        symmetry: true,
        distinct: Some(distinct),
        generated: None,
        depth: None,
        broken: false,
    }
}

/// The published answers, but for the two largest of two-phase commit.
pub const PUBLISHED: [Answer; 22] = [
    holds("two-phase:2", 56, 154, 8),
    holds("two-phase:3", 288, 1_146, 11),
    holds("two-phase:4", 1_568, 8_258, 14),
    holds("two-phase:5", 8_832, 58_146, 17),
    holds("two-phase:6", 50_816, 402_306, 20),
    holds("two-phase:7", 296_448, 2_744_706, 23),
    orbits("two-phase:2", 34),
    orbits("two-phase:3", 80),
    orbits("two-phase:4", 166),
    orbits("two-phase:5", 314),
    orbits("two-phase:8", 1_461),
    holds("tcommit", 34, 94, 7),
    holds("two-phase-with-backup", 1_245, 5_841, 15),
    holds("acp-sb", 54_944, 218_352, 21),
    holds("acp-nb", 4_284, 23_988, 19),
    breaks("acp-nb-wrong", None, None, 13),
    holds("alternating-bit", 240, 1_392, 10),
    holds("ladder:sequential", 5, 6, 5),
    breaks("ladder:crash", Some(9), Some(15), 6),
    holds("ladder:transaction", 5, 10, 4),
    breaks("ladder:zombie", Some(17), None, 5),
    holds("ladder:fencing", 556, 1_337, 12),
];

impl Answer {
    /// Whether that was found.
    pub fn agrees(&self, found: &Found) -> bool {
        let progress = &found.progress;
        self.distinct.is_none_or(|it| it == progress.distinct)
            && self.generated.is_none_or(|it| it == progress.generated)
            && self.depth.is_none_or(|it| it == progress.depth)
            && self.broken == found.counterexample.is_some()
            && self.broken != progress.is_exhausted()
    }
}

/// What a search through a specification has found.
#[derive(Clone, Debug)]
pub struct Found {
    /// How far it came.
    pub progress: Progress,
    /// What its property is called.
    pub property: &'static str,
    /// A shortest run that breaks it, in words: the steps, and the state they come to.
    pub counterexample: Option<Vec<String>>,
}

/// Searches the specification of a name.
///
/// # Errors
/// [`Unknown`] if there is none of this name; it lists those that there are.
pub fn search(name: &str, settings: Settings) -> Result<Found, Unknown> {
    named(name, Search(settings))
}

struct Search(Settings);

impl Use for Search {
    type Out = Found;

    fn with<S: Spec>(self, spec: S) -> Found {
        let spec = Of(spec);
        let mut question = Holds::<S>::default();
        let mut explorer = Explorer::new(&spec, &mut question, self.0);
        let progress = explorer.finish(&spec, &mut question).clone();
        let finding = explorer.counterexample(&question);
        let run = finding.and_then(|it| explorer.run_to(&spec, it.state));
        Found {
            progress,
            property: S::PROPERTY.name,
            counterexample: run.map(|run| told(&spec.0, &run)),
        }
    }
}

/// A run in words: one line for each step, and one for the state that it comes to.
fn told<S: Spec>(spec: &S, run: &Run<S::Step>) -> Vec<String> {
    let mut starts = spec.starts().into_iter();
    let mut state = starts.nth(usize::from(run.start));
    let mut lines = Vec::new();
    for step in &run.actions {
        if let Some(state) = &mut state {
            spec.take(state, *step);
        }
        lines.push(format!("{step:?}"));
    }
    lines.extend(state.map(|state| format!("{state:?}")));
    lines
}

/// What was found of the published answers, one a line.
pub fn table() -> String {
    let mut lines = String::new();
    for answer in PUBLISHED {
        let settings = Settings {
            symmetry: answer.symmetry,
            ..Settings::default()
        };
        let found = search(answer.name, settings).expect("it has a name");
        let progress = &found.progress;
        let symmetric = if answer.symmetry { ", symmetric" } else { "" };
        let verdict = match &found.counterexample {
            Some(run) => format!("broken after {} steps", run.len() - 1),
            None => String::from("holds"),
        };
        let _ = writeln!(
            lines,
            "{}{symmetric}: distinct {} generated {} depth {}: {verdict}",
            answer.name, progress.distinct, progress.generated, progress.depth
        );
    }
    lines
}
