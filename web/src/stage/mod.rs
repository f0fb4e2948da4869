//! The stage: the graph, alive.
//!
//! What stands still is SVG, rendered once a step. What moves is drawn on one canvas above it, frame by
//! frame, from the same scene.

pub mod brokers;
mod camera;
pub mod canvas;
pub mod channel;
pub mod control;
mod families;
pub mod fold;
pub mod geometry;
pub mod kafka;
pub mod layout;
pub mod lettering;
pub mod log;
pub mod motion;
pub mod node;
pub mod paint;
pub mod reader;
#[cfg(test)]
mod samples;
pub mod shape;
pub mod sign;
pub mod store;
pub mod subtask;
pub mod track;
pub mod votes;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use barrierscope_core::id::{NodeId, Offset, RecordId};
use barrierscope_core::scene::{TokenKind, Wire, WireKind};
use gloo_timers::callback::Timeout;
use web_sys::{Element, HtmlCanvasElement};
use yew::{
    Callback, Event, Html, MouseEvent, NodeRef, PointerEvent, Properties, TargetCast, classes,
    component, html, use_effect_with, use_memo, use_mut_ref, use_node_ref, use_state,
};

use crate::browser::{self, watch_size};
use crate::components::menu::Menu;
use crate::same::Same;
use crate::state::{Action, View};
use crate::text::{self, Label, Lang, Records as _, account, bytes, label};
use camera::{use_camera, use_grip};
use channel::{Channel, gate};
use fold::{Folding, families, fold};
use geometry::{Point, Rect, Size, point, px};
use layout::{FOLDABLE, Layout, Wanted, arrange_beside, arrange_folded};
use motion::Motion;
use node::{Gesture, Node};
pub use sign::{epoch_class, turn};

/// The canvas and what belongs to it, for whoever drives the frames.
#[derive(Clone, Default, PartialEq)]
pub struct Screen {
    /// The canvas.
    pub canvas: NodeRef,
    /// Elements that show the colours of the theme.
    pub swatches: NodeRef,
    /// The note beside the token that is pointed at.
    pub tip: NodeRef,
}

/// What the stage depends on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// What is shown.
    pub view: Rc<View>,
    /// The language.
    pub lang: Lang,
    /// The node that was selected.
    pub selected: Option<NodeId>,
    /// Whether time passes.
    pub playing: bool,
    /// Whether the logs of all replicas are shown.
    pub replicas: bool,
    /// What moves.
    pub motion: Same<RefCell<Motion>>,
    /// The canvas and what belongs to it.
    pub screen: Screen,
    /// Its place among stages that stand side by side, if it is one of those.
    #[prop_or_default]
    pub beside: Option<usize>,
    /// The nodes to be marked because they stand differently from those of the first stage.
    #[prop_or_default]
    pub different: Rc<Vec<NodeId>>,
    /// Where actions go.
    pub on: Callback<Action>,
    /// Asks for another frame.
    pub wake: Callback<()>,
}

/// How long a touch has to last to open the menu, in milliseconds.
const LONG_PRESS: u32 = 500;
/// How near to a token one has to point.
const NEAR: f64 = 11.0;
/// The same for a finger.
const NEAR_TOUCH: f64 = 20.0;

