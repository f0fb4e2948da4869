//! What can be broken, and what can be asked of the job while it runs.

use std::rc::Rc;

use barrierscope_core::id::NodeId;
use barrierscope_core::scenario::{Breakage, Fault, Scenario};
use barrierscope_core::scene::{Choice, Node};
use web_sys::{Event, HtmlInputElement};
use yew::{Callback, Html, MouseEvent, Properties, TargetCast, component, html, use_memo};

use super::deed::{Deed, deed};
use crate::state::{Action, Knob, View, is_subtask};
use crate::text::{self, Label, Lang, face, label, seconds};

/// What the section depends on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// What is shown.
    pub view: Rc<View>,
    /// The language.
    pub lang: Lang,
    /// Whether the scenario tells the default story.
    pub has_story: bool,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// Of so many TaskManagers each has a button of its own.
const TASK_MANAGERS: u16 = 4;

/// What can be broken, and what can be asked.
#[component]
pub fn Faults(props: &Props) -> Html {
    let (lang, view) = (props.lang, &props.view);
    let story = use_memo((), |()| {
        Scenario::default_story().map_or_else(|_| Vec::new(), |story| story.faults.schedule)
    });
    let can_crash = view.crashable();
    let is_up = !can_crash.is_empty();
    let subtasks = (view.scene.nodes.iter()).filter(|node| is_subtask(node));
    let subtasks = subtasks.map(|node| (node.id, can_crash.contains(&node.id)));
    let hint = if is_up {
        Label::BreakHint
    } else {
        Label::CannotCrash
    };
    html! {
        <>
            <h2>{ label(lang, Label::Break) }</h2>
            <div class="crashes">
                <Crashes
                    view={Rc::clone(view)}
                    subtasks={subtasks.collect::<Vec<_>>()}
                    {lang}
                    on={props.on.clone()}
                />
                { managers(props) }
                { one_of_a_kind(props, Label::FailSnapshot, Label::WhenSnapshot, "fail-snapshot", |choice| {
                    matches!(choice, Choice::FailSnapshot { .. })
                }) }
                { one_of_a_kind(props, Label::LoseNotification, Label::WhenNotification, "lose-notification", |choice| {
                    matches!(choice, Choice::LoseNotification { .. })
                }) }
                { one_of_a_kind(props, Label::Refuse, Label::WhenLastSnapshot, "refuse", |choice| {
                    matches!(choice, Choice::Refuse { .. })
                }) }
            </div>
            <p class="hint">{ label(lang, hint) }</p>
            if props.has_story {
                { story_crash(props, &story) }
            }
            <h2>{ label(lang, Label::Ask) }</h2>
            <div class="crashes">
                { one_of_a_kind(props, Label::Savepoint, Label::WhenAllRun, "savepoint", |choice| {
                    matches!(choice, Choice::Savepoint { stop: false, .. })
                }) }
                { one_of_a_kind(props, Label::StopWithSavepoint, Label::WhenAllRun, "stop-with-savepoint", |choice| {
                    matches!(choice, Choice::Savepoint { stop: true, .. })
                }) }
            </div>
        </>
    }
}

/// A subtask as scenarios write it: `total[1]`.
fn subtask(node: &Node) -> String {
    format!("{}[{}]", node.name, node.number)
}

/// What the buttons of the subtasks depend on.
#[derive(Properties, Clone)]
struct CrashesProps {
    view: Rc<View>,
    /// Each, and whether it can crash.
    subtasks: Vec<(NodeId, bool)>,
    lang: Lang,
    on: Callback<Action>,
}

impl PartialEq for CrashesProps {
    fn eq(&self, other: &Self) -> bool {
        // There may be hundreds, and in most steps they stay as they are. Names do not change in a run.
        Rc::ptr_eq(&self.view.run, &other.view.run)
            && self.lang == other.lang
            && self.subtasks == other.subtasks
    }
}

/// A button for each subtask.
#[component]
fn Crashes(props: &CrashesProps) -> Html {
    let nodes = props.subtasks.iter().filter_map(|(id, can)| {
        let node = props.view.node(*id)?;
        Some((node, *can))
    });
    html! {
        for (node, can) in nodes {
            { crash(props, node, can) }
        }
    }
}

