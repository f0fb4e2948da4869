//! A client library in one of its versions, and what it does that another one does not.
//!
//! Each behaviour is a function that names where it comes from: most are bugs that have been mended
//! since. Kafka Streams has the version of the Java client that it comes with.

use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use serde::{Deserialize, Serialize};

use super::producer_options::KafkaVersion;

/// Who wrote the client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Library {
    /// Kafka's own.
    #[default]
    Java,
    /// The library in C, and all that is built on it: for Python, Go, .NET and others.
    Librdkafka,
    /// The library in JavaScript.
    KafkaJs,
}

impl Library {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Java, Self::Librdkafka, Self::KafkaJs];

    /// Its name, as it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Java => "java",
            Self::Librdkafka => "librdkafka",
            Self::KafkaJs => "kafkajs",
        }
    }
}

impl fmt::Display for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How the members of a group agree on who reads what: the option `group.protocol` (KIP-848).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum GroupProtocol {
    /// All stop, join again, and one of them spreads the partitions. The default.
    #[default]
    Classic,
    /// The broker spreads the partitions, and nobody stops. In Java it brings another consumer with it
    /// (`AsyncKafkaConsumer`).
    Consumer,
}

impl fmt::Display for GroupProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Classic => "classic",
            Self::Consumer => "consumer",
        })
    }
}

/// A client library in one of its versions. It is written `java 4.0.0`; the last number may be left
/// out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(with = "String"))]
#[serde(try_from = "String", into = "String")]
pub struct Client {
    /// Who wrote it.
    pub library: Library,
    /// Its own version, not that of the broker.
    pub version: KafkaVersion,
}

impl Default for Client {
    fn default() -> Self {
        Self::new(Library::Java, 4, 3, 0)
    }
}

impl Client {
    /// The library in the version `major.minor.patch`.
    pub const fn new(library: Library, major: u8, minor: u8, patch: u8) -> Self {
        Self {
            library,
            version: KafkaVersion::new(major, minor, patch),
        }
    }

    /// Sends that run side by side read the same next sequence: of two different batches, the broker
    /// takes one for a duplicate of the other, and it is lost. kafkajs before 2.0.0 (kafkajs#1005,
    /// #1050).
    pub fn shares_sequences(&self) -> bool {
        self.is_before(Library::KafkaJs, 2, 0, 0)
    }

    /// An error that `send()` finds itself, such as a record that is too large, leaves the transaction as
    /// it is: it can be committed without that record. Java before 3.2.0 (KAFKA-9279).
    pub fn swallows_send_errors(&self) -> bool {
        self.is_before(Library::Java, 3, 2, 0)
    }

    /// After `OUT_OF_ORDER_SEQUENCE_NUMBER` the producer asks for another epoch in the middle of a
    /// transaction and goes on, while the broker aborts what has been written so far. librdkafka before
    /// 1.8.2 (librdkafka#3575).
    pub fn reinitializes_mid_transaction(&self) -> bool {
        self.is_before(Library::Librdkafka, 1, 8, 2)
    }

    /// A consumer of committed records that meets an abort marker of a transaction without a record on
    /// this partition drops committed records behind it in the same fetch. librdkafka before 1.7.0
    /// (librdkafka#3369).
    pub fn drops_after_empty_abort(&self) -> bool {
        self.is_before(Library::Librdkafka, 1, 7, 0)
    }

    /// An offset that was stored and not committed when its partition was taken away stays there, and is
    /// committed when the partition comes back. librdkafka before 1.4.2, which forgets it (librdkafka#2782).
    pub fn keeps_stored_offsets(&self) -> bool {
        self.is_before(Library::Librdkafka, 1, 4, 2)
    }

    /// An offset can be stored after its partition was taken away, and is committed when the partition comes
    /// back. librdkafka before 1.9.0, which refuses to store it, and forgets what is stored when a partition
    /// is assigned (change log of 1.9.0; librdkafka#2948, #3774).
    pub fn stores_after_revocation(&self) -> bool {
        self.is_before(Library::Librdkafka, 1, 9, 0)
    }

    /// Automatic commits come from a timer of their own, of what has been handed out
    /// (`enable.auto.offset.store`), and not from `poll()`, of what it returned before. librdkafka in all
    /// versions (its introduction; librdkafka#1122, #2609).
    pub fn commits_in_background(&self) -> bool {
        self.library == Library::Librdkafka
    }

    /// Partitions are taken away and given in the background while the application processes a record, as
    /// long as it has no rebalance callback. librdkafka in all versions (`rd_kafka_rebalance_op`).
    pub fn joins_in_background(&self) -> bool {
        self.library == Library::Librdkafka
    }

    /// Automatic commits come from another thread, of a position that `poll()` has moved on before it
    /// returns the records. Java before 4.0.0 with `group.protocol=consumer` (KAFKA-18641).
    pub fn commits_live_position(&self, group_protocol: GroupProtocol) -> bool {
        group_protocol == GroupProtocol::Consumer && self.is_before(Library::Java, 4, 0, 0)
    }

    /// Kafka Streams does not wipe a local store after an unclean stop under exactly-once, though it may
    /// hold the effects of a transaction that was aborted.
    ///
    /// * Before 2.0.1 the changelog was only replayed over it (KAFKA-7192).
    /// * From 3.8.0, where state updaters became the default (KAFKA-10199), to 4.2.1 they left a checkpoint
    ///   file behind after restoring, by which the store looks clean (KAFKA-20685). 4.3 never had it.
    pub fn keeps_store_after_unclean_stop(&self) -> bool {
        let state_updater = KafkaVersion::new(3, 8, 0)..KafkaVersion::new(4, 2, 2);
        self.is_before(Library::Java, 2, 0, 1)
            || self.library == Library::Java && state_updater.contains(&self.version)
    }

