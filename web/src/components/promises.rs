//! What the model promises, and whether each promise holds at the step that is shown, and if not, why.

use barrierscope_core::session::Standing;
use yew::{Html, classes, html};

use super::icon::{Shape, icon};
use crate::state::View;
use crate::text::search::{breach, concerned, promise};
use crate::text::{Label, Lang, label};

/// A line with all promises of a model whose records somebody reads.
pub(super) fn promises(view: &View, lang: Lang) -> Html {
    html! {
        <ul class="standing-promises" aria-label={label(lang, Label::Promises)} data-testid="promises">
            for promised in view.promises.iter() {
                { one(view, lang, promised.number, promised.standing) }
            }
        </ul>
    }
}

/// The first of those that a broken promise is about: the others are named by the account itself.
fn first_of(lang: Lang, all: &[String]) -> String {
    let Some(first) = all.first() else {
        return String::new();
    };
    match (lang, all.len() - 1) {
        (_, 0) => first.clone(),
        (Lang::En, more) => format!("{first}, and {more} more"),
        (Lang::Zh, more) => format!("{first}，另有 {more} 条"),
    }
}

fn one(view: &View, lang: Lang, number: u32, standing: Standing) -> Html {
    let (look, shape, says) = match standing {
        Standing::Shows => ("holds", Shape::Right, promise(lang, false, number)),
        Standing::Not => ("broken", Shape::Wrong, breach(lang, false, number)),
        Standing::NotAsked => ("not-asked", Shape::Neither, promise(lang, false, number)),
    };
    let why = match standing {
        Standing::Not => first_of(lang, &concerned(lang, view, number)),
        Standing::Shows => String::new(),
        Standing::NotAsked => label(lang, Label::PromisesAtEnd).to_owned(),
    };
    html! {
        <li
            class={classes!("promise", look)}
            data-testid={format!("promise-{number}")}
            data-standing={look}
        >
            <span class="sign">{ icon(shape) }</span>
            { says }
            if !why.is_empty() {
                <small>{ why }</small>
            }
        </li>
    }
}
