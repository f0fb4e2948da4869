//! The sentences in Chinese.

use barrierscope_core::event::Event;
use barrierscope_core::flink::coordinator::{FailureReason, Purpose};
use barrierscope_core::id::{CheckpointId, NodeId};
use barrierscope_core::time::Micros;

use super::{Lexicon, after, asks_for_next, failed_purpose, gives_up, loses_job_manager, restores};
use crate::text::{self, Lang, duration, face, job, kafka, sink, votes};

/// What an event says happened.
pub(super) fn happened(
    lexicon: &Lexicon<'_>,
    event: &Event,
    subject: Option<NodeId>,
    events: &[Event],
) -> String {
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
            "{} 读取了分区 {partition} 位移 {offset} 处的 {}，并发往下游。",
            who(source),
            record(id)
        ),
        Event::RecordProcessed {
            subtask,
            record: id,
            counted: None,
            ..
        } => {
            format!("{} 处理了 {}，并发往下游。", who(subtask), record(id))
        }
        Event::RecordProcessed {
            subtask,
            record: id,
            counted: Some(times),
            ..
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
        Event::CheckpointTriggered {
            checkpoint,
            purpose: Purpose::Checkpoint,
        } => {
            format!("检查点协调器启动检查点 {checkpoint}：请每个 source 注入 barrier。")
        }
        Event::CheckpointTriggered {
            checkpoint,
            purpose: Purpose::Savepoint,
        } => {
            format!("有人请求保存点：协调器启动保存点 {checkpoint}，请每个 source 注入 barrier。")
        }
        Event::CheckpointTriggered {
            checkpoint,
            purpose: Purpose::StopWithSavepoint,
        } => format!(
            "有人请求以保存点停止作业：协调器启动保存点 {checkpoint}，请每个 source 注入 barrier。"
        ),
        Event::CheckpointRefused { purpose } => format!(
            "{}到期，协调器拒绝触发：“{}”",
            if purpose.is_savepoint() {
                "保存点"
            } else {
                "检查点"
            },
            FailureReason::TasksNotRunning.message()
        ),
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
        Event::CancellationForwarded {
            subtask,
            checkpoint,
        } if lexicon.is_sink(subtask) => format!(
            "{} 不再为检查点 {checkpoint} 做任何事：它已得知该检查点被放弃。",
            who(subtask)
        ),
        Event::CancellationForwarded {
            subtask,
            checkpoint,
        } => format!(
            "{} 没有发出 barrier，而是向每个输出放入检查点 {checkpoint} 的取消标记。",
            who(subtask)
        ),
        Event::CancellationReceived {
            subtask,
            channel,
            checkpoint,
        } => format!(
            "检查点 {checkpoint} 的取消标记到达 {} 的通道 {channel}：那个 barrier 不会再来，也没有通道再等它。",
            lexicon.node(subtask)
        ),
        Event::SnapshotTaken {
            subtask,
            checkpoint,
            sync,
            bytes,
            ..
        } => {
            let size = match bytes {
                0 => String::new(),
                more => format!("（{}）", text::bytes(more)),
            };
            let time = match sync {
                Micros::ZERO => String::new(),
                more => format!("，为此停顿 {}", duration(more)),
            };
            format!(
                "{} 为检查点 {checkpoint} 复制了自己的状态{size}{time}。",
                who(subtask)
            )
        }
        Event::SnapshotUploading {
            subtask,
            checkpoint,
            bytes: 0,
            ..
        } => format!(
            "{} 在检查点 {checkpoint} 中的快照正在上传到检查点存储。",
            lexicon.node(subtask)
        ),
        Event::SnapshotUploading {
            subtask,
            checkpoint,
            bytes,
            asynchronous,
        } => format!(
            "{} 在检查点 {checkpoint} 中的快照（{}）正在上传到检查点存储，需要 {}。",
            lexicon.node(subtask),
            text::bytes(bytes),
            duration(asynchronous)
        ),
        Event::SnapshotFailed {
            subtask,
            checkpoint,
            sync: true,
        } => format!(
            "{} 为检查点 {checkpoint} 做快照时，同步阶段失败。",
            lexicon.node(subtask)
        ),
        Event::SnapshotFailed {
            subtask,
            checkpoint,
            sync: false,
        } => format!(
            "{} 为检查点 {checkpoint} 做快照时，异步阶段失败：该子任务拒绝这个检查点，并继续运行。",
            lexicon.node(subtask)
        ),
        Event::CheckpointDeclined {
            subtask,
            checkpoint,
            reason,
        } => format!(
            "协调器得知 {} 拒绝检查点 {checkpoint}：“{}”",
            lexicon.node(subtask),
            reason.message()
        ),
        Event::AcknowledgedLate {
            subtask,
            checkpoint,
        } => format!(
            "{} 对检查点 {checkpoint} 的确认来得太晚，被丢弃。",
            lexicon.node(subtask)
        ),
        Event::PreCommitted {
            subtask,
            checkpoint,
            transaction,
            records,
        } => format!(
            "{} 为检查点 {checkpoint} 预提交事务 {transaction}（{records} 条记录）{}。",
            who(subtask),
            if asks_for_next(events) {
                ""
            } else {
                "，并开启下一个事务"
            }
        ),
        Event::SnapshotAcknowledged {
            subtask,
            checkpoint,
            missing,
        } => format!(
            "{} 在检查点 {checkpoint} 中的快照已存好，还缺 {missing} 个确认。",
            lexicon.node(subtask)
        ),
        Event::CheckpointCompleted {
            checkpoint,
            purpose,
        } => {
            let what = if purpose.is_savepoint() {
                "保存点"
            } else {
                "检查点"
            };
            format!("最后一个快照已存好：{what} {checkpoint} 完成。")
        }
        Event::StoreRefused { checkpoint } => format!(
            "所有子任务都已确认{} {checkpoint}，但检查点存储拒绝保存它。",
            face::purpose(Lang::Zh, lexicon.purpose(checkpoint))
        ),
        Event::CheckpointAborted {
            checkpoint,
            reason: FailureReason::Suspended,
        } if loses_job_manager(events) => format!(
            "JobManager 正在进行的{} {checkpoint} 随之丢失。",
            face::purpose(Lang::Zh, lexicon.purpose(checkpoint))
        ),
        Event::CheckpointAborted { checkpoint, reason } => format!(
            "{} {checkpoint} 被放弃：“{}”",
            face::purpose(Lang::Zh, lexicon.purpose(checkpoint)),
            reason.message()
        ),
        Event::AbortNotified {
            subtask,
            checkpoint,
        } => format!("{} 得知检查点 {checkpoint} 已被放弃。", who(subtask)),
        Event::NotificationLost {
            subtask,
            checkpoint,
        } => format!(
            "关于检查点 {checkpoint} 的通知在发往 {} 的途中丢失。",
            lexicon.node(subtask)
        ),
        Event::CompletionNotified {
            subtask,
            checkpoint,
        } => {
            format!(
                "{} 得知{} {checkpoint} 已完成。",
                who(subtask),
                face::purpose(Lang::Zh, lexicon.purpose(checkpoint))
            )
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
                "{} 中止了{}事务 {transaction}：{records} 条记录。",
                who(subtask),
                if restores(events) {
                    "上一次尝试留下的"
                } else {
                    ""
                }
            )
        }
        Event::SubtaskCrashed { subtask, in_flight } => format!(
            "{} 崩溃了：内存中的状态丢失，通道里的 {in_flight} 条记录也随之丢失。",
            lexicon.node(subtask)
        ),
        Event::TaskManagerLost {
            number,
            subtasks,
            in_flight,
        } => format!(
            "TaskManager {} 丢失，其上的 {subtasks} 个子任务和通道里的 {in_flight} 条记录也随之丢失。",
            number + 1
        ),
        Event::JobManagerLost { in_flight } => format!(
            "JobManager 丢失，协调器不再记得有哪些检查点在进行；子任务停止，通道里的 {in_flight} 条记录也丢失。"
        ),
        Event::ToleranceExceeded => {
            if failed_purpose(lexicon, events) == Purpose::StopWithSavepoint {
                "用来停止作业的保存点失败了：作业因此失败。".to_owned()
            } else {
                let tolerable = lexicon.terms.tolerable;
                format!(
                    "检查点连续失败 {} 次，可容忍 {tolerable} 次：“Exceeded checkpoint tolerable failure threshold.”",
                    tolerable.saturating_add(1)
                )
            }
        }
        Event::JobFailed { restarts } => format!("作业在重启 {restarts} 次之后彻底失败。"),
        Event::JobStopped { checkpoint } => {
            format!("以保存点 {checkpoint} 停止作业：sink 得知后提交。")
        }
        Event::StopFailed { checkpoint } => format!(
            "作业要以保存点 {checkpoint} 停止，保存点已完成，但在提交其全部事务之前作业失败了。"
        ),
        Event::JobRedeployed {
            checkpoint,
            prefix_changed,
            parallelism,
        } => format!(
            "作业被杀死，并重新部署：{}{}{}。",
            match checkpoint {
                CheckpointId::NONE => "从头开始，不带任何状态".to_owned(),
                more => format!("从检查点 {more} 开始"),
            },
            if prefix_changed {
                "，换用另一个 transactionalIdPrefix"
            } else {
                ""
            },
            parallelism.map_or_else(String::new, |count| format!("，sink 并行度改为 {count}"))
        ),
        Event::JobFinished {
            checkpoint: CheckpointId::NONE,
        } => "每个 source 都读到了主题的末尾：作业结束，没有最后一个检查点。".to_owned(),
        Event::JobFinished { checkpoint } => format!(
            "每个 source 都读到了主题的末尾，最后一个检查点 {checkpoint} 也已完成：作业结束。"
        ),
        Event::Job(event) => job::happened(lexicon, event, &who),
        Event::Sink(event) => sink::happened(lexicon, event, &who),
        Event::Kafka(event) => kafka::happened(lexicon, event, &who),
        Event::Votes(event) => votes::happened(lexicon, event, &who, events),
        Event::JobRuns => "重新部署的子任务现在开始运行。".to_owned(),
        Event::JobRestored {
            checkpoint: CheckpointId::NONE,
            unread,
            ..
        } => {
            format!("作业从头重新启动：source 还有 {unread} 条记录要读取。")
        }
        Event::JobRestored {
            checkpoint,
            unread,
            in_flight,
            ..
        } => {
            let stored = match in_flight {
                0 => String::new(),
                more => format!("{more} 条在途数据放回各自的通道。"),
            };
            format!(
                "作业从检查点 {checkpoint} 恢复并重新启动：source 从那里起还有 {unread} 条记录要读取。{stored}"
            )
        }
        Event::RecordFiltered {
            subtask,
            record: id,
            ..
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
            bytes,
            output,
        } => format!(
            "{} {}队列中的 {records} 条记录（{}）作为在途数据随检查点 {checkpoint} 保存。",
            lexicon.node(subtask),
            if output { "输出" } else { "输入" },
            text::bytes(bytes)
        ),
        Event::OutputTimedOut {
            subtask,
            checkpoint,
        } => format!(
            "Barrier {checkpoint} 在 {} 的输出队列中等待超时：它越过前面的记录。",
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
pub(super) fn reason(lexicon: &Lexicon<'_>, event: &Event, events: &[Event]) -> String {
    let terms = lexicon.terms;
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
        Event::CheckpointTriggered { purpose: Purpose::Savepoint, .. } => {
            let barriers = if terms.at_least_once {
                "在此模式下没有什么等待它的 barrier"
            } else {
                "它的 barrier 总是对齐的"
            };
            format!("保存点供人保留，{barriers}；作业不会从它恢复，sink 也不会因它提交。")
        }
        Event::CheckpointTriggered { purpose: Purpose::StopWithSavepoint, .. } => {
            let barriers = if terms.at_least_once {
                ""
            } else {
                "它的 barrier 总是对齐的。"
            };
            format!("{barriers}保存点完成后，sink 得知并提交，作业结束；再次启动之前，不会读取保存点之后的记录。")
        }
        Event::CheckpointRefused { .. } => {
            "检查点需要每个子任务参与，而有的还在启动。它没有得到编号；下一个到期时再触发。".to_owned()
        }
        Event::CheckpointTriggered { checkpoint, .. } if terms.at_least_once => format!(
            "检查点 {checkpoint} 应当包含 barrier 之前每条记录的效果；此模式下没有什么等待 barrier，所以也可能包含其后一些记录的效果。"
        ),
        Event::CheckpointTriggered { checkpoint, .. } => {
            format!("检查点 {checkpoint} 应当包含 barrier 之前每条记录的效果，而不含其后的任何一条。")
        }
        Event::BarrierInjected { checkpoint, .. } if terms.at_least_once => format!(
            "barrier 之前发出的在检查点 {checkpoint} 中；之后的在崩溃后会重新读取，而其中一些可能已在快照里。"
        ),
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
        Event::BarrierArrived { overtaken: 0, checkpoint, .. } if terms.at_least_once => format!(
            "没有什么在等其他 barrier；在它们到齐之前处理的、位于它之后的记录，也会进入检查点 {checkpoint} 的快照；崩溃后它们被重新读取，从而重复计算。"
        ),
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
        Event::OutputTimedOut { .. } => {
            "它以对齐方式开始，还没发出就超过了 aligned-checkpoint-timeout：这就是反压。从此该检查点转为非对齐。".to_owned()
        }
        Event::AlignmentTimedOut { .. } => {
            "检查点以对齐方式开始，保存的数据最少；现在转为非对齐，不再等待。".to_owned()
        }
        Event::AlignmentCompleted { checkpoint, .. } => {
            format!("此刻状态恰好包含 barrier {checkpoint} 之前的记录：快照要记录的正是它。")
        }
        Event::BarrierIgnored { .. } => "那个检查点已经结束，无需再为它对齐。".to_owned(),
        Event::BarrierForwarded { .. } => String::new(),
        Event::CancellationForwarded { subtask, .. } if lexicon.is_sink(subtask) => {
            "它没有下游，无需通知任何人。".to_owned()
        }
        Event::CancellationForwarded { .. } => {
            "它不做快照；取消标记告诉下游，不必去等一个不会到来的 barrier。".to_owned()
        }
        Event::CancellationReceived { .. } => "被放弃的检查点不应让任何东西等待。".to_owned(),
        Event::SnapshotTaken { .. } => {
            "这是同步阶段，子任务只在这一阶段停顿。".to_owned()
        }
        Event::SnapshotUploading { .. } => {
            "这是异步阶段：子任务同时继续处理新记录，只有副本在路上。".to_owned()
        }
        Event::SnapshotFailed { sync: true, .. } => {
            "同步阶段的错误在子任务内部抛出：子任务失败，作业也随之失败。".to_owned()
        }
        Event::SnapshotFailed { sync: false, .. } => {
            format!(
                "异步阶段与记录处理相互独立：它失败只损失这个检查点，不影响子任务。但若连续失败的次数超过可容忍的 {} 次，作业就会失败。",
                terms.tolerable
            )
        }
        Event::CheckpointDeclined { checkpoint, .. } if !gives_up(events, checkpoint) => {
            "这个检查点已经结束，所以什么也不会改变。".to_owned()
        }
        Event::CheckpointDeclined { .. } => {
            "只要有一个子任务不能参与，检查点就永远不会完成。".to_owned()
        }
        Event::AcknowledgedLate { .. } => {
            "这个检查点已经结束，为它保存的内容会被丢弃。".to_owned()
        }
        Event::PreCommitted { checkpoint, .. } => {
            format!("这就是它的投票：它承诺一旦检查点 {checkpoint} 完成就提交，即使发生过崩溃。")
        }
        Event::SnapshotAcknowledged { .. } => {
            "只有每个子任务都存好自己的部分，检查点才算数。".to_owned()
        }
        Event::CheckpointCompleted { purpose: Purpose::Savepoint, .. } => {
            "它留给请求它的人；恢复时仍然使用最近完成的检查点。".to_owned()
        }
        Event::CheckpointCompleted { purpose: Purpose::StopWithSavepoint, .. } => {
            "这就是提交并停止的决定：通知各个 sink，然后作业结束。".to_owned()
        }
        Event::CheckpointCompleted { checkpoint, purpose: Purpose::Checkpoint } => {
            format!("此后若崩溃，作业将从检查点 {checkpoint} 重启。对使用事务的 sink 来说，这就是提交的决定，不可更改。")
        }
        Event::StoreRefused { .. } => {
            "在存储保存它之前，检查点就没有完成，谁也不能因它提交。".to_owned()
        }
        Event::CheckpointAborted { reason: FailureReason::Suspended, .. } if loses_job_manager(events) => {
            "它只存在于 JobManager 的内存中；已完成的检查点在存储里。".to_owned()
        }
        Event::CheckpointAborted { reason, .. } => aborted(reason).to_owned(),
        Event::AbortNotified { subtask, .. } if !lexicon.has_transaction(subtask) => {
            "尚未为该检查点做的事不必再做。".to_owned()
        }
        Event::AbortNotified { .. } => {
            "尚未为该检查点做的事不必再做；预提交的事务等待下一个检查点。".to_owned()
        }
        Event::NotificationLost { .. } => {
            "通知只是尽力而为，没有人会重发；因此错过的提交，由下一个检查点或恢复过程补上。".to_owned()
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
        Event::SubtaskCrashed { subtask, .. } if lexicon.has_transaction(subtask) => {
            "Flink 会取消与它相连的所有子任务，并从最近完成的检查点重启它们。属于已完成检查点的预提交事务会在重启后提交，其余的被中止：被取消的 sink 自己中止，崩溃的那个由它的下一次尝试来中止。".to_owned()
        }
        Event::SubtaskCrashed { .. } => {
            "Flink 会取消与它相连的所有子任务，并从最近完成的检查点重启它们。已写入 Kafka 的内容不会消失。".to_owned()
        }
        Event::TaskManagerLost { .. } => {
            "其上的子任务，以及与它们相连的所有子任务，会在另一个 TaskManager 上从最近完成的检查点重启。".to_owned()
        }
        Event::JobManagerLost { .. } => {
            "新的 JobManager 从存储中找到最近完成的检查点，由此重启一切。已完成的检查点依然有效，即使还没有人得知。".to_owned()
        }
        Event::ToleranceExceeded => {
            if failed_purpose(lexicon, events) == Purpose::StopWithSavepoint {
                "作业不能停在运行与停止之间；它从最近完成的检查点重启。".to_owned()
            } else {
                "没有新的检查点，之后的崩溃会让越来越多的工作重做；所以作业现在失败并重启。".to_owned()
            }
        }
        Event::JobFailed { .. } => {
            "重启策略不允许再次尝试。已写入 Kafka 的内容和最近完成的检查点都还在。".to_owned()
        }
        Event::JobStopped { .. } => {
            "它们提交的是保存点之前的一切；再从它启动作业的人，从它之后继续。".to_owned()
        }
        Event::StopFailed { .. } => {
            "它不会从更早的检查点重启：否则保存点已提交的内容会被再次读取。从该保存点重新启动作业，其余的才会提交。".to_owned()
        }
        Event::JobRedeployed {
            prefix_changed: true,
            ..
        } => {
            "再没有人查找旧前缀下的事务。那里未结的事务会一直打开到 transaction.timeout.ms，在此期间挡住 read_committed 读者。".to_owned()
        }
        Event::JobRedeployed {
            checkpoint: CheckpointId::NONE,
            ..
        } => "source 会重新读取全部记录。已提交的内容留在 Kafka 中，因此会再出现一次。".to_owned(),
        Event::JobRedeployed {
            parallelism: Some(_),
            ..
        } => {
            "sink 各子任务存下的状态分给现有的子任务：接手者也提交被移除的子任务已预提交的事务，并照管其事务 ID，但不再使用这些 ID。".to_owned()
        }
        Event::JobRedeployed { .. } => {
            "source 回到该检查点的位移。若它不是最近的一个，此后已提交的内容会再出现一次。".to_owned()
        }
        Event::JobFinished {
            checkpoint: CheckpointId::NONE,
        } if terms.transactional => {
            "任务结束之后不再有检查点，最后的事务就没有人决定：sink 关闭并中止它们。其中的记录虽已读取，却丢失了。".to_owned()
        }
        Event::JobFinished {
            checkpoint: CheckpointId::NONE,
        } => "“任务结束后的检查点”已关闭，因此结束时不再触发。".to_owned(),
        Event::JobFinished { .. } => "sink 随这最后一个检查点提交手中剩下的内容。".to_owned(),
        Event::Job(event) => job::reason(lexicon.lang, event).to_owned(),
        Event::Sink(event) => sink::reason(lexicon, event),
        Event::Kafka(event) => kafka::reason(lexicon, event),
        Event::Votes(event) => votes::reason(lexicon, event),
        Event::JobRuns => "在此之前到期的检查点会被拒绝。".to_owned(),
        Event::JobRestored { checkpoint: CheckpointId::NONE, .. } => {
            "还没有完成过检查点，只能回到起点。".to_owned()
        }
        Event::JobRestored { .. } if terms.at_least_once => {
            "source 回到检查点的位移；它们重新读取的记录，有些可能已在状态里：这些会被重复计算。".to_owned()
        }
        Event::JobRestored { .. } => {
            "状态与位移来自同一时刻，合在一起就好像此后的记录从未被读取过。".to_owned()
        }
    }
}

/// What it means that a checkpoint is given up for this reason.
const fn aborted(reason: FailureReason) -> &'static str {
    match reason {
        FailureReason::Expired => {
            "它没有在检查点超时之前完成。这不会丢失任何东西：下一个检查点会涵盖同样的记录。"
        }
        FailureReason::Asynchronous => {
            "这不会丢失任何东西：下一个检查点会涵盖同样的记录。但这次失败计入可容忍的失败次数。"
        }
        FailureReason::CancellationBarrier
        | FailureReason::DeclinedSubsumed
        | FailureReason::InputEnded
        | FailureReason::AlignmentLimit => {
            "这不会丢失任何东西：下一个检查点会涵盖同样的记录，而且不计入可容忍的失败次数。"
        }
        FailureReason::Subsumed => "更新的检查点已经完成，它会保存的内容都在其中。",
        FailureReason::Suspended => "作业停止，没有子任务会再回应；这不计入可容忍的失败次数。",
        FailureReason::Shutdown => "作业已经结束。",
        FailureReason::Finalize => "恢复时仍使用上一个检查点。这次失败计入可容忍的失败次数。",
        FailureReason::TasksNotRunning => "下一个到期时再触发。",
    }
}
