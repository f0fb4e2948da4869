//! What a search is asked for: the budget of faults, whom they may hit, the memory, and in which order it looks.

use barrierscope_core::models::spared::Spared;
use barrierscope_core::scene::Facts;
use web_sys::HtmlSelectElement;
use yew::{Callback, Event, Html, TargetCast, html};

use super::Props;
use crate::state::search::{Deed, MEMORY, MOST_FAULTS, Wanted};
use crate::state::{Action, View, can_crash};
use crate::text::{Label, Lang, label, name, number};

/// The settings of the search, and the button that begins it.
pub(super) fn asked(props: &Props) -> Html {
    let (lang, wanted) = (props.lang, &props.search.wanted);
    let is_running = props.search.running().is_some();
    let begun = props.search.answers[0].is_some();
    let word = if begun {
        Label::SearchAgain
    } else {
        Label::SearchBegin
    };
    html! {
        <div class="search-asked" role="group" aria-label={label(lang, Label::SearchView)}>
            { budget(props, wanted) }
            { kinds(props, wanted) }
            { who(props, wanted) }
            <label class="search-choice">
                <span>{ label(lang, Label::SearchMemory) }</span>
                <select onchange={memory(props, wanted)} data-testid="search-memory">
                    for most in MEMORY {
                        <option value={most.to_string()} selected={most == wanted.memory}>
                            { format!("{} MB", number(most.into())) }
                        </option>
                    }
                </select>
            </label>
            { order(props, wanted) }
            <button
                class="primary"
                disabled={is_running}
                onclick={props.does(Deed::Begin)}
                data-testid="search-begin"
            >
                { label(lang, word) }
            </button>
        </div>
    }
}

fn want(props: &Props, wanted: Wanted) -> Callback<yew::MouseEvent> {
    props.does(Deed::Want(wanted))
}

fn budget(props: &Props, wanted: &Wanted) -> Html {
    let lang = props.lang;
    html! {
        <div class="search-choice">
            <span>{ label(lang, Label::SearchFaults) }</span>
            <div class="segmented small" role="group" aria-label={label(lang, Label::SearchFaults)}>
                for faults in 0..=MOST_FAULTS {
                    <button
                        aria-pressed={(faults == wanted.faults).to_string()}
                        onclick={want(props, Wanted { faults, ..wanted.clone() })}
                        data-testid={format!("faults-{faults}")}
                    >
                        { faults }
                    </button>
                }
            </div>
        </div>
    }
}

/// A box that is ticked unless something is spared.
fn tick(props: &Props, says: String, is_spared: bool, other: Wanted, id: String) -> Html {
    html! {
        <label class="search-tick">
            <input
                type="checkbox"
                checked={!is_spared}
                onchange={props.on.reform(move |_: Event| Action::Search(Deed::Want(other.clone())))}
                data-testid={id}
            />
            { says }
        </label>
    }
}

fn kinds(props: &Props, wanted: &Wanted) -> Html {
    let lang = props.lang;
    let with = |crashes: bool, messages: bool| Wanted {
        spared: Spared {
            crashes,
            messages,
            ..wanted.spared.clone()
        },
        ..wanted.clone()
    };
    let Spared {
        crashes, messages, ..
    } = wanted.spared;
    html! {
        <div class="search-choice" role="group" aria-label={label(lang, Label::SearchKinds)}>
            <span>{ label(lang, Label::SearchKinds) }</span>
            { tick(props, label(lang, Label::SearchCrashes).to_owned(), crashes, with(!crashes, messages), "kind-crashes".to_owned()) }
            { tick(props, label(lang, Label::SearchMessages).to_owned(), messages, with(crashes, !messages), "kind-messages".to_owned()) }
        </div>
    }
}

/// Those to whom something can happen, each with the number by which the core spares it.
fn parts(view: &View, lang: Lang) -> Vec<(u16, String)> {
    let mut parts: Vec<(u16, String)> = Vec::new();
    for node in view.scene.nodes.iter().filter(|node| can_crash(node)) {
        let says = match &node.facts {
            // A broker is one thing, whatever replicas are on it.
            Facts::Replica(replica) => format!("broker {}", replica.broker),
            // It cannot crash in this model.
            Facts::Groups(_) => continue,
            _ => name(lang, node),
        };
        if !parts.iter().any(|(_, known)| *known == says) {
            parts.push((node.id.0, says));
        }
    }
    parts
}

fn who(props: &Props, wanted: &Wanted) -> Html {
    let (lang, spared) = (props.lang, &wanted.spared.nodes);
    let parts = parts(&props.view, lang);
    let hit = parts.iter().filter(|(id, _)| !spared.contains(id)).count();
    let other = |id: u16| {
        let mut nodes = spared.clone();
        match nodes.iter().position(|it| *it == id) {
            Some(at) => {
                nodes.remove(at);
            }
            None => nodes.push(id),
        }
        Wanted {
            spared: Spared {
                nodes,
                ..wanted.spared.clone()
            },
            ..wanted.clone()
        }
    };
    html! {
        <details class="search-choice who">
            <summary>
                <span>{ label(lang, Label::SearchWho) }</span>
                <b>{ format!("{hit}/{}", parts.len()) }</b>
            </summary>
            <div class="search-ticks">
                for (id, says) in parts.iter().cloned() {
                    { tick(props, says, spared.contains(&id), other(id), format!("who-{id}")) }
                }
            </div>
        </details>
    }
}

fn memory(props: &Props, wanted: &Wanted) -> Callback<Event> {
    let wanted = wanted.clone();
    props.on.reform(move |event: Event| {
        let select: HtmlSelectElement = event.target_unchecked_into();
        let memory = select.value().parse().unwrap_or(wanted.memory);
        Action::Search(Deed::Want(Wanted {
            memory,
            ..wanted.clone()
        }))
    })
}

fn order(props: &Props, wanted: &Wanted) -> Html {
    let lang = props.lang;
    let sides = [
        (false, Label::SearchEvery, "order-every"),
        (true, Label::SearchRandom, "order-random"),
    ];
    html! {
        <div class="search-choice">
            <span>{ label(lang, Label::SearchOrder) }</span>
            <div class="segmented small" role="group" aria-label={label(lang, Label::SearchOrder)}>
                for (random, says, id) in sides {
                    <button
                        aria-pressed={(random == wanted.random).to_string()}
                        title={random.then(|| label(lang, Label::SearchRandomHint))}
                        onclick={want(props, Wanted { random, ..wanted.clone() })}
                        data-testid={id}
                    >
                        { label(lang, says) }
                    </button>
                }
            </div>
        </div>
    }
}
