//! What follows from the figures of a comparison, in sentences. Nothing is said here that the figures do
//! not say.

use barrierscope_core::Barriers;
use barrierscope_core::time::Micros;

use super::comparison::{Measure, barriers};
use super::{Lang, bytes, duration, number};
use crate::state::Figures;

/// How two quantities stand to each other.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Ratio {
    /// The first is so many times as large.
    More(String),
    /// The second is so many times as large.
    Less(String),
    /// They hardly differ.
    Same,
}

impl Ratio {
    /// Less than a tenth apart is the same.
    fn of(first: u64, second: u64) -> Self {
        let (more, less) = (first.max(second), first.min(second));
        if u128::from(more) * 10 < u128::from(less) * 11 || more == less {
            return Self::Same;
        }
        let tenths = u128::from(more) * 10 / u128::from(less.max(1));
        let factor = match (tenths / 10, tenths % 10) {
            (10.., _) => number(((tenths + 5) / 10) as u64),
            (whole, 0) => whole.to_string(),
            (whole, tenth) => format!("{whole}.{tenth}"),
        };
        if first > second {
            Self::More(factor)
        } else {
            Self::Less(factor)
        }
    }
}

/// One sentence for each thing that the figures show; `figures` are in the order of [`Barriers::ALL`].
pub fn findings(lang: Lang, figures: [&Figures; 3]) -> Vec<String> {
    let [aligned, unaligned, at_least_once] = figures;
    let all = [
        unaligned_durations(lang, aligned, unaligned),
        overtaking(lang, aligned, unaligned),
        sizes(lang, aligned, unaligned),
        at_least_once_durations(lang, aligned, at_least_once),
        blocked(lang, figures),
        latencies(lang, figures),
        recoveries(lang, figures),
        repeated(lang, figures),
        wrong(lang, figures, Measure::Miscounted),
        wrong(lang, figures, Measure::Doubled),
        wrong(lang, figures, Measure::Lost),
        by_chance(lang, aligned, unaligned),
        wrong(lang, figures, Measure::Failed),
    ];
    all.into_iter().flatten().collect()
}

fn unaligned_durations(lang: Lang, aligned: &Figures, unaligned: &Figures) -> Option<String> {
    let (slow, fast) = (aligned.duration?, unaligned.duration?);
    let (a, u) = (duration(slow), duration(fast));
    Some(match (lang, Ratio::of(slow.0, fast.0)) {
        (Lang::En, Ratio::More(times)) => {
            format!("Aligned checkpoints took {a}, {times} times as long as unaligned ones ({u}).")
        }
        (Lang::Zh, Ratio::More(times)) => {
            format!("对齐检查点的耗时是非对齐的 {times} 倍：{a} 对 {u}。")
        }
        (Lang::En, Ratio::Less(times)) => {
            format!(
                "Unaligned checkpoints took {times} times as long as aligned ones: {u} against {a}."
            )
        }
        (Lang::Zh, Ratio::Less(times)) => {
            format!("非对齐检查点的耗时是对齐的 {times} 倍：{u} 对 {a}。")
        }
        (Lang::En, Ratio::Same) => {
            format!("Unaligned checkpoints took about as long as aligned ones: {u} and {a}.")
        }
        (Lang::Zh, Ratio::Same) => format!("非对齐与对齐检查点的耗时相近：{u} 和 {a}。"),
    })
}

/// Why unaligned checkpoints were faster, where barriers have overtaken something.
fn overtaking(lang: Lang, aligned: &Figures, unaligned: &Figures) -> Option<String> {
    let is_faster = unaligned.duration? < aligned.duration?;
    (is_faster && unaligned.in_flight? > 0).then(|| {
        lang.pick(
            "Aligned barriers queue behind the records in the channels; unaligned ones jumped ahead of them, and what they jumped over was stored with the checkpoint.",
            "对齐的 barrier 在通道中排在记录之后；非对齐的 barrier 越到它们前面，被越过的记录随检查点一起保存。",
        )
        .to_owned()
    })
}

