//! A state in few bytes: for each number as many as it takes, and nothing for what is empty but its length.
//!
//! Two thousand bytes come to about a hundred and fifty in a small pipeline.

use alloc::vec::Vec;

use super::State;

/// Bytes that a small pipeline's state does not exceed.
const USUAL: usize = 512;
/// Bytes that no state of a search should ever reach.
const MOST: usize = 1 << 24;

/// Puts a state into `into`; false if it does not fit.
pub(super) fn pack(state: &State, into: &mut Vec<u8>) -> bool {
    let mut room = into.capacity().max(USUAL);
    loop {
        into.resize(room, 0);
        match postcard::to_slice(state, into) {
            Ok(used) => {
                let used = used.len();
                into.truncate(used);
                return true;
            }
            Err(postcard::Error::SerializeBufferFull) if room < MOST => room *= 2,
            Err(_) => return false,
        }
    }
}
