//! What may happen when.

use alloc::vec::Vec;

use super::action::{Action, Body, ClientId};
use super::state::{Standing, State};
use super::timers::{Of, participant};
use super::{Delivery, account};
use crate::event::{Event, KafkaEvent};
use crate::id::{ActorId, LinkId};
use crate::kafka::group::MemberId;
use crate::kafka::replicated_log::ReplicaId;
use crate::protocol::{Disabled, Link, Observer, Protocol, Taking, Timing};
use crate::time::{Micros, Millis};

impl Protocol for Delivery {
    type State = State;
    type Action = Action;

    fn initial(&self) -> State {
        self.start_state()
    }

    fn actors(&self) -> usize {
        usize::from(self.actors)
    }

    fn links(&self) -> usize {
        self.clients.len() * usize::from(self.destinations()) * 3
    }

    fn link(&self, link: LinkId) -> Link {
        let (client, destination, kind) = self.ends(link);
        let (client, other) = (self.background(client), self.actor_of(destination));
        let (from, to) = match kind {
            2 => (other, client),
            _ => (client, other),
        };
        Link {
            from,
            to,
            input: None,
            delay: self.scenario.costs.network_ms.into(),
        }
    }

    fn enabled(&self, state: &State, actor: ActorId, into: &mut Vec<Action>) {
        if actor == self.environment() {
            self.environment_may(state, into);
            return;
        }
        for destination in 0..self.destinations() {
            if actor == self.actor_of(destination) {
                self.destination_may(state, destination, into);
                return;
            }
        }
        for client in self.client_ids_at(actor) {
            if actor == self.app(client) {
                self.app_may(state, client, into);
                self.worker_may(state, client, 0, into);
            } else if actor == self.background(client) {
                self.background_may(state, client, into);
            } else {
                let workers = self.client(client).map_or(0, |it| it.workers);
                for worker in 1..workers {
                    if actor == self.worker(client, worker) {
                        self.worker_may(state, client, worker, into);
                    }
                }
            }
        }
    }

    fn actor(&self, action: Action) -> ActorId {
        match action {
            Action::Send(client)
            | Action::Finish(client)
            | Action::Poll(client)
            | Action::Restore(client, _) => self.app(client),
            Action::Take(client, worker) | Action::Process(client, worker) => {
                self.worker(client, worker)
            }
            Action::AutoCommit(client) => match self.commits_behind(client) {
                true => self.background(client),
                false => self.app(client),
            },
            Action::Join(client) | Action::Assign(client) => match self.joins_behind(client) {
                true => self.background(client),
                false => self.app(client),
            },
            Action::Call(client)
            | Action::Transmit(client, _)
            | Action::TimeOut(client, _)
            | Action::Expire(client, ..)
            | Action::Leave(client) => self.background(client),
            Action::Receive(link, _) => self.link(link).to,
            Action::Fetch(partition, replica) => {
                self.actor_of(self.broker_at(partition, replica).unwrap_or_default())
            }
            Action::FallBehind(..) | Action::Elect(..) | Action::Forget(..) | Action::Delete(_) => {
                self.environment()
            }
            Action::Log(_) | Action::WriteMarker(..) | Action::Overdue(_) | Action::Scan => {
                self.actor_of(self.transactions())
            }
            Action::Evict(_) | Action::ExpireOffsets(_) => self.actor_of(self.group_coordinator()),
            Action::Start(_)
            | Action::Crash(_)
            | Action::Stop(_)
            | Action::Pause(_)
            | Action::Resume(_)
            | Action::LoseLog(_)
            | Action::Lose(..)
            | Action::StepClockBack => self.environment(),
        }
    }

    fn takes(&self, _state: &State, action: Action) -> Option<Taking> {
        match action {
            Action::Receive(link, place) => Some(Taking {
                link,
                place: usize::from(place),
            }),
            _ => None,
        }
    }

