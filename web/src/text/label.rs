//! The page's own words.

use super::Lang;

macro_rules! labels {
    ($($name:ident: $en:literal, $zh:literal;)*) => {
        /// A word or sentence that stands on the page by itself.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Label {
            $(#[doc = $en] $name,)*
        }

        impl Label {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name),*];
        }

        /// A label in a language.
        pub const fn label(lang: Lang, label: Label) -> &'static str {
            match label {
                $(Label::$name => lang.pick($en, $zh),)*
            }
        }
    };
}

labels! {
    Story: "Two million that never were", "从未存在的两百万";
    Coordinator: "checkpoint coordinator", "检查点协调器";
    Store: "checkpoint store", "检查点存储";
    Sink: "sink", "sink";
    AtLeastOnce: "at-least-once", "至少一次";
    AtLeastOnceHint: "writes each record at once", "每条记录立即写入";
    ExactlyOnce: "exactly-once", "精确一次";
    ExactlyOnceHint: "two-phase commit with the checkpoint", "随检查点两阶段提交";
    Views: "what is shown", "查看方式";
    Watch: "Watch", "观看";
    Checkpoints: "Checkpoints", "检查点";
    Compare: "Compare", "比较";
    CheckpointsHint: "The checkpoints of this run up to this step, the newest first, with Flink’s names and meaning. A checkpoint’s start delay, alignment, sync and async are each the largest of a subtask; its sizes are the sums of all.", "本次运行到这一步为止的检查点，最新的在前；名称与含义同 Flink。每个检查点的启动延迟、对齐、同步、异步各取子任务中的最大值；大小为各子任务之和。";
    NoCheckpoints: "No checkpoint has been triggered yet.", "还没有触发过检查点。";
    Column: "checkpoint", "检查点";
    Kind: "type", "类型";
    Status: "status", "状态";
    Acknowledged: "acks", "确认";
    EndToEnd: "end to end", "端到端";
    StartDelay: "start delay", "启动延迟";
    Alignment: "alignment", "对齐";
    SyncPart: "sync", "同步";
    AsyncPart: "async", "异步";
    Processed: "processed (persisted)", "处理（保存）";
    Size: "size", "大小";
    BarsHint: "Bars run from the trigger to the acknowledgement. Where barriers overtake, the snapshot starts at the first barrier, so its bar runs back from the acknowledgement and lies below.", "条形从触发延伸到确认。barrier 越过记录时，快照在第一个 barrier 到达时就开始，因此它的条形从确认处向回画在下方。";
    CompareHint: "This scenario, run to its end with its checkpoints taken in three ways; everything else is the same. Times are virtual; ▾ marks the least of a row.", "同一场景以三种检查点方式各运行到结束，其余完全相同；时间为虚拟时间；▾ 为该行最小值。";
    Subtask: "subtask", "子任务";
    Bars: "from the trigger to the acknowledgement", "从触发到确认";
    Measured: "what is measured", "度量";
    Least: ", the least", "，最少";
    ThisRun: "this run", "当前运行";
    Measuring: "measuring…", "测量中…";
    NotMeasured: "not measured", "未测量";
    FindingsTitle: "What the figures say", "数字说明了什么";
    NoRecovery: "Nothing fails in this scenario, so recovery was not measured.", "该场景中没有故障，因此没有测量恢复。";
    AddCrash: "Let a subtask crash halfway", "让一个子任务在中途崩溃";
    KeyViews: "watch, checkpoints, compare", "观看、检查点、比较";
    Language: "language", "语言";
    Theme: "theme", "主题";
    ThemeAuto: "theme: as the system has it", "主题：跟随系统";
    ThemeLight: "theme: light", "主题：浅色";
    ThemeDark: "theme: dark", "主题：深色";
    Help: "keys", "快捷键";
    Close: "close", "关闭";
    Dismiss: "dismiss", "知道了";
    ShowKnobs: "show the knobs", "显示设置";
    HideKnobs: "hide the knobs", "隐藏设置";
    Knobs: "Knobs", "设置";
    Stage: "Stage", "舞台";
    StageHint: "Tab goes from node to node, Enter selects one, c crashes it.", "Tab 在节点间移动，Enter 选择，c 使其崩溃。";
    Checkpointing: "Checkpointing", "检查点";
    Mode: "exactly-once: records behind a barrier do not enter the state before the snapshot; at-least-once: they do", "精确一次：barrier 之后的记录在快照之前不进入状态；至少一次：会进入";
    Unaligned: "whether barriers overtake records, which are then stored with the checkpoint", "barrier 是否越过记录；被越过的记录随检查点一起保存";
    AlignedTimeout: "how long a checkpoint stays aligned before its barriers overtake; 0: they do at once", "检查点保持对齐多久之后 barrier 才开始越过；0：立即";
    Interval: "how often a checkpoint is started", "每隔多久启动一次检查点";
    SinkSection: "Sink and reader", "sink 与读者";
    Guarantee: "when a record becomes visible: at once, or by a commit", "记录何时可见：立即，或提交之后";
    Isolation: "whether the dashboard waits for commits", "仪表盘是否等待提交";
    Flow: "Flow", "数据流";
    BuffersName: "buffers per channel", "每个通道的缓冲区";
    SourceIntervalName: "source interval", "source 读取间隔";
    SumCostName: "cost of the sum", "求和耗时";
    SeedName: "seed", "种子";
    Inspect: "Inspect", "查看";
    Buffers: "records that fit into one channel", "一个通道能容纳的记录数";
    SourceInterval: "time between two records of a partition", "同一分区两条记录的间隔";
    SumCost: "time the sum takes for a record", "求和处理一条记录的时间";
    RestartDelay: "time between a crash and the restart", "从崩溃到重启的时间";
    Chance: "Chance", "随机";
    Seed: "another seed, another order of events", "不同的种子，不同的事件顺序";
    MoreKnobs: "more settings", "更多设置";
    FewerKnobs: "fewer settings", "收起";
    CheckpointTimeout: "a checkpoint that takes longer is given up; 0: none ever is", "耗时更长的检查点会被放弃；0：从不放弃";
    MaxConcurrent: "how many checkpoints may be under way at once", "同时最多有几个检查点在进行";
    MinPause: "at least this long after one checkpoint, the next one starts", "一个检查点完成后至少隔这么久才启动下一个";
    TolerableFailures: "how many checkpoints in a row may fail before the job does", "连续多少个检查点失败之后作业才失败";
    Failover: "which subtasks restart: those connected with the one that failed, or all", "重启哪些子任务：与失败者相连的，或全部";
    Attempts: "how often the job is restarted before it fails for good; empty: always", "作业彻底失败之前可重启几次；留空：不限";
    Ask: "Ask for", "请求";
    Savepoint: "savepoint", "保存点";
    StopWithSavepoint: "savepoint, then stop", "保存点并停止";
    FailSnapshot: "a snapshot", "一个快照";
    LoseNotification: "a notification", "一条通知";
    Refuse: "the store", "检查点存储";
    Break: "Break something", "制造故障";
    WhenUp: "works while it is up, and more faults are allowed", "运行中且仍允许故障时可用";
    WhenSnapshot: "works while a snapshot is on its way to the store", "有快照正在上传时可用";
    WhenNotification: "works while a notification is on its way", "有通知在途时可用";
    WhenLastSnapshot: "works while the last snapshot of a checkpoint is on its way to the store", "检查点的最后一个快照正在上传时可用";
    WhenAllRun: "works while every subtask runs and the job goes on, as often as the scenario allows", "所有子任务都在运行、作业尚未结束，且场景仍允许时可用";
    BreakHint: "or right-click a node, or press it long", "也可右键点击或长按节点";
    StoryCrash: "the story's own crash", "故事自带的崩溃";
    StoryCrashHint: "planned before the run began", "运行开始前就已安排";
    Crash: "crash", "崩溃";
    CannotCrash: "the job is down, or no more faults are allowed", "作业已停止，或不允许再有故障";
    OpenScenario: "Open a scenario…", "打开场景…";
    OpenHint: "a JSON file; or drop or paste one", "JSON 文件，也可拖入或粘贴";
    Runs: "Runs", "运行";
    Run: "run", "运行";
    Back: "one step back (←)", "后退一步（←）";
    Step: "one step on (→)", "前进一步（→）";
    Start: "to the start (Home)", "到开头（Home）";
    End: "to the end (End)", "到结尾（End）";
    Play: "play (space)", "播放（空格）";
    Pause: "pause (space)", "暂停（空格）";
    NextMark: "to the next landmark (Shift+→)", "到下一个关键点（Shift+→）";
    PreviousMark: "to the previous landmark (Shift+←)", "到上一个关键点（Shift+←）";
    Transport: "Playback", "播放控制";
    Timeline: "Timeline", "时间线";
    Speed: "speed", "速度";
    Inspector: "Inspector", "检查器";
    Following: "follows what happens", "跟随事件";
    Selected: "selected", "已选择";
    Follow: "follow", "跟随";
    What: "What happened and why", "发生了什么，为什么";
    Nothing: "Nothing has happened yet: the records wait in the input topic. Press space to let time pass, or → for one step.", "还什么都没发生：记录在输入主题中等待。按空格让时间流逝，或按 → 前进一步。";
    Running: "The job is running: sources read records, keyed subtasks add them up, sinks write them for the dashboard. Press space to stop time.", "作业正在运行：source 读取记录，带键控状态的子任务求和，sink 写出结果供仪表盘显示。按空格让时间停下。";
    PauseToChoose: "Stop time (space) to choose what happens next.", "按空格停下时间，再选择接下来发生什么。";
    Idle: "A step of the machinery that changes nothing one could see.", "机器内部的一步，没有可见的变化。";
    Next: "You may do next", "接下来可以做";
    NextHint: "a click makes a branch; this run is kept", "点击会产生分支，当前运行会保留";
    NothingNext: "Nothing can happen any more.", "不会再发生任何事。";
    Verdict: "Verdict", "结论";
    Produced: "read", "已读取";
    Miscounted: "miscounted in a state", "状态中计错";
    Visible: "visible", "可见";
    Lost: "lost", "丢失";
    Doubled: "counted twice", "重复计算";
    Waiting: "under way or to be committed", "在途或待提交";
    UnderWay: "under way", "在途";
    Stuck: "stuck behind an open transaction", "被未结事务挡住";
    Shown: "dashboard shows", "仪表盘显示";
    Truth: "true total", "真实总数";
    Witnesses: "which ones", "是哪些";
    Times: "times", "次";
    BadLink: "This address could not be read in full", "该链接无法完整读取";
    NeedsNumber: "This needs a number in digits, such as 100, and not too large a one. The setting stays as it was.", "这里需要用数字书写的数，例如 100，且不能太大；设置保持不变。";
    TooLong: "Too long for a link", "场景太长，无法放入链接";
    TooLongHint: "The address does not hold this scenario: save the scenario as a file to open it again.", "地址中放不下这个场景：请把场景保存为文件，以便再次打开。";
    TooLongLink: "The scenario of this link was too long for a link. This is the default story; open the scenario from its file.", "该链接的场景太长，未能放入链接。这里显示的是默认故事；请从文件打开该场景。";
    BadScenario: "This scenario was refused", "该场景被拒绝";
    BadFile: "This file could not be read", "无法读取该文件";
    BadChoice: "This cannot be done at this step", "这一步无法执行该操作";
    Keys: "Keys", "快捷键";
    KeyPlay: "play, pause", "播放、暂停";
    KeyStep: "one step on, one step back", "前进一步、后退一步";
    KeyMark: "next and previous landmark: barrier, completion, commit, fault", "下一个、上一个关键点：barrier、完成、提交、故障";
    KeyEnds: "start and end", "开头与结尾";
    KeySpeed: "slower, faster", "减速、加速";
    KeyChoose: "do what has this number in the list", "执行列表中该编号的操作";
    KeyCrash: "crash the focused or selected subtask", "使聚焦或选中的子任务崩溃";
    KeySelect: "go from node to node; select one; follow again", "在节点间移动；选择；恢复跟随";
    KeyMenu: "what can be done with the focused node", "聚焦节点可执行的操作";
    KeyHelp: "this list", "显示本列表";
    Legend: "Signs", "图例";
    LegendEpoch: "Colour and sign say to which checkpoint interval something belongs.", "颜色与符号表示所属的检查点区间。";
    LegendOpen: "hatched: written, not committed", "斜线：已写入，未提交";
    LegendSolid: "solid: committed, visible", "实心：已提交，可见";
    LegendAborted: "crossed out: aborted", "划掉：已中止";
    LegendControl: "thin and dashed: a control record", "细虚线：控制消息";
    LegendInput: "hatched input: read, but not covered by a checkpoint yet", "输入的斜线：已读取，尚未被检查点覆盖";
    LegendOvertakes: "» on a barrier: it may overtake; a ring round a record: stored with the checkpoint as in-flight data", "barrier 上的 »：可以越过记录；记录外的圆环：作为在途数据随检查点保存";
    LegendQueues: "a channel has two queues: with corners, the sender’s output queue; with round ends, the receiver’s input queue, which ends at the gate", "通道有两个队列：方角的是发送方的输出队列，圆头的是接收方的输入队列，末端是输入门";
    LegendMessages: "✕ on a message or a broken barrier: a checkpoint is declined, or given up", "消息或断开的 barrier 上的 ✕：检查点被拒绝或被放弃";
    LegendMarks: "on the timeline: flag, a checkpoint is triggered; triangle, it is complete; diamond, a commit; cross, a fault; arrow, the restart; struck bar, a checkpoint that was given up", "时间线：旗，触发检查点；三角，完成；菱形，提交；叉，故障；箭头，重启；划掉的条，放弃的检查点";
    LeftOut: "What this model leaves out", "本模型省略了什么";
    LeftOutTime: "Time is slowed down so that one can watch: hops and costs are those of the scenario, not of a cluster.", "时间被放慢以便观察：传输与处理的耗时由场景给出，并非真实集群的耗时。";
    LeftOutBuffers: "Buffers are counted in records, and a record is sent on at once: no buffer timeout, no debloating. A gate’s floating buffers are shared equally by its channels. A record with credit counts as being in the input queue while it is still under way.", "缓冲区按记录数计，记录立即发出：没有 buffer timeout，也没有 debloating；输入门的浮动缓冲区由各通道平分；有信用的记录在途中就算进入了输入队列。";
    LeftOutCheckpoints: "Storing a snapshot and acknowledging it are one message. Snapshots are always full. The announcement of a barrier takes no time. Word of a completed checkpoint goes to sinks only. A complete savepoint is told of and kept nowhere.", "快照的保存与确认是同一条消息；快照总是全量的；barrier 的公告不花时间；检查点完成的通知只发给 sink；完成的保存点只作说明，不被保存。";
    LeftOutFailures: "The loss of a TaskManager is noticed at once, and another one takes its place. The subtasks of a lost JobManager start again. Sources that have come to their end go on taking part in checkpoints.", "TaskManager 丢失会立即被发现，并由另一个接替；JobManager 丢失后其子任务重新启动；读到末尾的 source 继续参与检查点。";
    LeftOutJob: "Partition p belongs to source subtask p modulo the parallelism. A sum and a join pass on what each record added, and the reader adds that up. A flat-map waits for room for one record and emits several.", "分区 p 属于第 p mod 并行度 个 source 子任务；sum 与 join 向下游发送每条记录的增量，由读者累加；flat-map 等到能放下一条记录的空间，就会发出多条。";
    LeftOutSink: "The sink’s transactions are those of TwoPhaseCommitSinkFunction, with a KafkaSink’s clean-up of lingering ones; a committer’s retries are left out.", "sink 的事务同 TwoPhaseCommitSinkFunction，并像 KafkaSink 那样清理遗留事务；省略了 committer 的重试。";
    LeftOutKafka: "A partition has one replica, a batch one record, and a producer always reaches its log.", "分区只有一个副本，批次只有一条记录，生产者总能写入日志。";
    LeftOutTimeout: "Transactions never expire: a real one is aborted after transaction.timeout.ms, and a later commit loses data.", "事务永不过期：真实的事务在 transaction.timeout.ms 之后被中止，更晚的提交会丢数据。";
    Panicked: "Barrierscope has stopped: this is a mistake in the program.", "Barrierscope 已停止：这是程序的错误。";
    Reload: "Reload the page", "重新加载";
    StartAfresh: "Start from the beginning", "从头开始";
    Skip: "to the stage", "跳到舞台";
    Empty: "empty", "空";
    OnChannel: "on the channel", "通道中";
    InChannels: "In the channels", "通道中的内容";
    Credit: "Data: confirmed cases by country on 2020-04-14, Johns Hopkins CSSE.", "数据：2020-04-14 各国确诊数，Johns Hopkins CSSE。";
    DropHere: "Drop the scenario here", "将场景文件拖到此处";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_label_has_words_in_both_languages() {
        for label in Label::ALL {
            for lang in Lang::ALL {
                assert!(!super::label(lang, *label).is_empty(), "{label:?}");
            }
        }
    }
}
