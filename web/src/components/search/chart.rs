//! How a search goes on: states a second, and the depth.

use yew::{Html, html};

use crate::state::search::Sample;
use crate::text::{Label, Lang, label, number};

/// The size of the drawing, in its own units.
const SIZE: (f64, f64) = (400.0, 64.0);

/// The chart: what it shows is also written beside it.
pub(super) fn chart(lang: Lang, samples: &[Sample]) -> Html {
    let rates = rates(samples);
    let most = rates.iter().copied().fold(1.0, f64::max);
    let deepest = samples.iter().map(|it| it.depth).max().unwrap_or(1).max(1);
    let end = samples.last().map_or(1, |it| it.ms).max(1) as f64;
    let x = |sample: &Sample| sample.ms as f64 / end * SIZE.0;
    let y = |part: f64| SIZE.1 - part * (SIZE.1 - 2.0) - 1.0;
    let line = |part: &dyn Fn(usize, &Sample) -> f64| {
        let points = samples.iter().enumerate();
        let points =
            points.map(|(at, sample)| format!("{:.1},{:.1}", x(sample), y(part(at, sample))));
        points.collect::<Vec<_>>().join(" ")
    };
    let area = line(&|at, _| rates.get(at).copied().unwrap_or(0.0) / most);
    let area = format!("0,{h} {area} {w},{h}", w = SIZE.0, h = SIZE.1);
    let depth = line(&|_, sample| f64::from(sample.depth) / f64::from(deepest));
    html! {
        <figure class="search-chart">
            <svg
                viewBox={format!("0 0 {} {}", SIZE.0, SIZE.1)}
                preserveAspectRatio="none"
                role="img"
                aria-label={label(lang, Label::SearchChart)}
            >
                <polygon class="rate" points={area} />
                <polyline class="depth" points={depth} />
            </svg>
            <figcaption>
                <span class="rate">{ format!("{} {}", number(most as u64), label(lang, Label::SearchRate)) }</span>
                <span class="depth">{ format!("{} {}", label(lang, Label::SearchDepth), number(deepest.into())) }</span>
            </figcaption>
        </figure>
    }
}

/// States a second up to each sample, since the one before.
fn rates(samples: &[Sample]) -> Vec<f64> {
    let mut before = Sample {
        ms: 0,
        distinct: 0,
        depth: 0,
    };
    let rates = samples.iter().map(|sample| {
        let states = sample.distinct.saturating_sub(before.distinct) as f64;
        let ms = sample.ms.saturating_sub(before.ms).max(1) as f64;
        before = *sample;
        states / ms * 1_000.0
    });
    rates.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_those_since_the_sample_before() {
        let sample = |ms, distinct| Sample {
            ms,
            distinct,
            depth: 1,
        };
        assert_eq!(
            rates(&[sample(100, 50), sample(200, 250)]),
            [500.0, 2_000.0]
        );
    }
}
