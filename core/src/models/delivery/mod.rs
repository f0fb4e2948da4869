//! Producers → Kafka brokers → consumers, and Kafka Streams applications between topics.
//!
//! Clients send requests over connections, brokers and coordinators answer; any message may be lost or
//! late, and anything may die or stand still at any moment. What a reader sees, what consumers did and
//! what a store holds is judged record by record.
//!
//! | module | its story |
//! | --- | --- |
//! | `build` | from a scenario to a model |
//! | `options` | what the clients' options come to |
//! | `state` | what changes |
//! | `action`, `rules` | what may happen when: the [`Protocol`](crate::Protocol) |
//! | `message`, `network` | requests and responses on their way |
//! | `broker` | batches, replication, markers, retention |
//! | `coordinators` | transactions and groups |
//! | `calls` | what a client asks of the coordinators, and what it makes of the answers |
//! | `producing` | applications that write |
//! | `consuming` | applications that read |
//! | `streams` | applications that do both |
//! | `failure` | crash, stop, pause, and the way back |
//! | `tries` | what is tried again and again, so that a search comes to an end |
//! | `driven` | producers whose application is somebody else's: the sinks of a Flink job |
//! | `account` | what somebody sees, and whether it is right |
//! | `life` | what became of a record that somebody does not see |
//! | `picture` | all of it as a scene |
//! | `lanes` | who has a lane in a space-time diagram, and whom an action concerns |
//! | `matrix` | what a setting of producer and consumer guarantees |
//!
//! The rules are those of [`kafka`](crate::kafka); this module composes.
//!
//! # What this model leaves out
//!
//! A client knows at once who leads a partition, as soon as nothing that it has sent to the last leader is
//! under way: in Kafka it learns of it by that, or when its metadata grow old (`metadata.max.age.ms`). In the
//! latter case it could send a batch to a new leader while an earlier one is still under way to the old one;
//! a new leader that knows nothing of the producer takes any sequence, and the earlier batch is then refused
//! and repeated with all that follow, under a new epoch: twice, in spite of idempotence. A consumer's fetch, its look-up of a committed offset, its
//! joining of a group, and the commit that the Java client makes when it joins again or closes, are one step
//! each and are never lost; so is a follower's fetch, what a broker asks of the transaction coordinator,
//! and a marker on its way. Heartbeats are not sent one by one: a member that is down or stands still
//! misses them. The coordinators are not on a broker that one could crash with them: they crash on their
//! own, and what they have logged is never lost. An idempotent producer that writes to several partitions
//! takes a new epoch for each of them by itself. A consumer has one partition assignor (range) and the
//! classic, eager protocol, also where `group.protocol` is `consumer`. Compaction, tiers, quotas and
//! authorization do not exist. A producing application that dies goes on behind the records that it was told
//! of, as one would that notes them down at once; what it was not told of it sends again.

mod account;
mod action;
mod broker;
mod build;
mod calls;
mod consuming;
mod coordinators;
pub(in crate::models) mod driven;
mod failure;
mod lanes;
mod life;
pub mod matrix;
mod message;
mod network;
mod options;
mod picture;
mod producing;
mod rules;
mod state;
mod streams;
#[cfg(test)]
mod tests;
mod timers;
mod tries;
mod withheld;

use alloc::string::String;
use alloc::vec::Vec;

pub use action::{Action, Body, ClientId};
pub use options::{consumer_options, producer_options, streams_options};
pub use state::State;

use crate::id::{ActorId, LinkId, NodeId, PartitionId, RecordId};
use crate::kafka::client::Client as Library;
use crate::kafka::consumer_options::EffectiveConsumer;
use crate::kafka::log::IsolationLevel;
use crate::kafka::producer_options::Effective;
use crate::kafka::replicated_log::TopicOptions;
use crate::kafka::transaction_coordinator::{
    CoordinatorOptions, TransactionVersion, TransactionalId,
};
use crate::scenario;
use crate::scenario::delivery::{
    Api, CommitWhen, Effect, OnError, Part, ProcessingGuarantee, SendOffsets,
};
use crate::time::{Micros, Millis};

