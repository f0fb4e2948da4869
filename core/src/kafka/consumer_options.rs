//! What a consumer's options come to, by library and version.
//!
//! Sources: Kafka's `ConsumerConfig` (defaults; `checkUnsupportedConfigsPostProcess` since 4.0);
//! KIP-735 (the session timeout), KIP-848 (early access in Java 3.7.0 and librdkafka 2.4.0);
//! librdkafka's `CONFIGURATION.md` and change logs of 1.2.0, 1.7.0, 2.4.0 and 2.10.0; kafkajs'
//! `consumer/index.js`.
//! Versions before 1.0 are taken for 1.0.

use core::fmt;

use serde::{Deserialize, Serialize};

use super::client::{Client, GroupProtocol, Library};
use super::log::IsolationLevel;
use crate::time::Millis;

/// Where a consumer begins that finds no committed offset, or one that is out of range: the option
/// `auto.offset.reset`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum AutoOffsetReset {
    /// At the end: what is there is skipped. The default.
    #[default]
    Latest,
    /// At the beginning.
    Earliest,
    /// Nowhere: an error.
    None,
}

/// What a user writes; none where nothing is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ConsumerOptions {
    /// `enable.auto.commit`
    pub auto_commit: Option<bool>,
    /// `auto.commit.interval.ms`
    pub auto_commit_interval: Option<Millis>,
    /// `auto.offset.reset`
    pub auto_offset_reset: Option<AutoOffsetReset>,
    /// `isolation.level`
    pub isolation_level: Option<IsolationLevel>,
    /// `max.poll.records`
    pub max_poll_records: Option<u32>,
    /// `max.poll.interval.ms`
    pub max_poll_interval: Option<Millis>,
    /// `session.timeout.ms`
    pub session_timeout: Option<Millis>,
    /// `group.protocol`
    pub group_protocol: Option<GroupProtocol>,
    /// `enable.auto.offset.store`, of librdkafka
    pub auto_offset_store: Option<bool>,
}

/// What a consumer does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EffectiveConsumer {
    /// Whether it commits by itself.
    pub auto_commit: bool,
    /// How long it waits between two such commits; none in kafkajs, which commits after every batch.
    pub auto_commit_interval: Millis,
    /// Where it begins without an offset.
    pub auto_offset_reset: AutoOffsetReset,
    /// What it sees of transactions.
    pub isolation_level: IsolationLevel,
    /// How many records it is handed at a time. One by one in the libraries other than Java.
    pub max_poll_records: u32,
    /// How long it may take until it asks for more; none if nobody looks.
    pub max_poll_interval: Option<Millis>,
    /// How long it may be silent before the group goes on without it.
    pub session_timeout: Millis,
    /// How its group agrees.
    pub group_protocol: GroupProtocol,
    /// Whether a record counts for automatic commits as soon as it is handed out.
    pub auto_offset_store: bool,
}

/// Why a consumer does not start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConsumerConfigError {
    /// The library has no such option, or not yet.
    UnknownOption {
        /// Its name.
        option: &'static str,
        /// Who does not know it.
        client: Client,
        /// Who does, since when.
        known: &'static str,
    },
    /// The library has the option, but not this value, or not yet.
    UnknownValue {
        /// The option's name.
        option: &'static str,
        /// The value.
        value: &'static str,
        /// Who does not know it.
        client: Client,
    },
    /// Less than the least that it may be.
    TooSmall(&'static str),
    /// A `session.timeout.ms` with `group.protocol=consumer`, where it is the broker's to say.
    SessionTimeout,
    /// A `max.poll.interval.ms` that is shorter than the session timeout, which librdkafka does not take.
    PollInterval {
        /// The shortest that it may be.
        session: Millis,
    },
}

impl ConsumerConfigError {
    /// The option that is to blame.
    pub const fn option(&self) -> &'static str {
        match self {
            Self::UnknownOption { option, .. }
            | Self::UnknownValue { option, .. }
            | Self::TooSmall(option) => option,
            Self::SessionTimeout => "session.timeout.ms",
            Self::PollInterval { .. } => "max.poll.interval.ms",
        }
    }
}

impl fmt::Display for ConsumerConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownOption {
                option,
                client,
                known,
            } => write!(f, "{option} is unknown to {client}; known to {known}"),
            Self::UnknownValue {
                option,
                value,
                client,
            } => write!(f, "{option}={value} is unknown to {client}"),
            Self::TooSmall(option) => write!(f, "{option} must be at least 1"),
            Self::SessionTimeout => {
                f.write_str("session.timeout.ms cannot be set when group.protocol=consumer")
            }
            Self::PollInterval { session } => write!(
                f,
                "max.poll.interval.ms must be at least session.timeout.ms, {} ms: librdkafka does not start otherwise",
                session.0
            ),
        }
    }
}

