//! Which faults a search tries: kinds, and the nodes at which they happen.
//!
//! How many of them a run may have is a [setting of the search](crate::explorer::Settings::faults); here is what they may
//! be. By default that is everything which the protocol calls a fault.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::Model;
use crate::clock::{Clock, Pace};
use crate::id::NodeId;
use crate::scenario::{ScenarioError, Story, StoryRef};
use crate::scene::votes::VotesChoice;
use crate::scene::{Choice, Facts, JobChoice, KafkaChoice, Place};

/// What a fault is, whichever model it happens in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// Something dies, and comes back by itself.
    Crash,
    /// A client is shut down, a broker or a process of two-phase commit stays down.
    Stop,
    /// A client or a broker stands still, and does not know it.
    Pause,
    /// A TaskManager is lost.
    LostTaskManager,
    /// The JobManager is lost.
    LostJobManager,
    /// A snapshot under way to the store fails.
    FailedSnapshot,
    /// The store refuses a checkpoint that all have acknowledged.
    RefusedCheckpoint,
    /// Word that a checkpoint is complete does not arrive.
    LostNotification,
    /// The catalog's answer to a commit does not arrive.
    LostCatalogResponse,
    /// The job is killed, and deployed again.
    Redeployment,
    /// A person asks for a savepoint.
    Savepoint,
    /// A request of a client is lost.
    LostRequest,
    /// The answer to a request is lost.
    LostAcknowledgement,
    /// A client gives up a request although it, or its answer, is still on its way.
    LateResponse,
    /// A batch takes longer than `delivery.timeout.ms`.
    DeliveryTimeout,
    /// A transaction is open for longer than `transaction.timeout.ms`.
    TransactionTimeout,
    /// A consumer does not poll for longer than `max.poll.interval.ms`.
    LatePoll,
    /// A follower that runs is put out of sync.
    SlowReplica,
    /// A broker that is down loses its log.
    LostLog,
    /// The transaction coordinator's clock is set back.
    ClockStep,
    /// A message of two-phase commit is lost.
    LostMessage,
    /// A message of two-phase commit arrives twice.
    DuplicatedMessage,
    /// A process of two-phase commit gives up waiting although what it waits for is on its way.
    EarlyTimeout,
}

use FaultKind as Kind;

/// Of a Flink job.
const OF_JOB: [Kind; 9] = [
    Kind::Crash,
    Kind::LostTaskManager,
    Kind::LostJobManager,
    Kind::FailedSnapshot,
    Kind::RefusedCheckpoint,
    Kind::LostNotification,
    Kind::LostCatalogResponse,
    Kind::Redeployment,
    Kind::Savepoint,
];

/// Of Kafka's clients and brokers.
const OF_KAFKA: [Kind; 12] = [
    Kind::Crash,
    Kind::Stop,
    Kind::Pause,
    Kind::LostRequest,
    Kind::LostAcknowledgement,
    Kind::LateResponse,
    Kind::DeliveryTimeout,
    Kind::TransactionTimeout,
    Kind::LatePoll,
    Kind::SlowReplica,
    Kind::LostLog,
    Kind::ClockStep,
];

/// Of two-phase commit.
const OF_VOTES: [Kind; 5] = [
    Kind::Crash,
    Kind::Stop,
    Kind::LostMessage,
    Kind::DuplicatedMessage,
    Kind::EarlyTimeout,
];

impl FaultKind {
    /// All of them.
    pub const ALL: [Self; 23] = [
        Self::Crash,
        Self::Stop,
        Self::Pause,
        Self::LostTaskManager,
        Self::LostJobManager,
        Self::FailedSnapshot,
        Self::RefusedCheckpoint,
        Self::LostNotification,
        Self::LostCatalogResponse,
        Self::Redeployment,
        Self::Savepoint,
        Self::LostRequest,
        Self::LostAcknowledgement,
        Self::LateResponse,
        Self::DeliveryTimeout,
        Self::TransactionTimeout,
        Self::LatePoll,
        Self::SlowReplica,
        Self::LostLog,
        Self::ClockStep,
        Self::LostMessage,
        Self::DuplicatedMessage,
        Self::EarlyTimeout,
    ];