/// What aligned and unaligned checkpoints promise is the same: where one loses or doubles and the other does not, the fault
/// has hit another point.
fn by_chance(lang: Lang, aligned: &Figures, unaligned: &Figures) -> Option<String> {
    let came_to = |figures: &Figures| (figures.lost > 0, figures.doubled > 0);
    (came_to(aligned) != came_to(unaligned)).then(|| {
        lang.pick(
            "The faults come at the same moment of every run, which is another point of its checkpoints and transactions: that only one of them loses or doubles here is chance, not a promise. The search tries every moment.",
            "故障发生在各次运行的同一时刻，但在各自的检查点与事务中处于不同位置：这里只有一次运行丢失或重复，是巧合而不是保证。搜索会尝试每个时刻。",
        )
        .to_owned()
    })
}

fn sizes(lang: Lang, aligned: &Figures, unaligned: &Figures) -> Option<String> {
    let (least, most) = (aligned.stored?, unaligned.stored?);
    let in_flight = unaligned.in_flight?;
    if least == 0 || most == 0 {
        return None;
    }
    let (a, u, flying) = (bytes(least), bytes(most), bytes(in_flight));
    let en = if in_flight == 0 {
        "; at least half of them stored no in-flight data".to_owned()
    } else {
        format!("; {flying} of it is in-flight data")
    };
    let zh = if in_flight == 0 {
        "，其中至少一半没有保存在途数据".to_owned()
    } else {
        format!("，其中 {flying} 是在途数据")
    };
    Some(match (lang, Ratio::of(most, least)) {
        (Lang::En, Ratio::More(times)) => {
            format!("Unaligned ones stored {times} times as much: {u} against {a}{en}.")
        }
        (Lang::Zh, Ratio::More(times)) => {
            format!("非对齐检查点保存的数据是对齐的 {times} 倍：{u} 对 {a}{zh}。")
        }
        (Lang::En, Ratio::Less(times)) => {
            format!(
                "Unaligned ones stored {u}{en}. Aligned ones stored {a}: {times} times as much."
            )
        }
        (Lang::Zh, Ratio::Less(times)) => {
            format!("对齐检查点保存的数据是非对齐的 {times} 倍：{a} 对 {u}{zh}。")
        }
        (Lang::En, Ratio::Same) => format!("Unaligned ones stored about as much: {u} and {a}{en}."),
        (Lang::Zh, Ratio::Same) => format!("两者保存的数据相近：{u} 和 {a}{zh}。"),
    })
}

fn at_least_once_durations(
    lang: Lang,
    aligned: &Figures,
    at_least_once: &Figures,
) -> Option<String> {
    let (exactly, at_least) = (aligned.duration?, at_least_once.duration?);
    let (a, l) = (duration(exactly), duration(at_least));
    Some(match (lang, Ratio::of(exactly.0, at_least.0)) {
        (Lang::En, Ratio::More(times)) => {
            format!(
                "Aligned checkpoints took {a}, {times} times as long as at-least-once ones ({l})."
            )
        }
        (Lang::Zh, Ratio::More(times)) => {
            format!("对齐检查点的耗时是至少一次的 {times} 倍：{a} 对 {l}。")
        }
        (Lang::En, Ratio::Less(times)) => format!(
            "At-least-once checkpoints took {times} times as long as aligned ones: {l} against {a}."
        ),
        (Lang::Zh, Ratio::Less(times)) => {
            format!("至少一次的检查点的耗时是对齐的 {times} 倍：{l} 对 {a}。")
        }
        (Lang::En, Ratio::Same) => {
            format!("At-least-once checkpoints took about as long as aligned ones: {l} and {a}.")
        }
        (Lang::Zh, Ratio::Same) => format!("至少一次与对齐检查点的耗时相近：{l} 和 {a}。"),
    })
}

fn blocked(lang: Lang, figures: [&Figures; 3]) -> Option<String> {
    let all = each(lang, figures, |f| {
        (f.blocked > Micros::ZERO).then(|| duration(f.blocked))
    });
    Some(match (lang, all.is_empty()) {
        (Lang::En, true) => "No channel was blocked, whatever the way.".to_owned(),
        (Lang::Zh, true) => "无论哪种方式，都没有通道被阻塞。".to_owned(),
        (Lang::En, false) => format!(
            "Channels were blocked, all of them together: {}; else never.",
            all.join(", ")
        ),
        (Lang::Zh, false) => format!("通道被阻塞的总时间：{}；其余方式从不阻塞。", all.join("，")),
    })
}

