//! What may be done next, grouped by who does it; and what may not, with its reason.

use barrierscope_core::id::NodeId;
use barrierscope_core::scene::{Choice, Withheld};
use yew::{Callback, Html, MouseEvent, classes, html};

use super::option_name::breakable;
use crate::state::{Action, View};
use crate::text::{self, Label, Lang, Lexicon, choice, label, number};

/// What one of those who act may do and may not.
#[derive(Debug, Default, PartialEq)]
struct Group {
    /// By their numbers in the whole list.
    may: Numbered,
    may_not: Vec<Withheld>,
}

/// By who acts, in the order in which they come.
type Groups = Vec<(NodeId, Group)>;
/// Choices by their numbers in the whole list.
type Numbered = Vec<(usize, Choice)>;

/// So much of what may not be done is listed, in all.
const LISTED: usize = 24;

/// What may be done next.
pub(super) fn next(view: &View, lang: Lang, playing: bool, on: &Callback<Action>) -> Html {
    if playing {
        return html! {
            <section class="next">
                <h2>{ label(lang, Label::Next) }</h2>
                <p class="hint">{ label(lang, Label::PauseToChoose) }</p>
            </section>
        };
    }
    let withheld = view.withheld();
    let left_out = withheld.len().saturating_sub(LISTED);
    let (groups, faults) = grouped(&view.choices, withheld);
    let lexicon = view.lexicon(lang);
    html! {
        <section class="next">
            <h2>{ label(lang, Label::Next) }</h2>
            if view.choices.is_empty() {
                <p class="hint">{ label(lang, Label::NothingNext) }</p>
            }
            <div data-testid="choices">
                for (node, group) in groups.iter() {
                    { of(&lexicon, *node, group, on) }
                }
                if left_out > 0 {
                    <p class="hint">{ text::withheld::more(lang, left_out) }</p>
                }
                if !faults.is_empty() {
                    <h3>{ label(lang, Label::NextFaults) }</h3>
                    <ol>
                        for (number, fault) in faults {
                            { item(&lexicon, number, fault, on) }
                        }
                    </ol>
                }
            </div>
            if !view.choices.is_empty() {
                <p class="hint">{ label(lang, Label::NextHint) }</p>
            }
        </section>
    }
}

/// By who acts, in the order in which they come; faults, which nobody decides, apart.
fn grouped(choices: &[Choice], withheld: Vec<Withheld>) -> (Groups, Numbered) {
    let mut groups = Groups::new();
    let mut faults = Numbered::new();
    let at = |groups: &mut Groups, node: NodeId| {
        let known = groups.iter().position(|(other, _)| *other == node);
        known.unwrap_or_else(|| {
            groups.push((node, Group::default()));
            groups.len() - 1
        })
    };
    for (number, choice) in choices.iter().enumerate() {
        if choice.is_fault() {
            faults.push((number, *choice));
            continue;
        }
        let place = at(&mut groups, choice.node());
        groups[place].1.may.push((number, *choice));
    }
    for withheld in withheld.into_iter().take(LISTED) {
        let place = at(&mut groups, withheld.node);
        groups[place].1.may_not.push(withheld);
    }
    (groups, faults)
}

fn of(lexicon: &Lexicon<'_>, node: NodeId, group: &Group, on: &Callback<Action>) -> Html {
    html! {
        <>
            <h3>{ breakable(&lexicon.node(node)) }</h3>
            <ol>
                for (number, choice) in group.may.iter() {
                    { item(lexicon, *number, *choice, on) }
                }
                for withheld in group.may_not.iter() {
                    <li class="withheld" data-testid="withheld">
                        <span>{ breakable(&text::withheld::deed(lexicon, withheld)) }</span>
                        <em>{ breakable(&text::withheld::why(lexicon, withheld)) }</em>
                    </li>
                }
            </ol>
        </>
    }
}

fn item(lexicon: &Lexicon<'_>, place: usize, what: Choice, on: &Callback<Action>) -> Html {
    let key = if place < 9 {
        number(place as u64 + 1)
    } else {
        "·".to_owned()
    };
    html! {
        <li>
            <button
                data-testid="choice"
                class={classes!("choice", what.is_fault().then_some("danger"))}
                onclick={on.reform(move |_: MouseEvent| Action::Choose(place))}
            >
                <kbd>{ key }</kbd>
                <span>{ breakable(&choice(lexicon, what)) }</span>
            </button>
        </li>
    }
}

#[cfg(test)]
mod tests {
    use barrierscope_core::id::CheckpointId;
    use barrierscope_core::scene::{Deed, Why};

    use super::*;

    #[test]
    fn every_choice_keeps_its_number_and_stands_with_who_does_it() {
        let (one, other) = (NodeId(3), NodeId(8));
        let choices = [
            Choice::GoOn { subtask: one },
            Choice::Run { coordinator: other },
            Choice::Block { subtask: one },
            Choice::Crash { subtask: one },
        ];
        let waits = Withheld {
            node: NodeId(5),
            what: Deed::Complete(CheckpointId(1)),
            why: Why::Acknowledgements(vec![one]),
        };
        let (groups, faults) = grouped(&choices, vec![waits]);
        let nodes: Vec<NodeId> = groups.iter().map(|(node, _)| *node).collect();
        assert_eq!(nodes, [one, other, NodeId(5)]);
        let numbers = |at: usize| -> Vec<usize> {
            groups[at].1.may.iter().map(|(number, _)| *number).collect()
        };
        assert_eq!(
            (numbers(0), numbers(1), numbers(2)),
            (vec![0, 2], vec![1], vec![])
        );
        assert_eq!(groups[2].1.may_not.len(), 1);
        assert_eq!(faults, [(3, choices[3])]);
    }
}
