//! Whether the clients of a scenario make sense: what Kafka's clients would not start with, and what the
//! model cannot do.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::ScenarioError;
use super::check::{Checked, between, refuse};
use super::delivery::{
    CommitWhen, ConsumerApp, Delivery, ProcessingGuarantee, ProducerApp, ProducerConfig, Sends,
    StreamsApp,
};
use super::delivery_check::{RECORDS, lasts, lasts_exactly, legal_name, name_is_there};
use crate::kafka::client::{Client, GroupProtocol, Library};
use crate::kafka::producer_options::{self, ConfigException, ProducerOptions, ProducerTimes};
use crate::models::delivery::{consumer_options, producer_options, streams_options};
use crate::time::Millis;

/// Clients of a scenario, of all kinds.
const CLIENTS: usize = 16;
/// Workers of a consumer.
const WORKERS: u16 = 4;
/// Names of parts of the cluster.
pub(super) const RESERVED: [&str; 2] = ["transaction-coordinator", "group-coordinator"];

/// Gives a field of a client its path.
type Field<'a> = dyn Fn(&str) -> String + 'a;

impl Delivery {
    pub(super) fn check_clients(&self) -> Checked {
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
        for (at, producer) in self.producers.iter().enumerate() {
            self.check_producer(producer, &|name| format!("producers[{at}].{name}"))?;
        }
        let records = self.records();
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
        self.check_names()
    }

    fn check_names(&self) -> Checked {
        let lists = [
            ("producers", self.producers.len()),
            ("consumers", self.consumers.len()),
            ("streams", self.streams.len()),
        ];
        let fields = lists
            .into_iter()
            .flat_map(|(list, count)| (0..count).map(move |at| format!("{list}[{at}].name")));
        let names = self.client_names();
        for (at, (name, field)) in names.iter().zip(fields).enumerate() {
            if names.iter().take(at).any(|other| other == name) {
                return refuse(
                    field,
                    &format!("another client is called \"{name}\" already"),
                );
            }
            if RESERVED.contains(name) || name.starts_with("broker-") {
                return refuse(
                    field,
                    &format!("\"{name}\" is the name of a part of the cluster"),
                );
            }
        }
        Ok(())
    }

    fn check_producer(&self, app: &ProducerApp, field: &Field<'_>) -> Checked {
        name_is_there(&field("name"), &app.name)?;
        let partitions = self.partitions_of(&field("topic"), &app.topic)?;
        check_sends(&app.sends, partitions, field)?;
        let batch = u64::from(app.batch_records);
        between(&field("batch_records"), batch, 1, 500)?;
        lasts(&field("start_ms"), app.start_ms, 0)?;
        lasts(&field("interval_ms"), app.interval_ms, 0)?;
        check_transactions(app, field)?;
        check_producer_config(&app.config, &|name| field(&format!("config.{name}")))?;
        producer_options(app).map_err(|error| blamed(error, "config", field))?;
        let transaction = app.config.transactional_id.as_ref().map(|_| {
            let timeout = app.config.transaction_timeout;
            timeout.unwrap_or(Millis(60_000))
        });
        check_times(&app.config, transaction, &app.client)
            .map_err(|error| blamed(error, "config", field))?;
        match transaction {
            Some(timeout) => {
                self.check_transaction_timeout(&field("config.transaction.timeout.ms"), timeout)
            }
            None => Ok(()),
        }
    }

    /// What the coordinator answers to `InitProducerId`.
    fn check_transaction_timeout(&self, field: &str, timeout: Millis) -> Checked {
        let most = self.cluster.transaction_max_timeout;
        if timeout == Millis(0) {
            return refuse(
                field,
                "INVALID_TRANSACTION_TIMEOUT: 0 ms is out of range: a transaction lasts at least 1 ms",
            );
        }
        if timeout > most {
            return refuse(
                field,
                &format!(
                    "INVALID_TRANSACTION_TIMEOUT: {} ms is longer than the broker's \
                     transaction.max.timeout.ms, {} ms",
                    timeout.0, most.0
                ),
            );
        }
        Ok(())
    }

