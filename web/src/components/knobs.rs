//! The panel on the left: what can be set, and what can be broken.

use std::rc::Rc;

use barrierscope_core::kafka::log::IsolationLevel;
use barrierscope_core::scenario::{
    CheckpointingMode, Dataset, DeliveryGuarantee, Fault, Operator, Scenario, Workload,
};
use barrierscope_core::time::Millis;
use web_sys::{Event, HtmlInputElement, HtmlSelectElement};
use yew::{Callback, Html, MouseEvent, Properties, TargetCast, classes, component, html};

use crate::browser::read_file;
use crate::state::{Action, Knob, View, is_subtask};
use crate::text::{self, Label, Lang, label, number};

/// What the panel depends on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// What is shown.
    pub view: Rc<View>,
    /// The language.
    pub lang: Lang,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The panel on the left.
#[component]
pub fn Knobs(props: &Props) -> Html {
    let lang = props.lang;
    let scenario = props.view.run.with(|session| session.scenario().clone());
    let credit = credit(lang, &scenario);
    html! {
        <aside class="knobs panel" aria-label={label(lang, Label::Knobs)}>
            { faults(props) }
            <Settings {scenario} {lang} on={props.on.clone()} />
            { open_scenario(lang, credit, &props.on) }
        </aside>
    }
}

/// What the settings depend on.
#[derive(Properties, Clone, PartialEq)]
pub struct SettingsProps {
    /// The scenario.
    pub scenario: Scenario,
    /// The language.
    pub lang: Lang,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The settings.
#[component]
pub fn Settings(props: &SettingsProps) -> Html {
    let (lang, scenario, on) = (props.lang, &props.scenario, &props.on);
    let word = |text| label(lang, text);
    let source = scenario
        .job
        .vertices
        .iter()
        .find_map(|vertex| match &vertex.operator {
            Operator::Source { interval_ms, .. } => Some(*interval_ms),
            _ => None,
        });
    let sum = scenario
        .job
        .vertices
        .iter()
        .find_map(|vertex| match &vertex.operator {
            Operator::Sum { cost_ms } => Some(*cost_ms),
            _ => None,
        });
    let reader = [
        IsolationLevel::ReadCommitted,
        IsolationLevel::ReadUncommitted,
    ];
    let promise = [
        DeliveryGuarantee::AtLeastOnce,
        DeliveryGuarantee::ExactlyOnce,
    ];
    let chosen = scenario.delivery_guarantee();
    html! {
        <>
            <h2>{ word(Label::SinkSection) }</h2>
            if let Some(chosen) = chosen {
                { ChoiceKnob {
                    name: "sink.delivery-guarantee",
                    hint: word(Label::Guarantee),
                    options: ["at-least-once", "exactly-once"],
                    chosen: usize::from(chosen == promise[1]),
                    on: set(on, move |side: usize| Knob::Guarantee(promise[side.min(1)])),
                }.show() }
            }
            { ChoiceKnob {
                name: "isolation.level",
                hint: word(Label::Isolation),
                options: ["read_committed", "read_uncommitted"],
                chosen: usize::from(scenario.reader.isolation_level == reader[1]),
                on: set(on, move |side: usize| Knob::Isolation(reader[side.min(1)])),
            }.show() }
            <h2>{ word(Label::Checkpointing) }</h2>
            { barriers(lang, scenario, on) }
            { NumberKnob {
                name: "execution.checkpointing.interval",
                hint: word(Label::Interval),
                unit: "ms",
                value: scenario.checkpointing.interval_ms.0.into(),
                least: 1,
                step: 100,
                on: set(on, |ms| Knob::Interval(millis(ms))),
            }.show() }
            <h2>{ word(Label::Flow) }</h2>
            { NumberKnob {
                name: word(Label::BuffersName),
                hint: word(Label::Buffers),
                unit: "",
                value: scenario.costs.buffers_per_channel.into(),
                least: 1,
                step: 1,
                on: set(on, |count| Knob::Buffers(u32::try_from(count).unwrap_or(u32::MAX))),
            }.show() }
            if let Some(interval) = source {
                { NumberKnob {
                    name: word(Label::SourceIntervalName),
                    hint: word(Label::SourceInterval),
                    unit: "ms",
                    value: interval.0.into(),
                    least: 1,
                    step: 10,
                    on: set(on, |ms| Knob::SourceInterval(millis(ms))),
                }.show() }
            }
            if let Some(cost) = sum {
                { NumberKnob {
                    name: word(Label::SumCostName),
                    hint: word(Label::SumCost),
                    unit: "ms",
                    value: cost.0.into(),
                    least: 0,
                    step: 10,
                    on: set(on, |ms| Knob::SumCost(millis(ms))),
                }.show() }
            }
            { NumberKnob {
                name: "restart-strategy.fixed-delay.delay",
                hint: word(Label::RestartDelay),
                unit: "ms",
                value: scenario.costs.restart_ms.0.into(),
                least: 0,
                step: 100,
                on: set(on, |ms| Knob::RestartDelay(millis(ms))),
            }.show() }
            <h2>{ word(Label::Chance) }</h2>
            { NumberKnob {
                name: word(Label::SeedName),
                hint: word(Label::Seed),
                unit: "",
                value: scenario.seed,
                least: 0,
                step: 1,
                on: set(on, Knob::Seed),
            }.show() }
        </>
    }
}

/// What barriers do.
fn barriers(lang: Lang, scenario: &Scenario, on: &Callback<Action>) -> Html {
    let word = |text| label(lang, text);
    let checkpointing = &scenario.checkpointing;
    let modes = [
        CheckpointingMode::ExactlyOnce,
        CheckpointingMode::AtLeastOnce,
    ];
    let exactly_once = checkpointing.mode == modes[0];
    html! {
        <>
            { ChoiceKnob {
                name: "execution.checkpointing.mode",
                hint: word(Label::Mode),
                options: ["EXACTLY_ONCE", "AT_LEAST_ONCE"],
                chosen: usize::from(!exactly_once),
                on: set(on, move |side: usize| Knob::Mode(modes[side.min(1)])),
            }.show() }
            if exactly_once {
                { ChoiceKnob {
                    name: "execution.checkpointing.unaligned.enabled",
                    hint: word(Label::Unaligned),
                    options: ["false", "true"],
                    chosen: usize::from(checkpointing.unaligned),
                    on: set(on, |side: usize| Knob::Unaligned(side == 1)),
                }.show() }
            }
            if checkpointing.unaligned {
                { NumberKnob {
                    name: "execution.checkpointing.aligned-checkpoint-timeout",
                    hint: word(Label::AlignedTimeout),
                    unit: "ms",
                    value: checkpointing.aligned_timeout_ms.0.into(),
                    least: 0,
                    step: 100,
                    on: set(on, |ms| Knob::AlignedTimeout(millis(ms))),
                }.show() }
            }
        </>
    }
}

fn set<T: 'static>(on: &Callback<Action>, knob: impl Fn(T) -> Knob + 'static) -> Callback<T> {
    on.reform(move |value| Action::Set(knob(value)))
}

