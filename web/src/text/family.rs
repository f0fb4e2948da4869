//! What is said of subtasks that are folded into one box.

use barrierscope_core::id::CheckpointId;

use super::{Lang, number};
use crate::stage::fold::Family;

/// Line by line, the most striking first; with the checkpoint that a line is about.
pub fn lines(lang: Lang, family: &Family) -> Vec<(Option<CheckpointId>, String)> {
    let mut lines = Vec::new();
    let count = |count: usize| number(count as u64);
    if family.running < family.of && family.records.is_none() {
        let running = count(family.running);
        lines.push((
            None,
            match lang {
                Lang::En => format!("{running} run"),
                Lang::Zh => format!("{running} 个在运行"),
            },
        ));
    }
    for (checkpoint, (_, subtasks)) in &family.blocked {
        let subtasks = count(*subtasks);
        lines.push((
            Some(*checkpoint),
            match lang {
                Lang::En => format!("{subtasks} blocked by {checkpoint}"),
                Lang::Zh => format!("{subtasks} 个被 {checkpoint} 阻塞"),
            },
        ));
    }
    if let Some((checkpoint, stored)) = family.stored {
        let stored = count(stored);
        lines.push((
            Some(checkpoint),
            match lang {
                Lang::En => format!("{stored} stored {checkpoint}"),
                Lang::Zh => format!("{stored} 个已存 {checkpoint}"),
            },
        ));
    }
    if family.waiting > 0 {
        let waiting = count(family.waiting);
        lines.push((
            None,
            match lang {
                Lang::En => format!("{waiting} waiting"),
                Lang::Zh => format!("{waiting} 条等待"),
            },
        ));
    }
    if let Some((done, all)) = family.records {
        let (done, all) = (count(done), count(all));
        lines.push((
            None,
            match lang {
                Lang::En => format!("{done} of {all}"),
                Lang::Zh => format!("{done} / {all}"),
            },
        ));
    }
    lines
}

/// What a screen reader says of them.
pub fn spoken(lang: Lang, name: &str, family: &Family) -> String {
    let all: Vec<String> = lines(lang, family)
        .into_iter()
        .map(|(_, line)| line)
        .collect();
    let all = all.join(lang.pick(", ", "，"));
    let of = number(family.of as u64);
    match lang {
        Lang::En => format!("{name}, {of} folded into one, {all}. Enter unfolds."),
        Lang::Zh => format!("{name}，{of} 个折叠为一，{all}。按 Enter 展开。"),
    }
}
