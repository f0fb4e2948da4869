//! The lessons: a guided path over live runs. Each part of a lesson asks for a prediction before the decisive step, and
//! has the run answer it.

use std::collections::BTreeMap;

use barrierscope_core::commit::Decision;
use barrierscope_core::event::Event;
use barrierscope_core::id::NodeId;
use barrierscope_core::scenario::{ScenarioError, Story};
use barrierscope_core::scene::Facts;
use barrierscope_core::session::Session;
use barrierscope_core::symptom::Symptom;
use barrierscope_core::time::Millis;

use crate::text::Lang;

/// A lesson.
#[derive(Debug)]
pub struct Lesson {
    words: [Taught; 2],
    /// Its parts: each is a run, and a question about it.
    pub parts: &'static [Part],
}

/// What a lesson says, in one language.
#[derive(Debug)]
pub struct Taught {
    /// What it is called.
    pub title: &'static str,
    /// What it is about.
    pub idea: &'static str,
    /// The sentence to keep.
    pub keep: &'static str,
}

/// A part of a lesson.
#[derive(Debug)]
pub struct Part {
    scenario: &'static str,
    /// When it asks.
    ask: Millis,
    /// When the run has answered, if that is before its end.
    tell: Option<Millis>,
    words: [Asked; 2],
    /// What may be predicted. The run makes one of them true.
    pub answers: &'static [Answer],
}

/// What a part says, in one language.
#[derive(Debug)]
pub struct Asked {
    /// The question.
    pub ask: &'static str,
    /// Why the run answers as it does.
    pub why: &'static str,
}

/// A prediction.
#[derive(Debug)]
pub struct Answer {
    words: [&'static str; 2],
    when: When,
}

/// What a prediction says of the run.
#[derive(Debug)]
enum When {
    /// What it comes to for who is judged.
    Symptom(Symptom),
    /// The record with this key is seen more often than it should be.
    Doubles(&'static str),
    /// The one with this key is lost.
    Loses(&'static str),
    /// The one with this key is counted after the question, and before the operator's snapshot.
    Takes(&'static str),
    /// So many records are seen.
    Sees(u32),
    /// So many records are counted by an operator before its first snapshot.
    Snapshot(u32),
    /// The first checkpoint takes so many milliseconds: from, and less than.
    Lasts([u64; 2]),
    /// The first checkpoint stores so many bytes of in-flight data: from, and less than.
    Stores([u64; 2]),
    /// So many participants have committed, have aborted, have decided nothing.
    Votes([usize; 3]),
}

/// All of them, in their order. The build script makes the table.
pub const LESSONS: &[Lesson] = include!(concat!(env!("OUT_DIR"), "/lessons.rs"));

impl Lesson {
    /// What it says.
    pub const fn words(&self, lang: Lang) -> &Taught {
        let [en, zh] = &self.words;
        lang.pick(en, zh)
    }
}

impl Part {
    /// What it says.
    pub const fn words(&self, lang: Lang) -> &Asked {
        let [en, zh] = &self.words;
        lang.pick(en, zh)
    }

    /// The step at which it asks.
    pub fn asks_at(&self, run: &dyn Session) -> usize {
        run.step_at(self.ask.into())
    }

    /// The step at which the run has answered.
    pub fn tells_at(&self, run: &dyn Session) -> usize {
        self.tell.map_or(run.last(), |at| run.step_at(at.into()))
    }
}

impl Answer {
    /// What it says.
    pub const fn words(&self, lang: Lang) -> &'static str {
        let [en, zh] = self.words;
        lang.pick(en, zh)
    }
}

/// A part of a lesson, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Task {
    lesson: usize,
    part: usize,
}

/// What was predicted, and what the run made true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Predicted {
    /// The place of the answer that was given.
    pub given: usize,
    /// The place of the answer that is right.
    pub right: usize,
}

/// What was predicted so far.
pub type Predictions = BTreeMap<Task, Predicted>;

impl Task {
    /// The first part of a lesson, by its place in [`LESSONS`].
    pub fn first_of(lesson: usize) -> Option<Self> {
        (lesson < LESSONS.len()).then_some(Self { lesson, part: 0 })
    }

