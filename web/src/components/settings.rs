//! The settings of the scenario.

use barrierscope_core::kafka::log::IsolationLevel;
use barrierscope_core::scenario::{
    CheckpointingMode, DeliveryGuarantee, Failover, Operator, Scenario, Story,
};
use yew::{Callback, Html, MouseEvent, Properties, component, html, use_state_eq};

use super::knob::{ChoiceKnob, Context, NumberKnob, Refused, WordKnob, decimal, micros, millis};
use super::options::Options;
use super::tickets::tickets;
use crate::state::{Action, Knob};
use crate::text::{Label, Lang, label};

/// What the settings depend on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// The scenario.
    pub scenario: Scenario,
    /// The language.
    pub lang: Lang,
    /// The setting that was refused last, and why.
    pub refused: Option<Refused>,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The settings that are only shown when somebody asks for more.
const MORE: [&str; 7] = [
    "checkpointing.after_tasks_finish",
    "checkpointing.timeout_ms",
    "checkpointing.max_concurrent",
    "checkpointing.min_pause_ms",
    "checkpointing.tolerable_failures",
    "restart.failover",
    "restart.attempts",
];

/// The settings.
#[component]
pub fn Settings(props: &Props) -> Html {
    let wants_more = use_state_eq(|| false);
    let toggle = {
        let wants_more = wants_more.clone();
        Callback::from(move |_: MouseEvent| wants_more.set(!*wants_more))
    };
    let refused = props.refused.as_ref();
    // What was refused is in sight, so that one sees why.
    let has_more =
        *wants_more || refused.is_some_and(|refused| MORE.contains(&refused.field.as_ref()));
    let context = Context {
        lang: props.lang,
        refused,
        on: &props.on,
    };
    let (lang, scenario) = (props.lang, &props.scenario);
    html! {
        <>
            { sink_and_reader(lang, scenario, context) }
            if scenario.kafka.is_some() {
                <Options
                    story={Story::Pipeline(scenario.clone())}
                    {lang}
                    refused={props.refused.clone()}
                    on={props.on.clone()}
                />
                { tickets(lang, scenario, &props.on) }
            }
            { checkpointing(lang, scenario, context) }
            <button
                class="link more"
                aria-expanded={has_more.to_string()}
                onclick={toggle}
                data-testid="more-knobs"
            >
                { label(lang, if has_more { Label::FewerKnobs } else { Label::MoreKnobs }) }
                { if has_more { " ▾" } else { " ▸" } }
            </button>
            if has_more {
                { more(lang, scenario, context) }
            }
            { flow(lang, scenario, context) }
            <h2>{ label(lang, Label::Chance) }</h2>
            { NumberKnob {
                name: label(lang, Label::SeedName),
                hint: label(lang, Label::Seed),
                unit: "",
                value: scenario.seed.to_string(),
                least: 0,
                step: 1,
                knob: |text| text.parse().ok().map(Knob::Seed),
            }.show(context) }
        </>
    }
}

fn sink_and_reader(lang: Lang, scenario: &Scenario, context: Context<'_>) -> Html {
    html! {
        <>
            <h2>{ label(lang, Label::SinkSection) }</h2>
            { ChoiceKnob {
                name: label(lang, Label::BrokersName),
                hint: label(lang, Label::BrokersSwitch),
                options: ["off", "on"],
                second: scenario.kafka.is_some(),
                knob: Knob::Brokers,
            }.show(context) }
            if let Some(chosen) = scenario.delivery_guarantee() {
                { guarantee(lang, scenario, chosen, context) }
            }
            { ChoiceKnob {
                name: "isolation.level",
                hint: label(lang, Label::Isolation),
                options: ["read_committed", "read_uncommitted"],
                second: scenario.reader.isolation_level == IsolationLevel::ReadUncommitted,
                knob: |uncommitted| Knob::Isolation(if uncommitted {
                    IsolationLevel::ReadUncommitted
                } else {
                    IsolationLevel::ReadCommitted
                }),
            }.show(context) }
        </>
    }
}

