//! From a scenario to a model: everything that never changes is found out once.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use smallvec::{SmallVec, smallvec};

use super::action::{Action, Body, ClientId};
use super::state::{
    ClientState, Fate, GroupState, Ids, Reading, Standing, State, Store, Transaction,
};
use super::{
    Base, Client, Delivery, GroupConfig, MessageFault, Partition, Reads, Record, Route,
    StreamsConfig, Writes, consumer_options, producer_options, streams_options,
};
use crate::clock::Pace;
use crate::collections::{Bits, Tally};
use crate::id::{ActorId, NodeId, PartitionId};
use crate::kafka::client::{Client as Library, Library as Kind};
use crate::kafka::producer::Producer;
use crate::kafka::producer_options::{Effective, KafkaVersion, ProducerTimes, delivery_timeout};
use crate::kafka::replicated_log::{ReplicatedLog, TopicOptions};
use crate::kafka::transaction_coordinator::{
    CoordinatorOptions, TransactionCoordinator, TransactionVersion, TransactionalId,
};
use crate::scenario::delivery::{
    CommitWhen, ConsumerApp, DeliveryBreakage, ProcessingGuarantee, ProducerApp, ProducerConfig,
    Send, Sends, StreamsApp, Topic,
};
use crate::scenario::{self, ScenarioError};
use crate::time::{Micros, Millis};

impl Delivery {
    /// Builds the model that a scenario describes.
    ///
    /// # Errors
    /// [`ScenarioError`] names the field that makes no sense, and why.
    pub fn new(scenario: scenario::Delivery) -> Result<Self, ScenarioError> {
        scenario.check()?;
        let mut delivery = Self {
            partitions: Vec::new(),
            clients: Vec::new(),
            records: Vec::new(),
            groups: Vec::new(),
            ids: Vec::new(),
            messages: Vec::new(),
            coordinator: CoordinatorOptions {
                max_timeout: scenario.cluster.transaction_max_timeout,
                two_phase_commit: false,
                version: match scenario.cluster.transaction_version {
                    2 => TransactionVersion::Two,
                    _ => TransactionVersion::One,
                },
            },
            base: Base::default(),
            actors: 0,
            coordinator_node: NodeId(0),
            transactional: false,
            naming: None,
            scenario,
        };
        let topics = delivery.scenario.topics.clone();
        for topic in &topics {
            delivery.add_topic(topic, false);
        }
        delivery.add_changelogs(&topics);
        delivery.add_clients()?;
        delivery.number();
        delivery.transactional = !delivery.ids.is_empty();
        delivery.messages = delivery.message_faults();
        Ok(delivery)
    }

    /// The seed, the jitter and the scheduled faults of the scenario.
    pub fn pace(&self) -> Pace<Action> {
        let faults = self.scenario.faults.schedule.iter();
        Pace {
            seed: self.scenario.seed,
            jitter_percent: self.scenario.costs.jitter_percent,
            faults: faults
                .filter_map(|fault| Some((Micros::from(fault.at_ms), self.fault(&fault.what)?)))
                .collect(),
            until: self.scenario.until_ms.map(Micros::from),
        }
    }

    fn fault(&self, what: &DeliveryBreakage) -> Option<Action> {
        Some(match what {
            DeliveryBreakage::Crash(name) => Action::Crash(self.body(name)?),
            DeliveryBreakage::Stop(name) => Action::Stop(self.body(name)?),
            DeliveryBreakage::Start(name) => Action::Start(self.body(name)?),
            DeliveryBreakage::Pause(name) => Action::Pause(self.body(name)?),
            DeliveryBreakage::Resume(name) => Action::Resume(self.body(name)?),
            DeliveryBreakage::LoseLog(name) => match self.body(name)? {
                Body::Broker(broker) => Action::LoseLog(broker),
                _ => return None,
            },
            DeliveryBreakage::StepClockBack => Action::StepClockBack,
        })
    }

    fn body(&self, name: &str) -> Option<Body> {
        if let Some(number) = name.strip_prefix("broker-") {
            return Some(Body::Broker(number.parse::<u16>().ok()?.checked_sub(1)?));
        }
        match name {
            "transaction-coordinator" => Some(Body::TransactionCoordinator),
            "group-coordinator" => Some(Body::GroupCoordinator),
            _ => self.client_named(name).map(Body::Client),
        }
    }

