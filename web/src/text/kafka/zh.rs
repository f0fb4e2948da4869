//! The sentences about Kafka in Chinese.

use std::borrow::Cow;

use barrierscope_core::event::{KafkaEvent, Leaving};
use barrierscope_core::id::{NodeId, RecordId};
use barrierscope_core::kafka::batch::{ProducerEpoch, ProducerId, Sequence};
use barrierscope_core::kafka::consumer_options::AutoOffsetReset;
use barrierscope_core::kafka::error::{BatchError, GroupError, ProduceError, TransactionError};
use barrierscope_core::kafka::log::Outcome;
use barrierscope_core::kafka::transaction_state::TransactionState;
use barrierscope_core::scenario::delivery::{Api, Part};

use super::circumstances::Circumstances;
use super::{Lexicon, api};

/// What an event says happened. `who` names a node, or stands for it.
pub(super) fn happened(
    lexicon: &Lexicon<'_>,
    event: KafkaEvent,
    who: &dyn Fn(NodeId) -> String,
    here: &Circumstances,
) -> String {
    use KafkaEvent as E;
    let record = |id| lexicon.record(id);
    let partition = |id| lexicon.partition(id);
    let group = |number| lexicon.group(number);
    match event {
        E::Sent {
            client,
            record: id,
            partition: to,
            again,
        } => format!(
            "{} {}调用 send()，把 {} 发往 {}。",
            who(client),
            if again { "再次" } else { "" },
            record(id),
            partition(to)
        ),
        E::TooLarge {
            record: id,
            noticed,
            ..
        } => format!(
            "send() 立即失败：{} 超过 max.request.size。{}",
            record(id),
            if noticed {
                "该事务现在只能中止。"
            } else {
                "应用没有检查结果。"
            }
        ),
        E::Transmitted {
            client,
            partition: to,
            record: id,
            records,
            attempt,
            stamp,
        } => format!(
            "{} 把 {} 发给 {} 的 leader{}{}。",
            who(client),
            batch(lexicon, id, records),
            partition(to),
            stamp.map_or(String::new(), stamped),
            match attempt {
                0 | 1 => String::new(),
                more => format!("，这是第 {more} 次尝试"),
            }
        ),
        E::Appended {
            leader,
            record: id,
            records,
            offset,
            again,
            ..
        } => format!(
            "{} 在位移 {offset} 处追加 {}{}。",
            who(leader),
            batch(lexicon, id, records),
            if again {
                "，尽管日志中已有它"
            } else {
                ""
            }
        ),
        E::Deduplicated {
            leader,
            record: id,
            offset,
            ..
        } => format!(
            "{} 认为 {} 所在的批次就是位移 {offset} 处已有的批次：回复成功，但不追加。",
            who(leader),
            record(id)
        ),
        E::Refused {
            leader,
            record: id,
            error,
            ..
        } => format!("{} 拒绝了 {}：{error}。", who(leader), record(id)),
        E::Replicated {
            follower,
            entries,
            joined,
            ..
        } => format!(
            "{} 从 leader 拉取{}{}。",
            who(follower),
            match entries {
                0 => "，没有新内容".to_owned(),
                more => format!("了 {more} 条"),
            },
            if joined { "，重新进入 ISR" } else { "" }
        ),
        E::Truncated {
            replica, offset, ..
        } => format!(
            "{} 从位移 {offset} 处截断日志：那里与 leader 的日志分叉。",
            who(replica)
        ),
        E::FellBehind {
            replica, in_sync, ..
        } => format!("{} 退出 ISR，还有 {in_sync} 个副本同步。", who(replica)),
        E::Elected {
            partition: of,
            replica,
            clean,
        } => format!(
            "{} 从现在起是 {} 的 leader{}。",
            lexicon.machine(replica),
            partition(of),
            if clean {
                ""
            } else {
                "，尽管它未同步：unclean 选举"
            }
        ),
        E::Acknowledged {
            client,
            record: id,
            records,
        } if here.unconfirmed => format!(
            "{} 把 {} 视为已发送。",
            who(client),
            batch(lexicon, id, records)
        ),
        E::Acknowledged {
            client,
            record: id,
            records,
        } => format!(
            "{} 得到确认：{} 已写入。",
            who(client),
            batch(lexicon, id, records)
        ),
        E::WillRetry {
            client,
            record: id,
            error: None,
        } => format!(
            "{} 没有收到关于 {} 的回复，将重新发送。",
            who(client),
            record(id)
        ),
        E::WillRetry {
            client,
            record: id,
            error: Some(error),
        } => format!(
            "{} 收到 {} 的错误 {error}，将重新发送。",
            who(client),
            record(id)
        ),
        E::GivenUp {
            client,
            record: id,
            records,
            error,
        } => format!(
            "{} {}放弃了 {}，并告知应用发送失败。",
            who(client),
            error.map_or(String::new(), |error| format!("在 {error} 之后")),
            batch(lexicon, id, records)
        ),
        E::RequestTimedOut { client, api: what } => format!(
            "{} 在 request.timeout.ms 内没有收到 {} 的响应：它打开新的连接。",
            who(client),
            api(what)
        ),
        E::Disconnected {
            client,
            from,
            api: what,
        } => format!(
            "{}{}发现与 {} 的连接已断开，于是打开新的连接。",
            who(client),
            what.map_or(String::new(), |what| format!(
                " 在等待 {} 的响应时",
                api(what)
            )),
            lexicon.node(from)
        ),
        E::Identified {
            client,
            producer,
            epoch,
        } => format!(
            "{} 现在的 producer id 是 {}，epoch 是 {}。",
            who(client),
            producer.0,
            epoch.0
        ),
        E::ProducerForgotten {
            partition: of,
            producer,
        } => format!(
            "broker 在 {} 上忘记了 producer id {}：它在 producer.id.expiration.ms 内没有写入。",
            partition(of),
            producer.0
        ),
        E::MessageLost {
            client,
            api: what,
            part,
        } => format!(
            "{} 的 {} {}丢失。",
            lexicon.node(client),
            api(what),
            part_of(part)
        ),
        E::MessageDelayed {
            client,
            api: what,
            part,
        } => format!(
            "{} 的 {} {}将延迟到达。",
            lexicon.node(client),
            api(what),
            part_of(part)
        ),
        E::StragglerArrived { client, api: what } if here.is_down => format!(
            "{} 的一个 {} 到达：客户端停止运行时它已在途中。",
            lexicon.node(client),
            api(what)
        ),
        E::StragglerArrived { client, api: what } => format!(
            "{} 的一个迟到的 {} 到达：客户端早已放弃了它。",
            lexicon.node(client),
            api(what)
        ),
        E::TransactionBegun { client, number } => {
            format!(
                "{} 开始{}。",
                who(client),
                transaction(lexicon, client, number)
            )
        }
        E::TransactionEnded {
            client,
            number,
            outcome,
        } => format!(
            "{} 得知{}{}。",
            who(client),
            transaction(lexicon, client, number),
            ended(outcome)
        ),
        E::MustAbort { client, number } => {
            format!(
                "{} 现在只能中止{}。",
                who(client),
                transaction(lexicon, client, number)
            )
        }
        E::Reinitialized { client } => format!(
            "{} 在事务中途请求了新的 epoch，然后若无其事地继续。",
            who(client)
        ),
        E::Fenced { client, api: what } => format!(
            "{} 被 {} 的响应隔离（fencing）：它的 epoch 已不是该事务 ID 的当前 epoch。",
            who(client),
            api(what)
        ),
        E::TransactionRefused {
            client,
            api: what,
            error,
        } => format!(
            "事务协调器拒绝了 {} 的 {}：{error}。",
            lexicon.node(client),
            api(what)
        ),
        E::TransactionLogged {
            transactional_id,
            state,
            epoch,
            ..
        } => format!(
            "事务协调器为 {} 记录 {state}，epoch {}。",
            lexicon.transactional_id(transactional_id),
            epoch.0
        ),
        E::TransactionTimedOut {
            transactional_id, ..
        } => format!(
            "{} 的事务打开的时间超过 transaction.timeout.ms：协调器中止它。",
            lexicon.transactional_id(transactional_id)
        ),
        E::Asked { client, api: what } => format!("{} 发送 {}。", who(client), api(what)),
        E::Taken { client, api: what } => format!(
            "{}收到 {} 的 {}，在结果写入日志后回复。",
            coordinator(what),
            who(client),
            api(what)
        ),
        E::Granted { client, api: what } => {
            format!("{} 得知 {} 成功。", who(client), api(what))
        }
        E::Ending {
            client,
            outcome: Outcome::Commit,
        } => format!("{} 开始提交。", who(client)),
        E::Ending {
            client,
            outcome: Outcome::Abort,
        } => format!("{} 中止其事务。", who(client)),
        E::Begun { client, record: id } => format!("{} 开始处理 {}。", who(client), record(id)),
        E::AutoCommits { client } => format!("{} 自动提交其位移。", who(client)),
        E::Overdue {
            transactional_id, ..
        } => format!(
            "{} 的事务已超过 transaction.timeout.ms：协调器下次检查时会发现它。",
            lexicon.transactional_id(transactional_id)
        ),
        E::Scanned { found, .. } => match found {
            0 => "事务协调器检查超时事务，没有发现。".to_owned(),
            more => format!("事务协调器发现 {more} 个超时的事务。"),
        },
        E::MarkerWritten {
            partition: of,
            offset,
            outcome,
            producer,
            ..
        } => format!(
            "{} 在位移 {offset} 处得到 producer id {} 的{}标记。",
            partition(of),
            producer.0,
            marker(outcome)
        ),
        E::MarkerRefused {
            partition: of,
            producer,
        } => format!(
            "{} 拒绝了 producer id {} 的标记：它在那里已有更新的 epoch。",
            partition(of),
            producer.0
        ),
        E::OffsetsDecided {
            group: of,
            outcome: Outcome::Commit,
        } => format!("{} 待定的位移现在生效。", group(of)),
        E::OffsetsDecided {
            group: of,
            outcome: Outcome::Abort,
        } => format!("{} 待定的位移被丢弃。", group(of)),
        E::Joined { client, group: of } => format!("{} 加入 {}。", who(client), group(of)),
        E::Left {
            client,
            group: of,
            reason,
        } => format!(
            "{} 不再属于 {}：{}。",
            who(client),
            group(of),
            match reason {
                Leaving::Closed => "它已关闭",
                Leaving::PollTooLate => "它没有在 max.poll.interval.ms 内调用 poll()",
                Leaving::NoHeartbeat => "session.timeout.ms 内没有心跳",
                Leaving::Restarted => "它已重启，将作为另一个成员",
            }
        ),
        E::Rebalanced {
            group: of,
            generation,
        } => format!("{} 进入第 {generation} 代：重新分配分区。", group(of)),
        E::Assigned {
            client,
            partition: of,
            position,
            reset,
        } => format!(
            "{} 得到 {}，从位移 {position} 继续{}。",
            who(client),
            partition(of),
            match reset {
                None if here.stores_offsets => "，即与效果一起保存的位移",
                None => "，即已提交的位移",
                Some(AutoOffsetReset::Latest) =>
                    "：日志中没有已提交的位移，auto.offset.reset 为 latest",
                Some(AutoOffsetReset::Earliest) =>
                    "：日志中没有已提交的位移，auto.offset.reset 为 earliest",
                Some(AutoOffsetReset::None) =>
                    "：日志中没有已提交的位移，auto.offset.reset 为 none",
            }
        ),
        E::NoOffset {
            client,
            partition: of,
        } => format!(
            "{} 失败：{} 的日志中没有已提交的位移，而 auto.offset.reset 为 none。",
            who(client),
            partition(of)
        ),
        E::Polled {
            client,
            partition: of,
            records,
            position,
        } => format!(
            "poll() 向 {} 返回 {} 的 {records} 条记录；它的 position 现在是 {position}。",
            lexicon.node(client),
            partition(of)
        ),
        E::Skipped {
            client,
            partition: of,
            records,
        } => format!(
            "{} 丢掉了 {} 中本应返回的 {records} 条记录。",
            who(client),
            partition(of)
        ),
        E::Processed {
            client,
            record: id,
            known: true,
            ..
        } => format!(
            "{} 又处理了 {}；其效果已被记住，没有再次发生。",
            who(client),
            record(id)
        ),
        E::Processed {
            client,
            record: id,
            times,
            known: false,
        } => format!("{} {}处理了 {}。", who(client), nth(times), record(id)),
        E::Counted {
            client,
            record: id,
            times,
        } => format!(
            "{} {}把 {} 计入本地状态。",
            who(client),
            nth(times),
            record(id)
        ),
        E::OffsetCommitted {
            client,
            group: of,
            partition: place,
            offset,
            backwards,
            pending,
        } => format!(
            "{} 为 {} {} {} 的位移 {offset}{}。",
            who(client),
            group(of),
            if pending {
                "在事务中加入"
            } else {
                "提交"
            },
            partition(place),
            if backwards {
                "，比之前的更低"
            } else {
                ""
            }
        ),
        E::CommitRefused { client, error, .. } => {
            format!("组协调器拒绝了 {} 的提交：{error}。", lexicon.node(client))
        }
        E::OffsetsExpired { group: of } => format!(
            "{} 已提交的位移被删除：它空置了 offsets.retention.minutes。",
            group(of)
        ),
        E::Deleted {
            partition: of,
            start,
        } => format!(
            "保留策略删除了 {} 的开头：日志现在从位移 {start} 开始。",
            partition(of)
        ),
        E::StoreReady {
            client,
            restored: true,
        } => format!("{} 清空了本地状态，并从 changelog 恢复。", who(client)),
        E::StoreReady {
            client,
            restored: false,
        } => format!("{} 保留了磁盘上的本地状态。", who(client)),
        E::Crashed { node } => format!("{} 崩溃。", lexicon.machine(node)),
        E::Stopped { node } => format!("{} 被关闭。", lexicon.machine(node)),
        E::Started { node } if here.is_first => format!("{} 启动。", lexicon.machine(node)),
        E::Started { node } => format!("{} 重新运行。", lexicon.machine(node)),
        E::Paused { node } => format!("{} 停顿。", lexicon.machine(node)),
        E::Resumed { node } => format!("{} 继续运行，不知道时间已经流逝。", lexicon.machine(node)),
        E::LogLost { node } => format!("{} 丢失了日志：它们尚未刷到磁盘。", lexicon.machine(node)),
        E::ClockSteppedBack { locks, .. } => format!(
            "事务协调器的时钟被回拨{}。",
            if locks {
                "：一次状态转换失败，其事务 ID 被锁住"
            } else {
                ""
            }
        ),
    }
}

