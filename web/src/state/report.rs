//! The fault reports that come with the program: public reports of Kafka and its clients, each a scenario
//! without and with its fix.

use barrierscope_core::scenario::{ScenarioError, Story};

/// A fault report.
#[derive(Debug)]
pub struct Report {
    /// Its name, and that of its scenario's files.
    pub id: &'static str,
    /// Where it was reported, or what is documented, as short as it can be said.
    pub ticket: &'static str,
    /// The scenario without the fix, and with it.
    files: [&'static str; 2],
}

macro_rules! reports {
    ($($id:literal, $file:literal, $ticket:literal;)*) => {
        /// All of them, in the order of their names.
        pub const REPORTS: &[Report] = &[$(Report {
            id: $id,
            ticket: $ticket,
            files: [
                include_str!(concat!("../../../scenarios/cases/", $file, ".json")),
                include_str!(concat!("../../../scenarios/cases/", $file, ".fixed.json")),
            ],
        }),*];
    };
}

reports! {
    "KC01", "KC01-autocommit-crash-mid-batch", "Consumer javadoc";
    "KC04", "KC04-librdkafka-store-before-delivery", "librdkafka#1122";
    "KC06", "KC06-async-consumer-autocommit", "KAFKA-18641";
    "KC07", "KC07-commit-before-process", "Kafka docs, design";
    "KC09", "KC09-max-poll-interval-livelock", "aiokafka#848";
    "KC10", "KC10-out-of-order-ack", "sarama#1287";
    "KC12", "KC12-retention-then-latest", "spring-kafka#1493";
    "KC15", "KC15-stale-stored-offset", "librdkafka 1.9.0";
    "KP01", "KP01-acks1-leader-crash", "Kafka docs, acks";
    "KP02", "KP02-acksall-single-isr", "KIP-966";
    "KP03", "KP03-ack-lost-retry", "librdkafka#1958";
    "KP05", "KP05-app-level-resend", "Producer javadoc";
    "KP07", "KP07-idempotence-default-not-applied", "KAFKA-13598";
    "KP10", "KP10-shared-base-sequence", "kafkajs#1005";
    "KP14", "KP14-first-batch-not-zero", "KAFKA-14359";
    "KS01", "KS01-streams-dirty-store", "KAFKA-20685";
    "KT01", "KT01-read-uncommitted-reader", "isolation.level";
    "KT02", "KT02-hanging-transaction", "KAFKA-14053";
    "KT04", "KT04-late-endtxn-tears-next-txn", "KAFKA-17754";
    "KT06", "KT06-coordinator-clock-back", "KAFKA-8803";
    "KT07", "KT07-zombie-no-group-metadata", "aiokafka#844";
    "KT10", "KT10-reinit-mid-transaction", "librdkafka#3575";
    "KT11", "KT11-aborted-empty-txn-skips-data", "librdkafka 1.7.0";
    "KT12", "KT12-swallowed-send-error", "KAFKA-9279";
    "KT14", "KT14-two-live-producers-one-id", "FLINK-22452";
}

/// A fault report as it is opened: which, by its place in [`REPORTS`], and whether with its fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reported {
    place: usize,
    /// Whether with its fix.
    pub fixed: bool,
}

/// Behind the name of a report, in an address: with its fix.
const FIXED: &str = ".fixed";

impl Reported {
    /// A report by its place in [`REPORTS`], without its fix.
    pub fn at(place: usize) -> Option<Self> {
        REPORTS.get(place).map(|_| Self {
            place,
            fixed: false,
        })
    }

    /// The one that an address names.
    pub fn of(code: &str) -> Option<Self> {
        let (id, fixed) = match code.strip_suffix(FIXED) {
            Some(id) => (id, true),
            None => (code, false),
        };
        let place = REPORTS.iter().position(|report| report.id == id)?;
        Some(Self { place, fixed })
    }

    /// The word for it in an address.
    pub fn code(self) -> String {
        let id = self.report().id;
        let fixed = if self.fixed { FIXED } else { "" };
        format!("{id}{fixed}")
    }

    /// Its place in [`REPORTS`].
    pub const fn place(self) -> usize {
        self.place
    }

    /// The report.
    pub fn report(self) -> &'static Report {
        // Nothing else makes one of these.
        REPORTS.get(self.place).unwrap_or(&REPORTS[0])
    }

    /// The same report with its fix, or without.
    #[must_use]
    pub const fn with_fix(self, fixed: bool) -> Self {
        Self { fixed, ..self }
    }

    /// Its scenario.
    ///
    /// # Errors
    /// None, as long as the scenarios that come with the program are whole.
    pub fn story(self) -> Result<Story, ScenarioError> {
        Story::from_json(self.report().files[usize::from(self.fixed)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_report_opens_without_and_with_its_fix() {
        for place in 0..REPORTS.len() {
            let reported = Reported::at(place).expect("it is there");
            for reported in [reported, reported.with_fix(true)] {
                let story = reported.story().expect("it is whole");
                assert!(barrierscope_core::start(story).is_ok());
                assert_eq!(Reported::of(&reported.code()), Some(reported));
            }
        }
        assert_eq!(Reported::at(REPORTS.len()), None);
        assert_eq!(Reported::of("KX99"), None);
    }
}