    fn timing(&self, state: &State, action: Action) -> Timing {
        let costs = &self.scenario.costs;
        let cluster = &self.scenario.cluster;
        let delay = |timer, time: Millis| Timing::Delay(timer, time.into());
        let since = |timer, time: Millis| Timing::Since(timer, time.into());
        let at_once = Timing::Work(Micros::ZERO);
        match action {
            Action::Send(client) => Timing::Since(
                self.timer(client, Of::Send),
                self.send_interval(state, client),
            ),
            Action::Finish(client) => match self.may_finish(state, client) {
                Some(_) => at_once,
                None if self.is_called_back(state, client) => at_once,
                None => {
                    let interval = self.streams(client).map(|it| it.interval);
                    since(self.timer(client, Of::Commit), interval.unwrap_or_default())
                }
            },
            Action::Call(client) => match state.clients.get(usize::from(client.0)) {
                Some(own) if own.backing_off => {
                    delay(self.timer(client, Of::Backoff), self.backoff(client))
                }
                _ => at_once,
            },
            Action::Transmit(client, partition) => {
                match self.may_transmit(state, client, partition) {
                    Some(true) => delay(self.retry_timer(client, partition), self.backoff(client)),
                    _ => at_once,
                }
            }
            Action::Receive(link, _) => match self.ends(link).2 {
                2 => at_once,
                _ => Timing::Work(costs.broker_ms),
            },
            Action::TimeOut(client, destination) => {
                let answered = self.under_way(state, self.reply_link(client, destination)) > 0;
                if let Some(own) = state.clients.get(usize::from(client.0)) {
                    if !answered && own.closed.contains(usize::from(destination)) {
                        return at_once;
                    }
                    if !own.awaits_of(destination) {
                        // Nobody waits for an answer; that the connection is broken is found out with what is
                        // sent next.
                        return delay(self.response_timer(client, destination), costs.network_ms);
                    }
                }
                let timeout = self.writes(client).map(|it| it.request_timeout);
                since(
                    self.response_timer(client, destination),
                    timeout.unwrap_or(Millis(30_000)),
                )
            }
            Action::Expire(client, partition, number) => {
                let timeout = self.writes(client).map(|it| it.delivery_timeout);
                since(
                    self.batch_timer(client, partition, number),
                    timeout.unwrap_or(Millis(120_000)),
                )
            }
            Action::Join(_) | Action::Assign(_) | Action::Restore(..) | Action::Take(..) => at_once,
            Action::Poll(client) => delay(self.timer(client, Of::Poll), costs.poll_ms),
            Action::Process(client, worker) => {
                Timing::Work(self.processing_time(state, client, worker))
            }
            Action::AutoCommit(client) => {
                let interval = self.reads(client).map(|it| it.options.auto_commit_interval);
                since(
                    self.timer(client, Of::AutoCommit),
                    interval.unwrap_or_default(),
                )
            }
            Action::Leave(client) => {
                let interval = self
                    .reads(client)
                    .and_then(|it| it.options.max_poll_interval);
                since(
                    self.timer(client, Of::PollInterval),
                    interval.unwrap_or_default(),
                )
            }
            Action::Fetch(partition, replica) => {
                delay(self.fetch_timer(partition, replica), costs.fetch_ms)
            }
            Action::FallBehind(partition, replica) => {
                delay(self.lag_timer(partition, replica), cluster.replica_lag)
            }
            Action::Elect(partition, _) => delay(self.election_timer(partition), costs.election_ms),
            Action::Forget(partition, producer) => since(
                self.producer_timer(partition, producer),
                cluster.producer_expiration,
            ),
            Action::Delete(partition) => {
                let first = state.logs.get(partition.index());
                let first = first.and_then(|log| log.leading()?.entries().first());
                let offset = first.map_or_else(Default::default, |placed| placed.offset);
                let retention = self.partition(partition).and_then(|it| it.retention);
                since(
                    self.entry_timer(partition, offset),
                    retention.unwrap_or_default(),
                )
            }
            Action::Log(id) => delay(self.log_timer(id), costs.log_ms),
            Action::WriteMarker(id, to) => {
                delay(self.marker_timer(id, participant(to)), costs.log_ms)
            }
            Action::Overdue(id) => {
                let known = state.coordinator.get(id);
                let timeout = known.and_then(|it| it.current().timeout);
                since(self.transaction_timer(id), timeout.unwrap_or_default())
            }
            Action::Scan => Timing::Periodic(self.scan_timer(), cluster.timeout_scan.into()),
            Action::Evict(client) => {
                let timeout = self.reads(client).map(|it| it.options.session_timeout);
                delay(self.timer(client, Of::Session), timeout.unwrap_or_default())
            }
            Action::ExpireOffsets(group) => {
                let minutes = u64::from(cluster.offsets_retention_minutes);
                Timing::Delay(self.group_timer(group), Micros(minutes * 60_000_000))
            }
            Action::Start(Body::Client(client)) => {
                let own = state.clients.get(usize::from(client.0));
                let after = match own.map(|own| own.standing) {
                    Some(Standing::Waiting) => self.client(client).map(|it| it.start),
                    Some(Standing::Stopped) => return Timing::Never,
                    _ => Some(costs.restart_ms),
                };
                delay(self.timer(client, Of::Start), after.unwrap_or_default())
            }
            Action::Start(Body::Broker(broker)) => {
                match Self::standing(state, Body::Broker(broker)) {
                    Standing::Stopped => Timing::Never,
                    _ => delay(self.broker_timer(broker), costs.restart_ms),
                }
            }
            Action::Start(_)
            | Action::Crash(_)
            | Action::Stop(_)
            | Action::Pause(_)
            | Action::Resume(_)
            | Action::LoseLog(_)
            | Action::Lose(..)
            | Action::StepClockBack => Timing::Never,
        }
    }