/// Who takes a request that is answered when its outcome is logged.
const fn coordinator(api: Api) -> &'static str {
    match api {
        Api::TxnOffsetCommit | Api::OffsetCommit => "组协调器",
        Api::Produce
        | Api::InitProducerId
        | Api::AddPartitionsToTxn
        | Api::AddOffsetsToTxn
        | Api::EndTxn => "事务协调器",
    }
}

/// A transaction of a client: by its number, unless its application calls it by an id.
fn transaction(lexicon: &Lexicon<'_>, client: NodeId, number: u32) -> String {
    if lexicon.is_sink(client) {
        "其事务".to_owned()
    } else {
        format!("事务 {number} ")
    }
}

/// Why it matters; empty where it goes without saying.
pub(super) fn reason(event: KafkaEvent, here: &Circumstances) -> Cow<'static, str> {
    use KafkaEvent as E;
    let fixed = match event {
        E::Processed {
            times,
            known: false,
            ..
        } => return processed(times, here),
        E::Appended { again: true, .. } => return appended_again(here),
        E::Left { reason, .. } => left(reason, here),
        E::StragglerArrived { api, .. } => straggler(api, here),
        E::Acknowledged { .. } if here.unconfirmed => {
            "acks=0 时没有响应：broker 是否收到它，客户端永远不知道。"
        }
        E::MessageLost {
            part: Part::Request,
            api: Api::Produce,
            ..
        } if here.unconfirmed => {
            "没有 broker 收到它；acks=0 时客户端也不知道：在它看来记录已发送。"
        }
        E::Refused { .. } if here.unconfirmed => "acks=0 时客户端得不到通知：在它看来记录已发送。",
        E::Rebalanced {
            generation: 0 | 1, ..
        } => "组内成员分担各分区。",
        E::Sent { again: true, .. } => {
            "对生产者来说这是一条新记录：如果前一次其实已经写入，它就会出现两次。"
        }
        E::TooLarge { noticed: false, .. } => "事务继续进行，并在缺少这条记录的情况下提交。",
        E::TooLarge { noticed: true, .. } => "事务要么整体提交，要么完全不提交。",
        E::Transmitted {
            attempt: 2..,
            stamp: None,
            ..
        } => "批次中没有任何信息告诉 broker 它曾经来过：如果前一次已写入，这一次也会写入。",
        E::Transmitted {
            attempt: 2..,
            stamp: Some(_),
            ..
        } => "producer id、epoch 和序列号与前一次相同：broker 由此认出该批次。",
        E::Deduplicated {
            mistaken: false, ..
        } => "producer id、epoch 和序列号与该生产者最近五个批次之一相同。",
        E::Deduplicated { mistaken: true, .. } => {
            "但那里是另一条记录：broker 不比较内容。这条记录丢失了，而生产者却得到成功的回复。"
        }
        E::Refused { error, .. } => refused(error),
        E::Truncated { .. } => "以 leader 的日志为准：其他副本多出的部分被丢弃，无论是否已确认。",
        E::FellBehind { .. } => "acks=all 只等待 ISR 中的副本：从现在起等待的更少。",
        E::Elected { clean: true, .. } => {
            "它在 ISR 中，因此拥有所有以 acks=all 确认的记录；只在旧 leader 上的记录没有了。"
        }
        E::Elected { clean: false, .. } => "它没有的记录就丢失了，即使曾以 acks=all 确认。",
        E::WillRetry { error: None, .. } => {
            "没有回复不等于没有写入：批次可能在日志中，也可能不在。"
        }
        E::GivenUp { error: None, .. } => "它仍可能已经写入：结果悬而未决。",
        E::Identified {
            epoch: ProducerEpoch(0),
            ..
        } => "对 broker 来说这是一个新的生产者：它不记得别的生产者发送过什么。",
        E::Identified { .. } => "仍持有该 producer id 旧 epoch 的生产者被隔离（fencing）。",
        E::ProducerForgotten { .. } => "未知的生产者可以从任意序列号开始：重复的批次不会被发现。",
        E::MessageLost {
            part: Part::Response,
            ..
        } => "broker 已经完成请求，但客户端不知道。",
        E::MessageLost {
            part: Part::Request,
            ..
        } => "broker 根本没有收到；在客户端看来，这与响应丢失没有区别。",
        E::TransactionEnded {
            outcome: Outcome::Commit,
            ..
        } => "结果已定；标记写入之后读者才能看到。",
        E::Reinitialized { .. } => "协调器会中止此前写入的内容：之后的提交只包含剩下的部分。",
        E::Fenced { .. } => {
            "另一个生产者接管该事务 ID 时，或事务协调器在 transaction.timeout.ms 之后中止事务时，epoch 都会增加：带着旧 epoch 的就是僵尸生产者。"
        }
        E::TransactionRefused { error, .. } => transaction_refused(error),
        E::TransactionLogged { state, .. } => logged(state),
        E::TransactionTimedOut { .. } => {
            "不能永远等待一个客户端：未结束的事务会挡住其分区的最后稳定位移（LSO）。"
        }
        E::MarkerWritten {
            outcome: Outcome::Commit,
            ..
        } => "只要该分区上没有更早的未结事务，read_committed 的读者就能看到其记录。",
        E::MarkerWritten {
            outcome: Outcome::Abort,
            ..
        } => "read_committed 的读者会跳过其记录；read_uncommitted 的读者仍会看到。",
        E::Rebalanced { .. } => {
            "得到分区的成员从已提交的位移开始：此后已处理过的记录会再处理一次。"
        }
        E::Assigned {
            reset: Some(AutoOffsetReset::Latest),
            ..
        } => "日志中已有的记录被跳过。",
        E::Assigned {
            reset: Some(AutoOffsetReset::Earliest),
            ..
        } => "日志中的全部记录都会被读取，必要时再读一次。",
        E::Skipped { .. } => "这是客户端的缺陷：这些记录对该组来说丢失了。",
        E::Counted { times: 2.., .. } => {
            "本地状态里还留着上一次的效果：事务没有提交，本地状态却没有清空。"
        }
        E::OffsetCommitted { pending: true, .. } => "只有事务提交它才生效：位移与输出一起决定。",
        E::OffsetCommitted {
            backwards: true, ..
        } => "两者之间的记录会被下一个拥有者再读一次。",
        E::OffsetCommitted { .. } => {
            "接管者从这里开始：该位移之前的记录不会再读，无论它们是否已产生效果。"
        }
        E::CommitRefused { error, .. } => group_refused(error),
        E::OffsetsExpired { .. } => "下次有成员加入时，由 auto.offset.reset 决定。",
        E::StoreReady {
            restored: false, ..
        } => "其中可能含有将被再次读取的记录的效果。",
        E::StoreReady { restored: true, .. } => "changelog 中只有已提交的内容。",
        E::Crashed { .. } => "它内存中的内容没有了。",
        E::Paused { .. } => "长时间的垃圾回收在别人看来就像死亡。",
        E::LogLost { .. } => "对此 Kafka 依靠其他副本。",
        E::ClockSteppedBack { locks: true, .. } => {
            "在别的 broker 接管之前，该事务 ID 的一切请求都得到 CONCURRENT_TRANSACTIONS。"
        }
        E::Sent { .. }
        | E::Transmitted { .. }
        | E::Appended { .. }
        | E::Replicated { .. }
        | E::Acknowledged { .. }
        | E::WillRetry { .. }
        | E::GivenUp { .. }
        | E::RequestTimedOut { .. }
        | E::Disconnected { .. }
        | E::MessageDelayed { .. }
        | E::TransactionBegun { .. }
        | E::TransactionEnded { .. }
        | E::MustAbort { .. }
        | E::Scanned { .. }
        | E::Asked { .. }
        | E::Taken { .. }
        | E::Granted { .. }
        | E::Ending { .. }
        | E::Begun { .. }
        | E::AutoCommits { .. }
        | E::Overdue { .. }
        | E::MarkerRefused { .. }
        | E::OffsetsDecided { .. }
        | E::Joined { .. }
        | E::Assigned { .. }
        | E::NoOffset { .. }
        | E::Polled { .. }
        | E::Processed { .. }
        | E::Counted { .. }
        | E::Deleted { .. }
        | E::Stopped { .. }
        | E::Started { .. }
        | E::Resumed { .. }
        | E::ClockSteppedBack { .. } => "",
    };
    Cow::Borrowed(fixed)
}

