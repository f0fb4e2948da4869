//! Folding: the subtasks of an operator, or the partitions of a topic, as one thing, where there is no room for all.
//!
//! A folded scene is a scene: what stands for the others is the first of them, and says what they are in all; the
//! ways between two families are one way, on which stands a record that travels, and of those that wait the first.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::rc::Rc;

use barrierscope_core::id::{CheckpointId, NodeId};
use barrierscope_core::scene::{
    CellStatus, Facts, Health, Node, Place, Scene, TokenKind, Wire, WireKind,
};

/// The families that are folded, by name.
pub type Folding = BTreeSet<String>;

/// What those are in all that are folded into one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Family {
    /// How many they are.
    pub of: usize,
    /// How many of them run.
    pub running: usize,
    /// By barrier: how many of their channels it blocks, and at how many of them.
    pub blocked: BTreeMap<CheckpointId, (usize, usize)>,
    /// Of the newest checkpoint under way: how many of them have stored their snapshot.
    pub stored: Option<(CheckpointId, usize)>,
    /// How many records wait in their input queues and before them.
    pub waiting: usize,
    /// For a log: how many of its records are read, or can be read, and how many there are.
    pub records: Option<(usize, usize)>,
}

/// A scene in which families are folded.
#[derive(Clone, Debug)]
pub struct Folded {
    /// What there is to draw.
    pub scene: Rc<Scene>,
    /// What the first one of each family stands for.
    pub families: Rc<BTreeMap<NodeId, Family>>,
}

/// The name of the family of a node, if others may be of it.
pub fn family(node: &Node) -> Option<&str> {
    let is_of_many = matches!(
        node.facts,
        Facts::Input { .. }
            | Facts::Source { .. }
            | Facts::Operator { .. }
            | Facts::Sink { .. }
            | Facts::Output { .. }
    );
    (is_of_many && matches!(node.place, Place::Flow { .. })).then_some(node.name.as_str())
}

/// Whether a node of a folded scene stands for several.
pub fn is_family(node: &Node) -> bool {
    node.of > 1 && matches!(node.place, Place::Flow { lanes: 1, .. })
}

/// The families of a scene with more than one member, and how many each has, along the flow.
pub fn families(scene: &Scene) -> Vec<(String, usize)> {
    let mut all: Vec<(String, usize)> = Vec::new();
    for name in scene.nodes.iter().filter_map(family) {
        match all.iter_mut().find(|(other, _)| other == name) {
            Some((_, count)) => *count += 1,
            None => all.push((name.to_owned(), 1)),
        }
    }
    all.retain(|(_, count)| *count > 1);
    // A log that has replicas stands above them.
    let is_replica = |node: &Node| matches!(node.facts, Facts::Replica(_));
    if scene.nodes.iter().any(is_replica) {
        let is_output = |node: &Node| matches!(node.facts, Facts::Output { .. });
        let outputs = || scene.nodes.iter().filter(|node| is_output(node));
        all.retain(|(name, _)| outputs().all(|node| node.name != *name));
    }
    all
}

/// Folds families of a scene.
pub fn fold(scene: &Rc<Scene>, folding: &Folding) -> Folded {
    if folding.is_empty() {
        return Folded {
            scene: Rc::clone(scene),
            families: Rc::default(),
        };
    }
    // By node: who stands for it.
    let mut first: BTreeMap<&str, NodeId> = BTreeMap::new();
    let mut stands: BTreeMap<NodeId, NodeId> = BTreeMap::new();
    for node in &scene.nodes {
        if let Some(name) = family(node).filter(|name| folding.contains(*name)) {
            let first = *first.entry(name).or_insert(node.id);
            stands.insert(node.id, first);
        }
    }
    let mut families: BTreeMap<NodeId, Family> = BTreeMap::new();
    for node in &scene.nodes {
        if let Some(first) = stands.get(&node.id) {
            add(families.entry(*first).or_default(), node);
        }
    }
    count_wires(scene, &stands, &mut families);
    count_stored(scene, &stands, &mut families);
    let nodes = scene
        .nodes
        .iter()
        .filter_map(|node| match stands.get(&node.id) {
            Some(first) if *first != node.id => None,
            Some(_) => Some(standing(node, families.get(&node.id))),
            None => Some(store(node, &stands)),
        });
    let folded = Scene {
        at: scene.at,
        nodes: nodes.collect(),
        links: bundles(scene, &stands),
    };
    Folded {
        scene: Rc::new(folded),
        families: Rc::new(families),
    }
}