    fn apply(
        &self,
        state: &mut State,
        action: Action,
        observer: &mut impl Observer,
    ) -> Result<(), Disabled> {
        let done = match action {
            Action::Send(client) => {
                let sent = self.send(state, client, observer);
                if sent {
                    observer.fired(self.timer(client, Of::Send));
                }
                sent
            }
            Action::Finish(client) => self.finish(state, client, observer),
            Action::Call(client) => self.call(state, client, observer),
            Action::Transmit(client, partition) => {
                self.transmit(state, client, partition, observer)
            }
            Action::Receive(link, place) => {
                let (_, destination, kind) = self.ends(link);
                match kind {
                    2 => self.receive(state, link, place, observer),
                    _ if !self.is_reachable(state, destination) => false,
                    _ => self.handle(state, link, place, observer),
                }
            }
            Action::TimeOut(client, destination) => {
                self.time_out(state, client, destination, observer)
            }
            Action::Expire(client, partition, number) => {
                self.expire(state, client, partition, number, observer)
            }
            Action::Join(client) => self.join_group(state, client, observer),
            Action::Assign(client) => self.assign(state, client, observer),
            Action::Restore(client, partition) => self.restore(state, client, partition, observer),
            Action::Poll(client) => self.poll(state, client, observer),
            Action::Take(client, worker) => self.take(state, client, worker, observer),
            Action::Process(client, worker) => self.process(state, client, worker, observer),
            Action::AutoCommit(client) => self.auto_commit(state, client, observer),
            Action::Leave(client) => self.leave_late(state, client, observer),
            Action::Fetch(partition, replica) => self.fetch(state, partition, replica, observer),
            Action::FallBehind(partition, replica) => {
                self.fall_behind(state, partition, replica, observer)
            }
            Action::Elect(partition, replica) => self.elect(state, partition, replica, observer),
            Action::Forget(partition, producer) => {
                self.forget(state, partition, producer, observer)
            }
            Action::Delete(partition) => self.delete(state, partition, observer),
            Action::Log(id) => self.may_log(state, id) && self.log(state, id, observer),
            Action::WriteMarker(id, to) => self.write_marker(state, id, to, observer),
            Action::Overdue(id) => {
                let may = self.may_be_overdue(state, id);
                if may {
                    state.overdue.insert(id);
                    observer.event(Event::Kafka(KafkaEvent::Overdue {
                        coordinator: self.coordinator_node(),
                        transactional_id: id.0,
                    }));
                }
                may
            }
            Action::Scan => {
                let may = self.may_scan(state);
                if may {
                    self.scan(state, observer);
                }
                may
            }
            Action::Evict(client) => {
                let may = self.may_evict(state, client);
                if may {
                    let reason = crate::event::Leaving::NoHeartbeat;
                    self.leave(state, client, reason, observer);
                }
                may
            }
            Action::ExpireOffsets(group) => self.expire_offsets(state, group, observer),
            Action::Start(body) => self.start(state, body, observer),
            Action::Crash(body) => self.go_down(state, body, false, observer),
            Action::Stop(body) => self.go_down(state, body, true, observer),
            Action::Pause(body) => self.pause(state, body, observer),
            Action::Resume(body) => self.resume(state, body, observer),
            Action::LoseLog(broker) => self.lose_log(state, broker, observer),
            Action::Lose(link, place) => self.lose(state, link, place, observer),
            Action::StepClockBack => self.step_clock_back(state, observer),
        };
        self.flush(state);
        match done {
            true => Ok(()),
            false => Err(Disabled),
        }
    }

