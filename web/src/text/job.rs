//! What few jobs have, in words: topics that fill while they are read, broadcast state, loops.

use barrierscope_core::event::JobEvent;
use barrierscope_core::id::NodeId;
use barrierscope_core::scene::JobChoice;

use super::{Lang, Lexicon, bytes, plural};

/// What an event says happened.
pub fn happened(lexicon: &Lexicon<'_>, event: JobEvent, who: &dyn Fn(NodeId) -> String) -> String {
    match lexicon.lang {
        Lang::En => happened_en(lexicon, event, who),
        Lang::Zh => happened_zh(lexicon, event, who),
    }
}

fn happened_en(lexicon: &Lexicon<'_>, event: JobEvent, who: &dyn Fn(NodeId) -> String) -> String {
    match event {
        JobEvent::RecordArrived {
            topic,
            record,
            offset,
        } => format!(
            "{} came to {}, at offset {offset}.",
            lexicon.record(record),
            lexicon.node(topic)
        ),
        JobEvent::PartitionFound {
            topic,
            start,
            again: false,
            ..
        } => format!(
            "The enumerator found {}, which ends at offset {start}: it is to be read from there.",
            lexicon.node(topic)
        ),
        JobEvent::PartitionFound { topic, start, .. } => format!(
            "The enumerator asked once more where {} ends: now it is offset {start}, and it is to be read from there.",
            lexicon.node(topic)
        ),
        JobEvent::PartitionAssigned {
            source,
            topic,
            start,
        } => format!(
            "{} was assigned {}, to be read from offset {start}.",
            who(source),
            lexicon.node(topic)
        ),
        JobEvent::EnumeratorStored {
            checkpoint,
            unassigned,
            with_offsets,
            ..
        } => {
            let what = if with_offsets {
                "with the offset it is to be read from"
            } else {
                "by name alone"
            };
            format!(
                "Checkpoint {checkpoint} holds {unassigned} partition{} that no reader has yet, {what}.",
                plural(unassigned.into())
            )
        }
        JobEvent::FileWritten {
            subtask, record, ..
        } => format!(
            "{} wrote {} into a data file.",
            who(subtask),
            lexicon.record(record)
        ),
        JobEvent::CommittablesSent {
            subtask,
            checkpoint,
            records,
        } => format!(
            "{} handed over the data files of checkpoint {checkpoint}: {records} record{}.",
            who(subtask),
            plural(records.into())
        ),
        JobEvent::CommittablesReceived {
            subtask,
            checkpoint,
            records,
            late,
        } => format!(
            "{} received the data files of checkpoint {checkpoint} ({records} record{}){}.",
            who(subtask),
            plural(records.into()),
            if late {
                ", after its snapshot for it"
            } else {
                ""
            }
        ),
        JobEvent::CommittablesReplaced {
            subtask,
            checkpoint,
            records,
        } => format!(
            "{} stored what came late in the place of what it had stored for checkpoint {checkpoint}: {records} record{} will never be committed.",
            who(subtask),
            plural(records.into())
        ),
        JobEvent::TableCommitted {
            subtask,
            checkpoint,
            records,
            recovered,
            ..
        } => format!(
            "{} committed checkpoint {checkpoint} to the table{}: {records} record{}.",
            who(subtask),
            if recovered { ", on recovery" } else { "" },
            plural(records.into())
        ),
        JobEvent::AlreadyCommitted {
            subtask,
            checkpoint,
        } => format!(
            "{} found in the catalog that checkpoint {checkpoint} is committed.",
            who(subtask)
        ),
        JobEvent::ResponseWillBeLost { subtask } => format!(
            "The answer to the next commit of {} will be lost.",
            lexicon.node(subtask)
        ),
        JobEvent::ResponseLost {
            subtask,
            checkpoint,
        } => format!(
            "The answer did not come: {} does not know whether checkpoint {checkpoint} is committed, and fails.",
            lexicon.node(subtask)
        ),
        JobEvent::CommitterFinished {
            subtask,
            checkpoint,
        } => format!(
            "{} has heard of the end of the data and of checkpoint {checkpoint}, the last one: it has finished.",
            who(subtask)
        ),
        JobEvent::CommittablesTooLate {
            subtask,
            checkpoint,
            records,
        } => format!(
            "The data files of checkpoint {checkpoint} came to {}, which has finished: {records} record{} will never be committed.",
            lexicon.node(subtask),
            plural(records.into())
        ),
        JobEvent::JobResubmitted { .. } => {
            "The job was submitted anew, from that checkpoint: it has another job id.".to_owned()
        }
        JobEvent::CopyRestored {
            subtask,
            from,
            records,
        } => format!(
            "{} got the broadcast state of {}: {records} record{}.",
            who(subtask),
            lexicon.node(from),
            plural(records.into())
        ),
        JobEvent::LoopPassed {
            subtask,
            record,
            leaves: false,
            ..
        } => format!(
            "{} sent {} into the loop.",
            who(subtask),
            lexicon.record(record)
        ),
        JobEvent::LoopPassed {
            subtask, record, ..
        } => format!(
            "{} came back to {} and leaves the loop.",
            lexicon.record(record),
            lexicon.node(subtask)
        ),
        JobEvent::LogStarted {
            subtask,
            checkpoint,
            records: 0,
            ..
        } => format!(
            "{} stores what comes back from now on with checkpoint {checkpoint}.",
            who(subtask)
        ),
        JobEvent::LogStarted {
            subtask,
            checkpoint,
            records,
            bytes: size,
        } => format!(
            "{} stored {records} record{} that had come back ({}) with checkpoint {checkpoint}, and will store what comes back from now on.",
            who(subtask),
            plural(records.into()),
            bytes(size)
        ),
        JobEvent::FeedbackLogged {
            subtask,
            checkpoint,
            record,
        } => format!(
            "{} is on its way back to {}, and is stored with checkpoint {checkpoint}.",
            lexicon.record(record),
            lexicon.node(subtask)
        ),
        JobEvent::BarrierCameRound {
            subtask,
            checkpoint,
        } => format!(
            "Barrier {checkpoint} has gone round the loop and is back at {}.",
            lexicon.node(subtask)
        ),
    }
}