/// The stage.
#[component]
pub fn Stage(props: &Props) -> Html {
    let room = use_state(|| Size { w: 0.0, h: 0.0 });
    let frame = use_node_ref();
    {
        let room = room.clone();
        use_effect_with(frame.clone(), move |frame| {
            let observed = frame
                .cast::<Element>()
                .and_then(|element| watch_size(&element, room));
            move || drop(observed)
        });
    }
    let camera = use_camera(&frame);
    let grip = use_grip(&camera);
    let run = Same(Rc::clone(&props.view.run));
    let is_kafka = kafka::is_kafka(&props.view.scene);
    let is_votes = votes::is_votes(&props.view.scene);
    let has_brokers = brokers::has_brokers(&props.view.scene);
    let is_job = !is_kafka && !is_votes;
    let shape = if is_votes {
        votes::arrange::shape(&props.view.scene)
    } else if is_kafka {
        kafka::arrange::shape(&props.view.scene)
    } else {
        layout::shape(&props.view.scene)
    };
    let unfolded = has_brokers && props.replicas;
    // What somebody has folded or unfolded by hand, by the family's name.
    let by_hand = use_state(BTreeMap::<String, bool>::new);
    let arranged = use_memo(
        (run, *room, shape, unfolded, (*by_hand).clone()),
        |(run, room, _, _, by_hand)| {
            let scene = &props.view.scene;
            if is_votes {
                return (
                    Same::new(votes::arrange::arrange(scene, *room)),
                    Rc::default(),
                );
            }
            if is_kafka {
                return (
                    Same::new(kafka::arrange::arrange(scene, *room)),
                    Rc::default(),
                );
            }
            let under_way = run.with(|session| {
                let scenario = session.story().pipeline()?;
                Some(usize::from(scenario.checkpointing.max_concurrent))
            });
            let wanted = Wanted {
                under_way: under_way.unwrap_or(1),
                unfolded,
            };
            let arrange = match props.beside {
                Some(_) => arrange_beside,
                None => arrange_folded,
            };
            let (layout, folding) = arrange(scene, *room, wanted, by_hand);
            (Same::new(layout), Rc::new(folding))
        },
    );
    let (plain, folding) = (arranged.0.clone(), Rc::clone(&arranged.1));
    let layout = use_memo(
        (plain, *room, camera.factor.to_bits()),
        |(plain, room, _)| Same::new(plain.0.as_ref().clone().seen(*room, camera.factor)),
    );
    let layout: Same<Layout> = (*layout).clone();
    let folded = use_memo(
        (Same(Rc::clone(&props.view.scene)), Rc::clone(&folding)),
        |(scene, folding)| fold(&scene.0, folding),
    );
    {
        let (motion, wake) = (props.motion.clone(), props.wake.clone());
        use_effect_with(
            (layout.clone(), Rc::clone(&folding)),
            move |(layout, folding)| {
                motion.borrow_mut().arrange(Rc::clone(&layout.0), folding);
                wake.emit(());
            },
        );
    }
    let menu = use_state(|| None::<(NodeId, Point)>);
    let press = use_mut_ref(|| None::<Timeout>);
    let gesture = {
        let (menu, on, hands) = (menu.clone(), props.on.clone(), by_hand.clone());
        Callback::from(move |gesture: Gesture| match gesture {
            Gesture::Select(id) => on.emit(Action::Select(Some(id))),
            Gesture::Unfold(ref name) => {
                let mut all = (*hands).clone();
                all.insert(name.clone(), false);
                hands.set(all);
            }
            Gesture::Crash(id) => on.emit(Action::Crash(id)),
            Gesture::Menu(id, at) => menu.set(Some((id, at))),
            Gesture::Press(id, at) => {
                let menu = menu.clone();
                let open = Timeout::new(LONG_PRESS, move || menu.set(Some((id, at))));
                *press.borrow_mut() = Some(open);
            }
            Gesture::Release => *press.borrow_mut() = None,
        })
    };
    let close = {
        let menu = menu.clone();
        Callback::from(move |()| menu.set(None))
    };
    let pointed = use_state(|| None::<(usize, TokenKind)>);
    let point_at = point_at(props, &layout, &pointed);
    let trace = {
        let (motion, on) = (props.motion.clone(), props.on.clone());
        Callback::from(move |_: MouseEvent| {
            if let Some((_, TokenKind::Record(record))) = motion.borrow().pointed {
                on.emit(Action::Trace(Some(record)));
            }
        })
    };
    let point_away = {
        let (motion, wake, pointed) = (props.motion.clone(), props.wake.clone(), pointed.clone());
        Callback::from(move |_: PointerEvent| {
            motion.borrow_mut().pointed = None;
            pointed.set(None);
            wake.emit(());
        })
    };

    let name = {
        let names = !props.view.names;
        props.on.reform(move |_: MouseEvent| Action::Names(names))
    };
    let scene = &folded.scene;
    let doubled: Vec<RecordId> = (props.view.verdict.witnesses.iter())
        .filter(|witness| witness.copies > 1)
        .map(|witness| witness.record)
        .collect();
    let doubled = Rc::new(doubled);
    let nothing = Rc::new(Vec::new());
    let account = account(props.lang, &props.view.verdict);
    let ends = if is_kafka || has_brokers {
        kafka::ends(scene)
    } else {
        Vec::new()
    };
    let (w, h) = (layout.size.w * layout.zoom, layout.size.h * layout.zoom);
    let is_drawn = layout.nodes.len() == scene.nodes.len() && room.w > 0.0;
    html! {
        <section
            class="stage panel"
            aria-label={name_of(props)}
            id={props.beside.map_or("stage".to_owned(), |place| format!("stage-{place}"))}
        >
            <div
                class="stage-frame"
                ref={frame}
                tabindex="0"
                role="group"
                aria-label={label(props.lang, Label::StageFrame)}
                onpointerdown={grip.down}
                onpointermove={grip.over}
                onpointerup={grip.up.clone()}
                onpointercancel={grip.up}
                onkeydown={camera.keys()}
                onscroll={props.beside.map(|_| Callback::from(scroll_together))}
                data-testid="stage-frame"
                data-zoom={format!("{:.3}", layout.zoom)}
            >
                <div
                    class="stage-content"
                    style={format!("width:{}px;height:{}px", px(w), px(h))}
                    onpointermove={point_at.clone()}
                    onpointerdown={point_at}
                    onpointerleave={point_away}
                    onclick={trace}
                >
                    if is_drawn {
                        <svg
                            viewBox={format!("0 0 {} {}", px(layout.size.w), px(layout.size.h))}
                            width={px(w)}
                            height={px(h)}
                            role="group"
                            aria-label={label(props.lang, Label::StageHint)}
                        >
                            for (link, wire) in scene.links.iter().enumerate() {
                                if matches!(wire.kind, WireKind::Channel { .. } | WireKind::Log) {
                                    <Channel
                                        key={link}
                                        layout={layout.clone()}
                                        {link}
                                        blocked_by={wire.blocked_by}
                                        lang={props.lang}
                                    />
                                }
                            }
                            if is_kafka {
                                { kafka::links(scene, &layout) }
                            }
                            if is_votes {
                                { votes::links(scene, &layout) }
                            }
                            for (at, node) in scene.nodes.iter().enumerate() {
                                <Node
                                    key={format!("node {at}")}
                                    scene={Rc::clone(scene)}
                                    {at}
                                    rect={layout.nodes[at]}
                                    lang={props.lang}
                                    beside={props.beside}
                                    selected={props.selected == Some(node.id)}
                                    doubled={Rc::clone(if is_output(node) { &doubled } else { &nothing })}
                                    account={is_reader(node).then(|| account.clone())}
                                    end={ends.get(at).copied().unwrap_or(Offset(0))}
                                    acks={is_kafka.then(|| props.view.acks(&node.name)).flatten()}
                                    tally={text::kafka::tally::of_node(&scene.nodes, node)}
                                    brokers={has_brokers.then_some(unfolded)}
                                    names={props.view.names}
                                    family={folded.families.get(&node.id).cloned()}
                                    on={gesture.clone()}
                                />
                            }
                            for place in layout.folds.iter() {
                                { brokers::fold(props.lang, place, unfolded, &props.on) }
                            }
                            for (link, wire) in scene.links.iter().enumerate() {
                                { closed(&layout, link, wire) }
                            }
                            for (node, rect) in scene.nodes.iter().zip(layout.nodes.iter()) {
                                if props.different.contains(&node.id) {
                                    { differs(rect) }
                                }
                            }
                        </svg>
                    }
                    <canvas
                        ref={props.screen.canvas.clone()}
                        style={format!("width:{}px;height:{}px", px(w), px(h))}
                        aria-hidden="true"
                    />
                    <div class="tip" ref={props.screen.tip.clone()} hidden={pointed.is_none()}>
                        if let Some((link, kind)) = *pointed {
                            { tip(props, link, kind) }
                        }
                    </div>
                </div>
            </div>
            if props.beside.is_none() {
            <div class="stage-tools">
                if is_job {
                    <button
                        class="names-switch"
                        aria-pressed={props.view.names.to_string()}
                        title={label(props.lang, Label::NamesHint)}
                        onclick={name}
                        data-testid="names"
                    >
                        { label(props.lang, Label::Names) }
                    </button>
                    { family_switches(props, &folding, &by_hand) }
                }
                { camera.buttons(props.lang) }
            </div>
            }
            <div class="swatches" ref={props.screen.swatches.clone()} hidden=true>
                for class in ["e0", "e1", "e2", "e3", "surface", "ink", "muted"] {
                    <i {class} />
                }
            </div>
            if let Some((id, at)) = *menu {
                <Menu view={Rc::clone(&props.view)} lang={props.lang} node={id} {at} on={props.on.clone()} {close} />
            }
            if !props.playing && props.beside.is_none() {
                { spoken(props) }
            }
        </section>
    }
}

