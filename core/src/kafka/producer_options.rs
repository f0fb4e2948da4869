//! What a producer's options come to, in each version of the Java client.
//!
//! Source: Kafka's `ProducerConfig`: the defaults at the release tags,
//! `postProcessAndValidateIdempotenceConfigs` (since 3.0.1) and `maybeOverrideAcksAndRetries` (before);
//! KIP-91, KIP-679, KAFKA-13598 (in 3.0.0 and 3.1.0 idempotence was on by default on paper only).
//! Versions before 1.0 are taken for 1.0.

use core::fmt;

use super::client::{Client, Library};
use super::replicated_log::Acks;

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
}

impl fmt::Display for ConfigException {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Retries => {
                "Must set retries to non-zero when using the idempotent producer."
            }
            Self::Acks => {
                "Must set acks to all in order to use the idempotent producer. Otherwise we cannot guarantee idempotence."
            }
            Self::MaxInFlight => {
                "Must set max.in.flight.requests.per.connection to at most 5 to use the idempotent producer."
            }
            Self::TransactionalId => {
                "Cannot set a transactional.id without also enabling idempotence."
            }
        })
    }
}

impl core::error::Error for ConfigException {}

/// The most requests in flight with which idempotence works: so many batches a broker remembers.
const MAX_IN_FLIGHT: u32 = 5;

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
/// or has a transactional id, and refuses what does not go with it (its `CONFIGURATION.md`); kafkajs takes
/// anything.
pub fn effective_of(
    options: &ProducerOptions,
    client: &Client,
) -> Result<Effective, ConfigException> {
    let others = ProducerOptions {
        acks: options.acks.or(Some(Acks::All)),
        idempotence: options.idempotence.or(Some(options.transactional)),
        ..*options
    };
    match client.library {
        Library::Java => effective(options, client.version),
        // A version in which nothing is switched off silently.
        Library::Librdkafka => effective(&others, KafkaVersion::new(2, 8, 0)),
        Library::KafkaJs => Ok(Effective {
            acks: options.acks.unwrap_or(Acks::All),
            retries: options.retries.unwrap_or(5),
            max_in_flight: options.max_in_flight.unwrap_or(u32::MAX),
            idempotence: options.idempotence.unwrap_or(options.transactional),
            transactional: options.transactional,
            shares_sequences: client.shares_sequences(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
