//! The frontier: states that are seen and not yet looked into, first in, first out.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// Bytes of states in one piece, about: large enough to be rare, small enough that a half-used piece is no matter.
const PIECE_BYTES: usize = 1 << 16;

/// A queue in pieces of equal size. What was taken makes room for what comes: both levels of a breadth-first search
/// together need no more than the longest the queue ever is.
#[derive(Debug)]
pub(super) struct Queue<T> {
    /// The first one is taken from its end: it was turned round before.
    pieces: VecDeque<Vec<T>>,
    first: Vec<T>,
    /// Used up, and kept for what comes.
    spare: Vec<Vec<T>>,
    len: usize,
    /// What the states in it have elsewhere.
    outside: usize,
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self {
            pieces: VecDeque::new(),
            first: Vec::new(),
            spare: Vec::new(),
            len: 0,
            outside: 0,
        }
    }
}

impl<T> Queue<T> {
    /// How many states a piece holds.
    const fn room() -> usize {
        let size = match size_of::<T>() {
            0 => 1,
            size => size,
        };
        match PIECE_BYTES / size {
            0..8 => 8,
            room => room,
        }
    }

    /// Puts a state at the end; it has `outside` bytes on the heap.
    pub(super) fn push(&mut self, state: T, outside: usize) {
        match self.pieces.back_mut() {
            Some(last) if last.len() < Self::room() => last.push(state),
            _ => {
                let mut piece = self.spare.pop().unwrap_or_default();
                piece.push(state);
                self.pieces.push_back(piece);
            }
        }
        self.len += 1;
        self.outside += outside;
    }

    /// Takes the first state; `outside` says how many bytes it has on the heap.
    pub(super) fn pop(&mut self, outside: impl FnOnce(&T) -> usize) -> Option<T> {
        if self.first.is_empty() {
            let mut next = self.pieces.pop_front()?;
            next.reverse();
            let used = core::mem::replace(&mut self.first, next);
            if self.spare.len() < 2 {
                self.spare.push(used);
            }
        }
        let state = self.first.pop()?;
        self.len -= 1;
        self.outside = self.outside.saturating_sub(outside(&state));
        Some(state)
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Bytes it occupies.
    pub(super) fn bytes(&self) -> usize {
        let pieces = self.pieces.len() + self.spare.len() + 1;
        let room = match pieces {
            0..=2 => self.len.max(8),
            more => more * Self::room(),
        };
        room * size_of::<T>() + self.outside
    }
}
