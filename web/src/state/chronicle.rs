//! What has happened in a run of Kafka's clients and brokers until a step, as far as no state says it: a
//! state knows what is, not in which order it came about.

use barrierscope_core::event::{Event, KafkaEvent};
use barrierscope_core::id::{NodeId, RecordId};
use barrierscope_core::session::Session;

/// The longest run that is gone through: to look at every step of a longer one would be noticed.
const LONGEST: usize = 20_000;

/// What is remembered of a run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Chronicle {
    /// Whether the run was too long to be gone through.
    is_blank: bool,
    /// Who was started, at which step.
    starts: Vec<(usize, NodeId)>,
    /// Whose processing of which record had an effect, at which step.
    effects: Vec<(usize, NodeId, RecordId)>,
    /// The first record of each batch that a broker took for another one, at which step.
    mistaken: Vec<(usize, RecordId)>,
}

impl Chronicle {
    /// Goes through a run from its start to its end, and comes back to where it was.
    pub(super) fn of(session: &mut dyn Session) -> Self {
        let mut chronicle = Self::default();
        let (at, last) = (session.at(), session.last());
        if last > LONGEST {
            chronicle.is_blank = true;
            return chronicle;
        }
        for step in 1..=last {
            session.go_to(step);
            for event in session.events() {
                chronicle.hear(step, &event);
            }
        }
        session.go_to(at);
        chronicle
    }

    fn hear(&mut self, step: usize, event: &Event) {
        match *event {
            Event::Kafka(KafkaEvent::Started { node }) => self.starts.push((step, node)),
            Event::Kafka(KafkaEvent::Processed {
                client,
                record,
                known: false,
                ..
            }) => self.effects.push((step, client, record)),
            Event::Kafka(KafkaEvent::Deduplicated {
                record,
                mistaken: true,
                ..
            }) => self.mistaken.push((step, record)),
            _ => {}
        }
    }

    /// Whether a broker has taken the batch of a record for another one by a step.
    pub(super) fn was_mistaken(&self, record: RecordId, step: usize) -> bool {
        let mut mistaken = self.mistaken.iter();
        mistaken.any(|(happened, which)| *happened <= step && *which == record)
    }

    /// Whether something was started before a step, as far as one knows.
    pub(super) fn has_run_before(&self, node: NodeId, step: usize) -> bool {
        let mut starts = self.starts.iter();
        self.is_blank || starts.any(|(started, who)| *started < step && *who == node)
    }

    /// The records that had an effect by a step, in the order in which it happened, each as often as it did.
    pub(super) fn effects(&self, step: usize) -> impl Iterator<Item = (NodeId, RecordId)> + '_ {
        let effects = self.effects.iter();
        (effects.take_while(move |(happened, ..)| *happened <= step))
            .map(|(_, client, record)| (*client, *record))
    }
}
