//! The stage of the models *delivery* and *streams*: clients on both sides, the logs of the brokers between
//! them, coordinators above, and below them who sees what came out.

pub mod arrange;
mod audience;
mod client;
mod coordinator;
mod replica;
mod ways;

use barrierscope_core::id::{Offset, PartitionId, RecordId};
use barrierscope_core::kafka::batch::{ProducerEpoch, ProducerId};
use barrierscope_core::kafka::replicated_log::Acks;
use barrierscope_core::scene::{Facts, Node, Scene, WireKind};
use yew::{Classes, Html, classes, html};

use super::geometry::{Path, Rect, point};
use super::layout::{Flow, Layout};
use super::lettering::fitted;
use super::shape::{Anchor, cross, stroke, words};
use crate::text::kafka::tally::Tally;
use crate::text::{self, Lang};

/// Whether a scene is one of these models'.
pub fn is_kafka(scene: &Scene) -> bool {
    let is_replica = |node: &Node| matches!(node.facts, Facts::Replica(_));
    let is_of_job = |node: &Node| matches!(node.facts, Facts::Coordinator { .. });
    scene.nodes.iter().any(is_replica) && !scene.nodes.iter().any(is_of_job)
}

/// What a node's picture depends on beside the node itself.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The language.
    pub lang: Lang,
    /// The nodes, which partitions have their names from.
    pub nodes: &'a [Node],
    /// Where the node stands.
    pub place: &'a Rect,
    /// The end of the longest log of its partition: so far a replica's strip reaches.
    pub end: Offset,
    /// The records that are seen more than once.
    pub doubled: &'a [RecordId],
    /// What the client's producer waits for.
    pub acks: Option<Acks>,
    /// What is seen, in numbers, for who is judged.
    pub tally: Option<Tally>,
    /// How many records the producers send.
    pub records: u32,
    /// Whether a leader is drawn as small as who follows: its log is drawn elsewhere.
    pub small: bool,
}

/// The inside of a node of these models; none for any other.
pub fn inside(context: &Context<'_>, node: &Node) -> Option<Html> {
    Some(match &node.facts {
        Facts::Producer(view) => client::producer(context, node, view),
        Facts::Consumer(view) => client::consumer(context, node, view),
        Facts::Streams {
            consumer,
            producer,
            store,
        } => client::streams(context, node, consumer, producer, store.as_ref()),
        Facts::Replica(view) => replica::inside(context, node, view),
        Facts::Transactions(view) => coordinator::transactions(context, node, view),
        Facts::Groups(view) => coordinator::groups(context, node, view),
        Facts::Audience(view) => audience::inside(context, node, view),
        _ => return None,
    })
}

/// The ends of the longest logs, by node: what [`Context::end`] is for each.
pub fn ends(scene: &Scene) -> Vec<Offset> {
    let of = |node: &Node| match &node.facts {
        Facts::Replica(view) => Some((view.partition, view.end)),
        _ => None,
    };
    (scene.nodes.iter())
        .map(|node| {
            let Some((partition, _)) = of(node) else {
                return Offset(0);
            };
            let all = scene.nodes.iter().filter_map(of);
            let ends = all.filter(|(other, _)| *other == partition);
            ends.map(|(_, end)| end).max().unwrap_or_default()
        })
        .collect()
}

/// Who writes where, and who reads from where: faint lines between clients and the leaders beside them.
pub fn links(scene: &Scene, layout: &Layout) -> Html {
    if layout.flow == Flow::Down {
        return html! {};
    }
    let leader = |partition: PartitionId| {
        let mut placed = scene.nodes.iter().zip(&layout.nodes);
        placed.find_map(|(node, rect)| match &node.facts {
            Facts::Replica(view) if view.leads && view.partition == partition => Some(rect),
            _ => None,
        })
    };
    let reads = scene
        .nodes
        .iter()
        .zip(&layout.nodes)
        .flat_map(|(node, client)| {
            let rows = match &node.facts {
                Facts::Consumer(view) | Facts::Streams { consumer: view, .. } => {
                    view.rows.as_slice()
                }
                _ => &[],
            };
            let leaders = rows.iter().filter_map(|row| leader(row.partition));
            leaders
                .map(|log| (ways::between(log, client), "way reads"))
                .collect::<Vec<_>>()
        });
    let writes = scene
        .links
        .iter()
        .zip(&layout.tracks)
        .filter_map(|(wire, track)| {
            let to = scene.nodes.iter().find(|node| node.id == wire.to)?;
            let leads = matches!(&to.facts, Facts::Replica(view) if view.leads);
            let is_way = leads && wire.kind == WireKind::Request && track.is_of(wire);
            is_way.then(|| (track.path.clone(), "way writes"))
        });
    // What is further away would lead across other logs.
    let near = |path: &Path| (path.end().x - path.start().x).abs() < NEAR;
    html! {
        for (path, class) in writes.chain(reads).filter(|(path, _)| near(path)) {
            { stroke(class, path.outline().to_owned()) }
        }
    }
}

/// What is this far away is on the other side of a gap.
const NEAR: f64 = 110.0;

/// The colour of a producer's session: the next epoch has another one.
fn session_class(session: Option<(ProducerId, ProducerEpoch)>) -> Classes {
    match session.map(|(id, epoch)| id.0.wrapping_add(u32::from(epoch.0)) % 4) {
        None => classes!("e-none"),
        Some(0) => classes!("e0"),
        Some(1) => classes!("e1"),
        Some(2) => classes!("e2"),
        Some(_) => classes!("e3"),
    }
}

/// A line of small words, cut down to the room that there is.
fn line(class: &'static str, x: f64, y: f64, room: f64, text: &str) -> Html {
    let is_bold = matches!(class, "title" | "strong" | "flying" | "label fate");
    let room = if is_bold { room / BOLD } else { room };
    words(class, point(x, y), Anchor::Start, fitted(text, room))
}

/// By so much bold words are wider, and a little larger.
const BOLD: f64 = 1.14;

/// What a node shows that does not run, beside its name; none if it does.
fn fate(context: &Context<'_>, node: &Node) -> Option<&'static str> {
    text::fate(context.lang, node)
}

/// The cross at the corner of what has died.
fn dead(context: &Context<'_>, node: &Node) -> Html {
    if node.health != barrierscope_core::scene::Health::Crashed {
        return html! {};
    }
    cross(context.place)
}
