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
    OrdersStory: "Orders and invoices", "订单与账单";
    CountingStory: "Counting orders", "订单计数";
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
    Guarantees: "Guarantees", "保证";
    GuaranteesHint: "What a producer’s settings (rows) and the moment of the commit (columns) come to for the effects of a consumer. The model runs each cell against faults, and keeps a run that shows what can go wrong: a button opens it at that step.", "生产者的设置（行）与提交位移的时机（列）对消费者的效果意味着什么。模型让每一格经受各种故障，并保留能说明问题的运行：按钮会打开它，停在问题出现的那一步。";
    CommittedWhen: "offsets are committed", "位移提交时机";
    Refused: "refused", "被拒绝";
    Computing: "computing…", "计算中…";
    Model: "what is simulated", "模拟对象";
    Models: "Models", "模型";
    Gallery: "Gallery", "案例";
    GalleryHint: "Public reports of lost, doubled and stuck records, each as a scenario without and with its fix. What stands beside a report comes from running it here.", "公开报告的丢失、重复和卡住的记录，每份都是一个场景：修复之前与之后。报告旁边的结果由此处实际运行得出。";
    Fix: "Fix", "修复";
    FixOn: "on", "开";
    FixOff: "off", "关";
    FixHint: "the same scenario with its fix, at the same moment (x)", "同一场景加上修复，停在同一时刻（x）";
    WithoutFix: "without the fix", "修复之前";
    WithFix: "with the fix", "修复之后";
    Search: "search", "搜索";
    SearchHint: "ticket, option, word…", "编号、选项、词语…";
    WentWrong: "What went wrong", "出了什么问题";
    All: "all", "全部";
    NothingFound: "No report says that.", "没有符合的报告。";
    RunningReport: "running…", "运行中…";
    NoScenario: "no scenario", "没有场景";
    NoFixNeeded: "nothing to fix", "无需修复";
    Why: "Why", "原因";
    TheFix: "The fix", "修复方法";
    Versions: "Versions", "版本";
    Source: "Source", "来源";
    ReadOn: "read on", "查看原文";
    ScenarioNote: "In the scenario", "场景说明";
    FixChanges: "What the fix changes in the scenario", "修复改动了场景的哪些选项";
    NotSet: "not set", "未设置";
    Option: "option", "选项";
    OpenReport: "Open where it goes wrong", "打开出错的那一步";
    OpenFixed: "Open with the fix", "打开修复之后";
    OpenCalm: "Open", "打开";
    ToGallery: "Gallery", "案例";
    ToGalleryHint: "back to the gallery (f)", "回到案例（f）";
    KeyFix: "the fix of a fault report, on or off", "故障报告的修复：开或关";
    Undo: "take back what was done last (u)", "撤销上一次操作（u）";
    FaultsDropped: "These faults do not fit the changed scenario, and were left out", "以下故障不适用于改动后的场景，已略去";
    Pipeline: "Pipeline", "流水线";
    Delivery: "Delivery", "消息传递";
    Streams: "Streams", "Streams";
    Votes: "Votes", "表决";
    VotesCooperative: "Votes, cooperative termination", "表决，协作终止";
    VotesStory: "In doubt: the coordinator crashes when it has told one participant", "悬而未决：协调者只告知一个参与者就崩溃";
    CooperativeStory: "Cooperative termination: the one that knows tells the others", "协作终止：知道决定的参与者告诉其他参与者";
    Committer: "coordinator", "协调者";
    Termination: "in doubt, ask", "悬而未决时询问";
    AskCoordinator: "the coordinator", "只问协调者";
    AskCoordinatorHint: "and wait until it is back", "等到它恢复";
    AskAll: "everybody", "询问全体";
    AskAllHint: "cooperative termination", "协作终止";
    NothingVotes: "Nothing has happened yet: the application is about to ask the coordinator to commit. Press space to let time pass, or → for one step.", "还什么都没发生：应用即将请求协调者提交。按空格让时间流逝，或按 → 前进一步。";
    RunningVotes: "The coordinator asks for votes; when all have voted commit, it decides and tells everybody. Press space to stop time.", "协调者要求投票；全体都投提交票之后，它作出决定并告知所有人。按空格让时间停下。";
    IdleVotes: "A step that changes nothing one could see.", "没有可见变化的一步。";
    ParticipantKnobs: "Participants", "参与者";
    ParticipantCount: "participants", "参与者数量";
    ParticipantCountHint: "how many take part besides the coordinator, 1 to 9", "除协调者之外的参与者，1 至 9 个";
    ParticipantVotes: "votes", "投票";
    ProtocolKnobs: "Protocol", "协议";
    PlanKnobs: "What breaks by itself", "自行发生的故障";
    PlanCrash: "crash", "崩溃";
    PlanMessage: "message", "消息";
    PlanOtherHint: "the faults that the scenario has", "场景自带的故障";
    PlanOther: "as the scenario has it", "按场景所定";
    LoseMessage: "lose a message", "丢失一条消息";
    DuplicateMessage: "duplicate a message", "重复一条消息";
    Halts: "stop", "停止";
    Recovers: "recover", "恢复";
    VotesIn: "votes", "投票";
    AcksIn: "acks", "确认";
    LogName: "log", "日志";
    MemoryLost: "its memory is gone; the log stays", "内存已丢失，日志仍在";
    Properties: "Properties of atomic commitment", "原子提交的性质";
    ForcedWrites: "forced writes", "强制写";
    LazyWrites: "lazy writes", "非强制写";
    MessagesSent: "messages", "消息";
    BrokenAt: "to the step that broke it", "到破坏它的那一步";
    KeyMarkVotes: "next and previous landmark: fault, vote, decision, blocked, released", "下一个、上一个关键点：故障、投票、决定、阻塞、解除";
    KeyCrashVotes: "crash the focused or selected process", "使聚焦或选中的进程崩溃";
    LegendPhase: "Colour says the phase: voting, commit, or the questions of those in doubt.", "颜色表示阶段：表决、提交，或悬而未决者的询问。";
    LegendForced: "solid record: on disk, survives a crash", "实心记录：已落盘，崩溃后保留";
    LegendUnforced: "hatched record: in memory only", "斜线记录：仅在内存中";
    LegendDoubt: "hatched amber: in doubt; with a bar across its top: blocked, dashes lead to those whose return releases it", "琥珀色斜线：悬而未决；顶部有横条：被阻塞，虚线通向能解除阻塞者";
    LegendVotes: "at the coordinator: solid, the vote or the acknowledgement is in; outlined, it is missing", "协调者处：实心，投票或确认已到；空心，尚缺";
    LegendVotesMessages: "on the way: round ends, a question or an acknowledgement; corners, a vote or a decision; filled, it is for good", "途中：圆头，询问或确认；方角，投票或决定；填满，不可更改";
    LegendMarksVotes: "on the timeline: cross, a fault; tick, a vote; diamond, a decision to commit; struck bar, to abort; gate, blocked; arrow, released; round arrow, back; exclamation mark, a property is broken", "时间线：叉，故障；勾，投票；菱形，决定提交；划掉的条，决定中止；闸门，阻塞；箭头，解除；圆箭头，恢复；感叹号，性质被破坏";
    LeftOutTransaction: "There is one transaction. What it does to data, and its locks, are not shown.", "只有一个事务；它对数据的操作和持有的锁不显示。";
    LeftOutVotes: "There is no read-only vote, no tree of coordinators, and the coordinator casts no vote of its own.", "没有只读票，没有协调者树，协调者自己不投票。";
    LeftOutNetwork: "Messages are single letters: any may overtake any other, be lost, late or come twice. What comes to a process that is down is lost.", "消息各自独立：可能互相越过、丢失、迟到或重复；到达时进程不在运行，消息就丢失。";
    LeftOutLogs: "A log is never truncated and never damaged. Presumed commit and three-phase commit are other protocols.", "日志不会被截断或损坏。假定提交与三阶段提交是另外的协议。";
    Transactions: "transaction coordinator", "事务协调器";
    Groups: "group coordinator", "组协调器";
    NothingKafka: "Nothing has happened yet. Press space to let time pass, or → for one step.", "还什么都没发生。按空格让时间流逝，或按 → 前进一步。";
    RunningKafka: "Producers send batches to the leaders, followers fetch them, consumers poll and commit offsets. Press space to stop time.", "生产者把批次发给 leader，follower 拉取，消费者 poll 并提交位移。按空格让时间停下。";
    Clients: "Clients", "客户端";
    Brokers: "Brokers", "Broker";
    Messages: "Messages", "消息";
    LoseRequest: "lose a request", "丢失一个请求";
    LoseResponse: "lose a response", "丢失一个响应";
    StepClockBack: "set the coordinator’s clock back", "回拨协调器时钟";
    WhenMessage: "works while such a message is on its way", "有这种消息在途时可用";
    WhenNow: "works when it is possible at this step", "该步允许时可用";
    Pauses: "pause", "停顿";
    Resumes: "resume", "继续";
    Stops: "stop", "关闭";
    Starts: "start", "启动";
    LosesLog: "lose log", "丢日志";
    Failed: "reported as failed", "已报告失败";
    Records: "records to be seen", "应见记录";
    Seen: "seen", "已见";
    Twice: "doubled", "重复";
    AbortedSeen: "aborted, yet seen", "已中止却可见";
    Copies: "seen in all, copies included", "所见总数（含重复）";
    WhatIsGuaranteed: "what is guaranteed?", "保证了什么？";
    Others: "Others", "其他";
    ProducerKnobs: "Producer", "生产者";
    ConsumerKnobs: "Consumer", "消费者";
    StreamsKnobs: "Streams", "Streams";
    TopicKnobs: "Topic", "主题";
    ClusterKnobs: "Cluster", "集群";
    CostKnobs: "Times", "耗时";
    ByDefault: "default", "默认";
    Which: "which one", "哪一个";
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
    KeyViews: "the views, in the order of their buttons", "各视图，按按钮的顺序";
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
    CannotCrash: "it is down already, or no more faults are allowed", "它已停止，或不允许再有故障";
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
    IdleKafka: "A message moved on, or somebody looked and found nothing new.", "一条消息向前走了一步，或者有人查看而没有发现新内容。";
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
    OptionsIgnored: "Not simulated, for they change no guarantee", "以下选项不影响任何保证，因此不模拟";
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
    KeyMarkKafka: "next and previous landmark: fault, new leader, rebalance, decision on a transaction, repetition", "下一个、上一个关键点：故障、新 leader、重平衡、事务的决定、重复";
    KeyCrash: "crash the focused or selected subtask", "使聚焦或选中的子任务崩溃";
    KeyCrashKafka: "crash the focused or selected client, broker or coordinator", "使聚焦或选中的客户端、broker 或协调器崩溃";
    KeyUndo: "take back what was done last", "撤销上一次操作";
    LegendMarksKafka: "on the timeline: cross, a fault or what came of one; plus, a record once more; triangle, a new leader; arrows, a rebalance; diamond, a commit is decided; struck bar, an abort; round arrow, a start", "时间线：叉，故障或其后果；加号，记录再次出现；三角，新 leader；双箭头，重平衡；菱形，决定提交；划掉的条，决定中止；圆箭头，启动";
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
    LegendSession: "Colour says in which session (producer id and epoch) a record was written; grey: without idempotence.", "颜色表示写入记录的会话（producer id 与 epoch）；灰色：非幂等。";
    LegendEntries: "the number in a cell is the record’s, counted from 1; above it, its offset", "格中的数字是记录的编号，从 1 起；上方是它的位移";
    LegendUnstable: "dashed and hatched: in an open transaction; hatched: committed, but hidden behind an older open one", "虚线加斜线：事务未结；斜线：已提交，但被更早的未结事务挡住";
    LegendControlRecord: "✓ or ✕ in a dashed cell: the control record that commits or aborts a transaction; it occupies an offset", "虚线格中的 ✓ 或 ✕：提交或中止事务的控制消息，占用一个位移";
    LegendTwice: "underlined in red: the record is seen more than once", "红色下划线：该记录被看到不止一次";
    LegendOffsets: "HW: high watermark, everything below it is on all in-sync replicas; LSO: last stable offset, read_committed reads no further", "HW：高水位，之前的记录在所有同步副本上；LSO：最后稳定位移，read_committed 只读到这里";
    LegendKafkaMessages: "on the way: a request with the numbers of its records or its name; ✓ or ✕, its response; grey, one that its client has given up", "在途：请求，标有记录编号或名称；✓ 或 ✕，它的响应；灰色，客户端已放弃的请求";
    LeftOutFetches: "A client knows at once who leads a partition. A consumer’s fetch, its look-up of a committed offset and its joining of a group are one step each and never lost; so are a follower’s fetch and a marker on its way. Heartbeats are not sent one by one.", "客户端立即知道分区的 leader。消费者的拉取、查询已提交位移和加入组各为一步，且不会丢失；follower 的拉取和途中的标记也是如此。心跳不逐个发送。";
    LeftOutCoordinators: "The coordinators are on no broker that one could crash with them: they crash on their own, and what they have logged is never lost.", "协调器不在任何可随之崩溃的 broker 上：它们单独崩溃，已记录的内容不会丢失。";
    LeftOutClients: "There is one partition assignor (range) and the eager protocol, also with group.protocol=consumer. An idempotent producer that writes to several partitions takes a new epoch for each of them by itself. Compaction, tiers, quotas and authorization do not exist.", "只有一种分区分配器（range）和 eager 协议，group.protocol=consumer 时也如此。写多个分区的幂等生产者为每个分区各自更换 epoch。没有压缩、分层、配额与授权。";
    LeftOutApplications: "An application that writes and dies goes on behind the records that it was told of, and sends the others again.", "写入的应用崩溃后，从已得到确认的记录之后继续，其余的再次发送。";
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
