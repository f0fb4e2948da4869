//! The form for a pipeline: topics and their records, operators, edges, faults.

use std::rc::Rc;

use barrierscope_core::scenario::{
    DeliveryGuarantee, Operator, Partitioning, Scenario, Vertex, Workload,
};
use web_sys::{Event, HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement};
use yew::{
    AttrValue, Callback, Html, InputEvent, MouseEvent, Properties, TargetCast, component, html,
    use_state,
};

use crate::state::draft::{Change, FaultKind, Kind, Source};
use crate::state::{Action, Stroke};
use crate::text::{self, Label, Lang, label};

/// What the form depends on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// The language.
    pub lang: Lang,
    /// The scenario, as far as it can be read.
    pub scenario: Rc<Scenario>,
    /// The field that is wrong, and why.
    pub flaw: Option<(String, String)>,
    /// Where actions go.
    pub on: Callback<Action>,
}

impl Props {
    fn change(&self, change: Change) -> Callback<MouseEvent> {
        let on = self.on.clone();
        Callback::from(move |_| on.emit(Action::Draft(Stroke::Change(change.clone()))))
    }

    /// Whether a field is what is wrong.
    fn is_wrong(&self, path: &str) -> bool {
        self.flaw.as_ref().is_some_and(|(field, _)| field == path)
    }

    /// Why something is wrong in a part, if something is.
    fn reason(&self, part: &str) -> Html {
        let reason = self.flaw.as_ref().filter(|(field, _)| {
            let rest = field.strip_prefix(part);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        });
        match reason {
            Some((_, reason)) => html! {
                <p class="form-wrong">{ text::original(self.lang, reason) }</p>
            },
            None => html! {},
        }
    }

    /// A field for a word or a number.
    fn input(
        &self,
        path: &str,
        name: Label,
        kind: &'static str,
        value: String,
        make: impl Fn(String) -> Option<Change> + 'static,
    ) -> Html {
        let on = self.on.clone();
        let take = Callback::from(move |input: HtmlInputElement| {
            if let Some(change) = make(input.value()) {
                on.emit(Action::Draft(Stroke::Change(change)));
            }
        });
        // A number with decimals is none yet while it is typed.
        let is_whole = !path.ends_with("cost_ms");
        let oninput =
            is_whole.then(|| take.reform(|event: InputEvent| event.target_unchecked_into()));
        let onchange = take.reform(|event: Event| event.target_unchecked_into());
        html! {
            <label class="form-field">
                <span>{ label(self.lang, name) }</span>
                <input
                    type={kind}
                    min={(kind == "number").then_some("0")}
                    step={(kind == "number").then_some("any")}
                    {value}
                    {oninput}
                    {onchange}
                    aria-invalid={self.is_wrong(path).to_string()}
                    data-testid={format!("form-{path}")}
                />
            </label>
        }
    }

    /// A field with words to choose from.
    fn select(
        &self,
        path: &str,
        name: Label,
        words: &[(AttrValue, AttrValue)],
        chosen: &str,
        make: impl Fn(String) -> Option<Change> + 'static,
    ) -> Html {
        let on = self.on.clone();
        let onchange = Callback::from(move |event: Event| {
            let input: HtmlSelectElement = event.target_unchecked_into();
            if let Some(change) = make(input.value()) {
                on.emit(Action::Draft(Stroke::Change(change)));
            }
        });
        html! {
            <label class="form-field">
                <span>{ label(self.lang, name) }</span>
                <select {onchange} aria-invalid={self.is_wrong(path).to_string()} data-testid={format!("form-{path}")}>
                    if !words.iter().any(|(code, _)| code == chosen) {
                        <option value={chosen.to_owned()} selected=true>{ chosen.to_owned() }</option>
                    }
                    for (code, word) in words.iter().cloned() {
                        <option value={code.clone()} selected={code == chosen}>{ word }</option>
                    }
                </select>
            </label>
        }
    }

    fn remove(&self, path: &str, what: &str, change: Change) -> Html {
        let name = format!("{}: {what}", label(self.lang, Label::Remove));
        html! {
            <button class="quiet form-remove" onclick={self.change(change)} aria-label={name.clone()} title={name} data-testid={format!("remove-{path}")}>
                { "✕" }
            </button>
        }
    }
}

