//! Containers that live inside the state while they are small and move to the heap when they are not:
//! one readable state type serves the search, which copies millions of them, and a large simulation.

mod bits;
mod rare;
mod shared;
mod tally;

pub use bits::Bits;
pub use rare::Rare;
pub use shared::Shared;
pub use tally::Tally;
