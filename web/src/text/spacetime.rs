//! What is said in the space-time diagram.

use barrierscope_core::diagram::LaneKind;
use barrierscope_core::time::Micros;

use super::{Label, Lang, Lexicon, label, number, seconds, tell};
use crate::spacetime::strips::Strip;
use crate::state::{Along, AtStep, Chart, Cone};

/// What a lane is called; several lanes that share a strip by their operator.
pub fn lane(lexicon: &Lexicon<'_>, chart: &Chart, strip: &Strip) -> String {
    let lang = lexicon.lang;
    let lane = strip.lanes.first();
    let Some(lane) = lane.and_then(|lane| chart.diagram.lanes.get(lane.index())) else {
        return String::new();
    };
    if strip.is_folded() {
        return format!("{} × {}", lane.name, strip.lanes.len());
    }
    match lane.kind {
        LaneKind::Subtask => format!("{} {}/{}", lane.name, lane.number + 1, lane.of),
        LaneKind::Broker => format!("broker {}", lane.number + 1),
        LaneKind::TopicWriter => label(lang, Label::TopicWriter).to_owned(),
        LaneKind::CheckpointCoordinator => label(lang, Label::LaneCoordinator).to_owned(),
        LaneKind::TransactionCoordinator => label(lang, Label::LaneTransactions).to_owned(),
        LaneKind::GroupCoordinator => label(lang, Label::Groups).to_owned(),
        LaneKind::Coordinator => label(lang, Label::Committer).to_owned(),
        LaneKind::Client | LaneKind::Participant => lane.name.clone(),
    }
}

/// What happened in a step.
pub fn event(at: &AtStep<'_>, lang: Lang, chart: &Chart, step: u32) -> String {
    let told = tell(&at.lexicon(lang), chart.diagram.events(step));
    let (number, time) = (number(step.into()), seconds(chart.diagram.time(step)));
    match lang {
        Lang::En => format!("Step {number} · {time}: {}", told.what),
        Lang::Zh => format!("第 {number} 步 · {time}：{}", told.what),
    }
}

/// How much had to happen before a step, and how much only after it.
pub fn cone(lang: Lang, cone: &Cone) -> String {
    let (past, future) = (
        number(cone.past.len() as u64),
        number(cone.future.len() as u64),
    );
    match lang {
        Lang::En => format!("{past} steps had to happen before it, {future} depend on it"),
        Lang::Zh => format!("它之前必须发生 {past} 步，之后有 {future} 步依赖它"),
    }
}

/// How many records are not drawn.
pub fn left_out(lang: Lang, count: usize) -> String {
    let count = number(count as u64);
    match lang {
        Lang::En => {
            format!("The arrows of {count} records are left out here: zoom in to see them.")
        }
        Lang::Zh => format!("此处省略了 {count} 条记录的箭头：放大即可看到。"),
    }
}

/// A mark along what runs along.
pub fn tick(axis: Along, at: f64) -> String {
    match axis {
        Along::Steps => number(at as u64),
        Along::Time => seconds(Micros(at as u64)),
    }
}