/// Why a record has the effect that it has: how often it came, and from where.
fn processed(times: u32, here: &Circumstances) -> Cow<'static, str> {
    let copies = here.copies;
    let is_undecided = here.reads_uncommitted && copies.aborted + copies.open > 0;
    Cow::Borrowed(match times {
        0 | 1 if is_undecided && copies.aborted == copies.all => {
            "它的事务已中止：isolation.level=read_uncommitted 时仍会被处理。"
        }
        0 | 1 if is_undecided && copies.open == copies.all => {
            "它的事务尚未决定：isolation.level=read_uncommitted 时不会等待。"
        }
        0 | 1 => "",
        _ if is_undecided && times <= copies.all => {
            "应用中止了事务并重新发送它：isolation.level=read_uncommitted 时消费者也会看到已中止的那一份。"
        }
        _ if times <= copies.all => {
            return Cow::Owned(format!(
                "它在日志中有 {} 份：对消费者来说每一份都是一条记录。",
                copies.all
            ));
        }
        _ => "它被再次读取：分区被接管时，它之后的位移还没有提交。",
    })
}

fn appended_again(here: &Circumstances) -> Cow<'static, str> {
    let copies = here.copies;
    match copies.aborted + 1 == copies.all {
        // Whoever repeats an aborted transaction doubles nothing.
        true if copies.aborted > 0 => Cow::Borrowed(
            "那里的一份已中止：read_committed 只会看到这一份，read_uncommitted 两份都看到。",
        ),
        _ => Cow::Owned(format!(
            "leader 无从得知：从现在起这条记录在日志中有 {} 份。",
            copies.all.max(2)
        )),
    }
}