fn add(family: &mut Family, node: &Node) {
    family.of += 1;
    family.running += usize::from(node.health == Health::Running);
    let (gate, cells) = match &node.facts {
        Facts::Operator { alignment, .. } | Facts::Sink { alignment, .. } => {
            (Some(alignment), None)
        }
        Facts::Input { cells, .. } | Facts::Output { cells, .. } => (None, Some(cells)),
        _ => (None, None),
    };
    for collecting in gate.into_iter().flat_map(|gate| &gate.collecting) {
        if !collecting.blocked.is_empty() {
            let (channels, subtasks) = family.blocked.entry(collecting.checkpoint).or_default();
            *channels += collecting.blocked.len();
            *subtasks += 1;
        }
    }
    if let Some(cells) = cells {
        let is_done = |status: CellStatus| {
            matches!(
                status,
                CellStatus::Read | CellStatus::Covered | CellStatus::Plain | CellStatus::Committed
            )
        };
        let records = || cells.iter().filter(|cell| cell.record.is_some());
        let done = records().filter(|cell| is_done(cell.status)).count();
        let (sum, all) = family.records.unwrap_or_default();
        family.records = Some((sum + done, all + records().count()));
    }
}

/// Records that have come to the end of their way, or have not set out, wait for the receiver.
fn count_wires(
    scene: &Scene,
    stands: &BTreeMap<NodeId, NodeId>,
    families: &mut BTreeMap<NodeId, Family>,
) {
    for wire in &scene.links {
        let receiver = stands
            .get(&wire.to)
            .and_then(|first| families.get_mut(first));
        if let (WireKind::Channel { .. }, Some(family)) = (wire.kind, receiver) {
            let waits = wire.tokens.iter().filter(|token| {
                matches!(token.kind, TokenKind::Record(_))
                    && (token.queued || token.ready <= scene.at)
            });
            family.waiting += waits.count();
        }
    }
}

/// How many of each family have stored their snapshot for the newest checkpoint under way.
fn count_stored(
    scene: &Scene,
    stands: &BTreeMap<NodeId, NodeId>,
    families: &mut BTreeMap<NodeId, Family>,
) {
    let rows = scene.nodes.iter().find_map(|node| match &node.facts {
        Facts::Store { rows } => rows.iter().rev().find(|row| !row.complete),
        _ => None,
    });
    let Some(row) = rows else {
        return;
    };
    for (node, is_stored) in &row.parts {
        if let Some(family) = stands.get(node).and_then(|first| families.get_mut(first)) {
            let (_, stored) = family.stored.get_or_insert((row.checkpoint, 0));
            *stored += usize::from(*is_stored);
        }
    }
}

/// The one that stands for its family.
fn standing(node: &Node, family: Option<&Family>) -> Node {
    let mut node = node.clone();
    if let Place::Flow { stage, .. } = node.place {
        node.place = Place::Flow {
            stage,
            lane: 0,
            lanes: 1,
        };
    }
    (node.task_manager, node.work) = (None, None);
    let all_down = family.is_some_and(|family| family.running == 0);
    node.health = match all_down {
        true => node.health,
        false => Health::Running,
    };
    // What it holds itself says nothing of the others.
    match &mut node.facts {
        Facts::Input { cells, .. } | Facts::Output { cells, .. } => cells.clear(),
        _ => {}
    }
    node
}

/// The store has a place for each family, which is stored when all of it is.
fn store(node: &Node, stands: &BTreeMap<NodeId, NodeId>) -> Node {
    let mut node = node.clone();
    if let Facts::Store { rows } = &mut node.facts {
        for row in rows {
            let mut parts: Vec<(NodeId, bool)> = Vec::new();
            for (part, is_stored) in &row.parts {
                let first = stands.get(part).unwrap_or(part);
                match parts.iter_mut().find(|(other, _)| other == first) {
                    Some((_, all)) => *all &= is_stored,
                    None => parts.push((*first, *is_stored)),
                }
            }
            row.parts = parts;
        }
    }
    node
}

/// So many of those that wait stand at each end of a way between families.
const SHOWN: u32 = 4;

/// The ways between those that are left, each between two of them once.
fn bundles(scene: &Scene, stands: &BTreeMap<NodeId, NodeId>) -> Vec<Wire> {
    let end = |node: NodeId| stands.get(&node).copied().unwrap_or(node);
    let mut wires: Vec<Wire> = Vec::new();
    let mut places: BTreeMap<(NodeId, NodeId, u8), usize> = BTreeMap::new();
    let mut inbound: BTreeMap<NodeId, u32> = BTreeMap::new();
    for wire in &scene.links {
        let (from, to) = (end(wire.from), end(wire.to));
        let is_alone = from == wire.from
            && to == wire.to
            && !stands.contains_key(&wire.from)
            && !stands.contains_key(&wire.to);
        let key = (from, to, kind(wire.kind));
        let known = places.get(&key).copied().filter(|_| !is_alone);
        let place = known.unwrap_or_else(|| {
            let kind = match wire.kind {
                WireKind::Channel {
                    capacity, credit, ..
                } => {
                    let number = inbound.entry(to).or_insert(0);
                    *number += 1;
                    let (capacity, credit) = match is_alone {
                        true => (capacity, credit),
                        false => (2 * SHOWN, SHOWN),
                    };
                    WireKind::Channel {
                        number: *number - 1,
                        capacity,
                        credit,
                    }
                }
                other => other,
            };
            places.insert(key, wires.len());
            wires.push(Wire {
                from,
                to,
                kind,
                tokens: Vec::new(),
                blocked_by: None,
                ..wire.clone()
            });
            wires.len() - 1
        });
        let bundle = &mut wires[place];
        bundle.blocked_by = bundle.blocked_by.or(wire.blocked_by);
        bundle.tokens.extend(wire.tokens.iter().copied());
    }
    for bundle in wires.iter_mut() {
        thin_out(scene, bundle);
    }
    wires
}

