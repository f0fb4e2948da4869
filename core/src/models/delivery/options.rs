//! What the clients' options come to.

use crate::kafka::consumer_options::{
    self, ConsumerConfigError, ConsumerOptions, EffectiveConsumer,
};
use crate::kafka::log::IsolationLevel;
use crate::kafka::producer_options::{self, ConfigException, Effective, ProducerOptions};
use crate::scenario::delivery::{
    ConsumerApp, ProcessingGuarantee, ProducerApp, ProducerConfig, StreamsApp,
};

/// What a producer does.
///
/// # Errors
/// [`ConfigException`] where the client would not start.
pub fn producer_options(app: &ProducerApp) -> Result<Effective, ConfigException> {
    producer_options::effective_of(&options(&app.config), &app.client)
}

/// What a consumer does.
///
/// # Errors
/// [`ConsumerConfigError`] where the client would not start.
pub fn consumer_options(app: &ConsumerApp) -> Result<EffectiveConsumer, ConsumerConfigError> {
    let config = &app.config;
    let options = ConsumerOptions {
        auto_commit: config.auto_commit,
        auto_commit_interval: config.auto_commit_interval,
        auto_offset_reset: config.auto_offset_reset,
        isolation_level: config.isolation_level,
        max_poll_records: config.max_poll_records,
        max_poll_interval: config.max_poll_interval,
        session_timeout: config.session_timeout,
        group_protocol: config.group_protocol,
        auto_offset_store: config.auto_offset_store,
    };
    consumer_options::effective(&options, &app.client)
}

/// What the producer and the consumer of a Streams application do: with exactly_once_v2, Streams has a
/// transactional producer and reads committed records only; in any case it does not commit by itself, and
/// begins at the start of its input.
///
/// # Errors
/// [`ConfigException`] where the client would not start.
pub fn streams_options(
    app: &StreamsApp,
) -> Result<(Effective, EffectiveConsumer), ConfigException> {
    let exactly = app.config.guarantee == ProcessingGuarantee::ExactlyOnceV2;
    let mut options = options(&app.config.producer);
    if exactly {
        options.transactional = true;
        options.idempotence = Some(true);
    }
    let producer = producer_options::effective_of(&options, &app.client)?;
    let consumer = EffectiveConsumer {
        auto_commit: false,
        auto_commit_interval: crate::time::Millis(5_000),
        auto_offset_reset: consumer_options::AutoOffsetReset::Earliest,
        isolation_level: match exactly {
            true => IsolationLevel::ReadCommitted,
            false => IsolationLevel::ReadUncommitted,
        },
        max_poll_records: 1_000,
        max_poll_interval: Some(
            app.config
                .max_poll_interval
                .unwrap_or(crate::time::Millis(300_000)),
        ),
        session_timeout: app
            .config
            .session_timeout
            .unwrap_or(crate::time::Millis(45_000)),
        group_protocol: crate::kafka::client::GroupProtocol::Classic,
        auto_offset_store: false,
    };
    Ok((producer, consumer))
}

fn options(config: &ProducerConfig) -> ProducerOptions {
    ProducerOptions {
        acks: config.acks,
        retries: config.retries,
        max_in_flight: config.max_in_flight,
        idempotence: config.idempotence,
        transactional: config.transactional_id.is_some(),
    }
}
