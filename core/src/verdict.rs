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
    /// How many different records the reader sees.
    pub visible: u32,
    /// How many records are lost: the reader does not see them, and nothing that is stored or under
    /// way will ever show them.
    pub lost: u32,
    /// How many records the reader sees more than once.
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
}

/// A record that shows the guarantee broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Witness {
    /// Which record.
    pub record: RecordId,
    /// How often the reader sees it: 0 if it is lost.
    pub copies: u32,
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
    /// Something lost and something doubled.
    None,
}

impl Verdict {
    /// What the figures come to.
    pub fn guarantee(&self) -> Guarantee {
        // What was not written is missing, also where somebody was told so.
        match (self.lost + self.failed, self.doubled) {
            (0, 0) => Guarantee::ExactlyOnce,
            (0, _) => Guarantee::AtLeastOnce,
            (_, 0) => Guarantee::AtMostOnce,
            _ => Guarantee::None,
        }
    }
}

impl Serialize for Witness {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut witness = serializer.serialize_struct("Witness", 2)?;
        witness.serialize_field("record", &self.record.0)?;
        witness.serialize_field("copies", &self.copies)?;
        witness.end()
    }
}