/// Kinds of ways that are never one.
const fn kind(kind: WireKind) -> u8 {
    match kind {
        WireKind::Channel { .. } => 0,
        WireKind::Log => 1,
        WireKind::Trigger => 2,
        WireKind::Acknowledge => 3,
        WireKind::Notify => 4,
        WireKind::Request => 5,
        WireKind::Response => 6,
        WireKind::TwoPhaseCommit => 7,
    }
}

/// What travels through channels stays, each thing once; of what waits there, and of other messages, the first few.
fn thin_out(scene: &Scene, wire: &mut Wire) {
    let WireKind::Channel {
        credit, capacity, ..
    } = wire.kind
    else {
        let mut seen = HashSet::new();
        wire.tokens.sort_by_key(|token| token.ready);
        (wire.tokens).retain(|token| seen.len() < SHOWN as usize && seen.insert(token.kind));
        return;
    };
    wire.tokens.sort_by_key(|token| (token.queued, token.ready));
    let mut seen = HashSet::new();
    let (mut arrived, mut queued) = (0, 0);
    wire.tokens.retain(|token| {
        if seen.contains(&token.kind) {
            return false;
        }
        let is_record = matches!(token.kind, TokenKind::Record(_));
        let has_room = match (is_record, token.queued) {
            (false, _) => true,
            (true, true) => {
                queued += 1;
                queued <= capacity.saturating_sub(credit)
            }
            (true, false) if token.ready <= scene.at => {
                arrived += 1;
                arrived <= credit
            }
            (true, false) => true,
        };
        if has_room {
            seen.insert(token.kind);
        }
        has_room
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{Action, Page};
    use crate::text::Lang;

    /// A job with sixteen subtasks a vertex, in the middle of an alignment.
    fn wide() -> Rc<Scene> {
        let mut page = Page::open(
            "job.vertices.1.parallelism=16&job.edges.1.partitioning=rebalance",
            Lang::En,
        )
        .unwrap();
        assert_eq!(page.notice, None);
        for _ in 0..2_000 {
            page.update(Action::Step);
            let blocks = |wire: &Wire| wire.blocked_by.is_some();
            if page
                .view
                .scene
                .links
                .iter()
                .filter(|wire| blocks(wire))
                .count()
                > 3
            {
                break;
            }
        }
        Rc::clone(&page.view.scene)
    }

    #[test]
    fn a_scene_with_nothing_folded_is_itself() {
        let scene = wide();
        let folded = fold(&scene, &Folding::new());
        assert!(Rc::ptr_eq(&folded.scene, &scene));
        assert!(folded.families.is_empty());
    }

    #[test]
    fn a_family_is_one_thing_that_says_what_all_of_it_are() {
        let scene = wide();
        let known = families(&scene);
        assert!(
            known
                .iter()
                .any(|(name, count)| name == "total" && *count == 16),
            "{known:?}"
        );
        let folded = fold(&scene, &Folding::from(["total".to_owned()]));
        let of = |scene: &Scene| {
            scene
                .nodes
                .iter()
                .filter(|node| node.name == "total")
                .count()
        };
        assert_eq!((of(&scene), of(&folded.scene)), (16, 1));
        let family = folded.families.values().next().unwrap();
        assert_eq!((family.of, family.running), (16, 16));
        let blocked: usize = family.blocked.values().map(|(channels, _)| channels).sum();
        let gates = scene
            .nodes
            .iter()
            .filter(|node| node.name == "total")
            .map(|node| node.id);
        let gates: Vec<NodeId> = gates.collect();
        let into = |wire: &&Wire| {
            gates.contains(&wire.to) && matches!(wire.kind, WireKind::Channel { .. })
        };
        let expected = scene
            .links
            .iter()
            .filter(into)
            .filter(|wire| wire.blocked_by.is_some());
        assert_eq!(blocked, expected.count());
        assert!(blocked > 3);
        let ends: BTreeSet<NodeId> = folded.scene.nodes.iter().map(|node| node.id).collect();
        for wire in &folded.scene.links {
            assert!(
                ends.contains(&wire.from) && ends.contains(&wire.to),
                "{wire:?}"
            );
            for (at, token) in wire.tokens.iter().enumerate() {
                let again = wire
                    .tokens
                    .iter()
                    .skip(at + 1)
                    .any(|it| it.kind == token.kind);
                assert!(!again, "{token:?} twice");
            }
        }
    }
}
