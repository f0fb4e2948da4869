//! Options of Kafka's clients that a scenario's `config` may contain without their being modelled, so that a
//! real configuration can be pasted; and what is said of those that it may not contain.
//!
//! Names from Kafka's `ProducerConfig`, `ConsumerConfig`, `StreamsConfig` and `CommonClientConfigs`, and
//! from librdkafka's `CONFIGURATION.md`.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, Error, IgnoredAny, IntoDeserializer, MapAccess, Visitor,
};
use serde_json::Value;

use super::nearest::suggestion;

/// An option that Kafka has and that is not modelled, because it changes no guarantee: it makes no
/// difference to the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    /// The option, as a path: `producers[0].config.linger.ms`.
    pub field: String,
}

impl fmt::Display for Ignored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: known to Kafka, not modelled here: it changes no guarantee",
            self.field
        )
    }
}

/// Whose options they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Producer,
    Consumer,
    Streams,
    /// The producer inside of a Streams application.
    StreamsProducer,
}

/// What an option is here.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Meaning {
    Modelled,
    Ignored,
    /// Why it may not be there.
    Refused(String),
}

const PRODUCER: [&str; 9] = [
    "acks",
    "retries",
    "enable.idempotence",
    "max.in.flight.requests.per.connection",
    "request.timeout.ms",
    "delivery.timeout.ms",
    "retry.backoff.ms",
    "transactional.id",
    "transaction.timeout.ms",
];

const CONSUMER: [&str; 10] = [
    "group.id",
    "isolation.level",
    "enable.auto.commit",
    "auto.commit.interval.ms",
    "enable.auto.offset.store",
    "auto.offset.reset",
    "max.poll.records",
    "max.poll.interval.ms",
    "session.timeout.ms",
    "group.protocol",
];

const STREAMS: [&str; 5] = [
    "processing.guarantee",
    "commit.interval.ms",
    "producer",
    "max.poll.interval.ms",
    "session.timeout.ms",
];

/// What all clients have, and what changes no guarantee.
const COMMON: [&str; 26] = [
    "bootstrap.servers",
    "metadata.broker.list",
    "client.id",
    "client.dns.lookup",
    "client.rack",
    "metadata.max.age.ms",
    "metadata.max.idle.ms",
    "metadata.recovery.strategy",
    "metadata.recovery.rebootstrap.trigger.ms",
    "send.buffer.bytes",
    "receive.buffer.bytes",
    "reconnect.backoff.ms",
    "reconnect.backoff.max.ms",
    "retry.backoff.max.ms",
    "connections.max.idle.ms",
    "security.protocol",
    "security.providers",
    "metric.reporters",
    "auto.include.jmx.reporter",
    "enable.metrics.push",
    "interceptor.classes",
    "statistics.interval.ms",
    "topic.metadata.refresh.interval.ms",
    "message.max.bytes",
    "debug",
    "schema.registry.url",
];

/// The beginnings of further ones.
const COMMON_PREFIXES: [&str; 5] = ["ssl.", "sasl.", "socket.", "metrics.", "log."];

const PRODUCER_IGNORED: [&str; 22] = [
    "linger.ms",
    "batch.size",
    "batch.num.messages",
    "buffer.memory",
    "compression.type",
    "compression.codec",
    "compression.level",
    "compression.gzip.level",
    "compression.lz4.level",
    "compression.zstd.level",
    "key.serializer",
    "value.serializer",
    "max.block.ms",
    "max.request.size",
    "partitioner",
    "partitioner.class",
    "partitioner.adaptive.partitioning.enable",
    "partitioner.availability.timeout.ms",
    "partitioner.ignore.keys",
    "queue.buffering.max.ms",
    "queue.buffering.max.messages",
    "queue.buffering.max.kbytes",
];

