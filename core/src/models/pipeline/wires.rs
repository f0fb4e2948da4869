//! The ways between the things of a scene, and what is on them.

use alloc::vec::Vec;

use smallvec::SmallVec;

use super::barriers::is_blocked;
use super::state::InFlight;
use super::{Action, Pipeline, Role, State};
use crate::clock::Clock;
use crate::flink::channel::{Channel, ElementKind};
use crate::id::{ChannelId, CheckpointId, LinkId, NodeId, PartitionId};
use crate::scene::{Token, TokenKind, Wire, WireKind};

impl Pipeline {
    pub(super) fn wires(&self, state: &State, clock: &Clock<Action>) -> Vec<Wire> {
        let mut wires = Vec::new();
        for (id, channel) in state.channels.iter().enumerate() {
            if self.leads_nowhere(state, ChannelId(id as u32)) {
                continue;
            }
            wires.extend(self.channel_picture(state, clock, ChannelId(id as u32), channel));
        }
        self.control_wires(state, clock, &mut wires);
        self.log_wires(state, &mut wires);
        self.kafka_wires(state, clock, &mut wires);
        wires
    }

    fn channel_picture(
        &self,
        state: &State,
        clock: &Clock<Action>,
        id: ChannelId,
        channel: &Channel,
    ) -> Option<Wire> {
        let ends = self.graph.channels().get(id.index())?;
        let number = self.number_in_gate(ends.to, id);
        let gate = self.gate_number(ends.to).and_then(|g| state.gates.get(g))?;
        // From the last element to the first: what stands behind no barrier belongs to the sender's epoch.
        let mut epoch = self.epoch_of(state, ends.from);
        let stored = self.stored_of(state, id);
        let mut stored: SmallVec<[InFlight; 8]> = stored;
        let mut signs = Vec::new();
        for element in channel.iter().rev() {
            let mut sign = Sign {
                kind: token_kind(element),
                epoch,
                unaligned: false,
                bytes: 0,
            };
            match element {
                ElementKind::Record(record) => {
                    sign.bytes = u64::from(self.bytes_of(id, record));
                    // What an unaligned checkpoint has stored belongs to it, though its barrier is gone.
                    if let Some(at) = stored.iter().rposition(|item| item.record == record) {
                        stored.remove(at);
                        sign.unaligned = true;
                        sign.epoch = self.persisting(state).unwrap_or(epoch);
                    }
                }
                ElementKind::UnalignedBarrier(_) | ElementKind::PrioritisedBarrier(_) => {
                    sign.unaligned = true;
                }
                ElementKind::Barrier(_) | ElementKind::SavepointBarrier(_) => {}
                ElementKind::Cancel(_) => {}
            }
            if let Some(checkpoint) = element.barrier() {
                epoch = checkpoint;
                sign.epoch = checkpoint;
            }
            signs.push(sign);
        }
        signs.reverse();
        let link = self.channel_link(id);
        let buffers = self.buffers.get(id.index()).copied().unwrap_or_default();
        Some(Wire {
            id: link,
            from: self.subtask_node(ends.from),
            to: self.subtask_node(ends.to),
            kind: WireKind::Channel {
                number: number as u32,
                capacity: buffers.input.saturating_add(buffers.output),
                credit: buffers.input,
            },
            blocked_by: gate.pending().next().filter(|_| is_blocked(gate, number)),
            tokens: tokens(clock, link, signs),
        })
    }

    /// The checkpoint under way that stores in-flight data.
    fn persisting(&self, state: &State) -> Option<CheckpointId> {
        let mut under_way = state.under_way.iter();
        let storing = under_way.find(|u| !u.over && !u.contents.in_flight.is_empty());
        storing.map(|u| u.checkpoint)
    }

    /// The in-flight data of a channel that is stored with a checkpoint under way.
    fn stored_of(&self, state: &State, channel: ChannelId) -> SmallVec<[InFlight; 8]> {
        let under_way = state.under_way.iter().filter(|u| !u.over);
        let stored = under_way.flat_map(|u| &u.contents.in_flight);
        stored
            .filter(|item| item.channel == channel)
            .copied()
            .collect()
    }

