//! What there is to say about a sink and its Kafka producers.

mod en;
pub mod face;
mod zh;

use barrierscope_core::event::SinkEvent;
use barrierscope_core::id::{CheckpointId, NodeId};
use barrierscope_core::kafka::error::TransactionError;
use barrierscope_core::scene::kafka::ProducerView;
use barrierscope_core::scene::{Facts, Node, SinkWait};

use super::{Lang, Lexicon};

/// What an event says happened. `who` names a node, or stands for it.
pub(super) fn happened(
    lexicon: &Lexicon<'_>,
    event: SinkEvent,
    who: &dyn Fn(NodeId) -> String,
) -> String {
    match lexicon.lang {
        Lang::En => en::happened(lexicon, event, who),
        Lang::Zh => zh::happened(lexicon, event, who),
    }
}

/// Why it happened, and what it means.
pub(super) fn reason(lexicon: &Lexicon<'_>, event: SinkEvent) -> String {
    match lexicon.lang {
        Lang::En => en::reason(lexicon, event),
        Lang::Zh => zh::reason(lexicon, event),
    }
}

/// How much an event says about why a step matters.
pub(super) const fn weight(event: SinkEvent) -> u8 {
    use SinkEvent as E;
    match event {
        E::Dropped { .. } | E::Failed { .. } | E::Overlooked { .. } => 16,
        E::LeftOpen { .. } => 13,
        E::Lingering { .. } => 12,
        E::RetriesLater { .. } => 11,
        E::Commits { .. } | E::Reuses { .. } => 10,
        E::Flushes { .. }
        | E::Flushed {
            outstanding: 1.., ..
        } => 9,
        E::NothingToCommit { .. } | E::Clean { .. } => 8,
        E::Probes { .. } | E::Initializes { .. } | E::Begins { .. } => 7,
        E::Flushed { .. } => 5,
    }
}

/// The sink that an event is about.
pub(super) const fn subject_of(event: SinkEvent) -> NodeId {
    use SinkEvent as E;
    match event {
        E::Probes { subtask, .. }
        | E::Lingering { subtask, .. }
        | E::LeftOpen { subtask, .. }
        | E::Clean { subtask }
        | E::Initializes { subtask, .. }
        | E::Reuses { subtask, .. }
        | E::Begins { subtask, .. }
        | E::Flushes { subtask, .. }
        | E::Flushed { subtask, .. }
        | E::NothingToCommit { subtask, .. }
        | E::Commits { subtask, .. }
        | E::Dropped { subtask, .. }
        | E::RetriesLater { subtask, .. }
        | E::Overlooked { subtask }
        | E::Failed { subtask, .. } => subtask,
    }
}

/// Whether the sentence about an event begins with the sink: only then may the next one call it "it".
pub(super) const fn is_about_its_subject(event: SinkEvent) -> bool {
    use SinkEvent as E;
    !matches!(
        event,
        E::Lingering { .. }
            | E::LeftOpen { .. }
            | E::Dropped { .. }
            | E::Overlooked { .. }
            | E::Clean { .. }
    )
}

/// Whether an id is asked for only so that there is no gap: it is that of a checkpoint that is over.
fn is_gap(lexicon: &Lexicon<'_>, transactional_id: u32, checkpoint: CheckpointId) -> bool {
    let id = lexicon.transactional_id(transactional_id);
    let number = id.rsplit('-').next().and_then(|it| it.parse::<u32>().ok());
    !lexicon.terms.pooling && number.is_some_and(|number| number <= checkpoint.0)
}

/// Whether a refused commit may also mean that the transaction was committed before, and its id used again.
const fn may_be_committed(error: TransactionError) -> bool {
    matches!(
        error,
        TransactionError::ProducerFenced | TransactionError::InvalidTxnState
    )
}

/// Whether some producer of a sink writes in transactions.
pub(super) fn is_transactional(producers: &[ProducerView]) -> bool {
    let mut producers = producers.iter();
    producers.any(|producer| producer.transactional_id.is_some())
}

/// What the thread of a sink waits for, if it does.
pub(super) fn wait_of(nodes: &[Node], sink: NodeId) -> Option<SinkWait> {
    let node = nodes.iter().find(|node| node.id == sink)?;
    match &node.facts {
        Facts::Sink { waits, .. } => *waits,
        _ => None,
    }
}

/// A sink goes on, as something to do: what it waited for has come.
pub(super) fn goes_on(lexicon: &Lexicon<'_>, sink: NodeId) -> String {
    let node = lexicon.node(sink);
    match (lexicon.lang, wait_of(lexicon.nodes, sink)) {
        (Lang::En, Some(SinkWait::Deployed)) => {
            format!("{node} begins, with what the checkpoint holds")
        }
        (Lang::Zh, Some(SinkWait::Deployed)) => format!("{node} 从检查点保存的内容开始"),
        (Lang::En, Some(SinkWait::Recommitting)) => {
            format!("{node} hears what became of its commit")
        }
        (Lang::Zh, Some(SinkWait::Recommitting)) => format!("{node} 得知再次提交的结果"),
        (Lang::En, Some(SinkWait::Cleaning)) => format!("{node} goes on with the clean-up"),
        (Lang::Zh, Some(SinkWait::Cleaning)) => format!("{node} 继续清理"),
        (Lang::En, Some(SinkWait::Opening | SinkWait::Beginning(_))) => {
            format!("{node} has an identity, and begins the next transaction")
        }
        (Lang::Zh, Some(SinkWait::Opening | SinkWait::Beginning(_))) => {
            format!("{node} 得到身份，开始下一个事务")
        }
        (Lang::En, Some(SinkWait::Flushing(n))) => {
            format!("{node} has flushed, and prepares the commit for checkpoint {n}")
        }
        (Lang::Zh, Some(SinkWait::Flushing(n))) => {
            format!("{node} 的 flush() 完成，为检查点 {n} 准备提交")
        }
        (Lang::En, Some(SinkWait::Committing(n))) => {
            format!("{node} hears what became of its commit for checkpoint {n}")
        }
        (Lang::Zh, Some(SinkWait::Committing(n))) => format!("{node} 得知检查点 {n} 的提交结果"),
        (Lang::En, None) => format!("{node} notices what its producer was told"),
        (Lang::Zh, None) => format!("{node} 察觉生产者得到的答复"),
    }
}
