//! What there is to say of statements that searches decide.

use barrierscope_search::claim::{CameTo, Of, Verdict};

use super::{Lang, number, plural, search};

/// What becomes of a statement, in a word or two.
pub const fn verdict(lang: Lang, verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::True => lang.pick("true", "正确"),
        Verdict::TrueBut => lang.pick("true, but …", "正确，但……"),
        Verdict::False => lang.pick("false", "错误"),
    }
}

/// The property that a case is about.
pub fn property(lang: Lang, of: Of) -> String {
    match of {
        Of::Lost | Of::Doubled | Of::Miscounted | Of::Stuck => {
            search::promise(lang, false, of.number())
        }
        Of::Part => lang
            .pick("a part of the transaction is seen", "只看到事务的一部分")
            .to_owned(),
        Of::Ac1 | Of::Ac3 | Of::Blocked => search::promise(lang, true, of.number()),
    }
}

/// That nothing is expected to show.
pub const fn never(lang: Lang, of: Of) -> &'static str {
    match of {
        Of::Part | Of::Blocked => lang.pick("never", "从不出现"),
        _ => lang.pick("holds", "成立"),
    }
}

/// What the search of a case has come to.
pub fn came_to(lang: Lang, of: Of, came_to: CameTo) -> String {
    let is_reached = matches!(of, Of::Part | Of::Blocked);
    match (came_to, lang) {
        (CameTo::Holds(states), Lang::En) => {
            let word = if is_reached { "never" } else { "holds" };
            format!("{word}, in all {} states", number(states))
        }
        (CameTo::Holds(states), Lang::Zh) => {
            let word = if is_reached { "从不出现" } else { "成立" };
            format!("{word}：全部 {} 个状态", number(states))
        }
        (CameTo::Shows(steps), Lang::En) => {
            let word = if is_reached { "happens" } else { "broken" };
            format!("{word} after {} step{}", steps, plural(steps.into()))
        }
        (CameTo::Shows(steps), Lang::Zh) => {
            let word = if is_reached { "出现" } else { "被破坏" };
            format!("{steps} 步之后{word}")
        }
        (CameTo::Undecided, _) => lang
            .pick("not decided: the memory is used up", "未决：内存已用完")
            .to_owned(),
    }
}

/// `with up to 1 fault`.
pub fn faults(lang: Lang, faults: u8) -> String {
    search::budget(lang, faults)
}

/// How many statements are decided.
pub fn progress(lang: Lang, decided: usize, all: usize) -> String {
    match lang {
        Lang::En => format!("{decided} of {all} decided in this page"),
        Lang::Zh => format!("本页已判定 {decided}/{all} 条"),
    }
}

/// That a search is under way, and how far it is.
pub fn searching(lang: Lang, states: u64) -> String {
    match lang {
        Lang::En => format!("searching… {} states", number(states)),
        Lang::Zh => format!("搜索中… {} 个状态", number(states)),
    }
}
