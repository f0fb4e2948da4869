//! A list that only grows, and takes no more memory than it says.

use alloc::vec::Vec;

/// How many items a piece holds: a `Vec` that doubles would need three times its size for a moment.
const PIECE: usize = 1 << 14;

/// A list in pieces of equal size.
#[derive(Clone, Debug)]
pub(super) struct Log<T> {
    pieces: Vec<Vec<T>>,
    len: usize,
}

impl<T> Default for Log<T> {
    fn default() -> Self {
        Self {
            pieces: Vec::new(),
            len: 0,
        }
    }
}

impl<T: Copy> Log<T> {
    pub(super) fn push(&mut self, item: T) {
        if self.len.is_multiple_of(PIECE) {
            // The first piece of a small search is small.
            let room = if self.len == 0 { 64 } else { PIECE };
            self.pieces.push(Vec::with_capacity(room));
        }
        if let Some(piece) = self.pieces.last_mut() {
            piece.push(item);
            self.len += 1;
        }
    }

    pub(super) fn get(&self, at: u32) -> Option<T> {
        let at = at as usize;
        self.pieces.get(at / PIECE)?.get(at % PIECE).copied()
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Bytes it occupies.
    pub(super) fn bytes(&self) -> usize {
        let items = match self.pieces.as_slice() {
            [] => 0,
            [only] => only.capacity(),
            all => all.len() * PIECE,
        };
        items * size_of::<T>()
    }

    /// The items, the last one first.
    pub(super) fn iter_back(&self) -> impl Iterator<Item = T> + '_ {
        let pieces = self.pieces.iter().rev();
        pieces.flat_map(|piece| piece.iter().rev().copied())
    }
}
