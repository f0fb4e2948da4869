use alloc::format;
use alloc::string::String;

use super::check::{Checked, Limits, between, refuse};
use super::delivery::{
    CommitWhen, ConsumerApp, Delivery, DeliveryBreakage, ModelName, ProducerApp, Sends, StreamsApp,
};
use super::story::read;
use super::{ScenarioError, VERSION};
use crate::time::Millis;

/// Clients of a scenario, of all kinds.
const CLIENTS: usize = 16;
/// Brokers.
const BROKERS: u16 = 9;
/// Partitions of all topics together.
const PARTITIONS: u32 = 32;
/// Records of all producers together: every state knows all of them.
const RECORDS: u64 = 2_000;
/// Workers of a consumer.
const WORKERS: u16 = 4;

impl Delivery {
    /// Reads a scenario.
    ///
    /// # Errors
    /// [`ScenarioError`] names the field that does not parse, or makes no sense.
    pub fn from_json(json: &str) -> Result<Self, ScenarioError> {
        let scenario: Self = read(json)?;
        scenario.check()?;
        Ok(scenario)
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
        self.check_cluster()?;
        self.check_topics()?;
        self.check_clients()?;
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
            between(field, u64::from(time.0), 1, u64::from(WEEK.0))?;
        }
        between(
            "cluster.offsets.retention.minutes",
            u64::from(cluster.offsets_retention_minutes),
            1,
            u64::from(WEEK.0 / 60_000),
        )
    }

    fn check_topics(&self) -> Checked {
        if self.topics.is_empty() {
            return refuse("topics", "there has to be at least one topic");
        }
        let mut partitions = 0;
        for (at, topic) in self.topics.iter().enumerate() {
            let field = |name: &str| format!("topics[{at}].{name}");
            name_is_there(&field("name"), &topic.name)?;
            if self
                .topics
                .iter()
                .take(at)
                .any(|other| other.name == topic.name)
            {
                return refuse(field("name"), "another topic has this name already");
            }
            between(
                &field("partitions"),
                u64::from(topic.partitions),
                1,
                u64::from(PARTITIONS),
            )?;
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
                between(
                    &field("retention.ms"),
                    u64::from(retention.0),
                    1,
                    u64::from(WEEK.0),
                )?;
            }
            partitions += u32::from(topic.partitions);
        }
        if partitions > PARTITIONS {
            return refuse(
                "topics",
                &format!("there are {partitions} partitions; at most {PARTITIONS} are possible"),
            );
        }
        Ok(())
    }

    fn check_clients(&self) -> Checked {
        let count = self.producers.len() + self.consumers.len() + self.streams.len();
        if count == 0 {
            return refuse("producers", "there has to be at least one client");
        }
        if count > CLIENTS {
            return refuse(
                "producers",
                &format!("there are {count} clients; at most {CLIENTS} are possible"),
            );
        }
        let mut records = 0;
        for (at, producer) in self.producers.iter().enumerate() {
            records += producer.sends.len();
            self.check_producer(producer, &|name| format!("producers[{at}].{name}"))?;
        }
        if records > RECORDS {
            return refuse(
                "producers",
                &format!("there are {records} records; at most {RECORDS} are possible"),
            );
        }
        for (at, consumer) in self.consumers.iter().enumerate() {
            self.check_consumer(consumer, &|name| format!("consumers[{at}].{name}"))?;
        }
        for (at, streams) in self.streams.iter().enumerate() {
            self.check_streams(streams, &|name| format!("streams[{at}].{name}"))?;
        }
        let names = self.client_names();
        for (at, name) in names.iter().enumerate() {
            if names.iter().take(at).any(|other| other == name) {
                return refuse("name", &format!("two clients are called \"{name}\""));
            }
            if RESERVED.contains(name) || name.starts_with("broker-") {
                return refuse(
                    "name",
                    &format!("\"{name}\" is the name of a part of the cluster"),
                );
            }
        }
        Ok(())
    }

    fn check_producer(&self, app: &ProducerApp, field: &dyn Fn(&str) -> String) -> Checked {
        name_is_there(&field("name"), &app.name)?;
        let partitions = self.partitions_of(&field("topic"), &app.topic)?;
        match &app.sends {
            Sends::Numbered(numbered) => {
                between(&field("sends.count"), u64::from(numbered.count), 0, RECORDS)?;
                between(&field("sends.keys"), u64::from(numbered.keys), 1, RECORDS)?;
            }
            Sends::Listed(sends) => {
                for (at, send) in sends.iter().enumerate() {
                    if let Some(partition) = send.partition {
                        between(
                            &field(&format!("sends[{at}].partition")),
                            u64::from(partition),
                            0,
                            u64::from(partitions.saturating_sub(1)),
                        )?;
                    }
                    let times = [
                        ("wait_ms", send.wait_ms),
                        ("processing_ms", send.processing_ms),
                    ];
                    for (name, time) in times {
                        between(
                            &field(&format!("sends[{at}].{name}")),
                            u64::from(time.unwrap_or_default().0),
                            0,
                            u64::from(WEEK.0),
                        )?;
                    }
                }
            }
        }
        between(
            &field("batch_records"),
            u64::from(app.batch_records),
            1,
            500,
        )?;
        between(
            &field("start_ms"),
            u64::from(app.start_ms.0),
            0,
            u64::from(WEEK.0),
        )?;
        between(
            &field("interval_ms"),
            u64::from(app.interval_ms.0),
            0,
            u64::from(WEEK.0),
        )?;
        if app.config.transactional_id.is_none()
            && (app.transaction_records.is_some() || !app.abort_transactions.is_empty())
        {
            return refuse(field("config"), "transactions need a `transactional.id`");
        }
        if app.transaction_records == Some(0) {
            return refuse(
                field("transaction_records"),
                "a transaction has at least one record",
            );
        }
        if let Some(timeout) = app.config.transaction_timeout
            && timeout > self.cluster.transaction_max_timeout
        {
            return refuse(
                field("config.transaction.timeout.ms"),
                &format!(
                    "INVALID_TRANSACTION_TIMEOUT: {} ms is longer than the broker's \
                     transaction.max.timeout.ms, {} ms",
                    timeout.0, self.cluster.transaction_max_timeout.0
                ),
            );
        }
        crate::models::delivery::producer_options(app)
            .map(|_| ())
            .map_err(|error| ScenarioError::new(field("config"), format!("{error}")))
    }

    fn check_consumer(&self, app: &ConsumerApp, field: &dyn Fn(&str) -> String) -> Checked {
        name_is_there(&field("name"), &app.name)?;
        self.partitions_of(&field("topic"), &app.topic)?;
        name_is_there(&field("config.group.id"), &app.config.group)?;
        between(
            &field("workers"),
            u64::from(app.workers),
            1,
            u64::from(WORKERS),
        )?;
        let by_worker = matches!(
            app.commit,
            Some(CommitWhen::HighestDone | CommitWhen::ContiguousDone)
        );
        if app.workers > 1 && !by_worker {
            return refuse(
                field("commit"),
                "several workers need `highest-done` or `contiguous-done`",
            );
        }
        let options = crate::models::delivery::consumer_options(app)
            .map_err(|error| ScenarioError::new(field("config"), format!("{error}")))?;
        match app.commit {
            Some(CommitWhen::Auto | CommitWhen::StoreAfterProcessing) if !options.auto_commit => {
                refuse(field("commit"), "this needs `enable.auto.commit`")
            }
            Some(CommitWhen::StoreAfterProcessing) if options.auto_offset_store => refuse(
                field("commit"),
                "storing by hand needs librdkafka and `enable.auto.offset.store` = false",
            ),
            _ => Ok(()),
        }
    }

    fn check_streams(&self, app: &StreamsApp, field: &dyn Fn(&str) -> String) -> Checked {
        name_is_there(&field("name"), &app.name)?;
        name_is_there(&field("application.id"), &app.application_id)?;
        let input = self.partitions_of(&field("input"), &app.input)?;
        let output = self.partitions_of(&field("output"), &app.output)?;
        if app.input == app.output {
            return refuse(
                field("output"),
                "an application may not write what it reads",
            );
        }
        if output < input {
            return refuse(
                field("output"),
                &format!("it has {output} partitions, the input has {input}: it needs as many"),
            );
        }
        crate::models::delivery::streams_options(app)
            .map(|_| ())
            .map_err(|error| ScenarioError::new(field("config.producer"), format!("{error}")))
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
        if let Some(until) = self.until_ms {
            between("until_ms", u64::from(until.0), 1, u64::from(WEEK.0))?;
        }
        between(
            "max_steps",
            u64::from(self.max_steps),
            1,
            u64::from(Limits::STEPS),
        )
    }

    fn check_delivery_faults(&self) -> Checked {
        let clients = self.client_names();
        let is_broker = |name: &str| {
            let number = name.strip_prefix("broker-").and_then(|it| it.parse().ok());
            number.is_some_and(|number: u16| (1..=self.cluster.brokers).contains(&number))
        };
        for (at, fault) in self.faults.schedule.iter().enumerate() {
            let field = format!("faults.schedule[{at}]");
            between(&field, u64::from(fault.at_ms.0), 0, u64::from(WEEK.0))?;
            let (name, possible) = match &fault.what {
                DeliveryBreakage::Crash(name) => (name, "a client, a broker or a coordinator"),
                DeliveryBreakage::Stop(name)
                | DeliveryBreakage::Start(name)
                | DeliveryBreakage::Pause(name)
                | DeliveryBreakage::Resume(name) => (name, "a client or a broker"),
                DeliveryBreakage::LoseLog(name) => (name, "a broker"),
                DeliveryBreakage::StepClockBack => continue,
            };
            let known = match &fault.what {
                DeliveryBreakage::LoseLog(_) => is_broker(name),
                DeliveryBreakage::Crash(_) if RESERVED.contains(&name.as_str()) => true,
                _ => is_broker(name) || clients.contains(&name.as_str()),
            };
            if !known {
                return refuse(
                    field,
                    &format!(
                        "\"{name}\" is not {possible} here; there are: {}, broker-1 to broker-{}",
                        clients.join(", "),
                        self.cluster.brokers
                    ),
                );
            }
        }
        for (at, fault) in self.faults.messages.iter().enumerate() {
            let field = |name: &str| format!("faults.messages[{at}].{name}");
            if !clients.contains(&fault.client.as_str()) {
                return refuse(
                    field("client"),
                    &format!(
                        "there is no client \"{}\"; there are: {}",
                        fault.client,
                        clients.join(", ")
                    ),
                );
            }
            between(&field("number"), u64::from(fault.number), 1, 10_000)?;
            between(&field("count"), u64::from(fault.count), 1, 10_000)?;
            if let Some(delay) = fault.delay_ms {
                between(&field("delay_ms"), u64::from(delay.0), 1, u64::from(WEEK.0))?;
            }
        }
        Ok(())
    }

    /// The names of all clients: producers, consumers, Streams applications.
    pub fn client_names(&self) -> alloc::vec::Vec<&str> {
        let producers = self.producers.iter().map(|app| app.name.as_str());
        let consumers = self.consumers.iter().map(|app| app.name.as_str());
        let streams = self.streams.iter().map(|app| app.name.as_str());
        producers.chain(consumers).chain(streams).collect()
    }

    /// How many records the producers send.
    pub fn records(&self) -> u64 {
        self.producers.iter().map(|app| app.sends.len()).sum()
    }

    fn partitions_of(&self, field: &str, topic: &str) -> Result<u16, ScenarioError> {
        let found = self.topics.iter().find(|known| known.name == topic);
        found.map(|topic| topic.partitions).ok_or_else(|| {
            let known: alloc::vec::Vec<&str> = self
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

/// The longest time in a scenario: a week, as Kafka keeps offsets.
const WEEK: Millis = Millis(7 * 86_400_000);

/// Names of parts of the cluster.
const RESERVED: [&str; 2] = ["transaction-coordinator", "group-coordinator"];

fn name_is_there(field: &str, name: &str) -> Checked {
    if name.is_empty() {
        return refuse(field, "it must not be empty");
    }
    between(field, name.chars().count() as u64, 1, 60)
}
