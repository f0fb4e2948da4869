//! What a reader got, compared with what it should have got.

use alloc::vec::Vec;

use serde::Serialize;

use crate::id::RecordId;

/// The account of a run so far, for one reader.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// How many records the reader should see in the end: those that no filter drops.
    pub expected: u32,
    /// How many of them the sources have read, as their positions say: a restart takes them back.
    pub read: u32,
    /// How many of them the reader sees.
    pub visible: u32,
    /// How many records are lost: the reader does not see them, and nothing that is stored or under
    /// way will ever show them.
    pub lost: u32,
    /// How many records the reader sees more often than it should: twice, or at all although their application
    /// has aborted them.
    pub doubled: u32,
    /// How many records are written, or will be, and wait for a commit.
    pub waiting: u32,
    /// How many records are there, or will be sent again, and nothing is wrong with them, but they are
    /// not visible: decided but hidden behind an older transaction that is still open; or, when the run
    /// is over, still waiting.
    pub stuck: u32,
    /// How many records were not written, and whoever sent them was told so.
    pub failed: u32,
    /// How many records the state of an operator counts too often; when the run is over, also those that
    /// it counts too seldom.
    pub miscounted: u32,
    /// The sum of the values the reader sees, each as often as it sees it.
    pub total: u64,
    /// The sum of the values of these records, each as often as the reader should see it.
    pub true_total: u64,
    /// Whether the run is over.
    pub done: bool,
    /// The records that are lost or doubled.
    pub witnesses: Vec<Witness>,
    /// The records that are stuck, and what each waits for. Told by the models of Kafka's clients.
    pub held: Vec<Held>,
}

/// A record that is stuck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// Which record.
    pub record: RecordId,
    /// What it waits for.
    pub by: Hindrance,
}

/// Why a record is not seen although nothing is wrong with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hindrance {
    /// It has not been written: its producer has it, or its application.
    NotWritten,
    /// Nobody leads its partition.
    NoLeader,
    /// It is above the high watermark: replicas in sync do not have it.
    NotReplicated,
    /// Its own transaction is open.
    Undecided,
    /// It is above the last stable offset: an older transaction is open.
    OpenTransaction,
    /// Whoever should process it has failed: neither a committed offset nor `auto.offset.reset` says where to
    /// begin.
    NoOffset,
    /// Nobody who runs processes it.
    NotProcessed,
}

/// A record that shows the guarantee broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Witness {
    /// Which record.
    pub record: RecordId,
    /// How often the reader sees it: 0 if it is lost.
    pub copies: u32,
    /// How often the reader should see it: 0 if its application has aborted it.
    pub due: u32,
}

/// The guarantee that a run has kept so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Guarantee {
    /// Nothing lost, nothing doubled.
    ExactlyOnce,
    /// Nothing lost, something doubled.
    AtLeastOnce,
    /// Something lost, nothing doubled.
    AtMostOnce,
    /// Something lost or never seen, and something doubled.
    None,
    /// Nothing lost, nothing doubled, but something will not be seen as things are.
    Stuck,
}

impl Verdict {
    /// What the figures come to.
    pub fn guarantee(&self) -> Guarantee {
        // What was not written is missing, also where somebody was told so.
        let missing = self.lost > 0 || self.failed > 0;
        match (missing, self.doubled > 0, self.stuck > 0) {
            (false, false, false) => Guarantee::ExactlyOnce,
            (false, false, true) => Guarantee::Stuck,
            (false, true, false) => Guarantee::AtLeastOnce,
            (true, false, _) => Guarantee::AtMostOnce,
            (true, true, _) | (false, true, true) => Guarantee::None,
        }
    }
}

impl Serialize for Witness {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut witness = serializer.serialize_struct("Witness", 3)?;
        witness.serialize_field("record", &self.record.0)?;
        witness.serialize_field("copies", &self.copies)?;
        witness.serialize_field("due", &self.due)?;
        witness.end()
    }
}

impl Serialize for Held {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut held = serializer.serialize_struct("Held", 2)?;
        held.serialize_field("record", &self.record.0)?;
        held.serialize_field("by", &self.by)?;
        held.end()
    }
}