    fn forget(&self, state: &mut State) {
        self.forget_tries(state);
    }

    /// To start or to resume what is down or stands still is none: failures are repaired. One is that a timer runs out
    /// although nothing has failed that makes it: then somebody or something is late.
    fn is_fault(&self, state: &State, action: Action) -> bool {
        match action {
            Action::Crash(_)
            | Action::Stop(_)
            | Action::Pause(_)
            | Action::LoseLog(_)
            | Action::Lose(..)
            | Action::StepClockBack
            | Action::Expire(..)
            | Action::Leave(_)
            | Action::Overdue(_) => true,
            Action::TimeOut(client, destination) => self.is_late(state, client, destination),
            Action::FallBehind(partition, replica) => {
                let broker = self.broker_at(partition, replica);
                broker.is_some_and(|broker| Self::is_up(state, broker))
            }
            _ => false,
        }
    }

    fn is_done(&self, state: &State) -> bool {
        account::is_over(self, state)
    }
}

impl Delivery {
    /// Without transactions, a commit of Streams goes on when its output is acknowledged.
    fn flush(&self, state: &mut State) {
        for own in &mut state.clients {
            self.flushed(own);
        }
    }

    fn backoff(&self, client: ClientId) -> Millis {
        self.writes(client).map_or(Millis(100), |it| it.backoff)
    }

    /// Whether a group waits for a member to join again.
    fn is_called_back(&self, state: &State, client: ClientId) -> bool {
        let group = self
            .reads(client)
            .and_then(|it| state.groups.get(usize::from(it.group)));
        group.is_some_and(|it| it.group.must_rejoin(MemberId(client.0)))
    }

    /// Whether a broker or a coordinator takes requests.
    fn is_reachable(&self, state: &State, destination: u16) -> bool {
        destination >= self.brokers() || Self::is_up(state, destination)
    }

    /// Whether a look for overdue transactions may find one sooner or later.
    fn may_scan(&self, state: &State) -> bool {
        let mut ids = state.coordinator.active();
        ids.any(|id| state.coordinator.may_time_out(id))
    }

    fn app_may(&self, state: &State, client: ClientId, into: &mut Vec<Action>) {
        if self.may_send(state, client) {
            into.push(Action::Send(client));
        }
        if self.may_finish(state, client).is_some() || self.may_begin_commit(state, client) {
            into.push(Action::Finish(client));
        }
        if self.reads(client).is_none() {
            return;
        }
        if !self.joins_behind(client) {
            self.group_may(state, client, into);
        }
        if self.streams(client).is_some_and(|it| it.has_store) {
            for partition in self.partition_ids() {
                if self.may_restore(state, client, partition) {
                    into.push(Action::Restore(client, partition));
                }
            }
        }
        if self.may_poll(state, client) {
            into.push(Action::Poll(client));
        }
        if !self.commits_behind(client) && self.may_auto_commit(state, client) {
            into.push(Action::AutoCommit(client));
        }
    }

    /// What a member of a group does for its membership.
    fn group_may(&self, state: &State, client: ClientId, into: &mut Vec<Action>) {
        if self.may_join(state, client) {
            into.push(Action::Join(client));
        }
        if self.may_assign(state, client) {
            into.push(Action::Assign(client));
        }
    }

    fn worker_may(&self, state: &State, client: ClientId, worker: u16, into: &mut Vec<Action>) {
        if self.may_take(state, client, worker) {
            into.push(Action::Take(client, worker));
        }
        let own = state.clients.get(usize::from(client.0));
        let works = own.is_some_and(|own| {
            own.is_running()
                && matches!(own.reading.working.get(usize::from(worker)), Some(Some(_)))
        });
        if works {
            into.push(Action::Process(client, worker));
        }
    }