    fn client_named(&self, name: &str) -> Option<ClientId> {
        let at = self.clients.iter().position(|it| it.name == name)?;
        Some(ClientId(at as u16))
    }

    fn add_topic(&mut self, topic: &Topic, is_changelog: bool) {
        let brokers = self.scenario.cluster.brokers;
        for number in 0..topic.partitions {
            self.partitions.push(Partition {
                topic: topic.name.clone(),
                number,
                options: TopicOptions {
                    min_in_sync: topic.min_in_sync,
                    unclean_election: topic.unclean_election,
                },
                brokers: (0..topic.replication_factor)
                    .map(|replica| (number + replica) % brokers)
                    .collect(),
                retention: topic.retention,
                node: NodeId(0),
                is_changelog,
            });
        }
    }

    /// An application with a store has a changelog topic, one for all its instances, with as many
    /// partitions as its input, replicated as that is.
    fn add_changelogs(&mut self, topics: &[Topic]) {
        let apps = self.scenario.streams.clone();
        for app in apps.iter().filter(|app| app.store) {
            let name = changelog(app);
            let there = self.partitions.iter().any(|known| known.topic == name);
            let input = topics.iter().find(|topic| topic.name == app.input);
            if let (false, Some(input)) = (there, input) {
                let topic = Topic {
                    name,
                    retention: None,
                    ..input.clone()
                };
                self.add_topic(&topic, true);
            }
        }
    }

    fn partitions_named(&self, topic: &str) -> Vec<PartitionId> {
        let named = self.partitions.iter().enumerate();
        named
            .filter(|(_, partition)| partition.topic == topic)
            .map(|(at, _)| PartitionId(at as u16))
            .collect()
    }

    fn add_clients(&mut self) -> Result<(), ScenarioError> {
        for app in self.scenario.producers.clone() {
            let options = producer_options(&app)
                .map_err(|error| ScenarioError::new("producers", error.to_string()))?;
            let records = self.add_records(&app);
            let id = app.config.transactional_id.as_ref().map(|id| self.id(id));
            let mut writes = self.writes_of(&app.config, options, app.client, id);
            writes.partitions = self.partitions_named(&app.topic);
            writes.records = records;
            writes.interval = app.interval_ms;
            writes.batch = u32::from(app.batch_records);
            writes.per_transaction = app.transaction_records.unwrap_or(u32::MAX);
            writes.aborts.clone_from(&app.abort_transactions);
            writes.on_error = app.on_error;
            self.clients.push(Client {
                name: app.name,
                library: app.client,
                node: NodeId(0),
                actor: ActorId(0),
                workers: 0,
                start: app.start_ms,
                driver: None,
                writes: Some(writes),
                reads: None,
                streams: None,
            });
        }
        for app in self.scenario.consumers.clone() {
            let options = consumer_options(&app)
                .map_err(|error| ScenarioError::new("consumers", error.to_string()))?;
            let partitions = self.partitions_named(&app.topic);
            let group = self.group(&app.config.group, &partitions);
            let commit = app
                .commit
                .unwrap_or(default_commit(&app, options.auto_commit));
            self.clients.push(Client {
                name: app.name.clone(),
                library: app.client,
                node: NodeId(0),
                actor: ActorId(0),
                workers: app.workers,
                start: app.start_ms,
                driver: None,
                writes: None,
                reads: Some(Reads {
                    options,
                    group,
                    partitions,
                    processing: app.processing_ms,
                    commit,
                    effect: app.effect,
                }),
                streams: None,
            });
        }
        for app in self.scenario.streams.clone() {
            self.add_streams(&app)?;
        }
        Ok(())
    }

