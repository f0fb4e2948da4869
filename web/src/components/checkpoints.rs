//! The checkpoints of the run up to the step that is looked at, in a table.

use std::rc::Rc;

use yew::{Callback, Html, Properties, component, html};

use super::checkpoint_row::CheckpointRow;
use crate::state::{Action, Entry, View, history};
use crate::text::{Label, Lang, checkpoint, label};

/// What the table depends on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// What is shown.
    pub view: Rc<View>,
    /// The language.
    pub lang: Lang,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// So many are listed; nobody scrolls further.
const LISTED: usize = 100;

/// The columns behind the checkpoint's number.
const COLUMNS: [Label; 10] = [
    Label::Kind,
    Label::Status,
    Label::Acknowledged,
    Label::EndToEnd,
    Label::StartDelay,
    Label::Alignment,
    Label::SyncPart,
    Label::AsyncPart,
    Label::Processed,
    Label::Size,
];

/// The table of checkpoints.
#[component]
pub fn Checkpoints(props: &Props) -> Html {
    let lang = props.lang;
    let (entries, older) = history(&props.view, LISTED);
    let names = Rc::new(names(&props.view, lang));
    html! {
        <section
            class="sheet panel"
            id="stage"
            aria-label={label(lang, Label::Checkpoints)}
            data-testid="checkpoints"
        >
            <h2 tabindex="0">{ label(lang, Label::Checkpoints) }</h2>
            <p class="hint">{ label(lang, Label::CheckpointsHint) }</p>
            if entries.is_empty() {
                <p class="nothing">{ label(lang, Label::NoCheckpoints) }</p>
            } else {
                <div class="table-frame" data-scrolls="true">
                    <table class="checkpoints">
                        <thead>
                            <tr>
                                <th scope="col">{ label(lang, Label::Column) }</th>
                                for column in COLUMNS {
                                    <th scope="col">{ label(lang, column) }</th>
                                }
                            </tr>
                        </thead>
                        for entry in entries {
                            { row(props, entry, Rc::clone(&names)) }
                        }
                    </table>
                </div>
                if older > 0 {
                    <p class="hint">{ checkpoint::older(lang, older) }</p>
                }
                <p class="hint bars-hint">{ label(lang, Label::BarsHint) }</p>
            }
        </section>
    }
}

fn row(props: &Props, entry: Entry, names: Rc<Vec<String>>) -> Html {
    let key = entry.checkpoint.0;
    html! { <CheckpointRow {key} {entry} {names} lang={props.lang} on={props.on.clone()} /> }
}

/// What the subtasks are called, in their order.
fn names(view: &View, lang: Lang) -> Vec<String> {
    let lexicon = view.lexicon(lang);
    view.subtasks().map(|node| lexicon.node(node.id)).collect()
}