impl core::error::Error for ConsumerConfigError {}

/// The default session timeout of today: of clients, and of brokers for `group.protocol=consumer`.
const SESSION_TIMEOUT: Millis = Millis(45_000);

/// What a consumer of this client does with these options.
pub fn effective(
    options: &ConsumerOptions,
    client: &Client,
) -> Result<EffectiveConsumer, ConsumerConfigError> {
    check_names(options, client)?;
    check_values(options, client)?;
    let group_protocol = options.group_protocol.unwrap_or_default();
    let session_timeout = match group_protocol {
        GroupProtocol::Consumer => SESSION_TIMEOUT,
        GroupProtocol::Classic => options
            .session_timeout
            .unwrap_or(default_session_timeout(client)),
    };
    let (interval, records, poll_interval) = match client.library {
        Library::Java => (5_000, 500, Some(Millis(300_000))),
        Library::Librdkafka => (5_000, 1, Some(Millis(300_000))),
        Library::KafkaJs => (0, 1, None),
    };
    let sees_all =
        client.library == Library::Java || client.is_before(Library::Librdkafka, 1, 2, 0);
    Ok(EffectiveConsumer {
        auto_commit: options.auto_commit.unwrap_or(true),
        auto_commit_interval: options.auto_commit_interval.unwrap_or(Millis(interval)),
        auto_offset_reset: options.auto_offset_reset.unwrap_or_default(),
        isolation_level: options.isolation_level.unwrap_or(match sees_all {
            true => IsolationLevel::ReadUncommitted,
            false => IsolationLevel::ReadCommitted,
        }),
        max_poll_records: options.max_poll_records.unwrap_or(records),
        max_poll_interval: options.max_poll_interval.or(poll_interval),
        session_timeout,
        group_protocol,
        auto_offset_store: options.auto_offset_store.unwrap_or(true),
    })
}

fn default_session_timeout(client: &Client) -> Millis {
    let short =
        client.is_before(Library::Java, 3, 0, 0) || client.is_before(Library::Librdkafka, 1, 7, 0);
    match client.library {
        Library::KafkaJs => Millis(30_000),
        _ if short => Millis(10_000),
        _ => SESSION_TIMEOUT,
    }
}

/// Whether the client knows each option that is written.
fn check_names(options: &ConsumerOptions, client: &Client) -> Result<(), ConsumerConfigError> {
    let library = client.library;
    let old = client.is_before(Library::Java, 3, 7, 0)
        || client.is_before(Library::Librdkafka, 2, 4, 0)
        || library == Library::KafkaJs;
    let unknown = [
        (
            options.auto_offset_store.is_some() && library != Library::Librdkafka,
            "enable.auto.offset.store",
            "librdkafka",
        ),
        (
            options.max_poll_records.is_some() && library != Library::Java,
            "max.poll.records",
            "java",
        ),
        (
            options.max_poll_interval.is_some() && library == Library::KafkaJs,
            "max.poll.interval.ms",
            "java and librdkafka",
        ),
        (
            options.isolation_level.is_some() && client.is_before(Library::Librdkafka, 1, 2, 0),
            "isolation.level",
            "librdkafka since 1.2.0",
        ),
        (
            options.group_protocol.is_some() && old,
            "group.protocol",
            "java since 3.7.0 and librdkafka since 2.4.0",
        ),
    ];
    match unknown.into_iter().find(|(unknown, ..)| *unknown) {
        Some((_, option, known)) => Err(ConsumerConfigError::UnknownOption {
            option,
            client: *client,
            known,
        }),
        None => Ok(()),
    }
}