    fn add_streams(&mut self, app: &StreamsApp) -> Result<(), ScenarioError> {
        let (producer, consumer) = streams_options(app)
            .map_err(|error| ScenarioError::new("streams", error.to_string()))?;
        let exactly = app.config.guarantee == ProcessingGuarantee::ExactlyOnceV2;
        let partitions = self.partitions_named(&app.input);
        let outputs = self.partitions_named(&app.output);
        let changelogs = match app.store {
            true => self.partitions_named(&changelog(app)),
            false => Vec::new(),
        };
        let routes = (0..partitions.len()).filter_map(|at| {
            Some(Route {
                output: *outputs.get(at)?,
                changelog: changelogs.get(at).copied(),
            })
        });
        let routes: Vec<Route> = routes.collect();
        let group = self.group(&app.application_id, &partitions);
        // With exactly_once_v2, every instance has a producer and a transactional id of its own.
        let id = match &app.config.producer.transactional_id {
            Some(id) => Some(self.id(id)),
            None if exactly => Some(self.id(&format!("{}-{}", app.application_id, app.name))),
            None => None,
        };
        let mut config = app.config.producer.clone();
        if config.transaction_timeout.is_none() {
            config.transaction_timeout = Some(Millis(10_000));
        }
        let mut writes = self.writes_of(&config, producer, app.client, id);
        writes.partitions = outputs.into_iter().chain(changelogs).collect();
        self.clients.push(Client {
            name: app.name.clone(),
            library: app.client,
            node: NodeId(0),
            actor: ActorId(0),
            workers: 1,
            start: app.start_ms,
            driver: None,
            writes: Some(writes),
            reads: Some(Reads {
                options: consumer,
                group,
                partitions,
                processing: app.processing_ms,
                commit: CommitWhen::Never,
                effect: scenario::delivery::Effect::Plain,
            }),
            streams: Some(StreamsConfig {
                guarantee: app.config.guarantee,
                interval: app.config.commit_interval.unwrap_or(match exactly {
                    true => Millis(100),
                    false => Millis(30_000),
                }),
                send_offsets: app.send_offsets,
                routes,
                has_store: app.store,
            }),
        });
        Ok(())
    }

    fn writes_of(
        &self,
        config: &ProducerConfig,
        options: Effective,
        library: Library,
        id: Option<TransactionalId>,
    ) -> Writes {
        let transaction = id.map(|_| config.transaction_timeout.unwrap_or(Millis(60_000)));
        let times = ProducerTimes {
            request: config.request_timeout,
            delivery: config.delivery_timeout,
            transaction,
        };
        let speaks_two =
            library.library == Kind::Java && library.version >= KafkaVersion::new(4, 0, 0);
        Writes {
            options,
            // Without any time a client would ask for ever, and nothing else would happen.
            request_timeout: config
                .request_timeout
                .unwrap_or(Millis(30_000))
                .max(Millis(1)),
            delivery_timeout: delivery_timeout(&times, &library),
            backoff: config.retry_backoff.unwrap_or(Millis(100)),
            id,
            transaction_timeout: config.transaction_timeout.unwrap_or(Millis(60_000)),
            version: match speaks_two {
                true => self.coordinator.version,
                false => TransactionVersion::One,
            },
            partitions: Vec::new(),
            records: 0..0,
            interval: Millis(0),
            batch: 1,
            per_transaction: u32::MAX,
            aborts: Vec::new(),
            on_error: scenario::delivery::OnError::Report,
        }
    }

    fn add_records(&mut self, app: &ProducerApp) -> core::ops::Range<u32> {
        let partitions = self.partitions_named(&app.topic);
        let first = self.records.len() as u32;
        let sends = match &app.sends {
            Sends::Listed(sends) => sends.clone(),
            Sends::Numbered(numbered) => (0..numbered.count)
                .map(|at| Send {
                    key: format!("key-{}", at.checked_rem(numbered.keys).unwrap_or(0)),
                    value: 1,
                    partition: None,
                    too_large: false,
                    wait_ms: None,
                    processing_ms: None,
                })
                .collect(),
        };
        let per_transaction = app.transaction_records.unwrap_or(u32::MAX);
        for (at, send) in sends.into_iter().enumerate() {
            let turn = at.checked_rem(partitions.len()).unwrap_or(0);
            let place = send.partition.map_or(turn, usize::from);
            let number = (at as u32).checked_div(per_transaction).unwrap_or(0) + 1;
            self.records.push(Record {
                key: send.key,
                value: send.value,
                partition: partitions.get(place).copied().unwrap_or_default(),
                too_large: send.too_large,
                wait: send.wait_ms,
                processing: send.processing_ms,
                due: u32::from(!app.abort_transactions.contains(&number)),
            });
        }
        first..self.records.len() as u32
    }

    fn id(&mut self, name: &str) -> TransactionalId {
        let known = self.ids.iter().position(|known| known == name);
        let at = known.unwrap_or_else(|| {
            self.ids.push(name.to_string());
            self.ids.len() - 1
        });
        TransactionalId(at as u32)
    }

