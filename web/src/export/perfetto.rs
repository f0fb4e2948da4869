//! A stretch of a run as Trace Event JSON, which Perfetto and `chrome://tracing` open: a process for each actor, with
//! what it does, its alignments and its snapshots; checkpoints and transactions from their beginning to their end;
//! messages as flows from one to another; and counters.
//!
//! The format: "Trace Event Format" of the Chromium project. A microsecond of virtual time is one of the trace's.

use std::collections::BTreeMap;

use barrierscope_core::diagram::BarKind;
use barrierscope_core::event::Event;
use barrierscope_core::id::LaneId;
use serde_json::{Value, json};

use super::datum::Datum;
use super::recording::{Deed, Measure, Recording};

/// The process that is about the whole run. Those of the lanes have the numbers of their ids, and one more.
const RUN: u32 = 0;

/// What a track is about. Each may need several lines, as slices of one line must not overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Track {
    Checkpoints,
    Steps,
    Alignment,
    Snapshot,
    Transaction,
    Health,
    Doubt,
}

impl Track {
    const fn name(self) -> &'static str {
        match self {
            Self::Checkpoints => "checkpoints",
            Self::Steps => "steps",
            Self::Alignment => "alignment",
            Self::Snapshot => "snapshot",
            Self::Transaction => "transaction",
            Self::Health => "health",
            Self::Doubt => "doubt",
        }
    }

    /// The numbers of its lines begin here.
    const fn base(self) -> u32 {
        1 + 100 * self as u32
    }
}

/// Something that lasts.
struct Span {
    process: u32,
    track: Track,
    name: String,
    from: u64,
    to: u64,
    args: Value,
}

/// Writes a stretch; with a measure for each of its steps.
pub fn write(recording: &Recording, measures: &[Measure]) -> String {
    let deeds = recording.deeds();
    let mut spans: Vec<Span> = deeds.iter().map(|deed| step(recording, deed)).collect();
    let steps = spans.len();
    spans.extend(bars(recording));
    spans.extend(fronts(recording));
    let lines = lines(&spans);
    let mut events = names(recording, &spans, &lines);
    for (span, line) in spans.iter().zip(&lines) {
        events.push(json!({
            "ph": "X", "pid": span.process, "tid": line, "ts": span.from,
            "dur": span.to.saturating_sub(span.from), "name": span.name, "cat": span.track.name(), "args": span.args,
        }));
    }
    events.extend(flows(recording, &deeds, &spans[..steps], &lines));
    events.extend(counters(recording, measures));
    let head = json!({
        "source": "Barrierscope", "scenario": recording.name,
        "from_step": recording.from, "to_step": recording.to, "last_step": recording.last,
    });
    let events: Vec<String> = events.iter().map(Value::to_string).collect();
    format!(
        "{{\"displayTimeUnit\": \"ms\", \"otherData\": {head}, \"traceEvents\": [\n{}\n]}}\n",
        events.join(",\n")
    )
}

fn process(who: LaneId) -> u32 {
    u32::from(who.0) + 1
}

/// What somebody does in a step. A step takes no time: its slice is as short as one can be.
fn step(recording: &Recording, deed: &Deed<'_>) -> Span {
    let lines = |events: &[Event]| -> Value {
        let events = events.iter();
        events
            .map(|event| Value::from(Datum::of(event).line()))
            .collect()
    };
    let first = deed.step.events.first().filter(|_| deed.is_actor);
    let taken = deed
        .takes
        .first()
        .and_then(|it| recording.messages.get(*it));
    let sent = deed
        .sends
        .first()
        .and_then(|it| recording.messages.get(*it));
    let name = match (first, taken, sent) {
        (Some(event), ..) => Datum::of(event).named().0,
        (None, Some(message), _) => format!("takes {}", message.what),
        (None, None, Some(message)) => format!("sends {}", message.what),
        (None, None, None) => "step".to_owned(),
    };
    Span {
        process: process(deed.who),
        track: Track::Steps,
        name,
        from: deed.step.at.0,
        to: deed.step.at.0 + 1,
        args: match deed.is_actor {
            true => json!({ "step": deed.step.number, "events": lines(&deed.step.events) }),
            false => json!({ "step": deed.step.number }),
        },
    }
}

/// What takes time on a lane: alignments, snapshots, transactions, outages.
fn bars(recording: &Recording) -> impl Iterator<Item = Span> {
    recording.bars.iter().map(|bar| {
        let (track, name) = match bar.kind {
            BarKind::Alignment(id) => (Track::Alignment, format!("alignment {id}")),
            BarKind::Flush(id) => (Track::Snapshot, format!("flush {id}")),
            BarKind::Sync(id) => (Track::Snapshot, format!("snapshot {id}, synchronous part")),
            BarKind::Async(id) => (Track::Snapshot, format!("snapshot {id}, asynchronous part")),
            BarKind::Transaction(id) => (Track::Transaction, format!("transaction {id}")),
            BarKind::Down => (Track::Health, "down".to_owned()),
            BarKind::Paused => (Track::Health, "paused".to_owned()),
            BarKind::InDoubt => (Track::Doubt, "in doubt".to_owned()),
            BarKind::Blocked => (Track::Doubt, "blocked".to_owned()),
        };
        Span {
            process: process(bar.lane),
            track,
            name,
            from: bar.from.time.0,
            to: bar.to.time.0.max(bar.from.time.0 + 1),
            args: json!({ "from_step": bar.from.step, "to_step": bar.to.step, "open": bar.open }),
        }
    })
}

