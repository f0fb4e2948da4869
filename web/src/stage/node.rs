//! A node of the graph: its box, and what it says of itself.

use std::rc::Rc;

use barrierscope_core::id::{NodeId, Offset, RecordId};
use barrierscope_core::kafka::replicated_log::Acks;
use barrierscope_core::scene::{Facts, Health, Node as SceneNode, Scene};
use yew::{
    Callback, Html, KeyboardEvent, MouseEvent, PointerEvent, Properties, classes, component, html,
};

use super::fold::Family;
use super::geometry::{Point, Rect, point, px};
use super::{brokers, control, families, kafka, log, reader, shape, store, subtask, votes};
use crate::text::kafka::tally::Tally;
use crate::text::{self, Account, Lang};

/// What a person does to a node.
#[derive(Clone, Debug, PartialEq)]
pub enum Gesture {
    /// Looks at it.
    Select(NodeId),
    /// Wants to see all that it stands for.
    Unfold(String),
    /// Wants it to crash.
    Crash(NodeId),
    /// Wants to know what can be done, at a place on the screen.
    Menu(NodeId, Point),
    /// Began to press on it by touch.
    Press(NodeId, Point),
    /// Let go of it.
    Release,
}

/// What a node's picture depends on.
#[derive(Properties, Clone)]
pub struct Props {
    /// The scene.
    pub scene: Rc<Scene>,
    /// Which of its nodes.
    pub at: usize,
    /// Where it stands.
    pub rect: Rect,
    /// The language.
    pub lang: Lang,
    /// The place of its stage, among those that stand side by side.
    pub beside: Option<usize>,
    /// Whether it was selected.
    pub selected: bool,
    /// The records that the reader sees more than once: for an output partition.
    pub doubled: Rc<Vec<RecordId>>,
    /// The sentence below the total: for the reader.
    pub account: Option<Account>,
    /// The end of the longest log of its partition: for a replica.
    pub end: Offset,
    /// What its producer waits for: for a client.
    pub acks: Option<Acks>,
    /// What it sees, in numbers: for who is judged.
    pub tally: Option<Tally>,
    /// Whether the logs of replicas are unfolded, if it is the stage of a job whose output topic has brokers.
    pub brokers: Option<bool>,
    /// Whether the textbook's names of two-phase commit are wanted.
    pub names: bool,
    /// What those are in all for which it stands, if it stands for several.
    pub family: Option<Family>,
    /// What to do on a gesture.
    pub on: Callback<Gesture>,
}

impl PartialEq for Props {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at
            && self.rect == other.rect
            && self.lang == other.lang
            && self.selected == other.selected
            && self.doubled == other.doubled
            && self.account == other.account
            && self.end == other.end
            && self.acks == other.acks
            && self.tally == other.tally
            && (self.brokers, self.names) == (other.brokers, other.names)
            && self.family == other.family
            && self.high_watermark() == other.high_watermark()
            && self.scene.nodes.get(self.at) == other.scene.nodes.get(other.at)
    }
}

impl Props {
    /// The high watermark of an output log that has brokers.
    fn high_watermark(&self) -> Option<Offset> {
        match self.scene.nodes.get(self.at)?.facts {
            Facts::Output { partition, .. } if self.brokers.is_some() => {
                brokers::high_watermark(&self.scene, partition)
            }
            _ => None,
        }
    }
}

