//! The frontier: states that are seen and not yet looked into, packed where the protocol has a packed form of them.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::queue::Queue;
use crate::protocol::Protocol;

/// Bytes in one piece.
const PIECE: usize = 1 << 16;
/// Bytes that say how many follow.
const LENGTH: usize = 4;

/// First in, first out.
#[derive(Debug)]
pub(super) enum Frontier<S> {
    /// States as they are.
    Whole(Queue<S>),
    /// Each in its packed form.
    Packed(Bytes),
}

/// Packed states, one after the other.
#[derive(Debug, Default)]
pub(super) struct Bytes {
    pieces: VecDeque<Vec<u8>>,
    /// Where the first state begins in the first piece.
    read: usize,
    spare: Vec<Vec<u8>>,
    /// Of all pieces, used or not.
    bytes: usize,
    len: usize,
    scratch: Vec<u8>,
}

impl<S> Frontier<S> {
    /// An empty one; packed, if the protocol packs its states.
    pub(super) fn new<P: Protocol<State = S>>(protocol: &P) -> Self {
        let mut scratch = Vec::new();
        match protocol.pack(&protocol.initial(), &mut scratch) {
            true => Self::Packed(Bytes::default()),
            false => Self::Whole(Queue::default()),
        }
    }

    /// Puts a state at the end; `outside` says how many bytes it has on the heap. False if it cannot be packed, though
    /// others could: then it is not there.
    pub(super) fn push<P: Protocol<State = S>>(
        &mut self,
        protocol: &P,
        state: S,
        outside: impl FnOnce(&S) -> usize,
    ) -> bool {
        match self {
            Self::Whole(queue) => {
                let outside = outside(&state);
                queue.push(state, outside);
                true
            }
            Self::Packed(bytes) => bytes.push(protocol, &state),
        }
    }

    /// Takes the first state.
    pub(super) fn pop<P: Protocol<State = S>>(
        &mut self,
        protocol: &P,
        outside: impl FnOnce(&S) -> usize,
    ) -> Option<S> {
        match self {
            Self::Whole(queue) => queue.pop(outside),
            Self::Packed(bytes) => bytes.pop(protocol),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Whole(queue) => queue.len(),
            Self::Packed(bytes) => bytes.len,
        }
    }

    /// Bytes it occupies.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Whole(queue) => queue.bytes(),
            Self::Packed(bytes) => bytes.bytes,
        }
    }
}

impl Bytes {
    fn push<P: Protocol>(&mut self, protocol: &P, state: &P::State) -> bool {
        let mut scratch = core::mem::take(&mut self.scratch);
        let packed = protocol.pack(state, &mut scratch);
        let length = u32::try_from(scratch.len()).ok().filter(|_| packed);
        if let Some(length) = length {
            let needed = scratch.len() + LENGTH;
            let last = self.pieces.back();
            if last.is_none_or(|last| last.capacity() - last.len() < needed) {
                let piece = self.spare.pop().filter(|it| it.capacity() >= needed);
                let piece = piece.unwrap_or_else(|| {
                    let room = PIECE.max(needed);
                    self.bytes += room;
                    Vec::with_capacity(room)
                });
                self.pieces.push_back(piece);
            }
            if let Some(last) = self.pieces.back_mut() {
                last.extend_from_slice(&length.to_le_bytes());
                last.extend_from_slice(&scratch);
                self.len += 1;
            }
        }
        self.scratch = scratch;
        length.is_some()
    }

    fn pop<P: Protocol>(&mut self, protocol: &P) -> Option<P::State> {
        let first = self.pieces.front()?;
        if self.read >= first.len() {
            let mut used = self.pieces.pop_front()?;
            self.read = 0;
            used.clear();
            match self.spare.len() {
                0..2 => self.spare.push(used),
                _ => self.bytes = self.bytes.saturating_sub(used.capacity()),
            }
            return match self.len {
                0 => None,
                _ => self.pop(protocol),
            };
        }
        let rest = first.get(self.read..)?;
        let (length, rest) = rest.split_first_chunk::<LENGTH>()?;
        let length = u32::from_le_bytes(*length) as usize;
        let state = protocol.unpack(rest.get(..length)?)?;
        self.read += LENGTH + length;
        self.len -= 1;
        Some(state)
    }
}
