//! What actions do to the page, without a browser.

use std::rc::Rc;

use barrierscope_core::id::NodeId;
use barrierscope_core::scenario::DeliveryGuarantee;

use super::*;

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
