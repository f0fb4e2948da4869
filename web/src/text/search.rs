//! What there is to say of a search for a counterexample.

use barrierscope_core::commit::properties::Property as OfCommitment;
use barrierscope_core::explorer::random_walk::Sample;
use barrierscope_core::verdict::Witness;

use super::kafka::stuck_behind;
use super::votes::property;
use super::{Lang, Lexicon, bytes, number, plural};
use crate::state::View;
use crate::state::search::{Answer, CameTo, Finding, Size};

/// What is promised of records, in the order of the core's list.
const OF_RECORDS: [[&str; 2]; 4] = [
    ["nothing is lost", "没有记录丢失"],
    ["nothing is doubled", "没有记录重复"],
    ["no state counts a record wrongly", "没有状态计错记录"],
    ["nothing is stuck", "没有记录卡住"],
];

/// What it means that it is not so.
const BROKEN: [[&str; 2]; 4] = [
    ["a record is lost", "一条记录丢失"],
    ["a record is doubled", "一条记录重复"],
    ["a state counts a record wrongly", "一个状态计错记录"],
    [
        "nothing is left to happen, and a record will never be seen",
        "再没有事情可以发生，而一条记录永远不会被看到",
    ],
];

/// A property, as it is promised.
pub fn promise(lang: Lang, is_votes: bool, number: u32) -> String {
    let at = number as usize;
    if !is_votes {
        let [en, zh] = OF_RECORDS.get(at).copied().unwrap_or(["?", "?"]);
        return lang.pick(en, zh).to_owned();
    }
    match OfCommitment::ALL.get(at) {
        Some(it) => format!("{} {}", property::code(*it), property::name(lang, *it)),
        None => lang
            .pick("a participant is blocked", "有参与者被阻塞")
            .to_owned(),
    }
}

/// A property that is broken, as a clause.
pub fn breach(lang: Lang, is_votes: bool, number: u32) -> String {
    if is_votes {
        let name = promise(lang, is_votes, number);
        return match lang {
            Lang::En => format!("{name} is broken"),
            Lang::Zh => format!("{name}被破坏"),
        };
    }
    let [en, zh] = BROKEN.get(number as usize).copied().unwrap_or(["?", "?"]);
    lang.pick(en, zh).to_owned()
}

/// `with up to 2 faults anywhere`.
pub fn budget(lang: Lang, faults: u8) -> String {
    match (lang, faults) {
        (Lang::En, 0) => "without any fault".to_owned(),
        (Lang::En, 1) => "with up to 1 fault anywhere".to_owned(),
        (Lang::En, _) => format!("with up to {faults} faults anywhere"),
        (Lang::Zh, 0) => "没有任何故障".to_owned(),
        (Lang::Zh, _) => format!("任意位置至多 {faults} 次故障"),
    }
}

/// `9 steps`.
pub fn steps(lang: Lang, count: usize) -> String {
    match lang {
        Lang::En => format!("{} step{}", number(count as u64), plural(count as u64)),
        Lang::Zh => format!("{} 步", number(count as u64)),
    }
}

/// A time of so many milliseconds.
pub fn time(lang: Lang, ms: u64) -> String {
    let (seconds, tenths) = (ms / 1_000, ms % 1_000 / 100);
    let unit = lang.pick("s", "秒");
    match seconds {
        0 => format!("{ms} {}", lang.pick("ms", "毫秒")),
        1..100 => format!("{seconds}.{tenths} {unit}"),
        _ => format!("{} {unit}", number(seconds)),
    }
}