const CONSUMER_IGNORED: [&str; 18] = [
    "fetch.min.bytes",
    "fetch.max.bytes",
    "fetch.max.wait.ms",
    "fetch.wait.max.ms",
    "fetch.message.max.bytes",
    "max.partition.fetch.bytes",
    "key.deserializer",
    "value.deserializer",
    "check.crcs",
    "default.api.timeout.ms",
    "request.timeout.ms",
    "retry.backoff.ms",
    "heartbeat.interval.ms",
    "exclude.internal.topics",
    "allow.auto.create.topics",
    "queued.min.messages",
    "queued.max.messages.kbytes",
    "enable.partition.eof",
];

const STREAMS_IGNORED: [&str; 28] = [
    "state.dir",
    "state.cleanup.delay.ms",
    "cache.max.bytes.buffering",
    "statestore.cache.max.bytes",
    "default.key.serde",
    "default.value.serde",
    "default.timestamp.extractor",
    "default.deserialization.exception.handler",
    "deserialization.exception.handler",
    "processing.exception.handler",
    "default.client.supplier",
    "default.dsl.store",
    "dsl.store.suppliers.class",
    "num.standby.replicas",
    "max.warmup.replicas",
    "acceptable.recovery.lag",
    "probing.rebalance.interval.ms",
    "poll.ms",
    "max.poll.records",
    "max.task.idle.ms",
    "task.timeout.ms",
    "topology.optimization",
    "upgrade.from",
    "rocksdb.config.setter",
    "windowstore.changelog.additional.retention.ms",
    "buffered.records.per.partition",
    "application.server",
    "repartition.purge.interval.ms",
];

/// What would change what is guaranteed, or when partitions move, and is not modelled.
const NOT_MODELLED: [(&str, &str); 9] = [
    (
        "group.instance.id",
        "static membership (java since 2.3.0, librdkafka since 1.4.0) changes who gets the partitions after a restart",
    ),
    (
        "partition.assignment.strategy",
        "here every group has the assignor range and the eager protocol",
    ),
    (
        "group.remote.assignor",
        "here every group has the assignor range",
    ),
    (
        "internal.leave.group.on.close",
        "here a consumer leaves its group when it is stopped",
    ),
    (
        "transaction.two.phase.commit.enable",
        "here a transaction always ends by its timeout",
    ),
    (
        "enable.gapless.guarantee",
        "here a batch that fails lets the next one pass",
    ),
    (
        "num.stream.threads",
        "here an instance has one thread; list a second instance in `streams`",
    ),
    (
        "production.exception.handler",
        "here an application dies of a record that it cannot write",
    ),
    (
        "default.production.exception.handler",
        "here an application dies of a record that it cannot write",
    ),
];

/// What Streams decides by itself, and what it decides for.
const STREAMS_DECIDES: [(&str, &str); 8] = [
    ("group.id", "it is the application.id"),
    ("application.id", "it stands beside `config`, not in it"),
    ("enable.auto.commit", "it is false"),
    (
        "isolation.level",
        "it is read_committed with exactly_once_v2, else read_uncommitted",
    ),
    ("auto.offset.reset", "it is earliest"),
    ("group.protocol", "it is classic"),
    (
        "replication.factor",
        "a changelog is replicated as the input topic is",
    ),
    ("transactional.id", "it has one of its own"),
];

/// What other libraries and former versions call an option.
const ALIASES: [(&str, &str); 7] = [
    ("request.required.acks", "acks"),
    ("message.send.max.retries", "retries"),
    ("message.timeout.ms", "delivery.timeout.ms"),
    ("max.in.flight", "max.in.flight.requests.per.connection"),
    (
        "maxInFlightRequests",
        "max.in.flight.requests.per.connection",
    ),
    ("idempotent", "enable.idempotence"),
    ("auto.commit.enable", "enable.auto.commit"),
];