    /// Whether it is this library, in a version before this one.
    pub(crate) fn is_before(&self, library: Library, major: u8, minor: u8, patch: u8) -> bool {
        self.library == library && self.version < KafkaVersion::new(major, minor, patch)
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let KafkaVersion {
            major,
            minor,
            patch,
        } = self.version;
        write!(f, "{} {major}.{minor}.{patch}", self.library)
    }
}

/// What was written is no client.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ParseClientError(String);

impl fmt::Display for ParseClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\" is no client: write its library (", self.0)?;
        for (at, library) in Library::ALL.iter().enumerate() {
            let separator = if at == 0 { "" } else { ", " };
            write!(f, "{separator}{library}")?;
        }
        write!(f, ") and its version, as in \"{}\"", Client::default())
    }
}

impl core::error::Error for ParseClientError {}

impl FromStr for Client {
    type Err = ParseClientError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse(text).ok_or_else(|| ParseClientError(text.into()))
    }
}

impl TryFrom<String> for Client {
    type Error = ParseClientError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        parse(&text).ok_or(ParseClientError(text))
    }
}

impl From<Client> for String {
    fn from(client: Client) -> Self {
        alloc::format!("{client}")
    }
}

fn parse(text: &str) -> Option<Client> {
    let mut words = text.split_whitespace();
    let (name, version) = (words.next()?, words.next()?);
    let library = Library::ALL.into_iter().find(|it| it.name() == name)?;
    let mut numbers = version.split('.');
    let (major, minor) = (number(numbers.next()?)?, number(numbers.next()?)?);
    let patch = numbers.next().map_or(Some(0), number)?;
    let over = words.next().or(numbers.next());
    let client = Client::new(library, major, minor, patch);
    over.is_none().then_some(client)
}

/// A number without a sign.
fn number(text: &str) -> Option<u8> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    fn client(text: &str) -> Client {
        text.parse().expect("it is a client")
    }

    #[test]
    fn a_client_is_written_as_its_library_and_version() {
        let read = serde_json::from_str::<Client>;
        let client = Client::new(Library::KafkaJs, 1, 16, 0);
        assert_eq!(read("\"kafkajs 1.16.0\"").ok(), Some(client));
        assert_eq!(read("\"kafkajs 1.16\"").ok(), Some(client));
        let written = serde_json::to_string(&client).ok();
        assert_eq!(written.as_deref(), Some("\"kafkajs 1.16.0\""));
        assert_eq!(Client::default().to_string(), "java 4.3.0");
    }

    #[test]
    fn what_is_no_client_is_told_how_to_be_one() {
        for bad in [
            "",
            "java",
            "Java 4.0",
            "java 4",
            "java 4.0.0.1",
            "java +4.0",
            "java 4.x",
            "java 256.0",
            "java 4.0 beta",
        ] {
            assert!(bad.parse::<Client>().is_err(), "{bad}");
        }
        let error = serde_json::from_str::<Client>("\"sarama 1.0\"").unwrap_err();
        let expected = "\"sarama 1.0\" is no client: write its library (java, librdkafka, kafkajs) and its version, as in \"java 4.3.0\"";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn a_bug_ends_with_the_version_that_mends_it() {
        type Behaviour = fn(&Client) -> bool;
        let live: Behaviour = |client| client.commits_live_position(GroupProtocol::Consumer);
        let mended: [(Behaviour, &str, &str); 9] = [
            (Client::shares_sequences, "kafkajs 1.16.0", "kafkajs 2.0.0"),
            (Client::swallows_send_errors, "java 3.1.2", "java 3.2.0"),
            (
                Client::reinitializes_mid_transaction,
                "librdkafka 1.8.0",
                "librdkafka 1.8.2",
            ),
            (
                Client::drops_after_empty_abort,
                "librdkafka 1.6.1",
                "librdkafka 1.7.0",
            ),
            (
                Client::keeps_stored_offsets,
                "librdkafka 1.4.0",
                "librdkafka 1.4.2",
            ),
            (
                Client::stores_after_revocation,
                "librdkafka 1.8.2",
                "librdkafka 1.9.0",
            ),
            (live, "java 3.9.1", "java 4.0.0"),
            (
                Client::keeps_store_after_unclean_stop,
                "java 2.0.0",
                "java 2.0.1",
            ),
            (
                Client::keeps_store_after_unclean_stop,
                "java 4.2.1",
                "java 4.2.2",
            ),
        ];
        for (behaviour, with, without) in mended {
            assert!(behaviour(&client(with)), "{with}");
            assert!(!behaviour(&client(without)), "{without}");
            for library in Library::ALL {
                let other = Client {
                    library,
                    ..client(with)
                };
                assert_eq!(behaviour(&other), other == client(with), "{other}");
            }
        }
    }

    #[test]
    fn some_behaviours_are_no_bugs_or_came_later() {
        assert!(client("librdkafka 2.13.0").commits_in_background());
        assert!(!Client::default().commits_in_background());
        assert!(client("librdkafka 2.13.0").joins_in_background());
        assert!(!client("java 3.9").commits_live_position(GroupProtocol::Classic));
        let keeps = |text| client(text).keeps_store_after_unclean_stop();
        assert!(!keeps("java 3.7.2") && keeps("java 3.8") && !keeps("java 4.3"));
    }
}
