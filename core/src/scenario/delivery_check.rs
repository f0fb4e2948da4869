//! Whether a scenario of the models *delivery* and *streams* makes sense: what is about the whole, the
//! cluster, the topics and the costs. Clients, the flow between topics and faults have modules of their own.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::check::{Checked, Limits, between, refuse};
use super::delivery::{Delivery, Judge, ModelName, Sends};
use super::options::{self, Ignored};
use super::story::read;
use super::{ScenarioError, VERSION};
use crate::time::{LONGEST, Micros, Millis};

/// Brokers.
const BROKERS: u16 = 9;
/// Partitions of all topics together.
const PARTITIONS: u32 = 32;
/// Records of all producers together: every state knows all of them.
pub(super) const RECORDS: u64 = 2_000;

impl Delivery {
    /// Reads a scenario.
    ///
    /// # Errors
    /// [`ScenarioError`] names the field that does not parse, or makes no sense.
    pub fn from_json(json: &str) -> Result<Self, ScenarioError> {
        Self::read(json).map(|(scenario, _)| scenario)
    }

    /// Reads a scenario, and names the options in it that make no difference.
    ///
    /// # Errors
    /// [`ScenarioError`] names the field that does not parse, or makes no sense.
    pub fn read(json: &str) -> Result<(Self, Vec<Ignored>), ScenarioError> {
        let scenario: Self = read(json)?;
        scenario.check()?;
        let written: Value = read(json)?;
        scenario.check_heartbeats(&written)?;
        Ok((scenario, options::ignored(&written)))
    }

    /// The scenario as JSON that [`from_json`](Self::from_json) reads.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// Whether the scenario makes sense.
    ///
    /// # Errors
    /// [`ScenarioError`] names the first field that does not, and says what would be right.
    pub fn check(&self) -> Checked {
        if self.version != VERSION {
            return Err(ScenarioError::new(
                "version",
                format!(
                    "this program reads version {VERSION}, the scenario has {}",
                    self.version
                ),
            ));
        }
        match (self.model, self.streams.is_empty()) {
            (ModelName::Delivery, false) => {
                return refuse(
                    "streams",
                    "the model \"delivery\" has none; \"streams\" has",
                );
            }
            (ModelName::Streams, true) => {
                return refuse(
                    "streams",
                    "the model \"streams\" needs at least one application",
                );
            }
            _ => {}
        }
        self.check_parts()
    }

    /// Whether what it consists of makes sense.
    pub(super) fn check_parts(&self) -> Checked {
        self.check_cluster()?;
        self.check_topics()?;
        self.check_clients()?;
        self.check_flow()?;
        self.check_partitions()?;
        self.check_judge()?;
        self.check_costs()?;
        self.check_delivery_faults()
    }

    fn check_cluster(&self) -> Checked {
        let cluster = &self.cluster;
        between(
            "cluster.brokers",
            u64::from(cluster.brokers),
            1,
            u64::from(BROKERS),
        )?;
        between(
            "cluster.transaction.version",
            u64::from(cluster.transaction_version),
            0,
            2,
        )?;
        let times = [
            (
                "cluster.transaction.max.timeout.ms",
                cluster.transaction_max_timeout,
            ),
            (
                "cluster.transaction.abort.timed.out.transaction.cleanup.interval.ms",
                cluster.timeout_scan,
            ),
            ("cluster.replica.lag.time.max.ms", cluster.replica_lag),
            (
                "cluster.producer.id.expiration.ms",
                cluster.producer_expiration,
            ),
        ];
        for (field, time) in times {
            lasts(field, time, 1)?;
        }
        between(
            "cluster.offsets.retention.minutes",
            u64::from(cluster.offsets_retention_minutes),
            1,
            u64::from(LONGEST.0 / 60_000),
        )
    }

    fn check_topics(&self) -> Checked {
        if self.topics.is_empty() {
            return refuse("topics", "there has to be at least one topic");
        }
        for (at, topic) in self.topics.iter().enumerate() {
            let field = |name: &str| format!("topics[{at}].{name}");
            self.check_topic_name(at, &topic.name)?;
            let partitions = u64::from(topic.partitions);
            between(&field("partitions"), partitions, 1, u64::from(PARTITIONS))?;
            between(
                &field("replication.factor"),
                u64::from(topic.replication_factor),
                1,
                u64::from(self.cluster.brokers),
            )?;
            between(
                &field("min.insync.replicas"),
                u64::from(topic.min_in_sync),
                1,
                u64::from(BROKERS),
            )?;
            if let Some(retention) = topic.retention {
                lasts(&field("retention.ms"), retention, 1)?;
            }
        }
        Ok(())
    }

    fn check_topic_name(&self, at: usize, name: &str) -> Checked {
        let field = format!("topics[{at}].name");
        legal_name(&field, name)?;
        if name.starts_with("__") {
            return refuse(
                field,
                "names that begin with `__` are Kafka's own, as `__consumer_offsets`",
            );
        }
        if self.topics.iter().take(at).any(|other| other.name == name) {
            return refuse(field, "another topic has this name already");
        }
        let changelogs = self.changelogs();
        match changelogs.get(name) {
            Some(app) => refuse(
                field,
                &format!(
                    "`{name}` is the changelog of the application \"{app}\", which makes it by itself: \
                     give this topic another name, or the application another application.id"
                ),
            ),
            None => Ok(()),
        }
    }

