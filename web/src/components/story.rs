//! What happened in a step, and why.

use std::rc::Rc;

use yew::{Html, Properties, component, html};

use super::option_name::breakable;
use crate::state::{Model, View};
use crate::text::{Label, Lang, Telling, done, kafka, label, number, tell, verdict};

/// What the story depends on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// What is shown.
    pub view: Rc<View>,
    /// The language.
    pub lang: Lang,
    /// Whether time passes.
    pub playing: bool,
    /// Whether other runs stand beside this one: it tells of the first.
    #[prop_or_default]
    pub is_first: bool,
}

/// What there is to say about the step that is shown.
pub fn telling(view: &View, lang: Lang, playing: bool) -> Telling {
    if view.step == 0 {
        let says = match (playing, view.run.model()) {
            (true, Model::Pipeline) if is_own(view, Label::Story) => Label::RunningStory,
            (true, Model::Pipeline) => Label::Running,
            (false, Model::Pipeline) => Label::Nothing,
            (true, Model::Sink) if is_own(view, Label::SinkStory) => Label::RunningSink,
            (false, Model::Sink) if is_own(view, Label::SinkStory) => Label::NothingSink,
            (true, Model::Sink) => Label::Running,
            (false, Model::Sink) => Label::Nothing,
            (true, Model::Delivery | Model::Streams) => Label::RunningKafka,
            (false, Model::Delivery | Model::Streams) => Label::NothingKafka,
            (true, Model::Votes) => Label::RunningVotes,
            (false, Model::Votes) => Label::NothingVotes,
        };
        return Telling {
            what: label(lang, says).to_owned(),
            ..Telling::default()
        };
    }
    if let (true, Some(quiet)) = (view.events.is_empty(), view.quiet) {
        return Telling {
            what: done(&view.lexicon(lang), quiet),
            ..Telling::default()
        };
    }
    if view.events.is_empty() {
        return Telling {
            what: label(
                lang,
                match view.run.model() {
                    Model::Pipeline | Model::Sink => Label::Idle,
                    Model::Delivery | Model::Streams => Label::IdleKafka,
                    Model::Votes => Label::IdleVotes,
                },
            )
            .to_owned(),
            ..Telling::default()
        };
    }
    let lexicon = view.lexicon(lang);
    let mut told = tell(&lexicon, &view.events);
    // That something is lost matters more than whatever else there is to say of the step.
    if !view.lost.is_empty() {
        told.why = kafka::why_lost(&lexicon, &view.events, &view.lost);
    }
    if view.step == view.last && matches!(view.run.model(), Model::Pipeline | Model::Sink) {
        let what = std::mem::take(&mut told.what);
        told.what = verdict::ending(lang, &view.verdict);
        told.why = format!("{}{what} {}", label(lang, Label::LastStep), told.why);
    }
    told
}

/// Whether a run is that of the scenario that comes with the program, as it came.
fn is_own(view: &View, story: Label) -> bool {
    let name = view.run.with(|session| session.story().name().to_owned());
    view.run.report().is_none() && name == label(Lang::En, story)
}

/// What happened in the step that is shown, and why.
#[component]
pub fn Story(props: &Props) -> Html {
    let told = telling(&props.view, props.lang, props.playing);
    let step = number(props.view.step as u64);
    let step = match props.lang {
        Lang::En => format!("step {step}"),
        Lang::Zh => format!("第 {step} 步"),
    };
    // Read out only when it stays: nobody can listen to sixty sentences a second.
    let aloud = if props.playing {
        String::new()
    } else {
        told.aloud()
    };
    html! {
        <section class="story panel" aria-label={label(props.lang, Label::What)}>
            <h2>
                { label(props.lang, Label::What) }
                if props.is_first {
                    { " · " }{ label(props.lang, Label::ThisRun) }
                }
                // What is said of the whole is said of no step.
                if props.view.step > 0 || !props.playing {
                    <span>{ step }</span>
                }
            </h2>
            <div data-testid="sentence">
                <p class="what">{ breakable(&told.what) }</p>
                <p class="why">{ breakable(&told.why) }</p>
                if !told.names.is_empty() {
                    <p class="names" data-testid="names-told">{ breakable(&told.names) }</p>
                }
            </div>
            <p class="unseen" role="status" aria-live="polite">{ aloud }</p>
        </section>
    }
}
