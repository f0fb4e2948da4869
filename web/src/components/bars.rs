//! A subtask's part of a checkpoint, as bars from the trigger to the acknowledgement.

use barrierscope_core::time::Micros;
use yew::{Html, html};

use crate::state::Line;

/// The bars of a subtask, where the whole width is `whole` long. Of an aligned checkpoint the parts follow
/// each other. Of an unaligned one they overlap: start delay and alignment from the trigger rightwards,
/// the snapshot back from the acknowledgement.
pub fn bars(line: Option<&Line>, whole: Micros) -> Html {
    let Some(line) = line else {
        return html! { <div class="bars" /> };
    };
    let whole = whole.max(line.end_to_end);
    let bar = |class: &'static str, from: Micros, long: Micros, lane: u8| {
        let style = format!(
            "left:{};width:{}",
            percent(from, whole),
            percent(long, whole)
        );
        html! {
            if long > Micros::ZERO {
                <i class={format!("{class} lane-{lane}")} {style} />
            }
        }
    };
    let snapshot = line.sync + line.asynchronous;
    let (from, lane) = if line.is_stacked() {
        (line.start_delay + line.alignment, 0)
    } else {
        (line.end_to_end - snapshot, 1)
    };
    let look = if lane == 0 { "bars" } else { "bars two" };
    html! {
        <div class={look} aria-hidden="true">
            { bar("delay", Micros::ZERO, line.start_delay, 0) }
            { bar("align", line.start_delay, line.alignment, 0) }
            { bar("sync", from, line.sync, lane) }
            { bar("async", from + line.sync, line.asynchronous, lane) }
        </div>
    }
}

/// A part of the whole, for a style.
fn percent(part: Micros, whole: Micros) -> String {
    let thousandths = u128::from(part.0) * 100_000 / u128::from(whole.0.max(1));
    let thousandths = thousandths.min(100_000);
    format!("{}.{:03}%", thousandths / 1_000, thousandths % 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_parts_of_the_whole() {
        assert_eq!(percent(Micros(1), Micros(3)), "33.333%");
        assert_eq!(percent(Micros(0), Micros(0)), "0.000%");
        assert_eq!(percent(Micros(9), Micros(3)), "100.000%");
    }
}