/// Stages side by side show the same part: where one is scrolled to, the others follow.
fn scroll_together(event: Event) {
    if let Some(frame) = event.target_dyn_into::<Element>() {
        browser::scroll_along(".beside .stage-frame", &frame);
    }
}

/// What the stage is called, also beside others.
fn name_of(props: &Props) -> String {
    let name = label(props.lang, Label::Stage);
    match props.beside {
        None => name.to_owned(),
        Some(place) => format!("{name} {}", place + 1),
    }
}

/// The mark of a node that stands differently in another run.
fn differs(rect: &Rect) -> Html {
    let (x, y) = (px(rect.x + rect.w - 2.0), px(rect.y + 2.0));
    html! {
        <g class="unequal" aria-hidden="true">
            <circle cx={x.clone()} cy={y.clone()} r="8" />
            <text {x} {y} dy="4" text-anchor="middle">{ "≠" }</text>
        </g>
    }
}

/// The gate of a link, if it is closed.
fn closed(layout: &Layout, link: usize, wire: &Wire) -> Html {
    let pill = layout.tracks.get(link).and_then(|track| track.pill);
    match (pill, wire.blocked_by) {
        (Some(pill), Some(barrier)) => gate(&pill, barrier),
        _ => html! {},
    }
}

const fn is_output(node: &barrierscope_core::scene::Node) -> bool {
    matches!(
        node.facts,
        barrierscope_core::scene::Facts::Output { .. }
            | barrierscope_core::scene::Facts::Replica(_)
    )
}

