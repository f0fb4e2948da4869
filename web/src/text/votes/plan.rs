//! What may be planned to break by itself: ready-made faults, each at a moment of the protocol.

use barrierscope_core::scenario::Votes;
use serde_json::{Value, json};

use crate::text::Lang;

/// A fault that is ready made.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The word for it.
    pub code: &'static str,
    /// What it is called, in a few words.
    pub name: &'static str,
    /// What it does.
    pub says: String,
    /// The faults, as a scenario has them.
    pub faults: Value,
}

/// Crashes right after a moment of the protocol.
pub fn crashes(lang: Lang, scenario: &Votes) -> Vec<Plan> {
    let count = scenario.participants.len();
    let first = (scenario.participants.first()).map_or("", |member| member.name.as_str());
    let plan = |code, names: [&'static str; 2], says: [String; 2], faults| {
        let [en, zh] = says;
        let says = match lang {
            Lang::En => en,
            Lang::Zh => zh,
        };
        Plan {
            code,
            name: lang.pick(names[0], names[1]),
            says,
            faults,
        }
    };
    let own = |says: [&str; 2]| says.map(str::to_owned);
    let coordinator = |moment: Value| json!([{ "after": moment, "crash": "coordinator" }]);
    let participant = |moment: Value| json!([{ "after": moment, "crash": first }]);
    vec![
        plan(
            "none",
            ["none", "无"],
            own(["nobody crashes by itself", "没有进程自行崩溃"]),
            json!([]),
        ),
        plan(
            "one-told",
            ["one is told", "已告知一个"],
            own([
                "the coordinator crashes after the first GLOBAL_COMMIT",
                "协调者发出首条 GLOBAL_COMMIT 后崩溃",
            ]),
            coordinator(json!({ "sent": "GLOBAL_COMMIT", "number": 1 })),
        ),
        plan(
            "one-told-for-good",
            ["one is told, for good", "已告知一个，不恢复"],
            own([
                "the same, and the coordinator stays down until somebody recovers it",
                "同上，且协调者不再自行恢复",
            ]),
            json!([{ "after": { "sent": "GLOBAL_COMMIT", "number": 1 }, "stop": "coordinator" }]),
        ),
        plan(
            "all-asked",
            ["all are asked", "已询问全体"],
            own([
                "the coordinator crashes when it has asked everybody to vote",
                "协调者要求全体投票后崩溃",
            ]),
            coordinator(json!({ "sent": "VOTE_REQUEST", "number": count })),
        ),
        plan(
            "decision-written",
            ["decision not on disk", "决定未落盘"],
            own([
                "the coordinator crashes when it has written GLOBAL_COMMIT, and not forced it yet",
                "协调者写下 GLOBAL_COMMIT、尚未落盘时崩溃",
            ]),
            coordinator(json!({ "written": "GLOBAL_COMMIT", "number": 1 })),
        ),
        plan(
            "decision-forced",
            ["decision on disk", "决定已落盘"],
            own([
                "the coordinator crashes when GLOBAL_COMMIT is on disk, and nobody has been told",
                "协调者的 GLOBAL_COMMIT 已落盘、尚未告知任何人时崩溃",
            ]),
            coordinator(json!({ "forced": "GLOBAL_COMMIT", "number": 1 })),
        ),
        plan(
            "vote-written",
            ["vote not on disk", "投票未落盘"],
            [
                format!("{first} crashes when it has written VOTE_COMMIT, and not forced it yet"),
                format!("{first} 写下 VOTE_COMMIT、尚未落盘时崩溃"),
            ],
            participant(json!({ "written": "VOTE_COMMIT", "number": 1 })),
        ),
        plan(
            "vote-forced",
            ["vote on disk", "投票已落盘"],
            [
                format!("{first} crashes in doubt: VOTE_COMMIT is on disk, and not sent yet"),
                format!("{first} 悬而未决时崩溃：VOTE_COMMIT 已落盘、尚未发送"),
            ],
            participant(json!({ "forced": "VOTE_COMMIT", "number": 1 })),
        ),
    ]
}

/// Messages that meet with a fault on their way.
pub fn messages(lang: Lang, scenario: &Votes) -> Vec<Plan> {
    let last = (scenario.participants.last()).map_or("", |member| member.name.as_str());
    let lost = |code, message: &str, name: [&'static str; 2], is_answer: bool| {
        let (from, to) = match is_answer {
            true => (last, "coordinator"),
            false => ("coordinator", last),
        };
        let says = match (lang, is_answer) {
            (Lang::En, true) => format!("the first {message} from {last} is lost"),
            (Lang::En, false) => format!("the first {message} to {last} is lost"),
            (Lang::Zh, true) => format!("{last} 发出的首条 {message} 丢失"),
            (Lang::Zh, false) => format!("发往 {last} 的首条 {message} 丢失"),
        };
        Plan {
            code,
            name: lang.pick(name[0], name[1]),
            says,
            faults: json!([{ "message": message, "to": to, "from": from, "number": 1 }]),
        }
    };
    let twice = json!([{
        "message": "GLOBAL_COMMIT", "to": last, "from": "coordinator", "number": 1, "duplicate": true
    }]);
    vec![
        Plan {
            code: "none",
            name: lang.pick("none", "无"),
            says: lang
                .pick("every message arrives once", "每条消息都到达一次")
                .to_owned(),
            faults: json!([]),
        },
        lost(
            "request",
            "VOTE_REQUEST",
            ["VOTE_REQUEST lost", "VOTE_REQUEST 丢失"],
            false,
        ),
        lost(
            "vote",
            "VOTE_COMMIT",
            ["VOTE_COMMIT lost", "VOTE_COMMIT 丢失"],
            true,
        ),
        lost(
            "decision",
            "GLOBAL_COMMIT",
            ["GLOBAL_COMMIT lost", "GLOBAL_COMMIT 丢失"],
            false,
        ),
        lost("ack", "ACK", ["ACK lost", "ACK 丢失"], true),
        Plan {
            code: "twice",
            name: lang.pick("GLOBAL_COMMIT twice", "GLOBAL_COMMIT 两次"),
            says: match lang {
                Lang::En => format!("the first GLOBAL_COMMIT to {last} comes twice"),
                Lang::Zh => format!("发往 {last} 的首条 GLOBAL_COMMIT 到达两次"),
            },
            faults: twice,
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use barrierscope_core::scenario::Story;
    use barrierscope_core::scenario::votes::DEFAULT_VOTES;

    #[test]
    fn every_plan_is_a_scenario() {
        let story = Story::from_json(DEFAULT_VOTES).unwrap();
        let scenario = story.as_ref().votes().unwrap();
        for lang in Lang::ALL {
            for (field, plans) in [
                ("schedule", crashes(lang, scenario)),
                ("messages", messages(lang, scenario)),
            ] {
                for plan in plans {
                    let mut json: Value = serde_json::from_str(&scenario.to_json()).unwrap();
                    json["faults"][field] = plan.faults.clone();
                    let story = Story::from_json(&json.to_string());
                    assert!(story.is_ok(), "{}: {story:?}", plan.code);
                }
            }
        }
    }
}
