//! The ways of looking at a run: the stage, and tables; and the gallery, which is about no run.

use yew::{Callback, Html, MouseEvent, Properties, component, html};

use crate::state::{Action, Model, Sight};
use crate::text::{Label, Lang, label};

/// What the switch depends on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// The language.
    pub lang: Lang,
    /// The model of the run.
    pub model: Model,
    /// What is shown.
    pub sight: Sight,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The switch between the ways of looking at a run.
#[component]
pub fn Views(props: &Props) -> Html {
    let lang = props.lang;
    html! {
        <div class="segmented views" role="group" aria-label={label(lang, Label::Views)}>
            for sight in props.model.sights().iter().copied().filter(|it| is_offered(*it, props.sight)) {
                <button
                    aria-pressed={(sight == props.sight).to_string()}
                    title={format!("{} ({})", name(lang, sight), key(sight))}
                    data-testid={format!("view-{}", sight.code())}
                    onclick={props.on.reform(move |_: MouseEvent| Action::Look(sight))}
                >
                    { name(lang, sight) }
                </button>
            }
        </div>
    }
}

/// Whether there is a button for it: the way to the fault matrix is in the account, whose question it answers, that to
/// the statements in the search, which decides them, and that to the editor beside the scenario's name.
fn is_offered(sight: Sight, shown: Sight) -> bool {
    !matches!(sight, Sight::FaultMatrix | Sight::Claims | Sight::Editor) || shown == sight
}

/// What it is called.
pub const fn name(lang: Lang, sight: Sight) -> &'static str {
    label(
        lang,
        match sight {
            Sight::Watch => Label::Watch,
            Sight::Checkpoints => Label::Checkpoints,
            Sight::Compare => Label::Compare,
            Sight::Guarantees => Label::Guarantees,
            Sight::FaultMatrix => Label::FaultMatrix,
            Sight::Search => Label::SearchTab,
            Sight::Claims => Label::ClaimsTab,
            Sight::Editor => Label::Editor,
            Sight::Lessons => Label::Lessons,
            Sight::Gallery => Label::Gallery,
        },
    )
}

/// The key that leads there.
pub const fn key(sight: Sight) -> &'static str {
    match sight {
        Sight::Watch => "w",
        Sight::Checkpoints => "k",
        Sight::Compare => "m",
        Sight::Guarantees => "g",
        Sight::FaultMatrix => "t",
        Sight::Search => "b",
        Sight::Claims => "a",
        Sight::Editor => "e",
        Sight::Lessons => "l",
        Sight::Gallery => "f",
    }
}