/// The configuration: what never changes during a run.
#[derive(Debug)]
pub struct Delivery {
    scenario: scenario::Delivery,
    partitions: Vec<Partition>,
    clients: Vec<Client>,
    records: Vec<Record>,
    groups: Vec<GroupConfig>,
    /// The transactional ids, by their numbers.
    ids: Vec<String>,
    messages: Vec<MessageFault>,
    coordinator: CoordinatorOptions,
    /// Where its numbers begin, if it is part of a larger model.
    base: Base,
    /// Behind its last actor.
    actors: u16,
    coordinator_node: NodeId,
    /// Whether transactions are used at all.
    transactional: bool,
    /// How its transactional ids are called, if they are not counted beforehand.
    naming: Option<driven::Naming>,
}

/// Where the numbers of a model begin that is part of a larger one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::models) struct Base {
    pub node: u16,
    pub actor: u16,
    pub link: u32,
    pub timer: u32,
}

/// A partition of a topic.
#[derive(Debug)]
struct Partition {
    topic: String,
    number: u16,
    options: TopicOptions,
    /// By replica: its broker.
    brokers: Vec<u16>,
    retention: Option<Millis>,
    /// The node of its first replica; the others follow.
    node: NodeId,
    /// Whether it is a topic that an application has made for its store.
    is_changelog: bool,
}

/// A record that a producer sends.
#[derive(Debug)]
struct Record {
    key: String,
    value: u32,
    partition: PartitionId,
    too_large: bool,
    wait: Option<Millis>,
    processing: Option<Millis>,
    /// How often it should be seen in the end: not at all, if the application aborts its transaction.
    due: u32,
}

/// A client.
#[derive(Debug)]
struct Client {
    name: String,
    library: Library,
    node: NodeId,
    /// The actor of its application's thread; the next one works in the background, the ones after that are
    /// further workers.
    actor: ActorId,
    workers: u16,
    start: Millis,
    /// The actor of the application, if that is not part of this model.
    driver: Option<ActorId>,
    writes: Option<Writes>,
    reads: Option<Reads>,
    streams: Option<StreamsConfig>,
}

/// What a client needs to write.
#[derive(Clone, Debug)]
struct Writes {
    options: Effective,
    request_timeout: Millis,
    delivery_timeout: Millis,
    backoff: Millis,
    id: Option<TransactionalId>,
    transaction_timeout: Millis,
    version: TransactionVersion,
    /// The partitions that it may write.
    partitions: Vec<PartitionId>,
    /// Its own records, if it is not Streams.
    records: core::ops::Range<u32>,
    interval: Millis,
    batch: u32,
    /// How many records go into a transaction.
    per_transaction: u32,
    aborts: Vec<u32>,
    on_error: OnError,
}

/// What a client needs to read.
#[derive(Debug)]
struct Reads {
    options: EffectiveConsumer,
    group: u16,
    partitions: Vec<PartitionId>,
    processing: Micros,
    commit: CommitWhen,
    effect: Effect,
}

/// What Streams has besides.
#[derive(Debug)]
struct StreamsConfig {
    guarantee: ProcessingGuarantee,
    interval: Millis,
    send_offsets: SendOffsets,
    /// By partition that it reads: where its output goes, and the changelog of its store.
    routes: Vec<Route>,
    has_store: bool,
}

/// Where the output of an input partition goes.
#[derive(Clone, Copy, Debug)]
struct Route {
    output: PartitionId,
    changelog: Option<PartitionId>,
}

/// A consumer group.
#[derive(Debug)]
struct GroupConfig {
    name: String,
    partitions: Vec<PartitionId>,
}

/// Messages that are lost or late.
#[derive(Clone, Copy, Debug)]
struct MessageFault {
    client: u16,
    api: Api,
    part: Part,
    first: u16,
    count: u16,
    delay: Option<Millis>,
}

/// Whom a client talks to: the brokers, the transaction coordinator, the group coordinator.
impl Delivery {
    fn brokers(&self) -> u16 {
        self.scenario.cluster.brokers
    }

    fn destinations(&self) -> u16 {
        self.brokers().saturating_add(2)
    }

    fn transactions(&self) -> u16 {
        self.brokers()
    }

    fn group_coordinator(&self) -> u16 {
        self.brokers().saturating_add(1)
    }

    fn client(&self, client: ClientId) -> Option<&Client> {
        self.clients.get(usize::from(client.0))
    }

    fn writes(&self, client: ClientId) -> Option<&Writes> {
        self.client(client)?.writes.as_ref()
    }

    fn reads(&self, client: ClientId) -> Option<&Reads> {
        self.client(client)?.reads.as_ref()
    }

