use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use smallvec::SmallVec;

use super::failure::Cause;
use super::kafka_sink::{OnBrokers, SinkState, Stage, Writer};
use super::state::{Contents, JobStatus, Seldom};
use super::{Action, Pipeline, Role, State, delivery, packed};
use crate::collections::{Bits, Shared};
use crate::flink::barrier::handler::Handler;
use crate::flink::channel::{Channel, ElementKind};
use crate::flink::coordinator::Coordinator;
use crate::flink::two_phase_commit::SinkTransactions;
use crate::id::{ActorId, ChannelId, CheckpointId, LinkId, SubtaskId};
use crate::kafka::log::PartitionLog;
use crate::protocol::{Disabled, Link, Observer, Protocol, Rate, Taking, TimerId, Timing};
use crate::time::{Micros, Millis};

impl Protocol for Pipeline {
    type State = State;
    type Action = Action;

    fn initial(&self) -> State {
        let empty = self.empty_contents();
        let gates = self.subtasks().saturating_sub(usize::from(self.sources));
        let mut starting = Bits::default();
        let deploys = self.scenario.costs.deploy_ms.0 > 0;
        if deploys {
            starting = Bits::below(self.subtasks());
        } else if self.brokers.is_some() {
            for sink in &self.sinks {
                starting.insert(sink.index());
            }
        }
        let stage = match deploys {
            true => Stage::Down,
            false => Stage::Deployed,
        };
        let brokers = self.brokers.as_ref().map(|brokers| {
            Box::new(OnBrokers {
                kafka: brokers.delivery.initial(),
                writers: smallvec::smallvec![
                    Writer {
                        stage,
                        ..Writer::default()
                    };
                    self.sinks.len()
                ],
                prefix: 0,
                parallelism: self.sinks.len() as u16,
            })
        });
        State {
            job: JobStatus::Running,
            restarts: 0,
            rushed: false,
            stopped_with: CheckpointId::NONE,
            budget: self.fresh_budget(),
            down: Bits::default(),
            dead: Bits::default(),
            starting,
            live: Shared::new(empty.clone()),
            channels: smallvec::smallvec![Channel::default(); self.graph.channels().len()],
            gates: Shared::new(smallvec::smallvec![Handler::new(self.handler()); gates]),
            turns: self.fresh_turns(),
            coordinator: Coordinator::default(),
            timers: Bits::default(),
            under_way: SmallVec::new(),
            reports: SmallVec::new(),
            notices: SmallVec::new(),
            stored: Shared::new(empty),
            output: Shared::new(smallvec::smallvec![
                PartitionLog::default();
                match brokers {
                    Some(_) => 0,
                    None => usize::from(self.output_partitions),
                }
            ]),
            brokers,
            seldom: Shared::new(Seldom {
                topics: self.fresh_topics(),
                ..Seldom::default()
            }),
        }
    }

    fn actors(&self) -> usize {
        match &self.brokers {
            Some(brokers) => usize::from(brokers.delivery.extent().1),
            None => self.environment().index() + 1 + usize::from(self.fills),
        }
    }

    fn links(&self) -> usize {
        match &self.brokers {
            Some(brokers) => brokers.delivery.extent().2 as usize,
            None => self.notify_link(SubtaskId(self.subtasks() as u16)).index(),
        }
    }

    fn link(&self, link: LinkId) -> Link {
        let costs = &self.scenario.costs;
        let subtask = |first: LinkId| ActorId((link.0 - first.0) as u16);
        let coordinator = self.coordinator_actor();
        if let Some(ends) = self.graph.channels().get(link.index()) {
            return Link {
                from: ActorId(ends.from.0),
                to: ActorId(ends.to.0),
                input: self.inputs_of_channels.get(link.index()).copied(),
                delay: costs.hop_ms.into(),
            };
        }
        if let Some(brokers) = &self.brokers
            && link >= self.notify_link(SubtaskId(self.subtasks() as u16))
        {
            return brokers.delivery.link(link);
        }
        if link >= self.notify_link(SubtaskId(0)) {
            Link {
                from: coordinator,
                to: subtask(self.notify_link(SubtaskId(0))),
                input: None,
                delay: costs.control_ms.into(),
            }
        } else if link >= self.snapshot_link(SubtaskId(0)) {
            Link {
                from: subtask(self.snapshot_link(SubtaskId(0))),
                to: coordinator,
                input: None,
                delay: costs.control_ms.into(),
            }
        } else {
            Link {
                from: coordinator,
                to: subtask(self.trigger_link(SubtaskId(0))),
                input: None,
                delay: costs.control_ms.into(),
            }
        }
    }

