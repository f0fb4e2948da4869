//! Clients: what they are to the brokers, what they have under way, and how far they are.

use barrierscope_core::scene::kafka::{ClientTransaction, ConsumerView, ProducerView, StoreView};
use barrierscope_core::scene::{Health, Node};
use yew::{Html, classes, html};

use super::{Context, dead, fate, line, session_class};
use crate::stage::geometry::{Rect, point};
use crate::stage::shape::{Anchor, rect, words};
use crate::text::Lang;
use crate::text::kafka::{self, face};

/// Between the edges of a box and what it holds.
const INSET: f64 = 10.0;
/// From one line to the next.
const PITCH: f64 = 15.0;
/// So many batches under way are shown.
const BATCHES: usize = 2;
/// So many partitions are shown.
const PARTITIONS: usize = 4;

/// Writes line below line.
struct Lines<'a, 'b> {
    context: &'a Context<'b>,
    y: f64,
    done: Vec<Html>,
}

impl<'a, 'b> Lines<'a, 'b> {
    fn new(context: &'a Context<'b>, node: &Node) -> Self {
        let mut lines = Self {
            context,
            y: 19.0,
            done: Vec::new(),
        };
        lines.add("title", &node.name);
        lines.y += 1.0;
        lines
    }

    fn room(&self) -> f64 {
        self.context.place.w - 2.0 * INSET
    }

    fn add(&mut self, class: &'static str, text: &str) {
        self.done
            .push(line(class, INSET, self.y, self.room(), text));
        self.y += PITCH;
    }

    /// A plate in the colour of the producer's session.
    fn plate(&mut self, view: &ProducerView, look: &'static str, text: &str) {
        let body = Rect {
            x: INSET - 2.0,
            y: self.y - 12.5,
            w: self.room() + 4.0,
            h: 17.0,
        };
        let room = self.room() - 6.0;
        self.done.push(html! {
            <g class={classes!("chip", look, session_class(view.session))}>
                { rect("", &body, 5.0) }
                { line("", INSET + 4.0, self.y, room, text) }
            </g>
        });
        self.y += 19.0;
    }

    fn show(self, node: &Node) -> Html {
        html! {
            <>
                for part in self.done {
                    { part }
                }
                { dead(self.context, node) }
            </>
        }
    }
}

/// Whether a client runs; if not, that is said in the place of all else.
fn is_up(lines: &mut Lines<'_, '_>, node: &Node) -> bool {
    if let Some(fate) = fate(lines.context, node) {
        lines.add("label fate", fate);
    }
    matches!(node.health, Health::Running)
}

fn writes(lines: &mut Lines<'_, '_>, view: &ProducerView) {
    let (lang, nodes) = (lines.context.lang, lines.context.nodes);
    let session = face::session(lang, view);
    match (view.session, face::transaction(lang, view.transaction)) {
        (Some(_), Some(transaction)) => {
            let look = match view.transaction {
                ClientTransaction::Open
                | ClientTransaction::Committing
                | ClientTransaction::Aborting => "open",
                _ => "solid",
            };
            lines.add("label", &session);
            lines.plate(view, look, transaction);
        }
        (None, Some(transaction)) => lines.add("label", transaction),
        (_, None) => lines.add("label", &session),
    }
    // A Streams application sends what it makes of what it reads.
    if view.records > 0 {
        lines.add("label", &face::sent(lang, view, lines.context.acks));
    }
    for batch in view.outstanding.iter().take(BATCHES) {
        let name = kafka::partition(nodes, batch.partition);
        let class = if batch.in_flight { "flying" } else { "label" };
        lines.add(class, &face::batch(&name, batch, lines.context.records));
    }
    let more = view.outstanding.len().saturating_sub(BATCHES);
    if more > 0 {
        // In the line of the last one there is no room.
        let at = point(lines.context.place.w - INSET, 19.0);
        let says = match lang {
            Lang::En => format!("{} in flight", view.outstanding.len()),
            Lang::Zh => format!("在途 {}", view.outstanding.len()),
        };
        lines.done.push(words("label", at, Anchor::End, says));
    }
}

fn reads(lines: &mut Lines<'_, '_>, view: &ConsumerView) {
    let (lang, nodes) = (lines.context.lang, lines.context.nodes);
    let generation = match (view.generation, lang) {
        (None, Lang::En) => "not joined".to_owned(),
        (None, Lang::Zh) => "未加入".to_owned(),
        (Some(number), Lang::En) => format!("generation {number}"),
        (Some(number), Lang::Zh) => format!("第 {number} 代"),
    };
    lines.add("label", &format!("{} · {generation}", view.group));
    lines.add("label", face::isolation(view.isolation));
    if view.failed {
        let says = lang.pick("no offset to go on from", "没有可继续的位移");
        lines.add("label wrong", says);
    }
    for row in view.rows.iter().take(PARTITIONS) {
        let name = kafka::partition(nodes, row.partition);
        lines.add("label", &face::position(lang, &name, row));
    }
    let work = match (view.working.is_empty(), view.buffered.is_empty()) {
        (false, _) => Some((lang.pick("works on", "处理"), &view.working)),
        (true, false) => Some((lang.pick("polled", "已拉取"), &view.buffered)),
        (true, true) => None,
    };
    if let Some((word, records)) = work {
        lines.add(
            "flying",
            &format!("{word} {}", face::numbers(records, lines.context.records)),
        );
    }
}

/// An application with a producer.
pub(super) fn producer(context: &Context<'_>, node: &Node, view: &ProducerView) -> Html {
    let mut lines = Lines::new(context, node);
    if is_up(&mut lines, node) {
        writes(&mut lines, view);
    }
    lines.show(node)
}

/// An application with a consumer.
pub(super) fn consumer(context: &Context<'_>, node: &Node, view: &ConsumerView) -> Html {
    let mut lines = Lines::new(context, node);
    if is_up(&mut lines, node) {
        reads(&mut lines, view);
    }
    lines.show(node)
}

/// A Kafka Streams application.
pub(super) fn streams(
    context: &Context<'_>,
    node: &Node,
    consumer: &ConsumerView,
    producer: &ProducerView,
    store: Option<&StoreView>,
) -> Html {
    let mut lines = Lines::new(context, node);
    if is_up(&mut lines, node) {
        reads(&mut lines, consumer);
        writes(&mut lines, producer);
        if let Some(store) = store {
            let all: u32 = store.counts.iter().map(|(_, count)| count).sum();
            let says = match context.lang {
                Lang::En => format!("store: {all} counted"),
                Lang::Zh => format!("本地状态：计入 {all}"),
            };
            lines.add("label", &says);
        }
    }
    lines.show(node)
}
