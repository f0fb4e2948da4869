//! Whether a scenario is fit to be searched to the end, and a smaller or a safer one if there is.

use barrierscope_core::kafka::log::IsolationLevel;
use barrierscope_core::kafka::replicated_log::Acks;
use barrierscope_core::scenario::delivery::{ConsumerConfig, Effect, ProcessingGuarantee};
use barrierscope_core::scenario::{
    CheckpointingMode, DeliveryGuarantee, Scenario, ScenarioError, Story, StoryRef,
};

use crate::state::{Model, Subject};

/// What of a scenario makes its number of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Records; in two-phase commit there are none.
    pub records: u64,
    /// Subtasks, clients and brokers, participants: who may be ahead of whom.
    pub parts: u64,
    /// How many of each are searched to the end in a minute or so, as measured.
    pub most: (u64, u64),
}

impl Size {
    /// That of a scenario.
    pub fn of(story: StoryRef<'_>) -> Self {
        match story {
            StoryRef::Pipeline(scenario) => {
                let vertices = scenario.job.vertices.iter();
                let brokers = scenario.kafka.as_ref().map(|kafka| kafka.cluster.brokers);
                Self {
                    records: scenario.inputs.iter().map(|it| it.workload.len()).sum(),
                    parts: vertices.map(|it| u64::from(it.parallelism)).sum::<u64>()
                        + u64::from(brokers.unwrap_or(0)),
                    most: match brokers {
                        None => (4, 6),
                        Some(_) => (2, 4),
                    },
                }
            }
            StoryRef::Delivery(scenario) => {
                let clients = scenario.producers.len()
                    + scenario.consumers.len()
                    + 2 * scenario.streams.len();
                Self {
                    records: scenario.records(),
                    parts: clients as u64 + u64::from(scenario.cluster.brokers),
                    most: (2, 4),
                }
            }
            StoryRef::Votes(scenario) => Self {
                records: 0,
                parts: scenario.participants.len() as u64,
                most: (0, 2),
            },
        }
    }

    /// Whether a search will not come to an end in the page.
    pub const fn is_too_large(&self) -> bool {
        self.records > self.most.0 || self.parts > self.most.1
    }
}

/// The small scenarios of the models, for searches.
const SMALL: [&str; 5] = [
    include_str!("../../../../scenarios/small/pipeline.json"),
    include_str!("../../../../scenarios/small/kafka-to-kafka.json"),
    include_str!("../../../../scenarios/small/delivery.json"),
    include_str!("../../../../scenarios/small/streams.json"),
    include_str!("../../../../scenarios/small/votes.json"),
];

/// The small scenario of a model, with the settings of the one that is open on which its promises depend.
///
/// # Errors
/// None, as long as the scenarios that come with the program are whole.
pub fn small(open: StoryRef<'_>) -> Result<Story, ScenarioError> {
    let model = Model::of(open);
    let at = Model::ALL.iter().position(|it| *it == model);
    let mut story = Story::from_json(SMALL[at.unwrap_or(0)])?;
    let bare = story.clone();
    match (&mut story, open) {
        (Story::Pipeline(small), StoryRef::Pipeline(open)) => {
            if let (Some(sink), Some(guarantee)) = (small.sink_mut(), open.delivery_guarantee()) {
                *sink = guarantee;
            }
            small.checkpointing.mode = open.checkpointing.mode;
            small.checkpointing.unaligned = open.checkpointing.unaligned;
            small.checkpointing.aligned_timeout_ms = open.checkpointing.aligned_timeout_ms;
            small.reader.isolation_level = open.reader.isolation_level;
        }
        (Story::Delivery(small), StoryRef::Delivery(open)) => {
            for (small, open) in small.producers.iter_mut().zip(&open.producers) {
                small.config = open.config.clone();
                small.client = open.client;
            }
            for (small, open) in small.consumers.iter_mut().zip(&open.consumers) {
                small.config = ConsumerConfig {
                    // A group that forms anew at any moment never comes to an end.
                    max_poll_interval: small.config.max_poll_interval,
                    session_timeout: small.config.session_timeout,
                    ..open.config.clone()
                };
                small.client = open.client;
                (small.commit, small.effect) = (open.commit, open.effect);
            }
            for (small, open) in small.streams.iter_mut().zip(&open.streams) {
                small.config.guarantee = open.config.guarantee;
            }
        }
        (Story::Votes(small), StoryRef::Votes(open)) => {
            small.protocol = open.protocol.clone();
        }
        _ => {}
    }
    // Settings that make no sense in the small one are left as they are there.
    Ok(match barrierscope_core::start(story.clone()) {
        Ok(_) => story,
        Err(_) => bare,
    })
}

