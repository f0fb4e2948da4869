//! The words in which traces are written: one line for an action that may be chosen, one for an event.

use std::collections::BTreeMap;

use barrierscope_core::event::Event;
use barrierscope_core::id::NodeId;
use barrierscope_core::scene::votes::VotesChoice;
use barrierscope_core::scene::{Choice, Facts, TokenKind};
use barrierscope_core::session::Session;

/// Names of the things in a run.
#[derive(Debug)]
pub struct Names {
    nodes: BTreeMap<NodeId, String>,
    /// Whether transactional ids are those of a job's sink.
    has_sink: bool,
}

impl Names {
    /// The names of the things in this run: `total[0]`.
    pub fn of(run: &dyn Session) -> Self {
        let nodes = run.scene().nodes;
        let mut all = nodes.iter();
        let has_sink = all.any(|node| matches!(node.facts, Facts::Sink { .. }));
        Self {
            has_sink,
            nodes: nodes
                .into_iter()
                .map(|node| (node.id, node.full_name()))
                .collect(),
        }
    }

    /// The name of a thing.
    pub fn node(&self, node: NodeId) -> &str {
        self.get(node)
    }

    fn get(&self, node: NodeId) -> &str {
        self.nodes.get(&node).map_or("?", String::as_str)
    }

    /// The line by which a trace chooses an action.
    pub fn choice(&self, choice: Choice) -> String {
        match choice {
            Choice::Emit { source, record } => format!("{} emits #{record}", self.get(source)),
            Choice::Inject { source, checkpoint } => {
                format!("{} injects barrier {checkpoint}", self.get(source))
            }
            Choice::Take {
                subtask,
                channel,
                token,
            } => {
                let token = match token {
                    TokenKind::Record(record) => format!("#{record}"),
                    TokenKind::Barrier(checkpoint) => format!("barrier {checkpoint}"),
                    TokenKind::Cancellation(checkpoint) => format!("cancellation {checkpoint}"),
                    other => format!("{other:?}"),
                };
                format!("{} takes {token} from channel {channel}", self.get(subtask))
            }
            Choice::Overtake {
                subtask,
                channel,
                checkpoint,
                overtaken,
            } => format!(
                "barrier {checkpoint} overtakes {overtaken} in channel {channel} of {}",
                self.get(subtask)
            ),
            Choice::TimeOut {
                subtask,
                checkpoint,
            } => format!("alignment {checkpoint} of {} times out", self.get(subtask)),
            Choice::Trigger { checkpoint, .. } => format!("checkpoint {checkpoint} is triggered"),
            Choice::Acknowledge {
                subtask,
                checkpoint,
                ..
            } => format!(
                "snapshot {checkpoint} of {} is acknowledged",
                self.get(subtask)
            ),
            Choice::TimeOutOutput {
                subtask,
                checkpoint,
            } => format!("output {checkpoint} of {} times out", self.get(subtask)),
            Choice::HearDecline {
                subtask,
                checkpoint,
                ..
            } => format!("decline {checkpoint} of {} is heard", self.get(subtask)),
            Choice::Notify {
                subtask,
                checkpoint,
                completed: true,
            } => format!("{} is notified of {checkpoint}", self.get(subtask)),
            Choice::Notify {
                subtask,
                checkpoint,
                completed: false,
            } => format!("{} is told that {checkpoint} is over", self.get(subtask)),
            Choice::Run { .. } => "the subtasks run".into(),
            Choice::Savepoint { stop: false, .. } => "savepoint".into(),
            Choice::Savepoint { stop: true, .. } => "stop with savepoint".into(),
            Choice::LoseTaskManager { number, .. } => format!("lose TaskManager {number}"),
            Choice::LoseJobManager { .. } => "lose JobManager".into(),
            Choice::FailSnapshot {
                subtask,
                checkpoint,
            } => format!("snapshot {checkpoint} of {} fails", self.get(subtask)),
            Choice::Refuse { checkpoint, .. } => format!("the store refuses {checkpoint}"),
            Choice::LoseNotification {
                subtask,
                checkpoint,
            } => format!("notification {checkpoint} to {} is lost", self.get(subtask)),
            Choice::Expire { checkpoint, .. } => format!("checkpoint {checkpoint} expires"),
            Choice::Restart { checkpoint, .. } => format!("restart from {checkpoint}"),
            Choice::Crash { subtask } => format!("crash {}", self.get(subtask)),
            Choice::GoOn { subtask } => format!("{} goes on", self.get(subtask)),
            Choice::Block { subtask } => format!("{} has waited too long", self.get(subtask)),
            Choice::Redeploy { checkpoint, .. } => format!("redeploy from {checkpoint}"),
            Choice::Job(choice) => self.plain(&choice),
            Choice::Kafka(choice) => self.plain(&choice),
            Choice::Votes(choice) => self.votes(choice),
        }
    }

