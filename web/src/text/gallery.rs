//! The words of the gallery of fault reports.

use barrierscope_core::symptom::{Found, Symptom};
use barrierscope_core::verdict::Verdict;

use super::Lang;
use crate::state::System;

/// What the reports of a group are about.
pub const fn system(lang: Lang, system: System) -> &'static str {
    match system {
        System::Producers => lang.pick("Producers", "生产者"),
        System::Consumers => lang.pick("Consumers", "消费者"),
        System::Transactions => lang.pick("Transactions", "事务"),
        System::Streams => lang.pick("Streams", "Streams"),
        System::Flink => lang.pick("Flink", "Flink"),
    }
}

/// What went wrong, in one word.
pub const fn symptom(lang: Lang, symptom: Symptom) -> &'static str {
    match symptom {
        Symptom::Ok => lang.pick("fine", "无误"),
        Symptom::Loss => lang.pick("lost", "丢失"),
        Symptom::Duplicates => lang.pick("doubled", "重复"),
        Symptom::Both => lang.pick("lost and doubled", "丢失且重复"),
        Symptom::Stuck => lang.pick("stuck", "卡住"),
        Symptom::Fenced => lang.pick("fenced", "被隔离"),
        Symptom::Miscounted => lang.pick("miscounted", "状态计错"),
    }
}

/// What a run comes to: `1 lost`.
pub fn found(lang: Lang, found: &Found) -> String {
    outcome(lang, found.symptom, &found.verdict)
}

/// What an account comes to: `1 lost`.
pub fn outcome(lang: Lang, comes_to: Symptom, verdict: &Verdict) -> String {
    let count = match comes_to {
        Symptom::Ok | Symptom::Both => None,
        Symptom::Loss => Some(verdict.lost),
        Symptom::Duplicates => Some(verdict.doubled),
        Symptom::Stuck => Some(verdict.stuck + verdict.waiting),
        // Of a job that has failed nothing is counted.
        Symptom::Fenced => None,
        Symptom::Miscounted => Some(verdict.miscounted),
    };
    let word = symptom(lang, comes_to);
    match (count, lang) {
        (None, _) => word.to_owned(),
        (Some(count), Lang::En) => format!("{count} {word}"),
        (Some(count), Lang::Zh) => format!("{word} {count}"),
    }
}

/// How many reports a filter shows, for who does not see them: it begins with what stands on its button.
pub fn filter(lang: Lang, only: Option<Symptom>, count: usize) -> String {
    let word = only.map_or(lang.pick("all", "全部"), |only| symptom(lang, only));
    match lang {
        Lang::En => format!("{word} {count} of the reports"),
        Lang::Zh => format!("{word} {count} 份报告"),
    }
}

/// How many of the reports are shown, and how many runs are still to be made.
pub fn progress(lang: Lang, shown: usize, reports: usize, to_run: usize) -> String {
    match (lang, to_run) {
        (Lang::En, 0) => format!("{shown} of {reports} reports"),
        (Lang::En, _) => format!("{shown} of {reports} reports; {to_run} runs to go"),
        (Lang::Zh, 0) => format!("{reports} 份报告中的 {shown} 份"),
        (Lang::Zh, _) => format!("{reports} 份报告中的 {shown} 份；还要运行 {to_run} 次"),
    }
}