/// The scenario with what keeps its promise: the fix of a report, or the settings that promise exactly once. None where
/// it has them, or where there are none.
pub fn fixed(story: &Story, subject: Option<Subject>) -> Option<Story> {
    if let Some(report) = subject.and_then(Subject::report)
        && report.report().has_fix()
    {
        let fixed = (!report.fixed).then(|| report.with_fix(true).story().ok());
        return fixed.flatten();
    }
    let mut safe = story.clone();
    match &mut safe {
        Story::Pipeline(scenario) => make_safe(scenario),
        Story::Delivery(scenario) => {
            for producer in &mut scenario.producers {
                let config = &mut producer.config;
                (config.acks, config.idempotence) = (Some(Acks::All), Some(true));
                if config.retries == Some(0) {
                    config.retries = None;
                }
                if config.max_in_flight.is_some_and(|most| most > 5) {
                    config.max_in_flight = None;
                }
            }
            for consumer in &mut scenario.consumers {
                consumer.effect = Effect::WithOffset;
            }
            for app in &mut scenario.streams {
                app.config.guarantee = ProcessingGuarantee::ExactlyOnceV2;
            }
        }
        Story::Votes(_) => return None,
    }
    (safe != *story && barrierscope_core::start(safe.clone()).is_ok()).then_some(safe)
}

fn make_safe(scenario: &mut Scenario) {
    if let Some(sink) = scenario.sink_mut() {
        *sink = DeliveryGuarantee::ExactlyOnce;
    }
    scenario.checkpointing.mode = CheckpointingMode::ExactlyOnce;
    scenario.reader.isolation_level = IsolationLevel::ReadCommitted;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Reported;

    #[test]
    fn every_model_has_a_small_scenario_that_is_fit_and_keeps_its_settings() {
        for model in Model::ALL {
            let open = model.story().unwrap();
            let small = small(open.as_ref()).unwrap();
            assert_eq!(Model::of(small.as_ref()), model);
            assert!(!Size::of(small.as_ref()).is_too_large(), "{model:?}");
            if let (Some(open), Some(small)) = (open.as_ref().pipeline(), small.as_ref().pipeline())
            {
                assert_eq!(open.delivery_guarantee(), small.delivery_guarantee());
            }
        }
    }

    #[test]
    fn the_default_story_is_too_large() {
        let size = Size::of(Model::Pipeline.story().unwrap().as_ref());
        assert_eq!((size.records, size.is_too_large()), (190, true));
    }

    #[test]
    fn a_fix_is_there_where_something_is_to_be_fixed() {
        let story = Model::Pipeline.story().unwrap();
        let safe = fixed(&story, None).expect("its sink writes at least once");
        assert_eq!(fixed(&safe, None), None);
        let delivery = Model::Delivery.story().unwrap();
        let safe = fixed(&delivery, None).expect("its producer is not idempotent");
        assert_eq!(fixed(&safe, None), None);
        assert_eq!(fixed(&Model::Votes.story().unwrap(), None), None);
        let report = Reported::of("KP03").expect("it is there");
        let story = report.story().unwrap();
        let subject = Some(Subject::Report(report));
        let with = report.with_fix(true);
        assert_eq!(fixed(&story, subject), with.story().ok());
        let subject = Some(Subject::Report(with));
        assert_eq!(fixed(&with.story().unwrap(), subject), None);
    }
}