    fn votes(&self, choice: VotesChoice) -> String {
        match choice {
            VotesChoice::Begin { .. } => "begin".into(),
            VotesChoice::Force { node, record } => format!("{} forces {record}", self.get(node)),
            VotesChoice::Flush { node, record } => format!("{} flushes {record}", self.get(node)),
            VotesChoice::Send { from, to, message } => {
                format!("{} sends {message} to {}", self.get(from), self.get(to))
            }
            VotesChoice::Deliver {
                node,
                from,
                message,
                ..
            } => format!("{} gets {message} from {}", self.get(node), self.get(from)),
            VotesChoice::TimeOut { node, awaited } => {
                format!("{} times out: {awaited:?}", self.get(node))
            }
            VotesChoice::Recover { node } => format!("recover {}", self.get(node)),
            VotesChoice::Crash { node } => format!("crash {}", self.get(node)),
            VotesChoice::Stop { node } => format!("stop {}", self.get(node)),
            VotesChoice::Lose {
                from, to, message, ..
            } => format!("lose {message} from {} to {}", self.get(from), self.get(to)),
            VotesChoice::Duplicate {
                from, to, message, ..
            } => format!(
                "duplicate {message} from {} to {}",
                self.get(from),
                self.get(to)
            ),
        }
    }

    /// The line of an event: its name and fields, with nodes by name.
    pub fn event(&self, event: &Event) -> String {
        match event {
            Event::Job(event) => self.plain(event),
            Event::Kafka(event) => self.plain(event),
            Event::Votes(event) => self.plain(event),
            Event::Sink(event) => self.plain(event),
            event => self.plain(event),
        }
    }

    fn plain(&self, fact: &impl core::fmt::Debug) -> String {
        let mut text = format!("{fact:?}");
        // `Debug` prints ids as `NodeId(3)`, `CheckpointId(1)`: the name, or the bare number, reads better.
        for (node, name) in &self.nodes {
            text = text.replace(&format!("{node:?}"), name);
        }
        for id in [
            "RecordId",
            "PartitionId",
            "Offset",
            "CheckpointId",
            "ProducerId",
            "ProducerEpoch",
            "Sequence",
            "LinkId",
        ] {
            while let Some(at) = text.find(&format!("{id}(")) {
                let end = text[at..].find(')').map_or(text.len(), |end| at + end);
                let number = text[at + id.len() + 1..end].to_string();
                text.replace_range(at..(end + 1).min(text.len()), &number);
            }
        }
        // The ids of a sink are numbered by prefix and subtask, and within them.
        let field = "transactional_id: ";
        let mut from = 0;
        while let Some(at) = text[from..].find(field) {
            let start = from + at + field.len();
            let digits = text[start..].bytes().take_while(u8::is_ascii_digit).count();
            let number: u32 = text[start..start + digits].parse().unwrap_or(0);
            if self.has_sink {
                text.replace_range(
                    start..start + digits,
                    &format!("{}-{}", number >> 16, number & 0xffff),
                );
            }
            from = start;
        }
        while let Some(at) = text.find("Micros(") {
            let end = text[at..].find(')').map_or(text.len(), |end| at + end);
            let micros: u64 = text[at + 7..end].parse().unwrap_or(0);
            let millis = format!("{} ms", micros as f64 / 1_000.0);
            text.replace_range(at..(end + 1).min(text.len()), &millis);
        }
        text.replace("{ ", "").replace(" }", "")
    }
}