    fn streams(&self, client: ClientId) -> Option<&StreamsConfig> {
        self.client(client)?.streams.as_ref()
    }

    fn client_ids(&self) -> impl Iterator<Item = ClientId> + use<> {
        (0..self.clients.len() as u16).map(ClientId)
    }

    /// The clients that an actor may belong to.
    fn client_ids_at(&self, actor: ActorId) -> impl Iterator<Item = ClientId> + use<> {
        let all = 0..self.clients.len() as u16;
        let is_driven = self.clients.first().is_some_and(|it| it.driver.is_some());
        // Driven clients have two actors each.
        let at = actor.0.saturating_sub(self.base.actor) / 2;
        let own = match is_driven {
            true => at.min(all.end)..(at + 1).min(all.end),
            false => all,
        };
        own.map(ClientId)
    }

    /// The links of the clients that there have been so far.
    fn links_in_use(&self, state: &State) -> impl Iterator<Item = LinkId> + use<> {
        let count = state.clients.len() * usize::from(self.destinations()) * 3;
        let first = self.base.link;
        (0..count as u32).map(move |link| LinkId(first + link))
    }

    fn partition(&self, partition: PartitionId) -> Option<&Partition> {
        self.partitions.get(partition.index())
    }

    fn partition_ids(&self) -> impl Iterator<Item = PartitionId> + use<> {
        (0..self.partitions.len() as u16).map(PartitionId)
    }

    fn record_of(&self, record: RecordId) -> Option<&Record> {
        self.records.get(record.index())
    }

    /// The place of a partition among those that a client writes.
    fn writes_at(&self, client: ClientId, partition: PartitionId) -> Option<usize> {
        let mut partitions = self.writes(client)?.partitions.iter();
        partitions.position(|it| *it == partition)
    }

    /// The place of a partition among those that a client reads.
    fn reads_at(&self, client: ClientId, partition: PartitionId) -> Option<usize> {
        let mut partitions = self.reads(client)?.partitions.iter();
        partitions.position(|it| *it == partition)
    }

    /// The actor of an application's thread.
    fn app(&self, client: ClientId) -> ActorId {
        self.client(client).map_or(ActorId(0), |it| it.actor)
    }

    /// The actor that works in the background of a client: its network thread.
    fn background(&self, client: ClientId) -> ActorId {
        ActorId(self.app(client).0.saturating_add(1))
    }

    /// The actor of one of a consumer's workers; the application's thread is the first.
    fn worker(&self, client: ClientId, worker: u16) -> ActorId {
        let app = self.app(client);
        match worker {
            0 => app,
            other => ActorId(app.0.saturating_add(1).saturating_add(other)),
        }
    }

    /// The actor of a broker or a coordinator.
    fn actor_of(&self, destination: u16) -> ActorId {
        let behind = self.destinations() - destination.min(self.destinations());
        // The environment is the last actor.
        ActorId(self.actors.saturating_sub(behind.saturating_add(1)))
    }

    /// The actor that stands for everything that nobody decides: faults, elections, returns.
    fn environment(&self) -> ActorId {
        ActorId(self.actors.saturating_sub(1))
    }

    /// The link for requests; the next one is for those that are late, the one after that for responses.
    fn link_to(&self, client: ClientId, destination: u16) -> LinkId {
        let pair = u32::from(client.0) * u32::from(self.destinations()) + u32::from(destination);
        LinkId(self.base.link + pair * 3)
    }

    fn reply_link(&self, client: ClientId, destination: u16) -> LinkId {
        LinkId(self.link_to(client, destination).0 + 2)
    }

    /// Whose link it is, to whom, and which of the three.
    fn ends(&self, link: LinkId) -> (ClientId, u16, u32) {
        let destinations = u32::from(self.destinations()).max(1);
        let number = link.0.saturating_sub(self.base.link);
        let pair = number / 3;
        (
            ClientId((pair / destinations) as u16),
            (pair % destinations) as u16,
            number % 3,
        )
    }

    fn coordinator_node(&self) -> NodeId {
        self.coordinator_node
    }

    fn groups_node(&self) -> NodeId {
        NodeId(self.coordinator_node().0 + 1)
    }

    /// What readers of a client's input see.
    fn isolation(&self, client: ClientId) -> IsolationLevel {
        self.reads(client)
            .map_or(IsolationLevel::ReadUncommitted, |it| {
                it.options.isolation_level
            })
    }
}
