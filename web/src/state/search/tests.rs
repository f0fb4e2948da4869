//! The search as a person holds it, with the searches done here and now.

use barrierscope_core::mark::MarkKind;
use barrierscope_search::{Job, Told};

use super::{CameTo, Deed, Phase, Wanted, Which};
use crate::state::{Action, Model, Page, Sight, trail};
use crate::text::search as words;
use crate::text::{Label, Lang};

/// One record that a producer without idempotence sends, with all acknowledgements.
const ONE: &str = "model=delivery&view=search&cluster.brokers=1&topics=[{\"name\":\"t\"}]&producers=[{\"name\":\"P\",\"topic\":\"t\",\"sends\":[{\"key\":\"r1\"}],\"config\":{\"acks\":\"all\",\"enable.idempotence\":false}}]&consumers=[]&faults.schedule=[]&faults.messages=[]";

fn page(fragment: &str) -> Page {
    let page = Page::open(fragment, Lang::En).unwrap();
    assert_eq!(page.notice, None, "{fragment}");
    page
}

/// Does what the page asks a worker for, until it asks for nothing more.
fn work(page: &mut Page) {
    while let Some(task) = page.task().cloned() {
        let mut job = Job::begin(&task.ask).unwrap();
        job.step(1);
        let progress = job.progress();
        page.update(Action::Told(
            task.serial,
            Box::new(Told::Progress { progress, ms: 1 }),
        ));
        let outcome = job.finish();
        page.update(Action::Told(
            task.serial,
            Box::new(Told::Over { outcome, ms: 2 }),
        ));
    }
}

fn search(page: &mut Page, deed: Deed) {
    page.update(Action::Search(deed));
    work(page);
}

#[test]
fn a_counterexample_is_found_told_opened_and_shared() {
    let mut page = page(ONE);
    assert_eq!(page.sight, Sight::Search);
    search(&mut page, Deed::Begin);
    let answer = page.search.answers[0].clone().expect("it is over");
    assert_eq!(answer.came_to(), CameTo::Broken);
    let broken = answer.broken.as_ref().expect("there is a run");
    assert_eq!(
        (broken.property, broken.steps(), broken.views.len()),
        (1, 7, 7)
    );
    for lang in Lang::ALL {
        let [title, about] = words::answer(lang, &answer);
        assert!(title.contains('7') && !about.is_empty(), "{title}");
        let last = broken.last().unwrap();
        let concerned = words::concerned(lang, last, broken.property);
        assert_eq!(concerned.len(), 1);
        assert!(concerned[0].contains("r1"), "{concerned:?}");
    }

    page.update(Action::Search(Deed::Open(Which::Broken(false))));
    assert_eq!(
        (page.sight, page.view.step, page.playing),
        (Sight::Watch, 2, true)
    );
    assert_eq!(page.breaks_at(), Some(7));
    // It plays up to where it breaks, and stops there.
    for _ in 0..10_000 {
        page.update(Action::Tick(50.0));
    }
    assert_eq!((page.view.step, page.playing), (7, false));
    assert_eq!(page.view.verdict.doubled, 1);
    let print = page.view.run.with(|session| session.fingerprint());

    // The address leads back without a search.
    let address = page.address(Lang::En).write();
    assert!(address.contains("run=1."), "{address}");
    let again = self::page(&address);
    assert_eq!(again.view.step, 7);
    assert_eq!(again.view.run.with(|session| session.fingerprint()), print);
    assert_eq!(again.address(Lang::En).write(), address);

    // And so does the file.
    let file = trail::file(answer.story.as_ref().as_ref(), &broken.choices);
    let mut dropped = self::page("");
    dropped.update(Action::Open(file.clone()));
    dropped.update(Action::GoTo(7));
    assert_eq!(
        dropped.view.run.with(|session| session.fingerprint()),
        print
    );
    dropped.update(Action::Open(
        file.replace("\"choices\": [", "\"choices\": [99,"),
    ));
    assert_eq!(
        dropped.notice.as_ref().map(|it| it.about),
        Some(Label::BadRun)
    );

    // It can be taken back, and the answer is still there.
    page.update(Action::Undo);
    assert_eq!(page.sight, Sight::Search);
    assert!(page.search.answers[0].is_some());
}

