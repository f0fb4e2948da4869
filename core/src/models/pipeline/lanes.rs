//! Who has a lane in a space-time diagram, and whom an action concerns.

use alloc::string::String;
use alloc::vec::Vec;

use super::wires::token_kind;
use super::{Action, Pipeline, State, delivery};
use crate::diagram::{Lane, LaneKind, Reach};
use crate::id::{ActorId, LaneId, LinkId, SubtaskId};
use crate::scene::{Health, TokenKind};
use delivery::Body;

impl Pipeline {
    /// The lanes: subtasks, by number; the JobManager; who writes the topics; and Kafka's, where the output topic has
    /// brokers.
    pub(super) fn processes(&self) -> Vec<Lane> {
        let subtasks = (0..self.subtasks() as u16).filter_map(|number| {
            let id = SubtaskId(number);
            let subtask = self.graph.subtask(id)?;
            let vertex = self.graph.vertex(subtask.vertex)?;
            Some(Lane {
                kind: LaneKind::Subtask,
                name: vertex.name.clone(),
                number: subtask.index,
                of: vertex.subtasks.len() as u16,
                nodes: smallvec::smallvec![self.subtask_node(id)],
            })
        });
        let coordinator = Lane {
            kind: LaneKind::CheckpointCoordinator,
            name: String::new(),
            number: 0,
            of: 1,
            nodes: smallvec::smallvec![self.coordinator_node(), self.store_node()],
        };
        let writer = Lane {
            kind: LaneKind::TopicWriter,
            name: String::new(),
            number: 0,
            of: 1,
            nodes: self
                .input_partitions()
                .map(|it| self.input_node(it))
                .collect(),
        };
        let mut lanes: Vec<Lane> = subtasks.chain([coordinator, writer]).collect();
        if let Some(brokers) = &self.brokers {
            lanes.extend(brokers.delivery.processes());
        }
        lanes
    }

    fn coordinator_lane(&self) -> LaneId {
        LaneId(self.subtasks() as u16)
    }

    fn writer_lane(&self) -> LaneId {
        LaneId(self.subtasks() as u16 + 1)
    }

    /// Where Kafka's lanes begin.
    fn kafka_lanes(&self) -> u16 {
        self.subtasks() as u16 + 2
    }

    fn lane_in_kafka(&self, body: Body) -> LaneId {
        let Some(brokers) = &self.brokers else {
            return self.coordinator_lane();
        };
        // A sink's producers live in its process.
        let driver = match body {
            Body::Client(client) => brokers.delivery.driver_of(client),
            _ => None,
        };
        match driver {
            Some(sink) => LaneId(sink.0),
            None => {
                let own = brokers.delivery.lane_of_body(body);
                LaneId(self.kafka_lanes().saturating_add(own.0))
            }
        }
    }

    pub(super) fn process_of(&self, actor: ActorId) -> Option<LaneId> {
        if actor.index() < self.subtasks() {
            return Some(LaneId(actor.0));
        }
        if actor == self.coordinator_actor() {
            return Some(self.coordinator_lane());
        }
        if actor == self.environment() {
            return None;
        }
        if self.fills && actor == self.writer() {
            return Some(self.writer_lane());
        }
        let brokers = self.brokers.as_ref()?;
        Some(self.lane_in_kafka(brokers.delivery.body_of(actor)?))
    }