const fn is_reader(node: &barrierscope_core::scene::Node) -> bool {
    matches!(node.facts, barrierscope_core::scene::Facts::Reader { .. })
}

/// A button for each family that can be folded.
fn family_switches(
    props: &Props,
    folding: &Rc<Folding>,
    by_hand: &yew::UseStateHandle<BTreeMap<String, bool>>,
) -> Html {
    let families = families(&props.view.scene).into_iter();
    let families = families.filter(|(name, count)| *count >= FOLDABLE || folding.contains(name));
    html! {
        <div class="families" data-scrolls="true">
            for (name, count) in families {
                { family_switch(props.lang, name, count, folding, by_hand) }
            }
        </div>
    }
}

fn family_switch(
    lang: Lang,
    name: String,
    count: usize,
    folding: &Rc<Folding>,
    by_hand: &yew::UseStateHandle<BTreeMap<String, bool>>,
) -> Html {
    let is_folded = folding.contains(&name);
    let toggle = {
        let (by_hand, name) = (by_hand.clone(), name.clone());
        Callback::from(move |_: MouseEvent| {
            let mut all = (*by_hand).clone();
            all.insert(name.clone(), !is_folded);
            by_hand.set(all);
        })
    };
    let says = label(
        lang,
        if is_folded {
            Label::Unfold
        } else {
            Label::Fold
        },
    );
    html! {
        <button
            class="names-switch"
            aria-expanded={(!is_folded).to_string()}
            title={format!("{says}: {name}")}
            onclick={toggle}
            data-testid={format!("fold-{name}")}
        >
            { format!("{name} × {count} {}", if is_folded { "▸" } else { "▾" }) }
        </button>
    }
}