#[test]
fn the_promises_say_at_each_step_whether_they_hold() {
    use barrierscope_core::session::Standing;
    let mut page = page(ONE);
    search(&mut page, Deed::Begin);
    page.update(Action::Search(Deed::Open(Which::Broken(false))));
    let standing = |page: &Page| {
        page.view
            .promises
            .iter()
            .map(|it| it.standing)
            .collect::<Vec<_>>()
    };
    page.update(Action::GoTo(6));
    let [held, not_asked] = [Standing::Shows, Standing::NotAsked];
    assert_eq!(standing(&page), [held, held, held, not_asked]);
    page.update(Action::GoTo(7));
    assert_eq!(standing(&page), [held, Standing::Not, held, not_asked]);
    page.update(Action::End);
    assert_eq!(standing(&page)[3], held);
}

#[test]
fn the_fix_is_searched_beside_it() {
    let mut page = page("view=search");
    page.update(Action::Search(Deed::Small));
    assert_eq!((page.sight, page.playing), (Sight::Search, false));
    search(&mut page, Deed::Begin);
    search(&mut page, Deed::BeginFixed);
    let came_to = |at: usize| page.search.answers[at].as_ref().map(|it| it.came_to());
    assert_eq!(
        (came_to(0), came_to(1)),
        (Some(CameTo::Broken), Some(CameTo::Holds))
    );
    let [Some(plain), Some(fixed)] = &page.search.answers else {
        panic!("both are over");
    };
    let story = |answer: &super::Answer| answer.story.as_ref().clone();
    let (plain, fixed) = (story(plain), story(fixed));
    let changed = crate::address::differences(plain.as_ref(), fixed.as_ref());
    assert_eq!(changed, ["sink.delivery-guarantee=exactly-once"]);
}

#[test]
fn a_run_that_was_found_takes_its_faults_along_when_it_is_compared() {
    let mut page = page("view=search");
    page.update(Action::Search(Deed::Small));
    search(&mut page, Deed::Begin);
    page.update(Action::Search(Deed::Open(Which::Broken(false))));
    page.update(Action::Pause);
    page.update(Action::Look(Sight::Compare));
    while page.measure_next() {}
    assert!(page.beside.columns.len() > 1);
    for column in &page.beside.columns {
        assert_eq!(column.dropped, [], "{:?}", column.side);
        let crashes = column.shown().unwrap().run.with(|session| {
            let marks = session.marks().iter();
            marks.filter(|it| it.kind == MarkKind::Fault).count()
        });
        assert_eq!(crashes, 1, "{:?}", column.side);
    }
}

#[test]
fn it_is_paused_cancelled_and_not_told_by_an_earlier_one() {
    let mut page = page(ONE);
    page.update(Action::Search(Deed::Begin));
    let first = page.task().cloned().unwrap();
    page.update(Action::Search(Deed::Pause(true)));
    assert!(page.task().unwrap().is_paused);
    page.update(Action::Search(Deed::Cancel));
    assert!(matches!(page.search.phase, Phase::Cancelled(_)));
    assert_eq!(page.task(), None);
    page.update(Action::Search(Deed::Begin));
    let outcome = Job::begin(&first.ask).unwrap().finish();
    page.update(Action::Told(
        first.serial,
        Box::new(Told::Over { outcome, ms: 1 }),
    ));
    assert!(page.search.running().is_some(), "that was the earlier one");
    page.update(Action::Search(Deed::Fail("memory".to_owned())));
    assert_eq!(page.search.phase, Phase::Failed("memory".to_owned()));
}

#[test]
fn what_is_asked_for_stands_in_the_address() {
    let mut page = page("model=votes&view=search");
    let wanted = Wanted {
        faults: 3,
        random: true,
        ..Wanted::default()
    };
    page.update(Action::Search(Deed::Want(wanted.clone())));
    let address = page.address(Lang::En).write();
    assert!(
        address.contains("budget=3") && address.contains("order=random"),
        "{address}"
    );
    assert_eq!(self::page(&address).search.wanted, wanted);
}

#[test]
fn every_model_can_be_searched_when_it_is_small() {
    for model in Model::ALL {
        let mut page = page(&format!("model={}&view=search", model.code()));
        page.update(Action::Search(Deed::Small));
        search(&mut page, Deed::Begin);
        let answer = page.search.answers[0].as_ref().expect("it is over");
        let states = answer.outcome.progress.distinct;
        println!("{model:?}: {:?} {states}", answer.came_to());
        assert!(
            matches!(answer.came_to(), CameTo::Holds | CameTo::Broken),
            "{model:?}: {states} states"
        );
    }
}
