//! What an option of a Kafka client is that nobody has set: that of the client of the scenario, in its
//! version, as the core has it.

use barrierscope_core::kafka::client::{Client, GroupProtocol};
use barrierscope_core::kafka::consumer_options::{
    AutoOffsetReset, ConsumerConfigError, EffectiveConsumer,
};
use barrierscope_core::kafka::log::IsolationLevel;
use barrierscope_core::kafka::producer_options::{
    ConfigException, Effective, ProducerTimes, check_times,
};
use barrierscope_core::kafka::replicated_log::Acks;
use barrierscope_core::models::delivery::{consumer_options, producer_options, streams_options};
use barrierscope_core::scenario::delivery::{
    ConsumerApp, ConsumerConfig, ProducerApp, ProducerConfig, StreamsApp,
};
use barrierscope_core::scenario::{Delivery, DeliveryGuarantee, Scenario, Story};
use barrierscope_core::time::Millis;

/// What is known of an option that depends on the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ByDefault {
    /// What it is, if nobody sets it.
    Is {
        /// The client.
        client: Client,
        /// The value; none if there is no limit.
        value: Option<String>,
    },
    /// The client has no such option, or not yet.
    Unknown {
        /// The client.
        client: Client,
    },
}

/// What an option is by default, by its JSON pointer; none for what does not depend on a client.
pub fn by_default(story: &Story, pointer: &str) -> Option<ByDefault> {
    match story {
        Story::Delivery(scenario) => of_delivery(scenario, pointer),
        Story::Pipeline(scenario) => of_sink(scenario, pointer),
        Story::Votes(_) => None,
    }
}

/// The same, of the producers of a job's sink.
fn of_sink(scenario: &Scenario, pointer: &str) -> Option<ByDefault> {
    let sink = &scenario.kafka.as_ref()?.sink;
    match pointer.strip_prefix("/kafka/sink/")? {
        "client" => {
            let client = Client::default();
            let value = Some(client.to_string());
            Some(ByDefault::Is { client, value })
        }
        option => {
            let mut config = sink.config.clone();
            if scenario.delivery_guarantee() == Some(DeliveryGuarantee::ExactlyOnce) {
                config.transactional_id = Some(sink.prefix.clone());
            }
            let app = ProducerApp {
                client: sink.client,
                config,
                ..any_producer()?
            };
            of_producer(&app, option.strip_prefix("config/")?)
        }
    }
}

/// Some producer: what an option is by default does not depend on what it sends.
fn any_producer() -> Option<ProducerApp> {
    match crate::state::Model::Delivery.story().ok()? {
        Story::Delivery(scenario) => scenario.producers.into_iter().next(),
        Story::Pipeline(_) | Story::Votes(_) => None,
    }
}

fn of_delivery(scenario: &Delivery, pointer: &str) -> Option<ByDefault> {
    let mut steps = pointer.trim_start_matches('/').splitn(4, '/');
    let (list, at, config) = (steps.next()?, steps.next()?, steps.next()?);
    let at: usize = at.parse().ok()?;
    if config == "client" {
        let client = Client::default();
        let value = Some(client.to_string());
        return Some(ByDefault::Is { client, value });
    }
    let option = steps.next().filter(|_| config == "config")?;
    match list {
        "producers" => of_producer(scenario.producers.get(at)?, option),
        "consumers" => of_consumer(scenario.consumers.get(at)?, option),
        "streams" => of_streams(scenario.streams.get(at)?, option),
        _ => None,
    }
}

fn of_producer(app: &ProducerApp, option: &str) -> Option<ByDefault> {
    if is_unknown(app, option) {
        let client = app.client;
        return Some(ByDefault::Unknown { client });
    }
    let mut app = app.clone();
    unset(&mut app.config, option)?;
    let options = producer_options(&app).or_else(|_| {
        // Something else does not go with it: by itself it is this.
        app.config = bare(&app.config);
        producer_options(&app)
    });
    let client = app.client;
    let value = producer_value(&options.ok()?, option)?;
    Some(ByDefault::Is { client, value })
}

fn of_streams(app: &StreamsApp, option: &str) -> Option<ByDefault> {
    let mut app = app.clone();
    let client = app.client;
    let value = match option.strip_prefix("producer/") {
        Some(option) => {
            unset(&mut app.config.producer, option)?;
            let options = streams_options(&app).or_else(|_| {
                app.config.producer = bare(&app.config.producer);
                streams_options(&app)
            });
            producer_value(&options.ok()?.0, option)?
        }
        None => {
            match option {
                "max.poll.interval.ms" => app.config.max_poll_interval = None,
                "session.timeout.ms" => app.config.session_timeout = None,
                _ => return None,
            }
            consumer_value(&streams_options(&app).ok()?.1, option)?
        }
    };
    Some(ByDefault::Is { client, value })
}

