//! What a producer's options come to, in each version of the Java client.
//!
//! Source: Kafka's `ProducerConfig`: the defaults at the release tags,
//! `postProcessAndValidateIdempotenceConfigs` (since 3.0.1) and `maybeOverrideAcksAndRetries` (before);
//! KIP-91, KIP-679, KAFKA-13598 (in 3.0.0 and 3.1.0 idempotence was on by default on paper only).
//! Versions before 1.0 are taken for 1.0.

use core::fmt;

use super::client::{Client, Library};
use super::replicated_log::Acks;
use crate::time::Millis;

/// A version of Kafka.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KafkaVersion {
    /// The 3 of 3.1.0.
    pub major: u8,
    /// The 1 of 3.1.0.
    pub minor: u8,
    /// The 0 of 3.1.0.
    pub patch: u8,
}

impl KafkaVersion {
    /// The version `major.minor.patch`.
    pub const fn new(major: u8, minor: u8, patch: u8) -> Self {
        Self {
            major,
            minor,
            patch,
        }
    }

    /// Whether a producer is idempotent that does not say what it wants to be.
    fn idempotent_by_default(self) -> bool {
        self >= Self::new(3, 0, 1) && self != Self::new(3, 1, 0)
    }
}

/// What a user writes; none where nothing is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ProducerOptions {
    /// `acks`
    pub acks: Option<Acks>,
    /// `retries`
    pub retries: Option<u32>,
    /// `max.in.flight.requests.per.connection`
    pub max_in_flight: Option<u32>,
    /// `enable.idempotence`
    pub idempotence: Option<bool>,
    /// Whether there is a `transactional.id`.
    pub transactional: bool,
}

/// What a producer does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Effective {
    /// What it waits for.
    pub acks: Acks,
    /// How often it sends a batch again. With `acks=0` there is nothing to make it do so.
    pub retries: u32,
    /// How many requests it has under way at a time.
    pub max_in_flight: u32,
    /// Whether its batches carry a producer id and a sequence.
    pub idempotence: bool,
    /// Whether it writes in transactions.
    pub transactional: bool,
    /// Whether sends that are under way at the same time take the same sequence: a client's bug
    /// ([`Client::shares_sequences`]).
    pub shares_sequences: bool,
}

/// Why a producer does not start: a `ConfigException`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConfigException {
    /// Idempotence without a retry.
    Retries,
    /// Idempotence with other `acks` than `all`.
    Acks,
    /// Idempotence with more in flight than a broker remembers.
    MaxInFlight,
    /// A `transactional.id` without idempotence.
    TransactionalId,
    /// A `max.in.flight.requests.per.connection` of 0, with which nothing would be sent.
    NothingInFlight,
    /// A `delivery.timeout.ms` that is shorter than one attempt.
    DeliveryTimeout {
        /// The shortest that it may be.
        least: Millis,
    },
    /// A `delivery.timeout.ms` that is longer than the transaction may take, which librdkafka does not take.
    OutlivesTransaction {
        /// The longest that it may be.
        most: Millis,
    },
    /// An option that the library does not have, or not yet.
    Unknown {
        /// Its name.
        option: &'static str,
        /// Who does not know it.
        client: Client,
        /// Who does, since when.
        known: &'static str,
    },
}

impl ConfigException {
    /// The option that is to blame.
    pub const fn option(&self) -> &'static str {
        match self {
            Self::Retries => "retries",
            Self::Acks => "acks",
            Self::MaxInFlight | Self::NothingInFlight => "max.in.flight.requests.per.connection",
            Self::TransactionalId => "transactional.id",
            Self::DeliveryTimeout { .. } | Self::OutlivesTransaction { .. } => {
                "delivery.timeout.ms"
            }
            Self::Unknown { option, .. } => option,
        }
    }
}

impl fmt::Display for ConfigException {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Retries => {
                f.write_str("Must set retries to non-zero when using the idempotent producer.")
            }
            Self::Acks => f.write_str(
                "Must set acks to all in order to use the idempotent producer. Otherwise we cannot guarantee idempotence.",
            ),
            Self::MaxInFlight => f.write_str(
                "Must set max.in.flight.requests.per.connection to at most 5 to use the idempotent producer.",
            ),
            Self::TransactionalId => {
                f.write_str("Cannot set a transactional.id without also enabling idempotence.")
            }
            Self::NothingInFlight => f.write_str(
                "0 is out of range: max.in.flight.requests.per.connection must be at least 1",
            ),
            Self::DeliveryTimeout { least } => write!(
                f,
                "delivery.timeout.ms should be equal to or larger than linger.ms + request.timeout.ms: at least {} ms",
                least.0
            ),
            Self::OutlivesTransaction { most } => write!(
                f,
                "delivery.timeout.ms must be set <= transaction.timeout.ms, {} ms: librdkafka does not start otherwise",
                most.0
            ),
            Self::Unknown {
                option,
                client,
                known,
            } => write!(f, "{option} is unknown to {client}; known to {known}"),
        }
    }
}