    fn enabled(&self, state: &State, actor: ActorId, into: &mut Vec<Action>) {
        if actor == self.environment() {
            self.enabled_faults(state, into);
        } else if self.fills && actor == self.writer() {
            into.extend(self.input_partitions().filter_map(|partition| {
                let written = self.written(state, partition);
                self.record_at(partition, written)
                    .map(|_| Action::Append(partition))
            }));
        } else if actor > self.environment() {
            self.enabled_in_kafka(state, actor, into);
        } else if actor == self.coordinator_actor() {
            self.enabled_at_enumerator(state, into);
            into.extend(state.reports.iter().map(|report| match report.declines {
                None => Action::Acknowledge(report.subtask, report.checkpoint),
                Some(_) => Action::HearDecline(report.subtask, report.checkpoint),
            }));
            if self.may_trigger(state) {
                into.push(Action::Trigger);
            }
            for pending in state.coordinator.pending() {
                if self.may_expire(state, pending.id) {
                    into.push(Action::Expire(pending.id));
                }
            }
            if self.may_restart(state) {
                into.push(Action::Restart);
            }
            if self.may_run(state) {
                into.push(Action::Run);
            }
        } else {
            let subtask = SubtaskId(actor.0);
            if self.may_continue(state, subtask) {
                into.push(Action::GoOn(subtask));
            }
            if self.is_blocked_on_kafka(state, subtask) {
                into.push(Action::Block(subtask));
            }
            if state.runs(actor.index()) && !self.is_engaged(state, subtask) {
                self.enabled_at(state, subtask, into);
            }
        }
    }

    fn actor(&self, action: Action) -> ActorId {
        match action {
            Action::Inject(subtask, _)
            | Action::TimeOut(subtask)
            | Action::TimeOutOutput(subtask)
            | Action::Notify(subtask)
            | Action::GoOn(subtask)
            | Action::Block(subtask) => ActorId(subtask.0),
            Action::Emit(partition) => ActorId(self.reader_of(partition).0),
            Action::Take(channel) | Action::Overtake(channel) => self
                .graph
                .channels()
                .get(channel.index())
                .map_or(self.environment(), |ends| ActorId(ends.to.0)),
            Action::Append(_) => self.writer(),
            Action::Find(_)
            | Action::Assign(_)
            | Action::Trigger
            | Action::Acknowledge(..)
            | Action::HearDecline(..)
            | Action::Expire(_)
            | Action::Restart
            | Action::Run => self.coordinator_actor(),
            Action::Savepoint(_)
            | Action::Crash(_)
            | Action::LoseTaskManager(_)
            | Action::LoseJobManager
            | Action::FailSnapshot(..)
            | Action::Refuse(..)
            | Action::LoseResponse(_)
            | Action::LoseNotification(_)
            | Action::Redeploy(_) => self.environment(),
            Action::Kafka(action) => match &self.brokers {
                Some(brokers) => brokers.delivery.actor(action),
                None => self.environment(),
            },
        }
    }

    fn takes(&self, state: &State, action: Action) -> Option<Taking> {
        let (link, place) = match action {
            Action::Inject(source, checkpoint) => {
                let at = source.index();
                let older = state.under_way.iter().filter(|u| u.checkpoint < checkpoint);
                let place = older.filter(|u| u.triggers.contains(at)).count();
                (self.trigger_link(source), place)
            }
            Action::Take(channel) => (self.channel_link(channel), 0),
            Action::Overtake(channel) => {
                let place = state.channels.get(channel.index())?.overtaker()?.0;
                (self.channel_link(channel), place)
            }
            Action::Notify(subtask) => (self.notify_link(subtask), 0),
            Action::Acknowledge(subtask, checkpoint) | Action::HearDecline(subtask, checkpoint) => {
                let (place, _) = state.report(subtask, checkpoint)?;
                (self.snapshot_link(subtask), place)
            }
            Action::Kafka(action) => {
                let on = state.brokers.as_ref()?;
                return self.brokers.as_ref()?.delivery.takes(&on.kafka, action);
            }
            _ => return None,
        };
        Some(Taking { link, place })
    }