fn crash(props: &CrashesProps, node: &Node, can: bool) -> Html {
    let id = node.id;
    let name = text::name(props.lang, node);
    let what = match props.lang {
        Lang::En => format!("crash {name}"),
        Lang::Zh => format!("使 {name} 崩溃"),
    };
    html! {
        <button
            key={id.index()}
            class="fault"
            disabled={!can}
            title={if can { what.clone() } else { label(props.lang, Label::WhenUp).to_owned() }}
            aria-label={what}
            data-testid={format!("crash-{}", subtask(node))}
            onclick={props.on.reform(move |_: MouseEvent| Action::Crash(id))}
        >
            { name }
        </button>
    }
}

/// The JobManager, and the TaskManagers where there are several.
fn managers(props: &Props) -> Html {
    let count = (props.view.run).with(|session| {
        (session.story().pipeline()).map_or(0, |scenario| scenario.job.task_managers)
    });
    let several = if (2..=TASK_MANAGERS).contains(&count) {
        0..count
    } else {
        0..0
    };
    html! {
        <>
            for lost in several {
                { button(props, face::task_manager(lost), Label::WhenUp, &format!("lose-tm-{lost}"), |choice| {
                    matches!(choice, Choice::LoseTaskManager { number, .. } if *number == lost)
                }) }
            }
            { button(props, "JobManager".to_owned(), Label::WhenUp, "lose-jm", |choice| {
                matches!(choice, Choice::LoseJobManager { .. })
            }) }
        </>
    }
}

/// A button for the first choice of a kind.
fn one_of_a_kind(
    props: &Props,
    name: Label,
    when: Label,
    id: &str,
    is_it: impl Fn(&Choice) -> bool + Copy,
) -> Html {
    button(props, label(props.lang, name).to_owned(), when, id, is_it)
}

/// The same, with a name that is no label.
fn button(
    props: &Props,
    name: String,
    when: Label,
    id: &str,
    is_it: impl Fn(&Choice) -> bool,
) -> Html {
    let found = props.view.choices.iter().copied().find(is_it);
    let is_request = id.contains("savepoint");
    let look = if is_request { "request" } else { "fault" };
    let button = Deed {
        word: name,
        whom: None,
        found,
        when,
        look,
        id: id.to_owned(),
    };
    deed(&props.view, props.lang, &props.on, button)
}

/// The crash that is part of the default story.
fn story_crash(props: &Props, story: &[Fault]) -> Html {
    let (lang, view) = (props.lang, &props.view);
    let planned = (view.run).with(|session| {
        (session.story().pipeline()).map(|scenario| scenario.faults.schedule.clone())
    });
    let fits = |fault: &Fault| match &fault.what {
        Breakage::Crash(name) => view.subtasks().any(|node| subtask(node) == *name),
        _ => false,
    };
    if story.is_empty() || !story.iter().all(fits) {
        return html! {};
    }
    let plan = {
        let story = story.to_vec();
        props.on.reform(move |event: Event| {
            let input: HtmlInputElement = event.target_unchecked_into();
            let schedule = if input.checked() {
                story.clone()
            } else {
                Vec::new()
            };
            Action::Set(Knob::Schedule(schedule))
        })
    };
    html! {
        <label class="tick">
            <input type="checkbox" checked={planned.as_deref() == Some(story)} onchange={plan} />
            <span>
                { label(lang, Label::StoryCrash) }
                <span class="hint">{ moments(view, lang, story) }</span>
            </span>
        </label>
    }
}

/// Who crashes when.
fn moments(view: &View, lang: Lang, schedule: &[Fault]) -> String {
    let all = schedule.iter().filter_map(|fault| {
        let Breakage::Crash(who) = &fault.what else {
            return None;
        };
        let node = view.subtasks().find(|node| subtask(node) == *who);
        let who = node.map_or_else(|| who.clone(), |node| text::name(lang, node));
        let at = seconds(fault.at_ms.into());
        Some(match lang {
            Lang::En => format!("{who} at {at}"),
            Lang::Zh => format!("{at} 时 {who}"),
        })
    });
    all.collect::<Vec<_>>().join(", ")
}
