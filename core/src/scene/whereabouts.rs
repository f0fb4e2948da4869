//! Where a record is: every copy of it that a scene shows.

use alloc::vec::Vec;

use super::{CellStatus, Facts, Scene, TokenKind};
use crate::id::{NodeId, Offset, PartitionId, RecordId};

/// A place where a record is, or was put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whereabouts {
    /// In the input log of a source.
    Input {
        /// The log.
        node: NodeId,
        /// Its partition.
        partition: PartitionId,
        /// Where it stands there.
        offset: Offset,
        /// What has become of it.
        status: CellStatus,
    },
    /// In a channel.
    Channel {
        /// From where.
        from: NodeId,
        /// To where.
        to: NodeId,
        /// It waits in the sender's output queue.
        queued: bool,
        /// It is stored with a checkpoint as in-flight data.
        stored: bool,
    },
    /// Somebody works on it.
    Worked {
        /// Who.
        node: NodeId,
    },
    /// A producer has it, and waits.
    Sending {
        /// Whose producer.
        node: NodeId,
        /// How often it has been sent.
        attempts: u32,
        /// Whether a response is awaited.
        in_flight: bool,
    },
    /// In a log that is written.
    Log {
        /// The log.
        node: NodeId,
        /// The broker that the log is on, if it is a replica.
        broker: Option<u16>,
        /// Where it stands there.
        offset: Offset,
        /// What has become of it.
        status: CellStatus,
    },
    /// A consumer has got it, and has not finished it.
    Buffered {
        /// Which.
        node: NodeId,
    },
    /// In a broadcast state.
    Applied {
        /// Whose.
        node: NodeId,
        /// How often.
        copies: u32,
    },
    /// Somebody sees it who is judged.
    Seen {
        /// Who.
        node: NodeId,
        /// How often.
        copies: u32,
    },
}

impl Scene {
    /// Everywhere that a record is, node by node, then channel by channel.
    pub fn whereabouts(&self, record: RecordId) -> Vec<Whereabouts> {
        let mut found = Vec::new();
        for node in &self.nodes {
            let is_worked_on = node.work.is_some_and(|work| work.record == Some(record));
            if is_worked_on {
                found.push(Whereabouts::Worked { node: node.id });
            }
            in_facts(node.id, &node.facts, record, &mut found);
        }
        for wire in &self.links {
            for token in &wire.tokens {
                if token.kind == TokenKind::Record(record) {
                    found.push(Whereabouts::Channel {
                        from: wire.from,
                        to: wire.to,
                        queued: token.queued,
                        stored: token.unaligned,
                    });
                }
            }
        }
        found
    }

    /// The records that the input logs and the producers of a scene hold, in the order of their numbers: those whose
    /// whereabouts can be asked for.
    pub fn records(&self) -> Vec<RecordId> {
        let mut records = Vec::new();
        for node in &self.nodes {
            match &node.facts {
                Facts::Input { cells, .. } => {
                    records.extend(cells.iter().filter_map(|cell| cell.record));
                }
                Facts::Replica(view) => {
                    records.extend(view.entries.iter().filter_map(|entry| entry.record));
                }
                Facts::Producer(view) | Facts::Streams { producer: view, .. } => {
                    let batches = view.outstanding.iter();
                    records.extend(batches.flat_map(|batch| batch.records.iter().copied()));
                }
                _ => {}
            }
        }
        records.sort_unstable();
        records.dedup();
        records
    }
}