    fn timing(&self, state: &State, action: Action) -> Timing {
        let costs = &self.scenario.costs;
        let partitions = self.inputs.len() as u32;
        match action {
            Action::Emit(partition) => match self.inputs.get(partition.index()) {
                Some(input) => Timing::Periodic(TimerId(u32::from(partition.0)), input.interval),
                None => Timing::Never,
            },
            Action::Append(partition) => {
                let input = self.inputs.get(partition.index());
                match input.and_then(|input| input.arrival) {
                    Some(interval) => Timing::Periodic(self.append_timer(partition), interval),
                    None => Timing::Never,
                }
            }
            Action::Find(_) => Timing::Work(Micros::ZERO),
            Action::Assign(partition) => {
                let input = self.inputs.get(partition.index());
                let wait = input.map_or(Micros::ZERO, |input| input.start.assign_ms.into());
                Timing::Since(self.assign_timer(partition), wait)
            }
            Action::Take(channel) => {
                let first = state.channels.get(channel.index()).and_then(Channel::first);
                let receiver = self.graph.channels().get(channel.index());
                match (first, receiver.and_then(|ends| self.role(ends.to))) {
                    (Some(ElementKind::Record(_)), Some(Role::Broadcast { cost, apply, .. })) => {
                        let control = self.control.contains(channel.index());
                        Timing::Work(if control { *apply } else { *cost })
                    }
                    (
                        Some(ElementKind::Record(_)),
                        Some(
                            Role::Stateless { cost }
                            | Role::Keyed { cost, .. }
                            | Role::TableWriter { cost, .. }
                            | Role::Sink { cost, .. },
                        ),
                    ) => Timing::Work(*cost),
                    _ => Timing::Work(Micros::ZERO),
                }
            }
            Action::Overtake(_) => Timing::Urgent,
            // Flink counts from the creation of the barrier: from when the checkpoint was triggered.
            Action::TimeOut(_) | Action::TimeOutOutput(_) => {
                let timeout = self.scenario.checkpointing.aligned_timeout_ms;
                Timing::Since(self.trigger_timer(), timeout.into())
            }
            Action::GoOn(_) => Timing::Work(Micros::ZERO),
            Action::Block(subtask) => Timing::Delay(
                TimerId(BLOCK_TIMERS + u32::from(subtask.0)),
                MAX_BLOCK.into(),
            ),
            Action::Kafka(action) => match (&self.brokers, &state.brokers) {
                (Some(brokers), Some(on)) => brokers.delivery.timing(&on.kafka, action),
                _ => Timing::Never,
            },
            Action::Notify(subtask) => match self.next_notice(state, subtask) {
                Some((_, true)) if self.brokers.is_none() => Timing::Work(costs.commit_ms.into()),
                _ => Timing::Work(Micros::ZERO),
            },
            Action::Inject(..) | Action::Acknowledge(..) | Action::HearDecline(..) => {
                Timing::Work(Micros::ZERO)
            }
            Action::Trigger if !state.rushed && self.at_end_of_data(state) => {
                Timing::Work(Micros::ZERO)
            }
            Action::Trigger => {
                let checkpointing = &self.scenario.checkpointing;
                let interval = checkpointing.interval_ms;
                let rate = Rate {
                    first: checkpointing.initial_delay_ms.unwrap_or(interval).into(),
                    interval: interval.into(),
                    pause: checkpointing.min_pause_ms.into(),
                };
                Timing::Rate(self.trigger_timer(), rate)
            }
            Action::Expire(checkpoint) => {
                // Each checkpoint under way has a timer of its own.
                let own = checkpoint.0 % EXPIRY_TIMERS;
                Timing::Delay(
                    TimerId(partitions + 3 + own),
                    self.scenario.checkpointing.timeout_ms.into(),
                )
            }
            Action::Restart => Timing::Delay(TimerId(partitions + 1), costs.restart_ms.into()),
            Action::Run => Timing::Delay(self.deploy_timer(), costs.deploy_ms.into()),
            Action::Savepoint(_)
            | Action::Crash(_)
            | Action::LoseTaskManager(_)
            | Action::LoseJobManager
            | Action::FailSnapshot(..)
            | Action::Refuse(..)
            | Action::LoseResponse(_)
            | Action::LoseNotification(_)
            | Action::Redeploy(_) => Timing::Never,
        }
    }