/// What a search has come to: a headline, and what it is about.
pub fn answer(lang: Lang, answer: &Answer) -> [String; 2] {
    let progress = &answer.outcome.progress;
    let states = number(progress.distinct);
    let budget = budget(lang, answer.wanted.faults);
    let is_votes = answer.story.as_ref().as_ref().votes().is_some();
    let took = time(lang, answer.ms);
    let title = match (answer.came_to(), lang) {
        (CameTo::Holds, Lang::En) => format!("Holds, in all {states} states"),
        (CameTo::Holds, Lang::Zh) => format!("成立：全部 {states} 个状态"),
        (CameTo::Broken, _) => {
            let broken = answer.broken.as_ref();
            let property = broken.map_or(0, |broken| broken.property);
            let breach = breach(lang, is_votes, property);
            let after = steps(lang, broken.map_or(0, Finding::steps));
            match (lang, answer.is_allowed()) {
                (Lang::En, false) => format!("Broken: {breach} after {after}"),
                (Lang::Zh, false) => format!("被破坏：{after}之后{breach}"),
                (Lang::En, true) => format!("Not promised, and it happens: {breach} after {after}"),
                (Lang::Zh, true) => format!("未作承诺，也确实发生：{after}之后{breach}"),
            }
        }
        (CameTo::Limited | CameTo::Full, Lang::En) => {
            format!("Nothing found in {states} states, which are not all")
        }
        (CameTo::Limited | CameTo::Full, Lang::Zh) => {
            format!("在 {states} 个状态中没有发现问题，但这不是全部")
        }
    };
    let shortest = !answer.wanted.random;
    let about = match (answer.came_to(), lang) {
        (CameTo::Holds, Lang::En) => {
            format!("Every order was tried, {budget}; it took {took}.")
        }
        (CameTo::Holds, Lang::Zh) => format!("尝试了所有顺序，{budget}；用时 {took}。"),
        (CameTo::Broken, Lang::En) if shortest => {
            format!("No shorter run does it, {budget}. Found among {states} states in {took}.")
        }
        (CameTo::Broken, Lang::En) => {
            format!("Found by chance, {budget}, in {took}: there may be a shorter run.")
        }
        (CameTo::Broken, Lang::Zh) if shortest => {
            format!("这是最短的运行，{budget}。在 {states} 个状态中找到，用时 {took}。")
        }
        (CameTo::Broken, Lang::Zh) => {
            format!("随机找到，{budget}，用时 {took}：可能还有更短的运行。")
        }
        (CameTo::Full, Lang::En) => format!(
            "The memory is used up ({}), {} states are not yet looked into. So nothing is said of the rest: allow more memory, or make the scenario smaller.",
            bytes(progress.bytes),
            number(progress.frontier)
        ),
        (CameTo::Full, Lang::Zh) => format!(
            "内存已用完（{}），还有 {} 个状态没有展开。其余部分没有结论：允许更多内存，或缩小场景。",
            bytes(progress.bytes),
            number(progress.frontier)
        ),
        (CameTo::Limited, _) => sampled(lang, answer.outcome.sample.as_ref()),
    };
    [title, about]
}

/// How much random runs have seen.
fn sampled(lang: Lang, sample: Option<&Sample>) -> String {
    let sample = sample.cloned().unwrap_or_default();
    let (runs, steps) = (number(sample.runs), number(sample.steps));
    let longest = number(sample.longest.into());
    match lang {
        Lang::En => format!(
            "{runs} random runs with {steps} steps in all, the longest with {longest}. That says nothing of the other runs."
        ),
        Lang::Zh => {
            format!(
                "{runs} 次随机运行，共 {steps} 步，最长 {longest} 步。这对其他运行不作任何保证。"
            )
        }
    }
}

/// Whether something can be reached, as far as is known.
pub fn reachable(lang: Lang, answer: &Answer, number: u32) -> String {
    let name = promise(lang, true, number);
    let is_all = answer.came_to() == CameTo::Holds;
    match (answer.outcome.shown(number), lang) {
        (Some(shown), Lang::En) => {
            let after = steps(lang, shown.choices.len());
            format!("It can be that {name}: after {after}")
        }
        (Some(shown), Lang::Zh) => {
            format!(
                "可能出现：{name}（{}之后）",
                steps(lang, shown.choices.len())
            )
        }
        (None, Lang::En) if is_all => format!("It can never be that {name}"),
        (None, Lang::Zh) if is_all => format!("不可能出现：{name}"),
        (None, Lang::En) => format!("It was not seen that {name}"),
        (None, Lang::Zh) => format!("没有见到：{name}"),
    }
}