/// Finds the token under the pointer.
fn point_at(
    props: &Props,
    layout: &Same<Layout>,
    pointed: &yew::UseStateHandle<Option<(usize, TokenKind)>>,
) -> Callback<PointerEvent> {
    let (motion, wake, pointed) = (props.motion.clone(), props.wake.clone(), pointed.clone());
    let (canvas, zoom) = (props.screen.canvas.clone(), layout.zoom);
    Callback::from(move |event: PointerEvent| {
        let Some(canvas) = canvas.cast::<HtmlCanvasElement>() else {
            return;
        };
        let corner = canvas.get_bounding_client_rect();
        let at = point(
            f64::from(event.client_x()) - corner.x(),
            f64::from(event.client_y()) - corner.y(),
        ) * zoom.recip();
        let near = if event.pointer_type() == "touch" {
            NEAR_TOUCH
        } else {
            NEAR
        };
        let hit = motion.borrow().hit(at, near);
        if motion.borrow().pointed != hit {
            motion.borrow_mut().pointed = hit;
            pointed.set(hit);
            wake.emit(());
        }
    })
}

/// What there is to say about a token.
fn tip(props: &Props, link: usize, kind: TokenKind) -> Html {
    // A family's way has what is on many: the token says on which it is.
    let links = &props.view.scene.links;
    let holds = |wire: &&Wire| wire.tokens.iter().any(|token| token.kind == kind);
    let own = links.get(link).filter(holds);
    let Some(wire) = own.or_else(|| links.iter().find(holds)) else {
        return html! {};
    };
    let token = wire.tokens.iter().find(|token| token.kind == kind);
    let epoch = token.map(|token| token.epoch);
    let lexicon = props.view.lexicon(props.lang);
    let (from, to) = (lexicon.node(wire.from), lexicon.node(wire.to));
    let is_message = matches!(kind, TokenKind::Message(_) | TokenKind::TwoPhaseCommit(_));
    let belongs = epoch.filter(|_| !is_message).map(|epoch| match props.lang {
        Lang::En => format!("belongs to checkpoint {epoch}"),
        Lang::Zh => format!("属于检查点 {epoch}"),
    });
    let size = token.filter(|token| token.bytes > 0).map(|token| {
        let size = bytes(token.bytes);
        match (props.lang, token.queued) {
            (_, false) => size,
            (Lang::En, true) => format!("{size}, waits in the sender’s output queue"),
            (Lang::Zh, true) => format!("{size}，在发送方的输出队列中等待"),
        }
    });
    html! {
        <>
            <strong class={classes!(epoch_class(epoch))}>{ lexicon.token(kind) }</strong>
            if let Some(name) = text::names::token(kind).filter(|_| props.view.names) {
                <span>{ name }</span>
            }
            <span>{ belongs }</span>
            <span>{ format!("{from} → {to}") }</span>
            if let Some(size) = size {
                <span>{ size }</span>
            }
        </>
    }
}

/// What is in the channels, for those who do not see the canvas.
fn spoken(props: &Props) -> Html {
    let lexicon = props.view.lexicon(props.lang);
    html! {
        <div class="unseen">
            <h2>{ label(props.lang, Label::InChannels) }</h2>
            <ul>
                for wire in props.view.scene.links.iter() {
                    if !wire.tokens.is_empty() {
                        <li>
                            { format!("{} → {}: ", lexicon.node(wire.from), lexicon.node(wire.to)) }
                            { wire.tokens.iter().map(|token| lexicon.token(token.kind)).collect::<Vec<_>>().join(", ") }
                        </li>
                    }
                }
            </ul>
        </div>
    }
}
