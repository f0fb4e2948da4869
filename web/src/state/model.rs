//! The models that a person can open, each with the scenario it starts with.

use barrierscope_core::scenario::delivery::{DEFAULT_DELIVERY, DEFAULT_STREAMS, ModelName};
use barrierscope_core::scenario::votes::DEFAULT_VOTES;
use barrierscope_core::scenario::{KAFKA_TO_KAFKA, Scenario, ScenarioError, Story, StoryRef};

use super::Sight;

/// A model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Model {
    /// Kafka → Flink → Kafka.
    #[default]
    Pipeline,
    /// The same, where the output topic has brokers and the sink has producers.
    Sink,
    /// Producers, brokers, consumers.
    Delivery,
    /// Kafka Streams.
    Streams,
    /// Two-phase commit as the textbooks have it.
    Votes,
}

impl Model {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Pipeline,
        Self::Sink,
        Self::Delivery,
        Self::Streams,
        Self::Votes,
    ];

    /// The word for it in the address.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Pipeline => "pipeline",
            Self::Sink => "kafka-to-kafka",
            Self::Delivery => "delivery",
            Self::Streams => "streams",
            Self::Votes => "votes",
        }
    }

    /// The model of a scenario.
    pub const fn of(story: StoryRef<'_>) -> Self {
        match story {
            StoryRef::Pipeline(scenario) => match scenario.kafka {
                None => Self::Pipeline,
                Some(_) => Self::Sink,
            },
            StoryRef::Delivery(scenario) => match scenario.model {
                ModelName::Delivery => Self::Delivery,
                ModelName::Streams => Self::Streams,
            },
            StoryRef::Votes(_) => Self::Votes,
        }
    }

    /// The scenario that it starts with.
    ///
    /// # Errors
    /// None, as long as the scenarios that come with the program are whole.
    pub fn story(self) -> Result<Story, ScenarioError> {
        match self {
            Self::Pipeline => Scenario::default_story().map(Story::Pipeline),
            Self::Sink => Story::from_json(KAFKA_TO_KAFKA),
            Self::Delivery => Story::from_json(DEFAULT_DELIVERY),
            Self::Streams => Story::from_json(DEFAULT_STREAMS),
            Self::Votes => Story::from_json(DEFAULT_VOTES),
        }
    }

    /// Whether its runs are those of a Flink job.
    pub const fn is_job(self) -> bool {
        matches!(self, Self::Pipeline | Self::Sink)
    }

    /// The ways of looking at its runs.
    pub const fn sights(self) -> &'static [Sight] {
        match self {
            Self::Pipeline | Self::Sink => &[
                Sight::Watch,
                Sight::Checkpoints,
                Sight::Compare,
                Sight::FaultMatrix,
                Sight::Search,
                Sight::Claims,
                Sight::Editor,
                Sight::Lessons,
                Sight::Gallery,
            ],
            Self::Delivery => &[
                Sight::Watch,
                Sight::Compare,
                Sight::Guarantees,
                Sight::Search,
                Sight::Claims,
                Sight::Editor,
                Sight::Lessons,
                Sight::Gallery,
            ],
            // The table of guarantees is about a producer and a consumer.
            Self::Streams | Self::Votes => &[
                Sight::Watch,
                Sight::Compare,
                Sight::Search,
                Sight::Claims,
                Sight::Editor,
                Sight::Lessons,
                Sight::Gallery,
            ],
        }
    }
}
