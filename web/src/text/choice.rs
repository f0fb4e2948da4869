//! What may be done next.

use barrierscope_core::scene::{Choice, TokenKind};

use super::{Lang, Lexicon, capital};

/// A choice, as something that was done, where there is nothing more to be told of it.
pub fn done(lexicon: &Lexicon<'_>, chosen: Choice) -> String {
    let said = choice(lexicon, chosen);
    match lexicon.lang {
        Lang::En => format!("{}.", capital(&said)),
        Lang::Zh => format!("{said}。"),
    }
}

/// A choice, as something to do.
pub fn choice(lexicon: &Lexicon<'_>, choice: Choice) -> String {
    let node = lexicon.node(choice.node());
    match (lexicon.lang, choice) {
        (Lang::En, Choice::Emit { record, .. }) => {
            format!("{node} reads {}", lexicon.record(record))
        }
        (Lang::Zh, Choice::Emit { record, .. }) => {
            format!("{node} 读取 {}", lexicon.record(record))
        }
        (Lang::En, Choice::Inject { checkpoint, .. }) => {
            format!("{node} sends barrier {checkpoint}")
        }
        (Lang::Zh, Choice::Inject { checkpoint, .. }) => {
            format!("{node} 注入 barrier {checkpoint}")
        }
        (Lang::En, Choice::Take { channel, token, .. }) => {
            format!(
                "{node} takes {} from channel {channel}",
                lexicon.token(token)
            )
        }
        (
            Lang::Zh,
            Choice::Take {
                channel,
                token: TokenKind::Barrier(n),
                ..
            },
        ) => {
            format!("{node} 从通道 {channel} 收到 barrier {n}")
        }
        (Lang::Zh, Choice::Take { channel, token, .. }) => {
            format!("{node} 从通道 {channel} 取出 {}", lexicon.token(token))
        }
        (
            Lang::En,
            Choice::Overtake {
                channel,
                checkpoint,
                overtaken,
                ..
            },
        ) => format!(
            "barrier {checkpoint} overtakes what waits in channel {channel} of {node}: {overtaken}"
        ),
        (
            Lang::Zh,
            Choice::Overtake {
                channel,
                checkpoint,
                overtaken,
                ..
            },
        ) => format!("barrier {checkpoint} 越过 {node} 通道 {channel} 中等待的 {overtaken} 个元素"),
        (Lang::En, Choice::TimeOut { .. }) => format!("the alignment of {node} takes too long"),
        (Lang::Zh, Choice::TimeOut { .. }) => format!("{node} 的对齐超时"),
        (Lang::En, Choice::Trigger { checkpoint, .. }) => {
            format!("the coordinator starts checkpoint {checkpoint}")
        }
        (Lang::Zh, Choice::Trigger { checkpoint, .. }) => {
            format!("协调器启动检查点 {checkpoint}")
        }
        (
            Lang::En,
            Choice::Acknowledge {
                subtask,
                checkpoint,
                ..
            },
        ) => format!(
            "the snapshot of {} for checkpoint {checkpoint} is stored",
            lexicon.node(subtask)
        ),
        (
            Lang::Zh,
            Choice::Acknowledge {
                subtask,
                checkpoint,
                ..
            },
        ) => {
            format!(
                "{} 在检查点 {checkpoint} 中的快照存好",
                lexicon.node(subtask)
            )
        }
        (
            Lang::En,
            Choice::Notify {
                checkpoint,
                completed,
                ..
            },
        ) => {
            let what = if completed { "complete" } else { "given up" };
            format!("{node} hears that checkpoint {checkpoint} is {what}")
        }
        (
            Lang::Zh,
            Choice::Notify {
                checkpoint,
                completed,
                ..
            },
        ) => {
            let what = if completed { "已完成" } else { "被放弃" };
            format!("{node} 得知检查点 {checkpoint} {what}")
        }
        (Lang::En, Choice::TimeOutOutput { checkpoint, .. }) => {
            format!("barrier {checkpoint} has waited too long in the output queues of {node}")
        }
        (Lang::Zh, Choice::TimeOutOutput { checkpoint, .. }) => {
            format!("barrier {checkpoint} 在 {node} 的输出队列中等待超时")
        }
        (
            Lang::En,
            Choice::HearDecline {
                subtask,
                checkpoint,
                ..
            },
        ) => format!(
            "the coordinator hears that {} declines checkpoint {checkpoint}",
            lexicon.node(subtask)
        ),
        (
            Lang::Zh,
            Choice::HearDecline {
                subtask,
                checkpoint,
                ..
            },
        ) => format!(
            "协调器得知 {} 拒绝检查点 {checkpoint}",
            lexicon.node(subtask)
        ),
        (Lang::En, Choice::Run { .. }) => "the deployed subtasks run".to_owned(),
        (Lang::Zh, Choice::Run { .. }) => "已部署的子任务开始运行".to_owned(),
        (Lang::En, Choice::Savepoint { stop: false, .. }) => {
            "somebody asks for a savepoint".to_owned()
        }
        (Lang::Zh, Choice::Savepoint { stop: false, .. }) => "有人请求保存点".to_owned(),
        (Lang::En, Choice::Savepoint { stop: true, .. }) => {
            "somebody stops the job with a savepoint".to_owned()
        }
        (Lang::Zh, Choice::Savepoint { stop: true, .. }) => "有人要求以保存点停止作业".to_owned(),
        (Lang::En, Choice::Expire { checkpoint, .. }) => {
            format!("checkpoint {checkpoint} takes too long and is given up")
        }
        (Lang::Zh, Choice::Expire { checkpoint, .. }) => {
            format!("检查点 {checkpoint} 超时并被放弃")
        }
        (Lang::En, Choice::Restart { checkpoint, .. }) if checkpoint.0 == 0 => {
            "the job restarts from the beginning".to_owned()
        }
        (Lang::Zh, Choice::Restart { checkpoint, .. }) if checkpoint.0 == 0 => {
            "作业从头重启".to_owned()
        }
        (Lang::En, Choice::Restart { checkpoint, .. }) => {
            format!("the job restarts from checkpoint {checkpoint}")
        }
        (Lang::Zh, Choice::Restart { checkpoint, .. }) => {
            format!("作业从检查点 {checkpoint} 重启")
        }
        (Lang::En, Choice::Crash { .. }) => format!("{node} crashes"),
        (Lang::Zh, Choice::Crash { .. }) => format!("{node} 崩溃"),
        (Lang::En, Choice::LoseTaskManager { number, .. }) => {
            format!("TaskManager {} is lost", number + 1)
        }
        (Lang::Zh, Choice::LoseTaskManager { number, .. }) => {
            format!("TaskManager {} 丢失", number + 1)
        }
        (Lang::En, Choice::LoseJobManager { .. }) => "the JobManager is lost".to_owned(),
        (Lang::Zh, Choice::LoseJobManager { .. }) => "JobManager 丢失".to_owned(),
        (Lang::En, Choice::FailSnapshot { checkpoint, .. }) => {
            format!("the snapshot of {node} for checkpoint {checkpoint} fails")
        }
        (Lang::Zh, Choice::FailSnapshot { checkpoint, .. }) => {
            format!("{node} 在检查点 {checkpoint} 中的快照失败")
        }
        (Lang::En, Choice::Refuse { checkpoint, .. }) => {
            format!("the store refuses checkpoint {checkpoint}")
        }
        (Lang::Zh, Choice::Refuse { checkpoint, .. }) => {
            format!("检查点存储拒绝检查点 {checkpoint}")
        }
        (Lang::En, Choice::LoseNotification { checkpoint, .. }) => {
            format!("the notification to {node} about checkpoint {checkpoint} is lost")
        }
        (Lang::Zh, Choice::LoseNotification { checkpoint, .. }) => {
            format!("发往 {node} 的关于检查点 {checkpoint} 的通知丢失")
        }
        (_, Choice::Job(choice)) => super::job::choice(lexicon, choice),
        (_, Choice::GoOn { subtask }) => super::sink::goes_on(lexicon, subtask),
        (Lang::En, Choice::Block { .. }) => {
            format!("max.block.ms passes for {node}, without an answer")
        }
        (Lang::Zh, Choice::Block { .. }) => format!("{node} 等到 max.block.ms，没有答复"),
        (
            Lang::En,
            Choice::Redeploy {
                checkpoint,
                prefix_changes,
                parallelism,
                ..
            },
        ) => {
            let from = match checkpoint.0 {
                0 => "from the beginning".to_owned(),
                more => format!("from checkpoint {more}"),
            };
            let prefix = if prefix_changes {
                ", with another prefix"
            } else {
                ""
            };
            let sink = match parallelism {
                None => String::new(),
                Some(1) => ", with one subtask of the sink".to_owned(),
                Some(count) => format!(", with {count} subtasks of the sink"),
            };
            format!("the job is killed and deployed again {from}{prefix}{sink}")
        }
        (
            Lang::Zh,
            Choice::Redeploy {
                checkpoint,
                prefix_changes,
                parallelism,
                ..
            },
        ) => {
            let from = match checkpoint.0 {
                0 => "从头".to_owned(),
                more => format!("从检查点 {more} "),
            };
            let prefix = if prefix_changes { "，换前缀" } else { "" };
            let sink = parallelism.map(|count| format!("，sink 并行度为 {count}"));
            format!(
                "杀死作业，{from}重新部署{prefix}{}",
                sink.unwrap_or_default()
            )
        }
        (_, Choice::Kafka(choice)) => super::kafka::choice(lexicon, choice),
        (_, Choice::Votes(choice)) => super::votes::choice(lexicon, choice),
    }
}