fn happened_zh(lexicon: &Lexicon<'_>, event: JobEvent, who: &dyn Fn(NodeId) -> String) -> String {
    match event {
        JobEvent::RecordArrived {
            topic,
            record,
            offset,
        } => format!(
            "{} 写入了 {}，位移 {offset}。",
            lexicon.record(record),
            lexicon.node(topic)
        ),
        JobEvent::PartitionFound {
            topic,
            start,
            again: false,
            ..
        } => format!(
            "枚举器发现了 {}，其末尾在位移 {start}：将从那里开始读取。",
            lexicon.node(topic)
        ),
        JobEvent::PartitionFound { topic, start, .. } => format!(
            "枚举器再次询问 {} 的末尾：现在是位移 {start}，将从那里开始读取。",
            lexicon.node(topic)
        ),
        JobEvent::PartitionAssigned {
            source,
            topic,
            start,
        } => format!(
            "{} 分得 {}，从位移 {start} 开始读取。",
            who(source),
            lexicon.node(topic)
        ),
        JobEvent::EnumeratorStored {
            checkpoint,
            unassigned,
            with_offsets,
            ..
        } => {
            let what = if with_offsets {
                "连同起始位移"
            } else {
                "只有名称"
            };
            format!("检查点 {checkpoint} 中有 {unassigned} 个尚未分配的分区，{what}。")
        }
        JobEvent::FileWritten {
            subtask, record, ..
        } => format!(
            "{} 把 {} 写入数据文件。",
            who(subtask),
            lexicon.record(record)
        ),
        JobEvent::CommittablesSent {
            subtask,
            checkpoint,
            records,
        } => format!(
            "{} 交出了检查点 {checkpoint} 的数据文件：{records} 条记录。",
            who(subtask)
        ),
        JobEvent::CommittablesReceived {
            subtask,
            checkpoint,
            records,
            late,
        } => format!(
            "{} 收到了检查点 {checkpoint} 的数据文件（{records} 条记录）{}。",
            who(subtask),
            if late {
                "，晚于它为此拍摄的快照"
            } else {
                ""
            }
        ),
        JobEvent::CommittablesReplaced {
            subtask,
            checkpoint,
            records,
        } => format!(
            "{} 用迟到的数据文件取代了先前为检查点 {checkpoint} 存储的内容：{records} 条记录永远不会被提交。",
            who(subtask)
        ),
        JobEvent::TableCommitted {
            subtask,
            checkpoint,
            records,
            recovered,
            ..
        } => format!(
            "{} 把检查点 {checkpoint} 提交到表{}：{records} 条记录。",
            who(subtask),
            if recovered { "（恢复时）" } else { "" }
        ),
        JobEvent::AlreadyCommitted {
            subtask,
            checkpoint,
        } => format!(
            "{} 在目录中发现检查点 {checkpoint} 已经提交。",
            who(subtask)
        ),
        JobEvent::ResponseWillBeLost { subtask } => {
            format!("{} 下一次提交的应答将会丢失。", lexicon.node(subtask))
        }
        JobEvent::ResponseLost {
            subtask,
            checkpoint,
        } => format!(
            "应答没有到达：{} 不知道检查点 {checkpoint} 是否已提交，于是失败。",
            lexicon.node(subtask)
        ),
        JobEvent::CommitterFinished {
            subtask,
            checkpoint,
        } => format!(
            "{} 已得知数据结束，也得知最后一个检查点 {checkpoint} 完成：它结束了。",
            who(subtask)
        ),
        JobEvent::CommittablesTooLate {
            subtask,
            checkpoint,
            records,
        } => format!(
            "检查点 {checkpoint} 的数据文件到达 {} 时它已经结束：{records} 条记录永远不会被提交。",
            lexicon.node(subtask)
        ),
        JobEvent::JobResubmitted { .. } => "作业从该检查点重新提交：job id 也变了。".to_owned(),
        JobEvent::CopyRestored {
            subtask,
            from,
            records,
        } => format!(
            "{} 得到了 {} 的广播状态：{records} 条记录。",
            who(subtask),
            lexicon.node(from)
        ),
        JobEvent::LoopPassed {
            subtask,
            record,
            leaves: false,
            ..
        } => format!("{} 把 {} 送入循环。", who(subtask), lexicon.record(record)),
        JobEvent::LoopPassed {
            subtask, record, ..
        } => format!(
            "{} 回到 {}，离开循环。",
            lexicon.record(record),
            lexicon.node(subtask)
        ),
        JobEvent::LogStarted {
            subtask,
            checkpoint,
            records: 0,
            ..
        } => format!(
            "{} 从现在起把回流的记录随检查点 {checkpoint} 一起存储。",
            who(subtask)
        ),
        JobEvent::LogStarted {
            subtask,
            checkpoint,
            records,
            bytes: size,
        } => format!(
            "{} 把已回流的 {records} 条记录（{}）随检查点 {checkpoint} 存储，并会继续存储之后回流的记录。",
            who(subtask),
            bytes(size)
        ),
        JobEvent::FeedbackLogged {
            subtask,
            checkpoint,
            record,
        } => format!(
            "{} 正在回到 {} 的路上，随检查点 {checkpoint} 一起存储。",
            lexicon.record(record),
            lexicon.node(subtask)
        ),
        JobEvent::BarrierCameRound {
            subtask,
            checkpoint,
        } => format!(
            "barrier {checkpoint} 绕循环一周，回到 {}。",
            lexicon.node(subtask)
        ),
    }
}