    fn apply(
        &self,
        state: &mut State,
        action: Action,
        observer: &mut impl Observer,
    ) -> Result<(), Disabled> {
        match action {
            Action::Inject(source, checkpoint) => self.inject(state, source, checkpoint, observer),
            Action::Emit(partition) => self.emit(state, partition, observer),
            Action::Append(partition) => self.append(state, partition, observer),
            Action::Find(partition) => self.find(state, partition, observer),
            Action::Assign(partition) => self.assign(state, partition, observer),
            Action::Take(channel) => self.take(state, channel, observer),
            Action::Overtake(channel) => self.overtake(state, channel, observer),
            Action::TimeOut(subtask) => self.time_out(state, subtask, observer),
            Action::TimeOutOutput(subtask) => self.time_out_output(state, subtask, observer),
            Action::Notify(subtask) => self.notify(state, subtask, observer),
            Action::Trigger => self.trigger(state, observer),
            Action::Acknowledge(subtask, checkpoint) => {
                self.acknowledge(state, subtask, checkpoint, observer)
            }
            Action::HearDecline(subtask, checkpoint) => {
                self.hear_decline(state, subtask, checkpoint, observer)
            }
            Action::Expire(checkpoint) => self.expire(state, checkpoint, observer),
            Action::Restart => self.restart(state, observer),
            Action::Run => self.run(state, observer),
            Action::Savepoint(stop) => self.savepoint(state, stop, observer),
            Action::Crash(subtask) => self.lose(state, Cause::Subtask(subtask), observer),
            Action::LoseTaskManager(number) => {
                self.lose(state, Cause::TaskManager(number), observer)
            }
            Action::LoseJobManager => self.lose(state, Cause::JobManager, observer),
            Action::FailSnapshot(subtask, checkpoint) => {
                self.fail_snapshot(state, subtask, checkpoint, observer)
            }
            Action::Refuse(subtask, checkpoint) => {
                self.refuse(state, subtask, checkpoint, observer)
            }
            Action::LoseNotification(subtask) => self.lose_notification(state, subtask, observer),
            Action::GoOn(subtask) => self.go_on(state, subtask, observer),
            Action::Block(subtask) => self.block(state, subtask, observer),
            Action::Redeploy(number) => self.redeploy(state, number, observer),
            Action::Kafka(action) => self.apply_in_kafka(state, action, observer),
            Action::LoseResponse(subtask) => self.lose_response(state, subtask, observer),
        }
    }

    fn forget(&self, state: &mut State) {
        if let (Some(brokers), Some(on)) = (&self.brokers, &mut state.brokers) {
            brokers.delivery.forget(&mut on.kafka);
        }
        self.forget_order(state);
        // Who died himself, and who was cancelled with him, is for those who look on.
        state.dead.clear();
        state.live.settle();
        state.gates.settle();
        state.output.settle();
        state.seldom.settle();
        state.stored.settle();
        for under_way in &mut state.under_way {
            under_way.contents.settle();
        }
    }

    fn pack(&self, state: &State, into: &mut Vec<u8>) -> bool {
        // What Kafka's clients hold has no such form yet.
        self.brokers.is_none() && packed::pack(state, into)
    }

    fn unpack(&self, bytes: &[u8]) -> Option<State> {
        postcard::from_bytes(bytes).ok()
    }