fn plain(words: &[&'static str]) -> Vec<(AttrValue, AttrValue)> {
    words
        .iter()
        .map(|word| (AttrValue::from(*word), AttrValue::from(*word)))
        .collect()
}

fn number<T: std::str::FromStr>(text: &str) -> Option<T> {
    text.trim().parse().ok()
}

/// The form.
#[component]
pub fn EditorForm(props: &Props) -> Html {
    let (lang, scenario) = (props.lang, &props.scenario);
    let kind = use_state(|| Kind::Map);
    let ends = use_state(|| (String::new(), String::new()));
    let pick = {
        let kind = kind.clone();
        Callback::from(move |event: Event| {
            let code = event.target_unchecked_into::<HtmlSelectElement>().value();
            if let Some(chosen) = Kind::ALL.into_iter().find(|it| it.code() == code) {
                kind.set(chosen);
            }
        })
    };
    html! {
        <div class="editor-form">
            { props.input("name", Label::FormName, "text", scenario.name.clone(), |name| Some(Change::Name(name))) }
            <h3>{ label(lang, Label::FormTopics) }</h3>
            for at in 0..scenario.inputs.len() {
                { topic(props, at) }
            }
            <button onclick={props.change(Change::AddTopic)} data-testid="add-topic">{ label(lang, Label::AddTopic) }</button>
            <h3>{ label(lang, Label::FormOperators) }</h3>
            for (at, vertex) in scenario.job.vertices.iter().enumerate() {
                { operator(props, at, vertex) }
            }
            <div class="form-row">
                <select aria-label={label(lang, Label::OperatorKind)} onchange={pick} data-testid="operator-kind">
                    for each in Kind::ALL {
                        <option value={each.code()} selected={each == *kind}>{ each.code() }</option>
                    }
                </select>
                <button onclick={props.change(Change::AddOperator(*kind))} data-testid="add-operator">
                    { label(lang, Label::AddOperator) }
                </button>
            </div>
            <h3>{ label(lang, Label::FormEdges) }</h3>
            for at in 0..scenario.job.edges.len() {
                { edge(props, at) }
            }
            { new_edge(props, &ends) }
            { props.reason("job.edges") }
            <h3>{ label(lang, Label::FormFaults) }</h3>
            for at in 0..scenario.faults.schedule.len() {
                { fault(props, at) }
            }
            <button onclick={props.change(Change::AddFault)} data-testid="add-fault">{ label(lang, Label::AddFault) }</button>
        </div>
    }
}

/// A topic, and its records.
fn topic(props: &Props, at: usize) -> Html {
    let Some(input) = props.scenario.inputs.get(at) else {
        return html! {};
    };
    let path = format!("inputs[{at}]");
    let lang = props.lang;
    let listed = move |text: &str| Change::Records(at, Source::Listed(text.to_owned()));
    let records = match &input.workload {
        Workload::Numbered { count, keys } => {
            let (count, keys) = (*count, *keys);
            html! {
                <>
                    { props.input(&format!("{path}.workload.numbered.count"), Label::RecordCount, "number", count.to_string(),
                        move |text| Some(Change::Records(at, Source::Numbered(number(&text)?, keys)))) }
                    { props.input(&format!("{path}.workload.numbered.keys"), Label::KeyCount, "number", keys.to_string(),
                        move |text| Some(Change::Records(at, Source::Numbered(count, number(&text)?)))) }
                </>
            }
        }
        Workload::Records(records) => {
            let lines: Vec<String> = records
                .iter()
                .map(|it| format!("{}, {}", it.key, it.value))
                .collect();
            let on = props.on.clone();
            let onchange = Callback::from(move |event: Event| {
                let area: HtmlTextAreaElement = event.target_unchecked_into();
                on.emit(Action::Draft(Stroke::Change(listed(&area.value()))));
            });
            html! {
                <label class="form-field wide">
                    <span>{ label(lang, Label::RecordLines) }</span>
                    <textarea rows="4" value={lines.join("\n")} {onchange} data-testid={format!("form-{path}.workload.records")} />
                </label>
            }
        }
        Workload::Dataset(_) => html! {},
    };
    let kind = match &input.workload {
        Workload::Numbered { .. } => "numbered",
        Workload::Records(_) => "records",
        Workload::Dataset(_) => "dataset",
    };
    let words = [
        (
            "numbered".into(),
            label(lang, Label::RecordsNumbered).into(),
        ),
        ("records".into(), label(lang, Label::RecordsListed).into()),
    ];
    let choose = move |kind: String| match kind.as_str() {
        "numbered" => Some(Change::Records(at, Source::Numbered(20, 4))),
        "records" => Some(Change::Records(
            at,
            Source::Listed("a, 1\nb, 2\na, 3".to_owned()),
        )),
        _ => None,
    };
    html! {
        <fieldset class="form-part">
            <legend>{ input.topic.clone() }</legend>
            { props.remove(&path, &input.topic, Change::RemoveTopic(at)) }
            { props.input(&format!("{path}.topic"), Label::FormName, "text", input.topic.clone(), move |name| Some(Change::RenameTopic(at, name))) }
            { props.input(&format!("{path}.partitions"), Label::FormPartitions, "number", input.partitions.to_string(), move |text| Some(Change::Partitions(at, number(&text)?))) }
            { props.select(&format!("{path}.workload"), Label::FormRecords, &words, kind, choose) }
            { records }
            { props.reason(&path) }
        </fieldset>
    }
}

/// An operator.
fn operator(props: &Props, at: usize, vertex: &Vertex) -> Html {
    let path = format!("job.vertices[{at}]");
    let topics: Vec<(AttrValue, AttrValue)> = (props.scenario.inputs.iter())
        .map(|it| {
            (
                AttrValue::from(it.topic.clone()),
                AttrValue::from(it.topic.clone()),
            )
        })
        .collect();
    let particular = match &vertex.operator {
        Operator::Source {
            topic, interval_ms, ..
        } => html! {
            <>
                { props.select(&format!("{path}.operator.topic"), Label::FormTopic, &topics, topic, move |topic| Some(Change::ReadsTopic(at, topic))) }
                { props.input(&format!("{path}.operator.interval_ms"), Label::FormInterval, "number", interval_ms.0.to_string(), move |text| Some(Change::Cost(at, number(&text)?))) }
            </>
        },
        Operator::Sink {
            delivery_guarantee, ..
        } => {
            let (words, chosen) = guarantees(*delivery_guarantee);
            html! {
                <>
                    { props.select(&format!("{path}.operator.delivery_guarantee"), Label::FormGuarantee, &words, chosen, move |word| Some(Change::Guarantee(at, guarantee(&word)?))) }
                    { cost(props, at, &path, &vertex.operator) }
                </>
            }
        }
        other => cost(props, at, &path, other),
    };
    html! {
        <fieldset class="form-part">
            <legend>{ format!("{} · {}", vertex.name, kind_of(&vertex.operator)) }</legend>
            { props.remove(&path, &vertex.name, Change::RemoveOperator(at)) }
            { props.input(&format!("{path}.name"), Label::FormName, "text", vertex.name.clone(), move |name| Some(Change::RenameOperator(at, name))) }
            { props.input(&format!("{path}.parallelism"), Label::FormParallelism, "number", vertex.parallelism.to_string(), move |text| Some(Change::Parallelism(at, number(&text)?))) }
            { particular }
            { props.reason(&path) }
        </fieldset>
    }
}

fn cost(props: &Props, at: usize, path: &str, operator: &Operator) -> Html {
    let cost = match operator {
        Operator::Map { cost_ms }
        | Operator::Filter { cost_ms, .. }
        | Operator::FlatMap { cost_ms, .. }
        | Operator::Sum { cost_ms }
        | Operator::Join { cost_ms }
        | Operator::BroadcastState { cost_ms, .. }
        | Operator::Iteration { cost_ms }
        | Operator::TableWriter { cost_ms }
        | Operator::Sink { cost_ms, .. } => cost_ms,
        _ => return html! {},
    };
    let millis = cost.0 as f64 / 1_000.0;
    props.input(
        &format!("{path}.operator.cost_ms"),
        Label::FormCost,
        "number",
        millis.to_string(),
        move |text| Some(Change::Cost(at, number(&text)?)),
    )
}

const fn kind_of(operator: &Operator) -> &'static str {
    match operator {
        Operator::Source { .. } => "source",
        Operator::Map { .. } => "map",
        Operator::Filter { .. } => "filter",
        Operator::FlatMap { .. } => "flat-map",
        Operator::Sum { .. } => "sum",
        Operator::Join { .. } => "join",
        Operator::BroadcastState { .. } => "broadcast-state",
        Operator::Iteration { .. } => "iteration",
        Operator::TableWriter { .. } => "table-writer",
        Operator::TableCommitter { .. } => "table-committer",
        Operator::GlobalCommitter { .. } => "global-committer",
        Operator::Sink { .. } => "sink",
    }
}