    /// The one that an address names: `3` or `3.2`, counted from 1.
    pub fn of(code: &str) -> Option<Self> {
        let (lesson, part) = code.split_once('.').unwrap_or((code, "1"));
        let place = |number: &str| number.parse::<usize>().ok()?.checked_sub(1);
        let task = Self {
            lesson: place(lesson)?,
            part: place(part)?,
        };
        LESSONS.get(task.lesson)?.parts.get(task.part)?;
        // Each has one name, but for the first part’s number.
        (code == task.code() || task.part == 0 && code == format!("{}.1", task.code()))
            .then_some(task)
    }

    /// The word for it in an address.
    pub fn code(self) -> String {
        match (self.lesson + 1, self.part + 1) {
            (lesson, 1) => lesson.to_string(),
            (lesson, part) => format!("{lesson}.{part}"),
        }
    }

    /// The place of its lesson in [`LESSONS`].
    pub const fn place(self) -> usize {
        self.lesson
    }

    /// Its number in its lesson, from 1.
    pub const fn number(self) -> usize {
        self.part + 1
    }

    /// Its lesson.
    pub fn lesson(self) -> &'static Lesson {
        // Nothing else makes one of these.
        LESSONS.get(self.lesson).unwrap_or(&LESSONS[0])
    }

    /// The part.
    pub fn part(self) -> &'static Part {
        let parts = self.lesson().parts;
        parts.get(self.part).unwrap_or(&parts[0])
    }

    /// Whether its lesson ends with it.
    pub fn is_last_part(self) -> bool {
        self.part + 1 == self.lesson().parts.len()
    }

    /// The one after it; nothing after the last one.
    pub fn next(self) -> Option<Self> {
        match self.is_last_part() {
            true => Self::first_of(self.lesson + 1),
            false => Some(Self {
                part: self.part + 1,
                ..self
            }),
        }
    }

    /// Its scenario.
    ///
    /// # Errors
    /// None, as long as the scenarios that come with the program are whole.
    pub fn story(self) -> Result<Story, ScenarioError> {
        Story::from_json(self.part().scenario)
    }

    /// The place of the answer that its run makes true: runs it.
    pub(super) fn right(self) -> Option<usize> {
        let part = self.part();
        let mut run = barrierscope_core::start(self.story().ok()?).ok()?;
        let run = run.as_mut();
        let mut answers = part.answers.iter();
        answers.position(|answer| holds(&answer.when, part, run))
    }
}

/// Whether all parts of a lesson were answered, and how many of them rightly.
pub fn done(predictions: &Predictions, lesson: usize) -> Option<usize> {
    let parts = LESSONS.get(lesson)?.parts.len();
    let answered = predictions.iter().filter(|(task, _)| task.lesson == lesson);
    let answered: Vec<_> = answered.map(|(_, it)| it.given == it.right).collect();
    (answered.len() == parts).then(|| answered.into_iter().filter(|is_right| *is_right).count())
}

fn holds(when: &When, part: &Part, run: &mut dyn Session) -> bool {
    let tells = part.tells_at(run);
    run.go_to(tells);
    match when {
        When::Symptom(symptom) => {
            let ending = (tells == run.last()).then(|| run.ending());
            Symptom::of(&run.verdict(), ending) == *symptom
        }
        When::Doubles(key) => witnesses(run, key, |copies, due| copies > due),
        When::Loses(key) => witnesses(run, key, |copies, due| copies < due),
        When::Sees(count) => run.verdict().visible == *count,
        When::Snapshot(count) => counted_before_snapshot(run).1 == *count,
        When::Takes(key) => {
            let (asks, (snapshot, _)) = (part.asks_at(run), counted_before_snapshot(run));
            (asks + 1..=snapshot).any(|step| {
                run.go_to(step);
                run.events().iter().any(|event| match event {
                    Event::RecordProcessed {
                        record,
                        counted: Some(_),
                        ..
                    } => run.record(*record).is_some_and(|(known, _)| known == *key),
                    _ => false,
                })
            })
        }
        When::Lasts(range) => {
            let first = run.checkpoints().first();
            first.is_some_and(|it| lies_in(it.end_to_end.0 / 1_000, *range))
        }
        When::Stores(range) => {
            let first = run.checkpoints().first();
            first.is_some_and(|it| lies_in(it.persisted(), *range))
        }
        When::Votes(expected) => decisions(run) == *expected,
    }
}