impl core::error::Error for ConfigException {}

/// The most requests in flight with which idempotence works: so many batches a broker remembers.
const MAX_IN_FLIGHT: u32 = 5;
/// librdkafka's default without idempotence (its `CONFIGURATION.md`).
const LIBRDKAFKA_IN_FLIGHT: u32 = 1_000_000;

/// What a producer of this version does with these options.
pub fn effective(
    options: &ProducerOptions,
    version: KafkaVersion,
) -> Result<Effective, ConfigException> {
    let wanted = options.idempotence;
    let by_default = version.idempotent_by_default() || options.transactional;
    let mut idempotence = wanted.unwrap_or(by_default);
    let acks = options.acks.unwrap_or(match version {
        _ if idempotence => Acks::All,
        old if old < KafkaVersion::new(3, 0, 0) => Acks::Leader,
        _ => Acks::All,
    });
    let retries = options.retries.unwrap_or(match version {
        old if old < KafkaVersion::new(2, 1, 0) && !idempotence => 0,
        _ => i32::MAX as u32,
    });
    let max_in_flight = options.max_in_flight.unwrap_or(MAX_IN_FLIGHT);
    let conflicts = [
        (retries == 0, ConfigException::Retries),
        (acks != Acks::All, ConfigException::Acks),
        (max_in_flight > MAX_IN_FLIGHT, ConfigException::MaxInFlight),
    ];
    for (conflict, error) in conflicts {
        if !idempotence || !conflict {
            continue;
        }
        // Only from 3.0.1 on can it be on without being wanted, and is switched off with a line in the
        // log; for too many in flight no longer since 4.0.
        let silent = version.idempotent_by_default()
            && (error != ConfigException::MaxInFlight || version < KafkaVersion::new(4, 0, 0));
        if wanted.is_some() || !silent {
            return Err(error);
        }
        idempotence = false;
    }
    if options.transactional && !idempotence {
        return Err(ConfigException::TransactionalId);
    }
    Ok(Effective {
        acks,
        retries,
        max_in_flight,
        idempotence,
        transactional: options.transactional,
        shares_sequences: false,
    })
}

/// What a producer of any client does with these options. librdkafka is idempotent only if it is asked for,
/// or has a transactional id, and refuses what does not go with it (its `CONFIGURATION.md` and
/// `rd_kafka_conf_finalize`). So does kafkajs, but for the number in flight (its `producer/index.js`,
/// `producer/messageProducer.js`); what is sent in a transaction is idempotent there in any case.
pub fn effective_of(
    options: &ProducerOptions,
    client: &Client,
) -> Result<Effective, ConfigException> {
    if options.max_in_flight == Some(0) {
        return Err(ConfigException::NothingInFlight);
    }
    let others = ProducerOptions {
        acks: options.acks.or(Some(Acks::All)),
        idempotence: options.idempotence.or(Some(options.transactional)),
        ..*options
    };
    match client.library {
        Library::Java => effective(options, client.version),
        Library::Librdkafka => {
            check_identity(options, client)?;
            // A version in which nothing is switched off silently.
            let of_five = effective(&others, KafkaVersion::new(2, 8, 0))?;
            let unlimited = !of_five.idempotence && options.max_in_flight.is_none();
            Ok(Effective {
                max_in_flight: match unlimited {
                    true => LIBRDKAFKA_IN_FLIGHT,
                    false => of_five.max_in_flight,
                },
                ..of_five
            })
        }
        Library::KafkaJs => {
            let idempotence = options.transactional || options.idempotence == Some(true);
            let of_five = effective(
                &ProducerOptions {
                    idempotence: Some(idempotence),
                    max_in_flight: None,
                    ..others
                },
                KafkaVersion::new(2, 8, 0),
            )?;
            Ok(Effective {
                retries: options.retries.unwrap_or(match idempotence {
                    true => of_five.retries,
                    false => 5,
                }),
                max_in_flight: options.max_in_flight.unwrap_or(u32::MAX),
                shares_sequences: client.shares_sequences(),
                ..of_five
            })
        }
    }
}

/// librdkafka's idempotent and transactional producers came one after the other.
fn check_identity(options: &ProducerOptions, client: &Client) -> Result<(), ConfigException> {
    let unknown = |option, known| ConfigException::Unknown {
        option,
        client: *client,
        known,
    };
    if options.transactional && client.is_before(Library::Librdkafka, 1, 4, 0) {
        return Err(unknown("transactional.id", "librdkafka since 1.4.0"));
    }
    if options.idempotence.is_some() && client.is_before(Library::Librdkafka, 1, 0, 0) {
        return Err(unknown("enable.idempotence", "librdkafka since 1.0.0"));
    }
    Ok(())
}