/// What it means that somebody is no longer in a group.
const fn left(reason: Leaving, here: &Circumstances) -> &'static str {
    match (reason, here.has_others) {
        (Leaving::Restarted, _) => {
            "重启后就是另一个成员。Kafka 要等旧成员的会话超时；这里则立即替换。"
        }
        (Leaving::Closed, _) => "",
        (_, true) if here.is_down => "它的分区交给别人，从已提交的位移开始。",
        (_, false) if here.is_down => {
            "组中没有别人：它的分区等待下一个加入者，从已提交的位移开始。"
        }
        (_, true) => "它的分区交给别人，从已提交的位移开始；它此后所做的一切都是僵尸行为。",
        (_, false) => "它必须重新加入，并从已提交的位移开始；在此之前所做的一切都是僵尸行为。",
    }
}

/// What it means that a request comes late.
const fn straggler(api: Api, here: &Circumstances) -> &'static str {
    match api {
        Api::Produce if here.is_idempotent => {
            "broker 看不出已经没有人等待它：由 producer id、epoch 和序列号决定是否写入。"
        }
        Api::Produce => "其中没有任何信息说明已经没有人等待它：即使记录此后已重发，它仍会写入。",
        Api::OffsetCommit => {
            "组协调器只检查成员与代：只要它们有效就接受该位移，即使此后已提交过更高的位移。"
        }
        Api::InitProducerId
        | Api::AddPartitionsToTxn
        | Api::AddOffsetsToTxn
        | Api::TxnOffsetCommit
        | Api::EndTxn => "协调器看不出已经没有人等待它：只有此后递增过的 epoch 才能说明。",
    }
}