    fn check_consumer(&self, app: &ConsumerApp, field: &Field<'_>) -> Checked {
        name_is_there(&field("name"), &app.name)?;
        self.partitions_of(&field("topic"), &app.topic)?;
        name_is_there(&field("config.group.id"), &app.config.group)?;
        let workers = u64::from(app.workers);
        between(&field("workers"), workers, 1, u64::from(WORKERS))?;
        lasts(&field("start_ms"), app.start_ms, 0)?;
        lasts_exactly(&field("processing_ms"), app.processing_ms)?;
        let config = &app.config;
        for (name, time) in [
            ("auto.commit.interval.ms", config.auto_commit_interval),
            ("max.poll.interval.ms", config.max_poll_interval),
        ] {
            lasts(
                &field(&format!("config.{name}")),
                time.unwrap_or_default(),
                0,
            )?;
        }
        check_session(config.session_timeout, &field("config.session.timeout.ms"))?;
        let options = consumer_options(app).map_err(|error| {
            let option = field(&format!("config.{}", error.option()));
            ScenarioError::new(option, format!("{error}"))
        })?;
        check_commit(app, options.auto_commit, options.auto_offset_store, field)
    }

    fn check_streams(&self, app: &StreamsApp, field: &Field<'_>) -> Checked {
        name_is_there(&field("name"), &app.name)?;
        // It begins the names of topics and groups.
        legal_name(&field("application.id"), &app.application_id)?;
        let input = self.partitions_of(&field("input"), &app.input)?;
        let output = self.partitions_of(&field("output"), &app.output)?;
        if output < input {
            return refuse(
                field("output"),
                &format!("it has {output} partitions, the input has {input}: it needs as many"),
            );
        }
        lasts(&field("start_ms"), app.start_ms, 0)?;
        lasts_exactly(&field("processing_ms"), app.processing_ms)?;
        check_streams_config(app, field)?;
        if app.config.guarantee == ProcessingGuarantee::ExactlyOnceV2 {
            self.check_exactly_once(app, field)?;
        }
        let config = &app.config.producer;
        check_streams_producer(app)
            .and_then(|()| streams_options(app).map(|_| ()))
            .and_then(|()| check_times(config, None, &app.client))
            .map_err(|error| blamed(error, "config.producer", field))
    }

    fn check_exactly_once(&self, app: &StreamsApp, field: &Field<'_>) -> Checked {
        let config = &app.config;
        if app.client.is_before(Library::Java, 2, 6, 0) {
            return refuse(
                field("config.processing.guarantee"),
                &format!(
                    "exactly_once_v2 is unknown to {}; known to java since 2.6.0, there as \
                     exactly_once_beta, and by this name since 3.0.0",
                    app.client
                ),
            );
        }
        if config.producer.idempotence == Some(false) {
            return refuse(
                field("config.producer.enable.idempotence"),
                "exactly_once_v2 needs it, and Streams sets it to true whatever is written here; leave it out",
            );
        }
        let timeout = config
            .producer
            .transaction_timeout
            .unwrap_or(STREAMS_TRANSACTION);
        let name = field("config.producer.transaction.timeout.ms");
        self.check_transaction_timeout(&name, timeout)?;
        let interval = config.commit_interval.unwrap_or(Millis(100));
        if timeout < interval {
            return refuse(
                field("config.commit.interval.ms"),
                &format!(
                    "Transaction timeout {} was set lower than streams commit interval {}: every \
                     transaction would time out; shorten this, or lengthen producer.transaction.timeout.ms",
                    timeout.0, interval.0
                ),
            );
        }
        Ok(())
    }

