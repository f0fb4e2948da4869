//! What the figures come to.

use barrierscope_core::verdict::{Guarantee, Verdict};

use super::{Lang, number, plural};
use crate::state::Outcome;

/// What a run keeps, in a word or two.
const fn guarantee(lang: Lang, guarantee: Guarantee) -> &'static str {
    match guarantee {
        Guarantee::ExactlyOnce => lang.pick("counted once", "不丢不重"),
        Guarantee::AtLeastOnce => lang.pick("counted twice", "重复计算"),
        Guarantee::AtMostOnce => lang.pick("lost", "丢失"),
        Guarantee::None => lang.pick("lost and counted twice", "既有丢失又有重复"),
        Guarantee::Stuck => lang.pick("stuck", "卡住"),
    }
}

/// What stands first on the bar with the account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// In a word or two.
    pub title: &'static str,
    /// Up to when, and for whom.
    pub scope: String,
    /// Whether it is as it should be; neither where that cannot be said.
    pub right: Option<bool>,
}

/// What an account comes to for a reader of some isolation level. A job that has failed, or was stopped,
/// has kept nothing in the end, whatever it had kept until then.
pub fn summary(lang: Lang, verdict: &Verdict, outcome: Outcome, level: &str) -> Summary {
    let kept = verdict.guarantee();
    let is_right = kept == Guarantee::ExactlyOnce;
    let unread = (verdict.expected).saturating_sub(verdict.read.max(verdict.visible));
    let (left, s) = (number(unread.into()), plural(unread.into()));
    let name = guarantee(lang, kept);
    let (title, en, zh, right) = match outcome {
        Outcome::Unread => (
            lang.pick("nothing read yet", "尚未读取"),
            format!("for {level}"),
            level.to_owned(),
            None,
        ),
        Outcome::Failed => (
            lang.pick("the job has failed", "作业已失败"),
            format!("{left} record{s} left unread; {name} until then"),
            format!("还有 {left} 条记录未读取；在此之前：{name}"),
            Some(false),
        ),
        Outcome::Stopped => (
            lang.pick("stopped with a savepoint", "以保存点停止"),
            format!("{left} record{s} still to be read; {name} until then"),
            format!("还有 {left} 条记录待读取；在此之前：{name}"),
            (!is_right).then_some(false),
        ),
        Outcome::Open if verdict.done => (
            name,
            format!("in the end, for {level}"),
            format!("最终结果，{level}"),
            Some(is_right),
        ),
        Outcome::Open => (
            name,
            format!("so far, for {level}"),
            format!("目前为止，{level}"),
            Some(is_right),
        ),
    };
    Summary {
        title,
        scope: lang.pick(&en, &zh).clone(),
        right,
    }
}

/// What a run of a job has come to, when it is over.
pub fn ending(lang: Lang, verdict: &Verdict) -> String {
    let count = |count: u32, en: &str, zh: &str| match lang {
        _ if count == 0 => None,
        Lang::En => Some(format!(
            "{} record{} {en}",
            number(count.into()),
            plural(count.into())
        )),
        Lang::Zh => Some(format!("{} 条记录{zh}", number(count.into()))),
    };
    let wrong: Vec<String> = [
        count(verdict.lost, "lost", "丢失"),
        count(verdict.doubled, "counted twice", "重复计算"),
        count(
            verdict.miscounted,
            "counted wrongly in a state",
            "在状态中计错",
        ),
    ]
    .into_iter()
    .flatten()
    .collect();
    match (lang, wrong.is_empty()) {
        (Lang::En, true) => {
            "This run is over: nothing was lost, and nothing counted twice.".to_owned()
        }
        (Lang::Zh, true) => "本次运行结束：无丢失，无重复。".to_owned(),
        (Lang::En, false) => format!("This run is over: {}.", wrong.join(", ")),
        (Lang::Zh, false) => format!("本次运行结束：{}。", wrong.join("，")),
    }
}

/// The sentence below the total on the dashboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// The sentence.
    pub text: String,
    /// Whether the total is the right one, or a wrong one; neither while it is on its way.
    pub right: Option<bool>,
}

/// How the total on the dashboard stands to the true one.
pub fn account(lang: Lang, verdict: &Verdict) -> Account {
    let whole = number(verdict.true_total);
    let wrong = verdict.lost > 0 || verdict.doubled > 0;
    let (en, zh, right) = if verdict.total > verdict.true_total {
        let over = number(verdict.total - verdict.true_total);
        (
            format!("{over} more than the true {whole}"),
            format!("比真实总数 {whole} 多出 {over}"),
            Some(false),
        )
    } else if wrong && verdict.doubled > 0 {
        (
            format!("of {whole} · {} counted twice", verdict.doubled),
            format!("真实总数 {whole} · {} 条重复计算", verdict.doubled),
            Some(false),
        )
    } else if wrong {
        (
            format!("of {whole} · {} lost", verdict.lost),
            format!("真实总数 {whole} · {} 条丢失", verdict.lost),
            Some(false),
        )
    } else if verdict.total == verdict.true_total {
        (
            "the true total: nothing lost, nothing twice".to_owned(),
            "正是真实总数：无丢失，无重复".to_owned(),
            Some(true),
        )
    } else {
        (
            format!("of {whole} so far · nothing lost, nothing twice"),
            format!("真实总数 {whole} · 目前无丢失，无重复"),
            None,
        )
    };
    Account {
        text: lang.pick(&en, &zh).clone(),
        right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(total: u64, lost: u32, doubled: u32) -> Verdict {
        Verdict {
            total,
            lost,
            doubled,
            true_total: 1_991_379,
            ..Verdict::default()
        }
    }

    #[test]
    fn too_much_is_wrong_and_says_by_how_much() {
        let account = account(Lang::En, &verdict(2_018_414, 0, 1));
        assert_eq!(account.text, "27,035 more than the true 1,991,379");
        assert_eq!(account.right, Some(false));
    }

    #[test]
    fn only_a_run_that_goes_on_or_is_over_has_kept_something() {
        let mut verdict = verdict(5, 0, 0);
        (verdict.expected, verdict.read, verdict.done) = (190, 30, true);
        let say =
            |verdict: &Verdict, outcome| summary(Lang::En, verdict, outcome, "read_committed");
        let open = say(&verdict, Outcome::Open);
        assert_eq!((open.title, open.right), ("counted once", Some(true)));
        assert_eq!(open.scope, "in the end, for read_committed");
        assert_eq!(say(&verdict, Outcome::Unread).right, None);
        let failed = say(&verdict, Outcome::Failed);
        assert_eq!(
            (failed.title, failed.right),
            ("the job has failed", Some(false))
        );
        assert!(failed.scope.starts_with("160 records left unread"));
        let stopped = say(&verdict, Outcome::Stopped);
        assert_eq!(
            (stopped.title, stopped.right),
            ("stopped with a savepoint", None)
        );
        verdict.doubled = 1;
        assert_eq!(say(&verdict, Outcome::Stopped).right, Some(false));
    }

    #[test]
    fn on_the_way_is_neither_right_nor_wrong() {
        assert_eq!(account(Lang::En, &verdict(5, 0, 0)).right, None);
        assert_eq!(
            account(Lang::Zh, &verdict(1_991_379, 0, 0)).right,
            Some(true)
        );
        assert_eq!(account(Lang::Zh, &verdict(5, 1, 0)).right, Some(false));
    }
}