    fn likeness(&self, state: &State, action: Action) -> Option<u64> {
        match action {
            Action::Crash(subtask) => self.loss(state, Cause::Subtask(subtask)),
            Action::LoseTaskManager(number) => self.loss(state, Cause::TaskManager(number)),
            _ => None,
        }
    }

    fn stands_alone(&self, state: &State, action: Action) -> bool {
        Pipeline::stands_alone(self, state, action)
    }

    /// That a sink has waited too long for Kafka is one as long as Kafka goes on: then somebody is late.
    fn is_fault(&self, state: &State, action: Action) -> bool {
        match (action, &self.brokers, &state.brokers) {
            (Action::Kafka(action), Some(brokers), Some(on)) => {
                brokers.delivery.is_fault(&on.kafka, action)
            }
            (Action::Block(_), Some(brokers), Some(on)) => {
                let mut actions = Vec::new();
                for actor in self.environment().index() + 1..self.actors() {
                    let actor = ActorId(actor as u16);
                    brokers.delivery.enabled(&on.kafka, actor, &mut actions);
                }
                let faulty =
                    |action: &delivery::Action| brokers.delivery.is_fault(&on.kafka, *action);
                !actions.iter().all(faulty)
            }
            _ => self.actor(action) == self.environment(),
        }
    }

    fn size(&self, state: &State) -> usize {
        let words = |contents: &Contents| 16 * contents.counted.words() + 64;
        let channels = state
            .channels
            .iter()
            .map(|channel| 40 + 4 * channel.iter().len());
        let logs = state.output.iter().map(|log| 16 * log.end().index());
        core::mem::size_of::<State>()
            + 2 * words(&state.live)
            + channels.sum::<usize>()
            + logs.sum::<usize>()
    }

    fn is_done(&self, state: &State) -> bool {
        let committed = || {
            let mut logs = state.output.iter();
            self.sinks_rest(state)
                && (!self.is_transactional() || logs.all(|log| log.open_transactions().is_empty()))
        };
        // Without an end, checkpoints go on for ever; what counts is that no record waits for anything.
        self.is_settled_in_kafka(state)
            && (self.is_over(state)
                || state.job == JobStatus::Running
                    && !self.bounded
                    && state.all_run()
                    && self.all_read(state)
                    && state.channels.iter().all(|channel| channel.records() == 0)
                    && state
                        .coordinator
                        .pending()
                        .iter()
                        .all(|p| !p.purpose.is_savepoint())
                    && committed()
                    && self.table_is_settled(state))
    }
}

/// More than there can be checkpoints and savepoints under way at once.
pub(super) const EXPIRY_TIMERS: u32 = 1 << 10;
/// Behind the timers of partitions and checkpoints.
const BLOCK_TIMERS: u32 = 1 << 17;
/// Where Kafka's timers begin.
pub(super) const KAFKA_TIMERS: u32 = 1 << 18;
/// `max.block.ms`
const MAX_BLOCK: Millis = Millis(60_000);

/// What may happen where.
impl Pipeline {
    pub(super) fn empty_contents(&self) -> Contents {
        let sinks = if self.is_transactional() && self.brokers.is_none() {
            self.sinks.len()
        } else {
            0
        };
        let on_brokers = match self.brokers {
            Some(_) => vec![SinkState::default(); self.sinks.len()],
            None => Vec::new(),
        };
        Contents {
            on_brokers,
            prefix: 0,
            offsets: smallvec::smallvec![0; self.inputs.len()],
            counted: Default::default(),
            sinks: smallvec::smallvec![SinkTransactions::default(); sinks],
            in_flight: SmallVec::new(),
            splits: self.fresh_splits(),
            table: self.fresh_table(),
        }
    }

    /// What may happen in Kafka, but for what the sinks decide.
    fn enabled_in_kafka(&self, state: &State, actor: ActorId, into: &mut Vec<Action>) {
        let (Some(brokers), Some(on)) = (&self.brokers, &state.brokers) else {
            return;
        };
        let mut actions = Vec::new();
        brokers.delivery.enabled(&on.kafka, actor, &mut actions);
        let own = |action: &delivery::Action| !brokers.delivery.is_decided_by_driver(*action);
        into.extend(actions.into_iter().filter(own).map(Action::Kafka));
    }

