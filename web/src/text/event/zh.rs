//! The sentences in Chinese.

use barrierscope_core::event::Event;
use barrierscope_core::id::{CheckpointId, NodeId};

use super::{Lexicon, after};

/// What an event says happened.
pub(super) fn happened(lexicon: &Lexicon<'_>, event: &Event, subject: Option<NodeId>) -> String {
    let who = |id: NodeId| {
        if subject == Some(id) {
            "它".to_owned()
        } else {
            lexicon.node(id)
        }
    };
    let record = |id| lexicon.record(id);
    match *event {
        Event::RecordEmitted {
            source,
            record: id,
            partition,
            offset,
        } => format!(
            "{} 读取了分区 {partition} 位移 {offset} 处的 {}，发给负责该 key 的子任务。",
            who(source),
            record(id)
        ),
        Event::RecordProcessed {
            subtask,
            record: id,
            counted: None,
        } => {
            format!("{} 处理了 {}，并发往下游。", who(subtask), record(id))
        }
        Event::RecordProcessed {
            subtask,
            record: id,
            counted: Some(times),
        } => {
            let times = match times {
                0 | 1 => String::new(),
                more => format!("第 {more} 次"),
            };
            format!(
                "{} {times}把 {} 加入状态，并发往下游。",
                who(subtask),
                record(id)
            )
        }
        Event::RecordWritten {
            subtask,
            record: id,
            partition,
            offset,
            transaction,
            ..
        } => {
            let how = match transaction {
                Some(number) => format!("在事务 {number} 中"),
                None => "不经事务，".to_owned(),
            };
            format!(
                "{} {how}把 {} 写入输出分区 {partition} 的位移 {offset}。",
                who(subtask),
                record(id)
            )
        }
        Event::CheckpointTriggered { checkpoint } => {
            format!("检查点协调器启动检查点 {checkpoint}：请每个 source 注入 barrier。")
        }
        Event::BarrierInjected { source, checkpoint } => format!(
            "{} 保存了下一个要读取的位移，并向每个输出注入 barrier {checkpoint}。",
            who(source)
        ),
        Event::ChannelBlocked {
            subtask,
            channel,
            checkpoint,
            ..
        } => format!(
            "Barrier {checkpoint} 到达 {} 的通道 {channel}，该通道被阻塞。",
            lexicon.node(subtask)
        ),
        Event::AlignmentCompleted {
            subtask,
            checkpoint,
            channels,
        } => format!(
            "{} 的全部 {channels} 个通道都收到了 barrier {checkpoint}：对齐结束，通道重新打开。",
            lexicon.node(subtask)
        ),
        Event::BarrierIgnored {
            subtask,
            checkpoint,
        } => {
            format!(
                "{} 丢弃了检查点 {checkpoint} 迟到的 barrier。",
                who(subtask)
            )
        }
        Event::BarrierForwarded {
            subtask,
            checkpoint,
        } => {
            format!("{} 把 barrier {checkpoint} 转发到所有输出。", who(subtask))
        }
        Event::SnapshotTaken {
            subtask,
            checkpoint,
        } => format!(
            "{} 为检查点 {checkpoint} 生成状态快照，正在上传到检查点存储。",
            who(subtask)
        ),
        Event::PreCommitted {
            subtask,
            checkpoint,
            transaction,
            records,
        } => format!(
            "{} 为检查点 {checkpoint} 预提交事务 {transaction}（{records} 条记录），并开启下一个事务。",
            who(subtask)
        ),
        Event::SnapshotAcknowledged {
            subtask,
            checkpoint,
            missing,
        } => format!(
            "{} 在检查点 {checkpoint} 中的快照已存好，还缺 {missing} 个确认。",
            lexicon.node(subtask)
        ),
        Event::CheckpointCompleted { checkpoint } => {
            format!("最后一个快照已存好：检查点 {checkpoint} 完成。")
        }
        Event::CheckpointAborted { checkpoint } => {
            format!("检查点 {checkpoint} 已放弃。")
        }
        Event::CompletionNotified {
            subtask,
            checkpoint,
        } => {
            format!("{} 得知检查点 {checkpoint} 已完成。", who(subtask))
        }
        Event::TransactionCommitted {
            subtask,
            transaction,
            records,
            recovered,
        } => format!(
            "{} {}提交了事务 {transaction}：{records} 条记录。",
            who(subtask),
            if recovered { "在恢复时" } else { "" }
        ),
        Event::TransactionAborted {
            subtask,
            transaction,
            records,
        } => {
            format!(
                "{} 中止了事务 {transaction}：{records} 条记录。",
                who(subtask)
            )
        }
        Event::SubtaskCrashed { subtask, in_flight } => format!(
            "{} 崩溃了：内存中的状态丢失，通道里的 {in_flight} 条记录也随之丢失。",
            lexicon.node(subtask)
        ),
        Event::JobRestored {
            checkpoint: CheckpointId::NONE,
            unread,
            ..
        } => {
            format!("作业从头重新运行：source 还有 {unread} 条记录要读取。")
        }
        Event::JobRestored {
            checkpoint,
            unread,
            in_flight,
        } => {
            let stored = match in_flight {
                0 => String::new(),
                more => format!("{more} 条在途数据放回各自的通道。"),
            };
            format!(
                "作业从检查点 {checkpoint} 恢复运行：source 从那里起还有 {unread} 条记录要读取。{stored}"
            )
        }
        Event::RecordFiltered {
            subtask,
            record: id,
        } => {
            format!("{} 丢弃了 {}。", who(subtask), record(id))
        }
        Event::BarrierArrived {
            subtask,
            channel,
            checkpoint,
            overtaken: 0,
            ..
        } => format!(
            "Barrier {checkpoint} 到达 {} 的通道 {channel}，该通道保持打开。",
            lexicon.node(subtask)
        ),
        Event::BarrierArrived {
            subtask,
            channel,
            checkpoint,
            overtaken,
            ..
        } => format!(
            "Barrier {checkpoint} 在 {} 的通道 {channel} 中越过了 {overtaken} 条记录。",
            lexicon.node(subtask)
        ),
        Event::InFlightStored {
            subtask,
            checkpoint,
            records,
        } => format!(
            "{} 之前等待的 {records} 条记录作为在途数据随检查点 {checkpoint} 保存。",
            lexicon.node(subtask)
        ),
        Event::AlignmentTimedOut {
            subtask,
            checkpoint,
        } => format!(
            "{} 为检查点 {checkpoint} 的对齐超时：从现在起它的 barrier 可以越过记录。",
            lexicon.node(subtask)
        ),
    }
}

