use std::collections::BTreeSet;

use super::picture::{Spot, Tone, View, Window, hit, nearest_on, next_on, picture};
use super::strips::Strips;
use crate::state::{Along, Chart, Page};
use crate::text::Lang;

fn chart(story: &str) -> Chart {
    let page = Page::open(story, Lang::En).unwrap();
    assert_eq!(page.notice, None, "{story}");
    Chart::of(page.view.run.with(|session| session.diagram()))
}

const STORIES: [&str; 5] = [
    "",
    "model=kafka-to-kafka",
    "model=delivery",
    "model=streams",
    "model=votes",
];

fn all(chart: &Chart, axis: Along) -> View {
    let last = chart.diagram.last();
    let to = match axis {
        Along::Steps => f64::from(last),
        Along::Time => chart.diagram.time(last).0 as f64,
    };
    View {
        axis,
        window: Window { from: 0.0, to },
        length: 900.0,
        pitch: 20.0,
        limit: u32::MAX,
    }
}

fn unfolded(chart: &Chart) -> Strips {
    Strips::arrange(&chart.diagram, usize::MAX, &BTreeSet::new())
}

#[test]
fn every_lane_on_which_something_happens_has_a_strip() {
    for story in STORIES {
        let chart = chart(story);
        for room in [1, 4, 100] {
            let strips = Strips::arrange(&chart.diagram, room, &BTreeSet::new());
            for step in 1..=chart.diagram.last() {
                let mut lanes = chart.diagram.lanes_of(step).iter();
                assert!(
                    lanes.all(|lane| strips.of(*lane).is_some()),
                    "{story}: {step}"
                );
            }
            let lanes: usize = strips.all.iter().map(|strip| strip.lanes.len()).sum();
            let used = chart
                .diagram
                .used()
                .into_iter()
                .filter(|used| *used)
                .count();
            assert_eq!(lanes, used, "{story}: each lane once");
        }
    }
}

#[test]
fn operators_fold_where_there_is_no_room_and_unfold_on_demand() {
    let chart = chart("job.vertices.1.parallelism=8&job.edges.1.partitioning=rebalance");
    let open = unfolded(&chart);
    assert!(open.all.iter().all(|strip| !strip.is_folded()));
    let folded = Strips::arrange(&chart.diagram, 8, &BTreeSet::new());
    let shared: Vec<_> = folded
        .all
        .iter()
        .filter(|strip| strip.is_folded())
        .collect();
    assert_eq!(shared.len(), 1, "the largest one is enough");
    assert_eq!(shared[0].lanes.len(), 8);
    let wanted = BTreeSet::from([shared[0].family.clone().unwrap()]);
    let again = Strips::arrange(&chart.diagram, 8, &wanted);
    let largest = again.all.iter().map(|strip| strip.lanes.len()).max();
    assert!(largest < Some(8), "{again:?}");
}

#[test]
fn a_message_goes_forwards_in_time_and_lies_in_the_room() {
    for story in STORIES {
        let chart = chart(story);
        let strips = unfolded(&chart);
        for axis in Along::ALL {
            let view = all(&chart, axis);
            let drawn = picture(&chart, &strips, view, None);
            assert!(!drawn.arrows.is_empty(), "{story}");
            for arrow in &drawn.arrows {
                assert!(arrow.from.along <= arrow.to.along, "{story}: {arrow:?}");
                assert_ne!(arrow.from.across, arrow.to.across, "{story}: {arrow:?}");
            }
            let inside = |spot: &Spot| {
                (-0.5..=view.length + 0.5).contains(&spot.along)
                    && spot.across <= view.pitch * strips.all.len() as f64
            };
            assert!(drawn.signs.iter().all(|sign| inside(&sign.at)), "{story}");
            assert!(
                drawn
                    .fronts
                    .iter()
                    .all(|line| line.through.iter().all(inside)),
                "{story}"
            );
        }
    }
}

#[test]
fn only_what_lies_in_the_window_is_drawn() {
    let chart = chart("");
    let strips = unfolded(&chart);
    let view = View {
        window: Window {
            from: 200.0,
            to: 300.0,
        },
        ..all(&chart, Along::Steps)
    };
    let drawn = picture(&chart, &strips, view, None);
    assert!(drawn.dots.iter().all(|dot| (199..=301).contains(&dot.step)));
    assert!(drawn.dots.len() >= 99);
    let whole = picture(&chart, &strips, all(&chart, Along::Steps), None);
    assert!(drawn.arrows.len() < whole.arrows.len() + whole.left_out);
    for arrow in &drawn.arrows {
        let seen = arrow.from.along <= view.length && 0.0 <= arrow.to.along;
        assert!(seen, "{arrow:?}");
    }
}

