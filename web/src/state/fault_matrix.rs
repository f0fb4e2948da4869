//! What becomes of a record at every crash point of a job that writes to Kafka: a table that the model fills in, cell
//! by cell.

use std::rc::Rc;

use barrierscope_core::kafka::log::IsolationLevel;
use barrierscope_core::mark::MarkKind;
use barrierscope_core::models::pipeline::fault_matrix::{Cell, CrashPoint, READERS, SINKS, cell};
use barrierscope_core::scenario::{DeliveryGuarantee, Scenario};
use barrierscope_core::session::Session;
use barrierscope_core::symptom::{Symptom, decided_at};

/// The table, as far as it is computed.
#[derive(Default)]
pub struct FaultMatrix {
    /// The cells, row by row.
    cells: Vec<Option<Rc<Cell>>>,
}

/// Where a cell stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its row.
    pub point: CrashPoint,
    /// Its column: the sink's guarantee.
    pub sink: DeliveryGuarantee,
    /// Its column: the reader.
    pub reader: IsolationLevel,
}

/// The places of all cells, row by row.
fn places() -> impl Iterator<Item = Place> {
    CrashPoint::ALL.into_iter().flat_map(|point| {
        SINKS.into_iter().flat_map(move |sink| {
            READERS.into_iter().map(move |reader| Place {
                point,
                sink,
                reader,
            })
        })
    })
}

impl FaultMatrix {
    /// The table with nothing in it yet.
    pub(super) fn empty() -> Self {
        Self {
            cells: places().map(|_| None).collect(),
        }
    }

    /// Whether nobody has looked at it yet.
    pub(super) fn is_new(&self) -> bool {
        self.cells.is_empty()
    }

    /// How many cells there are.
    pub fn all(&self) -> usize {
        self.cells.len()
    }

    /// How many cells are computed.
    pub fn done(&self) -> usize {
        self.cells.iter().flatten().count()
    }

    /// The table with one more cell computed.
    pub(super) fn with_next(&self) -> Option<Self> {
        let next = self.cells.iter().position(Option::is_none)?;
        let place = places().nth(next)?;
        let computed = cell(place.point, place.sink, place.reader)?;
        let mut cells = self.cells.clone();
        *cells.get_mut(next)? = Some(Rc::new(computed));
        Some(Self { cells })
    }

    /// A cell, once it is computed.
    pub fn cell(&self, place: Place) -> Option<&Cell> {
        let at = places().position(|it| it == place)?;
        self.cells.get(at)?.as_deref()
    }

    /// The cell whose run this is.
    pub fn of(scenario: &Scenario) -> Option<Place> {
        let point = CrashPoint::named(&scenario.name)?;
        places().find(|it| {
            it.point == point
                && scenario.delivery_guarantee() == Some(it.sink)
                && scenario.reader.isolation_level == it.reader
        })
    }
}

/// The step of a run at which a cell is opened: where it goes wrong, or where it breaks and all goes well.
pub(super) fn shown_at(session: &mut dyn Session, symptom: Symptom) -> usize {
    let breaks = [MarkKind::Fault, MarkKind::Aborted, MarkKind::Redeployed];
    let mut marks = session.marks().iter();
    let broken = marks.find(|mark| breaks.contains(&mark.kind));
    match (symptom, broken) {
        (Symptom::Ok, Some(mark)) => mark.step as usize,
        _ => decided_at(session),
    }
}
