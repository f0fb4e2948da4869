//! What may not happen though it belongs there, and why.

use barrierscope_core::commit::Decision;
use barrierscope_core::id::NodeId;
use barrierscope_core::scene::{Deed, Why, Withheld};

use super::{Lang, Lexicon, number, sink};

/// What a node would do.
pub fn deed(lexicon: &Lexicon<'_>, withheld: &Withheld) -> String {
    match lexicon.lang {
        Lang::En => deed_en(lexicon, withheld),
        Lang::Zh => deed_zh(lexicon, withheld),
    }
}

/// Why it does not.
pub fn why(lexicon: &Lexicon<'_>, withheld: &Withheld) -> String {
    match lexicon.lang {
        Lang::En => why_en(lexicon, &withheld.why),
        Lang::Zh => why_zh(lexicon, &withheld.why),
    }
}

fn deed_en(lexicon: &Lexicon<'_>, withheld: &Withheld) -> String {
    match withheld.what {
        Deed::Emit(record) => format!("read {}", lexicon.record(record)),
        Deed::Take { channel, token } => {
            format!("take {} from channel {channel}", lexicon.token(token))
        }
        Deed::SetOut { to, token } => {
            format!("send {} to {}", lexicon.token(token), lexicon.node(to))
        }
        Deed::Trigger(id) => format!("start checkpoint {id}"),
        Deed::Complete(id) => format!("complete checkpoint {id}"),
        Deed::Commit(transaction) => format!("commit transaction {transaction}"),
        Deed::Send(record) => format!("send {}", lexicon.record(record)),
        Deed::Transmit { partition, record } => format!(
            "transmit the batch of {} to {}",
            lexicon.record(record),
            lexicon.partition(partition)
        ),
        Deed::EndTransaction => "end its transaction".to_owned(),
        Deed::Poll {
            partition,
            position,
        } => format!(
            "poll {} from offset {position}",
            lexicon.partition(partition)
        ),
        Deed::Process(record) => format!("process {}", lexicon.record(record)),
        Deed::Decide(Decision::Commit) => "decide commit".to_owned(),
        Deed::Decide(Decision::Abort) => "decide abort".to_owned(),
        Deed::Forget => "forget the transaction".to_owned(),
        Deed::SendMessage { to, message } => {
            format!("send {} to {}", message.name(), lexicon.node(to))
        }
        Deed::Learn => "learn the decision".to_owned(),
    }
}

fn deed_zh(lexicon: &Lexicon<'_>, withheld: &Withheld) -> String {
    match withheld.what {
        Deed::Emit(record) => format!("读取 {}", lexicon.record(record)),
        Deed::Take { channel, token } => {
            format!("从通道 {channel} 取出 {}", lexicon.token(token))
        }
        Deed::SetOut { to, token } => {
            format!("把 {} 发给 {}", lexicon.token(token), lexicon.node(to))
        }
        Deed::Trigger(id) => format!("启动检查点 {id}"),
        Deed::Complete(id) => format!("完成检查点 {id}"),
        Deed::Commit(transaction) => format!("提交事务 {transaction}"),
        Deed::Send(record) => format!("发送 {}", lexicon.record(record)),
        Deed::Transmit { partition, record } => format!(
            "把 {} 所在的批次发往 {}",
            lexicon.record(record),
            lexicon.partition(partition)
        ),
        Deed::EndTransaction => "结束事务".to_owned(),
        Deed::Poll {
            partition,
            position,
        } => format!("从位移 {position} 起拉取 {}", lexicon.partition(partition)),
        Deed::Process(record) => format!("处理 {}", lexicon.record(record)),
        Deed::Decide(Decision::Commit) => "决定提交".to_owned(),
        Deed::Decide(Decision::Abort) => "决定中止".to_owned(),
        Deed::Forget => "忘掉该事务".to_owned(),
        Deed::SendMessage { to, message } => {
            format!("向 {} 发送 {}", lexicon.node(to), message.name())
        }
        Deed::Learn => "得知决定".to_owned(),
    }
}

/// That so much more may not be done.
pub fn more(lang: Lang, count: usize) -> String {
    let count = number(count as u64);
    match lang {
        Lang::En => format!("… and {count} more that wait"),
        Lang::Zh => format!("……还有 {count} 项在等待"),
    }
}

/// So many are named; of more it is said how many there are.
const NAMED: usize = 3;

fn nodes(lexicon: &Lexicon<'_>, nodes: &[NodeId]) -> String {
    let named: Vec<String> = nodes
        .iter()
        .take(NAMED)
        .map(|id| lexicon.node(*id))
        .collect();
    let named = named.join(lexicon.lang.pick(", ", "、"));
    let more = nodes.len().saturating_sub(NAMED);
    let count = number(more as u64);
    match (lexicon.lang, more) {
        (_, 0) => named,
        (Lang::En, _) => format!("{named} and {count} more"),
        (Lang::Zh, _) => format!("{named} 等 {} 个", number(nodes.len() as u64)),
    }
}