    /// The word for it on a command line and in a link: `lost-acknowledgement`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Crash => "crash",
            Self::Stop => "stop",
            Self::Pause => "pause",
            Self::LostTaskManager => "lost-task-manager",
            Self::LostJobManager => "lost-job-manager",
            Self::FailedSnapshot => "failed-snapshot",
            Self::RefusedCheckpoint => "refused-checkpoint",
            Self::LostNotification => "lost-notification",
            Self::LostCatalogResponse => "lost-catalog-response",
            Self::Redeployment => "redeployment",
            Self::Savepoint => "savepoint",
            Self::LostRequest => "lost-request",
            Self::LostAcknowledgement => "lost-acknowledgement",
            Self::LateResponse => "late-response",
            Self::DeliveryTimeout => "delivery-timeout",
            Self::TransactionTimeout => "transaction-timeout",
            Self::LatePoll => "late-poll",
            Self::SlowReplica => "slow-replica",
            Self::LostLog => "lost-log",
            Self::ClockStep => "clock-step",
            Self::LostMessage => "lost-message",
            Self::DuplicatedMessage => "duplicated-message",
            Self::EarlyTimeout => "early-timeout",
        }
    }

    /// The kind of this word.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// The kinds that there are in the model of a scenario.
    pub fn of(story: StoryRef<'_>) -> Vec<Self> {
        let pipeline = story.pipeline();
        let mut kinds = Vec::new();
        if pipeline.is_some() {
            kinds.extend(OF_JOB);
        }
        if story.votes().is_some() {
            kinds.extend(OF_VOTES);
        } else if pipeline.is_none_or(|it| it.kafka.is_some()) {
            kinds.extend(OF_KAFKA);
        }
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }
}

/// Where a fault happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Where {
    /// At a node of the scene; a lost message at the node of its client.
    Node(NodeId),
    /// At a broker, by its number from 1.
    Broker(u16),
    /// At a TaskManager, by its number from 0.
    TaskManager(u16),
}

/// A fault, by what it is and where it happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultAt {
    /// What it is.
    pub kind: FaultKind,
    /// Where.
    pub at: Where,
}

impl FaultAt {
    /// What an action that is a fault is one of. A timer that runs out is one only where the protocol says so.
    pub fn of(choice: &Choice) -> Option<Self> {
        let kind = match choice {
            Choice::Crash { .. } => Kind::Crash,
            Choice::LoseTaskManager { number, .. } => {
                return Some(Self {
                    kind: Kind::LostTaskManager,
                    at: Where::TaskManager(*number),
                });
            }
            Choice::LoseJobManager { .. } => Kind::LostJobManager,
            Choice::FailSnapshot { .. } => Kind::FailedSnapshot,
            Choice::Refuse { .. } => Kind::RefusedCheckpoint,
            Choice::LoseNotification { .. } => Kind::LostNotification,
            Choice::Job(JobChoice::LoseResponse { .. }) => Kind::LostCatalogResponse,
            Choice::Redeploy { .. } => Kind::Redeployment,
            Choice::Savepoint { .. } => Kind::Savepoint,
            Choice::Kafka(choice) => return Self::of_kafka(choice),
            Choice::Votes(choice) => of_votes(choice)?,
            _ => return None,
        };
        Some(Self {
            kind,
            at: Where::Node(choice.node()),
        })
    }

    fn of_kafka(choice: &KafkaChoice) -> Option<Self> {
        use crate::scenario::delivery::Part;
        let (kind, broker) = match *choice {
            KafkaChoice::Crash { broker, .. } => (Kind::Crash, broker),
            KafkaChoice::Stop { broker, .. } => (Kind::Stop, broker),
            KafkaChoice::Pause { broker, .. } => (Kind::Pause, broker),
            KafkaChoice::LoseLog { broker, .. } => (Kind::LostLog, Some(broker)),
            KafkaChoice::Lose { part, .. } => match part {
                Part::Request => (Kind::LostRequest, None),
                Part::Response => (Kind::LostAcknowledgement, None),
            },
            KafkaChoice::TimeOut { .. } => (Kind::LateResponse, None),
            KafkaChoice::Expire { .. } => (Kind::DeliveryTimeout, None),
            KafkaChoice::Overdue { .. } => (Kind::TransactionTimeout, None),
            KafkaChoice::Leave { .. } => (Kind::LatePoll, None),
            KafkaChoice::FallBehind { .. } => (Kind::SlowReplica, None),
            KafkaChoice::StepClockBack { .. } => (Kind::ClockStep, None),
            _ => return None,
        };
        let at = match broker {
            Some(broker) => Where::Broker(broker),
            None => Where::Node(choice.node()),
        };
        Some(Self { kind, at })
    }
}

fn of_votes(choice: &VotesChoice) -> Option<FaultKind> {
    Some(match choice {
        VotesChoice::Crash { .. } => Kind::Crash,
        VotesChoice::Stop { .. } => Kind::Stop,
        VotesChoice::Lose { .. } => Kind::LostMessage,
        VotesChoice::Duplicate { .. } => Kind::DuplicatedMessage,
        VotesChoice::TimeOut { .. } => Kind::EarlyTimeout,
        _ => return None,
    })
}

