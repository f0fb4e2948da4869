//! What may be done next, between Kafka's clients and brokers.

use barrierscope_core::id::NodeId;
use barrierscope_core::kafka::log::Outcome;
use barrierscope_core::kafka::replicated_log::Acks;
use barrierscope_core::scenario::delivery::Part;
use barrierscope_core::scene::{Facts, Health, KafkaChoice};

use super::super::{Lang, Lexicon};
use super::{api, face};

/// A choice, as something to do.
pub(in crate::text) fn choice(lexicon: &Lexicon<'_>, choice: KafkaChoice) -> String {
    let node = lexicon.node(choice.node());
    match lexicon.lang {
        Lang::En => english(lexicon, choice, &node),
        Lang::Zh => chinese(lexicon, choice, &node),
    }
}

/// What a choice is about that may be a broker.
fn machine(lexicon: &Lexicon<'_>, choice: KafkaChoice, broker: Option<u16>) -> String {
    broker.map_or_else(
        || lexicon.machine(choice.node()),
        |broker| format!("broker {broker}"),
    )
}

/// Whether something has never run yet.
fn is_new(lexicon: &Lexicon<'_>, id: NodeId) -> bool {
    let mut nodes = lexicon.nodes.iter();
    nodes.any(|node| node.id == id && node.health == Health::Starting)
}

/// Whether a client awaits no response of a broker: its producer has `acks=0`.
fn is_unconfirmed(lexicon: &Lexicon<'_>, client: NodeId, from: NodeId) -> bool {
    let find = |id| lexicon.nodes.iter().find(|node| node.id == id);
    let is_broker = find(from).is_some_and(|node| matches!(node.facts, Facts::Replica(_)));
    let acks = find(client).and_then(|node| lexicon.records.acks(&node.name));
    is_broker && acks == Some(Acks::None)
}

fn english(lexicon: &Lexicon<'_>, choice: KafkaChoice, node: &str) -> String {
    use KafkaChoice as C;
    let record = |id| lexicon.record(id);
    let machine = |broker| machine(lexicon, choice, broker);
    match choice {
        C::Send { record: id, .. } => format!("{node} calls send() with {}", record(id)),
        C::Call { api: what, .. } => format!("{node} sends {}", api(what)),
        C::Transmit {
            partition,
            record: id,
            ..
        } => format!(
            "{node} sends {} to the leader of {}",
            record(id),
            lexicon.partition(partition)
        ),
        C::Deliver { message, place, .. } => format!(
            "{node} gets the {}{}",
            lexicon.message(message),
            if place > 0 {
                ", before earlier ones"
            } else {
                ""
            }
        ),
        C::TimeOut { client, from } if is_unconfirmed(lexicon, client, from) => format!(
            "{node} finds its connection to {} broken, and opens another",
            lexicon.machine(from)
        ),
        C::TimeOut { from, .. } => format!(
            "{node} has waited for {} for request.timeout.ms",
            lexicon.machine(from)
        ),
        C::Expire { record: id, .. } => {
            format!("delivery.timeout.ms passes for {} of {node}", record(id))
        }
        C::Fetch { .. } => format!("{node} fetches from the leader"),
        C::FallBehind { .. } => format!("{node} is put out of the in-sync replicas"),
        C::Elect { .. } => format!("{node} is made leader"),
        C::ForgetProducer { producer, .. } => {
            format!("{node} forgets producer id {producer}")
        }
        C::Delete { start, .. } => format!("retention deletes {node} up to offset {start}"),
        C::Log {
            transactional_id,
            state,
            ..
        } => format!(
            "the coordinator logs {state} for {}",
            lexicon.transactional_id(transactional_id)
        ),
        C::WriteMarker {
            transactional_id,
            partition,
            ..
        } => format!(
            "{} gets the marker of {}",
            partition.map_or_else(
                || "__consumer_offsets".to_owned(),
                |partition| lexicon.partition(partition)
            ),
            lexicon.transactional_id(transactional_id)
        ),
        C::Overdue {
            transactional_id, ..
        } => format!(
            "transaction.timeout.ms passes for {}",
            lexicon.transactional_id(transactional_id)
        ),
        C::Scan { .. } => "the coordinator looks for transactions that take too long".to_owned(),
        C::Join { .. } => format!("{node} joins its group"),
        C::Finish { outcome, .. } => format!(
            "{node} {} its transaction",
            match outcome {
                Outcome::Commit => "commits",
                Outcome::Abort => "aborts",
            }
        ),
        C::Assign { .. } => format!("{node} takes over its partitions"),
        C::Restore { partition, .. } => format!(
            "{node} makes its store for {} ready",
            lexicon.partition(partition)
        ),
        C::Begin { record: id, .. } => format!("{node} begins with {}", record(id)),
        C::Poll { .. } => format!("{node} calls poll()"),
        C::Process { record: id, .. } => format!("{node} finishes {}", record(id)),
        C::Commit { .. } => format!("{node} commits its offsets"),
        C::Leave { .. } => format!("{node} leaves its group, or is put out of it"),
        C::ExpireOffsets { group, .. } => {
            format!("the committed offsets of {} expire", lexicon.group(group))
        }
        C::Start { node: id, broker } if broker.is_none() && is_new(lexicon, id) => {
            format!("{} starts", machine(broker))
        }
        C::Start { broker, .. } => format!("{} runs again", machine(broker)),
        C::Crash { broker, .. } => format!("{} crashes", machine(broker)),
        C::Pause { broker, .. } => format!("{} stands still", machine(broker)),
        C::Resume { broker, .. } => format!("{} goes on", machine(broker)),
        C::Stop { broker, .. } => format!("{} is shut down", machine(broker)),
        C::LoseLog { broker, .. } => format!("broker {broker} loses its logs"),
        C::Lose {
            api: what,
            part,
            record: id,
            ..
        } => format!(
            "the {} {} {node} is lost{}",
            api(what),
            match part {
                Part::Request => "request from",
                Part::Response => "response to",
            },
            id.map_or(String::new(), |id| format!(": {}", record(id)))
        ),
        C::StepClockBack { .. } => {
            "the clock of the transaction coordinator is set back".to_owned()
        }
    }
}