const fn refused(error: ProduceError) -> &'static str {
    match error {
        ProduceError::NotLeaderOrFollower => {
            "该分区此刻没有 leader，或已换了 leader：客户端查询后重试。"
        }
        ProduceError::NotEnoughReplicas => {
            "同步副本少于 min.insync.replicas：acks=all 时宁可不写，也不写可能丢失的数据。"
        }
        ProduceError::NotEnoughReplicasAfterAppend => {
            "它已在 leader 的日志中，但副本少于 min.insync.replicas：重试会再写一次，除非 broker 认出该批次。"
        }
        ProduceError::InvalidRecord => "批次中至少要有一条记录。",
        ProduceError::Batch(BatchError::InvalidProducerEpoch) => {
            "该生产者更新的会话已在这里写入：这一个是僵尸。"
        }
        ProduceError::Batch(BatchError::OutOfOrderSequence) => {
            "它的序列号不是下一个：前面缺了什么，或者它比最近五个批次还旧。"
        }
        ProduceError::Batch(BatchError::InvalidTxnState) => "它不属于协调器所知的任何事务。",
        ProduceError::Transaction(error) => transaction_refused(error),
        ProduceError::Marker(_) => "更新的 epoch 或更新的协调器已在这里写入。",
    }
}

const fn transaction_refused(error: TransactionError) -> &'static str {
    match error {
        TransactionError::InvalidTransactionTimeout => {
            "transaction.timeout.ms 超过 transaction.max.timeout.ms。"
        }
        TransactionError::TransactionalIdAuthorizationFailed => "broker 不允许。",
        TransactionError::ConcurrentTransactions => {
            "该事务 ID 的一次状态转换正在进行：客户端稍后再问。"
        }
        TransactionError::ProducerFenced => {
            "该事务 ID 已有更新的 epoch：另一个生产者接管了它，或它的事务已超时。"
        }
        TransactionError::InvalidProducerIdMapping => {
            "该事务 ID 现在对应别的 producer id，或者不为人知。"
        }
        TransactionError::InvalidTxnState => "没有可结束的事务，或者它已以另一种方式结束。",
        TransactionError::TransactionAbortable => "该分区不在事务中：事务只能中止。",
    }
}

