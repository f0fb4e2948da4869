//! Jobs that write a table.

use alloc::format;

use serde::{Deserialize, Serialize};

use super::check::{Checked, refuse};
use super::{Operator, Partitioning, Scenario, ScenarioError, Vertex};

/// Whose committer it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TableConnector {
    /// That of Flink's Sink V2: `CommitterOperator`. Barriers do not overtake on the way to it (FLINK-36287).
    #[default]
    SinkV2,
    /// `IcebergFilesCommitter` of Iceberg's FlinkSink since 1.6 (apache/iceberg#10526): what comes after the
    /// snapshot of its checkpoint takes, with the next snapshot, the place of what was stored for it.
    IcebergV1,
    /// The same, with late results filed under the next checkpoint (apache/iceberg#15913).
    IcebergV1LateToNext,
}

/// How a committer recognises in the catalog what it has committed before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DedupeKey {
    /// By the operator's uid and the checkpoint.
    #[default]
    OperatorUid,
    /// By the id of the job as it runs now, and the checkpoint: what an earlier job committed is not recognised
    /// (Iceberg's `DynamicCommitter` before apache/iceberg#16011).
    JobId,
    /// By the id of the job that wrote the committable, and the checkpoint (since then).
    CommittableJobId,
}

/// When a committer that hands on lets those behind it know of the end of the data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum EndOfData {
    /// At the end of its input, before the last checkpoint: those behind it finish with that checkpoint, and what is
    /// handed on when it is complete may find nobody (FLINK-38614).
    #[default]
    AtEndOfInput,
    /// When it has handed on what belongs to the last checkpoint.
    AfterLastCommittables,
}

impl Vertex {
    fn is_table_part(&self) -> bool {
        matches!(
            self.operator,
            Operator::TableWriter { .. }
                | Operator::TableCommitter { .. }
                | Operator::GlobalCommitter { .. }
        )
    }
}

impl Scenario {
    /// Whether the output is a table.
    pub(crate) fn writes_table(&self) -> bool {
        self.job.vertices.iter().any(Vertex::is_table_part)
    }

    /// The parts of a table sink follow one another, and nothing else is between or behind them.
    pub(super) fn check_table(&self) -> Checked {
        if !self.writes_table() {
            return Ok(());
        }
        for (at, vertex) in self.job.vertices.iter().enumerate() {
            let field = |name: &str| format!("job.vertices[{at}].{name}");
            let name = &vertex.name;
            let expects = match vertex.operator {
                Operator::TableWriter { .. } => ("table-committer", true),
                Operator::TableCommitter { .. } => ("global-committer", false),
                Operator::GlobalCommitter { .. } => ("nothing", false),
                Operator::Sink { .. } => {
                    return refuse(
                        field("operator.kind"),
                        "the job writes a table; a job that writes a topic too does not fit",
                    );
                }
                _ => ("", false),
            };
            let from = || self.job.edges.iter().filter(|edge| edge.from == *name);
            let kind = |of: &str| {
                let mut vertices = self.job.vertices.iter();
                vertices.find(|v| v.name == of).map(|v| match v.operator {
                    Operator::TableWriter { .. } => "table-writer",
                    Operator::TableCommitter { .. } => "table-committer",
                    Operator::GlobalCommitter { .. } => "global-committer",
                    _ => "other",
                })
            };
            let next: alloc::vec::Vec<_> = from().filter_map(|edge| kind(&edge.to)).collect();
            let fits = match expects {
                ("", _) => next
                    .iter()
                    .all(|kind| matches!(*kind, "table-writer" | "other")),
                (expected, needed) => {
                    next.len() <= 1
                        && next.iter().all(|kind| *kind == expected)
                        && !(needed && next.is_empty())
                }
            };
            if !fits {
                return Err(ScenarioError::new(
                    field("operator.kind"),
                    format!(
                        "a table sink is a `table-writer`, then one `table-committer`, then perhaps one \
                         `global-committer`; `{name}` is followed by: {}",
                        if next.is_empty() {
                            "nothing".into()
                        } else {
                            next.join(", ")
                        }
                    ),
                ));
            }
            if vertex.is_table_part() && !matches!(vertex.operator, Operator::TableWriter { .. }) {
                if vertex.parallelism != 1 {
                    return refuse(field("parallelism"), "a committer has one subtask here");
                }
                let mut into = self.job.edges.iter().enumerate();
                if let Some((edge, _)) = into.find(|(_, edge)| {
                    edge.to == *name && edge.partitioning == Partitioning::Broadcast
                }) {
                    return refuse(
                        format!("job.edges[{edge}].partitioning"),
                        "a committable goes to one subtask: `forward`, `hash` or `rebalance`",
                    );
                }
            }
        }
        Ok(())
    }
}