/// Why, and what it means.
pub fn reason(lang: Lang, event: JobEvent) -> &'static str {
    match event {
        JobEvent::RecordArrived { .. } | JobEvent::LoopPassed { leaves: true, .. } => "",
        JobEvent::PartitionFound { again: false, .. } => lang.pick(
            "“Latest” is a question about now. The answer must outlive a failure, or it will be asked again at another time.",
            "“latest” 问的是此刻。答案必须能在故障后保留，否则会在另一时刻重新被问。",
        ),
        JobEvent::PartitionFound { .. } => lang.pick(
            "The checkpoint did not say what the answer was before. What came in between lies before the new start, and nobody will read it.",
            "检查点没有记下先前的答案。其间写入的记录位于新起点之前，不会再有人读取。",
        ),
        JobEvent::PartitionAssigned { .. } => lang.pick(
            "From now on its position is part of the reader's state.",
            "从此它的位置属于 source 子任务的状态。",
        ),
        JobEvent::EnumeratorStored {
            with_offsets: true, ..
        } => lang.pick(
            "Whoever restores it goes on from the same offset.",
            "从它恢复时，会从同一位移继续。",
        ),
        JobEvent::EnumeratorStored { .. } => lang.pick(
            "Whoever restores it has to find out anew where to begin (FLINK-38453).",
            "从它恢复时，必须重新确定从哪里开始（FLINK-38453）。",
        ),
        JobEvent::FileWritten { .. } => lang.pick("Nobody who reads the table sees it before the file is committed.", "文件提交之前，读表的人看不到它。"),
        JobEvent::CommittablesSent { .. } => lang.pick("They go before the barrier, so that whoever commits them has them in its own snapshot.", "它们先于 barrier 发出，让提交者能把它们存入自己的快照。"),
        JobEvent::CommittablesReplaced { .. } => lang.pick("It takes “received before my snapshot” for “belongs to the checkpoint”. Where barriers overtake, these are not the same.", "它把“在我的快照之前收到”当成了“属于该检查点”。barrier 可以越过记录时，两者并不相同。"),
        JobEvent::TableCommitted { .. } => lang.pick("The catalog changes at once: a reader sees all of it or nothing.", "目录一次性改变：读者要么看到全部，要么什么都看不到。"),
        JobEvent::AlreadyCommitted { .. } => lang.pick("The key by which it looks has outlived the restart, so nothing is written twice.", "它查找所用的键经受住了重启，因此不会重复写入。"),
        JobEvent::ResponseWillBeLost { .. } => lang.pick("To whoever commits, a lost answer looks like a commit that was not done.", "对提交者来说，丢失的应答与没有提交看起来一样。"),
        JobEvent::ResponseLost { .. } => lang.pick("It is committed. Whoever tries again has to be able to find that out.", "它其实已经提交。再次尝试者必须能够查明这一点。"),
        JobEvent::CommitterFinished { .. } => lang.pick("The end of the data came to it before what is handed on only now (FLINK-38614).", "数据结束的消息先于此刻才交出的内容到达（FLINK-38614）。"),
        JobEvent::CommittablesTooLate { .. } => lang.pick("The checkpoint is complete, so nobody will send them again.", "检查点已经完成，不会再有人重发它们。"),
        JobEvent::JobResubmitted { .. } => lang.pick("Whatever was remembered outside under the old id is not found under the new one.", "在外部以旧 id 记住的东西，用新 id 找不到。"),
        JobEvent::CommittablesReceived { late: false, .. } => "",
        JobEvent::CommittablesReceived { .. } => lang.pick(
            "Its snapshot for that checkpoint does not hold them; if the checkpoint fails, only its memory does.",
            "它为该检查点拍摄的快照中没有它们；如果检查点失败，只有它的内存里还有。",
        ),
        JobEvent::CopyRestored { .. } => lang.pick(
            "That is right as long as all copies are of the same moment of the control stream. Where a barrier may overtake its records, they are not.",
            "只有当所有副本都对应控制流的同一时刻，这才正确。如果 barrier 可以越过其中的记录，就不是这样。",
        ),
        JobEvent::LoopPassed { .. } => lang.pick(
            "It will come back on the feedback edge, round which no aligned barrier goes.",
            "它会经反馈边回来，而对齐的 barrier 不会走这条边。",
        ),
        JobEvent::LogStarted { .. } => lang.pick(
            "What is in the loop now was sent before the barrier: it belongs to the checkpoint, and nobody else holds it.",
            "此刻循环中的记录是在 barrier 之前发出的：它们属于这个检查点，而别处都没有它们。",
        ),
        JobEvent::FeedbackLogged { .. } => lang.pick(
            "After a failure it is put back on the feedback edge.",
            "故障之后它会被放回反馈边。",
        ),
        JobEvent::BarrierCameRound { .. } => lang.pick(
            "All that was in the loop before it has come back, and is stored: only now is the head's snapshot whole.",
            "在它之前进入循环的记录都已回来并存储：此时头部的快照才算完整。",
        ),
    }
}