impl Owner {
    /// The options that are modelled.
    const fn modelled(self) -> &'static [&'static str] {
        match self {
            Self::Producer | Self::StreamsProducer => &PRODUCER,
            Self::Consumer => &CONSUMER,
            Self::Streams => &STREAMS,
        }
    }

    fn ignores(self, option: &str) -> bool {
        let own: &[&str] = match self {
            Self::Producer | Self::StreamsProducer => &PRODUCER_IGNORED,
            Self::Consumer => &CONSUMER_IGNORED,
            Self::Streams => &STREAMS_IGNORED,
        };
        own.contains(&option)
            || COMMON.contains(&option)
            || COMMON_PREFIXES.iter().any(|it| option.starts_with(it))
            || self == Self::Streams && option.starts_with("rack.aware.")
            // Options of its consumer may stand without a prefix, as in Kafka.
            || self == Self::Streams && CONSUMER_IGNORED.contains(&option)
    }

    fn meaning(self, option: &str) -> Meaning {
        if self.modelled().contains(&option) {
            return Meaning::Modelled;
        }
        if self.ignores(option) {
            return Meaning::Ignored;
        }
        let prefixed = match self {
            Self::Streams => prefixed(option),
            _ => None,
        };
        prefixed.unwrap_or_else(|| Meaning::Refused(self.refusal(option)))
    }

    /// Why an option may not be there.
    fn refusal(self, option: &str) -> String {
        let find = |table: &[(&'static str, &'static str)]| {
            let mut table = table.iter();
            table.find(|(name, _)| *name == option).map(|(_, it)| *it)
        };
        if self == Self::Streams
            && let Some(why) = find(&STREAMS_DECIDES)
        {
            return format!("Streams decides this by itself: {why}; leave it out");
        }
        if let Some(why) = find(&NOT_MODELLED) {
            return format!("known to Kafka, not modelled here: {why}; leave it out");
        }
        if let Some(name) = find(&ALIASES) {
            return format!("write it as `{name}`, Kafka's name for it");
        }
        if let Some(place) = self.belongs(option) {
            return format!("this is an option of {place}");
        }
        let known = self.modelled();
        suggestion(option, known.iter().copied()).map_or_else(
            || format!("Kafka has no such option; there are: {}", known.join(", ")),
            |meant| format!("Kafka has no such option; {meant}"),
        )
    }

    /// Whose option it is instead.
    fn belongs(self, option: &str) -> Option<&'static str> {
        let has = |owner: Self| owner.modelled().contains(&option) || owner.ignores(option);
        match self {
            Self::Streams if has(Self::Producer) => Some("its producer: write it into `producer`"),
            _ if has(Self::Producer) => Some("producers"),
            _ if has(Self::Consumer) => Some("consumers"),
            _ if has(Self::Streams) => Some("Kafka Streams applications"),
            _ => None,
        }
    }
}

/// An option of the producer or a consumer inside of a Streams application, as Kafka writes it.
fn prefixed(option: &str) -> Option<Meaning> {
    if let Some(name) = option.strip_prefix("producer.") {
        return Some(match Owner::StreamsProducer.meaning(name) {
            Meaning::Modelled => {
                Meaning::Refused(format!("write it as `\"producer\": {{ \"{name}\": … }}`"))
            }
            other => other,
        });
    }
    let mut prefixes = ["main.consumer.", "consumer."].into_iter();
    let name = prefixes.find_map(|prefix| option.strip_prefix(prefix))?;
    Some(match Owner::Streams.meaning(name) {
        Meaning::Modelled => Meaning::Refused(format!("write it as `{name}`")),
        other => other,
    })
}

/// The ignored options of all clients, in the order of the text.
pub(super) fn ignored(scenario: &Value) -> Vec<Ignored> {
    let mut found = Vec::new();
    for (list, owner) in [
        ("producers", Owner::Producer),
        ("consumers", Owner::Consumer),
        ("streams", Owner::Streams),
    ] {
        let apps = scenario.get(list).and_then(Value::as_array);
        for (at, app) in apps.into_iter().flatten().enumerate() {
            let field = format!("{list}[{at}].config");
            let Some(config) = app.get("config") else {
                continue;
            };
            found.extend(ignored_in(config, owner, &field));
            if let (Owner::Streams, Some(producer)) = (owner, config.get("producer")) {
                let field = format!("{field}.producer");
                found.extend(ignored_in(producer, Owner::StreamsProducer, &field));
            }
        }
    }
    found
}

