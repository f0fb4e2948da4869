//! Whom an action concerns besides the process that takes it.

use smallvec::SmallVec;

use crate::id::{LaneId, LinkId};

/// Whom an action concerns besides the lane of its actor, where no message says so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// It happens on these lanes, too. A fault, which has no actor of its own, happens on these alone.
    pub lanes: SmallVec<[LaneId; 2]>,
    /// It looks at what has come about on these.
    pub looks: SmallVec<[LaneId; 2]>,
    /// It befalls the message at this place of a link, and nobody else.
    pub message: Option<(LinkId, usize)>,
}