fn of_consumer(app: &ConsumerApp, option: &str) -> Option<ByDefault> {
    let client = app.client;
    let mut probe = app.clone();
    probe.config = ConsumerConfig::default();
    set(&mut probe.config, option)?;
    if let Err(ConsumerConfigError::UnknownOption { .. }) = consumer_options(&probe) {
        return Some(ByDefault::Unknown { client });
    }
    // Of the others only the group's protocol decides what an option is by default.
    probe.config = ConsumerConfig {
        group_protocol: app
            .config
            .group_protocol
            .filter(|_| option != "group.protocol"),
        ..ConsumerConfig::default()
    };
    let value = consumer_value(&consumer_options(&probe).ok()?, option)?;
    Some(ByDefault::Is { client, value })
}

/// Whether the client of a producer has no such option, or not yet.
fn is_unknown(app: &ProducerApp, option: &str) -> bool {
    let mut probe = app.clone();
    probe.config = ProducerConfig::default();
    let mut times = ProducerTimes::default();
    match option {
        "enable.idempotence" => probe.config.idempotence = Some(false),
        "transactional.id" => probe.config.transactional_id = Some(String::new()),
        "delivery.timeout.ms" => times.delivery = Some(Millis(u32::MAX)),
        _ => return false,
    }
    let is_unknown = |error: &ConfigException| matches!(error, ConfigException::Unknown { .. });
    let options = producer_options(&probe).err();
    let times = check_times(&times, &app.client).err();
    options.or(times).as_ref().is_some_and(is_unknown)
}

/// What a transactional producer needs stays.
fn bare(config: &ProducerConfig) -> ProducerConfig {
    ProducerConfig {
        transactional_id: config.transactional_id.clone(),
        ..ProducerConfig::default()
    }
}

/// Leaves an option out, if it is one whose default depends on the client.
fn unset(config: &mut ProducerConfig, option: &str) -> Option<()> {
    match option {
        "acks" => config.acks = None,
        "retries" => config.retries = None,
        "enable.idempotence" => config.idempotence = None,
        "max.in.flight.requests.per.connection" => config.max_in_flight = None,
        _ => return None,
    }
    Some(())
}

/// Sets an option to something, to see whether the client knows it.
fn set(config: &mut ConsumerConfig, option: &str) -> Option<()> {
    let time = Some(Millis(1_000));
    match option {
        "isolation.level" => config.isolation_level = Some(IsolationLevel::ReadCommitted),
        "enable.auto.commit" => config.auto_commit = Some(true),
        "auto.commit.interval.ms" => config.auto_commit_interval = time,
        "auto.offset.reset" => config.auto_offset_reset = Some(AutoOffsetReset::Earliest),
        "enable.auto.offset.store" => config.auto_offset_store = Some(true),
        "max.poll.records" => config.max_poll_records = Some(1),
        "max.poll.interval.ms" => config.max_poll_interval = time,
        "session.timeout.ms" => config.session_timeout = time,
        "group.protocol" => config.group_protocol = Some(GroupProtocol::Classic),
        _ => return None,
    }
    Some(())
}

/// The value of an option, and whether there is one: none stands for no limit.
fn producer_value(options: &Effective, option: &str) -> Option<Option<String>> {
    Some(match option {
        "acks" => Some(
            match options.acks {
                Acks::None => "0",
                Acks::Leader => "1",
                Acks::All => "all",
            }
            .to_owned(),
        ),
        "retries" => Some(options.retries.to_string()),
        "enable.idempotence" => Some(options.idempotence.to_string()),
        "max.in.flight.requests.per.connection" => {
            let limit = options.max_in_flight;
            (limit < u32::MAX).then(|| limit.to_string())
        }
        _ => return None,
    })
}