/// The checkpoints, from the trigger to the end.
fn fronts(recording: &Recording) -> impl Iterator<Item = Span> {
    let end = recording.steps.last();
    recording.fronts.iter().filter_map(move |front| {
        let time = |step: usize| {
            let known = recording.steps.iter().find(|it| it.number == step);
            known.map(|it| it.at.0)
        };
        let first = recording.steps.first()?.at.0;
        let from = time(front.triggered as usize).unwrap_or(first);
        let to = front.ended.and_then(|(step, _)| time(step as usize));
        let how = match front.ended {
            Some((_, true)) => "completed",
            Some((_, false)) => "aborted",
            None => "not over",
        };
        Some(Span {
            process: RUN,
            track: Track::Checkpoints,
            name: format!("checkpoint {}", front.checkpoint),
            from,
            to: to.or(Some(end?.at.0))?.max(from + 1),
            args: json!({ "checkpoint": front.checkpoint.0, "ended": how }),
        })
    })
}

/// The line of each span: those of one line do not overlap.
fn lines(spans: &[Span]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..spans.len()).collect();
    order.sort_by_key(|at| (spans[*at].from, spans[*at].to));
    let mut ends: BTreeMap<(u32, Track), Vec<u64>> = BTreeMap::new();
    let mut lines = vec![0; spans.len()];
    for at in order {
        let span = &spans[at];
        let ends = ends.entry((span.process, span.track)).or_default();
        let free = ends.iter().position(|end| *end <= span.from);
        let line = free.unwrap_or_else(|| {
            ends.push(0);
            ends.len() - 1
        });
        ends[line] = span.to;
        lines[at] = span.track.base() + line as u32;
    }
    lines
}

/// What processes and lines are called, and in which order they stand.
fn names(recording: &Recording, spans: &[Span], lines: &[u32]) -> Vec<Value> {
    let named = |what: &str, process: u32, line: u32, args: Value| json!({ "ph": "M", "name": what, "pid": process, "tid": line, "ts": 0, "args": args });
    let mut names = vec![
        named("process_name", RUN, 0, json!({ "name": recording.name })),
        named("process_sort_index", RUN, 0, json!({ "sort_index": -1 })),
    ];
    for (place, actor) in recording.actors.iter().enumerate() {
        let process = process(actor.lane);
        names.push(named(
            "process_name",
            process,
            0,
            json!({ "name": actor.name }),
        ));
        names.push(named(
            "process_sort_index",
            process,
            0,
            json!({ "sort_index": place }),
        ));
    }
    let mut known: Vec<(u32, u32, Track)> = (spans.iter().zip(lines))
        .map(|(span, line)| (span.process, *line, span.track))
        .collect();
    known.sort_unstable();
    known.dedup();
    for (process, line, track) in known {
        names.push(named(
            "thread_name",
            process,
            line,
            json!({ "name": track.name() }),
        ));
        names.push(named(
            "thread_sort_index",
            process,
            line,
            json!({ "sort_index": line }),
        ));
    }
    names
}

/// Messages, from the step that sent each to the step that took it.
fn flows(recording: &Recording, deeds: &[Deed<'_>], steps: &[Span], lines: &[u32]) -> Vec<Value> {
    let mut ends: BTreeMap<usize, [Option<usize>; 2]> = BTreeMap::new();
    for (at, deed) in deeds.iter().enumerate() {
        for place in &deed.sends {
            ends.entry(*place).or_default()[0] = Some(at);
        }
        for place in &deed.takes {
            ends.entry(*place).or_default()[1] = Some(at);
        }
    }
    let mut flows = Vec::new();
    for (place, ends) in ends {
        // An arrow has two ends: what is sent before the stretch or taken after it has none.
        let ([Some(sent), Some(taken)], Some(message)) = (ends, recording.messages.get(place))
        else {
            continue;
        };
        let end = |phase: &str, at: usize| {
            json!({
                "ph": phase, "id": place, "pid": steps[at].process, "tid": lines[at], "ts": steps[at].from,
                "name": message.what, "cat": "message",
            })
        };
        flows.push(end("s", sent));
        let mut finish = end("f", taken);
        finish["bp"] = "e".into();
        flows.push(finish);
    }
    flows
}

/// What is counted, wherever it changes.
fn counters(recording: &Recording, measures: &[Measure]) -> Vec<Value> {
    let mut counters = Vec::new();
    let mut before = None;
    for (step, measure) in recording.steps.iter().zip(measures) {
        if before.replace(*measure) == Some(*measure) {
            continue;
        }
        let (visible, doubled, lost) = measure.seen;
        let counter = |name: &str, args: Value| json!({ "ph": "C", "pid": RUN, "tid": 0, "ts": step.at.0, "name": name, "args": args });
        counters.push(counter(
            "records in channels",
            json!({ "records": measure.in_channels }),
        ));
        counters.push(counter(
            "reader",
            json!({ "visible": visible, "doubled": doubled, "lost": lost }),
        ));
    }
    counters
}