fn why_en(lexicon: &Lexicon<'_>, why: &Why) -> String {
    match why {
        Why::BlockedBy {
            checkpoint,
            awaited,
        } => match awaited.is_empty() {
            true => format!("blocked by barrier {checkpoint}"),
            false => format!(
                "blocked by barrier {checkpoint}, which has still to come from {}",
                nodes(lexicon, awaited)
            ),
        },
        Why::NoBuffer(to) => format!("no buffer free on the way to {}", lexicon.node(*to)),
        Why::NoCredit(to) => format!(
            "{} gives no credit: its input queue is full",
            lexicon.node(*to)
        ),
        Why::StoppedBehind(id) => format!("waits behind barrier {id} until the alignment is over"),
        Why::Down => "does not run".to_owned(),
        Why::Paused => "stands still".to_owned(),
        Why::Engaged(wait) => format!("waits for {}", sink::face::waits_for(Lang::En, *wait)),
        Why::NotWritten => "has not come to the topic yet".to_owned(),
        Why::Unassigned => "the enumerator has not assigned the partition yet".to_owned(),
        Why::JobEnds => "the job is ending, or has ended".to_owned(),
        Why::UnderWay(1) => "one is under way, and no more may be".to_owned(),
        Why::UnderWay(count) => format!("{count} are under way, and no more may be"),
        Why::NotAllRun => "not all subtasks run".to_owned(),
        Why::Enough => "the scenario wants no more of them".to_owned(),
        Why::Acknowledgements(of) => {
            format!("waits for the acknowledgements of {}", nodes(lexicon, of))
        }
        Why::Completion(id) => format!("waits until checkpoint {id} is complete"),
        Why::Notification(id) => format!("waits for word that checkpoint {id} is complete"),
        Why::Coordinator => "waits for its coordinator".to_owned(),
        Why::InFlight => "as many batches are in flight as may be".to_owned(),
        Why::NoLeader => "the partition has no leader that runs".to_owned(),
        Why::Fenced => "fenced: another producer has its transactional id".to_owned(),
        Why::TransactionEnds => "its last transaction has not ended yet".to_owned(),
        Why::Outstanding => {
            "records of the transaction are still to be sent or acknowledged".to_owned()
        }
        Why::Unstable(end) => {
            format!("not readable yet: readers get what is below offset {end}")
        }
        Why::Rebalancing => "the group is being rebalanced".to_owned(),
        Why::Busy => "works on what it polled before".to_owned(),
        Why::Committing => "waits for its commit".to_owned(),
        Why::Votes(of) => format!("waits for the votes of {}", nodes(lexicon, of)),
        Why::Decision(by) => format!("in doubt: only {} can tell", nodes(lexicon, by)),
        Why::Log => "waits until its log is forced".to_owned(),
        Why::SameMessage => "the same message is still on its way".to_owned(),
    }
}

fn why_zh(lexicon: &Lexicon<'_>, why: &Why) -> String {
    match why {
        Why::BlockedBy {
            checkpoint,
            awaited,
        } => match awaited.is_empty() {
            true => format!("被 barrier {checkpoint} 阻塞"),
            false => format!(
                "被 barrier {checkpoint} 阻塞，还要等它从 {} 到来",
                nodes(lexicon, awaited)
            ),
        },
        Why::NoBuffer(to) => format!("通往 {} 的路上没有空闲 buffer", lexicon.node(*to)),
        Why::NoCredit(to) => format!("{} 没有 credit：输入队列已满", lexicon.node(*to)),
        Why::StoppedBehind(id) => format!("在 barrier {id} 之后等待对齐结束"),
        Why::Down => "未运行".to_owned(),
        Why::Paused => "停顿中".to_owned(),
        Why::Engaged(wait) => format!("等待{}", sink::face::waits_for(Lang::Zh, *wait)),
        Why::NotWritten => "尚未写入主题".to_owned(),
        Why::Unassigned => "enumerator 尚未分配该分区".to_owned(),
        Why::JobEnds => "作业正在结束或已结束".to_owned(),
        Why::UnderWay(count) => format!("已有 {count} 个在进行，不能更多"),
        Why::NotAllRun => "并非所有子任务都在运行".to_owned(),
        Why::Enough => "场景不再需要更多检查点".to_owned(),
        Why::Acknowledgements(of) => format!("等待 {} 的确认", nodes(lexicon, of)),
        Why::Completion(id) => format!("等待检查点 {id} 完成"),
        Why::Notification(id) => format!("等待检查点 {id} 已完成的通知"),
        Why::Coordinator => "等待协调器".to_owned(),
        Why::InFlight => "在途批次已达上限".to_owned(),
        Why::NoLeader => "该分区没有运行中的 leader".to_owned(),
        Why::Fenced => "被隔离：其事务 id 已归另一个生产者".to_owned(),
        Why::TransactionEnds => "上一个事务尚未结束".to_owned(),
        Why::Outstanding => "事务中还有记录待发送或待确认".to_owned(),
        Why::Unstable(end) => format!("尚不可读：读者只能读到位移 {end} 之前"),
        Why::Rebalancing => "消费者组正在重平衡".to_owned(),
        Why::Busy => "还在处理先前拉取的记录".to_owned(),
        Why::Committing => "等待提交完成".to_owned(),
        Why::Votes(of) => format!("等待 {} 的投票", nodes(lexicon, of)),
        Why::Decision(by) => format!("悬而未决：只有 {} 能告知", nodes(lexicon, by)),
        Why::Log => "等待其日志落盘".to_owned(),
        Why::SameMessage => "同一条消息仍在途中".to_owned(),
    }
}
