//! The formats in which the steps of a run can be taken away.

use std::collections::BTreeMap;
use std::rc::Rc;

use barrierscope_core::id::LaneId;
use barrierscope_core::session::Session;

use super::itf::States;
use super::recording::{Measure, Recording, Stretch};
use super::trace::Way;
use super::{mermaid, perfetto, shiviz, trace};
use crate::state::{Run, View};
use crate::text::{self, Lang};

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The program's own.
    Trace,
    /// A sequence diagram.
    Mermaid,
    /// Vector clocks.
    Shiviz,
    /// Trace Event JSON.
    Perfetto,
    /// The Informal Trace Format.
    Itf,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Trace,
        Self::Mermaid,
        Self::Shiviz,
        Self::Perfetto,
        Self::Itf,
    ];

    /// The word for it, in test ids and in menus' values.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Trace => "trace",
            Self::Mermaid => "mermaid",
            Self::Shiviz => "shiviz",
            Self::Perfetto => "perfetto",
            Self::Itf => "itf",
        }
    }

    /// How the name of a file ends.
    pub const fn ending(self) -> &'static str {
        match self {
            Self::Trace => "run.json",
            Self::Mermaid => "mmd",
            Self::Shiviz => "shiviz.log",
            Self::Perfetto => "perfetto.json",
            Self::Itf => "itf.json",
        }
    }

    /// What a server would call it.
    pub const fn mime(self) -> &'static str {
        match self {
            Self::Trace | Self::Perfetto | Self::Itf => "application/json",
            Self::Mermaid | Self::Shiviz => "text/plain;charset=utf-8",
        }
    }

    /// Of more steps than this it would make a file that nobody could open, and the page would stand still.
    pub const fn most(self) -> usize {
        match self {
            Self::Trace | Self::Shiviz => 100_000,
            Self::Perfetto => 50_000,
            Self::Mermaid | Self::Itf => 2_000,
        }
    }

    /// How many steps of a run are too many, if some are.
    pub fn too_many(self, stretch: Stretch, last: usize) -> Option<usize> {
        let (from, to) = stretch.bounds(last);
        let steps = to - from + 1;
        (steps > self.most()).then_some(steps)
    }

    /// Writes a stretch of the run that a view is of.
    pub fn write(self, view: &View, lang: Lang, stretch: Stretch) -> String {
        let run = &view.run;
        let recording = run.with(|session| Recording::of(session, &session.diagram(), stretch));
        match self {
            Self::Trace => {
                let branches = run.branches.clone();
                let step = view.step;
                trace::write(&recording, &Way { branches, step })
            }
            Self::Mermaid => {
                let lexicon = view.lexicon(lang);
                let name = |lane: LaneId| {
                    let actor = recording.actors.get(lane.index());
                    let node = actor.and_then(|actor| view.node(*actor.nodes.first()?));
                    let known = node.map(|node| text::kafka::name(lang, lexicon.nodes, node));
                    known.unwrap_or_else(|| recording.name_of(lane).to_owned())
                };
                let says = told(run, lang, &recording);
                mermaid::write(&recording, name, |kind| lexicon.token(kind), &says)
            }
            Self::Shiviz => shiviz::write(&recording),
            Self::Perfetto => {
                let mut measures = Vec::with_capacity(recording.steps.len());
                let steps = recording.steps.iter().map(|step| step.number);
                run.walk(steps, |session| measures.push(Measure::of(session)));
                perfetto::write(&recording, &measures)
            }
            Self::Itf => {
                let mut states = States::default();
                run.walk(recording.from..=recording.to, |session: &dyn Session| {
                    states.add(session.at(), &session.scene(), &session.events());
                });
                states.write(&recording)
            }
        }
    }
}

/// What is told of the steps that are worth it.
fn told(run: &Rc<Run>, lang: Lang, recording: &Recording) -> BTreeMap<usize, String> {
    let steps = recording.steps.iter();
    let striking = steps.filter(|step| text::is_striking(&step.events));
    striking
        .map(|step| {
            let view = run.view_of(step.number);
            let told = text::tell(&view.lexicon(lang), &view.events).what;
            (step.number, told)
        })
        .collect()
}
