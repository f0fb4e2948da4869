//! The coordinators: transactional ids and where they are, groups and what they have committed.

use barrierscope_core::scene::Node;
use barrierscope_core::scene::kafka::{GroupsView, TransactionsView};
use yew::{Html, html};

use super::arrange::ROWS;
use super::{Context, dead, fate, line};
use crate::stage::geometry::point;
use crate::stage::shape::{Anchor, words};
use crate::text::kafka::{self, face};
use crate::text::{self, Lang};

/// From the edge of the box.
const INSET: f64 = 12.0;

/// The transaction coordinator.
pub(super) fn transactions(context: &Context<'_>, node: &Node, view: &TransactionsView) -> Html {
    let rows = view.rows.iter().take(ROWS);
    let rows = rows
        .map(|row| face::transactional(context.lang, row))
        .collect();
    let nothing = context.lang.pick("no transactional.id yet", "尚无事务 ID");
    show(context, node, rows, view.rows.len(), nothing)
}

/// The group coordinator.
pub(super) fn groups(context: &Context<'_>, node: &Node, view: &GroupsView) -> Html {
    let lang = context.lang;
    let rows = view.groups.iter().take(ROWS).map(|group| {
        let state = match (group.rebalancing, lang) {
            (true, Lang::En) => " · rebalancing",
            (true, Lang::Zh) => " · 重平衡中",
            (false, _) => "",
        };
        let members = group.members.len();
        let head = match lang {
            Lang::En => format!(
                "{} · generation {} · {members} member{}{state}",
                group.name,
                group.generation,
                if members == 1 { "" } else { "s" }
            ),
            Lang::Zh => format!(
                "{} · 第 {} 代 · {members} 个成员{state}",
                group.name, group.generation
            ),
        };
        let offsets: Vec<String> = (group.rows.iter())
            .map(|row| face::offset(lang, &kafka::partition(context.nodes, row.partition), row))
            .collect();
        let word = lang.pick("committed ", "已提交 ");
        [head, format!("{word}{}", offsets.join(" · "))]
    });
    let nothing = lang.pick("no group yet", "尚无消费者组");
    show(context, node, rows.collect(), view.groups.len(), nothing)
}

fn show(
    context: &Context<'_>,
    node: &Node,
    rows: Vec<[String; 2]>,
    count: usize,
    nothing: &'static str,
) -> Html {
    let room = context.place.w - 2.0 * INSET;
    let more = count.saturating_sub(rows.len());
    let name = text::name(context.lang, node);
    let right = point(context.place.w - INSET, 16.0);
    html! {
        <>
            { words("label", point(INSET, 16.0), Anchor::Start, name) }
            if let Some(fate) = fate(context, node) {
                { words("label fate", right, Anchor::End, fate) }
            } else if more > 0 {
                { words("label", right, Anchor::End, format!("+{more}")) }
            }
            if rows.is_empty() {
                { line("label", INSET, 33.0, room, nothing) }
            }
            for (at, [head, rest]) in rows.into_iter().enumerate() {
                { line("strong", INSET, 32.0 + 30.0 * at as f64, room, &head) }
                { line("label", INSET, 46.0 + 30.0 * at as f64, room, &rest) }
            }
            { dead(context, node) }
        </>
    }
}