    /// `heartbeat.interval.ms` is not modelled, but Java does not start where it is too long.
    pub(super) fn check_heartbeats(&self, written: &Value) -> Checked {
        let heartbeat = |list: &str, at: usize| {
            let app = written.get(list)?.get(at)?;
            app.get("config")?.get("heartbeat.interval.ms")?.as_u64()
        };
        let consumers = self.consumers.iter().enumerate().filter_map(|(at, app)| {
            let options = consumer_options(app).ok()?;
            let classic = options.group_protocol == GroupProtocol::Classic;
            let java = app.client.library == Library::Java && classic;
            java.then_some(("consumers", at, options.session_timeout))
        });
        let streams = self.streams.iter().enumerate().map(|(at, app)| {
            let session = app.config.session_timeout.unwrap_or(Millis(45_000));
            ("streams", at, session)
        });
        for (list, at, session) in consumers.chain(streams) {
            if let Some(interval) = heartbeat(list, at)
                && interval >= u64::from(session.0)
            {
                return refuse(
                    format!("{list}[{at}].config.heartbeat.interval.ms"),
                    &format!(
                        "Heartbeat must be set lower than the session timeout: {interval} ms is not \
                         less than session.timeout.ms, {} ms",
                        session.0
                    ),
                );
            }
        }
        Ok(())
    }
}

/// `transaction.timeout.ms` of a Streams application that does not say one.
const STREAMS_TRANSACTION: Millis = Millis(10_000);

/// A `ConfigException`, with the option that is to blame.
fn blamed(error: ConfigException, config: &str, field: &Field<'_>) -> ScenarioError {
    let option = field(&format!("{config}.{}", error.option()));
    ScenarioError::new(option, format!("{error}"))
}

fn check_sends(sends: &Sends, partitions: u16, field: &Field<'_>) -> Checked {
    let sends = match sends {
        Sends::Numbered(numbered) => {
            let (count, keys) = (u64::from(numbered.count), u64::from(numbered.keys));
            between(&field("sends.count"), count, 0, RECORDS)?;
            return between(&field("sends.keys"), keys, 1, RECORDS);
        }
        Sends::Listed(sends) => sends,
    };
    for (at, send) in sends.iter().enumerate() {
        let field = |name: &str| field(&format!("sends[{at}].{name}"));
        if let Some(partition) = send.partition {
            let last = u64::from(partitions.saturating_sub(1));
            between(&field("partition"), u64::from(partition), 0, last)?;
        }
        lasts(&field("wait_ms"), send.wait_ms.unwrap_or_default(), 0)?;
        let processing = send.processing_ms.unwrap_or_default();
        lasts(&field("processing_ms"), processing, 0)?;
    }
    Ok(())
}

/// How an application groups its records into transactions.
fn check_transactions(app: &ProducerApp, field: &Field<'_>) -> Checked {
    let grouped = [
        ("transaction_records", app.transaction_records.is_some()),
        ("abort_transactions", !app.abort_transactions.is_empty()),
    ];
    let transactional = app.config.transactional_id.is_some();
    if let Some((name, _)) = grouped.into_iter().find(|(_, it)| *it && !transactional) {
        return refuse(
            field(name),
            "transactions need a `transactional.id` in `config`",
        );
    }
    if app.transaction_records == Some(0) {
        return refuse(
            field("transaction_records"),
            "a transaction has at least one record",
        );
    }
    let records = app.sends.len();
    let each = app.transaction_records.map_or(records.max(1), u64::from);
    let count = records.div_ceil(each);
    for (at, number) in app.abort_transactions.iter().enumerate() {
        let field = field(&format!("abort_transactions[{at}]"));
        if !(1..=count).contains(&u64::from(*number)) {
            return refuse(
                field,
                &format!(
                    "there is no transaction {number}: {}",
                    match count {
                        0 => String::from("without records there is none"),
                        1 => String::from("there is one, number 1"),
                        _ => format!("they are numbered from 1 to {count}"),
                    }
                ),
            );
        }
        if app
            .abort_transactions
            .iter()
            .take(at)
            .any(|it| it == number)
        {
            return refuse(field, &format!("transaction {number} is there twice"));
        }
    }
    Ok(())
}

