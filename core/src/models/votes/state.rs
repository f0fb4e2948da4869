//! What changes while processes vote.

use smallvec::SmallVec;

use crate::commit::Process;
use crate::commit::coordinator::Coordinator;
use crate::commit::message::Message;
use crate::commit::participant::Participant;
use crate::commit::properties::History;

/// Everything that changes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    pub(super) coordinator: Coordinator,
    pub(super) participants: SmallVec<[Participant; 3]>,
    /// By process.
    pub(super) standing: SmallVec<[Standing; 8]>,
    /// What is under way, by link, and on each link the first to arrive first.
    pub(super) wire: SmallVec<[Flight; 8]>,
    /// Whether the application has asked for the transaction to be committed.
    pub(super) begun: bool,
    pub(super) history: History,
    /// By fault of messages, then by fault at a moment: how many of these there have been.
    pub(super) counted: SmallVec<[u16; 4]>,
    pub(super) crashes: u8,
    pub(super) losses: u8,
    pub(super) duplicates: u8,
    /// Time-outs that came too early, where the scenario limits them.
    pub(super) early: u8,
}

/// A message under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Flight {
    pub(super) link: u16,
    pub(super) message: Message,
}

/// Whether a process runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Standing {
    Running,
    /// It has died, and comes back by itself.
    Down,
    /// It is down until it is recovered.
    Stopped,
}

/// A message under way, as others see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnderWay {
    /// Who has sent it.
    pub from: Process,
    /// Whom it is for.
    pub to: Process,
    /// What it says.
    pub message: Message,
}

impl State {
    /// The coordinator.
    pub fn coordinator(&self) -> &Coordinator {
        &self.coordinator
    }

    /// The participants, in the order of their numbers.
    pub fn participants(&self) -> &[Participant] {
        &self.participants
    }

    /// A participant.
    pub fn participant(&self, process: Process) -> Option<&Participant> {
        self.participants.get(process.number()?)
    }

    pub(super) fn participant_mut(&mut self, process: Process) -> Option<&mut Participant> {
        self.participants.get_mut(process.number()?)
    }

    /// Whether a process runs.
    pub fn is_running(&self, process: Process) -> bool {
        self.standing_of(process) == Some(Standing::Running)
    }

    pub(super) fn standing_of(&self, process: Process) -> Option<Standing> {
        self.standing.get(usize::from(process.0)).copied()
    }

    /// Whether the application has asked for the transaction to be committed.
    pub fn has_begun(&self) -> bool {
        self.begun
    }

    /// Everything that was ever voted and decided.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// How many messages are under way.
    pub fn under_way(&self) -> usize {
        self.wire.len()
    }
}
