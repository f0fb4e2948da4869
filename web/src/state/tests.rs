//! What actions do to the page, without a browser.

use std::rc::Rc;

use barrierscope_core::id::{CheckpointId, NodeId};
use barrierscope_core::kafka::log::IsolationLevel;
use barrierscope_core::mark::MarkKind;
use barrierscope_core::models::pipeline::fault_matrix::CrashPoint;
use barrierscope_core::scenario::{DeliveryGuarantee, Scenario};
use barrierscope_core::scene::votes::PropertyStatus;
use barrierscope_core::scene::whereabouts::Whereabouts;
use barrierscope_core::scene::{CellStatus, Facts, Health};
use barrierscope_core::statistics::{Kind, Status};
use barrierscope_core::time::Millis;

use serde_json::{Value, json};

use super::*;
use crate::components::story::telling;
use crate::text::label;

fn page(fragment: &str) -> Page {
    Page::open(fragment, Lang::En).unwrap()
}

fn total(page: &Page) -> u64 {
    page.view.verdict.total
}

fn subtask(page: &Page, name: &str) -> NodeId {
    let lexicon = page.view.lexicon(Lang::En);
    page.view
        .subtasks()
        .find(|node| lexicon.node(node.id) == name)
        .unwrap()
        .id
}

#[test]
fn time_passes_only_while_playing() {
    let mut page = page("");
    assert!(!page.update(Action::Tick(1_000.0)));
    assert_eq!(page.view.step, 0);
    page.update(Action::Toggle);
    page.update(Action::Tick(1_000.0));
    assert!(page.view.step > 0);
    assert_eq!(page.now, 1_000_000.0);
    page.update(Action::Speed(2.0));
    page.update(Action::Tick(500.0));
    assert_eq!(page.now, 2_000_000.0);
    page.update(Action::Pause);
    assert_eq!(
        page.now, page.view.time.0 as f64,
        "paused, it sits on a step"
    );
}

#[test]
fn playing_ends_at_the_end_and_starts_again_from_the_start() {
    let mut page = page("");
    page.update(Action::Toggle);
    page.update(Action::Tick(1e9));
    assert!(page.at_end() && !page.playing);
    page.update(Action::Toggle);
    assert!(page.playing);
    assert_eq!(page.view.step, 0);
}

#[test]
fn steps_stay_within_the_run() {
    let mut page = page("");
    page.update(Action::Back);
    assert_eq!(page.view.step, 0);
    page.update(Action::GoTo(usize::MAX));
    assert!(page.at_end());
    page.update(Action::Step);
    assert!(page.at_end());
}

#[test]
fn landmarks_lead_there_and_back() {
    let mut page = page("");
    let mut steps = vec![0];
    while !page.at_end() {
        page.update(Action::NextMark);
        steps.push(page.view.step);
    }
    assert!(steps.len() > 10 && steps.is_sorted());
    while page.view.step > 0 {
        assert_eq!(steps.pop(), Some(page.view.step));
        page.update(Action::PreviousMark);
    }
}

#[test]
fn the_sink_can_be_changed_at_any_moment_and_a_crash_stays() {
    let mut page = page("sink=exactly-once&crashes=[]&step=300");
    let node = subtask(&page, "total 2/2");
    page.update(Action::Crash(node));
    assert_eq!(page.runs.len(), 2);
    page.update(Action::End);
    assert_eq!(total(&page), 1_991_379);
    page.update(Action::Set(Knob::Guarantee(DeliveryGuarantee::AtLeastOnce)));
    assert!(
        page.at_end(),
        "the end of one is compared with the end of the other"
    );
    assert!(
        total(&page) > 1_991_379,
        "the same crash, without transactions"
    );
    assert_eq!(page.runs.len(), 2);
}

#[test]
fn a_branch_keeps_the_run_it_left() {
    let mut page = page("step=100");
    let first = Rc::clone(&page.view.run);
    let last = page.view.last;
    page.update(Action::Choose(0));
    assert_eq!(page.view.step, 101);
    assert_eq!(page.view.run.branches, [(100, 0)]);
    page.update(Action::Run(0));
    assert!(Rc::ptr_eq(&page.view.run, &first));
    assert_eq!(page.view.last, last);
}

#[test]
fn who_drives_by_hand_makes_one_branch() {
    let mut page = page("step=100");
    for _ in 0..5 {
        page.update(Action::Choose(0));
    }
    assert_eq!((page.runs.len(), page.view.step), (2, 105));
    let origin = page.view.run.origin.clone().unwrap();
    assert_eq!((origin.from, origin.step, origin.more), (1, 100, 4));
    let driven = page.address(Lang::En).write();

    // One choice is taken back, and the run is as it was before it.
    page.update(Action::Undo);
    assert_eq!((page.runs.len(), page.view.step), (2, 104));
    assert_eq!(page.view.run.origin.as_ref().unwrap().more, 3);

    // What somebody has seen go on stays, whatever is chosen before.
    page.update(Action::Choose(0));
    page.update(Action::Step);
    page.update(Action::Back);
    page.update(Action::Choose(0));
    assert_eq!(page.runs.len(), 3);

    let again = self::page(&driven);
    assert_eq!(again.runs.len(), 2);
    assert_eq!(again.address(Lang::En).write(), driven);
}

#[test]
fn more_branches_than_a_page_holds_are_refused() {
    let fragment = format!("b={}", vec!["1.0"; 20_000].join(","));
    let mut page = page(&fragment);
    assert_eq!(page.runs.len(), MOST_RUNS);
    let says = text::label(Lang::En, Label::TooManyBranches);
    assert!(page.notice.as_ref().unwrap().detail.contains(says));
    page.update(Action::Dismiss);
    page.update(Action::GoTo(1));
    page.update(Action::Choose(0));
    assert_eq!(page.runs.len(), MOST_RUNS);
    assert_eq!(page.notice.as_ref().unwrap().detail, says);
    // A branch that is closed makes room.
    page.update(Action::Close(MOST_RUNS - 1));
    page.update(Action::Dismiss);
    page.update(Action::Choose(0));
    assert_eq!((page.notice.is_none(), page.runs.len()), (true, MOST_RUNS));
}

#[test]
fn what_cannot_be_done_is_said() {
    let mut page = page("step=100");
    page.update(Action::Choose(99));
    assert_eq!(page.notice.as_ref().unwrap().about, Label::BadChoice);
    page.update(Action::Dismiss);
    assert_eq!(page.notice, None);
}

#[test]
fn the_address_leads_back() {
    let mut first = page("buffers=2&step=150&theme=dark&lang=zh");
    let node = subtask(&first, "sink 1/2");
    first.update(Action::Crash(node));
    let fragment = first.address(Lang::En).write();
    let again = page(&fragment);
    assert_eq!(again.view.step, first.view.step);
    assert_eq!(again.lang, Lang::Zh);
    assert_eq!(again.theme, Theme::Dark);
    let print = |page: &Page| page.view.run.with(|session| session.fingerprint());
    assert_eq!(print(&again), print(&first));
    assert_eq!(again.address(Lang::En).write(), fragment);
}

#[test]
fn bad_addresses_are_told_about() {
    for (fragment, part) in [
        ("step=x", "step=x"),
        ("interval=0", "checkpointing.interval_ms"),
        ("b=5.99", "b=5.99"),
        ("no.such=1", "no"),
    ] {
        let page = page(fragment);
        let notice = page.notice.as_ref().unwrap_or_else(|| panic!("{fragment}"));
        assert!(
            notice.detail.contains(part),
            "{fragment}: {}",
            notice.detail
        );
        assert!(page.view.last > 100, "{fragment}: the story is there");
    }
}