    fn group(&mut self, name: &str, partitions: &[PartitionId]) -> u16 {
        let known = self.groups.iter().position(|known| known.name == name);
        let at = known.unwrap_or_else(|| {
            self.groups.push(GroupConfig {
                name: name.to_string(),
                partitions: Vec::new(),
            });
            self.groups.len() - 1
        });
        if let Some(group) = self.groups.get_mut(at) {
            group.partitions.extend_from_slice(partitions);
            group.partitions.sort_unstable();
            group.partitions.dedup();
        }
        at as u16
    }

    /// Gives everything its node and its actor.
    pub(super) fn number(&mut self) {
        let Base {
            mut node,
            mut actor,
            ..
        } = self.base;
        for client in &mut self.clients {
            client.actor = ActorId(actor);
            actor += 1 + client.workers.max(1);
            if client.driver.is_none() {
                client.node = NodeId(node);
                node += 1;
            }
        }
        for partition in &mut self.partitions {
            partition.node = NodeId(node);
            node += partition.brokers.len() as u16;
        }
        self.coordinator_node = NodeId(node);
        self.actors = actor + self.destinations() + 1;
    }

    pub(super) fn message_faults(&self) -> Vec<MessageFault> {
        let faults = self.scenario.faults.messages.iter();
        let known = faults.filter_map(|fault| {
            Some(MessageFault {
                client: self.client_named(&fault.client)?.0,
                api: fault.api,
                part: fault.part,
                first: fault.number,
                count: fault.count,
                delay: fault.delay_ms,
            })
        });
        known.collect()
    }

    /// The state in which a run starts.
    pub(super) fn start_state(&self) -> State {
        let logs = self.partitions.iter();
        let pairs = self.clients.len() * usize::from(self.destinations());
        State {
            logs: logs
                .map(|it| ReplicatedLog::new(it.brokers.len() as u16))
                .collect(),
            deleted: smallvec![Tally::default(); self.partitions.len()],
            brokers: smallvec![Standing::Running; usize::from(self.brokers())],
            clients: self
                .client_ids()
                .take_while(|it| !self.is_driven(*it))
                .map(|it| self.start_client(it))
                .collect(),
            coordinator: TransactionCoordinator::default(),
            overdue: Ids::default(),
            locked: Ids::default(),
            clock_back: false,
            unlogged: SmallVec::new(),
            awaiting: SmallVec::new(),
            verifications: SmallVec::new(),
            groups: self
                .groups
                .iter()
                .map(|group| GroupState {
                    known: smallvec![Bits::default(); group.partitions.len()],
                    stored: smallvec![None; group.partitions.len()],
                    ..GroupState::default()
                })
                .collect(),
            requests: smallvec![SmallVec::new(); pairs * 2],
            replies: smallvec![SmallVec::new(); pairs],
            fates: smallvec![Fate::Unsent; self.records.len()],
            counted: smallvec![0; self.messages.len()],
            crashes: 0,
            losses: 0,
        }
    }

    pub(super) fn start_client(&self, client: ClientId) -> ClientState {
        let writes = self.writes(client).map_or(0, |it| it.partitions.len());
        let reads = self.reads(client).map_or(0, |it| it.partitions.len());
        let has_store = self.streams(client).is_some_and(|it| it.has_store);
        let workers = self.client(client).map_or(0, |it| it.workers);
        ClientState {
            standing: Standing::Waiting,
            connections: smallvec![0; usize::from(self.destinations())],
            mute: Bits::default(),
            deaf: Bits::default(),
            closed: Bits::default(),
            flights: SmallVec::new(),
            call: None,
            backing_off: false,
            producers: smallvec![Producer::default(); writes],
            id: self.writes(client).and_then(|it| it.id),
            session: None,
            trouble: None,
            transaction: Transaction::default(),
            next: 0,
            again: SmallVec::new(),
            reading: Reading {
                working: smallvec![None; usize::from(workers)],
                ..Reading::default()
            },
            stores: smallvec![Store::default(); if has_store { reads } else { 0 }],
        }
    }
}

fn changelog(app: &StreamsApp) -> String {
    format!("{}-changelog", app.application_id)
}

fn default_commit(app: &ConsumerApp, auto: bool) -> CommitWhen {
    match (app.effect, auto) {
        (scenario::delivery::Effect::WithOffset, _) => CommitWhen::Never,
        (_, true) => CommitWhen::Auto,
        (_, false) => CommitWhen::AfterProcessing,
    }
}