    fn apply_in_kafka(
        &self,
        state: &mut State,
        action: delivery::Action,
        o: &mut impl Observer,
    ) -> Result<(), Disabled> {
        let (Some(brokers), Some(on)) = (&self.brokers, &mut state.brokers) else {
            return Err(Disabled);
        };
        if brokers.delivery.is_decided_by_driver(action) {
            return Err(Disabled);
        }
        brokers.delivery.apply(&mut on.kafka, action, o)
    }

    /// Whether Kafka has nothing left to do that a reader could see.
    fn is_settled_in_kafka(&self, state: &State) -> bool {
        match (&self.brokers, &state.brokers) {
            (Some(brokers), Some(on)) => brokers.delivery.is_settled(&on.kafka),
            _ => true,
        }
    }

    /// What a running subtask may do.
    fn enabled_at(&self, state: &State, id: SubtaskId, into: &mut Vec<Action>) {
        if id.0 < self.sources {
            let triggered = state.under_way.iter();
            let triggered = triggered.filter(|u| u.triggers.contains(id.index()));
            into.extend(triggered.map(|u| Action::Inject(id, u.checkpoint)));
            if self.may_emit(state, id) {
                into.extend(
                    self.partitions_of(id)
                        .filter(|partition| self.next_record(state, *partition).is_some())
                        .map(Action::Emit),
                );
            }
        } else if let Some(subtask) = self.graph.subtask(id) {
            into.extend(
                subtask
                    .inputs
                    .clone()
                    .map(ChannelId)
                    .filter(|channel| self.takeable(state, *channel).is_some())
                    .map(Action::Take),
            );
            into.extend(
                subtask
                    .inputs
                    .clone()
                    .map(ChannelId)
                    .filter(|channel| self.overtaker(state, *channel).is_some())
                    .map(Action::Overtake),
            );
        }
        if state.timers.contains(id.index()) {
            into.push(Action::TimeOut(id));
        }
        if self.waiting_output(state, id).is_some() {
            into.push(Action::TimeOutOutput(id));
        }
        if self.next_notice(state, id).is_some() {
            into.push(Action::Notify(id));
        }
    }

    /// What may go wrong, and what a person may ask for.
    fn enabled_faults(&self, state: &State, into: &mut Vec<Action>) {
        let subtasks = || (0..self.subtasks() as u16).map(SubtaskId);
        if self.may_ask_for_savepoint(state) {
            into.extend([Action::Savepoint(false), Action::Savepoint(true)]);
        }
        if state.budget.crashes > 0 {
            let may = |cause| self.may_break(state, cause);
            into.extend(
                subtasks()
                    .filter(|s| may(Cause::Subtask(*s)))
                    .map(Action::Crash),
            );
            if self.scenario.job.task_managers > 1 {
                into.extend(
                    (0..self.scenario.job.task_managers)
                        .filter(|number| may(Cause::TaskManager(*number)))
                        .map(Action::LoseTaskManager),
                );
            }
            if may(Cause::JobManager) {
                into.push(Action::LoseJobManager);
            }
        }
        for report in state.reports.iter().filter(|r| r.declines.is_none()) {
            if state.budget.declines > 0 {
                into.push(Action::FailSnapshot(report.subtask, report.checkpoint));
            }
            if self.may_refuse(state, report.subtask, report.checkpoint) {
                into.push(Action::Refuse(report.subtask, report.checkpoint));
            }
        }
        for number in 0..self.redeployments.len() as u8 {
            if self.may_redeploy(state, number) {
                into.push(Action::Redeploy(number));
            }
        }
        if state.budget.losses > 0 {
            let told = subtasks().filter(|s| self.next_notice(state, *s).is_some());
            into.extend(told.map(Action::LoseNotification));
            let committers = self.committers.iter().copied();
            let open = committers.filter(|id| self.may_lose_response(state, *id));
            into.extend(open.map(Action::LoseResponse));
        }
    }
}