/// Why it happened, and what it means.
pub(super) fn reason(event: &Event) -> String {
    match *event {
        Event::RecordEmitted { .. } => "source 只需记住下一个要读取的位移。".to_owned(),
        Event::RecordProcessed { counted: None, .. } => "它没有状态。".to_owned(),
        Event::RecordProcessed { counted: Some(0 | 1), .. } => {
            "状态里现在有的，会进入下一次快照。".to_owned()
        }
        Event::RecordProcessed { counted: Some(_), .. } => {
            "状态里已经有这条记录，从此它被重复计算。".to_owned()
        }
        Event::RecordWritten { transaction: Some(_), copies: None | Some(0), .. } => {
            "事务尚未提交：read_committed 的读者在提交之前看不到它。".to_owned()
        }
        Event::RecordWritten { transaction: Some(_), copies: Some(copies @ 2..), .. } => {
            format!("读者也读取未提交的记录，所以看到它 {copies} 次：已中止事务中的那一份对它同样算数。")
        }
        Event::RecordWritten { transaction: Some(_), .. } => {
            "读者也读取未提交的记录，所以在决定保留之前就看到了它。".to_owned()
        }
        Event::RecordWritten { transaction: None, copies: None | Some(0 | 1), .. } => {
            "所有读者立即可见；无论作业之后发生什么，它都会留在那里。".to_owned()
        }
        Event::RecordWritten { transaction: None, copies: Some(copies), .. } => {
            format!("读者现在看到它 {copies} 次：崩溃之前写入的那一份还在，没有什么能把它收回。")
        }
        Event::CheckpointTriggered { checkpoint } => {
            format!("检查点 {checkpoint} 应当包含 barrier 之前每条记录的效果，而不含其后的任何一条。")
        }
        Event::BarrierInjected { checkpoint, .. } => format!(
            "barrier 之前发出的属于检查点 {checkpoint}，之后的属于检查点 {}。",
            after(checkpoint)
        ),
        Event::ChannelBlocked { checkpoint, missing, .. } => format!(
            "它之后的记录都属于检查点 {}，还不能进入状态：该通道要等到 barrier {checkpoint} 也从{}到达。",
            after(checkpoint),
            match missing {
                1 => "另一个通道".to_owned(),
                more => format!("另外 {more} 个通道"),
            }
        ),
        Event::RecordFiltered { .. } => "过滤器就是做这个的。".to_owned(),
        Event::BarrierArrived { missing: 0, .. } => "这是该子任务等待的最后一个 barrier。".to_owned(),
        Event::BarrierArrived { overtaken: 0, checkpoint, .. } => format!(
            "没有什么在等其他 barrier；它之后的记录已属于检查点 {}。",
            after(checkpoint)
        ),
        Event::BarrierArrived { .. } => {
            "非对齐的 barrier 不在数据后面排队，所以反压时检查点依然很快；被越过的记录必须随检查点一起保存。".to_owned()
        }
        Event::InFlightStored { .. } => {
            "这些记录在 barrier 之前发出，但状态快照里没有它们；崩溃之后它们会被放回各自的通道。".to_owned()
        }
        Event::AlignmentTimedOut { .. } => {
            "检查点以对齐方式开始，保存的数据最少；现在转为非对齐，不再等待。".to_owned()
        }
        Event::AlignmentCompleted { checkpoint, .. } => {
            format!("此刻状态恰好包含 barrier {checkpoint} 之前的记录：快照要记录的正是它。")
        }
        Event::BarrierIgnored { .. } => "那个检查点已经结束，无需再为它对齐。".to_owned(),
        Event::BarrierForwarded { .. } => String::new(),
        Event::SnapshotTaken { .. } => "它马上继续处理新记录，只有副本在路上。".to_owned(),
        Event::PreCommitted { checkpoint, .. } => {
            format!("这就是它的投票：它承诺一旦检查点 {checkpoint} 完成就提交，即使发生过崩溃。")
        }
        Event::SnapshotAcknowledged { .. } => {
            "只有每个子任务都存好自己的部分，检查点才算数。".to_owned()
        }
        Event::CheckpointCompleted { checkpoint } => {
            format!("此后若崩溃，作业将从检查点 {checkpoint} 重启。对使用事务的 sink 来说，这就是提交的决定，不可更改。")
        }
        Event::CheckpointAborted { .. } => {
            "这不会丢失任何东西：下一个检查点会涵盖同样的记录。".to_owned()
        }
        Event::CompletionNotified { .. } => "它没有预提交的事务，因此无事可做。".to_owned(),
        Event::TransactionCommitted { records: 0, .. } => {
            "这个区间没有记录，提交不会带来新的可见内容。".to_owned()
        }
        Event::TransactionCommitted { recovered: true, .. } => {
            "它的检查点在崩溃之前已经完成，决定依然有效，由恢复过程执行；重复执行也不会改变结果。".to_owned()
        }
        Event::TransactionCommitted { recovered: false, .. } => {
            "从现在起，read_committed 的读者一并看到这些记录。".to_owned()
        }
        Event::TransactionAborted { .. } => {
            "记录仍在日志中，但 read_committed 的读者不会得到它们；source 会重新读取。".to_owned()
        }
        Event::SubtaskCrashed { .. } => {
            "Flink 会取消其余子任务，并从最近一个已完成的检查点重启作业。已写入 Kafka 的内容不会消失。".to_owned()
        }
        Event::JobRestored { checkpoint: CheckpointId::NONE, .. } => {
            "还没有完成过检查点，只能回到起点。".to_owned()
        }
        Event::JobRestored { .. } => {
            "状态与位移来自同一时刻，合在一起就好像此后的记录从未被读取过。".to_owned()
        }
    }
}