/// The times that a user writes; none where nothing is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProducerTimes {
    /// `request.timeout.ms`
    pub request: Option<Millis>,
    /// `delivery.timeout.ms`
    pub delivery: Option<Millis>,
    /// `transaction.timeout.ms`, if there is a `transactional.id`.
    pub transaction: Option<Millis>,
}

/// Whether a producer starts with these times (Java: `KafkaProducer.configureDeliveryTimeout`, KIP-91).
/// What is not written is adjusted silently.
pub fn check_times(times: &ProducerTimes, client: &Client) -> Result<(), ConfigException> {
    let Some(delivery) = times.delivery else {
        return Ok(());
    };
    match client.library {
        Library::Java if client.is_before(Library::Java, 2, 1, 0) => unknown_delivery(client),
        Library::Java => {
            let least = least_delivery(times, client);
            match delivery < least {
                true => Err(ConfigException::DeliveryTimeout { least }),
                false => Ok(()),
            }
        }
        Library::Librdkafka => match times.transaction {
            Some(most) if delivery > most => Err(ConfigException::OutlivesTransaction { most }),
            _ => Ok(()),
        },
        Library::KafkaJs => unknown_delivery(client),
    }
}

/// What a Java producer needs for one attempt. `linger.ms`, which is not modelled, is 5 since 4.0 (KIP-1030).
fn least_delivery(times: &ProducerTimes, client: &Client) -> Millis {
    let linger = match client.is_before(Library::Java, 4, 0, 0) {
        true => 0,
        false => 5,
    };
    let request = times.request.unwrap_or(Millis(30_000));
    Millis(request.0.saturating_add(linger).min(i32::MAX as u32))
}

/// How long a producer tries to deliver a batch (`delivery.timeout.ms`, librdkafka's `message.timeout.ms`). If
/// it is not written, Java makes it long enough for one attempt, and librdkafka no longer than its transaction;
/// kafkajs counts attempts only.
pub fn delivery_timeout(times: &ProducerTimes, client: &Client) -> Millis {
    times.delivery.unwrap_or(match client.library {
        Library::Java => Millis(120_000).max(least_delivery(times, client)),
        Library::Librdkafka => times.transaction.unwrap_or(Millis(300_000)),
        Library::KafkaJs => crate::time::LONGEST,
    })
}