#[test]
fn what_can_be_read_of_a_bad_link_is_shown() {
    let page = page(
        "sink=exactly-once&nonsense&buffers=0&b=100.0,5.99&step=77&view=checkpoints&theme=pink",
    );
    assert_eq!(page.sight, Sight::Checkpoints);
    assert_eq!(page.view.step, 77);
    let said = &page.notice.as_ref().unwrap().detail;
    for part in [
        "`nonsense`: it has to be name=value",
        "`theme=pink`: possible are auto, light, dark",
        "costs.buffers_per_channel",
        "`b=5.99`: at step 5 there is no choice 99",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let exactly_once = page.view.run.with(|session| {
        let scenario = session.story().pipeline().cloned();
        scenario.and_then(|it| it.delivery_guarantee())
    });
    assert_eq!(exactly_once, Some(DeliveryGuarantee::ExactlyOnce));
}

#[test]
fn options_of_a_configuration_file_are_set() {
    let mut page = page("step=50");
    let text = "# flink-conf.yaml\nexecution.checkpointing.interval: 500 ms\nexecution.checkpointing.unaligned.enabled: true\n\
                execution.checkpointing.max-concurrent-checkpoints: many\nstate.backend: rocksdb";
    page.update(Action::Open(text.to_owned()));
    let scenario = page
        .view
        .run
        .with(|session| session.story().pipeline().cloned())
        .unwrap();
    assert_eq!(scenario.checkpointing.interval_ms, Millis(500));
    assert!(scenario.checkpointing.unaligned);
    let notice = page.notice.as_ref().unwrap();
    assert_eq!(notice.about, Label::OptionsRefused);
    assert!(
        notice.detail.contains("checkpointing.max_concurrent"),
        "{}",
        notice.detail
    );
    assert!(notice.detail.contains("state.backend"), "{}", notice.detail);

    let mut page = self::page("model=delivery");
    page.update(Action::Open(
        "acks=1\nenable.idempotence=false\n".to_owned(),
    ));
    assert_eq!(page.notice, None);
    let changed = page.address(Lang::En).write();
    assert!(changed.contains("producers.0.config.acks="), "{changed}");
}

#[test]
fn a_link_that_shows_something_else_by_now_says_so() {
    let mut first = page("seed=5");
    first.update(Action::GoTo(300));
    let link = first.link(Lang::En).write();
    assert!(link.contains("v=1."), "{link}");
    assert_eq!(page(&link).notice, None);
    let (head, print) = link.rsplit_once("v=1.").unwrap();
    let other = u16::from_str_radix(print, 16).unwrap() ^ 1;
    let changed = page(&format!("{head}v=1.{other:04x}"));
    assert_eq!(changed.notice.as_ref().unwrap().about, Label::LinkChanged);
    assert_eq!(changed.view.step, 300);
    let newer = page("seed=5&step=300&v=2");
    let notice = newer.notice.as_ref().unwrap();
    assert_eq!(notice.detail, text::label(Lang::En, Label::NewerLink));
    assert_eq!(newer.view.step, 300);
}

/// The links that the page makes lead back to what it shows, whatever it shows.
#[test]
fn twenty_links_lead_back() {
    let fragments = [
        "",
        "sink=exactly-once&step=412",
        "seed=9&interval=500&buffers=2&step=100",
        "b=200.0&step=260",
        "checkpointing.unaligned=true&view=checkpoints&step=50",
        "view=compare&lang=zh&theme=dark",
        "name=%E5%90%8D%20%26%20%3D%25&step=3",
        "crashes=[]&restart=50",
        "output.partitions=5&step=10",
        "names=2pc&step=99",
        "model=kafka-to-kafka&replicas=all&step=40",
        "model=kafka-to-kafka&kafka=null&step=40",
        "model=kafka-to-kafka&view=fault-matrix",
        "model=delivery&producers.0.config.acks=1&step=20",
        "model=delivery&producers.0.config.enable.idempotence=false&view=guarantees",
        "model=streams&step=30",
        "model=votes&step=15",
        "model=votes&protocol.cooperative_termination=true&step=9",
        "case=KP03.fixed&step=12",
        "view=gallery&only=lost&find=acks&card=KP03",
        "view=lessons&lang=zh",
    ];
    for fragment in fragments {
        let first = page(fragment);
        assert_eq!(first.notice, None, "{fragment}");
        let link = first.link(Lang::En).write();
        let again = page(&link);
        assert_eq!(again.notice, None, "{fragment}: {link}");
        assert_eq!(again.link(Lang::En).write(), link, "{fragment}");
        let fingerprint = |page: &Page| page.view.run.with(|session| session.fingerprint());
        assert_eq!(fingerprint(&again), fingerprint(&first), "{fragment}");
        assert_eq!(
            (again.view.step, again.sight, again.lang, again.theme),
            (first.view.step, first.sight, first.lang, first.theme),
            "{fragment}"
        );
    }
}

#[test]
fn a_wrong_scenario_changes_nothing_but_the_message() {
    let mut page = page("step=50");
    page.update(Action::Open("{".to_owned()));
    assert_eq!(page.notice.as_ref().unwrap().about, Label::BadScenario);
    assert_eq!(page.view.step, 50);
    page.update(Action::Set(Knob::Buffers(0)));
    assert!(
        page.notice
            .as_ref()
            .unwrap()
            .detail
            .contains("costs.buffers_per_channel")
    );
    assert_eq!(page.view.step, 50);
}

#[test]
fn while_time_passes_one_thing_is_told_long_enough_to_be_read() {
    let mut page = page("");
    page.update(Action::Toggle);
    let mut told = Vec::new();
    for _ in 0..600 {
        page.update(Action::Tick(16.0));
        if told.last() != Some(&page.told.step) {
            told.push(page.told.step);
        }
    }
    assert!((3..=10).contains(&told.len()), "{told:?}");
    page.update(Action::Pause);
    assert_eq!(page.told.step, page.view.step);
}

#[test]
fn every_step_of_both_stories_is_told_in_both_languages() {
    for sink in ["at-least-once", "exactly-once"] {
        let mut page = page(&format!("sink={sink}"));
        while !page.at_end() {
            page.update(Action::Step);
            for lang in Lang::ALL {
                let told = text::tell(&page.view.lexicon(lang), &page.view.events);
                let (step, what) = (page.view.step, &told.what);
                assert!(
                    !what.is_empty(),
                    "{sink}, step {step}: {:?}",
                    page.view.events
                );
                assert!(!told.aloud().contains('#'), "{sink}, step {step}: {what}");
                assert!(!what.contains("  "), "{sink}, step {step}: {what}");
            }
        }
    }
}

#[test]
fn a_step_in_which_nothing_is_told_to_happen_says_what_was_done() {
    let mut quiet = 0;
    for model in ["delivery", "streams"] {
        let mut page = page(&format!("model={model}"));
        while !page.at_end() {
            page.update(Action::Step);
            quiet += usize::from(page.view.events.is_empty());
            for lang in Lang::ALL {
                let told = telling(&page.view, lang, false).what;
                let step = page.view.step;
                assert!(!told.is_empty(), "{model}, step {step}");
                assert_ne!(told, label(lang, Label::IdleKafka), "{model}, step {step}");
            }
        }
    }
    assert!(quiet > 0, "no step was quiet");
}

/// The steps of a kind of mark, with their checkpoints.
fn marks(page: &Page, kind: MarkKind) -> Vec<(CheckpointId, usize)> {
    page.view.run.with(|session| {
        let marks = session.marks().iter().filter(|mark| mark.kind == kind);
        marks
            .map(|mark| (mark.checkpoint, mark.step as usize))
            .collect()
    })
}

#[test]
fn the_table_knows_what_was_known_at_the_step() {
    let mut page = page("");
    assert_eq!(history(&page.view, 100), (Vec::new(), 0));
    let triggered = marks(&page, MarkKind::Triggered);
    let (first, step) = triggered[0];
    page.update(Action::GoTo(step));
    let (entries, _) = history(&page.view, 100);
    assert_eq!(entries.len(), 1);
    assert_eq!((entries[0].checkpoint, entries[0].step), (first, step));
    assert_eq!(entries[0].status, Status::InProgress);
    assert_eq!(entries[0].acknowledged, (0, 6));
    assert!(entries[0].subtasks.iter().all(|(_, line)| line.is_none()));

    let (_, complete) = marks(&page, MarkKind::Completed)[0];
    page.update(Action::GoTo(complete - 1));
    assert_eq!(history(&page.view, 100).0[0].status, Status::InProgress);
    page.update(Action::GoTo(complete));
    let (entries, _) = history(&page.view, 100);
    let last = entries.last().unwrap();
    assert_eq!(last.status, Status::Completed);
    assert_eq!(last.acknowledged, (6, 6));
    assert!(last.subtasks.iter().all(|(_, line)| line.is_some()));
}

#[test]
fn the_figures_of_the_table_are_those_of_the_statistics() {
    for unaligned in [false, true] {
        let mut page = page(&format!("checkpointing.unaligned={unaligned}"));
        page.update(Action::End);
        let (entries, older) = history(&page.view, 100);
        assert_eq!(older, 0);
        assert!(entries.is_sorted_by(|a, b| a.checkpoint > b.checkpoint));
        let all = page.view.run.with(|session| session.checkpoints().to_vec());
        assert_eq!(entries.len(), all.len());
        for (entry, statistics) in entries.iter().zip(all.iter().rev()) {
            assert_eq!(entry.checkpoint, statistics.checkpoint);
            assert_eq!(entry.status, statistics.status);
            assert_eq!(entry.kind, statistics.kind());
            if statistics.status != Status::InProgress {
                assert_eq!(entry.whole.end_to_end, statistics.end_to_end);
            }
            assert_eq!(entry.whole.persisted, statistics.persisted());
            assert_eq!(entry.whole.size, statistics.state_size());
            let sum = |of: fn(&Line) -> u64| -> u64 {
                let lines = entry.subtasks.iter().filter_map(|(_, line)| line.as_ref());
                lines.filter(|line| !line.late).map(of).sum()
            };
            assert_eq!(sum(|line| line.size), entry.whole.size);
            assert_eq!(sum(|line| line.processed), entry.whole.processed);
            let is_unaligned = entry.kind == Kind::UnalignedCheckpoint;
            assert_eq!(is_unaligned, sum(|line| line.persisted) > 0);
            for (_, line) in &entry.subtasks {
                // Those of an aligned checkpoint always follow each other.
                assert!(line.is_none_or(|line| unaligned || line.is_stacked()));
            }
        }
        assert_eq!(history(&page.view, 3).0, entries[..3]);
        assert_eq!(history(&page.view, 3).1, entries.len() - 3);
    }
}

#[test]
fn a_row_of_the_table_leads_to_the_stage() {
    let mut page = page("view=checkpoints&step=500");
    assert_eq!(page.sight, Sight::Checkpoints);
    let step = history(&page.view, 100).0[0].step;
    page.update(Action::Visit(step));
    assert_eq!((page.sight, page.view.step), (Sight::Watch, step));
}

#[test]
fn the_comparison_is_measured_one_way_after_another() {
    let mut page = page("step=100");
    assert!(!page.measure_next(), "nobody looks at it");
    page.update(Action::Look(Sight::Compare));
    while page
        .beside
        .columns
        .iter()
        .any(|column| column.view.is_none())
    {
        assert!(page.measure_next(), "first the runs that one sees");
    }
    for done in 0..3 {
        assert!(page.is_measuring());
        assert_eq!(page.comparison.columns.iter().flatten().count(), done);
        assert!(page.measure_next());
    }
    assert!(!page.is_measuring() && !page.measure_next());
    let [aligned, unaligned, at_least_once] = page.comparison.figures().unwrap();
    assert!(aligned.blocked > Micros::ZERO);
    assert_eq!(unaligned.blocked, Micros::ZERO);
    assert_eq!(at_least_once.blocked, Micros::ZERO);
    assert!(unaligned.in_flight > Some(0) && unaligned.duration < aligned.duration);
    assert!(aligned.recovery.is_some(), "the story crashes");

    // Another step, the same figures; another scenario, other ones.
    page.update(Action::Step);
    assert!(!page.is_measuring());
    page.update(Action::Set(Knob::Schedule(Vec::new())));
    assert!(page.is_measuring());
    while page.measure_next() {}
    let figures = page.comparison.figures().unwrap();
    assert!(figures.iter().all(|figures| figures.recovery.is_none()));
}

#[test]
fn what_a_person_broke_is_compared_too() {
    let mut page = page("crashes=[]&step=300&view=compare");
    let node = subtask(&page, "total 2/2");
    page.update(Action::Crash(node));
    assert_eq!(page.runs.len(), 2);
    while page.measure_next() {}
    let figures = page.comparison.figures().unwrap();
    assert!(figures.iter().all(|figures| figures.recovery.is_some()));
}

#[test]
fn the_life_of_a_record_is_told_place_by_place() {
    for fragment in [
        "sink=at-least-once&step=0",
        "model=kafka-to-kafka&step=0",
        "model=delivery&step=0",
        "model=streams&step=0",
    ] {
        let mut page = page(fragment);
        page.update(Action::End);
        let record = page.view.verdict.witnesses.first().map(|it| it.record);
        let record = record
            .or(page.view.scene.records().get(3).copied())
            .unwrap();
        let at = page.view.run.with(|session| session.at());
        page.update(Action::Trace(Some(record)));
        while page.measure_next() {}
        assert_eq!(page.view.run.with(|session| session.at()), at, "{fragment}");
        let life = Rc::clone(page.life.as_ref().unwrap());
        assert!(life.is_complete() && life.chapters.len() > 3, "{fragment}");
        // What came and what went, one after the other, comes to where it is in the end.
        page.update(Action::Start);
        let mut places = page.view.scene.whereabouts(record);
        for chapter in &life.chapters {
            places.retain(|it| !chapter.went.contains(it));
            for came in &chapter.came {
                assert!(!places.contains(came), "{fragment} {}", chapter.step);
                places.push(*came);
            }
            assert!(!chapter.events.is_empty(), "{fragment} {}", chapter.step);
        }
        page.update(Action::End);
        let mut told: Vec<String> = places.iter().map(|it| format!("{it:?}")).collect();
        let now = page.view.scene.whereabouts(record);
        let mut now: Vec<String> = now.iter().map(|it| format!("{it:?}")).collect();
        told.sort();
        now.sort();
        now.dedup();
        assert_eq!(told, now, "{fragment}");
        let lexicon = page.view.lexicon(Lang::En);
        for place in &places {
            assert!(!text::life::place(&lexicon, place).is_empty());
        }
    }
}

#[test]
fn another_run_has_another_life_of_the_same_record() {
    let mut page = page("step=300&crashes=[]");
    // A crash has it read again.
    let scene = Rc::clone(&page.view.scene);
    let is_read = |record: &RecordId| {
        let places = scene.whereabouts(*record);
        let mut places = places.iter();
        places.any(|it| {
            matches!(
                it,
                Whereabouts::Input {
                    status: CellStatus::Read,
                    ..
                }
            )
        })
    };
    let record = scene.records().into_iter().find(is_read).unwrap();
    page.update(Action::Trace(Some(record)));
    while page.measure_next() {}
    let before = Rc::clone(page.life.as_ref().unwrap());
    page.update(Action::Crash(subtask(&page, "total 2/2")));
    assert!(page.is_measuring(), "it is told anew");
    while page.measure_next() {}
    let after = Rc::clone(page.life.as_ref().unwrap());
    assert_eq!(before.record, after.record);
    assert!(
        after.chapters.len() > before.chapters.len(),
        "it is read again"
    );
    page.update(Action::Model(Model::Votes));
    assert!(page.life.is_none());
}

/// The runs that stand side by side, all of them run.
fn beside(page: &mut Page) -> Vec<(String, Rc<View>)> {
    page.update(Action::Look(Sight::Compare));
    while page.measure_next() {}
    let columns = page.beside.columns.iter();
    columns
        .map(|column| {
            let view = column.shown().expect("it can be run");
            (text::beside::side(Lang::En, &column.side), Rc::clone(view))
        })
        .collect()
}

#[test]
fn runs_stand_side_by_side_at_the_same_moment() {
    let mut page = page("step=400");
    let runs = beside(&mut page);
    let sides: Vec<&str> = runs.iter().map(|(side, _)| side.as_str()).collect();
    assert_eq!(sides, ["aligned", "unaligned", "at-least-once"]);
    let this = page.beside.columns.iter().filter(|column| column.is_this);
    assert_eq!(this.count(), 1, "one of them is the run that is looked at");
    let in_step = |page: &Page| {
        for column in &page.beside.columns {
            let view = column.shown().unwrap();
            let next = view.run.with(|session| session.time(view.step + 1));
            assert!(view.time <= page.view.time, "{:?}", column.side);
            assert!(
                view.step == view.last || next > page.view.time,
                "{:?}",
                column.side
            );
        }
    };
    in_step(&page);
    let before: Vec<usize> = runs.iter().map(|(_, view)| view.step).collect();
    page.update(Action::Toggle);
    for _ in 0..40 {
        page.update(Action::Tick(50.0));
    }
    page.update(Action::Pause);
    in_step(&page);
    for (column, before) in page.beside.columns.iter().zip(before) {
        assert!(column.shown().unwrap().step > before, "{:?}", column.side);
    }
    page.update(Action::End);
    for (side, view) in beside(&mut page) {
        assert_eq!(view.step, view.last, "{side}");
    }
}

#[test]
fn what_a_person_breaks_breaks_in_each_of_the_runs_that_stand_side_by_side() {
    let mut page = page("crashes=[]&sink=at-least-once&step=300&view=compare&by=sink");
    let node = subtask(&page, "total 2/2");
    page.update(Action::Crash(node));
    page.update(Action::End);
    let doubled: Vec<(String, u32)> = beside(&mut page)
        .into_iter()
        .map(|(side, view)| (side, view.verdict.doubled))
        .collect();
    assert_eq!(page.beside.axis, Axis::Sink);
    assert!(
        page.address(Lang::En)
            .write()
            .contains("view=compare&by=sink")
    );
    assert_eq!(doubled.len(), 2);
    assert!(doubled[0].1 > 0, "{doubled:?}");
    assert_eq!(doubled[1], ("EXACTLY_ONCE".to_owned(), 0));
    // What stands differently is told of each but the first.
    let differs: Vec<usize> = (page.beside.columns.iter())
        .map(|column| page.beside.different(column.shown().unwrap()).len())
        .collect();
    assert!(differs[0] == 0 && differs[1] > 0, "{differs:?}");
}

#[test]
fn every_model_has_something_to_compare_and_every_axis_can_be_run() {
    for fragment in [
        "step=1",
        "model=kafka-to-kafka&step=1",
        "model=delivery&step=1",
        "model=streams&step=1",
        "model=votes&step=1",
        "case=KP03&step=1",
        "lesson=4.2&step=1",
    ] {
        let mut page = page(fragment);
        page.update(Action::Look(Sight::Compare));
        assert!(!page.beside.axes.is_empty(), "{fragment}");
        for axis in page.beside.axes.clone() {
            page.update(Action::Beside(axis));
            let runs = beside(&mut page);
            assert_eq!(page.beside.axis, axis, "{fragment}");
            assert!((2..=3).contains(&runs.len()), "{fragment} {axis:?}");
            let first = page.beside.columns[0].shown().unwrap();
            assert_eq!(page.beside.different(first), [], "{fragment} {axis:?}");
            page.update(Action::End);
            let sides: Vec<String> = runs.into_iter().map(|(side, _)| side).collect();
            let mut different = sides.clone();
            different.dedup();
            assert_eq!(sides, different, "{fragment} {axis:?}");
            page.update(Action::Start);
        }
    }
}

#[test]
fn acknowledgements_make_the_difference_side_by_side() {
    let mut page = page("case=KP03&view=compare&by=fix");
    page.update(Action::End);
    let runs = beside(&mut page);
    assert_eq!(page.beside.axis, Axis::Fix);
    assert!(runs[0].1.verdict.lost + runs[0].1.verdict.doubled > 0);
    assert_eq!((runs[1].1.verdict.lost, runs[1].1.verdict.doubled), (0, 0));
}

#[test]
fn branches_stand_side_by_side() {
    let mut page = page("step=300");
    page.update(Action::Look(Sight::Compare));
    assert!(
        !page.beside.axes.contains(&Axis::Branch),
        "there is one run only"
    );
    page.update(Action::Crash(subtask(&page, "total 2/2")));
    page.update(Action::Beside(Axis::Branch));
    let sides: Vec<String> = beside(&mut page)
        .into_iter()
        .map(|(side, _)| side)
        .collect();
    assert_eq!(sides, ["run 1", "run 2"]);
}

#[test]
fn a_refused_setting_is_told_beside_it() {
    let mut page = page("step=50&checkpointing.max_concurrent=3");
    page.knobs = true;
    page.update(Action::Set(Knob::Unaligned(true)));
    let (field, reason) = page.refused().unwrap();
    assert_eq!(field, "checkpointing.unaligned");
    assert!(reason.contains("max_concurrent"), "{reason}");
    page.update(Action::Set(Knob::MaxConcurrent(1)));
    assert_eq!(page.refused(), None);
}

#[test]
fn a_refusal_is_quoted_in_chinese() {
    let mut page = page("step=50&lang=zh");
    page.update(Action::Set(Knob::Interval(Millis(0))));
    let notice = page.notice.as_ref().unwrap();
    assert!(
        notice
            .detail
            .starts_with("原文：“checkpointing.interval_ms"),
        "{notice:?}"
    );
}

#[test]
fn a_scenario_too_long_for_an_address_is_said_to_be() {
    let mut page = page("");
    let mut scenario = Scenario::default_story().unwrap();
    scenario.name = "long ".repeat(2_000);
    page.update(Action::Open(scenario.to_json()));
    assert_eq!(page.notice.as_ref().unwrap().about, Label::TooLong);
    let fragment = page.address(Lang::En).write();
    assert!(fragment.starts_with("scenario=too-long"), "{fragment}");
    let again = self::page(&fragment);
    let notice = again.notice.as_ref().unwrap();
    assert_eq!(notice.about, Label::BadLink);
    assert_eq!(notice.detail, text::label(Lang::En, Label::TooLongLink));
}

/// Every sentence of a run, with what it means.
fn all_told(page: &mut Page, lang: Lang) -> String {
    let mut all = String::new();
    page.update(Action::Start);
    while !page.at_end() {
        page.update(Action::Step);
        let told = text::tell(&page.view.lexicon(lang), &page.view.events);
        all.push_str(&told.aloud());
        all.push('\n');
    }
    all
}

#[test]
fn what_is_said_of_checkpoints_depends_on_their_mode() {
    let exactly = all_told(&mut page(""), Lang::En);
    let at_least = all_told(&mut page("checkpointing.mode=at-least-once"), Lang::En);
    for (sentence, is_exact) in [
        ("and of none behind them", true),
        ("as if the records since had never been read", true),
        ("it may hold effects of records behind them too", false),
        ("go into the snapshot of checkpoint 1 too", false),
        (
            "the records that they read again: these are counted twice",
            false,
        ),
    ] {
        assert_eq!(exactly.contains(sentence), is_exact, "{sentence}");
        assert_eq!(at_least.contains(sentence), !is_exact, "{sentence}");
    }
}

/// Does the first thing of a kind that can be done.
fn first(page: &mut Page, is_it: fn(&Choice) -> bool) {
    while !page.view.choices.iter().any(is_it) {
        assert!(!page.at_end(), "it can never happen");
        page.update(Action::Step);
    }
    let choice = *page
        .view
        .choices
        .iter()
        .find(|choice| is_it(choice))
        .unwrap();
    page.update(Action::Do(choice));
}

#[test]
fn a_job_that_has_failed_or_was_stopped_is_not_simply_right() {
    let mut page = page("sink=exactly-once&crashes=[]&restart.attempts=0");
    assert_eq!(page.view.outcome(), Outcome::Unread);
    first(&mut page, |choice| {
        matches!(choice, Choice::FailSnapshot { .. })
    });
    let said = all_told(&mut page, Lang::En);
    assert!(
        said.contains("1 checkpoint failed, 0 are tolerated"),
        "{said}"
    );
    assert_eq!(page.view.outcome(), Outcome::Failed);
    let lexicon = page.view.lexicon(Lang::En);
    for node in page.view.subtasks() {
        let rows = text::rows(&lexicon, node, &[]);
        assert!(
            rows.iter().all(|row| !row.text.contains("waits")),
            "{rows:?}"
        );
    }

    let mut page = self::page("sink=exactly-once&crashes=[]");
    first(&mut page, |choice| {
        matches!(choice, Choice::Savepoint { stop: true, .. })
    });
    let said = all_told(&mut page, Lang::En);
    assert!(
        said.contains("the sinks commit when they hear of it"),
        "{said}"
    );
    assert!(said.contains("the coordinator started savepoint"), "{said}");
    assert_eq!(page.view.outcome(), Outcome::Stopped);
}

#[test]
fn a_lost_job_manager_takes_its_checkpoints_along() {
    let mut page = page("sink=exactly-once&crashes=[]");
    first(&mut page, |choice| {
        matches!(choice, Choice::FailSnapshot { .. })
    });
    page.update(Action::Run(0));
    first(&mut page, |choice| {
        matches!(choice, Choice::LoseJobManager { .. })
    });
    for lang in Lang::ALL {
        let told = text::tell(&page.view.lexicon(lang), &page.view.events).what;
        assert!(!told.contains("suspending"), "{told}");
    }
    let told = text::tell(&page.view.lexicon(Lang::En), &page.view.events).what;
    assert!(told.contains("With the JobManager, checkpoint"), "{told}");
}

#[test]
fn any_fault_can_be_caused_and_is_told_in_both_languages() {
    let kinds: [fn(&Choice) -> bool; 8] = [
        |choice| matches!(choice, Choice::LoseTaskManager { .. }),
        |choice| matches!(choice, Choice::LoseJobManager { .. }),
        |choice| matches!(choice, Choice::FailSnapshot { .. }),
        |choice| matches!(choice, Choice::Refuse { .. }),
        |choice| matches!(choice, Choice::LoseNotification { .. }),
        |choice| matches!(choice, Choice::Expire { .. }),
        |choice| matches!(choice, Choice::Savepoint { stop: false, .. }),
        |choice| matches!(choice, Choice::Savepoint { stop: true, .. }),
    ];
    for is_it in kinds {
        let mut page = page(
            "sink=exactly-once&crashes=[]&job.task_managers=2&costs.deploy_ms=800&checkpointing.tolerable_failures=1",
        );
        let choice = loop {
            assert!(!page.at_end(), "it can never happen");
            page.update(Action::Step);
            if let Some(choice) = page.view.choices.iter().find(|choice| is_it(choice)) {
                break *choice;
            }
        };
        page.update(Action::Do(choice));
        assert_eq!(page.notice, None);
        while !page.at_end() {
            for lang in Lang::ALL {
                let told = text::tell(&page.view.lexicon(lang), &page.view.events);
                assert!(!told.what.contains("  "), "{choice:?}: {}", told.what);
                assert!(!told.aloud().contains('#'), "{choice:?}: {}", told.what);
                assert!(!told.what.is_empty(), "{choice:?}: {:?}", page.view.events);
            }
            page.update(Action::Step);
        }
    }
}

/// A page with a story of one of Kafka's models.
fn kafka(fragment: &str) -> Page {
    let page = Page::open(fragment, Lang::En).unwrap();
    assert_eq!(page.notice, None, "{fragment}");
    page
}

fn option(pointer: &'static str, value: impl Into<serde_json::Value>) -> Action {
    Action::Set(Knob::Option(pointer.into(), value.into()))
}

#[test]
fn each_model_opens_with_its_own_story_and_ways_of_looking() {
    let mut page = Page::open("", Lang::En).unwrap();
    for model in [
        Model::Delivery,
        Model::Sink,
        Model::Streams,
        Model::Pipeline,
    ] {
        page.update(Action::Model(model));
        assert_eq!(page.view.run.model(), model);
        assert_eq!(page.view.step, 0);
        assert!(page.playing);
        let address = page.address(Lang::En).write();
        let again = Page::open(&address, Lang::En).unwrap();
        assert_eq!(again.view.run.model(), model, "{address}");
        for sight in Sight::ALL {
            page.update(Action::Look(Sight::Watch));
            page.update(Action::Look(sight));
            let offered = model.sights().contains(&sight);
            assert_eq!(page.sight == sight, offered, "{model:?}: {sight:?}");
        }
    }
}

#[test]
fn every_step_of_kafka_can_be_told_in_both_languages() {
    for story in ["model=delivery", "model=streams"] {
        let mut page = kafka(story);
        for step in 0..=page.view.last {
            page.update(Action::GoTo(step));
            for lang in Lang::ALL {
                let lexicon = page.view.lexicon(lang);
                if !page.view.events.is_empty() {
                    assert!(!text::tell(&lexicon, &page.view.events).what.is_empty());
                }
                for node in &page.view.scene.nodes {
                    assert!(!lexicon.node(node.id).is_empty());
                    let rows = text::rows(&lexicon, node, &[]);
                    assert!(!rows.is_empty() || !matches!(node.facts, Facts::Producer(_)));
                }
                for choice in &page.view.choices {
                    assert!(!text::choice(&lexicon, *choice).is_empty());
                }
            }
        }
    }
}

#[test]
fn an_option_of_kafka_is_set_and_refused_like_any_other() {
    let mut page = kafka("model=delivery");
    page.update(option("/producers/0/config/enable.idempotence", true));
    assert_eq!(page.notice, None);
    let idempotence = |page: &Page| {
        page.view.run.with(|session| {
            let scenario = session.story().delivery().unwrap();
            scenario.producers[0].config.idempotence
        })
    };
    assert_eq!(idempotence(&page), Some(true));
    assert!(
        page.address(Lang::En)
            .write()
            .contains("enable.idempotence=true")
    );

    page.update(Action::Knobs(true));
    page.update(option("/producers/0/config/acks", "1"));
    let (field, reason) = page.refused().unwrap();
    assert_eq!(field, "/producers/0/config/acks");
    assert!(reason.contains("acks"), "{reason}");
    assert_eq!(idempotence(&page), Some(true), "nothing has changed");

    // Left out, it has the default of the client.
    page.update(option(
        "/producers/0/config/enable.idempotence",
        serde_json::Value::Null,
    ));
    assert_eq!(page.notice, None);
    assert_eq!(idempotence(&page), None);
}

#[test]
fn what_a_person_breaks_between_clients_and_brokers_breaks() {
    let mut page = kafka("model=delivery&faults.schedule=[]&faults.messages=[]");
    page.update(Action::GoTo(page.view.last / 3));
    let leader = page
        .view
        .scene
        .nodes
        .iter()
        .find(|node| matches!(&node.facts, Facts::Replica(replica) if !replica.leads));
    let leader = leader.unwrap().id;
    page.update(Action::Crash(leader));
    assert_eq!(page.notice, None);
    assert_eq!(page.runs.len(), 2, "a branch");
    let node = page.view.node(leader).unwrap();
    assert_eq!(
        node.health,
        Health::Crashed,
        "with the broker, its replicas"
    );
}

#[test]
fn the_table_of_guarantees_fills_and_its_proofs_prove() {
    let mut page = kafka("model=delivery&view=guarantees");
    assert!(page.is_measuring());
    while page.is_measuring() {
        assert!(page.measure_next());
    }
    let table = Rc::clone(&page.guarantees);
    let mut shown = 0;
    for cell in 0..table.cells.len() {
        for proof in [Proof::Loss, Proof::Duplicate] {
            if table.proof(cell, proof).is_none() || shown > 8 {
                continue;
            }
            shown += 1;
            page.update(Action::Prove(cell, proof));
            assert_eq!((page.sight, page.notice.is_none()), (Sight::Watch, true));
            let verdict = &page.view.verdict;
            match proof {
                Proof::Loss => assert!(verdict.lost + verdict.failed > 0),
                Proof::Duplicate => assert!(verdict.doubled > 0),
                Proof::Calm => {}
            }
            let step = page.view.step;
            page.update(Action::Back);
            let before = &page.view.verdict;
            match proof {
                Proof::Loss => assert_eq!(before.lost + before.failed, 0, "step {step} shows it"),
                Proof::Duplicate => assert_eq!(before.doubled, 0, "step {step} shows it"),
                Proof::Calm => {}
            }
        }
    }
    assert!(shown > 3);
    page.update(Action::Look(Sight::Guarantees));
    assert!(!page.is_measuring(), "what is computed is kept");
}

#[test]
fn the_fault_matrix_fills_and_its_cells_open_where_they_break() {
    let mut page = Page::open("model=kafka-to-kafka&view=fault-matrix", Lang::Zh).unwrap();
    while page.is_measuring() {
        assert!(page.measure_next());
    }
    let table = Rc::clone(&page.fault_matrix);
    assert_eq!((table.done(), table.all()), (54, 54));
    for point in CrashPoint::ALL {
        let place = Place {
            point,
            sink: DeliveryGuarantee::ExactlyOnce,
            reader: IsolationLevel::ReadCommitted,
        };
        let cell = table.cell(place).unwrap();
        page.update(Action::Fault(place));
        assert_eq!((page.sight, page.notice.is_none()), (Sight::Watch, true));
        let scenario =
            |page: &Page| (page.view.run).with(|it| FaultMatrix::of(it.story().pipeline()?));
        assert_eq!(scenario(&page), Some(place), "its cell is marked");
        let title = (page.view.run).with(|it| text::scenario(Lang::Zh, it.story().name()));
        assert!(title.starts_with("故障矩阵："), "{title}");
        // It is opened where it breaks, if all goes well, and else where it goes wrong.
        let (step, last) = (page.view.step, page.view.last);
        assert!(
            0 < step && (step < last || cell.symptom == Symptom::Stuck),
            "{point:?}: {step} of {last}"
        );
        let (lost, doubled) = (page.view.verdict.lost, page.view.verdict.doubled);
        page.update(Action::End);
        assert_eq!(page.view.verdict, cell.verdict, "{point:?}");
        if cell.symptom != Symptom::Stuck {
            assert_eq!(
                (lost > 0, doubled > 0),
                (cell.verdict.lost > 0, cell.verdict.doubled > 0)
            );
        }
        page.update(Action::Undo);
    }
    page.update(Action::Look(Sight::FaultMatrix));
    assert!(!page.is_measuring(), "what is computed is kept");
}

#[test]
fn a_scenario_of_any_model_can_be_opened() {
    let mut page = Page::open("", Lang::En).unwrap();
    let json = Model::Streams.story().unwrap().as_ref().to_json();
    page.update(Action::Open(json.clone()));
    assert_eq!(page.notice, None);
    assert_eq!(page.view.run.model(), Model::Streams);
    page.update(Action::Open(
        json.replace("\"processing.guarantee\"", "\"processing.guaranty\""),
    ));
    let notice = page.notice.as_ref().unwrap();
    assert_eq!(notice.about, Label::BadScenario);
    assert!(
        notice.detail.contains("processing.guaranty"),
        "{}",
        notice.detail
    );
    assert_eq!(
        page.view.run.model(),
        Model::Streams,
        "what was open stays open"
    );
}

/// Whom the verdict of a page's run is about, and what it sees.
fn tallies(page: &Page) -> Vec<(bool, text::kafka::tally::Tally)> {
    let nodes = &page.view.scene.nodes;
    let of = |node| text::kafka::tally::of_node(nodes, node);
    let judged = |node: &barrierscope_core::scene::Node| matches!(&node.facts, Facts::Audience(view) if view.judged);
    (nodes.iter())
        .filter_map(|node| Some((judged(node), of(node)?)))
        .collect()
}

/// Every fault report, without and with its fix.
fn reports() -> impl Iterator<Item = Reported> {
    let all = (0..REPORTS.len()).filter_map(Reported::at);
    all.flat_map(|reported| [reported, reported.with_fix(true)])
}

#[test]
fn what_is_seen_adds_up_at_every_step_of_every_report() {
    for reported in reports() {
        let mut page = kafka(&format!("case={}", reported.code()));
        for step in 0..=page.view.last {
            page.update(Action::GoTo(step));
            for (_, tally) in tallies(&page) {
                let sum = tally.seen + tally.lost + tally.failed + tally.stuck + tally.waiting;
                assert_eq!(
                    sum,
                    tally.expected,
                    "{} at {step}: {tally:?}",
                    reported.code()
                );
                assert!(tally.copies >= tally.seen, "{tally:?}");
            }
        }
    }
}

#[test]
fn every_step_of_every_report_is_told_in_both_languages() {
    for reported in reports() {
        let mut page = kafka(&format!("case={}", reported.code()));
        for step in 1..=page.view.last {
            page.update(Action::GoTo(step));
            for lang in Lang::ALL {
                let told = crate::components::story::telling(&page.view, lang, false);
                assert!(!told.what.is_empty(), "{} at {step}", reported.code());
                let all = told.aloud();
                assert!(!all.contains("  ") && !all.contains("##"), "{all}");
            }
        }
    }
}

#[test]
fn a_report_is_opened_where_it_goes_wrong_and_its_fix_switched_on() {
    let mut page = Page::open("", Lang::En).unwrap();
    let reported = Reported::of("KP03").unwrap();
    page.update(Action::Report(reported));
    assert_eq!(page.view.run.report(), Some(reported));
    let wrong = page.view.step;
    assert!((1..page.view.last).contains(&wrong) && !page.playing);
    assert!(page.view.verdict.doubled > 0);
    let address = page.address(Lang::En).write();
    assert_eq!(address, format!("case=KP03&step={wrong}"));
    page.update(Action::Back);
    assert_eq!(page.view.verdict.doubled, 0, "it went wrong in that step");
    page.update(Action::Step);
    // The fix is seen at the same moment, and so is what it is the fix of.
    let moment = page.view.time;
    page.update(Action::Report(reported.with_fix(true)));
    assert_eq!(page.view.verdict.doubled, 0);
    assert!(page.view.time <= moment);
    page.update(Action::Report(reported));
    assert_eq!(
        page.view.time, moment,
        "also where the other side ends before"
    );
    page.update(Action::End);
    assert!(page.view.verdict.doubled > 0);
    page.update(Action::Report(reported.with_fix(true)));
    assert!(
        page.at_end(),
        "the end of one is compared with the end of the other"
    );
    assert_eq!(page.view.verdict.doubled, 0);
    // Beside the stage stands what both come to.
    for (fixed, symptom) in [(false, Symptom::Duplicates), (true, Symptom::Ok)] {
        let found = page.gallery.found(reported.place(), fixed).unwrap();
        assert_eq!(found.symptom, symptom);
    }
    // Time goes on if it did.
    page.update(Action::Start);
    page.update(Action::Toggle);
    page.update(Action::Report(reported));
    assert!(page.playing);
    page.update(Action::Report(reported.with_fix(true)));
    // What is changed in it is written as a change of it.
    page.update(option("/costs/network_ms", 7));
    let address = page.address(Lang::En).write();
    assert!(address.starts_with("case=KP03.fixed&"), "{address}");
    let again = kafka(&address);
    assert_eq!(again.view.run.report(), Some(reported.with_fix(true)));
    assert_eq!(again.address(Lang::En).write(), address);
}

#[test]
fn every_report_opens_at_a_step_that_shows_what_is_wrong() {
    for reported in (0..REPORTS.len()).filter_map(Reported::at) {
        let mut page = Page::open("", Lang::En).unwrap();
        page.update(Action::Report(reported));
        let report = reported.report();
        let verdict = &page.view.verdict;
        let wrong = verdict.lost + verdict.doubled + verdict.stuck + verdict.waiting;
        let is_wrong = wrong + verdict.failed + verdict.miscounted > 0;
        let ok = report.observed == Symptom::Ok;
        assert!(
            is_wrong || ok || page.at_end(),
            "{}: {verdict:?}",
            report.id
        );
    }
}

#[test]
fn the_gallery_is_about_no_run_and_its_address_says_what_it_shows() {
    let mut page = Page::open("", Lang::En).unwrap();
    page.update(Action::Toggle);
    page.update(Action::Look(Sight::Gallery));
    assert!(!page.playing, "nobody sees time pass there");
    page.update(Action::Only(Some(Symptom::Duplicates)));
    page.update(Action::Find("retry".to_owned()));
    page.update(Action::Card(place_of("KP03")));
    let address = page.address(Lang::En).write();
    assert_eq!(
        address,
        "step=0&view=gallery&only=doubled&find=retry&card=KP03"
    );
    let again = Page::open(&address, Lang::En).unwrap();
    assert_eq!(
        (again.sight, &again.excerpt),
        (Sight::Gallery, &page.excerpt)
    );
    // It is run slice by slice, the open card first.
    assert!(page.is_measuring() && page.measure_next());
    let place = place_of("KP03").unwrap();
    assert!(page.gallery.found(place, false).is_some());
    while page.measure_next() {}
    assert!(!page.is_measuring());
    // Whoever opens a report from there comes back to it.
    page.update(Action::Report(Reported::of("KP03").unwrap()));
    assert_eq!(page.sight, Sight::Watch);
    assert_eq!(page.address(Lang::En).excerpt, Default::default());
    page.update(Action::Undo);
    assert_eq!(page.sight, Sight::Gallery);
    assert_eq!(page.address(Lang::En).write(), address);
}

#[test]
fn whatever_was_done_can_be_taken_back() {
    let mut page = kafka("model=delivery&step=60");
    let before = (page.address(Lang::En), page.runs.len());
    assert!(!page.can_undo());
    let broker = page.view.scene.nodes.iter();
    let broker = broker.filter(|node| matches!(node.facts, Facts::Replica(_)));
    let broker = broker.map(|node| node.id).next().unwrap();
    page.update(Action::Crash(broker));
    page.update(Action::Step);
    page.update(option("/costs/network_ms", 9));
    assert!(page.can_undo());
    page.update(Action::Undo);
    assert_eq!(page.view.run.branches.len(), 1, "the setting");
    page.update(Action::Undo);
    assert_eq!(
        (page.address(Lang::En), page.runs.len()),
        before,
        "the fault"
    );
    assert!(!page.can_undo());
    page.update(Action::Undo);
    assert_eq!(page.address(Lang::En), before.0);

    // The browser's way back takes it back as well.
    page.update(Action::Model(Model::Streams));
    page.update(Action::Address(before.0.clone()));
    assert_eq!(page.address(Lang::En), before.0);
    assert!(!page.can_undo());

    // What is refused or changes nothing cannot.
    page.update(Action::Choose(999));
    page.update(option("/costs/network_ms", 12));
    assert!(!page.can_undo());
}

#[test]
fn faults_that_do_not_fit_a_changed_scenario_are_named() {
    let mut page = kafka("model=delivery&step=60");
    let broker = page.view.scene.nodes.iter();
    let broker = broker.filter(|node| matches!(node.facts, Facts::Replica(_)));
    let broker = broker.map(|node| node.id).next().unwrap();
    page.update(Action::Crash(broker));
    page.update(option("/topics/0/partitions", 3));
    let notice = page.notice.as_ref().unwrap();
    assert_eq!(notice.about, Label::FaultsDropped);
    assert!(notice.detail.contains("broker"), "{}", notice.detail);
}

#[test]
fn a_bad_link_keeps_the_model_that_it_names() {
    for (fragment, model) in [
        ("model=delivery&producers.0.config.acks=7", Model::Delivery),
        ("model=streams&nothing", Model::Streams),
        ("case=KP03&topics=3&lang=zh", Model::Delivery),
        ("case=KX99", Model::Pipeline),
    ] {
        let page = Page::open(fragment, Lang::En).unwrap();
        assert_eq!(page.view.run.model(), model, "{fragment}");
        let notice = page.notice.as_ref().unwrap();
        assert_eq!(notice.about, Label::BadLink, "{fragment}");
        assert!(!notice.detail.is_empty());
    }
    let mut page = kafka("model=delivery");
    let (address, trouble) = Address::read("model=streams&x&step=12&lang=zh");
    page.update(Action::BadAddress(address, trouble));
    assert_eq!(page.view.run.model(), Model::Streams);
    assert_eq!((page.view.step, page.lang), (12, Lang::Zh));
    assert_eq!(page.notice.as_ref().unwrap().about, Label::BadLink);
}

#[test]
fn the_cell_of_what_is_open_is_found() {
    let table = Guarantees::empty();
    let of = |fragment: &str| {
        let page = kafka(fragment);
        page.view
            .run
            .with(|session| corresponding(&table, session.story().delivery().unwrap()))
    };
    let found = of("model=delivery").unwrap();
    let (setting, _) = &table.cells[found.cell];
    assert!(!setting.idempotence && setting.retries);
    assert_eq!(found.differs, []);
    assert_eq!(
        of("model=delivery&topics.0.replication.factor=1&topics.0.min.insync.replicas=1")
            .unwrap()
            .differs,
        [Difference::ReplicationFactor(1), Difference::MinInSync(1)]
    );
    assert_eq!(
        of(
            "model=delivery&producers.0.config.transactional.id=t&producers.0.config.enable.idempotence=true"
        ),
        Err(Outside::Transactions)
    );
    assert_eq!(
        of("model=delivery&consumers.0.effect=idempotent"),
        Err(Outside::Idempotent)
    );
    assert_eq!(of("case=KP03"), Err(Outside::NoConsumer));
}

#[test]
fn effects_stand_in_the_order_in_which_they_happened() {
    let mut page = kafka("model=delivery");
    page.update(Action::End);
    let records = page
        .view
        .scene
        .nodes
        .iter()
        .find_map(|node| match &node.facts {
            Facts::Audience(view) if view.judged => Some(view.records.clone()),
            _ => None,
        });
    let records = records.unwrap();
    assert!(
        !records.is_sorted(),
        "two partitions, and a repetition: {records:?}"
    );
    assert_eq!(
        records.len() as u32,
        tallies(&page).iter().find(|it| it.0).unwrap().1.copies
    );
}

#[test]
fn two_phase_commit_is_blocked_by_a_crash_and_released_by_the_return() {
    let mut page = Page::open("model=votes", Lang::En).unwrap();
    assert_eq!(page.view.run.model(), Model::Votes);
    assert_eq!(page.view.run.changes(), []);
    let blocked = |page: &Page| {
        let nodes = page.view.scene.nodes.iter();
        let blocked = nodes.filter(
            |node| matches!(&node.facts, Facts::Participant(view) if view.blocked_since.is_some()),
        );
        blocked.map(|node| node.name.clone()).collect::<Vec<_>>()
    };
    let mut most = Vec::new();
    for _ in 0..page.view.last {
        page.update(Action::Step);
        most = most.max(blocked(&page));
    }
    assert_eq!(most, ["stock", "payments"]);
    assert_eq!(blocked(&page), Vec::<String>::new());
    assert!(
        page.view
            .properties
            .iter()
            .all(|it| it.status == PropertyStatus::Holds)
    );
    assert_eq!(page.view.costs.forced, 7);
    // Whom those in doubt ask is one setting, and stands in the address.
    let field = Field::Borrowed("/protocol/cooperative_termination");
    page.update(Action::Set(Knob::Option(field, true.into())));
    let address = page.address(Lang::En);
    assert!(
        address
            .write()
            .contains("protocol.cooperative_termination=true")
    );
    page.update(Action::Start);
    for _ in 0..page.view.last {
        page.update(Action::Step);
        assert_eq!(blocked(&page), Vec::<String>::new());
    }
    page.update(Action::Undo);
    assert_eq!(page.view.run.changes(), []);
    for sight in [Sight::Checkpoints, Sight::Guarantees] {
        page.update(Action::Look(sight));
        assert_eq!(page.sight, Sight::Watch);
    }
}

#[test]
fn whatever_happens_in_two_phase_commit_is_told_in_both_languages() {
    let votes = json!([{ "name": "a", "vote": "commit" }, { "name": "b", "vote": "abort" }]);
    let late = json!([
        { "message": "VOTE_COMMIT", "to": "coordinator", "from": "a", "delay_ms": 300 },
        { "message": "GLOBAL_ABORT", "to": "a", "duplicate": true },
    ]);
    let encode = |value: &Value| {
        let bytes = value.to_string();
        bytes
            .bytes()
            .map(|byte| format!("%{byte:02X}"))
            .collect::<String>()
    };
    let (votes, late) = (encode(&votes), encode(&late));
    for change in [
        String::new(),
        "&protocol.cooperative_termination=true".to_owned(),
        "&protocol.presumed=abort".to_owned(),
        format!("&participants={votes}"),
        format!("&participants={votes}&protocol.presumed=abort&faults.messages={late}"),
    ] {
        let fragment = format!("model=votes{change}");
        let mut page = Page::open(&fragment, Lang::En).unwrap();
        assert_eq!(page.notice, None, "{fragment}");
        for _ in 0..page.view.last {
            page.update(Action::Step);
            let view = &page.view;
            for lang in Lang::ALL {
                let lexicon = view.lexicon(lang);
                let told = text::tell(&lexicon, &view.events);
                let all = told.aloud();
                let what = format!("{fragment}, step {}: {all}", view.step);
                assert!(!told.what.is_empty() || view.events.is_empty(), "{what}");
                for wrong in ["  ", "。。", "..", "它 ", " 。", "the The"] {
                    assert!(!all.contains(wrong), "{what}");
                }
                for choice in &view.choices {
                    assert!(!text::choice(&lexicon, *choice).contains("  "), "{what}");
                }
                for node in &view.scene.nodes {
                    assert!(!text::rows(&lexicon, node, &[]).is_empty(), "{what}");
                }
            }
        }
    }
}

/// The reports of Flink's sink that have a scenario, and the story of the sink.
fn sink_stories() -> Vec<String> {
    let stories = REPORTS.iter().filter_map(|report| {
        let reported = Reported::of(report.id)?;
        let story = reported.story().ok()?;
        let has_brokers = Model::of(story.as_ref()) == Model::Sink;
        has_brokers.then(|| format!("case={}", report.id))
    });
    std::iter::once("model=kafka-to-kafka".to_owned())
        .chain(stories)
        .collect()
}

#[test]
fn every_step_of_a_sink_is_told_in_both_languages_and_names_its_ids() {
    for story in sink_stories() {
        let mut page = page(&format!("{story}&names=2pc"));
        assert_eq!(page.notice, None, "{story}");
        let last = page.view.last.min(400);
        for step in 1..=last {
            page.update(Action::GoTo(step));
            for lang in Lang::ALL {
                let lexicon = page.view.lexicon(lang);
                let told = text::tell(&lexicon, &page.view.events).aloud();
                let choices = page.view.choices.iter();
                let choices = choices.map(|choice| text::choice(&lexicon, *choice));
                for says in choices.chain([told]) {
                    assert!(
                        !says.contains('#') && !says.contains("{}"),
                        "{story}, step {step}: {says}"
                    );
                }
                for node in &page.view.scene.nodes {
                    for row in text::rows(&lexicon, node, &[]) {
                        let says = format!("{}: {}", row.term, row.text);
                        assert!(!says.contains('#'), "{story}, step {step}: {says}");
                    }
                }
            }
            if !page.view.events.is_empty() {
                let told = text::tell(&page.view.lexicon(Lang::En), &page.view.events);
                assert!(!told.what.is_empty(), "{story}, step {step}");
            }
        }
    }
}

#[test]
fn the_story_of_the_sink_crashes_between_completion_and_commit() {
    let page = page("model=kafka-to-kafka&step=0");
    assert!(page.view.last <= 250, "{} steps", page.view.last);
    let marks: Vec<MarkKind> = page.view.run.with(|session| {
        let marks = session.marks().iter();
        marks.map(|mark| mark.kind).collect()
    });
    let at = |kind| marks.iter().position(|known| *known == kind).unwrap();
    let order = [
        MarkKind::Completed,
        MarkKind::Fault,
        MarkKind::Restored,
        MarkKind::Committed,
        MarkKind::Lingering,
    ];
    assert!(
        order.windows(2).all(|two| at(two[0]) < at(two[1])),
        "{marks:?}"
    );
    let end = page.view.run.session.borrow().story().name().to_owned();
    assert_eq!(end, text::label(Lang::En, Label::SinkStory));
}

#[test]
fn the_textbooks_names_are_switched_on_and_stand_in_the_address() {
    let mut page = page("model=kafka-to-kafka&step=0");
    let completed = page.view.run.with(|session| {
        let mut marks = session.marks().iter();
        let mark = marks.find(|mark| mark.kind == MarkKind::Completed);
        mark.map(|mark| mark.step as usize)
    });
    page.update(Action::GoTo(completed.unwrap()));
    let names = |page: &Page| {
        let lexicon = page.told.lexicon(Lang::En);
        text::tell(&lexicon, &page.told.events).names
    };
    assert_eq!(names(&page), "");
    page.update(Action::Names(true));
    assert!(names(&page).contains("GLOBAL_COMMIT"), "{}", names(&page));
    let address = page.address(Lang::En).write();
    assert!(address.ends_with("&names=2pc"), "{address}");
    let again = Page::open(&address, Lang::En).unwrap();
    assert!(again.names && again.view.names);
    page.update(Action::GoTo(0));
    assert!(page.view.names, "they stay from step to step");
    page.update(Action::Names(false));
    assert!(!page.address(Lang::En).write().contains("names"));
}

#[test]
fn brokers_are_switched_on_and_off() {
    let mut page = page("step=0");
    page.update(Action::Set(Knob::Brokers(true)));
    assert_eq!(page.notice, None);
    assert_eq!(page.view.run.model(), Model::Sink);
    let address = page.address(Lang::En).write();
    let again = Page::open(&address, Lang::En).unwrap();
    assert_eq!(again.notice, None, "{address}");
    assert_eq!(again.address(Lang::En).write(), address);

    page.update(Action::Set(Knob::Guarantee(DeliveryGuarantee::None)));
    assert_eq!(page.notice, None);
    let wrong = page.view.run.with(|session| {
        let scenario = session.story().pipeline().unwrap();
        (scenario.kafka.is_some(), scenario.delivery_guarantee())
    });
    assert_eq!(wrong, (true, Some(DeliveryGuarantee::None)));

    page.update(Action::Set(Knob::Brokers(false)));
    assert_eq!(page.notice, None);
    let plain = page.view.run.with(|session| {
        let scenario = session.story().pipeline().unwrap();
        (scenario.kafka.is_some(), scenario.delivery_guarantee())
    });
    assert_eq!(plain, (false, Some(DeliveryGuarantee::AtLeastOnce)));
}

#[test]
fn options_and_tickets_of_a_sink_are_set_and_refused() {
    let mut page = page("model=kafka-to-kafka&step=0");
    page.update(option("/kafka/sink/transactionNamingStrategy", "POOLING"));
    page.update(Action::Set(Knob::Unfixed(
        barrierscope_core::scenario::Ticket::Flink40626,
        true,
    )));
    page.update(Action::Set(Knob::AfterTasksFinish(false)));
    assert_eq!(page.notice, None);
    let address = page.address(Lang::En).write();
    for part in ["POOLING", "FLINK-40626", "after_tasks_finish=false"] {
        assert!(address.contains(part), "{address}");
    }
    let again = Page::open(&address, Lang::En).unwrap();
    assert_eq!(again.notice, None, "{address}");

    page.update(Action::Knobs(true));
    page.update(option("/kafka/replication.factor", 4));
    let (field, reason) = page.refused().unwrap();
    assert_eq!(field, "/kafka/replication.factor");
    assert!(reason.contains("kafka.replication.factor"), "{reason}");
}

#[test]
fn the_log_of_a_partition_crashes_with_the_broker_that_leads_it() {
    let mut page = page("model=kafka-to-kafka&step=40");
    let log = page
        .view
        .scene
        .nodes
        .iter()
        .find_map(|node| match node.facts {
            Facts::Output { .. } => Some(node.id),
            _ => None,
        });
    page.update(Action::Crash(log.unwrap()));
    assert_eq!(page.notice, None);
    let down =
        page.view.scene.nodes.iter().filter(|node| {
            matches!(node.facts, Facts::Replica(_)) && node.health == Health::Crashed
        });
    assert_eq!(down.count(), 1);
    page.update(Action::End);
    assert_eq!((page.view.verdict.lost, page.view.verdict.doubled), (0, 0));
}

#[test]
fn a_lesson_stops_to_ask_and_its_run_answers() {
    let mut page = page("lesson=4.2&step=999");
    let asked = page.view.step;
    page.update(Action::Start);
    let task = page.view.run.task().unwrap();
    assert_eq!(
        (task.code().as_str(), page.view.run.model()),
        ("4.2", Model::Delivery)
    );
    let play = |page: &mut Page| {
        page.playing = true;
        for _ in 0..10_000 {
            page.update(Action::Tick(16.0));
            if !page.playing {
                return;
            }
        }
        panic!("it plays on and on");
    };
    play(&mut page);
    let asks = page.view.run.with(|it| task.part().asks_at(it));
    assert_eq!((page.view.step, asked), (asks, asks), "it stops to ask");
    // Nothing leads past the question: the run would give the answer.
    for action in [
        Action::Toggle,
        Action::End,
        Action::Step,
        Action::NextMark,
        Action::GoTo(usize::MAX),
    ] {
        page.update(action);
        page.update(Action::Tick(1_000.0));
        assert_eq!(page.view.step, asks);
    }
    page.update(Action::Predict(99));
    assert!(page.predictions.is_empty(), "that is no answer");
    page.update(Action::Speed(SPEEDS.1));
    let own = page.speed;
    page.update(Action::Predict(0));
    assert!(page.playing, "the run answers");
    assert!(page.speed < own, "slowly enough to be seen");
    play(&mut page);
    assert_eq!(page.speed, own, "what comes next takes its own time");
    assert_eq!(page.view.step, page.view.last);
    let predicted = page.predictions[&task];
    assert_eq!(
        (predicted.given, predicted.right),
        (0, 2),
        "it is there twice"
    );
    assert!(page.view.verdict.doubled > 0);
    // The address leads back to it, and what is changed is another run.
    assert!(page.address(Lang::En).write().starts_with("lesson=4.2&"));
    page.update(Action::Start);
    let fault = page.view.choices.iter().position(|it| it.is_fault());
    page.update(Action::Choose(fault.unwrap()));
    assert!(!page.view.run.is_untouched() && page.halt().is_none());
    assert_eq!(page.view.run.task(), Some(task), "one may come back");
    page.update(Action::Learn(task.next().unwrap()));
    assert_eq!(page.view.run.task().unwrap().code(), "5");
    assert!(page.playing && page.sight == Sight::Watch);
}

#[test]
fn branches_make_a_tree_and_can_be_closed_and_brought_back() {
    let mut page = page("step=100");
    let shape = |page: &Page| -> Vec<(usize, usize)> {
        let rows = tree(&page.runs).into_iter();
        rows.map(|twig| (page.runs[twig.place].number, twig.depth))
            .collect()
    };
    assert_eq!(shape(&page), [(1, 0)]);
    // Two branches of the first run, the later one made first; and one of that.
    page.update(Action::GoTo(300));
    page.update(Action::Choose(0));
    page.update(Action::GoTo(320));
    page.update(Action::Choose(0));
    page.update(Action::Run(0));
    page.update(Action::GoTo(200));
    page.update(Action::Choose(0));
    assert_eq!(shape(&page), [(1, 0), (4, 1), (2, 1), (3, 2)]);
    let origin = page.view.run.origin.clone().unwrap();
    assert_eq!((origin.from, origin.step), (1, 200));
    assert_eq!((page.neighbour(-1), page.neighbour(1)), (Some(0), Some(1)));

    // To close one that is not looked at closes what has left it, and nothing else changes.
    let (here, step) = (Rc::clone(&page.view.run), page.view.step);
    page.update(Action::Close(1));
    assert_eq!(shape(&page), [(1, 0), (4, 1)]);
    assert!(Rc::ptr_eq(&here, &page.view.run) && page.view.step == step);
    assert!(page.undoes_in_place());
    page.update(Action::Undo);
    assert_eq!(shape(&page), [(1, 0), (4, 1), (2, 1), (3, 2)]);
    assert!(Rc::ptr_eq(&here, &page.view.run));

    // Whoever looks at it goes back to where it left the other one.
    page.update(Action::Run(2));
    page.update(Action::Close(1));
    assert_eq!(shape(&page), [(1, 0), (4, 1)]);
    assert_eq!((page.view.run.number, page.view.step), (1, 300));
    assert!(!page.undoes_in_place());
    page.update(Action::Undo);
    assert_eq!(page.view.run.number, 3);
    assert_eq!(page.runs.len(), 4);

    // The first run stays.
    page.update(Action::Close(0));
    page.update(Action::Close(77));
    assert_eq!(page.runs.len(), 4);
}

#[test]
fn the_browsers_way_back_brings_back_what_was_closed_beside() {
    let mut page = page("step=100");
    let before = page.address(Lang::En);
    page.update(Action::Choose(0));
    page.update(Action::Run(0));
    page.update(Action::Choose(1));
    page.update(Action::Close(1));
    assert_eq!(page.runs.len(), 2);
    let there = page.past.iter().rposition(|past| !past.in_place).unwrap();
    assert!(there + 1 < page.past.len(), "something was closed since");
    let mut back = before;
    back.branches.clear();
    back.step = Some(page.view.run.origin.as_ref().unwrap().step);
    page.update(Action::Address(back));
    assert_eq!(
        (page.view.run.number, page.runs.len()),
        (1, 2),
        "before the second choice"
    );
}

#[test]
fn what_waits_says_for_what() {
    let mut page = page("step=1");
    let mut seen = std::collections::BTreeSet::new();
    for step in 0..=page.view.last {
        page.update(Action::GoTo(step));
        for withheld in page.view.withheld() {
            let lexicon = page.view.lexicon(Lang::En);
            let why = text::withheld::why(&lexicon, &withheld);
            assert!(!why.is_empty() && !text::withheld::deed(&lexicon, &withheld).is_empty());
            seen.insert(why.split(' ').take(3).collect::<Vec<_>>().join(" "));
            assert!(page.view.node(withheld.node).is_some(), "{withheld:?}");
        }
    }
    for expected in ["blocked by barrier", "no buffer free", "waits for the"] {
        assert!(
            seen.iter().any(|why| why.starts_with(expected)),
            "{expected}: {seen:?}"
        );
    }
}

#[test]
fn the_address_says_whether_the_diagram_is_shown() {
    let mut page = page("step=40&spacetime=time");
    assert_eq!(page.spacetime, Some(Along::Time));
    assert!(page.address(Lang::En).write().contains("spacetime=time"));
    page.update(Action::SpaceTime(Some(Along::Steps)));
    assert!(page.address(Lang::En).write().contains("spacetime=steps"));
    page.update(Action::SpaceTime(None));
    assert!(!page.address(Lang::En).write().contains("spacetime"));
    let bad = Page::open("spacetime=space", Lang::En).unwrap();
    assert_eq!(bad.notice.map(|notice| notice.about), Some(Label::BadLink));
}
