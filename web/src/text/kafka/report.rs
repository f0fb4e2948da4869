//! The titles of the fault reports that come with the program.

use crate::state::Reported;
use crate::text::Lang;

/// Each in English, as its scenario has it, and in Chinese.
const TITLES: [[&str; 2]; 25] = [
    [
        "Automatic commit, and a crash amid a poll",
        "自动提交，处理到一半时崩溃",
    ],
    [
        "librdkafka stores an offset before the record is done",
        "librdkafka 在记录处理完之前就存储位移",
    ],
    ["A commit of the live position", "提交了正在前移的 position"],
    ["Commit first, process then", "先提交，后处理"],
    [
        "Processing takes longer than max.poll.interval.ms",
        "处理耗时超过 max.poll.interval.ms",
    ],
    [
        "Workers, and a commit behind the fastest",
        "多个工作线程，按最快的提交",
    ],
    ["Retention, and then latest", "保留期到期，又遇 latest"],
    [
        "An offset that is stored after its partition is gone",
        "分区被收走之后才存储的位移",
    ],
    ["acks=1, and the leader dies", "acks=1，leader 宕机"],
    [
        "acks=all with a single replica in sync",
        "acks=all，但只有一个同步副本",
    ],
    ["A lost acknowledgement, and a retry", "确认丢失后的重试"],
    [
        "The application sends again what has timed out",
        "应用重发了超时的记录",
    ],
    [
        "The default of idempotence that was not applied",
        "没有生效的幂等默认值",
    ],
    [
        "Concurrent sends share a sequence",
        "并发发送共用同一序列号",
    ],
    [
        "The first batch that a broker sees is not the first one",
        "broker 先见到的不是第一个批次",
    ],
    [
        "A store that outlives its transaction",
        "事务已中止，本地状态却留下",
    ],
    ["A reader of what is not committed", "读取未提交数据的读者"],
    [
        "A late batch opens a transaction that nobody ends",
        "迟到的批次打开了无人结束的事务",
    ],
    [
        "A late EndTxn ends the next transaction",
        "迟到的 EndTxn 结束了下一个事务",
    ],
    ["The coordinator's clock goes back", "协调器时钟回拨"],
    [
        "A zombie commits offsets by the group id alone",
        "僵尸仅凭 group id 提交位移",
    ],
    [
        "InitProducerId in the middle of a transaction",
        "事务中途的 InitProducerId",
    ],
    ["An abort marker without data", "没有数据的中止标记"],
    ["An error that nobody looked at", "没有人检查的错误"],
    [
        "Two live producers with one transactional.id",
        "两个在用的生产者共用一个 transactional.id",
    ],
];

/// What a report is about.
pub fn title(lang: Lang, reported: Reported) -> &'static str {
    let [en, zh] = TITLES[reported.place() % TITLES.len()];
    lang.pick(en, zh)
}

/// The title of the scenario of a report, if it is one's; any scenario may have any name.
pub fn of_scenario(lang: Lang, name: &str) -> Option<&'static str> {
    let mut titles = TITLES.iter();
    let [en, zh] = titles.find(|[en, _]| *en == name)?;
    Some(lang.pick(en, zh))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::REPORTS;

    #[test]
    fn each_report_has_its_own_title() {
        assert_eq!(REPORTS.len(), TITLES.len());
        for place in 0..REPORTS.len() {
            let reported = Reported::at(place).expect("it is there");
            for reported in [reported, reported.with_fix(true)] {
                let story = reported.story().expect("it is whole");
                let name = story.as_ref().name();
                assert_eq!(title(Lang::En, reported), name);
                assert_eq!(of_scenario(Lang::Zh, name), Some(title(Lang::Zh, reported)));
            }
        }
    }
}
