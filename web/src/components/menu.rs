//! What can be done with a node: opened on the node itself.

use std::rc::Rc;

use barrierscope_core::id::NodeId;
use barrierscope_core::scene::votes::VotesChoice;
use barrierscope_core::scene::{Choice, KafkaChoice};
use web_sys::HtmlElement;
use yew::{
    Callback, Html, KeyboardEvent, MouseEvent, PointerEvent, Properties, component, html,
    use_effect_with, use_node_ref,
};

use crate::browser::{focus, focused, window_size};
use crate::stage::geometry::{Point, px};
use crate::state::{Action, View, can_crash, is_subtask};
use crate::text::{self, Label, Lang, choice, label};

/// What the menu depends on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// What is shown.
    pub view: Rc<View>,
    /// The language.
    pub lang: Lang,
    /// The node.
    pub node: NodeId,
    /// Where it was opened, in the window.
    pub at: Point,
    /// Where actions go.
    pub on: Callback<Action>,
    /// Closes the menu.
    pub close: Callback<()>,
}

/// The menu of a node.
#[component]
pub fn Menu(props: &Props) -> Html {
    let list = use_node_ref();
    {
        let list = list.clone();
        use_effect_with((), move |()| {
            let before = focused();
            let first = list
                .cast::<HtmlElement>()
                .and_then(|list| list.query_selector("button:not(:disabled)").ok().flatten());
            if let Some(first) = first {
                focus(&first);
            }
            // Who opened the menu by a key goes on where they were.
            move || {
                if let Some(before) = before {
                    focus(&before);
                }
            }
        });
    }
    let Some(node) = props.view.node(props.node) else {
        return html! {};
    };
    let (lang, id, view) = (props.lang, props.node, &props.view);
    let lexicon = view.lexicon(lang);
    let act = |action: Action| {
        let (on, close) = (props.on.clone(), props.close.clone());
        Callback::from(move |_: MouseEvent| {
            close.emit(());
            on.emit(action.clone());
        })
    };
    let key = {
        let (close, list) = (props.close.clone(), list.clone());
        Callback::from(move |event: KeyboardEvent| {
            // The keys of the page mean nothing here.
            event.stop_propagation();
            let step = match event.key().as_str() {
                "Escape" | "Tab" => {
                    close.emit(());
                    return;
                }
                "ArrowDown" => 1,
                "ArrowUp" => -1,
                _ => return,
            };
            event.prevent_default();
            if let Some(list) = list.cast::<HtmlElement>() {
                walk(&list, step);
            }
        })
    };
    // At the press, not at the click: the release of the long touch that opened the menu makes one, too.
    let outside = {
        let close = props.close.clone();
        Callback::from(move |event: PointerEvent| {
            event.prevent_default();
            close.emit(());
        })
    };
    let no_other = Callback::from(|event: MouseEvent| event.prevent_default());
    let (w, h) = window_size();
    // A little away from the pointer, so that no item lies below it yet.
    let x = (props.at.x + 8.0).min(w - 270.0).max(8.0);
    let crash = view.crash_of(id);
    let here = |choice: &&Choice| match choice {
        Choice::Crash { .. }
        | Choice::Kafka(KafkaChoice::Crash { .. })
        | Choice::Votes(VotesChoice::Crash { .. }) => false,
        // A TaskManager is lost where its subtasks are.
        Choice::LoseTaskManager { number, .. } => {
            choice.node() == id || is_subtask(node) && node.task_manager == Some(*number)
        }
        _ => view.is_at(**choice, id),
    };
    let (faults, others): (Vec<_>, Vec<_>) =
        (view.choices.iter().copied().filter(|choice| here(&choice))).partition(Choice::is_fault);
    // Some take two lines.
    let high = 130.0 + 48.0 * (faults.len() + others.len()) as f64;
    let y = (props.at.y + 8.0).min(h - high).max(8.0);
    // A replica crashes with its broker.
    let name = text::kafka::name(lang, &view.scene.nodes, node);
    let words = match lang {
        Lang::En => format!("Crash {name}"),
        Lang::Zh => format!("使 {name} 崩溃"),
    };
    html! {
        <>
            <div class="veil" onpointerdown={outside} oncontextmenu={no_other} />
            <div
                class="menu"
                role="menu"
                aria-label={name.clone()}
                ref={list}
                style={format!("left:{}px;top:{}px", px(x), px(y))}
                onkeydown={key}
            >
                <p class="menu-title">{ name }</p>
                if can_crash(node) || crash.is_some() {
                    <button
                        role="menuitem"
                        class="danger"
                        disabled={crash.is_none()}
                        onclick={act(Action::Crash(id))}
                        data-testid="menu-crash"
                    >
                        { words }
                        <kbd>{ "c" }</kbd>
                    </button>
                }
                for fault in faults {
                    <button
                        role="menuitem"
                        class="danger"
                        onclick={act(Action::Do(fault))}
                        data-testid="menu-fault"
                    >
                        { choice(&lexicon, fault) }
                    </button>
                }
                for other in others {
                    <button role="menuitem" onclick={act(Action::Do(other))}>
                        { choice(&lexicon, other) }
                    </button>
                }
                <button role="menuitem" onclick={act(Action::Select(Some(id)))}>
                    { label(lang, Label::Inspect) }
                    <kbd>{ "Enter" }</kbd>
                </button>
            </div>
        </>
    }
}

/// Moves the focus among the items, round and round.
fn walk(list: &HtmlElement, step: i32) {
    let Ok(items) = list.query_selector_all("button:not(:disabled)") else {
        return;
    };
    let count = items.length() as i32;
    let active = web_sys::window()
        .and_then(|window| window.document())
        .and_then(|document| document.active_element());
    let here = (0..count).find(|at| {
        let item = items.get(*at as u32);
        item.as_ref() == active.as_ref().map(AsRef::as_ref)
    });
    let next = (here.unwrap_or(-1) + step).rem_euclid(count.max(1));
    if let Some(item) = items.get(next as u32) {
        crate::browser::focus(wasm_bindgen::JsCast::unchecked_ref(&item));
    }
}