/// What the sink promises. Without brokers there is nothing that `none` could lose.
fn guarantee(
    lang: Lang,
    scenario: &Scenario,
    chosen: DeliveryGuarantee,
    context: Context<'_>,
) -> Html {
    const ALL: [(DeliveryGuarantee, &str); 3] = [
        (DeliveryGuarantee::AtLeastOnce, "at-least-once"),
        (DeliveryGuarantee::ExactlyOnce, "exactly-once"),
        (DeliveryGuarantee::None, "none"),
    ];
    let count = if scenario.kafka.is_some() { 3 } else { 2 };
    WordKnob {
        name: "sink.delivery-guarantee",
        hint: label(
            lang,
            if scenario.kafka.is_some() {
                Label::GuaranteeOnBrokers
            } else {
                Label::Guarantee
            },
        ),
        options: ALL.iter().take(count).map(|(_, word)| *word).collect(),
        chosen: (ALL.iter())
            .position(|(known, _)| *known == chosen)
            .unwrap_or(0),
        knob: |at| {
            Knob::Guarantee(
                ALL.get(at)
                    .map_or(DeliveryGuarantee::AtLeastOnce, |it| it.0),
            )
        },
    }
    .show(context)
}

/// How often checkpoints are taken, and what their barriers do.
fn checkpointing(lang: Lang, scenario: &Scenario, context: Context<'_>) -> Html {
    let checkpointing = &scenario.checkpointing;
    let exactly_once = checkpointing.mode == CheckpointingMode::ExactlyOnce;
    html! {
        <>
            <h2>{ label(lang, Label::Checkpointing) }</h2>
            { ChoiceKnob {
                name: "execution.checkpointing.mode",
                hint: label(lang, Label::Mode),
                options: ["EXACTLY_ONCE", "AT_LEAST_ONCE"],
                second: !exactly_once,
                knob: |at_least| Knob::Mode(if at_least {
                    CheckpointingMode::AtLeastOnce
                } else {
                    CheckpointingMode::ExactlyOnce
                }),
            }.show(context) }
            if exactly_once {
                { ChoiceKnob {
                    name: "execution.checkpointing.unaligned.enabled",
                    hint: label(lang, Label::Unaligned),
                    options: ["false", "true"],
                    second: checkpointing.unaligned,
                    knob: Knob::Unaligned,
                }.show(context) }
            }
            if checkpointing.unaligned {
                { NumberKnob {
                    name: "execution.checkpointing.aligned-checkpoint-timeout",
                    hint: label(lang, Label::AlignedTimeout),
                    unit: "ms",
                    value: checkpointing.aligned_timeout_ms.0.to_string(),
                    least: 0,
                    step: 100,
                    knob: |text| millis(text).map(Knob::AlignedTimeout),
                }.show(context) }
            }
            { NumberKnob {
                name: "execution.checkpointing.interval",
                hint: label(lang, Label::Interval),
                unit: "ms",
                value: checkpointing.interval_ms.0.to_string(),
                least: 1,
                step: 100,
                knob: |text| millis(text).map(Knob::Interval),
            }.show(context) }
        </>
    }
}