fn consumer_value(options: &EffectiveConsumer, option: &str) -> Option<Option<String>> {
    Some(match option {
        "isolation.level" => Some(
            match options.isolation_level {
                IsolationLevel::ReadCommitted => "read_committed",
                IsolationLevel::ReadUncommitted => "read_uncommitted",
            }
            .to_owned(),
        ),
        "enable.auto.commit" => Some(options.auto_commit.to_string()),
        "auto.commit.interval.ms" => Some(options.auto_commit_interval.0.to_string()),
        "auto.offset.reset" => Some(
            match options.auto_offset_reset {
                AutoOffsetReset::Latest => "latest",
                AutoOffsetReset::Earliest => "earliest",
                AutoOffsetReset::None => "none",
            }
            .to_owned(),
        ),
        "enable.auto.offset.store" => Some(options.auto_offset_store.to_string()),
        "max.poll.records" => Some(options.max_poll_records.to_string()),
        "max.poll.interval.ms" => options.max_poll_interval.map(|limit| limit.0.to_string()),
        "session.timeout.ms" => Some(options.session_timeout.0.to_string()),
        "group.protocol" => Some(options.group_protocol.to_string()),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(client: &str, pointer: &str) -> Option<ByDefault> {
        let json = crate::state::Model::Delivery
            .story()
            .ok()?
            .as_ref()
            .to_json();
        let mut json: serde_json::Value = serde_json::from_str(&json).ok()?;
        for list in ["producers", "consumers"] {
            json[list][0]["client"] = client.into();
            json[list][0]["config"] = serde_json::json!({"group.id": "g"});
        }
        let _ = json["producers"][0]["config"]
            .as_object_mut()?
            .remove("group.id");
        by_default(&Story::from_json(&json.to_string()).ok()?, pointer)
    }

    #[test]
    fn a_default_is_that_of_the_client_and_its_version() {
        let value = |client: &str, pointer: &str| match known(client, pointer) {
            Some(ByDefault::Is { value, .. }) => value.unwrap_or_else(|| "no limit".to_owned()),
            other => panic!("{client}, {pointer}: {other:?}"),
        };
        let (acks, idempotence) = (
            "/producers/0/config/acks",
            "/producers/0/config/enable.idempotence",
        );
        assert_eq!(value("java 2.8.2", acks), "1");
        assert_eq!(value("java 4.0.0", acks), "all");
        assert_eq!(value("librdkafka 2.10.0", acks), "all");
        assert_eq!(value("java 4.0.0", idempotence), "true");
        assert_eq!(value("java 3.1.0", idempotence), "false");
        assert_eq!(value("librdkafka 2.10.0", idempotence), "false");
        assert_eq!(value("kafkajs 2.2.4", "/producers/0/config/retries"), "5");
        let in_flight = "/producers/0/config/max.in.flight.requests.per.connection";
        assert_eq!(value("kafkajs 2.2.4", in_flight), "no limit");
        let isolation = "/consumers/0/config/isolation.level";
        assert_eq!(value("librdkafka 2.10.0", isolation), "read_committed");
        assert_eq!(value("java 4.0.0", isolation), "read_uncommitted");
        let timeout = "/consumers/0/config/session.timeout.ms";
        assert_eq!(value("java 2.8.2", timeout), "10000");
        assert_eq!(value("kafkajs 2.2.4", timeout), "30000");
        assert_eq!(known("java 4.0.0", "/producers/0/interval_ms"), None);
        assert_eq!(known("java 4.0.0", "/cluster/brokers"), None);
    }

    #[test]
    fn the_producers_of_a_sink_have_defaults_of_their_own() {
        let story = crate::state::Model::Sink.story().unwrap();
        let value = |pointer: &str| match by_default(&story, pointer) {
            Some(ByDefault::Is { value, .. }) => value.unwrap(),
            other => panic!("{pointer}: {other:?}"),
        };
        assert_eq!(value("/kafka/sink/config/acks"), "all");
        assert_eq!(value("/kafka/sink/config/enable.idempotence"), "true");
        assert_eq!(by_default(&story, "/kafka/cluster/brokers"), None);
    }

    #[test]
    fn an_option_that_a_client_lacks_is_said_to_be_unknown() {
        let is_unknown = |client: &str, pointer: &str| {
            matches!(known(client, pointer), Some(ByDefault::Unknown { .. }))
        };
        let store = "/consumers/0/config/enable.auto.offset.store";
        assert!(is_unknown("java 4.0.0", store));
        assert!(!is_unknown("librdkafka 1.6.0", store));
        let records = "/consumers/0/config/max.poll.records";
        assert!(is_unknown("kafkajs 2.2.4", records) && is_unknown("librdkafka 2.10.0", records));
        let delivery = "/producers/0/config/delivery.timeout.ms";
        assert!(is_unknown("kafkajs 2.2.4", delivery) && is_unknown("java 2.0.0", delivery));
        assert!(!is_unknown("java 2.1.0", delivery) && !is_unknown("librdkafka 1.6.0", delivery));
        let protocol = "/consumers/0/config/group.protocol";
        assert!(is_unknown("java 3.1.0", protocol) && !is_unknown("java 4.0.0", protocol));
    }
}
