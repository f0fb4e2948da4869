//! The list of keys, and of signs.

use barrierscope_core::id::CheckpointId;
use web_sys::HtmlElement;
use yew::{
    Callback, Html, KeyboardEvent, MouseEvent, Properties, component, html, use_effect_with,
    use_node_ref,
};

use super::views::{key, name};
use crate::browser::focus;
use crate::stage::geometry::point;
use crate::stage::sign::glyph;
use crate::state::{Action, Model};
use crate::text::{Label, Lang, label};

/// What the list depends on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// The model of the run.
    pub model: Model,
    /// The language.
    pub lang: Lang,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// Where the model is simpler than what it shows.
const LEFT_OUT: [Label; 8] = [
    Label::LeftOutTime,
    Label::LeftOutBuffers,
    Label::LeftOutCheckpoints,
    Label::LeftOutFailures,
    Label::LeftOutJob,
    Label::LeftOutSink,
    Label::LeftOutKafka,
    Label::LeftOutTimeout,
];

/// The same, where the output topic has brokers.
const LEFT_OUT_ON_BROKERS: [Label; 8] = [
    Label::LeftOutTime,
    Label::LeftOutBuffers,
    Label::LeftOutCheckpoints,
    Label::LeftOutFailures,
    Label::LeftOutJob,
    Label::LeftOutOnBrokers,
    Label::LeftOutFetches,
    Label::LeftOutCoordinators,
];

/// The same, between Kafka's clients and brokers.
const LEFT_OUT_KAFKA: [Label; 5] = [
    Label::LeftOutTime,
    Label::LeftOutFetches,
    Label::LeftOutCoordinators,
    Label::LeftOutClients,
    Label::LeftOutApplications,
];

/// The same, in two-phase commit.
const LEFT_OUT_VOTES: [Label; 5] = [
    Label::LeftOutTime,
    Label::LeftOutTransaction,
    Label::LeftOutVotes,
    Label::LeftOutNetwork,
    Label::LeftOutLogs,
];

/// The keys, and what they do, as far as they mean something for a model.
fn keys(model: Model) -> Vec<(Vec<&'static str>, Label)> {
    let (mark, crash) = match model {
        Model::Pipeline | Model::Sink => (Label::KeyMark, Label::KeyCrash),
        Model::Delivery | Model::Streams => (Label::KeyMarkKafka, Label::KeyCrashKafka),
        Model::Votes => (Label::KeyMarkVotes, Label::KeyCrashVotes),
    };
    let mut keys = vec![
        (vec!["space"], Label::KeyPlay),
        (vec!["→", "←"], Label::KeyStep),
        (vec!["Shift →", "Shift ←"], mark),
        (vec!["Home", "End"], Label::KeyEnds),
        (vec!["−", "+"], Label::KeySpeed),
        (vec!["d"], Label::KeySpaceTime),
        (vec!["1", "…", "9"], Label::KeyChoose),
        (vec!["c"], crash),
        (vec!["x"], Label::KeyFix),
        (vec!["[", "]"], Label::KeyRuns),
        (vec!["u"], Label::KeyUndo),
        (vec!["s"], Label::KeyShare),
        (vec!["Tab", "Enter", "Esc"], Label::KeySelect),
        (vec!["Shift F10"], Label::KeyMenu),
        (vec!["?"], Label::KeyHelp),
    ];
    if model.is_job() {
        keys.push((vec!["n"], Label::KeyNames));
    }
    if model == Model::Sink {
        keys.push((vec!["r"], Label::KeyReplicas));
    }
    keys
}

