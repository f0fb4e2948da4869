//! What the figures come to.

use barrierscope_core::verdict::{Guarantee, Verdict};

use super::{Lang, number};

/// What a run keeps, in a word or two.
pub const fn guarantee(lang: Lang, guarantee: Guarantee) -> &'static str {
    match guarantee {
        Guarantee::ExactlyOnce => lang.pick("exactly once", "精确一次"),
        Guarantee::AtLeastOnce => lang.pick("counted twice", "重复计算"),
        Guarantee::AtMostOnce => lang.pick("lost", "丢失"),
        Guarantee::None => lang.pick("lost and counted twice", "既有丢失又有重复"),
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
    fn on_the_way_is_neither_right_nor_wrong() {
        assert_eq!(account(Lang::En, &verdict(5, 0, 0)).right, None);
        assert_eq!(
            account(Lang::Zh, &verdict(1_991_379, 0, 0)).right,
            Some(true)
        );
        assert_eq!(account(Lang::Zh, &verdict(5, 1, 0)).right, Some(false));
    }
}
