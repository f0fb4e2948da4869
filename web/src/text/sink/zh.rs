//! The sentences in Chinese.

use barrierscope_core::event::{SinkEvent, SinkFailure};
use barrierscope_core::id::NodeId;

use super::may_be_committed;
use crate::text::{Lexicon, after};

pub(super) fn happened(
    lexicon: &Lexicon<'_>,
    event: SinkEvent,
    who: &dyn Fn(NodeId) -> String,
) -> String {
    use SinkEvent as E;
    let id = |number| lexicon.transactional_id(number);
    match event {
        E::Probes {
            subtask,
            transactional_id,
        } if lexicon.terms.pooling => format!(
            "{} 发现 {} 下有一个未结事务，以这个 ID 调用 initTransactions() 来中止它。",
            who(subtask),
            id(transactional_id)
        ),
        E::Probes {
            subtask,
            transactional_id,
        } => format!(
            "{} 以 {} 调用 initTransactions()：先前的尝试是否在这个 ID 下留有未结事务？",
            who(subtask),
            id(transactional_id)
        ),
        E::Lingering {
            subtask,
            transactional_id,
        } => format!(
            "{} 曾被 {} 先前的尝试用过：其下未结的事务被中止。",
            id(transactional_id),
            lexicon.node(subtask)
        ),
        E::LeftOpen {
            subtask,
            transactional_id,
        } => format!(
            "{} 下有一个未结事务，{} 不去动它：恢复的检查点把这个 ID 记为已预提交（FLINK-40626）。",
            id(transactional_id),
            lexicon.node(subtask)
        ),
        E::Clean { subtask } => {
            format!("{} 先前的尝试不再留有未结事务。", lexicon.node(subtask))
        }
        E::Initializes {
            subtask,
            transactional_id,
        } => format!(
            "{} 的下一个事务需要一个生产者，让它以 {} 调用 initTransactions()。",
            who(subtask),
            id(transactional_id)
        ),
        E::Reuses {
            subtask,
            transactional_id,
        } => format!(
            "{} 从池中原样取出 {} 的生产者，没有调用 initTransactions()（FLINK-8132）。",
            who(subtask),
            id(transactional_id)
        ),
        E::Begins {
            subtask,
            transactional_id,
        } => format!(
            "{} 以 {} 开始事务：此后的记录写入其中。",
            who(subtask),
            id(transactional_id)
        ),
        E::Flushes {
            subtask,
            checkpoint,
            outstanding: 0,
        } => format!(
            "{} 在 barrier {checkpoint} 处调用 flush()：写出的记录都已得到确认。",
            who(subtask)
        ),
        E::Flushes {
            subtask,
            checkpoint,
            outstanding,
        } => format!(
            "{} 在 barrier {checkpoint} 处调用 flush() 并等待：还有 {outstanding} 条记录未得到 broker 的确认。",
            who(subtask)
        ),
        E::Flushed {
            subtask,
            outstanding: 0,
            ..
        } => format!(
            "{} 的 flush() 完成：broker 已确认 barrier 之前的每条记录。",
            who(subtask)
        ),
        E::Flushed {
            subtask,
            checkpoint,
            outstanding,
        } => format!(
            "{} 不经 flush() 就继续检查点 {checkpoint}，尽管还有 {outstanding} 条记录未得到确认。",
            who(subtask)
        ),
        E::NothingToCommit {
            subtask,
            checkpoint,
        } => format!(
            "{} 自上一个 barrier 以来什么也没写：检查点 {checkpoint} 没有要提交的事务，该生产者被关闭。",
            who(subtask)
        ),
        E::Commits {
            subtask,
            transactional_id,
            recovered: false,
        } => format!(
            "{} 请事务协调器提交 {}，并等待答复。",
            who(subtask),
            id(transactional_id)
        ),
        E::Commits {
            subtask,
            transactional_id,
            recovered: true,
        } => format!(
            "{} 从恢复的检查点取出 {}，用它当时的 producer id 与 epoch，请事务协调器提交。",
            who(subtask),
            id(transactional_id)
        ),
        E::Dropped {
            subtask,
            transactional_id,
            records,
            error,
        } => format!(
            "{} 的提交被拒绝（{error}）：{} 放弃它和其中的 {records} 条记录，继续运行。",
            id(transactional_id),
            lexicon.node(subtask)
        ),
        E::RetriesLater {
            subtask,
            transactional_id,
            retries,
        } => format!(
            "{} 在 max.block.ms 内没有得到答复，将再次请求提交 {}：第 {retries} 次重试，最多 10 次。",
            who(subtask),
            id(transactional_id)
        ),
        E::Overlooked { subtask } => format!(
            "{} 的一条记录写入失败，却没有人察觉：flush() 将看不到任何未确认的记录（FLINK-35749）。",
            lexicon.node(subtask)
        ),
        E::Failed { subtask, reason } => format!("{} 失败：{}。", who(subtask), failure(reason)),
    }
}

fn failure(reason: SinkFailure) -> String {
    match reason {
        SinkFailure::Send => "一条记录写入失败".to_owned(),
        SinkFailure::Init(error) => format!("协调器拒绝给它的生产者一个身份（{error}）"),
        SinkFailure::Commit(error) => format!("提交被拒绝（{error}）"),
        SinkFailure::Timeout => "在 max.block.ms 内没有得到事务协调器的答复".to_owned(),
        SinkFailure::Retries => "提交已重试到 sink.committer.retries 的上限，共 10 次".to_owned(),
    }
}