/// The list of keys.
#[component]
pub fn Help(props: &Props) -> Html {
    let dialog = use_node_ref();
    {
        let dialog = dialog.clone();
        use_effect_with((), move |()| {
            if let Some(button) = dialog
                .cast::<HtmlElement>()
                .and_then(|dialog| dialog.query_selector("button").ok().flatten())
            {
                focus(&button);
            }
        });
    }
    let lang = props.lang;
    let left_out: &[Label] = match props.model {
        Model::Pipeline => &LEFT_OUT,
        Model::Sink => &LEFT_OUT_ON_BROKERS,
        Model::Delivery | Model::Streams => &LEFT_OUT_KAFKA,
        Model::Votes => &LEFT_OUT_VOTES,
    };
    let close = props.on.reform(|_: MouseEvent| Action::Help(false));
    let press = {
        let on = props.on.clone();
        Callback::from(move |event: KeyboardEvent| {
            // The keys of the page mean nothing here; the focus stays on the only button.
            event.stop_propagation();
            match event.key().as_str() {
                "Escape" | "?" => on.emit(Action::Help(false)),
                "Tab" => event.prevent_default(),
                _ => {}
            }
        })
    };
    html! {
        <div class="dialog-place">
            <div class="veil dim" onclick={close.clone()} />
            <div
                class="dialog panel"
                role="dialog"
                aria-modal="true"
                aria-label={label(lang, Label::Help)}
                ref={dialog}
                onkeydown={press}
                data-testid="help"
            >
                <header>
                    <h2>{ label(lang, Label::Help) }</h2>
                    <button class="quiet" onclick={close}>{ label(lang, Label::Close) }</button>
                </header>
                <h2>{ label(lang, Label::Legend) }</h2>
                { match props.model {
                    Model::Pipeline => legend(lang, false),
                    Model::Sink => legend(lang, true),
                    Model::Delivery | Model::Streams => kafka_legend(lang),
                    Model::Votes => votes_legend(lang),
                } }
                <h2>{ label(lang, Label::Keys) }</h2>
                <dl class="keys">
                    for (keys, what) in keys(props.model) {
                        <div>
                            <dt>
                                for key in keys {
                                    <kbd>{ key }</kbd>
                                }
                            </dt>
                            <dd>{ label(lang, what) }</dd>
                        </div>
                    }
                    for sight in props.model.sights().iter().copied() {
                        <div>
                            <dt><kbd>{ key(sight) }</kbd></dt>
                            <dd>{ name(lang, sight) }</dd>
                        </div>
                    }
                </dl>
                <h2>{ label(lang, Label::LeftOut) }</h2>
                <ul class="legend">
                    for text in left_out.iter().copied() {
                        <li>{ label(lang, text) }</li>
                    }
                </ul>
            </div>
        </div>
    }
}

fn epochs(lang: Lang, says: Label) -> Html {
    html! {
        <p>
            for number in 1..=4 {
                <svg class="legend-epoch" viewBox="0 0 16 16" aria-hidden="true">
                    { glyph(CheckpointId(number), point(8.0, 8.0), 6.5) }
                </svg>
            }
            { label(lang, says) }
        </p>
    }
}

/// The signs of a job.
fn legend(lang: Lang, has_brokers: bool) -> Html {
    html! {
        <>
            { epochs(lang, Label::LegendEpoch) }
            <ul class="legend">
                <li><i class="hatched" />{ label(lang, Label::LegendOpen) }</li>
                <li><i class="solid" />{ label(lang, Label::LegendSolid) }</li>
                <li><i class="crossed" />{ label(lang, Label::LegendAborted) }</li>
                <li><i class="dashed" />{ label(lang, Label::LegendControl) }</li>
                <li>{ label(lang, Label::LegendInput) }</li>
                <li>{ label(lang, Label::LegendOvertakes) }</li>
                <li>{ label(lang, Label::LegendQueues) }</li>
                <li>{ label(lang, Label::LegendMessages) }</li>
                if has_brokers {
                    <li>{ label(lang, Label::LegendPrepared) }</li>
                    <li>{ label(lang, Label::LegendReplicas) }</li>
                    <li>{ label(lang, Label::LegendOffsets) }</li>
                    <li>{ label(lang, Label::LegendKafkaMessages) }</li>
                }
                <li>{ label(lang, Label::LegendMarks) }</li>
            </ul>
        </>
    }
}

/// The signs between Kafka's clients and brokers.
fn kafka_legend(lang: Lang) -> Html {
    html! {
        <>
            <p>{ label(lang, Label::LegendSession) }</p>
            <ul class="legend">
                <li><i class="solid" />{ label(lang, Label::LegendSolid) }</li>
                <li><i class="hatched" />{ label(lang, Label::LegendUnstable) }</li>
                <li><i class="crossed" />{ label(lang, Label::LegendAborted) }</li>
                <li>{ label(lang, Label::LegendControlRecord) }</li>
                <li>{ label(lang, Label::LegendEntries) }</li>
                <li>{ label(lang, Label::LegendOffsets) }</li>
                <li>{ label(lang, Label::LegendTwice) }</li>
                <li>{ label(lang, Label::LegendKafkaMessages) }</li>
                <li>{ label(lang, Label::LegendMarksKafka) }</li>
            </ul>
        </>
    }
}

/// The signs of two-phase commit.
fn votes_legend(lang: Lang) -> Html {
    html! {
        <>
            <p>{ label(lang, Label::LegendPhase) }</p>
            <ul class="legend">
                <li><i class="solid" />{ label(lang, Label::LegendForced) }</li>
                <li><i class="hatched" />{ label(lang, Label::LegendUnforced) }</li>
                <li><i class="doubtful" />{ label(lang, Label::LegendDoubt) }</li>
                <li>{ label(lang, Label::LegendVotes) }</li>
                <li>{ label(lang, Label::LegendVotesMessages) }</li>
                <li>{ label(lang, Label::LegendMarksVotes) }</li>
            </ul>
        </>
    }
}