fn millis(value: u64) -> Millis {
    Millis(u32::try_from(value).unwrap_or(u32::MAX))
}

/// A setting that is a number.
struct NumberKnob {
    /// The option's own name.
    name: &'static str,
    /// What it does, in one sentence.
    hint: &'static str,
    /// Its unit.
    unit: &'static str,
    /// Its value.
    value: u64,
    /// The least that makes sense.
    least: u64,
    /// By how much the arrows change it.
    step: u64,
    /// What to do with another value.
    on: Callback<u64>,
}

impl NumberKnob {
    fn show(&self) -> Html {
        let change = {
            let (on, old) = (self.on.clone(), self.value);
            Callback::from(move |event: Event| {
                let input: HtmlInputElement = event.target_unchecked_into();
                match input.value().trim().parse() {
                    Ok(value) => on.emit(value),
                    // The browser says what is wrong with it; what holds stands there again afterwards.
                    Err(_) => {
                        input.report_validity();
                        input.set_value(&old.to_string());
                    }
                }
            })
        };
        html! {
            <label class="knob">
                <span class="knob-name">{ self.name }</span>
                <span class="field">
                    <input
                        type="number"
                        min={self.least.to_string()}
                        step={self.step.to_string()}
                        value={self.value.to_string()}
                        onchange={change}
                    />
                    <span class="unit">{ self.unit }</span>
                </span>
                <span class="hint">{ self.hint }</span>
            </label>
        }
    }
}