fn in_facts(node: NodeId, facts: &Facts, record: RecordId, found: &mut Vec<Whereabouts>) {
    let copies = |records: &[RecordId]| {
        let same = records.iter().filter(|other| **other == record).count();
        u32::try_from(same).unwrap_or(u32::MAX)
    };
    match facts {
        Facts::Input {
            partition, cells, ..
        } => {
            for (offset, cell) in (0..).zip(cells) {
                if cell.record == Some(record) {
                    found.push(Whereabouts::Input {
                        node,
                        partition: *partition,
                        offset: Offset(offset),
                        status: cell.status,
                    });
                }
            }
        }
        Facts::Output { cells, .. } => {
            for (offset, cell) in (0..).zip(cells) {
                if cell.record == Some(record) {
                    found.push(Whereabouts::Log {
                        node,
                        broker: None,
                        offset: Offset(offset),
                        status: cell.status,
                    });
                }
            }
        }
        Facts::Replica(view) => {
            for entry in view.entries.iter().filter(|it| it.record == Some(record)) {
                found.push(Whereabouts::Log {
                    node,
                    broker: Some(view.broker),
                    offset: entry.offset,
                    status: entry.status,
                });
            }
        }
        Facts::Producer(view) => sending(node, view, record, found),
        Facts::Consumer(view) => buffered(node, view, record, found),
        Facts::Streams {
            consumer, producer, ..
        } => {
            buffered(node, consumer, record, found);
            sending(node, producer, record, found);
        }
        Facts::Sink { producers, .. } => {
            for producer in producers {
                sending(node, producer, record, found);
            }
        }
        Facts::Operator {
            applied: Some(applied),
            ..
        } => match copies(applied) {
            0 => {}
            copies => found.push(Whereabouts::Applied { node, copies }),
        },
        Facts::Audience(view) => match copies(&view.records) {
            0 => {}
            copies => found.push(Whereabouts::Seen { node, copies }),
        },
        _ => {}
    }
}

fn sending(
    node: NodeId,
    producer: &super::kafka::ProducerView,
    record: RecordId,
    found: &mut Vec<Whereabouts>,
) {
    let batches = producer.outstanding.iter();
    for batch in batches.filter(|batch| batch.records.contains(&record)) {
        found.push(Whereabouts::Sending {
            node,
            attempts: batch.attempts,
            in_flight: batch.in_flight,
        });
    }
}

fn buffered(
    node: NodeId,
    consumer: &super::kafka::ConsumerView,
    record: RecordId,
    found: &mut Vec<Whereabouts>,
) {
    if consumer.working.contains(&record) {
        found.push(Whereabouts::Worked { node });
    } else if consumer.buffered.contains(&record) {
        found.push(Whereabouts::Buffered { node });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Story;
    use crate::session::Session;

    fn session(json: &str) -> alloc::boxed::Box<dyn Session> {
        crate::start(Story::from_json(json).expect("it is a scenario")).expect("it can be run")
    }

    fn logs(places: &[Whereabouts]) -> usize {
        let logs = places.iter();
        logs.filter(|it| matches!(it, Whereabouts::Log { .. }))
            .count()
    }

    #[test]
    fn at_first_a_record_is_in_its_input_log_alone() {
        let session = session(crate::scenario::DEFAULT_STORY);
        let scene = session.scene();
        let records = scene.records();
        assert_eq!(records.len(), 190);
        for record in records {
            let places = scene.whereabouts(record);
            assert!(
                matches!(
                    places[..],
                    [Whereabouts::Input {
                        status: CellStatus::Ahead,
                        ..
                    }]
                ),
                "{places:?}"
            );
        }
    }

    #[test]
    fn a_record_that_is_doubled_stands_in_the_output_twice() {
        let mut session = session(crate::scenario::DEFAULT_STORY);
        session.go_to(usize::MAX);
        let (scene, verdict) = (session.scene(), session.verdict());
        assert!(!verdict.witnesses.is_empty(), "the story doubles some");
        for record in scene.records() {
            let witness = verdict.witnesses.iter().find(|it| it.record == record);
            let copies = witness.map_or(1, |it| it.copies as usize);
            assert_eq!(logs(&scene.whereabouts(record)), copies, "{record:?}");
        }
    }

    #[test]
    fn with_brokers_every_replica_has_a_copy() {
        let mut session = session(crate::scenario::delivery::DEFAULT_DELIVERY);
        session.go_to(usize::MAX);
        let scene = session.scene();
        let records = scene.records();
        assert_eq!(records.len(), 12);
        for record in records {
            let places = scene.whereabouts(record);
            assert_eq!(logs(&places) % 3, 0, "{places:?}");
            let seen = places
                .iter()
                .any(|it| matches!(it, Whereabouts::Seen { .. }));
            assert!(seen && logs(&places) >= 3, "{places:?}");
        }
    }
}
