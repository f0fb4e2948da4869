//! The few words that stand on a sink with producers, on brokers, and on the transaction coordinator.

use barrierscope_core::scene::kafka::{ReplicaView, TransactionRow};
use barrierscope_core::scene::{SinkWait, Transaction};

use crate::text::Lang;

/// What the thread of a sink waits for; without anything, that it takes records.
pub fn wait(lang: Lang, waits: Option<SinkWait>) -> String {
    match waits {
        None => lang.pick("takes records", "接收记录").to_owned(),
        Some(SinkWait::Deployed) => lang.pick("is deployed", "已部署").to_owned(),
        Some(SinkWait::Recommitting) => lang.pick("commits once more", "再次提交").to_owned(),
        Some(SinkWait::Cleaning) => lang.pick("aborts leftovers", "清理遗留事务").to_owned(),
        Some(SinkWait::Opening | SinkWait::Beginning(_)) => {
            lang.pick("InitProducerId…", "InitProducerId…").to_owned()
        }
        Some(SinkWait::Flushing(checkpoint)) => match lang {
            Lang::En => format!("flushes at barrier {checkpoint}"),
            Lang::Zh => format!("flush · barrier {checkpoint}"),
        },
        Some(SinkWait::Committing(checkpoint)) => match lang {
            Lang::En => format!("commits checkpoint {checkpoint}"),
            Lang::Zh => format!("提交检查点 {checkpoint}"),
        },
    }
}

/// The same in a sentence: what is waited for, and from whom.
pub fn waits_for(lang: Lang, waits: SinkWait) -> String {
    match (lang, waits) {
        (Lang::En, SinkWait::Deployed) => "it begins".to_owned(),
        (Lang::Zh, SinkWait::Deployed) => "即将开始".to_owned(),
        (Lang::En, SinkWait::Recommitting) => {
            "the transaction coordinator, to commit what the restored checkpoint holds".to_owned()
        }
        (Lang::Zh, SinkWait::Recommitting) => "事务协调器：提交恢复的检查点中的事务".to_owned(),
        (Lang::En, SinkWait::Cleaning) => {
            "the transaction coordinator, to abort what an earlier attempt has left open".to_owned()
        }
        (Lang::Zh, SinkWait::Cleaning) => "事务协调器：中止先前尝试留下的未结事务".to_owned(),
        (Lang::En, SinkWait::Opening) => {
            "the transaction coordinator, for InitProducerId of its first transaction".to_owned()
        }
        (Lang::Zh, SinkWait::Opening) => "事务协调器：第一个事务的 InitProducerId".to_owned(),
        (Lang::En, SinkWait::Flushing(n)) => {
            format!("the brokers, to acknowledge what it wrote before barrier {n}")
        }
        (Lang::Zh, SinkWait::Flushing(n)) => format!("broker：确认 barrier {n} 之前的记录"),
        (Lang::En, SinkWait::Beginning(n)) => {
            format!(
                "the transaction coordinator, for InitProducerId of the transaction behind barrier {n}"
            )
        }
        (Lang::Zh, SinkWait::Beginning(n)) => {
            format!("事务协调器：barrier {n} 之后那个事务的 InitProducerId")
        }
        (Lang::En, SinkWait::Committing(n)) => {
            format!("the transaction coordinator, to commit what belongs to checkpoint {n}")
        }
        (Lang::Zh, SinkWait::Committing(n)) => format!("事务协调器：提交属于检查点 {n} 的事务"),
    }
}

/// A transaction on the sink: in doubt from its pre-commit on, if the textbook's names are wanted.
pub fn transaction(lang: Lang, transaction: &Transaction, names: bool) -> String {
    let state = match (transaction.checkpoint, names) {
        (None, _) => lang.pick("open", "未提交"),
        (Some(_), false) => lang.pick("prepared", "预提交"),
        (Some(_), true) => lang.pick("in doubt", "悬而未决"),
    };
    let word = lang.pick("txn", "事务");
    let records = match transaction.checkpoint {
        None => format!(" · {}", transaction.records),
        // What is prepared gets no more.
        Some(_) => String::new(),
    };
    format!("{word} {} · {state}{records}", transaction.number)
}

/// A sink that uses no transactions, and how many records its producer is not told of.
pub fn outstanding(lang: Lang, count: usize) -> String {
    match (lang, count) {
        (_, 0) => lang.pick("all acknowledged", "均已确认").to_owned(),
        (Lang::En, more) => format!("{more} unacknowledged"),
        (Lang::Zh, more) => format!("{more} 条未确认"),
    }
}

/// A broker by one of its replicas.
pub fn broker(lang: Lang, view: &ReplicaView) -> String {
    format!(
        "broker {} {}",
        view.broker,
        super::super::kafka::face::role(lang, view)
    )
}

/// A transactional id in one line: the id, where it is, where it leads, its epoch.
pub fn transactional(lang: Lang, row: &TransactionRow) -> String {
    let pending = row
        .pending
        .map_or(String::new(), |pending| format!(" → {pending}"));
    let epoch = row
        .epoch
        .map_or(String::new(), |epoch| format!(" · epoch {}", epoch.0));
    let locked = if row.locked {
        lang.pick(" · locked", " · 已锁住")
    } else {
        ""
    };
    // Where there is little room the end is cut off: what leads on from here matters least.
    format!(
        "{}{epoch} · {}{pending}{locked}",
        row.transactional_id, row.state
    )
}