/// What most people leave as it is.
fn more(lang: Lang, scenario: &Scenario, context: Context<'_>) -> Html {
    let (checkpointing, restart) = (&scenario.checkpointing, &scenario.restart);
    html! {
        <>
            { NumberKnob {
                name: "execution.checkpointing.timeout",
                hint: label(lang, Label::CheckpointTimeout),
                unit: "ms",
                value: checkpointing.timeout_ms.0.to_string(),
                least: 0,
                step: 100,
                knob: |text| millis(text).map(Knob::CheckpointTimeout),
            }.show(context) }
            { NumberKnob {
                name: "execution.checkpointing.max-concurrent-checkpoints",
                hint: label(lang, Label::MaxConcurrent),
                unit: "",
                value: checkpointing.max_concurrent.to_string(),
                least: 1,
                step: 1,
                knob: |text| text.parse().ok().map(Knob::MaxConcurrent),
            }.show(context) }
            { NumberKnob {
                name: "execution.checkpointing.min-pause",
                hint: label(lang, Label::MinPause),
                unit: "ms",
                value: checkpointing.min_pause_ms.0.to_string(),
                least: 0,
                step: 100,
                knob: |text| millis(text).map(Knob::MinPause),
            }.show(context) }
            { NumberKnob {
                name: "execution.checkpointing.tolerable-failed-checkpoints",
                hint: label(lang, Label::TolerableFailures),
                unit: "",
                value: checkpointing.tolerable_failures.to_string(),
                least: 0,
                step: 1,
                knob: |text| text.parse().ok().map(Knob::TolerableFailures),
            }.show(context) }
            { ChoiceKnob {
                name: "execution.checkpointing.checkpoints-after-tasks-finish",
                hint: label(lang, Label::AfterTasksFinish),
                options: ["true", "false"],
                second: !checkpointing.after_tasks_finish,
                knob: |off| Knob::AfterTasksFinish(!off),
            }.show(context) }
            { ChoiceKnob {
                name: "jobmanager.execution.failover-strategy",
                hint: label(lang, Label::Failover),
                options: ["region", "full"],
                second: restart.failover == Failover::Full,
                knob: |full| Knob::Failover(if full { Failover::Full } else { Failover::Region }),
            }.show(context) }
            { NumberKnob {
                name: "restart-strategy.fixed-delay.attempts",
                hint: label(lang, Label::Attempts),
                unit: "",
                value: restart.attempts.map_or(String::new(), |attempts| attempts.to_string()),
                least: 0,
                step: 1,
                knob: |text| if text.is_empty() {
                    Some(Knob::Attempts(None))
                } else {
                    text.parse().ok().map(|attempts| Knob::Attempts(Some(attempts)))
                },
            }.show(context) }
        </>
    }
}

/// How fast records come and go, and how much room there is for them.
fn flow(lang: Lang, scenario: &Scenario, context: Context<'_>) -> Html {
    let operators = || scenario.job.vertices.iter().map(|vertex| &vertex.operator);
    let source = operators().find_map(|operator| match operator {
        Operator::Source { interval_ms, .. } => Some(*interval_ms),
        _ => None,
    });
    let sum = operators().find_map(|operator| match operator {
        Operator::Sum { cost_ms } => Some(*cost_ms),
        _ => None,
    });
    html! {
        <>
            <h2>{ label(lang, Label::Flow) }</h2>
            if scenario.network.is_none() {
                { NumberKnob {
                    name: label(lang, Label::BuffersName),
                    hint: label(lang, Label::Buffers),
                    unit: "",
                    value: scenario.costs.buffers_per_channel.to_string(),
                    least: 1,
                    step: 1,
                    knob: |text| text.parse().ok().map(Knob::Buffers),
                }.show(context) }
            }
            if let Some(interval) = source {
                { NumberKnob {
                    name: label(lang, Label::SourceIntervalName),
                    hint: label(lang, Label::SourceInterval),
                    unit: "ms",
                    value: interval.0.to_string(),
                    least: 1,
                    step: 10,
                    knob: |text| millis(text).map(Knob::SourceInterval),
                }.show(context) }
            }
            if let Some(cost) = sum {
                { NumberKnob {
                    name: label(lang, Label::SumCostName),
                    hint: label(lang, Label::SumCost),
                    unit: "ms",
                    value: decimal(cost),
                    least: 0,
                    step: 10,
                    knob: |text| micros(text).map(Knob::SumCost),
                }.show(context) }
            }
            { NumberKnob {
                name: "restart-strategy.fixed-delay.delay",
                hint: label(lang, Label::RestartDelay),
                unit: "ms",
                value: scenario.costs.restart_ms.0.to_string(),
                least: 0,
                step: 100,
                knob: |text| millis(text).map(Knob::RestartDelay),
            }.show(context) }
        </>
    }
}