/// The options of any producer that have a range of their own.
fn check_producer_config(config: &ProducerConfig, field: &Field<'_>) -> Checked {
    for (name, time) in [
        ("request.timeout.ms", config.request_timeout),
        ("delivery.timeout.ms", config.delivery_timeout),
        ("retry.backoff.ms", config.retry_backoff),
        ("transaction.timeout.ms", config.transaction_timeout),
    ] {
        lasts(&field(name), time.unwrap_or_default(), 0)?;
    }
    for (name, number) in [
        ("retries", config.retries),
        (
            "max.in.flight.requests.per.connection",
            config.max_in_flight,
        ),
    ] {
        let most = u64::from(super::options::int::MOST);
        between(&field(name), u64::from(number.unwrap_or(0)), 0, most)?;
    }
    match &config.transactional_id {
        Some(id) => name_is_there(&field("transactional.id"), id),
        None => Ok(()),
    }
}

fn check_times(
    config: &ProducerConfig,
    transaction: Option<Millis>,
    client: &Client,
) -> Result<(), ConfigException> {
    let times = ProducerTimes {
        request: config.request_timeout,
        delivery: config.delivery_timeout,
        transaction,
    };
    producer_options::check_times(&times, client)
}

/// The group's coordinator answers `INVALID_SESSION_TIMEOUT` to it.
fn check_session(timeout: Option<Millis>, field: &str) -> Checked {
    lasts(field, timeout.unwrap_or(Millis(1)), 1)
}

fn check_commit(
    app: &ConsumerApp,
    auto_commit: bool,
    auto_offset_store: bool,
    field: &Field<'_>,
) -> Checked {
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
    match app.commit {
        Some(CommitWhen::Auto | CommitWhen::StoreAfterProcessing) if !auto_commit => {
            refuse(field("commit"), "this needs `enable.auto.commit`")
        }
        Some(CommitWhen::StoreAfterProcessing) if auto_offset_store => refuse(
            field("commit"),
            "storing by hand needs librdkafka and `enable.auto.offset.store` = false",
        ),
        _ => Ok(()),
    }
}

fn check_streams_config(app: &StreamsApp, field: &Field<'_>) -> Checked {
    if app.client.library != Library::Java {
        return refuse(
            field("client"),
            &format!("{} has no Kafka Streams, java has", app.client.library),
        );
    }
    let config = &app.config;
    let commit = config.commit_interval.unwrap_or_default();
    lasts(&field("config.commit.interval.ms"), commit, 0)?;
    let poll = config.max_poll_interval.unwrap_or(Millis(1));
    lasts(&field("config.max.poll.interval.ms"), poll, 1)?;
    check_session(config.session_timeout, &field("config.session.timeout.ms"))?;
    if config.producer.transactional_id.is_some() {
        return refuse(
            field("config.producer.transactional.id"),
            "Streams decides this by itself: with exactly_once_v2 each instance has one of its own, \
             else none; leave it out",
        );
    }
    let producer = |name: &str| field(&format!("config.producer.{name}"));
    check_producer_config(&config.producer, &producer)
}

/// With exactly_once_v2, Streams asks for idempotence by name, so that nothing switches it off silently.
fn check_streams_producer(app: &StreamsApp) -> Result<(), ConfigException> {
    let exactly = app.config.guarantee == ProcessingGuarantee::ExactlyOnceV2;
    let config = &app.config.producer;
    let options = ProducerOptions {
        acks: config.acks,
        retries: config.retries,
        max_in_flight: config.max_in_flight,
        idempotence: match exactly {
            true => Some(true),
            false => config.idempotence,
        },
        transactional: exactly,
    };
    producer_options::effective_of(&options, &app.client).map(|_| ())
}

/// The transactional ids of all clients, each with its field, by client.
pub(super) fn transactional_ids(scenario: &Delivery) -> Vec<(String, String)> {
    let producers = scenario.producers.iter().enumerate();
    let producers = producers.filter_map(|(at, app)| {
        let id = app.config.transactional_id.clone()?;
        Some((format!("producers[{at}].config.transactional.id"), id))
    });
    let streams = scenario.streams.iter().enumerate();
    let streams = streams
        .filter(|(_, app)| app.config.guarantee == ProcessingGuarantee::ExactlyOnceV2)
        .map(|(at, app)| {
            let id = format!("{}-{}", app.application_id, app.name);
            (format!("streams[{at}].application.id"), id)
        });
    producers.chain(streams).collect()
}