const GUARANTEES: [(&str, DeliveryGuarantee); 3] = [
    ("exactly-once", DeliveryGuarantee::ExactlyOnce),
    ("at-least-once", DeliveryGuarantee::AtLeastOnce),
    ("none", DeliveryGuarantee::None),
];

fn guarantees(chosen: DeliveryGuarantee) -> (Vec<(AttrValue, AttrValue)>, &'static str) {
    let words: Vec<&str> = GUARANTEES.iter().map(|(word, _)| *word).collect();
    let chosen = GUARANTEES.iter().find(|(_, it)| *it == chosen);
    (plain(&words), chosen.map_or("", |(word, _)| word))
}

fn guarantee(word: &str) -> Option<DeliveryGuarantee> {
    GUARANTEES
        .iter()
        .find(|(known, _)| *known == word)
        .map(|(_, it)| *it)
}

const PARTITIONINGS: [(&str, Partitioning); 4] = [
    ("forward", Partitioning::Forward),
    ("hash", Partitioning::Hash),
    ("rebalance", Partitioning::Rebalance),
    ("broadcast", Partitioning::Broadcast),
];

/// An edge.
fn edge(props: &Props, at: usize) -> Html {
    let Some(edge) = props.scenario.job.edges.get(at) else {
        return html! {};
    };
    let path = format!("job.edges[{at}]");
    let name = format!("{} → {}", edge.from, edge.to);
    let words: Vec<&str> = PARTITIONINGS.iter().map(|(word, _)| *word).collect();
    let chosen = PARTITIONINGS
        .iter()
        .find(|(_, it)| *it == edge.partitioning);
    let make = move |word: String| {
        let chosen = PARTITIONINGS.iter().find(|(known, _)| *known == word)?;
        Some(Change::Partitioning(at, chosen.1))
    };
    html! {
        <div class="form-row">
            <strong>{ name.clone() }</strong>
            { props.select(&format!("{path}.partitioning"), Label::FormPartitioning, &plain(&words), chosen.map_or("", |(word, _)| word), make) }
            { props.remove(&path, &name, Change::Disconnect(at)) }
        </div>
    }
}