const fn lies_in(figure: u64, [from, to]: [u64; 2]) -> bool {
    from <= figure && figure < to
}

/// Whether a record with a key is not seen as often as it should be.
fn witnesses(run: &dyn Session, key: &str, differs: fn(u32, u32) -> bool) -> bool {
    let verdict = run.verdict();
    verdict.witnesses.iter().any(|it| {
        let known = run.record(it.record).is_some_and(|(known, _)| known == key);
        known && differs(it.copies, it.due)
    })
}

/// The step at which the first operator that counts takes its first snapshot, and how many records it has counted then.
fn counted_before_snapshot(run: &mut dyn Session) -> (usize, u32) {
    let mut counted: BTreeMap<NodeId, u32> = BTreeMap::new();
    for step in 1..=run.last() {
        run.go_to(step);
        for event in run.events() {
            match event {
                Event::RecordProcessed {
                    subtask,
                    counted: Some(_),
                    ..
                } => *counted.entry(subtask).or_default() += 1,
                Event::SnapshotTaken { subtask, .. } => {
                    if let Some(count) = counted.get(&subtask) {
                        return (step, *count);
                    }
                }
                _ => {}
            }
        }
    }
    (run.last(), 0)
}

/// How many participants of two-phase commit have committed, have aborted, have decided nothing.
fn decisions(run: &dyn Session) -> [usize; 3] {
    let scene = run.scene();
    let mut found = [0; 3];
    for node in &scene.nodes {
        if let Facts::Participant(view) = &node.facts {
            let [committed, aborted, undecided] = &mut found;
            *match view.decision {
                Some(Decision::Commit) => committed,
                Some(Decision::Abort) => aborted,
                None => undecided,
            } += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tasks() -> impl Iterator<Item = Task> {
        std::iter::successors(Task::first_of(0), |task| task.next())
    }

    #[test]
    fn every_run_makes_one_of_its_answers_true() {
        assert_eq!(LESSONS.len(), 14);
        let mut asked = 0;
        for task in tasks() {
            let part = task.part();
            let mut run = barrierscope_core::start(task.story().expect("it is whole")).unwrap();
            let run = run.as_mut();
            let (asks, tells) = (part.asks_at(run), part.tells_at(run));
            assert!(
                0 < asks && asks < tells,
                "{}: {asks} before {tells}",
                task.code()
            );
            let true_ones = part.answers.iter().filter(|it| holds(&it.when, part, run));
            assert_eq!(true_ones.count(), 1, "{}", task.code());
            assert!(task.right().is_some(), "{}", task.code());
            assert_eq!(Task::of(&task.code()), Some(task));
            asked += 1;
        }
        assert!(asked >= 20, "{asked}");
    }

    /// When the question is asked, nothing that is drawn gives its answer away.
    #[test]
    fn no_question_is_answered_before_it_is_asked() {
        for task in tasks() {
            let mut run = barrierscope_core::start(task.story().unwrap()).unwrap();
            let asks = task.part().asks_at(run.as_ref());
            run.go_to(asks);
            let verdict = run.verdict();
            assert_eq!((verdict.lost, verdict.doubled), (0, 0), "{}", task.code());
        }
    }

    #[test]
    fn a_name_that_means_nothing_is_no_task() {
        for code in [
            "", "0", "15", "2.3", "1.0", "x", "2.", "-1", "+3", "3.02", "03",
        ] {
            assert_eq!(Task::of(code), None, "{code:?}");
        }
    }
}