/// How much there is to say about it, beside other events of a step.
pub const fn weight(event: JobEvent) -> u8 {
    match event {
        JobEvent::ResponseLost { .. } => 18,
        JobEvent::CommittablesReplaced { .. } | JobEvent::CommittablesTooLate { .. } => 16,
        JobEvent::CommitterFinished { .. } => 15,
        JobEvent::AlreadyCommitted { .. } => 14,
        JobEvent::TableCommitted { .. } => 13,
        JobEvent::ResponseWillBeLost { .. } | JobEvent::JobResubmitted { .. } => 12,
        JobEvent::CommittablesSent { .. } | JobEvent::CommittablesReceived { .. } => 9,
        JobEvent::FileWritten { .. } => 2,
        JobEvent::PartitionFound { .. } | JobEvent::CopyRestored { .. } => 14,
        JobEvent::EnumeratorStored { .. } | JobEvent::BarrierCameRound { .. } => 12,
        JobEvent::LogStarted { .. } => 11,
        JobEvent::FeedbackLogged { .. } | JobEvent::PartitionAssigned { .. } => 8,
        JobEvent::RecordArrived { .. } | JobEvent::LoopPassed { .. } => 2,
    }
}

/// The node that its sentence is about, if the next one may say "it".
pub const fn subject_of(event: JobEvent) -> Option<NodeId> {
    match event {
        JobEvent::FileWritten { subtask, .. }
        | JobEvent::CommittablesSent { subtask, .. }
        | JobEvent::CommittablesReceived { subtask, .. }
        | JobEvent::CommittablesReplaced { subtask, .. }
        | JobEvent::TableCommitted { subtask, .. }
        | JobEvent::AlreadyCommitted { subtask, .. }
        | JobEvent::CommitterFinished { subtask, .. } => Some(subtask),
        JobEvent::ResponseWillBeLost { .. }
        | JobEvent::ResponseLost { .. }
        | JobEvent::CommittablesTooLate { .. }
        | JobEvent::JobResubmitted { .. } => None,
        JobEvent::PartitionAssigned { source, .. } => Some(source),
        JobEvent::CopyRestored { subtask, .. }
        | JobEvent::LoopPassed {
            subtask,
            leaves: false,
            ..
        }
        | JobEvent::LogStarted { subtask, .. } => Some(subtask),
        JobEvent::RecordArrived { .. }
        | JobEvent::PartitionFound { .. }
        | JobEvent::EnumeratorStored { .. }
        | JobEvent::LoopPassed { .. }
        | JobEvent::FeedbackLogged { .. }
        | JobEvent::BarrierCameRound { .. } => None,
    }
}