#[test]
fn nothing_is_told_beyond_the_question_of_a_lesson() {
    let chart = chart("");
    let strips = unfolded(&chart);
    let view = View {
        limit: 150,
        ..all(&chart, Along::Steps)
    };
    let drawn = picture(&chart, &strips, view, None);
    let edge = view.along(150.0) + 1e-6;
    assert!(drawn.dots.iter().all(|dot| dot.step <= 150));
    assert!(drawn.signs.iter().all(|sign| sign.at.along <= edge));
    assert!(drawn.arrows.iter().all(|arrow| arrow.to.along <= edge));
    assert!(drawn.blocks.iter().all(|block| block.to <= edge));
    assert!(
        drawn
            .fronts
            .iter()
            .all(|line| line.through.iter().all(|at| at.along <= edge))
    );
}

#[test]
fn what_is_pointed_at_parts_the_run() {
    let chart = chart("");
    let strips = unfolded(&chart);
    let cone = chart.cone(400);
    let view = View {
        window: Window {
            from: 300.0,
            to: 500.0,
        },
        ..all(&chart, Along::Steps)
    };
    let drawn = picture(&chart, &strips, view, Some(&cone));
    let mut tones = BTreeSet::new();
    for dot in &drawn.dots {
        match dot.tone {
            Tone::Here => assert_eq!(dot.step, 400),
            Tone::Past => assert!(dot.step < 400 && cone.past.contains(dot.step)),
            Tone::Future => assert!(dot.step > 400 && cone.future.contains(dot.step)),
            Tone::Apart => {
                assert!(!cone.past.contains(dot.step) && !cone.future.contains(dot.step))
            }
            Tone::Plain => panic!("something is pointed at"),
        }
        tones.insert(format!("{:?}", dot.tone));
    }
    assert_eq!(tones.len(), 4, "{tones:?}");
}

#[test]
fn one_finds_a_step_where_it_is_drawn() {
    for story in STORIES {
        let chart = chart(story);
        let strips = unfolded(&chart);
        let last = f64::from(chart.diagram.last());
        let view = View {
            window: Window {
                from: 0.0,
                to: last.min(100.0),
            },
            ..all(&chart, Along::Steps)
        };
        let drawn = picture(&chart, &strips, view, None);
        for dot in drawn.dots.iter().filter(|dot| dot.at.along <= view.length) {
            let found = hit(&chart, &strips, view, dot.at, 8.0);
            assert_eq!(found, Some(dot.step), "{story}");
        }
        let nowhere = Spot {
            along: 100.0,
            across: view.pitch * (strips.all.len() as f64 + 2.0),
        };
        assert_eq!(hit(&chart, &strips, view, nowhere, 8.0), None, "{story}");
    }
}

#[test]
fn one_walks_along_a_lane_and_from_lane_to_lane() {
    let chart = chart("model=votes");
    let strips = unfolded(&chart);
    let limit = chart.diagram.last();
    for strip in 0..strips.all.len() {
        let mut step = 0;
        let mut walked = Vec::new();
        while let Some(next) = next_on(&chart, &strips, strip, step, true, limit) {
            assert!(next > step);
            step = next;
            walked.push(next);
        }
        let all = (1..=limit).filter(|step| {
            let mut lanes = chart.diagram.lanes_of(*step).iter();
            lanes.any(|lane| strips.of(*lane) == Some(strip))
        });
        assert!(all.eq(walked.iter().copied()));
        let back = next_on(&chart, &strips, strip, walked[1], false, limit);
        assert_eq!(back, Some(walked[0]));
        let near = nearest_on(&chart, &strips, strip, 1, limit);
        assert_eq!(near, Some(walked[0]));
    }
}

#[test]
fn a_window_stays_within_the_run() {
    let window = Window {
        from: 10.0,
        to: 30.0,
    };
    let near = window.zoomed(0.5, 20.0, 100.0, 5.0);
    assert_eq!((near.from, near.to), (15.0, 25.0));
    let far = window.zoomed(100.0, 20.0, 100.0, 5.0);
    assert_eq!((far.from, far.to), (0.0, 100.0));
    assert_eq!(window.zoomed(0.0001, 20.0, 100.0, 5.0).span(), 5.0);
    let moved = window.moved(50.0, 100.0);
    assert_eq!((moved.from, moved.to), (80.0, 100.0));
    assert_eq!(window.moved(-50.0, 100.0).from, 0.0);
    assert_eq!(Window::within(3.0, 7.0, 2.0), Window { from: 0.0, to: 2.0 });
}

#[test]
fn marks_along_the_time_are_round_and_apart() {
    let chart = chart("");
    for span in [8.0, 120.0, 3_000.0, 100_000.0] {
        let view = View {
            window: Window {
                from: 17.0,
                to: 17.0 + span,
            },
            ..all(&chart, Along::Steps)
        };
        let drawn = picture(&chart, &unfolded(&chart), view, None);
        assert!(!drawn.ticks.is_empty(), "{span}");
        for pair in drawn.ticks.windows(2) {
            assert!(pair[1].0 - pair[0].0 >= 89.0, "{span}: {pair:?}");
        }
    }
}