/// The records that show that a property is broken, at the step where it is.
pub fn concerned(lang: Lang, view: &View, property: u32) -> Vec<String> {
    let lexicon = view.lexicon(lang);
    let verdict = &view.verdict;
    match property {
        0 => witnesses(&lexicon, &verdict.witnesses, |it| it.copies < it.due),
        1 => witnesses(&lexicon, &verdict.witnesses, |it| it.copies > it.due),
        2 => vec![match lang {
            Lang::En => format!(
                "{} record{} counted wrongly",
                verdict.miscounted,
                plural(verdict.miscounted.into())
            ),
            Lang::Zh => format!("{} 条记录被计错", verdict.miscounted),
        }],
        _ => {
            let behind = stuck_behind(lang, &verdict.held).into_iter();
            let behind = behind.map(|(why, count)| format!("{count} {why}"));
            let held = verdict.held.iter().map(|it| lexicon.record(it.record));
            held.chain(behind).collect()
        }
    }
}

/// `ann (3): seen 2 times, due once`.
fn witnesses(lexicon: &Lexicon<'_>, all: &[Witness], is_it: fn(&Witness) -> bool) -> Vec<String> {
    let chosen = all.iter().filter(|witness| is_it(witness));
    let told = chosen.map(|witness| {
        let name = lexicon.record(witness.record);
        let Witness { copies, due, .. } = *witness;
        match lexicon.lang {
            Lang::En => format!("{name}: seen {}, due {}", times(copies), times(due)),
            Lang::Zh => format!("{name}：看到 {copies} 次，应为 {due} 次"),
        }
    });
    told.collect()
}

fn times(count: u32) -> String {
    match count {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        more => format!("{more} times"),
    }
}

/// What makes a scenario too large, and what would fit.
pub fn too_large(lang: Lang, size: &Size) -> String {
    let Size {
        records,
        parts,
        most,
    } = size;
    let many_records = records > &most.0;
    let many_parts = parts > &most.1;
    let mut all = Vec::new();
    if many_records {
        all.push(match lang {
            Lang::En => format!("{} records (at most {})", number(*records), most.0),
            Lang::Zh => format!("{} 条记录（至多 {}）", number(*records), most.0),
        });
    }
    if many_parts {
        all.push(match lang {
            Lang::En => format!(
                "{} subtasks, clients, brokers or participants (at most {})",
                number(*parts),
                most.1
            ),
            Lang::Zh => format!(
                "{} 个子任务、客户端、broker 或参与者（至多 {}）",
                number(*parts),
                most.1
            ),
        });
    }
    match lang {
        Lang::En => format!(
            "This scenario has too many orders to try them all in a page: {}. It may still find something before the memory is used up.",
            all.join(", ")
        ),
        Lang::Zh => format!(
            "这个场景的顺序太多，页面里无法全部尝试：{}。内存用完之前仍可能有所发现。",
            all.join("，")
        ),
    }
}

#[cfg(test)]
mod tests {
    use barrierscope_core::models::promises::{OF_RECORDS as PROMISED, OF_VOTES};

    use super::*;

    #[test]
    fn every_promise_has_words_and_in_english_those_of_the_core() {
        assert_eq!(PROMISED.len(), OF_RECORDS.len());
        for (number, property) in (0..).zip(PROMISED) {
            assert_eq!(promise(Lang::En, false, number), property.name);
            assert_ne!(promise(Lang::Zh, false, number), "?");
            assert_ne!(breach(Lang::Zh, false, number), "?");
        }
        for (number, property) in (0..).zip(OF_VOTES) {
            let said = promise(Lang::En, true, number);
            let first = |text: &str| text.split([':', ' ']).next().map(str::to_owned);
            assert_eq!(first(&said), first(property.name), "{said}");
        }
    }

    #[test]
    fn times_are_short() {
        assert_eq!(time(Lang::En, 40), "40 ms");
        assert_eq!(time(Lang::En, 12_345), "12.3 s");
        assert_eq!(time(Lang::Zh, 1_234_567), "1,234 秒");
    }
}