pub(super) fn reason(lexicon: &Lexicon<'_>, event: SinkEvent) -> String {
    use SinkEvent as E;
    match event {
        E::Probes { .. } => {
            "为一个 ID 请求身份，就会中止其下未结的事务。在此期间它不接收记录：留下的未结事务会一直挡住 read_committed 读者，直到超时。"
        }
        E::Lingering { .. } => {
            "没有检查点承诺过这些记录，source 会重新读取它们。现在它们不会重复出现，也不再压住最后稳定位移。"
        }
        E::LeftOpen { .. } => {
            "使用 ID 池时，ID 说明不了指的是其下哪个事务：这可能是更晚的一个。它将一直打开到 transaction.timeout.ms，read_committed 读者只能等待。"
        }
        E::Clean { .. } if lexicon.terms.pooling => {
            "在它的前缀下，协调器列不出别的未经检查点承诺的未结事务。现在它可以开始自己的事务。"
        }
        E::Clean { .. } => "遇到第一个从未用过的 ID，查找就结束了。现在它可以开始自己的事务。",
        E::Initializes { .. } => {
            "InitProducerId 给这个 ID 一个 producer id 和 epoch，并隔离此前的持有者。协调器答复之前 sink 不能写入，只能等待。"
        }
        E::Reuses { .. } => {
            "从此两个事务共用一个身份。若恢复时再次提交较早的事务，这次提交会结束较晚的那个。"
        }
        E::Begins { .. } => {
            "在检查点完成、事务提交之前，read_committed 读者看不到这些记录。协调器要到第一条记录时才知道这个事务。"
        }
        E::Flushes { outstanding: 0, .. } => "因此预提交之前没有什么要等。",
        E::Flushes { .. } => {
            "它用快照作出承诺的内容必须已在 broker 上。在此之前它的线程不做别的事：记录和 barrier 在通道中等待。"
        }
        E::Flushed { outstanding: 0, .. } => "到这时，检查点才可以说这些记录已经写入。",
        E::Flushed { .. } => {
            "这就是 NONE 的保证：检查点被保存，而这些记录并不安全。此后若丢失，没有人会重新读取它们。"
        }
        E::NothingToCommit { .. } => {
            "只有写了记录才会产生 KafkaCommittable。下一个事务仍有自己的 ID。"
        }
        E::Commits {
            recovered: false, ..
        } => {
            "检查点已经完成，决定已经作出。协调器先记下决定，再让每个分区写入提交标记。"
        }
        E::Commits {
            recovered: true, ..
        } => {
            "检查点在崩溃之前已经完成，因此无论那次提交是否成功，决定都有效。若已成功，再提交一次不会改变什么。"
        }
        E::Dropped { error, .. } if may_be_committed(error) => {
            "被隔离或状态无效，可能表示它早已提交、ID 又被再次使用：那就什么也没丢。也可能表示事务已超时并被中止：那么其中的记录就丢了，只有日志里的一行会提到。"
        }
        E::Dropped { .. } => {
            "这个 committable 被放弃（signalFailedWithKnownReason）。若此前没有提交过，其中的记录就丢了。"
        }
        E::RetriesLater { .. } => {
            "没有答复就无人知道是否已提交。再次提交总是对的，中止永远是错的：检查点已经承诺了它。"
        }
        E::Overlooked { .. } => {
            "下一个检查点会在缺少这条记录的情况下完成，source 也不会再读它：它丢了。自 2024 年 7 月起，sink 会改为失败。"
        }
        E::Failed { reason, .. } => match reason {
            SinkFailure::Send => {
                "作业随之失败，并从最近的检查点重新读取：宁可两次，不可没有。在事务中连两次也不会。"
            }
            SinkFailure::Init(_) => {
                "没有身份就不能写入。若 transaction.timeout.ms 大于 broker 的 transaction.max.timeout.ms，每次启动都会如此。"
            }
            SinkFailure::Commit(_) => {
                "检查点已完成，提交却没有。作业失败，恢复时再提交检查点中保存的事务。"
            }
            SinkFailure::Timeout | SinkFailure::Retries => {
                "作业随之失败，并从最近完成的检查点重启；其中已预提交的事务届时提交。"
            }
        },
    }
    .to_owned()
        + &next_interval(lexicon, event)
}

/// With ids by checkpoint, which interval a new transaction is for.
fn next_interval(lexicon: &Lexicon<'_>, event: SinkEvent) -> String {
    use barrierscope_core::scene::SinkWait;
    let SinkEvent::Initializes {
        subtask,
        transactional_id,
    } = event
    else {
        return String::new();
    };
    match super::wait_of(lexicon.nodes, subtask) {
        Some(SinkWait::Beginning(checkpoint))
            if super::is_gap(lexicon, transactional_id, checkpoint) =>
        {
            "没有检查点用过这个 ID：请求它只是为了不留空缺，否则以后的查找会过早结束。".to_owned()
        }
        Some(SinkWait::Beginning(checkpoint)) => format!(
            "这个事务接收 barrier {checkpoint} 之后的记录，随检查点 {} 提交。",
            after(checkpoint)
        ),
        _ => String::new(),
    }
}