fn latencies(lang: Lang, figures: [&Figures; 3]) -> Option<String> {
    let values = figures.map(|f| f.latency_p99);
    let least = values.iter().flatten().min()?;
    let most = values.iter().flatten().max()?;
    let list =
        |separator: &str| each(lang, figures, |f| f.latency_p99.map(duration)).join(separator);
    Some(match (lang, Ratio::of(most.0, least.0)) {
        (Lang::En, Ratio::Same) => {
            format!(
                "The latency of the slowest records hardly differs (p99): {}.",
                list(", ")
            )
        }
        (Lang::Zh, Ratio::Same) => {
            format!("最慢记录的延迟（p99）几乎没有差别：{}。", list("，"))
        }
        (Lang::En, _) => format!(
            "The latency of the slowest records differs (p99): {}.",
            list(", ")
        ),
        (Lang::Zh, _) => format!("最慢记录的延迟（p99）有差别：{}。", list("，")),
    })
}

fn recoveries(lang: Lang, figures: [&Figures; 3]) -> Option<String> {
    let all = each(lang, figures, |f| f.recovery.map(duration));
    (!all.is_empty()).then(|| match lang {
        Lang::En => format!(
            "After a failure it took this long until everything was read again: {}.",
            all.join(", ")
        ),
        Lang::Zh => format!("故障之后直到重新读完，用时：{}。", all.join("，")),
    })
}

fn repeated(lang: Lang, figures: [&Figures; 3]) -> Option<String> {
    let all = each(lang, figures, |f| f.repeated.map(number));
    (!all.is_empty()).then(|| match lang {
        Lang::En => format!("For that, sources read records again: {}.", all.join(", ")),
        Lang::Zh => format!("为此 source 重复读取的记录：{}。", all.join("，")),
    })
}

/// Something that should not happen at all. Where nothing failed that it could come of, nothing is said of
/// it.
fn wrong(lang: Lang, figures: [&Figures; 3], measure: Measure) -> Option<String> {
    let some = each(lang, figures, |f| {
        measure.value(f).filter(|value| *value > 0).map(number)
    });
    let is_any = !some.is_empty();
    if !is_any && (measure == Measure::Failed || figures.iter().all(|f| f.repeated.is_none())) {
        return None;
    }
    let listed = match (lang, is_any, some.len() < 3) {
        (Lang::En, true, true) => format!("{}; else none", some.join(", ")),
        (Lang::Zh, true, true) => format!("{}；其余为零", some.join("，")),
        (_, true, false) => some.join(lang.pick(", ", "，")),
        (Lang::En, false, _) => "none, whatever the way".to_owned(),
        (Lang::Zh, false, _) => "无论哪种方式都为零".to_owned(),
    };
    let what = match measure {
        Measure::Miscounted => lang.pick("Records that a state counts wrongly", "状态计错的记录"),
        Measure::Doubled => lang.pick("Records that the reader sees twice", "读者重复看到的记录"),
        Measure::Lost => lang.pick(
            "Records that the reader will never see",
            "读者永远看不到的记录",
        ),
        _ => lang.pick(
            "Checkpoints that failed or were refused",
            "失败或被拒绝的检查点",
        ),
    };
    Some(format!(
        "{what}{}{listed}{}",
        lang.pick(": ", "："),
        lang.pick(".", "。")
    ))
}