    fn control_wires(&self, state: &State, clock: &Clock<Action>, wires: &mut Vec<Wire>) {
        let coordinator = self.coordinator_node();
        let store = self.store_node();
        for id in self.present(state) {
            let at = id.index();
            let node = self.subtask_node(id);
            let mut add = |link: LinkId, from, to, kind, signs: Vec<Sign>| {
                wires.push(Wire {
                    id: link,
                    from,
                    to,
                    kind,
                    blocked_by: None,
                    tokens: tokens(clock, link, signs),
                });
            };
            if id.0 < self.sources {
                let triggers = state.under_way.iter().filter(|u| u.triggers.contains(at));
                let triggers = triggers.map(|u| Sign::of(TokenKind::Trigger, u.checkpoint, 0));
                let link = self.trigger_link(id);
                add(
                    link,
                    coordinator,
                    node,
                    WireKind::Trigger,
                    triggers.collect(),
                );
            }
            let reports = state.reports.iter().filter(|report| report.subtask == id);
            let reports = reports.map(|report| match report.declines {
                Some(_) => {
                    let kind = |checkpoint| TokenKind::Decline(checkpoint, id);
                    Sign::of(kind, report.checkpoint, 0)
                }
                None => {
                    let kind = |checkpoint| TokenKind::Snapshot(checkpoint, id);
                    let bytes = state.of(report.checkpoint).map_or(0, |u| {
                        self.bytes_in(&u.contents, id) + self.in_flight_of(&u.contents, id)
                    });
                    Sign::of(kind, report.checkpoint, bytes)
                }
            });
            let link = self.snapshot_link(id);
            add(link, node, store, WireKind::Acknowledge, reports.collect());
            let notices = state.notices.iter().filter(|notice| notice.to.contains(at));
            let notices: Vec<_> = notices
                .map(|notice| {
                    let kind = if notice.completed {
                        TokenKind::Notification
                    } else {
                        TokenKind::Abort
                    };
                    Sign::of(kind, notice.checkpoint, 0)
                })
                .collect();
            let committer = self.sinks.contains(&id) && self.is_transactional();
            if committer || !notices.is_empty() {
                let link = self.notify_link(id);
                add(link, coordinator, node, WireKind::Notify, notices);
            }
        }
    }

    /// Between sinks, the partitions that they write, and the transaction coordinator.
    fn kafka_wires(&self, state: &State, clock: &Clock<Action>, wires: &mut Vec<Wire>) {
        let (Some(brokers), Some(on)) = (&self.brokers, &state.brokers) else {
            return;
        };
        // The leader is drawn as the partition.
        let drawn = |node: NodeId| match brokers.delivery.partition_at(node) {
            Some(partition) => self.output_node(partition),
            None => node,
        };
        let removed = self.removed_nodes(state);
        let all = brokers.delivery.wires(&on.kafka, clock).into_iter();
        // What a subtask has sent before it was removed is still under way.
        let all = all.filter(|wire| {
            let ends = [wire.from, wire.to];
            !wire.tokens.is_empty() || !ends.iter().any(|end| removed.contains(end))
        });
        wires.extend(all.map(|wire| Wire {
            from: drawn(wire.from),
            to: drawn(wire.to),
            ..wire
        }));
    }

    /// The subtasks that a redeployment has removed.
    fn removed_nodes(&self, state: &State) -> SmallVec<[NodeId; 4]> {
        let removed = self
            .sinks
            .iter()
            .filter(|sink| self.is_removed(state, **sink));
        removed.map(|sink| self.subtask_node(*sink)).collect()
    }

    /// Between topics and those who read and write them: nothing is ever under way there.
    fn log_wires(&self, state: &State, wires: &mut Vec<Wire>) {
        let mut next = crate::Protocol::links(self) as u32;
        let removed = self.removed_nodes(state);
        let mut add = |from, to| {
            if !removed.contains(&from) {
                wires.push(Wire {
                    id: LinkId(next),
                    from,
                    to,
                    kind: WireKind::Log,
                    blocked_by: None,
                    tokens: Vec::new(),
                });
            }
            // A wire has the same number, whoever is removed.
            next += 1;
        };
        for partition in self.input_partitions() {
            let source = self.reader_of(partition);
            add(self.input_node(partition), self.subtask_node(source));
        }
        for sink in self.sinks.iter().copied() {
            if let Some(Role::Sink { partition, .. }) = self.role(sink) {
                add(self.subtask_node(sink), self.output_node(*partition));
            }
        }
        if let Some(committer) = self.committers.last() {
            add(
                self.subtask_node(*committer),
                self.output_node(PartitionId(0)),
            );
        }
        for partition in (0..self.output_partitions).map(PartitionId) {
            add(self.output_node(partition), self.reader_node());
        }
    }
}

/// A token, without its times.
struct Sign {
    kind: TokenKind,
    epoch: CheckpointId,
    unaligned: bool,
    bytes: u64,
}

impl Sign {
    fn of(kind: impl Fn(CheckpointId) -> TokenKind, epoch: CheckpointId, bytes: u64) -> Self {
        Self {
            kind: kind(epoch),
            epoch,
            unaligned: false,
            bytes,
        }
    }
}

/// Tokens with their times: those that have set out come first.
fn tokens(clock: &Clock<Action>, link: LinkId, signs: Vec<Sign>) -> Vec<Token> {
    let mut times = clock.transit(link);
    let now = clock.now();
    let timed = |sign: Sign| {
        let time = times.next();
        Token {
            kind: sign.kind,
            epoch: sign.epoch,
            unaligned: sign.unaligned,
            queued: time.is_none(),
            bytes: sign.bytes,
            sent: time.map_or(now, |time| time.sent),
            ready: time.map_or(now, |time| time.ready),
        }
    };
    signs.into_iter().map(timed).collect()
}

pub(super) fn token_kind(element: ElementKind) -> TokenKind {
    match element {
        ElementKind::Record(record) => TokenKind::Record(record),
        ElementKind::Cancel(checkpoint) => TokenKind::Cancellation(checkpoint),
        ElementKind::Barrier(checkpoint)
        | ElementKind::SavepointBarrier(checkpoint)
        | ElementKind::UnalignedBarrier(checkpoint)
        | ElementKind::PrioritisedBarrier(checkpoint) => TokenKind::Barrier(checkpoint),
    }
}