/// A choice among the faults, as a person makes it: nothing named means everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Selection {
    /// These kinds only; if there is none, all.
    pub kinds: Vec<FaultKind>,
    /// At these nodes only, by [name](node_names); if there is none, at all.
    pub nodes: Vec<String>,
}

impl Selection {
    /// The scenario, to be searched with so many of these faults: as [`Story::for_search`] says, and with a budget for
    /// every kind that is named, whether the scenario has one or not.
    #[must_use]
    pub fn prepare(&self, story: Story, faults: u8) -> Story {
        let mut story = story.for_search(faults);
        let named = |kind| self.kinds.contains(&kind);
        match &mut story {
            Story::Pipeline(scenario) => {
                let budget = &mut scenario.faults;
                for (kind, most) in [
                    (Kind::FailedSnapshot, &mut budget.max_declines),
                    (Kind::RefusedCheckpoint, &mut budget.max_refusals),
                    (Kind::LostNotification, &mut budget.max_lost_notifications),
                    (Kind::Savepoint, &mut scenario.savepoints.max),
                ] {
                    if named(kind) {
                        *most = faults;
                    }
                }
            }
            Story::Delivery(_) => {}
            Story::Votes(scenario) => {
                let budget = &mut scenario.faults;
                if named(Kind::LostMessage) {
                    budget.max_losses = faults;
                }
                if named(Kind::DuplicatedMessage) {
                    budget.max_duplicates = faults;
                }
                if !self.kinds.is_empty() {
                    let early = named(Kind::EarlyTimeout);
                    budget.max_early_timeouts = Some(if early { faults } else { 0 });
                }
            }
        }
        story
    }

    /// What it comes to in a model.
    ///
    /// # Errors
    /// [`ScenarioError`] says which kind or node the model does not have, and which it has.
    pub fn resolve<M: Model>(&self, model: &M) -> Result<Allowed, ScenarioError> {
        let there = FaultKind::of(model.story());
        for (at, kind) in self.kinds.iter().enumerate() {
            if !there.contains(kind) {
                let words: Vec<_> = there.iter().map(|kind| kind.word()).collect();
                return Err(ScenarioError::new(
                    format!("faults.kinds[{at}]"),
                    format!(
                        "there is no `{}` in this model; there are {}",
                        kind.word(),
                        words.join(", ")
                    ),
                ));
            }
        }
        let names = names_in(model);
        let mut nodes = Vec::new();
        for (at, name) in self.nodes.iter().enumerate() {
            let known = names.iter().filter(|(known, _)| known == name);
            let found: Vec<_> = known.map(|(_, place)| *place).collect();
            if found.is_empty() {
                let words: Vec<_> = names.iter().map(|(name, _)| name.as_str()).collect();
                return Err(ScenarioError::new(
                    format!("faults.nodes[{at}]"),
                    format!("there is no {name:?}; there are {}", words.join(", ")),
                ));
            }
            nodes.extend(found);
        }
        Ok(Allowed {
            kinds: (self.kinds.iter()).fold(0, |set, kind| set | 1 << *kind as u32),
            nodes,
        })
    }
}

/// A [`Selection`] in terms of a model: nothing means everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allowed {
    kinds: u32,
    nodes: Vec<Where>,
}

impl Allowed {
    /// Whether it is everything.
    pub fn is_everything(&self) -> bool {
        self.kinds == 0 && self.nodes.is_empty()
    }

    /// Whether a fault is among them.
    pub fn contains(&self, fault: FaultAt) -> bool {
        (self.kinds == 0 || self.kinds >> fault.kind as u32 & 1 == 1)
            && (self.nodes.is_empty() || self.nodes.contains(&fault.at))
    }
}

/// The names of the nodes of a model at which faults may happen, by which a [`Selection`] knows them: `sink[0]`,
/// `broker-1`, `taskmanager-1`.
pub fn node_names<M: Model>(model: &M) -> Vec<String> {
    names_in(model).into_iter().map(|(name, _)| name).collect()
}

fn names_in<M: Model>(model: &M) -> Vec<(String, Where)> {
    let pace = Pace {
        seed: 0,
        jitter_percent: 0,
        faults: Vec::new(),
        until: None,
    };
    let scene = model.scene(&model.initial(), &Clock::new(model, &pace));
    let mut names: Vec<(String, Where)> = Vec::new();
    for node in &scene.nodes {
        if node.place != Place::Reader {
            names.push((node.full_name(), Where::Node(node.id)));
        }
        if let Facts::Replica(replica) = &node.facts {
            names.push((
                format!("broker-{}", replica.broker),
                Where::Broker(replica.broker),
            ));
        }
        names.extend(node.task_manager.map(|number| {
            (
                format!("taskmanager-{}", number + 1),
                Where::TaskManager(number),
            )
        }));
    }
    names.sort();
    names.dedup();
    names
}
