//! What a search has seen: a fingerprint of each state, and how it was first reached.

use alloc::vec;
use alloc::vec::Vec;

use super::log::Log;

/// Slots of an empty table; a power of two.
const SLOTS: usize = 1 << 10;

/// All states seen so far, numbered in the order in which they were found.
///
/// Whole states are not kept: two that differ have the same fingerprint with a probability of 2⁻⁶⁴, so that a search
/// through n states overlooks one with a probability below n²/2⁶⁵ (10⁷ states: 3 in a million).
#[derive(Debug)]
pub(super) struct Seen {
    /// Fingerprints, in slots found by the fingerprint itself and then one after the other; 0: free.
    prints: Vec<u64>,
    /// By slot: the number of the state, if numbers are asked for.
    numbers: Option<Vec<u32>>,
    /// By number: the state before it, or itself for one in which a run starts.
    parents: Log<u32>,
    /// By number: which of the actions enabled in the state before led to it; or which of the states it is in which a
    /// run starts.
    choices: Log<u16>,
}

/// Where a state was found to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// It is new, and has the next number.
    New,
    /// It was seen before; its number, if numbers are kept.
    Known(u32),
    /// There is no room for it.
    NoRoom,
}

impl Seen {
    pub(super) fn new(with_numbers: bool) -> Self {
        Self {
            prints: vec![0; SLOTS],
            numbers: with_numbers.then(|| vec![0; SLOTS]),
            parents: Log::default(),
            choices: Log::default(),
        }
    }

    /// 0 stands for a free slot.
    const fn key(print: u64) -> u64 {
        match print {
            0 => 1,
            print => print,
        }
    }

    fn slot(&self, key: u64) -> usize {
        // A power of two: in WebAssembly, what is cut off here does not matter either.
        key as usize & (self.prints.len() - 1)
    }

    /// What is in the first slot where a state may be. To ask for several before any of them is put in lets the
    /// processor fetch them at the same time.
    pub(super) fn peek(&self, print: u64) -> u64 {
        let slot = self.slot(Self::key(print));
        self.prints.get(slot).copied().unwrap_or(0)
    }

    /// Whether a state was seen before, going by what [`peek`](Self::peek) has found, if numbers are not asked for.
    pub(super) fn is_known_by(&self, print: u64, peeked: u64) -> bool {
        self.numbers.is_none() && peeked == Self::key(print)
    }

    /// Whether a state was seen before.
    pub(super) fn contains(&self, print: u64) -> bool {
        let key = Self::key(print);
        let mut slot = self.slot(key);
        while let Some(there) = self.prints.get(slot) {
            match *there {
                0 => return false,
                there if there == key => return true,
                _ => slot = (slot + 1) & (self.prints.len() - 1),
            }
        }
        false
    }

    /// Whether it should [grow](Self::grow) before more is put in: three quarters are full, so that the next free slot
    /// is never far.
    pub(super) fn is_crowded(&self) -> bool {
        self.parents.len() * 4 >= self.prints.len() * 3
    }

    /// Puts a state in, unless it is there.
    pub(super) fn insert(&mut self, print: u64, parent: u32, choice: u16) -> Place {
        let key = Self::key(print);
        let mut slot = self.slot(key);
        loop {
            match self.prints.get(slot) {
                Some(0) => break,
                Some(there) if *there == key => {
                    let numbers = self.numbers.as_ref();
                    let number = numbers.and_then(|it| it.get(slot)).copied();
                    return Place::Known(number.unwrap_or(0));
                }
                Some(_) => slot = (slot + 1) & (self.prints.len() - 1),
                None => return Place::NoRoom,
            }
        }
        // One slot stays free: there the search for a state ends that is not there.
        if self.parents.len() >= u32::MAX as usize || self.parents.len() + 1 >= self.prints.len() {
            return Place::NoRoom;
        }
        let number = self.parents.len() as u32;
        if let Some(free) = self.prints.get_mut(slot) {
            *free = key;
        }
        if let Some(free) = self.numbers.as_mut().and_then(|it| it.get_mut(slot)) {
            *free = number;
        }
        self.parents.push(parent);
        self.choices.push(choice);
        Place::New
    }

    /// Takes twice as many slots, if `spare` bytes have room for them besides the present ones.
    pub(super) fn grow(&mut self, spare: usize) -> bool {
        let slots = self.prints.len() * 2;
        let each = if self.numbers.is_some() { 12 } else { 8 };
        let mut prints: Vec<u64> = Vec::new();
        if slots.saturating_mul(each) > spare || prints.try_reserve_exact(slots).is_err() {
            return false;
        }
        prints.resize(slots, 0);
        let mut numbers = self.numbers.as_ref().map(|_| vec![0; slots]);
        for (old, key) in self.prints.iter().enumerate() {
            if *key == 0 {
                continue;
            }
            let mut slot = *key as usize & (slots - 1);
            while prints.get(slot).is_some_and(|there| *there != 0) {
                slot = (slot + 1) & (slots - 1);
            }
            if let Some(free) = prints.get_mut(slot) {
                *free = *key;
            }
            let number = self.numbers.as_ref().and_then(|it| it.get(old));
            if let (Some(number), Some(numbers)) = (number, &mut numbers)
                && let Some(free) = numbers.get_mut(slot)
            {
                *free = *number;
            }
        }
        self.prints = prints;
        self.numbers = numbers;
        true
    }

    pub(super) fn len(&self) -> usize {
        self.parents.len()
    }

    /// Bytes it occupies.
    pub(super) fn bytes(&self) -> usize {
        let numbers = self.numbers.as_ref().map_or(0, Vec::len);
        self.prints.len() * 8 + numbers * 4 + self.parents.bytes() + self.choices.bytes()
    }

    /// The choices that lead to a state: the first one chooses where the run starts.
    pub(super) fn choices_to(&self, number: u32) -> Vec<u16> {
        let mut choices = Vec::new();
        let mut at = number;
        while let (Some(parent), Some(choice)) = (self.parents.get(at), self.choices.get(at)) {
            choices.push(choice);
            if parent == at {
                break;
            }
            at = parent;
        }
        choices.reverse();
        choices
    }
}