/// `aligned 3, unaligned 4`: each way with what there is to say of it.
fn each(
    lang: Lang,
    figures: [&Figures; 3],
    say: impl Fn(&Figures) -> Option<String>,
) -> Vec<String> {
    (Barriers::ALL.into_iter().zip(figures))
        .filter_map(|(way, figures)| Some(format!("{} {}", barriers(lang, way), say(figures)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(duration: u64, stored: u64, in_flight: u64, blocked: u64) -> Figures {
        let millis = |millis: u64| Micros(millis * 1_000);
        Figures {
            latency: Some(millis(900)),
            latency_p99: Some(millis(1_500)),
            duration: Some(millis(duration)),
            longest: Some(millis(2 * duration)),
            stored: Some(stored),
            in_flight: Some(in_flight),
            blocked: millis(blocked),
            ..Figures::default()
        }
    }

    fn told(lang: Lang, all: &[Figures; 3]) -> String {
        findings(lang, [&all[0], &all[1], &all[2]]).join("\n")
    }

    #[test]
    fn what_the_recorded_job_shows_is_said() {
        let all = [
            figures(3_494, 75_930, 0, 9_000),
            figures(172, 1_322_713, 1_246_812, 0),
            figures(3_700, 75_930, 0, 0),
        ];
        let en = told(Lang::En, &all);
        for sentence in [
            "Aligned checkpoints took 3.49 s, 20 times as long as unaligned ones (172 ms).",
            "Unaligned ones stored 17 times as much: 1.32 MB against 75.9 kB; 1.25 MB of it is in-flight data.",
            "At-least-once checkpoints took about as long as aligned ones: 3.7 s and 3.49 s.",
            "Channels were blocked, all of them together: aligned 9 s; else never.",
        ] {
            assert!(en.contains(sentence), "{en}");
        }
        assert!(!en.contains("After a failure"), "nothing failed: {en}");
        assert!(!en.contains("wrongly"), "nothing failed: {en}");
        assert_eq!(told(Lang::Zh, &all).lines().count(), en.lines().count());
    }

    #[test]
    fn what_is_chance_is_called_so() {
        let mut all = [
            figures(100, 800, 0, 0),
            figures(50, 900, 100, 0),
            figures(100, 800, 0, 0),
        ];
        for figures in &mut all {
            figures.repeated = Some(40);
        }
        let says = |all: &[Figures; 3]| told(Lang::En, all).contains("is chance, not a promise");
        all[0].lost = 5;
        all[2].lost = 5;
        assert!(says(&all), "unaligned checkpoints protect nobody from that");
        all[1].lost = 3;
        assert!(!says(&all), "all of them lose");
    }

    #[test]
    fn the_opposite_is_said_too() {
        let all = [
            figures(100, 800, 0, 0),
            figures(250, 800, 0, 0),
            figures(40, 800, 0, 0),
        ];
        let en = told(Lang::En, &all);
        for sentence in [
            "Unaligned checkpoints took 2.5 times as long as aligned ones: 250 ms against 100 ms.",
            "Unaligned ones stored about as much: 800 B and 800 B; at least half of them stored no in-flight data.",
            "Aligned checkpoints took 100 ms, 2.5 times as long as at-least-once ones (40 ms).",
            "No channel was blocked, whatever the way.",
        ] {
            assert!(en.contains(sentence), "{en}");
        }
    }

    #[test]
    fn what_a_failure_did_is_said() {
        let mut all = [
            figures(100, 800, 0, 500),
            figures(50, 900, 100, 0),
            figures(100, 800, 0, 0),
        ];
        for (at, figures) in all.iter_mut().enumerate() {
            figures.recovery = Some(Micros(2_000_000 + 500_000 * at as u64));
            figures.repeated = Some(40);
        }
        all[2].miscounted = 12;
        let en = told(Lang::En, &all);
        for sentence in [
            "until everything was read again: aligned 2 s, unaligned 2.5 s, at-least-once 3 s.",
            "sources read records again: aligned 40, unaligned 40, at-least-once 40.",
            "Records that a state counts wrongly: at-least-once 12; else none.",
            "Records that the reader sees twice: none, whatever the way.",
        ] {
            assert!(en.contains(sentence), "{en}");
        }
    }

    #[test]
    fn without_a_completed_checkpoint_nothing_is_made_up() {
        let none = Figures::default();
        let all = [none.clone(), none.clone(), none];
        assert_eq!(
            told(Lang::En, &all),
            "No channel was blocked, whatever the way."
        );
    }

    #[test]
    fn ratios_are_short() {
        assert_eq!(Ratio::of(105, 100), Ratio::Same);
        assert_eq!(Ratio::of(0, 0), Ratio::Same);
        assert_eq!(Ratio::of(340, 100), Ratio::More("3.4".to_owned()));
        assert_eq!(Ratio::of(100, 2_030), Ratio::Less("20".to_owned()));
    }

    #[test]
    fn the_best_is_the_least_unless_all_are_alike() {
        let all = [figures(100, 800, 0, 500), figures(50, 900, 100, 0)];
        let both = [Some(&all[0]), Some(&all[1])];
        assert_eq!(Measure::Duration.best(&both), Some(50_000));
        assert_eq!(Measure::Stored.best(&both), Some(800));
        assert_eq!(Measure::Latency.best(&both), None);
        assert_eq!(Measure::Recovery.best(&both), None);
    }
}
