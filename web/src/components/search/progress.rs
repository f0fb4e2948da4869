//! How far a search is.

use yew::{Html, html};

use super::chart::chart;
use crate::state::search::{Running, rate};
use crate::text::search::time;
use crate::text::{Label, Lang, bytes, label, number};

/// The figures of a search, and how they have grown.
pub(super) fn progress(lang: Lang, running: &Running) -> Html {
    let progress = &running.progress;
    let figures = [
        (Label::SearchStates, number(progress.distinct)),
        (
            Label::SearchRate,
            number(rate(progress.distinct, running.ms)),
        ),
        (Label::SearchDepth, number(progress.depth.into())),
        (Label::SearchFrontier, number(progress.frontier)),
        (Label::SearchSteps, number(progress.generated)),
        (Label::SearchBytes, bytes(progress.bytes)),
        (Label::SearchTime, time(lang, running.ms)),
    ];
    html! {
        <div
            class="search-progress"
            data-testid="search-progress"
            data-distinct={progress.distinct.to_string()}
            data-depth={progress.depth.to_string()}
            data-ms={running.ms.to_string()}
        >
            <dl>
                for (name, value) in figures {
                    <div>
                        <dt>{ label(lang, name) }</dt>
                        <dd>{ value }</dd>
                    </div>
                }
            </dl>
            if running.samples.len() > 2 {
                { chart(lang, &running.samples) }
            }
        </div>
    }
}