    /// Whom an action concerns besides its actor. Whom a restart or a loss concerns shows in who runs afterwards.
    pub(super) fn reach_of(&self, state: &State, action: Action) -> Reach {
        let mut reach = Reach::default();
        let subtask = |id: SubtaskId| LaneId(id.0);
        match action {
            // The JobManager learns of it at once.
            Action::Crash(id) => reach.lanes.extend([subtask(id), self.coordinator_lane()]),
            Action::LoseTaskManager(_)
            | Action::LoseJobManager
            | Action::Refuse(..)
            | Action::Redeploy(_)
            | Action::Savepoint(_) => reach.lanes.push(self.coordinator_lane()),
            Action::FailSnapshot(id, _) | Action::LoseResponse(id) => {
                reach.lanes.push(subtask(id));
            }
            Action::LoseNotification(id) => reach.message = Some((self.notify_link(id), 0)),
            Action::Find(_) => reach.looks.push(self.writer_lane()),
            // The enumerator has its reader's state changed.
            Action::Assign(partition) => reach.lanes.push(subtask(self.reader_of(partition))),
            Action::Kafka(action) => {
                if let (Some(brokers), Some(on)) = (&self.brokers, &state.brokers) {
                    let lane = |body| self.lane_in_kafka(body);
                    return brokers.delivery.reach_of(&on.kafka, action, lane);
                }
            }
            Action::Inject(..)
            | Action::Emit(_)
            | Action::Append(_)
            | Action::Take(_)
            | Action::Overtake(_)
            | Action::TimeOut(_)
            | Action::TimeOutOutput(_)
            | Action::Notify(_)
            | Action::Trigger
            | Action::Acknowledge(..)
            | Action::HearDecline(..)
            | Action::Expire(_)
            | Action::Restart
            | Action::Run
            | Action::GoOn(_)
            | Action::Block(_) => {}
        }
        reach
    }

    /// What is at a place of a link.
    pub(super) fn message_on(
        &self,
        state: &State,
        link: LinkId,
        place: usize,
    ) -> Option<TokenKind> {
        if let Some(channel) = state.channels.get(link.index()) {
            return channel.iter().nth(place).map(token_kind);
        }
        let own = |first: LinkId| {
            let number = link.0.checked_sub(first.0)?;
            Some(SubtaskId(u16::try_from(number).ok()?))
        };
        let behind = self.notify_link(SubtaskId(self.subtasks() as u16));
        if link >= behind {
            let (brokers, on) = (self.brokers.as_ref()?, state.brokers.as_ref()?);
            return brokers.delivery.message_on(&on.kafka, link, place);
        }
        if link >= self.notify_link(SubtaskId(0)) {
            let id = own(self.notify_link(SubtaskId(0)))?;
            let notices = state.notices.iter();
            let notice = notices
                .filter(|notice| notice.to.contains(id.index()))
                .nth(place)?;
            return Some(match notice.completed {
                true => TokenKind::Notification(notice.checkpoint),
                false => TokenKind::Abort(notice.checkpoint),
            });
        }
        if link >= self.snapshot_link(SubtaskId(0)) {
            let id = own(self.snapshot_link(SubtaskId(0)))?;
            let reports = state.reports.iter();
            let report = reports.filter(|report| report.subtask == id).nth(place)?;
            return Some(match report.declines {
                Some(_) => TokenKind::Decline(report.checkpoint, id),
                None => TokenKind::Snapshot(report.checkpoint, id),
            });
        }
        let id = own(self.trigger_link(SubtaskId(0)))?;
        let triggers = state.under_way.iter();
        let trigger = triggers
            .filter(|under_way| under_way.triggers.contains(id.index()))
            .nth(place)?;
        Some(TokenKind::Trigger(trigger.checkpoint))
    }

    pub(super) fn health_of(&self, state: &State, lane: LaneId) -> Health {
        let at = lane.index();
        if at < self.subtasks() {
            return match (state.down.contains(at), state.dead.contains(at)) {
                _ if self.is_removed(state, SubtaskId(lane.0)) => Health::Removed,
                (true, true) => Health::Crashed,
                (true, false) => Health::Cancelled,
                (false, _) if state.starting.contains(at) => Health::Starting,
                (false, _) => Health::Running,
            };
        }
        let (Some(own), Some(brokers), Some(on)) = (
            lane.0.checked_sub(self.kafka_lanes()),
            &self.brokers,
            &state.brokers,
        ) else {
            return Health::Running;
        };
        match brokers.delivery.body_at(LaneId(own)) {
            Some(body) => brokers.delivery.health_of(&on.kafka, body),
            None => Health::Running,
        }
    }
}