/// A node of the graph.
#[component]
pub fn Node(props: &Props) -> Html {
    let Some(node) = props.scene.nodes.get(props.at) else {
        return html! {};
    };
    let (rect, lang, id) = (&props.rect, props.lang, node.id);
    let chosen = match props.family {
        Some(_) => Gesture::Unfold(node.name.clone()),
        None => Gesture::Select(id),
    };
    let select = {
        let chosen = chosen.clone();
        props.on.reform(move |_: MouseEvent| chosen.clone())
    };
    let is_family = props.family.is_some();
    let menu = props.on.reform(move |event: MouseEvent| {
        event.prevent_default();
        // What can be done is done to one of them.
        match is_family {
            true => Gesture::Release,
            false => Gesture::Menu(id, at(&event)),
        }
    });
    let press = {
        let on = props.on.clone();
        Callback::from(move |event: PointerEvent| {
            if event.pointer_type() == "touch" && !is_family {
                on.emit(Gesture::Press(id, at(&event)));
            }
        })
    };
    let release = props.on.reform(|_: PointerEvent| Gesture::Release);
    let key = {
        let on = props.on.clone();
        Callback::from(move |event: KeyboardEvent| match event.key().as_str() {
            "Enter" => on.emit(chosen.clone()),
            "c" | "C" if is_family => event.stop_propagation(),
            "c" | "C" if !event.ctrl_key() && !event.meta_key() => {
                event.stop_propagation();
                on.emit(Gesture::Crash(id));
            }
            _ => {}
        })
    };
    html! {
        <g
            class={classes!(
                "node",
                kind(&node.facts, props.brokers),
                health(node.health),
                props.selected.then_some("selected"),
                is_family.then_some("family"),
            )}
            style={format!("transform:translate({}px,{}px)", px(rect.x), px(rect.y))}
            tabindex="0"
            role="button"
            // Its name is what stands on it, so that whoever says what they see is understood.
            aria-roledescription={text::kind(lang, &node.facts)}
            data-name={match &props.family {
                Some(family) => text::family::spoken(lang, &node.name, family),
                None => spoken(lang, node),
            }}
            aria-pressed={props.selected.to_string()}
            data-node={id.to_string()}
            data-testid={format!("node-{id}")}
            onclick={select}
            oncontextmenu={menu}
            onpointerdown={press}
            onpointerup={release.clone()}
            onpointercancel={release.clone()}
            onpointerleave={release}
            onkeydown={key}
        >
            if is_family {
                { shape::rect("behind", &Rect { x: 6.0, y: -5.0, ..*rect }, 11.0) }
                { shape::rect("behind", &Rect { x: 3.0, y: -2.5, ..*rect }, 11.0) }
            }
            { shape::rect("box", &Rect { x: 0.0, y: 0.0, ..*rect }, 11.0) }
            if let Some(family) = &props.family {
                { families::inside(lang, &node.name, family, rect) }
            } else if props.names {
                { named(lang, node) }
            }
            if !is_family {
                { inside_model(props, node).unwrap_or_else(|| inside(props, node)) }
            }
        </g>
    }
}

/// What a subtask is in two-phase commit, above its box.
fn named(lang: Lang, node: &SceneNode) -> Html {
    let is_subtask = matches!(
        node.facts,
        Facts::Source { .. } | Facts::Operator { .. } | Facts::Sink { .. }
    );
    let in_doubt = matches!(&node.facts, Facts::Sink { pending, .. } if !pending.is_empty());
    match text::names::node(lang, &node.facts) {
        Some(name) if is_subtask => {
            let (look, says) = match in_doubt {
                true => ("label stuck", lang.pick("in doubt", "悬而未决")),
                false => ("label", name),
            };
            shape::words(look, point(4.0, -4.0), shape::Anchor::Start, says)
        }
        _ => html! {},
    }
}

fn at(event: &MouseEvent) -> Point {
    point(event.client_x().into(), event.client_y().into())
}