fn ignored_in<'a>(
    config: &'a Value,
    owner: Owner,
    field: &'a str,
) -> impl Iterator<Item = Ignored> + 'a {
    let names = config.as_object().into_iter().flat_map(|it| it.keys());
    let ignored = names.filter(move |name| owner.meaning(name) == Meaning::Ignored);
    ignored.map(move |name| Ignored {
        field: format!("{field}.{name}"),
    })
}

/// Reads a producer's options.
pub(super) fn producer<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    sifted(deserializer, Owner::Producer)
}

/// Reads a consumer's options.
pub(super) fn consumer<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    sifted(deserializer, Owner::Consumer)
}

/// Reads a Streams application's options.
pub(super) fn streams<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    sifted(deserializer, Owner::Streams)
}

/// Reads the options of a Streams application's producer.
pub(super) fn streams_producer<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    sifted(deserializer, Owner::StreamsProducer)
}

fn sifted<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
    owner: Owner,
) -> Result<T, D::Error> {
    deserializer.deserialize_map(Options {
        owner,
        read: PhantomData,
    })
}

/// Reads options.
struct Options<T> {
    owner: Owner,
    read: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Options<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("options: {…}")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        let owner = self.owner;
        T::deserialize(MapAccessDeserializer::new(Sieve { map, owner }))
    }
}

/// Options without those that are ignored.
struct Sieve<A> {
    map: A,
    owner: Owner,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Sieve<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        while let Some(option) = self.map.next_key::<String>()? {
            match self.owner.meaning(&option) {
                Meaning::Modelled => return seed.deserialize(option.into_deserializer()).map(Some),
                Meaning::Ignored => {
                    self.map.next_value::<IgnoredAny>()?;
                }
                // Where its value would be read, its name is part of the path.
                Meaning::Refused(reason) => self.map.next_value_seed(Refusal(reason))?,
            }
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

/// Why an option may not be there.
struct Refusal(String);

impl<'de> DeserializeSeed<'de> for Refusal {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, _: D) -> Result<(), D::Error> {
        Err(D::Error::custom(self.0))
    }
}

/// A number that is an `int` in Kafka.
pub(super) mod int {
    use core::fmt;

    use serde::Deserializer;
    use serde::de::{Error, Unexpected, Visitor};

    /// The most that fits into it.
    pub(in super::super) const MOST: u32 = i32::MAX as u32;

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<u32>, D::Error> {
        deserializer.deserialize_any(Int)
    }

    struct Int;

    impl Visitor<'_> for Int {
        type Value = Option<u32>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a whole number from 0 to {MOST}")
        }

        fn visit_unit<E: Error>(self) -> Result<Option<u32>, E> {
            Ok(None)
        }

        fn visit_u64<E: Error>(self, number: u64) -> Result<Option<u32>, E> {
            let fitting = u32::try_from(number).ok().filter(|it| *it <= MOST);
            fitting
                .map(Some)
                .ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &self))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::delivery::{ConsumerConfig, ProducerConfig, StreamsConfig};

    /// What serde says of a field that does not exist.
    fn known<T: for<'de> Deserialize<'de>>() -> String {
        let told = serde_json::from_str::<T>("{\"?\": 0}").err();
        told.map_or_else(String::new, |it| format!("{it}"))
    }

    #[test]
    fn every_option_that_is_modelled_is_a_field_and_the_other_way_round() {
        for (owner, told) in [
            (Owner::Producer, known::<ProducerConfig>()),
            (Owner::Consumer, known::<ConsumerConfig>()),
            (Owner::Streams, known::<StreamsConfig>()),
        ] {
            let (_, fields) = told.split_once("expected").expect("it lists the fields");
            let mut fields: Vec<&str> = fields.split('`').skip(1).step_by(2).collect();
            let mut listed = owner.modelled().to_vec();
            fields.sort_unstable();
            listed.sort_unstable();
            assert_eq!(fields, listed, "{owner:?}");
        }
    }

    #[test]
    fn no_option_is_both_modelled_and_ignored() {
        for owner in [Owner::Producer, Owner::Consumer, Owner::Streams] {
            for option in owner.modelled() {
                assert!(!owner.ignores(option), "{owner:?} {option}");
            }
        }
    }
}
