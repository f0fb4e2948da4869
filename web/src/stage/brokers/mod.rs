//! The Kafka that a job writes to, on the job's stage: which brokers have a replica of an output partition, folded
//! behind its log, and the transaction coordinator beside the checkpoint coordinator.

pub mod arrange;
pub mod ways;

use barrierscope_core::id::{Offset, PartitionId};
use barrierscope_core::kafka::transaction_state::TransactionState;
use barrierscope_core::scene::kafka::{ReplicaView, TransactionRow, TransactionsView};
use barrierscope_core::scene::{Facts, Health, Node, Scene};
use yew::{Callback, Html, KeyboardEvent, MouseEvent, html};

use super::geometry::{Rect, point, px};
use super::lettering::fitted;
use super::shape::{Anchor, cross, rect, stroke, words};
use crate::state::Action;
use crate::text::sink::face;
use crate::text::{self, Label, Lang, label};

/// From the edge of a box.
const INSET: f64 = 12.0;
/// Below this width a broker is called by its number only.
const SHORT: f64 = 103.0;
/// From one transactional id to the next.
const LINE: f64 = 15.0;

/// Whether a scene is that of a job whose output topic has brokers.
pub fn has_brokers(scene: &Scene) -> bool {
    let is = |node: &Node, is_it: fn(&Facts) -> bool| is_it(&node.facts);
    let mut nodes = scene.nodes.iter();
    nodes.any(|node| is(node, |facts| matches!(facts, Facts::Coordinator { .. })))
        && nodes.any(|node| is(node, |facts| matches!(facts, Facts::Transactions(_))))
}

/// What the leader of a partition knows to be on every replica that is in sync.
pub fn high_watermark(scene: &Scene, partition: PartitionId) -> Option<Offset> {
    scene.nodes.iter().find_map(|node| match &node.facts {
        Facts::Replica(view) if view.leads && view.partition == partition => {
            Some(view.high_watermark)
        }
        _ => None,
    })
}

/// A broker that has a replica of the partition above it.
pub fn broker(lang: Lang, node: &Node, view: &ReplicaView, place: &Rect) -> Html {
    let fate = text::fate(lang, node);
    let says = match fate {
        Some(fate) => format!("broker {} {fate}", view.broker),
        None => face::broker(lang, view),
    };
    let look = match (fate, view.leads, view.in_sync) {
        (Some(_), ..) => "label fate",
        (None, true, _) => "label leads",
        (None, false, true) => "label",
        (None, false, false) => "label behind",
    };
    let room = place.w - 3.0;
    // Where there is little room, all that is here is a broker.
    let says = match place.w < SHORT {
        true => says.trim_start_matches("broker ").to_owned(),
        false => says,
    };
    html! {
        <>
            { words(look, point(place.w / 2.0, 14.0), Anchor::Middle, fitted(&says, room)) }
            if node.health == Health::Crashed {
                { cross(&Rect { w: place.w + 6.0, ..*place }) }
            }
        </>
    }
}

/// The transaction coordinator: its ids, those first that are not at rest.
pub fn transactions(lang: Lang, node: &Node, view: &TransactionsView, place: &Rect) -> Html {
    let shown = arrange::ID_ROWS;
    let rows = in_order(&view.rows);
    let more = rows.len().saturating_sub(shown);
    let right = point(place.w - INSET, 17.0);
    html! {
        <>
            { words("label", point(INSET, 17.0), Anchor::Start, label(lang, Label::Transactions)) }
            if let Some(fate) = text::fate(lang, node) {
                { words("label fate", right, Anchor::End, fate) }
            } else if more > 0 {
                { words("label", right, Anchor::End, format!("+{more}")) }
            }
            if rows.is_empty() {
                { words("label", point(INSET, 33.0), Anchor::Start, lang.pick("no transactional.id yet", "尚无事务 ID")) }
            }
            for (at, row) in rows.into_iter().take(shown).enumerate() {
                { id(lang, row, 33.0 + LINE * at as f64, place.w - 2.0 * INSET) }
            }
            if node.health == Health::Crashed {
                { cross(place) }
            }
        </>
    }
}

fn id(lang: Lang, row: &TransactionRow, y: f64, room: f64) -> Html {
    let says = face::transactional(lang, row);
    let look = if is_at_rest(row) { "label" } else { "" };
    words(look, point(INSET, y), Anchor::Start, fitted(&says, room))
}

/// What is open, or on its way to an end, comes first; then what was used last.
fn in_order(rows: &[TransactionRow]) -> Vec<&TransactionRow> {
    let mut rows: Vec<&TransactionRow> = rows.iter().collect();
    rows.sort_by_key(|row| (is_at_rest(row), std::cmp::Reverse(row.number)));
    rows
}

const fn is_at_rest(row: &TransactionRow) -> bool {
    row.pending.is_none()
        && matches!(
            row.state,
            TransactionState::Empty
                | TransactionState::CompleteCommit
                | TransactionState::CompleteAbort
        )
}

/// The button that unfolds the logs of the replicas, or folds them again.
pub fn fold(lang: Lang, place: &Rect, unfolded: bool, on: &Callback<Action>) -> Html {
    let (says, shape) = match unfolded {
        false => (Label::ShowReplicas, "M-2.5 -4L2.5 0L-2.5 4"),
        true => (Label::HideReplicas, "M-4 -2.5L0 2.5L4 -2.5"),
    };
    let says = label(lang, says);
    let press = on.reform(move |_: MouseEvent| Action::Replicas(!unfolded));
    let key = {
        let on = on.clone();
        Callback::from(move |event: KeyboardEvent| {
            if matches!(event.key().as_str(), "Enter" | " ") {
                event.prevent_default();
                event.stop_propagation();
                on.emit(Action::Replicas(!unfolded));
            }
        })
    };
    let middle = place.centre();
    html! {
        <g
            class="fold"
            tabindex="0"
            role="button"
            aria-label={says}
            aria-expanded={unfolded.to_string()}
            data-testid="fold"
            onclick={press}
            onkeydown={key}
        >
            <title>{ says }</title>
            { rect("box", place, 5.0) }
            <g transform={format!("translate({} {})", px(middle.x), px(middle.y))}>
                { stroke("arrow", shape) }
            </g>
        </g>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use barrierscope_core::kafka::batch::ProducerId;

    fn row(
        number: u32,
        state: TransactionState,
        pending: Option<TransactionState>,
    ) -> TransactionRow {
        TransactionRow {
            number,
            transactional_id: format!("sink-0-{number}"),
            state,
            pending,
            producer: ProducerId(number),
            epoch: None,
            partitions: Vec::new(),
            offsets: false,
            unmarked: 0,
            locked: false,
        }
    }

    #[test]
    fn what_is_open_stands_above_what_is_over() {
        use TransactionState::{CompleteCommit, Empty, Ongoing, PrepareCommit};
        let rows = [
            row(1, CompleteCommit, None),
            row(2, Ongoing, None),
            row(3, Empty, None),
            row(4, Empty, Some(PrepareCommit)),
        ];
        let order: Vec<u32> = in_order(&rows).iter().map(|row| row.number).collect();
        assert_eq!(order, [4, 2, 3, 1]);
    }
}