/// What a node is, in words alone.
fn spoken(lang: Lang, node: &SceneNode) -> String {
    let name = text::name(lang, node);
    let kind = text::kind(lang, &node.facts);
    let fate = text::fate(lang, node).map(str::to_owned);
    let stands = match &node.facts {
        Facts::Participant(view) if fate.is_none() => Some(text::votes::face::spoken(lang, view)),
        Facts::Replica(view) if fate.is_none() => {
            Some(text::kafka::face::role(lang, view).to_owned())
        }
        _ => None,
    };
    let all = [Some(name), Some(kind.to_owned()), fate, stands];
    all.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

const fn kind(facts: &Facts, brokers: Option<bool>) -> &'static str {
    match facts {
        Facts::Replica(_) if matches!(brokers, Some(false)) => "broker",
        Facts::Input { .. } | Facts::Output { .. } => "log",
        Facts::Source { .. } | Facts::Operator { .. } | Facts::Sink { .. } => "subtask",
        Facts::Coordinator { .. } => "coordinator",
        Facts::Store { .. } => "store",
        Facts::Reader { .. } => "reader",
        Facts::Producer(_) | Facts::Consumer(_) | Facts::Streams { .. } => "subtask client",
        Facts::Replica(_) => "log replica",
        Facts::Transactions(_) | Facts::Groups(_) => "coordinator",
        Facts::Audience(view) if view.judged => "audience judged",
        Facts::Audience(_) => "audience",
        Facts::Committer(_) => "committer",
        Facts::Participant(view) if view.blocked_since.is_some() => "participant doubt blocked",
        Facts::Participant(view) if view.in_doubt_since.is_some() => "participant doubt",
        Facts::Participant(_) => "participant",
    }
}

fn inside_model(props: &Props, node: &SceneNode) -> Option<Html> {
    let nodes = &props.scene.nodes;
    match (&node.facts, props.brokers) {
        (Facts::Replica(view), Some(false)) => {
            return Some(brokers::broker(props.lang, node, view, &props.rect));
        }
        (Facts::Transactions(view), Some(_)) => {
            return Some(brokers::transactions(props.lang, node, view, &props.rect));
        }
        _ => {}
    }
    if let Some(inside) = votes::inside(props.lang, nodes, &props.rect, node) {
        return Some(inside);
    }
    let context = kafka::Context {
        lang: props.lang,
        nodes: &props.scene.nodes,
        place: &props.rect,
        end: props.end,
        doubled: &props.doubled,
        acks: props.acks,
        tally: props.tally,
        records: text::kafka::records(&props.scene.nodes),
        small: props.brokers.is_some(),
    };
    kafka::inside(&context, node)
}

const fn health(health: Health) -> Option<&'static str> {
    match health {
        Health::Running => None,
        Health::Starting => Some("starting"),
        Health::Crashed => Some("crashed"),
        Health::Cancelled => Some("cancelled"),
        Health::Paused => Some("paused"),
        Health::Removed => Some("removed"),
    }
}

fn inside(props: &Props, node: &SceneNode) -> Html {
    let (place, lang) = (&props.rect, props.lang);
    let name = text::name(lang, node);
    // Stages that stand side by side have the same nodes.
    let clip = format!("clip-{}-{}", props.beside.map_or(0, |at| at + 1), node.id);
    match &node.facts {
        Facts::Input { cells, next, .. } => log::input(lang, &name, place, cells, *next, &clip),
        Facts::Output {
            cells, last_stable, ..
        } => log::output(
            lang,
            &name,
            place,
            cells,
            (*last_stable, props.high_watermark()),
            &props.doubled,
            &clip,
        ),
        Facts::Source { .. } | Facts::Operator { .. } | Facts::Sink { .. } => {
            subtask::inside(lang, node, place, props.brokers.is_some(), props.names)
        }
        Facts::Coordinator {
            pending,
            completed,
            failures: (failures, _),
            restarting,
            job,
        } => control::Coordinator {
            pending,
            completed: *completed,
            failures: *failures,
            restarting: *restarting,
            job: *job,
            names: props.names,
        }
        .show(lang, place),
        Facts::Store { rows } => store::inside(lang, &props.scene, place, rows, props.names),
        Facts::Reader {
            read_committed,
            total,
            true_total,
        } => {
            let level = if *read_committed {
                "read_committed"
            } else {
                "read_uncommitted"
            };
            let heading = format!("{} · {level}", node.name);
            reader::inside(place, heading, *total, *true_total, props.account.as_ref())
        }
        Facts::Producer(_)
        | Facts::Consumer(_)
        | Facts::Streams { .. }
        | Facts::Replica(_)
        | Facts::Transactions(_)
        | Facts::Groups(_)
        | Facts::Audience(_)
        | Facts::Committer(_)
        | Facts::Participant(_) => html! {},
    }
}