/// Whether the client takes the values that are written.
fn check_values(options: &ConsumerOptions, client: &Client) -> Result<(), ConsumerConfigError> {
    let no_reset = options.auto_offset_reset == Some(AutoOffsetReset::None);
    if no_reset && client.library == Library::KafkaJs {
        return Err(ConsumerConfigError::UnknownValue {
            option: "auto.offset.reset",
            value: "none",
            client: *client,
        });
    }
    if options.max_poll_records == Some(0) {
        return Err(ConsumerConfigError::TooSmall("max.poll.records"));
    }
    if options.max_poll_interval == Some(Millis(0)) {
        return Err(ConsumerConfigError::TooSmall("max.poll.interval.ms"));
    }
    // Earlier ones take it and make nothing of it.
    let refused = !client.is_before(Library::Java, 4, 0, 0)
        && !client.is_before(Library::Librdkafka, 2, 10, 0);
    let by_broker = options.group_protocol == Some(GroupProtocol::Consumer);
    if by_broker && refused && options.session_timeout.is_some() {
        return Err(ConsumerConfigError::SessionTimeout);
    }
    // Its `rd_kafka_conf_finalize`; Java does not mind.
    let session = options
        .session_timeout
        .unwrap_or(default_session_timeout(client));
    let poll = options.max_poll_interval.unwrap_or(session);
    if client.library == Library::Librdkafka && poll < session {
        return Err(ConsumerConfigError::PollInterval { session });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    fn client(text: &str) -> Client {
        text.parse().expect("it is a client")
    }

    fn refusal(options: ConsumerOptions, text: &str) -> Option<alloc::string::String> {
        let effective = effective(&options, &client(text));
        effective.err().map(|error| error.to_string())
    }

    #[test]
    fn defaults_differ_by_library_and_version() {
        let of = |text| {
            let it = effective(&ConsumerOptions::default(), &client(text));
            let it = it.expect("defaults are right");
            let committed = it.isolation_level == IsolationLevel::ReadCommitted;
            (it.session_timeout.0, committed, it.max_poll_records)
        };
        assert_eq!(of("java 2.8.2"), (10_000, false, 500));
        assert_eq!(of("java 3.0.0"), (45_000, false, 500));
        assert_eq!(of("librdkafka 1.1.0"), (10_000, false, 1));
        assert_eq!(of("librdkafka 1.2.0"), (10_000, true, 1));
        assert_eq!(of("librdkafka 1.7.0"), (45_000, true, 1));
        assert_eq!(of("kafkajs 2.2.4"), (30_000, true, 1));
    }

    #[test]
    fn an_option_of_another_library_is_told_to_be_unknown() {
        let store = ConsumerOptions {
            auto_offset_store: Some(false),
            ..ConsumerOptions::default()
        };
        let told = refusal(store, "java 4.0.0");
        let expected = "enable.auto.offset.store is unknown to java 4.0.0; known to librdkafka";
        assert_eq!(told.as_deref(), Some(expected));
        assert_eq!(refusal(store, "librdkafka 1.0.0"), None);
        let records = ConsumerOptions {
            max_poll_records: Some(1),
            ..ConsumerOptions::default()
        };
        let told = refusal(records, "librdkafka 2.4.0");
        let expected = "max.poll.records is unknown to librdkafka 2.4.0; known to java";
        assert_eq!(told.as_deref(), Some(expected));
        assert_eq!(refusal(records, "java 1.0.0"), None);
    }

    #[test]
    fn the_new_group_protocol_came_late_and_takes_the_session_timeout_away() {
        let mut options = ConsumerOptions {
            group_protocol: Some(GroupProtocol::Consumer),
            ..ConsumerOptions::default()
        };
        for (old, new) in [
            ("java 3.6.2", "java 3.7.0"),
            ("librdkafka 2.3.0", "librdkafka 2.4.0"),
        ] {
            assert!(refusal(options, old).is_some(), "{old}");
            assert_eq!(refusal(options, new), None, "{new}");
        }
        assert!(refusal(options, "kafkajs 2.2.4").is_some());
        options.session_timeout = Some(Millis(6_000));
        let told = refusal(options, "java 4.0.0");
        let expected = "session.timeout.ms cannot be set when group.protocol=consumer";
        assert_eq!(told.as_deref(), Some(expected));
        let early = effective(&options, &client("java 3.9.0"));
        let timeout = early.map(|it| it.session_timeout);
        assert_eq!(timeout, Ok(SESSION_TIMEOUT), "it is the broker's");
    }

    #[test]
    fn values_that_make_no_sense_are_refused() {
        let options = ConsumerOptions {
            max_poll_records: Some(0),
            ..ConsumerOptions::default()
        };
        let told = refusal(options, "java 4.0.0");
        assert_eq!(told.as_deref(), Some("max.poll.records must be at least 1"));
        let options = ConsumerOptions {
            auto_offset_reset: Some(AutoOffsetReset::None),
            ..ConsumerOptions::default()
        };
        assert!(refusal(options, "kafkajs 2.0.0").is_some());
        let short = ConsumerOptions {
            max_poll_interval: Some(Millis(10_000)),
            ..ConsumerOptions::default()
        };
        assert!(refusal(short, "librdkafka 1.7.0").is_some());
        assert_eq!(refusal(short, "librdkafka 1.6.0"), None, "10 s by default");
        assert_eq!(refusal(short, "java 4.0.0"), None);
        assert_eq!(refusal(options, "librdkafka 2.0.0"), None);
    }
}