fn chinese(lexicon: &Lexicon<'_>, choice: KafkaChoice, node: &str) -> String {
    use KafkaChoice as C;
    let record = |id| lexicon.record(id);
    let machine = |broker| machine(lexicon, choice, broker);
    match choice {
        C::Send { record: id, .. } => format!("{node} 调用 send() 发送 {}", record(id)),
        C::Call { api: what, .. } => format!("{node} 发出 {}", api(what)),
        C::Transmit {
            partition,
            record: id,
            ..
        } => format!(
            "{node} 把 {} 发给 {} 的 leader",
            record(id),
            lexicon.partition(partition)
        ),
        C::Deliver { message, place, .. } => format!(
            "{node} 收到 {}{}",
            lexicon.message(message),
            if place > 0 {
                "（先于更早的）"
            } else {
                ""
            }
        ),
        C::TimeOut { client, from } if is_unconfirmed(lexicon, client, from) => format!(
            "{node} 发现到 {} 的连接已断开，打开新的连接",
            lexicon.machine(from)
        ),
        C::TimeOut { from, .. } => format!(
            "{node} 等待 {} 已达 request.timeout.ms",
            lexicon.machine(from)
        ),
        C::Expire { record: id, .. } => {
            format!("{node} 的 {} 达到 delivery.timeout.ms", record(id))
        }
        C::Fetch { .. } => format!("{node} 从 leader 拉取"),
        C::FallBehind { .. } => format!("{node} 被移出 ISR"),
        C::Elect { .. } => format!("{node} 当选 leader"),
        C::ForgetProducer { producer, .. } => format!("{node} 忘记 producer id {producer}"),
        C::Delete { start, .. } => format!("保留策略删除 {node} 位移 {start} 之前的内容"),
        C::Log {
            transactional_id,
            state,
            ..
        } => format!(
            "协调器为 {} 记录 {state}",
            lexicon.transactional_id(transactional_id)
        ),
        C::WriteMarker {
            transactional_id,
            partition,
            ..
        } => format!(
            "{} 得到 {} 的标记",
            partition.map_or_else(
                || "__consumer_offsets".to_owned(),
                |partition| lexicon.partition(partition)
            ),
            lexicon.transactional_id(transactional_id)
        ),
        C::Overdue {
            transactional_id, ..
        } => format!(
            "{} 达到 transaction.timeout.ms",
            lexicon.transactional_id(transactional_id)
        ),
        C::Scan { .. } => "协调器检查超时的事务".to_owned(),
        C::Join { .. } => format!("{node} 加入消费者组"),
        C::Finish { outcome, .. } => {
            format!("{node} {}其事务", face::outcome(lexicon.lang, outcome))
        }
        C::Assign { .. } => format!("{node} 接手分到的分区"),
        C::Restore { partition, .. } => {
            format!("{node} 准备 {} 的本地状态", lexicon.partition(partition))
        }
        C::Begin { record: id, .. } => format!("{node} 开始处理 {}", record(id)),
        C::Poll { .. } => format!("{node} 调用 poll()"),
        C::Process { record: id, .. } => format!("{node} 处理完 {}", record(id)),
        C::Commit { .. } => format!("{node} 提交位移"),
        C::Leave { .. } => format!("{node} 离开或被移出消费者组"),
        C::ExpireOffsets { group, .. } => format!("{} 已提交的位移过期", lexicon.group(group)),
        C::Start { node: id, broker } if broker.is_none() && is_new(lexicon, id) => {
            format!("{} 启动", machine(broker))
        }
        C::Start { broker, .. } => format!("{} 重新运行", machine(broker)),
        C::Crash { broker, .. } => format!("{} 崩溃", machine(broker)),
        C::Pause { broker, .. } => format!("{} 停顿", machine(broker)),
        C::Resume { broker, .. } => format!("{} 继续运行", machine(broker)),
        C::Stop { broker, .. } => format!("{} 被关闭", machine(broker)),
        C::LoseLog { broker, .. } => format!("broker {broker} 丢失日志"),
        C::Lose {
            api: what,
            part,
            record: id,
            ..
        } => format!(
            "{node} 的 {} {}丢失{}",
            api(what),
            match part {
                Part::Request => "请求",
                Part::Response => "响应",
            },
            id.map_or(String::new(), |id| format!("：{}", record(id)))
        ),
        C::StepClockBack { .. } => "事务协调器的时钟被回拨".to_owned(),
    }
}