fn unknown_delivery(client: &Client) -> Result<(), ConfigException> {
    Err(ConfigException::Unknown {
        option: "delivery.timeout.ms",
        client: *client,
        known: "java since 2.1.0 and librdkafka",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    const V2_0: KafkaVersion = KafkaVersion::new(2, 0, 0);
    const V2_8: KafkaVersion = KafkaVersion::new(2, 8, 2);
    const V3_0: KafkaVersion = KafkaVersion::new(3, 0, 0);
    const V3_7: KafkaVersion = KafkaVersion::new(3, 7, 0);
    const V4_0: KafkaVersion = KafkaVersion::new(4, 0, 0);
    const NOTHING: ProducerOptions = ProducerOptions {
        acks: None,
        retries: None,
        max_in_flight: None,
        idempotence: None,
        transactional: false,
    };

    #[test]
    fn defaults_changed_from_version_to_version() {
        let of = |major, minor, patch| {
            let effective = effective(&NOTHING, KafkaVersion::new(major, minor, patch));
            let effective = effective.expect("defaults are right");
            (effective.acks, effective.retries > 0, effective.idempotence)
        };
        assert_eq!(of(2, 0, 0), (Acks::Leader, false, false));
        assert_eq!(of(2, 1, 0), (Acks::Leader, true, false));
        assert_eq!(of(2, 8, 2), (Acks::Leader, true, false));
        assert_eq!(of(3, 0, 0), (Acks::All, true, false), "on paper only");
        assert_eq!(of(3, 0, 1), (Acks::All, true, true));
        assert_eq!(of(3, 1, 0), (Acks::All, true, false), "on paper only");
        assert_eq!(of(3, 1, 1), (Acks::All, true, true));
        assert_eq!(of(3, 2, 0), (Acks::All, true, true));
    }

    #[test]
    fn idempotence_that_was_not_asked_for_is_switched_off_silently() {
        let conflicting = [
            ProducerOptions {
                acks: Some(Acks::Leader),
                ..NOTHING
            },
            ProducerOptions {
                retries: Some(0),
                ..NOTHING
            },
            ProducerOptions {
                max_in_flight: Some(6),
                ..NOTHING
            },
        ];
        for options in conflicting {
            let quiet = effective(&options, V3_7).map(|effective| effective.idempotence);
            assert_eq!(quiet, Ok(false), "{options:?}");
            let asked = ProducerOptions {
                idempotence: Some(true),
                ..options
            };
            for version in [V2_8, V3_0, V3_7, V4_0] {
                assert!(effective(&asked, version).is_err(), "{options:?}");
            }
            let unwanted = ProducerOptions {
                idempotence: Some(false),
                ..options
            };
            assert!(effective(&unwanted, V4_0).is_ok());
        }
        let many = effective(&conflicting[2], V4_0);
        assert_eq!(many, Err(ConfigException::MaxInFlight), "no longer silent");
    }

    #[test]
    fn asking_for_idempotence_brings_what_it_needs() {
        let asked = ProducerOptions {
            idempotence: Some(true),
            ..NOTHING
        };
        let effective = effective(&asked, V2_0).expect("nothing is against it");
        assert_eq!(effective.acks, Acks::All);
        assert!(effective.retries > 0);
    }

    #[test]
    fn kafkajs_refuses_what_does_not_go_with_idempotence_but_for_the_number_in_flight() {
        let client = "kafkajs 2.2.4".parse().expect("it is a client");
        let told = |options| effective_of(&options, &client);
        let asked = ProducerOptions {
            idempotence: Some(true),
            ..NOTHING
        };
        let quiet = ProducerOptions {
            acks: Some(Acks::Leader),
            ..asked
        };
        assert_eq!(told(quiet), Err(ConfigException::Acks));
        let once = ProducerOptions {
            retries: Some(0),
            ..asked
        };
        assert_eq!(told(once), Err(ConfigException::Retries));
        let many = ProducerOptions {
            max_in_flight: Some(9),
            ..asked
        };
        assert_eq!(told(many).map(|it| it.max_in_flight), Ok(9));
        let transactional = ProducerOptions {
            idempotence: Some(false),
            transactional: true,
            ..NOTHING
        };
        assert_eq!(told(transactional).map(|it| it.idempotence), Ok(true));
        assert_eq!(told(NOTHING).map(|it| it.retries), Ok(5));
    }

    #[test]
    fn nothing_may_be_in_flight_in_no_client() {
        for text in [
            "java 2.0.0",
            "java 4.0.0",
            "librdkafka 2.0.0",
            "kafkajs 2.0.0",
        ] {
            let client = text.parse().expect("it is a client");
            let options = ProducerOptions {
                max_in_flight: Some(0),
                ..NOTHING
            };
            let told = effective_of(&options, &client);
            assert_eq!(told, Err(ConfigException::NothingInFlight), "{text}");
        }
    }

    #[test]
    fn a_delivery_takes_at_least_one_attempt() {
        let told = |text: &str, request, delivery, transaction| {
            let client = text.parse().expect("it is a client");
            let times = ProducerTimes {
                request,
                delivery: Some(Millis(delivery)),
                transaction,
            };
            check_times(&times, &client).err().map(|it| it.to_string())
        };
        let short = told("java 4.0.0", None, 30_004, None).expect("linger.ms is 5");
        assert!(short.ends_with("at least 30005 ms"), "{short}");
        assert_eq!(told("java 3.9.0", None, 30_000, None), None);
        assert_eq!(told("java 4.0.0", Some(Millis(95)), 100, None), None);
        assert!(told("java 2.0.0", None, 120_000, None).is_some(), "KIP-91");
        assert_eq!(told("librdkafka 2.0.0", None, 1, None), None);
        let longer = told("librdkafka 2.0.0", None, 2, Some(Millis(1)));
        assert!(longer.is_some());
        assert!(told("kafkajs 2.0.0", None, 120_000, None).is_some());
        let nothing = ProducerTimes::default();
        let client = Client::default();
        assert_eq!(check_times(&nothing, &client), Ok(()));
    }

    #[test]
    fn transactions_need_idempotence() {
        let transactional = ProducerOptions {
            transactional: true,
            ..NOTHING
        };
        for version in [V2_0, V2_8, V3_0, V3_7, V4_0] {
            let implied = effective(&transactional, version).map(|it| it.idempotence);
            assert_eq!(implied, Ok(true));
            let without = ProducerOptions {
                idempotence: Some(false),
                ..transactional
            };
            let refused = effective(&without, version);
            assert_eq!(refused, Err(ConfigException::TransactionalId));
        }
        let quiet = ProducerOptions {
            acks: Some(Acks::None),
            ..transactional
        };
        assert_eq!(effective(&quiet, V2_8), Err(ConfigException::Acks));
        assert_eq!(
            effective(&quiet, V3_7),
            Err(ConfigException::TransactionalId)
        );
    }
}