/// A setting that is one of two words.
struct ChoiceKnob {
    /// The option's own name.
    name: &'static str,
    /// What it does, in one sentence.
    hint: &'static str,
    /// The words.
    options: [&'static str; 2],
    /// Which of them is in force.
    chosen: usize,
    /// What to do with the other one.
    on: Callback<usize>,
}

impl ChoiceKnob {
    fn show(&self) -> Html {
        let change = self.on.reform(|event: Event| {
            let select: HtmlSelectElement = event.target_unchecked_into();
            usize::try_from(select.selected_index()).unwrap_or(0)
        });
        html! {
            <label class="knob">
                <span class="knob-name">{ self.name }</span>
                <span class="field">
                    <select onchange={change}>
                        for (at, option) in self.options.into_iter().enumerate() {
                            <option value={option} selected={at == self.chosen}>{ option }</option>
                        }
                    </select>
                </span>
                <span class="hint">{ self.hint }</span>
            </label>
        }
    }
}

/// What can be broken.
fn faults(props: &Props) -> Html {
    let (lang, on, view) = (props.lang, &props.on, &props.view);
    let story = barrierscope_core::scenario::Scenario::default_story()
        .map(|story| story.faults.schedule)
        .unwrap_or_default();
    let (planned, is_story) = view.run.with(|session| {
        let scenario = session.scenario();
        let is_story = credit(lang, scenario).is_some();
        (scenario.faults.schedule.clone(), is_story)
    });
    let is_up = view.subtasks().any(|node| view.crash_of(node.id).is_some());
    html! {
        <>
            <h2>{ label(lang, Label::Break) }</h2>
            <div class="crashes">
                for node in view.scene.nodes.iter().filter(|node| is_subtask(node)) {
                    { crash(props, node) }
                }
            </div>
            <p class="hint">{ label(lang, if is_up { Label::BreakHint } else { Label::CannotCrash }) }</p>
            if is_story && !story.is_empty() && story.iter().all(|fault| fits(fault, view)) {
                <label class="tick">
                    <input
                        type="checkbox"
                        checked={planned == story}
                        onchange={{
                            let story = story.clone();
                            on.reform(move |event: Event| {
                                let input: HtmlInputElement = event.target_unchecked_into();
                                let schedule = if input.checked() { story.clone() } else { Vec::new() };
                                Action::Set(Knob::Schedule(schedule))
                            })
                        }}
                    />
                    <span>
                        { label(lang, Label::StoryCrash) }
                        <span class="hint">{ plan(lang, &story) }</span>
                    </span>
                </label>
            }
        </>
    }
}

/// Whether the subtask that a planned fault names exists on this stage.
fn fits(fault: &Fault, view: &View) -> bool {
    view.subtasks().any(|node| subtask(node) == fault.crash)
}

/// A subtask as scenarios write it: `total[1]`.
fn subtask(node: &barrierscope_core::scene::Node) -> String {
    match node.place {
        barrierscope_core::scene::Place::Flow { .. } => format!("{}[{}]", node.name, node.number),
        _ => node.name.clone(),
    }
}

fn plan(lang: Lang, schedule: &[Fault]) -> String {
    let all: Vec<String> = schedule
        .iter()
        .map(|fault| {
            let (who, at) = (&fault.crash, number(fault.at_ms.0.into()));
            match lang {
                Lang::En => format!("{who} at {at} ms"),
                Lang::Zh => format!("{at} ms 时 {who}"),
            }
        })
        .collect();
    all.join(", ")
}

fn crash(props: &Props, node: &barrierscope_core::scene::Node) -> Html {
    let id = node.id;
    let name = text::name(props.lang, node);
    let can = props.view.crash_of(id).is_some();
    let what = match props.lang {
        Lang::En => format!("crash {name}"),
        Lang::Zh => format!("使 {name} 崩溃"),
    };
    html! {
        <button
            key={id.index()}
            class={classes!("fault")}
            disabled={!can}
            title={what.clone()}
            aria-label={what}
            data-testid={format!("crash-{}", subtask(node))}
            onclick={props.on.reform(move |_: MouseEvent| Action::Crash(id))}
        >
            { name }
        </button>
    }
}

/// Whom the data comes from, where it is not the scenario's own.
fn credit(lang: Lang, scenario: &Scenario) -> Option<&'static str> {
    let mut workloads = scenario.inputs.iter().map(|input| &input.workload);
    workloads.find_map(|workload| match workload {
        Workload::Dataset(Dataset::Confirmed20200414) => Some(label(lang, Label::Credit)),
        Workload::Records(_) | Workload::Numbered { .. } => None,
    })
}

/// The button that opens a scenario from a file: a label, so that the browser's own file button does it.
fn open_scenario(lang: Lang, credit: Option<&'static str>, on: &Callback<Action>) -> Html {
    let on = on.clone();
    let read = Callback::from(move |event: Event| {
        let input: HtmlInputElement = event.target_unchecked_into();
        if let Some(file) = input.files().and_then(|files| files.get(0)) {
            read_file(file, on.clone());
        }
        // So that the same file can be chosen again.
        input.set_value("");
    });
    html! {
        <div class="open-scenario">
            <label class="file">
                { label(lang, Label::OpenScenario) }
                <input
                    class="unseen"
                    type="file"
                    accept=".json,application/json"
                    onchange={read}
                    data-testid="scenario-file"
                />
            </label>
            <p class="hint">{ label(lang, Label::OpenHint) }</p>
            if let Some(credit) = credit {
                <p class="hint credit">{ credit }</p>
            }
        </div>
    }
}