    /// The topics that applications make for their stores, each with its application.
    fn changelogs(&self) -> BTreeMap<String, &str> {
        let stores = self.streams.iter().filter(|app| app.store);
        let named = stores.map(|app| {
            let id = app.application_id.as_str();
            (format!("{id}-changelog"), id)
        });
        named.collect()
    }

    /// The partitions of all topics, changelogs among them.
    fn check_partitions(&self) -> Checked {
        let of = |name: &str| {
            let topic = self.topics.iter().find(|topic| topic.name == name);
            topic.map_or(0, |topic| u32::from(topic.partitions))
        };
        let topics: u32 = self.topics.iter().map(|it| u32::from(it.partitions)).sum();
        let stores = self.streams.iter().filter(|app| app.store);
        // All instances of an application share one changelog.
        let changelogs: BTreeMap<_, _> = stores
            .map(|app| (&app.application_id, of(&app.input)))
            .collect();
        let changelogs: u32 = changelogs.values().sum();
        if topics + changelogs <= PARTITIONS {
            return Ok(());
        }
        let made = match changelogs {
            0 => String::new(),
            _ => {
                format!(" and {changelogs} of changelogs, as many as the inputs of the stores have")
            }
        };
        refuse(
            "topics",
            &format!("there are {topics} partitions{made}; at most {PARTITIONS} are possible"),
        )
    }

    fn check_judge(&self) -> Checked {
        match self.judge {
            Some(Judge::Effects) if self.consumers.is_empty() => refuse(
                "judge",
                "`effects` are those of consumers, and there is none; a reader is there always: \
                 `read_committed`, `read_uncommitted`",
            ),
            Some(Judge::Store) if !self.streams.iter().any(|app| app.store) => refuse(
                "judge",
                "no application has a store: set `store` to true for one in `streams`, or judge for a \
                 reader: `read_committed`, `read_uncommitted`",
            ),
            _ => Ok(()),
        }
    }

    fn check_costs(&self) -> Checked {
        let costs = &self.costs;
        let times = [
            ("costs.network_ms", costs.network_ms),
            ("costs.fetch_ms", costs.fetch_ms),
            ("costs.log_ms", costs.log_ms),
            ("costs.election_ms", costs.election_ms),
            ("costs.restart_ms", costs.restart_ms),
            ("costs.poll_ms", costs.poll_ms),
        ];
        for (field, time) in times {
            between(field, u64::from(time.0), 0, u64::from(Limits::DURATION.0))?;
        }
        between(
            "costs.jitter_percent",
            u64::from(costs.jitter_percent),
            0,
            100,
        )?;
        let broker = costs.broker_ms.0.div_ceil(1_000);
        between("costs.broker_ms", broker, 0, u64::from(Limits::DURATION.0))?;
        if let Some(until) = self.until_ms {
            lasts("until_ms", until, 1)?;
        }
        between(
            "max_steps",
            u64::from(self.max_steps),
            1,
            u64::from(Limits::STEPS),
        )
    }

    /// The names of all clients: producers, consumers, Streams applications.
    pub fn client_names(&self) -> Vec<&str> {
        let producers = self.producers.iter().map(|app| app.name.as_str());
        let consumers = self.consumers.iter().map(|app| app.name.as_str());
        let streams = self.streams.iter().map(|app| app.name.as_str());
        producers.chain(consumers).chain(streams).collect()
    }

    /// How many records the producers send.
    pub fn records(&self) -> u64 {
        self.producers.iter().map(|app| app.sends.len()).sum()
    }

    pub(super) fn partitions_of(&self, field: &str, topic: &str) -> Result<u16, ScenarioError> {
        let found = self.topics.iter().find(|known| known.name == topic);
        found.map(|topic| topic.partitions).ok_or_else(|| {
            let known: Vec<&str> = self
                .topics
                .iter()
                .map(|topic| topic.name.as_str())
                .collect();
            ScenarioError::new(
                field,
                format!(
                    "there is no topic \"{topic}\"; there are: {}",
                    known.join(", ")
                ),
            )
        })
    }
}

impl Sends {
    /// How many records are sent.
    pub fn len(&self) -> u64 {
        match self {
            Self::Listed(sends) => sends.len() as u64,
            Self::Numbered(numbered) => u64::from(numbered.count),
        }
    }

    /// Whether nothing is sent.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A duration from some milliseconds on.
pub(super) fn lasts(field: &str, duration: Millis, least: u64) -> Checked {
    between(field, u64::from(duration.0), least, u64::from(LONGEST.0))
}

/// A duration with decimals.
pub(super) fn lasts_exactly(field: &str, duration: Micros) -> Checked {
    let millis = duration.0.div_ceil(1_000);
    between(field, millis, 0, u64::from(LONGEST.0))
}

pub(super) fn name_is_there(field: &str, name: &str) -> Checked {
    if name.is_empty() {
        return refuse(field, "it must not be empty");
    }
    let length = name.chars().count();
    match length {
        1..=60 => Ok(()),
        _ => refuse(
            field,
            &format!("{length} letters are too many for a name: at most 60"),
        ),
    }
}

/// A name that Kafka takes for a topic.
pub(super) fn legal_name(field: &str, name: &str) -> Checked {
    name_is_there(field, name)?;
    let legal = |it: char| it.is_ascii_alphanumeric() || matches!(it, '.' | '_' | '-');
    if name == "." || name == ".." || !name.chars().all(legal) {
        return refuse(
            field,
            "Kafka takes letters from a to z, digits, `.`, `_` and `-` in a topic's name, and more than dots",
        );
    }
    Ok(())
}