    fn background_may(&self, state: &State, client: ClientId, into: &mut Vec<Action>) {
        let Some(own) = state.clients.get(usize::from(client.0)) else {
            return;
        };
        if !own.is_running() {
            return;
        }
        if self.next_call(state, client).is_some() {
            into.push(Action::Call(client));
        }
        if let Some(writes) = self.writes(client) {
            for (partition, producer) in writes.partitions.iter().zip(&own.producers) {
                if self.may_transmit(state, client, *partition).is_some() {
                    into.push(Action::Transmit(client, *partition));
                }
                for (number, _) in producer.outstanding() {
                    into.push(Action::Expire(client, *partition, number));
                }
            }
        }
        for destination in 0..self.destinations() {
            let link = self.reply_link(client, destination);
            for place in self.takable(state, link) {
                into.push(Action::Receive(link, place));
            }
            if self.may_time_out(state, client, destination) {
                into.push(Action::TimeOut(client, destination));
            }
        }
        if self.joins_behind(client) {
            self.group_may(state, client, into);
        }
        if self.commits_behind(client) && self.may_auto_commit(state, client) {
            into.push(Action::AutoCommit(client));
        }
        if self.may_leave(state, client) {
            into.push(Action::Leave(client));
        }
    }

    fn destination_may(&self, state: &State, destination: u16, into: &mut Vec<Action>) {
        if self.is_reachable(state, destination) {
            for client in self.client_ids().take(state.clients.len()) {
                let link = self.link_to(client, destination);
                for link in [link, LinkId(link.0 + 1)] {
                    for place in self.takable(state, link) {
                        into.push(Action::Receive(link, place));
                    }
                }
            }
        }
        if destination < self.brokers() {
            for (partition, replica) in self.replicas_on(destination) {
                if self.may_fetch(state, partition, replica) {
                    into.push(Action::Fetch(partition, replica));
                }
            }
        } else if destination == self.transactions() {
            self.transactions_may(state, into);
        } else {
            for client in self.client_ids() {
                if self.may_evict(state, client) {
                    into.push(Action::Evict(client));
                }
            }
            for (at, group) in state.groups.iter().enumerate() {
                if group.group.may_expire() {
                    into.push(Action::ExpireOffsets(at as u16));
                }
            }
        }
    }

    fn transactions_may(&self, state: &State, into: &mut Vec<Action>) {
        for id in state.coordinator.active() {
            if self.may_log(state, id) {
                into.push(Action::Log(id));
            }
            if let Some(transaction) = state.coordinator.get(id) {
                for to in transaction.unmarked() {
                    if self.may_mark(state, id, *to) {
                        into.push(Action::WriteMarker(id, *to));
                    }
                }
            }
            if self.may_be_overdue(state, id) {
                into.push(Action::Overdue(id));
            }
        }
        if self.may_scan(state) {
            into.push(Action::Scan);
        }
    }

    fn environment_may(&self, state: &State, into: &mut Vec<Action>) {
        for partition in self.partition_ids() {
            let (Some(config), Some(log)) =
                (self.partition(partition), state.logs.get(partition.index()))
            else {
                continue;
            };
            for replica in 0..config.brokers.len() as u16 {
                let replica = ReplicaId(replica);
                if log.may_fall_behind(replica) {
                    into.push(Action::FallBehind(partition, replica));
                }
                let broker = self.broker_at(partition, replica).unwrap_or_default();
                if log.leader().is_none()
                    && Self::is_up(state, broker)
                    && log.may_lead(&config.options, replica).is_ok()
                {
                    into.push(Action::Elect(partition, replica));
                }
            }
            if let Some(leader) = log.leading() {
                for producer in leader.producers().known() {
                    if leader.producers().may_expire(producer) {
                        into.push(Action::Forget(partition, producer));
                    }
                }
            }
            if self.deletable(state, partition).is_some() {
                into.push(Action::Delete(partition));
            }
        }
        for body in self.bodies() {
            if Self::may_start(state, body) {
                into.push(Action::Start(body));
            }
            if Self::may_resume(state, body) {
                into.push(Action::Resume(body));
            }
        }
        self.faults_may(state, into);
    }

    fn faults_may(&self, state: &State, into: &mut Vec<Action>) {
        for body in self.bodies() {
            if self.may_crash(state, body) {
                into.push(Action::Crash(body));
            }
            if self.may_pause(state, body) {
                into.push(Action::Pause(body));
                into.push(Action::Stop(body));
            }
        }
        for broker in 0..self.brokers() {
            if self.may_lose_log(state, broker) {
                into.push(Action::LoseLog(broker));
            }
        }
        for link in self.links_in_use(state) {
            for place in 0..self.under_way(state, link) as u16 {
                if self.may_lose(state, link, place) {
                    into.push(Action::Lose(link, place));
                }
            }
        }
        if self.may_step_clock_back(state) {
            into.push(Action::StepClockBack);
        }
    }
}
