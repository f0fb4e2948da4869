//! The options of Kafka's clients and brokers, and of the applications, as knobs: each with what it does, its
//! default, and since when it has been so.

use super::Lang;
use crate::state::ByDefault;

/// A setting that can be turned.
#[derive(Debug)]
pub struct Knob {
    /// Its name in both languages: Kafka's own, or what an application does by itself.
    pub name: [&'static str; 2],
    /// Where it stands, as a JSON pointer without its first stroke, from the thing that it belongs to.
    pub path: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// What it does.
    hint: [&'static str; 2],
    /// What it is if nobody says; nothing where somebody has to.
    default: [&'static str; 2],
    /// Whether it is shown only to those who want more.
    pub more: bool,
}

/// What a setting may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Yes or no.
    Flag,
    /// A whole number in a unit: the least one, and by how much the arrows change it.
    Number(&'static str, u32, u32),
    /// Milliseconds with decimals.
    Decimal,
    /// One of some words.
    Words(&'static [&'static str]),
    /// Any words.
    Text,
    /// A client library in one of its versions.
    Client,
}

impl Knob {
    /// What it does, and what it is if nobody sets it: that of the client, where it depends on one.
    pub fn hint(&self, lang: Lang, known: Option<&ByDefault>) -> String {
        let hint = lang.pick(self.hint[0], self.hint[1]);
        match (known, lang) {
            (Some(ByDefault::Unknown { client }), Lang::En) => {
                format!("{hint}. {client} has no such option.")
            }
            (Some(ByDefault::Unknown { client }), Lang::Zh) => {
                format!("{hint}。{client} 没有这个选项。")
            }
            (Some(ByDefault::Is { client, value }), _) if self.kind != Kind::Client => {
                let value = value.as_deref().unwrap_or(no_limit(lang));
                match lang {
                    Lang::En => format!("{hint}. Default of {client}: {value}."),
                    Lang::Zh => format!("{hint}。{client} 的默认值：{value}。"),
                }
            }
            (known, _) => {
                let value = known.and_then(|known| self.unset(lang, Some(known)));
                let default = lang.pick(self.default[0], self.default[1]).to_owned();
                match (value.unwrap_or(default), lang) {
                    (none, _) if none.is_empty() => hint.to_owned(),
                    (default, Lang::En) => format!("{hint}. Default: {default}."),
                    (default, Lang::Zh) => format!("{hint}。默认：{default}。"),
                }
            }
        }
    }

    /// What stands in its place while nobody has set it, if that is known.
    pub fn unset(&self, lang: Lang, known: Option<&ByDefault>) -> Option<String> {
        match known? {
            ByDefault::Is { value, .. } => {
                Some(value.clone().unwrap_or_else(|| no_limit(lang).to_owned()))
            }
            ByDefault::Unknown { .. } => Some(lang.pick("unknown", "没有此选项").to_owned()),
        }
    }
}

const fn no_limit(lang: Lang) -> &'static str {
    lang.pick("no limit", "不限")
}

/// Clients that are often met, or have a defect of their own.
pub const CLIENTS: [&str; 15] = [
    "java 4.3.0",
    "java 4.0.0",
    "java 3.9.0",
    "java 3.7.0",
    "java 3.1.0",
    "java 3.0.0",
    "java 2.8.2",
    "java 2.1.0",
    "java 2.0.0",
    "librdkafka 2.10.0",
    "librdkafka 1.9.0",
    "librdkafka 1.8.0",
    "librdkafka 1.6.0",
    "kafkajs 2.2.4",
    "kafkajs 1.16.0",
];

/// Of an application that writes.
pub const PRODUCER: &[Knob] = &[
    Knob {
        name: ["acks", "acks"],
        path: "config/acks",
        kind: Kind::Words(&["0", "1", "all"]),
        hint: [
            "how many replicas must have a record before the leader confirms it: none, the leader, or all in sync",
            "leader 确认之前多少个副本必须写入：不等、leader 自己、全部同步副本",
        ],
        default: ["all since 3.0; 1 before", "3.0 起为 all，之前为 1"],
        more: false,
    },
    Knob {
        name: ["retries", "retries"],
        path: "config/retries",
        kind: Kind::Number("", 0, 1),
        hint: [
            "how often a batch is sent again after an error or a lost response",
            "出错或响应丢失之后，一个批次最多重发几次",
        ],
        default: [
            "2147483647 since 2.1; 0 before",
            "2.1 起为 2147483647，之前为 0",
        ],
        more: false,
    },
    Knob {
        name: ["enable.idempotence", "enable.idempotence"],
        path: "config/enable.idempotence",
        kind: Kind::Flag,
        hint: [
            "batches carry producer id, epoch and sequence, so that the broker notices a repeated one (since 0.11)",
            "批次带上 producer id、epoch 和序列号，broker 由此发现重复的批次（0.11 起）",
        ],
        default: [
            "true since 3.0.1 (not in 3.1.0); false before",
            "3.0.1 起为 true（3.1.0 除外），之前为 false",
        ],
        more: false,
    },
    Knob {
        name: ["transactional.id", "transactional.id"],
        path: "config/transactional.id",
        kind: Kind::Text,
        hint: [
            "the identity that survives a restart: with it, records are written in transactions (since 0.11)",
            "重启后保留的身份：有了它，记录在事务中写入（0.11 起）",
        ],
        default: ["none: no transactions", "无：不用事务"],
        more: false,
    },
    Knob {
        name: [
            "max.in.flight.requests.per.connection",
            "max.in.flight.requests.per.connection",
        ],
        path: "config/max.in.flight.requests.per.connection",
        kind: Kind::Number("", 1, 1),
        hint: [
            "how many requests may be under way; without idempotence, more than one may change the order",
            "同时可有多少个在途请求；非幂等时大于 1 可能乱序",
        ],
        default: ["5; idempotence allows no more", "5；幂等时不能更多"],
        more: false,
    },
    Knob {
        name: ["request.timeout.ms", "request.timeout.ms"],
        path: "config/request.timeout.ms",
        kind: Kind::Number("ms", 1, 1000),
        hint: [
            "how long the client waits for a response before it takes it for lost",
            "客户端等待响应多久后视为丢失",
        ],
        default: ["30000", "30000"],
        more: true,
    },
    Knob {
        name: ["delivery.timeout.ms", "delivery.timeout.ms"],
        path: "config/delivery.timeout.ms",
        kind: Kind::Number("ms", 1, 1000),
        hint: [
            "how long after send() a record is given up at the latest, retries included (since 2.1)",
            "send() 之后最迟多久放弃一条记录，含重试（2.1 起）",
        ],
        default: ["120000", "120000"],
        more: true,
    },
    Knob {
        name: ["retry.backoff.ms", "retry.backoff.ms"],
        path: "config/retry.backoff.ms",
        kind: Kind::Number("ms", 0, 10),
        hint: [
            "how long the client waits before it tries again",
            "客户端重试之前等待多久",
        ],
        default: ["100", "100"],
        more: true,
    },
    Knob {
        name: ["transaction.timeout.ms", "transaction.timeout.ms"],
        path: "config/transaction.timeout.ms",
        kind: Kind::Number("ms", 1, 1000),
        hint: [
            "how long a transaction may be open before the coordinator aborts it (since 0.11)",
            "事务打开多久后由协调器中止（0.11 起）",
        ],
        default: ["60000", "60000"],
        more: true,
    },
    Knob {
        name: ["client", "客户端"],
        path: "client",
        kind: Kind::Client,
        hint: [
            "the client library and its version: defaults and defects depend on it",
            "客户端库及其版本：默认值与缺陷都取决于它",
        ],
        default: ["java 4.0.0", "java 4.0.0"],
        more: false,
    },
    Knob {
        name: ["records", "记录数"],
        path: "sends/count",
        kind: Kind::Number("", 0, 1),
        hint: [
            "how many records the application sends",
            "应用发送多少条记录",
        ],
        default: ["", ""],
        more: true,
    },
    Knob {
        name: ["interval", "发送间隔"],
        path: "interval_ms",
        kind: Kind::Number("ms", 0, 10),
        hint: ["the time between two calls of send()", "两次 send() 的间隔"],
        default: ["10", "10"],
        more: true,
    },
    Knob {
        name: ["records per batch", "每批记录数"],
        path: "batch_records",
        kind: Kind::Number("", 1, 1),
        hint: ["how many records are sent together", "多少条记录一起发送"],
        default: ["1", "1"],
        more: true,
    },
    Knob {
        name: ["records per transaction", "每个事务的记录数"],
        path: "transaction_records",
        kind: Kind::Number("", 1, 1),
        hint: [
            "how many records go into one transaction",
            "一个事务包含多少条记录",
        ],
        default: ["all of them", "全部"],
        more: true,
    },
    Knob {
        name: ["on error", "出错时"],
        path: "on_error",
        kind: Kind::Words(&["report", "send-again", "ignore"]),
        hint: [
            "what the application does about a failed send(): reports it (or aborts and repeats its transaction), sends again, or does not look",
            "send() 失败时应用怎么办：报告（或中止并重做事务）、再次发送、不检查",
        ],
        default: ["report", "report"],
        more: true,
    },
];

/// Of an application that reads.
pub const CONSUMER: &[Knob] = &[
    Knob {
        name: ["commits", "提交时机"],
        path: "commit",
        kind: Kind::Words(&[
            "auto",
            "store-after-processing",
            "before-processing",
            "after-processing",
            "highest-done",
            "contiguous-done",
            "never",
        ]),
        hint: [
            "when the application commits its offsets: before processing, a crash loses records; after it, a crash repeats them",
            "应用何时提交位移：处理前提交，崩溃会丢记录；处理后提交，崩溃会重复",
        ],
        default: ["as enable.auto.commit says", "由 enable.auto.commit 决定"],
        more: false,
    },
    Knob {
        name: ["isolation.level", "isolation.level"],
        path: "config/isolation.level",
        kind: Kind::Words(&["read_uncommitted", "read_committed"]),
        hint: [
            "whether records of open and aborted transactions are read (since 0.11)",
            "是否读取未结和已中止事务的记录（0.11 起）",
        ],
        default: [
            "read_uncommitted; librdkafka since 1.2: read_committed",
            "read_uncommitted；librdkafka 1.2 起为 read_committed",
        ],
        more: false,
    },
    Knob {
        name: ["enable.auto.commit", "enable.auto.commit"],
        path: "config/enable.auto.commit",
        kind: Kind::Flag,
        hint: [
            "the client commits by itself: in Java the positions of earlier polls, from within poll()",
            "客户端自行提交：Java 在 poll() 中提交先前各次 poll 的位置",
        ],
        default: ["true", "true"],
        more: false,
    },
    Knob {
        name: ["auto.commit.interval.ms", "auto.commit.interval.ms"],
        path: "config/auto.commit.interval.ms",
        kind: Kind::Number("ms", 0, 1000),
        hint: ["how often it does", "多久自动提交一次"],
        default: ["5000", "5000"],
        more: false,
    },
    Knob {
        name: ["auto.offset.reset", "auto.offset.reset"],
        path: "config/auto.offset.reset",
        kind: Kind::Words(&["latest", "earliest", "none"]),
        hint: [
            "where to begin without a committed offset",
            "没有已提交的位移时从哪里开始",
        ],
        default: ["latest", "latest"],
        more: false,
    },
    Knob {
        name: ["effect", "效果"],
        path: "effect",
        kind: Kind::Words(&["plain", "idempotent", "with-offset"]),
        hint: [
            "what processing does: each time anew, once for each offset, or stored together with the offset",
            "处理的效果：每次都发生、每个位移一次、与位移一起保存",
        ],
        default: ["plain", "plain"],
        more: false,
    },
    Knob {
        name: ["processing time", "处理耗时"],
        path: "processing_ms",
        kind: Kind::Decimal,
        hint: [
            "how long the application takes for a record",
            "应用处理一条记录的时间",
        ],
        default: ["0", "0"],
        more: false,
    },
    Knob {
        name: ["group.id", "group.id"],
        path: "config/group.id",
        kind: Kind::Text,
        hint: [
            "the group that shares the partitions and the committed offsets",
            "共享分区与已提交位移的消费者组",
        ],
        default: ["", ""],
        more: true,
    },
    Knob {
        name: ["enable.auto.offset.store", "enable.auto.offset.store"],
        path: "config/enable.auto.offset.store",
        kind: Kind::Flag,
        hint: [
            "librdkafka only: an offset counts for automatic commits as soon as its record is handed out",
            "仅 librdkafka：记录一交出，其位移就可被自动提交",
        ],
        default: ["true", "true"],
        more: true,
    },
    Knob {
        name: ["max.poll.records", "max.poll.records"],
        path: "config/max.poll.records",
        kind: Kind::Number("", 1, 1),
        hint: [
            "how many records a poll() returns at most (since 0.10)",
            "一次 poll() 最多返回多少条记录（0.10 起）",
        ],
        default: ["500", "500"],
        more: true,
    },
    Knob {
        name: ["max.poll.interval.ms", "max.poll.interval.ms"],
        path: "config/max.poll.interval.ms",
        kind: Kind::Number("ms", 1, 1000),
        hint: [
            "how long may pass between two polls before the consumer leaves its group (since 0.10.1)",
            "两次 poll 最多相隔多久，否则离开消费者组（0.10.1 起）",
        ],
        default: ["300000", "300000"],
        more: true,
    },
    Knob {
        name: ["session.timeout.ms", "session.timeout.ms"],
        path: "config/session.timeout.ms",
        kind: Kind::Number("ms", 1, 1000),
        hint: [
            "how long the group waits for a heartbeat",
            "消费者组等待心跳多久",
        ],
        default: [
            "45000 since 3.0; 10000 before",
            "3.0 起为 45000，之前为 10000",
        ],
        more: true,
    },
    Knob {
        name: ["group.protocol", "group.protocol"],
        path: "config/group.protocol",
        kind: Kind::Words(&["classic", "consumer"]),
        hint: [
            "consumer: the broker spreads the partitions, nobody stops (KIP-848, since 3.7, ready in 4.0)",
            "consumer：由 broker 分配分区，无人停顿（KIP-848，3.7 起，4.0 可用）",
        ],
        default: ["classic", "classic"],
        more: true,
    },
    Knob {
        name: ["workers", "工作线程"],
        path: "workers",
        kind: Kind::Number("", 1, 1),
        hint: [
            "how many records are processed at the same time",
            "同时处理多少条记录",
        ],
        default: ["1", "1"],
        more: true,
    },
    Knob {
        name: ["client", "客户端"],
        path: "client",
        kind: Kind::Client,
        hint: [
            "the client library and its version: defaults and defects depend on it",
            "客户端库及其版本：默认值与缺陷都取决于它",
        ],
        default: ["java 4.0.0", "java 4.0.0"],
        more: false,
    },
];

/// Of a Kafka Streams application.
pub const STREAMS: &[Knob] = &[
    Knob {
        name: ["processing.guarantee", "processing.guarantee"],
        path: "config/processing.guarantee",
        kind: Kind::Words(&["at_least_once", "exactly_once_v2"]),
        hint: [
            "exactly_once_v2: offsets, output and changelog are one transaction (since 2.6, by this name since 3.0)",
            "exactly_once_v2：位移、输出与 changelog 属于同一事务（2.6 起，3.0 起用此名）",
        ],
        default: ["at_least_once", "at_least_once"],
        more: false,
    },
    Knob {
        name: ["commit.interval.ms", "commit.interval.ms"],
        path: "config/commit.interval.ms",
        kind: Kind::Number("ms", 1, 100),
        hint: ["how often the application commits", "应用多久提交一次"],
        default: [
            "30000; 100 with exactly_once_v2",
            "30000；exactly_once_v2 为 100",
        ],
        more: false,
    },
    Knob {
        name: ["client", "客户端"],
        path: "client",
        kind: Kind::Client,
        hint: [
            "the version of Kafka Streams: defaults and defects depend on it",
            "Kafka Streams 的版本：默认值与缺陷都取决于它",
        ],
        default: ["java 4.0.0", "java 4.0.0"],
        more: false,
    },
    Knob {
        name: ["store", "本地状态"],
        path: "store",
        kind: Kind::Flag,
        hint: [
            "whether it counts by key in a local store with a changelog topic",
            "是否用带 changelog 主题的本地状态按 key 计数",
        ],
        default: ["false", "false"],
        more: false,
    },
    Knob {
        name: ["processing time", "处理耗时"],
        path: "processing_ms",
        kind: Kind::Decimal,
        hint: ["how long it takes for a record", "处理一条记录的时间"],
        default: ["0", "0"],
        more: false,
    },
    Knob {
        name: ["producer.acks", "producer.acks"],
        path: "config/producer/acks",
        kind: Kind::Words(&["0", "1", "all"]),
        hint: ["as for a producer", "同生产者"],
        default: ["all since 3.0; 1 before", "3.0 起为 all，之前为 1"],
        more: true,
    },
    Knob {
        name: ["producer.retries", "producer.retries"],
        path: "config/producer/retries",
        kind: Kind::Number("", 0, 1),
        hint: ["as for a producer", "同生产者"],
        default: [
            "2147483647 since 2.1; 0 before",
            "2.1 起为 2147483647，之前为 0",
        ],
        more: true,
    },
    Knob {
        name: ["producer.enable.idempotence", "producer.enable.idempotence"],
        path: "config/producer/enable.idempotence",
        kind: Kind::Flag,
        hint: ["as for a producer", "同生产者"],
        default: [
            "true since 3.0.1 (not in 3.1.0)",
            "3.0.1 起为 true（3.1.0 除外）",
        ],
        more: true,
    },
    Knob {
        name: [
            "producer.max.in.flight.requests.per.connection",
            "producer.max.in.flight.requests.per.connection",
        ],
        path: "config/producer/max.in.flight.requests.per.connection",
        kind: Kind::Number("", 1, 1),
        hint: ["as for a producer", "同生产者"],
        default: ["5", "5"],
        more: true,
    },
    Knob {
        name: ["producer.request.timeout.ms", "producer.request.timeout.ms"],
        path: "config/producer/request.timeout.ms",
        kind: Kind::Number("ms", 1, 1000),
        hint: ["as for a producer", "同生产者"],
        default: ["30000", "30000"],
        more: true,
    },
    Knob {
        name: [
            "producer.delivery.timeout.ms",
            "producer.delivery.timeout.ms",
        ],
        path: "config/producer/delivery.timeout.ms",
        kind: Kind::Number("ms", 1, 1000),
        hint: ["as for a producer", "同生产者"],
        default: ["120000", "120000"],
        more: true,
    },
    Knob {
        name: ["producer.retry.backoff.ms", "producer.retry.backoff.ms"],
        path: "config/producer/retry.backoff.ms",
        kind: Kind::Number("ms", 0, 10),
        hint: ["as for a producer", "同生产者"],
        default: ["100", "100"],
        more: true,
    },
    Knob {
        name: [
            "producer.transaction.timeout.ms",
            "producer.transaction.timeout.ms",
        ],
        path: "config/producer/transaction.timeout.ms",
        kind: Kind::Number("ms", 1, 1000),
        hint: [
            "how long its transaction may be open before the coordinator aborts it",
            "它的事务打开多久后由协调器中止",
        ],
        default: ["10000", "10000"],
        more: true,
    },
    Knob {
        name: [
            "consumer.max.poll.interval.ms",
            "consumer.max.poll.interval.ms",
        ],
        path: "config/max.poll.interval.ms",
        kind: Kind::Number("ms", 1, 1000),
        hint: [
            "how long may pass between two polls before it leaves its group",
            "两次 poll 最多相隔多久，否则离开消费者组",
        ],
        default: ["300000", "300000"],
        more: true,
    },
    Knob {
        name: ["consumer.session.timeout.ms", "consumer.session.timeout.ms"],
        path: "config/session.timeout.ms",
        kind: Kind::Number("ms", 1, 1000),
        hint: [
            "how long the group waits for a heartbeat",
            "消费者组等待心跳多久",
        ],
        default: [
            "45000 since 3.0; 10000 before",
            "3.0 起为 45000，之前为 10000",
        ],
        more: true,
    },
    Knob {
        name: ["sendOffsetsToTransaction", "sendOffsetsToTransaction"],
        path: "send_offsets",
        kind: Kind::Words(&["group-metadata", "group-id-only"]),
        hint: [
            "what it names: the group’s metadata fences zombies (since 2.5), the group id alone does not",
            "传入什么：组元数据可隔离僵尸（2.5 起），只有 group id 则不能",
        ],
        default: ["group-metadata", "group-metadata"],
        more: true,
    },
];

/// Of a topic.
pub const TOPIC: &[Knob] = &[
    Knob {
        name: ["replication.factor", "replication.factor"],
        path: "replication.factor",
        kind: Kind::Number("", 1, 1),
        hint: [
            "how many brokers have a replica of each partition",
            "每个分区的副本数",
        ],
        default: ["1", "1"],
        more: false,
    },
    Knob {
        name: ["min.insync.replicas", "min.insync.replicas"],
        path: "min.insync.replicas",
        kind: Kind::Number("", 1, 1),
        hint: [
            "with acks=all, so many replicas have to be in sync for a write",
            "acks=all 时写入所需的最少同步副本数",
        ],
        default: ["1", "1"],
        more: false,
    },
    Knob {
        name: [
            "unclean.leader.election.enable",
            "unclean.leader.election.enable",
        ],
        path: "unclean.leader.election.enable",
        kind: Kind::Flag,
        hint: [
            "whether a replica that is out of sync may lead when no other is left",
            "没有同步副本时，未同步的副本能否成为 leader",
        ],
        default: [
            "false since 0.11; true before",
            "0.11 起为 false，之前为 true",
        ],
        more: false,
    },
    Knob {
        name: ["partitions", "分区数"],
        path: "partitions",
        kind: Kind::Number("", 1, 1),
        hint: ["how many partitions the topic has", "主题的分区数"],
        default: ["1", "1"],
        more: true,
    },
    Knob {
        name: ["retention.ms", "retention.ms"],
        path: "retention.ms",
        kind: Kind::Number("ms", 1, 1000),
        hint: ["how long records are kept", "记录保留多久"],
        default: [
            "here for ever; in Kafka 604800000",
            "此处不限；Kafka 为 604800000",
        ],
        more: true,
    },
];

/// Of the `KafkaSink` of a job.
pub const KAFKA_SINK: &[Knob] = &[
    Knob {
        name: ["transactionalIdPrefix", "transactionalIdPrefix"],
        path: "transactionalIdPrefix",
        kind: Kind::Text,
        hint: [
            "what all transactional ids of the sink begin with: the clean-up at the start looks for no others. exactly-once needs one that no other job has",
            "sink 的所有事务 ID 的前缀：启动时的清理只查找它。exactly-once 必须有一个，且不与其他作业相同",
        ],
        default: ["here sink; in Flink none", "此处为 sink，Flink 没有默认值"],
        more: false,
    },
    Knob {
        name: ["transactionNamingStrategy", "transactionNamingStrategy"],
        path: "transactionNamingStrategy",
        kind: Kind::Words(&["INCREMENTING", "POOLING"]),
        hint: [
            "INCREMENTING: an id for every transaction, prefix-subtask-checkpoint, and the start probes which were used; POOLING: ids are used again, and the start lists what is open",
            "INCREMENTING：每个事务一个 ID（前缀-子任务-检查点），启动时逐个试探；POOLING：ID 重复使用，启动时列出未结事务",
        ],
        default: ["INCREMENTING", "INCREMENTING"],
        more: false,
    },
    Knob {
        name: ["transaction.timeout.ms", "transaction.timeout.ms"],
        path: "config/transaction.timeout.ms",
        kind: Kind::Number("ms", 1, 1000),
        hint: [
            "how long a transaction may be open before the coordinator aborts it; a commit that comes later loses its records. At most the broker’s transaction.max.timeout.ms",
            "事务打开多久后由协调器中止；更晚的提交会丢失其中的记录。不得大于 broker 的 transaction.max.timeout.ms",
        ],
        default: [
            "3600000 in a KafkaSink (in a plain producer 60000)",
            "KafkaSink 为 3600000（普通生产者为 60000）",
        ],
        more: false,
    },
    Knob {
        name: ["delivery.timeout.ms", "delivery.timeout.ms"],
        path: "config/delivery.timeout.ms",
        kind: Kind::Number("ms", 1, 1000),
        hint: [
            "how long after send() a record is given up at the latest, retries included: the sink fails then. 0 to 2147483647",
            "send() 之后最迟多久放弃一条记录，含重试：届时 sink 失败。0 至 2147483647",
        ],
        default: ["120000", "120000"],
        more: false,
    },
    Knob {
        name: ["acks", "acks"],
        path: "config/acks",
        kind: Kind::Words(&["0", "1", "all"]),
        hint: [
            "how many replicas must have a record before the leader confirms it. Transactions need all",
            "leader 确认之前多少个副本必须写入。事务要求 all",
        ],
        default: ["all", "all"],
        more: true,
    },
    Knob {
        name: ["enable.idempotence", "enable.idempotence"],
        path: "config/enable.idempotence",
        kind: Kind::Flag,
        hint: [
            "batches carry producer id, epoch and sequence, so that the broker notices a repeated one. Transactions need it",
            "批次带上 producer id、epoch 和序列号，broker 由此发现重复的批次。事务必须如此",
        ],
        default: ["true", "true"],
        more: true,
    },
    Knob {
        name: ["retries", "retries"],
        path: "config/retries",
        kind: Kind::Number("", 0, 1),
        hint: [
            "how often a batch is sent again after an error or a lost response",
            "出错或响应丢失之后，一个批次最多重发几次",
        ],
        default: ["2147483647", "2147483647"],
        more: true,
    },
    Knob {
        name: ["request.timeout.ms", "request.timeout.ms"],
        path: "config/request.timeout.ms",
        kind: Kind::Number("ms", 1, 1000),
        hint: [
            "how long the client waits for a response before it takes it for lost",
            "客户端等待响应多久后视为丢失",
        ],
        default: ["30000", "30000"],
        more: true,
    },
    Knob {
        name: ["client", "客户端"],
        path: "client",
        kind: Kind::Client,
        hint: [
            "the client library of its producers, and its version",
            "其生产者的客户端库及版本",
        ],
        default: ["java 4.0.0", "java 4.0.0"],
        more: true,
    },
];

/// Of the brokers.
pub const CLUSTER: &[Knob] = &[
    Knob {
        name: ["brokers", "broker 数"],
        path: "brokers",
        kind: Kind::Number("", 1, 1),
        hint: [
            "how many brokers there are, 1 to 9",
            "broker 的个数，1 至 9",
        ],
        default: ["1", "1"],
        more: false,
    },
    Knob {
        name: ["transaction.version", "transaction.version"],
        path: "transaction.version",
        kind: Kind::Number("", 0, 1),
        hint: [
            "with 2, the epoch is bumped at the end of every transaction, so that stragglers are refused (KIP-890)",
            "为 2 时，每个事务结束都递增 epoch，迟到的请求因此被拒绝（KIP-890）",
        ],
        default: ["2 since 4.0; 0 before", "4.0 起为 2，之前为 0"],
        more: false,
    },
    Knob {
        name: [
            "transaction.partition.verification.enable",
            "transaction.partition.verification.enable",
        ],
        path: "transaction.partition.verification.enable",
        kind: Kind::Flag,
        hint: [
            "a broker asks the coordinator before it takes the first batch of a transaction (since 3.6)",
            "broker 在接受事务的第一个批次之前向协调器核实（3.6 起）",
        ],
        default: ["true", "true"],
        more: true,
    },
    Knob {
        name: ["transaction.max.timeout.ms", "transaction.max.timeout.ms"],
        path: "transaction.max.timeout.ms",
        kind: Kind::Number("ms", 1, 1000),
        hint: [
            "the longest transaction.timeout.ms that is allowed (since 0.11)",
            "允许的最长 transaction.timeout.ms（0.11 起）",
        ],
        default: ["900000", "900000"],
        more: true,
    },
    Knob {
        name: [
            "transaction.abort.timed.out.transaction.cleanup.interval.ms",
            "transaction.abort.timed.out.transaction.cleanup.interval.ms",
        ],
        path: "transaction.abort.timed.out.transaction.cleanup.interval.ms",
        kind: Kind::Number("ms", 1, 1000),
        hint: [
            "how often the coordinator looks for transactions that have taken too long",
            "协调器多久检查一次超时的事务",
        ],
        default: ["10000", "10000"],
        more: true,
    },
    Knob {
        name: ["replica.lag.time.max.ms", "replica.lag.time.max.ms"],
        path: "replica.lag.time.max.ms",
        kind: Kind::Number("ms", 1, 1000),
        hint: [
            "how long a follower may be behind before it is out of sync",
            "follower 落后多久后退出 ISR",
        ],
        default: [
            "30000 since 2.5; 10000 before",
            "2.5 起为 30000，之前为 10000",
        ],
        more: true,
    },
    Knob {
        name: ["producer.id.expiration.ms", "producer.id.expiration.ms"],
        path: "producer.id.expiration.ms",
        kind: Kind::Number("ms", 1, 1000),
        hint: [
            "how long an idempotent producer is remembered after its last batch (since 3.4)",
            "幂等生产者最后一个批次之后被记住多久（3.4 起）",
        ],
        default: ["86400000", "86400000"],
        more: true,
    },
    Knob {
        name: ["offsets.retention.minutes", "offsets.retention.minutes"],
        path: "offsets.retention.minutes",
        kind: Kind::Number("min", 1, 1),
        hint: [
            "how long the offsets of an empty group are kept",
            "空消费者组的位移保留多久",
        ],
        default: [
            "10080 since 2.0; 1440 before",
            "2.0 起为 10080，之前为 1440",
        ],
        more: true,
    },
    Knob {
        name: ["clock defect", "时钟缺陷"],
        path: "coordinator_locks_on_clock_step",
        kind: Kind::Flag,
        hint: [
            "the coordinator locks a transactional id when its clock is set back: a defect before 2.5",
            "时钟回拨时协调器锁住事务 ID：2.5 之前的缺陷",
        ],
        default: ["false", "false"],
        more: true,
    },
];

/// How long things take.
pub const COSTS: &[Knob] = &[
    Knob {
        name: ["network", "网络"],
        path: "network_ms",
        kind: Kind::Number("ms", 0, 1),
        hint: [
            "how long a request or a response is under way",
            "请求或响应在途的时间",
        ],
        default: ["5", "5"],
        more: false,
    },
    Knob {
        name: ["restart", "重启"],
        path: "restart_ms",
        kind: Kind::Number("ms", 0, 100),
        hint: [
            "how long a client or a broker that has crashed stays down",
            "崩溃的客户端或 broker 多久后重启",
        ],
        default: ["1000", "1000"],
        more: false,
    },
    Knob {
        name: ["broker time", "broker 耗时"],
        path: "broker_ms",
        kind: Kind::Decimal,
        hint: [
            "how long a broker or a coordinator takes for a request",
            "broker 或协调器处理一个请求的时间",
        ],
        default: ["0", "0"],
        more: true,
    },
    Knob {
        name: ["fetch", "拉取"],
        path: "fetch_ms",
        kind: Kind::Number("ms", 0, 1),
        hint: [
            "how long after an append a follower has fetched it",
            "追加之后多久 follower 拉取到它",
        ],
        default: ["5", "5"],
        more: true,
    },
    Knob {
        name: ["transaction log", "事务日志"],
        path: "log_ms",
        kind: Kind::Number("ms", 0, 1),
        hint: [
            "how long it takes to write a transition or a marker",
            "写入一次状态转换或一个标记的时间",
        ],
        default: ["5", "5"],
        more: true,
    },
    Knob {
        name: ["election", "选举"],
        path: "election_ms",
        kind: Kind::Number("ms", 0, 10),
        hint: [
            "how long it takes until a new leader is elected",
            "选出新 leader 的时间",
        ],
        default: ["50", "50"],
        more: true,
    },
    Knob {
        name: ["idle poll", "空轮询"],
        path: "poll_ms",
        kind: Kind::Number("ms", 1, 10),
        hint: [
            "how long a consumer waits after a poll that returned nothing",
            "poll 没有返回内容时消费者等待多久",
        ],
        default: ["10", "10"],
        more: true,
    },
    Knob {
        name: ["jitter", "抖动"],
        path: "jitter_percent",
        kind: Kind::Number("", 0, 5),
        hint: [
            "how far times may be off, in percent",
            "时间可以偏离的百分比",
        ],
        default: ["0", "0"],
        more: true,
    },
];

/// Of the run.
pub const RUN: &[Knob] = &[
    Knob {
        name: ["verdict for", "结论针对"],
        path: "judge",
        kind: Kind::Words(&["read_committed", "read_uncommitted", "effects", "store"]),
        hint: ["for whom the verdict is given", "结论针对谁"],
        default: [
            "the effects of the first group; without one, read_committed",
            "第一个消费者组的效果；没有时为 read_committed",
        ],
        more: false,
    },
    Knob {
        name: ["seed", "种子"],
        path: "seed",
        kind: Kind::Number("", 0, 1),
        hint: [
            "another seed, another jitter of the times",
            "不同的种子，不同的耗时抖动",
        ],
        default: ["0", "0"],
        more: false,
    },
];

/// Of two-phase commit.
pub const PROTOCOL: &[Knob] = &[
    Knob {
        name: ["cooperative termination", "协作终止"],
        path: "protocol/cooperative_termination",
        kind: Kind::Flag,
        hint: [
            "whether a participant in doubt asks all others, too, not the coordinator alone",
            "悬而未决的参与者是否也询问其他参与者，而不只是协调者",
        ],
        default: ["false", "false"],
        more: false,
    },
    Knob {
        name: ["presumed", "假定"],
        path: "protocol/presumed",
        kind: Kind::Words(&["nothing", "abort"]),
        hint: [
            "what it means that the coordinator has no record of a transaction; with abort, an abort is neither forced nor acknowledged",
            "协调者没有事务的记录意味着什么；为 abort 时，中止既不强制写盘，也不确认",
        ],
        default: ["nothing", "nothing"],
        more: false,
    },
];

/// How long things take in two-phase commit, and what may break.
pub const PROTOCOL_COSTS: &[Knob] = &[
    Knob {
        name: ["network", "网络"],
        path: "costs/network_ms",
        kind: Kind::Decimal,
        hint: ["how long a message is under way", "消息在途的时间"],
        default: ["10", "10"],
        more: false,
    },
    Knob {
        name: ["time-out", "超时"],
        path: "costs/timeout_ms",
        kind: Kind::Number("ms", 1, 10),
        hint: [
            "how long a process waits for a message before it does something about it",
            "进程等待消息多久之后采取行动",
        ],
        default: ["100", "100"],
        more: false,
    },
    Knob {
        name: ["restart", "重启"],
        path: "costs/restart_ms",
        kind: Kind::Number("ms", 0, 100),
        hint: [
            "how long a process that has crashed is down",
            "崩溃的进程多久后恢复",
        ],
        default: ["500", "500"],
        more: false,
    },
    Knob {
        name: ["force the log", "强制写日志"],
        path: "costs/force_ms",
        kind: Kind::Decimal,
        hint: [
            "how long it takes until a record is on disk",
            "一条记录落盘所需的时间",
        ],
        default: ["5", "5"],
        more: true,
    },
    Knob {
        name: ["send", "发送"],
        path: "costs/send_ms",
        kind: Kind::Decimal,
        hint: [
            "how long it takes to send a message: one after the other",
            "发送一条消息的时间：逐条发送",
        ],
        default: ["1", "1"],
        more: true,
    },
    Knob {
        name: ["flush", "写回"],
        path: "costs/flush_ms",
        kind: Kind::Number("ms", 0, 50),
        hint: [
            "how long a record that nobody waits for is in memory only",
            "无人等待的记录在内存中停留多久",
        ],
        default: ["200", "200"],
        more: true,
    },
    Knob {
        name: ["jitter", "抖动"],
        path: "costs/jitter_percent",
        kind: Kind::Number("", 0, 5),
        hint: [
            "how far times may be off, in percent",
            "时间可以偏离的百分比",
        ],
        default: ["0", "0"],
        more: true,
    },
    Knob {
        name: ["crashes allowed", "允许的崩溃"],
        path: "faults/max_crashes",
        kind: Kind::Number("", 0, 1),
        hint: [
            "how many crashes and stops may happen, planned ones included",
            "最多允许多少次崩溃和停止，含计划内的",
        ],
        default: ["9", "9"],
        more: true,
    },
    Knob {
        name: ["seed", "种子"],
        path: "seed",
        kind: Kind::Number("", 0, 1),
        hint: [
            "another seed, another jitter of the times",
            "不同的种子，不同的耗时抖动",
        ],
        default: ["0", "0"],
        more: true,
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_knob_says_what_it_does_in_both_languages() {
        let all = [
            PRODUCER,
            CONSUMER,
            STREAMS,
            TOPIC,
            CLUSTER,
            COSTS,
            RUN,
            PROTOCOL,
            PROTOCOL_COSTS,
        ];
        for knob in all.into_iter().flatten() {
            for lang in Lang::ALL {
                assert!(!knob.hint(lang, None).is_empty(), "{}", knob.path);
            }
            assert!(!knob.path.starts_with('/'), "{}", knob.path);
        }
    }
}
