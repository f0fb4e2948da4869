//! What settings of producer and consumer come to: a table that the model fills in, cell by cell.

use std::rc::Rc;

use barrierscope_core::kafka::client::Client;
use barrierscope_core::models::delivery::matrix::{self, COMMITS, Cell, Setting};
use barrierscope_core::models::delivery::{consumer_options, producer_options};
use barrierscope_core::scenario::Delivery;
use barrierscope_core::scenario::delivery::{CommitWhen, ConsumerApp, Effect, ProducerApp, Sends};
use barrierscope_core::session::Session;
use barrierscope_core::verdict::Verdict;

/// The table, as far as it is computed.
#[derive(Default)]
pub struct Guarantees {
    /// The settings, row by row, each with what it comes to.
    pub cells: Vec<(Setting, Option<Rc<Cell>>)>,
}

/// A run that shows something of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// A record is lost, or reported as failed.
    Loss,
    /// A record is doubled.
    Duplicate,
    /// Nothing breaks.
    Calm,
}

/// What all cells have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assumed {
    /// `replication.factor`
    pub replication_factor: u16,
    /// `min.insync.replicas`
    pub min_in_sync: u16,
    /// The client library of producer and consumer.
    pub client: Client,
    /// How many records are sent.
    pub records: u32,
}

impl Assumed {
    /// What the runs of a table have in common, as the first of them says.
    pub fn of(table: &Guarantees) -> Option<Self> {
        let (setting, _) = table.cells.first()?;
        let scenario = matrix::scenario(*setting);
        let (topic, producer) = (scenario.topics.first()?, scenario.producers.first()?);
        Some(Self {
            replication_factor: topic.replication_factor,
            min_in_sync: topic.min_in_sync,
            client: producer.client,
            records: match &producer.sends {
                Sends::Numbered(numbered) => numbered.count,
                Sends::Listed(sends) => sends.len() as u32,
            },
        })
    }
}

/// The cell of a scenario, and in what the scenario differs from what the table assumes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// The cell.
    pub cell: usize,
    /// In what it differs.
    pub differs: Vec<Difference>,
}

/// In what a scenario differs from what the table assumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// `replication.factor`
    ReplicationFactor(u16),
    /// `min.insync.replicas`
    MinInSync(u16),
    /// The producer's library and version.
    Producer(Client),
    /// The consumer's library and version.
    Consumer(Client),
}

/// Why a scenario has no cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// Nobody consumes what is produced: the table is about the effects of a consumer.
    NoConsumer,
    /// Its producer writes in transactions.
    Transactions,
    /// Its consumer recognizes what it has done before.
    Idempotent,
    /// It commits at another moment than those of the table.
    Moment,
}

/// The cell that a scenario corresponds to: that of its first consumer, and of a producer that writes what
/// that one reads.
///
/// # Errors
/// [`Outside`] says why there is none.
pub fn corresponding(table: &Guarantees, scenario: &Delivery) -> Result<Match, Outside> {
    let pair = scenario.consumers.iter().find_map(|consumer| {
        let mut producers = scenario.producers.iter();
        let producer = producers.find(|producer| producer.topic == consumer.topic)?;
        Some((producer, consumer))
    });
    let (producer, consumer) = pair.ok_or(Outside::NoConsumer)?;
    // A scenario whose options are refused is not open.
    let options = producer_options(producer).map_err(|_| Outside::Moment)?;
    if options.transactional {
        return Err(Outside::Transactions);
    }
    let setting = Setting {
        acks: options.acks,
        retries: options.retries > 0,
        idempotence: options.idempotence,
        commit: moment(consumer)?,
    };
    let mut cells = table.cells.iter();
    let cell = cells.position(|(known, _)| *known == setting);
    Ok(Match {
        cell: cell.ok_or(Outside::Moment)?,
        differs: Assumed::of(table).map_or_else(Vec::new, |assumed| {
            differences(&assumed, scenario, producer, consumer)
        }),
    })
}

/// The moment at which a consumer commits, if it is one of the table's.
fn moment(consumer: &ConsumerApp) -> Result<CommitWhen, Outside> {
    match consumer.effect {
        Effect::Idempotent => return Err(Outside::Idempotent),
        // It goes on from what is stored with the effect, whatever it commits.
        Effect::WithOffset => return Ok(CommitWhen::Never),
        Effect::Plain => {}
    }
    let by_itself = consumer_options(consumer).is_ok_and(|options| options.auto_commit);
    let when = consumer.commit.unwrap_or(match by_itself {
        true => CommitWhen::Auto,
        false => CommitWhen::AfterProcessing,
    });
    let is_there = COMMITS.contains(&when) && when != CommitWhen::Never;
    is_there.then_some(when).ok_or(Outside::Moment)
}

fn differences(
    assumed: &Assumed,
    scenario: &Delivery,
    producer: &ProducerApp,
    consumer: &ConsumerApp,
) -> Vec<Difference> {
    let topic = scenario
        .topics
        .iter()
        .find(|topic| topic.name == consumer.topic);
    let (replicas, in_sync) = topic
        .map_or((assumed.replication_factor, assumed.min_in_sync), |it| {
            (it.replication_factor, it.min_in_sync)
        });
    let all = [
        (replicas != assumed.replication_factor).then_some(Difference::ReplicationFactor(replicas)),
        (in_sync != assumed.min_in_sync).then_some(Difference::MinInSync(in_sync)),
        (producer.client != assumed.client).then_some(Difference::Producer(producer.client)),
        (consumer.client != assumed.client).then_some(Difference::Consumer(consumer.client)),
    ];
    all.into_iter().flatten().collect()
}

impl Guarantees {
    /// The table with nothing in it yet.
    pub(super) fn empty() -> Self {
        let settings = matrix::settings().into_iter();
        Self {
            cells: settings.map(|setting| (setting, None)).collect(),
        }
    }

    /// How many cells are computed.
    pub fn done(&self) -> usize {
        self.cells.iter().filter(|(_, cell)| cell.is_some()).count()
    }

    /// The table with one more cell computed: that takes as long as it takes.
    pub(super) fn with_next(&self) -> Option<Self> {
        let next = self.cells.iter().position(|(_, cell)| cell.is_none())?;
        let mut cells = self.cells.clone();
        let (setting, cell) = cells.get_mut(next)?;
        *cell = Some(Rc::new(matrix::compute(*setting)));
        Some(Self { cells })
    }

    /// The scenario of a run that shows something of a cell.
    pub fn proof(&self, cell: usize, proof: Proof) -> Option<&Delivery> {
        match self.cells.get(cell)?.1.as_deref()? {
            Cell::Refused { .. } => None,
            Cell::Computed {
                loss,
                duplicate,
                calm,
                ..
            } => match proof {
                Proof::Loss => loss.as_deref(),
                Proof::Duplicate => duplicate.as_deref(),
                Proof::Calm => Some(calm),
            },
        }
    }
}

/// The step of a run at which it shows what it is to show, for good; the last one of a run that shows
/// nothing.
pub(super) fn shown_at(session: &mut dyn Session, proof: Proof) -> usize {
    let shows = |verdict: &Verdict| match proof {
        Proof::Loss => verdict.lost + verdict.failed > 0,
        Proof::Duplicate => verdict.doubled > 0,
        Proof::Calm => false,
    };
    let last = session.last();
    let mut shown = last;
    let mut before = false;
    for step in 0..=last {
        session.go_to(step);
        let now = shows(&session.verdict());
        if now && !before {
            shown = step;
        }
        before = now;
    }
    if before { shown } else { last }
}