const fn group_refused(error: GroupError) -> &'static str {
    match error {
        GroupError::IllegalGeneration => "该组此后已重平衡：分区可能已属于别人。",
        GroupError::UnknownMemberId => "它已不在组中：它的分区属于别人。",
        GroupError::RebalanceInProgress => "它必须先重新加入。",
        GroupError::UnstableOffsetCommit => "有事务留有待定的位移：它稍后再问。",
    }
}

const fn logged(state: TransactionState) -> &'static str {
    match state {
        TransactionState::Ongoing => "从现在起事务打开：协调器知道谁参与其中。",
        TransactionState::PrepareCommit => "这就是决定：无论现在谁崩溃，标记都会写入。",
        TransactionState::PrepareAbort => "这就是决定：read_committed 不会看到其中任何记录。",
        TransactionState::CompleteCommit | TransactionState::CompleteAbort => {
            "所有标记都已写入：可以开始下一个事务。"
        }
        TransactionState::PrepareEpochFence => "之前持有它的客户端被隔离（fencing）。",
        TransactionState::Empty | TransactionState::Dead => "",
    }
}

fn batch(lexicon: &Lexicon<'_>, first: RecordId, records: u32) -> String {
    let record = lexicon.record(first);
    match records {
        0 | 1 => record,
        more => format!("{record} 等 {more} 条记录"),
    }
}

fn stamped((producer, epoch, sequence): (ProducerId, ProducerEpoch, Sequence)) -> String {
    format!(
        "（producer id {}，epoch {}，序列号 {}）",
        producer.0,
        epoch.0,
        sequence.number()
    )
}

const fn part_of(part: Part) -> &'static str {
    match part {
        Part::Request => "请求",
        Part::Response => "响应",
    }
}

const fn ended(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Commit => "已提交",
        Outcome::Abort => "已中止",
    }
}

const fn marker(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Commit => "提交",
        Outcome::Abort => "中止",
    }
}

fn nth(times: u32) -> String {
    match times {
        0 | 1 => String::new(),
        more => format!("第 {more} 次"),
    }
}