/// An action that may be chosen.
pub fn choice(lexicon: &Lexicon<'_>, choice: JobChoice) -> String {
    let (source, topic) = match choice {
        JobChoice::Append { topic, .. } => (topic, topic),
        JobChoice::LoseResponse { subtask } => (subtask, subtask),
        JobChoice::Find { source, topic } | JobChoice::Assign { source, topic } => (source, topic),
    };
    let (source, topic) = (lexicon.node(source), lexicon.node(topic));
    match (lexicon.lang, choice) {
        (Lang::En, JobChoice::Append { record, .. }) => {
            format!("{} comes to {topic}", lexicon.record(record))
        }
        (Lang::Zh, JobChoice::Append { record, .. }) => {
            format!("{} 写入 {topic}", lexicon.record(record))
        }
        (Lang::En, JobChoice::LoseResponse { .. }) => {
            format!("the answer to the next commit of {source} is lost")
        }
        (Lang::Zh, JobChoice::LoseResponse { .. }) => format!("{source} 下一次提交的应答丢失"),
        (Lang::En, JobChoice::Find { .. }) => format!("the enumerator finds {topic}"),
        (Lang::Zh, JobChoice::Find { .. }) => format!("枚举器发现 {topic}"),
        (Lang::En, JobChoice::Assign { .. }) => format!("{topic} is assigned to {source}"),
        (Lang::Zh, JobChoice::Assign { .. }) => format!("{topic} 分配给 {source}"),
    }
}