/// A new edge: from one operator to another.
fn new_edge(props: &Props, ends: &yew::UseStateHandle<(String, String)>) -> Html {
    let lang = props.lang;
    let names: Vec<String> = props
        .scenario
        .job
        .vertices
        .iter()
        .map(|it| it.name.clone())
        .collect();
    let side = |is_from: bool, name: Label, id: &'static str| {
        let state = ends.clone();
        let onchange = Callback::from(move |event: Event| {
            let value = event.target_unchecked_into::<HtmlSelectElement>().value();
            let (from, to) = (*state).clone();
            state.set(if is_from { (value, to) } else { (from, value) });
        });
        let chosen = if is_from { &ends.0 } else { &ends.1 };
        html! {
            <select {onchange} aria-label={label(lang, name)} data-testid={id}>
                <option value="" selected={chosen.is_empty()}>{ label(lang, name) }</option>
                for each in names.iter().cloned() {
                    <option value={each.clone()} selected={each == *chosen}>{ each.clone() }</option>
                }
            </select>
        }
    };
    let (from, to) = (**ends).clone();
    let is_whole = names.contains(&from) && names.contains(&to);
    html! {
        <div class="form-row">
            { side(true, Label::EdgeFrom, "edge-from") }
            { side(false, Label::EdgeTo, "edge-to") }
            <button disabled={!is_whole} onclick={props.change(Change::Connect(from, to))} data-testid="connect">
                { label(lang, Label::Connect) }
            </button>
        </div>
    }
}

/// A fault: what, whom, when.
fn fault(props: &Props, at: usize) -> Html {
    let Some(fault) = props.scenario.faults.schedule.get(at) else {
        return html! {};
    };
    let path = format!("faults.schedule[{at}]");
    let lang = props.lang;
    let kind = FaultKind::of(&fault.what);
    let code = kind.map_or("lose_commit_response", FaultKind::code);
    let words: Vec<&str> = FaultKind::ALL.iter().map(|it| it.code()).collect();
    let target = crate::state::draft::target(&fault.what);
    let hit = match kind {
        Some(FaultKind::Crash | FaultKind::Notification) => {
            let subtasks: Vec<(AttrValue, AttrValue)> = (props.scenario.job.vertices.iter())
                .flat_map(|it| {
                    (0..it.parallelism.min(64)).map(|number| format!("{}[{number}]", it.name))
                })
                .map(|name| (AttrValue::from(name.clone()), AttrValue::from(name)))
                .collect();
            props.select(
                &format!("{path}.target"),
                Label::FaultTarget,
                &subtasks,
                &target,
                move |it| Some(Change::FaultTarget(at, it)),
            )
        }
        Some(FaultKind::TaskManager) => props.input(
            &format!("{path}.target"),
            Label::FaultTarget,
            "number",
            target,
            move |it| Some(Change::FaultTarget(at, it)),
        ),
        _ => html! {},
    };
    html! {
        <div class="form-row">
            { props.input(&format!("{path}.at_ms"), Label::FaultMoment, "number", fault.at_ms.0.to_string(), move |text| Some(Change::FaultMoment(at, number(&text)?))) }
            { props.select(&format!("{path}.kind"), Label::FaultKind, &plain(&words), code, move |word| {
                let kind = FaultKind::ALL.into_iter().find(|it| it.code() == word)?;
                Some(Change::FaultKind(at, kind))
            }) }
            { hit }
            { props.remove(&path, label(lang, Label::FormFaults), Change::RemoveFault(at)) }
            { props.reason(&path) }
        </div>
    }
}
