//! The alternating bit protocol over two queues that lose messages: what is sent is sent again until it is
//! acknowledged. Two values, and at most two messages in each queue.

use barrierscope_core::explorer::question::Property;

use super::Spec;

/// The specification, with the constants of its published configuration.
#[derive(Clone, Copy, Debug)]
pub struct AlternatingBit;

/// A queue of at most two; a third one is tried and dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Two<T> {
    len: u8,
    items: [T; 2],
}

impl<T: Copy + Default> Two<T> {
    fn first(&self) -> T {
        self.items[0]
    }

    fn without(&self, at: u8) -> Self {
        let mut rest = Self::default();
        for other in (0..self.len).filter(|other| *other != at) {
            rest = rest.and(self.items[usize::from(other)]).unwrap_or(rest);
        }
        rest
    }

    fn and(&self, item: T) -> Option<Self> {
        let mut more = *self;
        *more.items.get_mut(usize::from(self.len))? = item;
        more.len += 1;
        Some(more)
    }
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    messages: Two<(bool, u8)>,
    acknowledgements: Two<bool>,
    /// The sender's bit, the bit last acknowledged, the receiver's bit.
    bits: [bool; 3],
    sent: u8,
    received: u8,
}

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Step {
    SendNew(u8),
    SendAgain,
    Receive,
    Acknowledge,
    HearAcknowledgement,
    LoseMessage(u8),
    LoseAcknowledgement(u8),
}

impl Spec for AlternatingBit {
    type State = State;
    type Step = Step;

    const PROPERTY: Property = Property::always("what is acknowledged was received");

    fn starts(&self) -> Vec<State> {
        let mut starts = Vec::new();
        for bit in [false, true] {
            for (sent, received) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                starts.push(State {
                    messages: Two::default(),
                    acknowledgements: Two::default(),
                    bits: [bit; 3],
                    sent,
                    received,
                });
            }
        }
        starts
    }

    fn steps(&self, state: &State, into: &mut Vec<Step>) {
        match state.bits[0] == state.bits[1] {
            true => into.extend([Step::SendNew(0), Step::SendNew(1)]),
            false => into.push(Step::SendAgain),
        }
        if state.messages.len > 0 {
            into.push(Step::Receive);
        }
        into.push(Step::Acknowledge);
        if state.acknowledgements.len > 0 {
            into.push(Step::HearAcknowledgement);
        }
        into.extend((0..state.messages.len).map(Step::LoseMessage));
        into.extend((0..state.acknowledgements.len).map(Step::LoseAcknowledgement));
    }

    fn take(&self, state: &mut State, step: Step) {
        // What would lead out of the bound is a step that TLC generates, and does not count among the states.
        let mut next = state.clone();
        let fits = match step {
            Step::SendNew(value) => {
                next.sent = value;
                next.bits[0] = !next.bits[0];
                next.send()
            }
            Step::SendAgain => next.send(),
            Step::Receive => {
                (next.bits[2], next.received) = next.messages.first();
                next.messages = next.messages.without(0);
                Some(())
            }
            Step::Acknowledge => {
                let more = next.acknowledgements.and(next.bits[2]);
                more.map(|more| next.acknowledgements = more)
            }
            Step::HearAcknowledgement => {
                next.bits[1] = next.acknowledgements.first();
                next.acknowledgements = next.acknowledgements.without(0);
                Some(())
            }
            Step::LoseMessage(at) => {
                next.messages = next.messages.without(at);
                Some(())
            }
            Step::LoseAcknowledgement(at) => {
                next.acknowledgements = next.acknowledgements.without(at);
                Some(())
            }
        };
        if fits.is_some() {
            *state = next;
        }
    }

    fn is_broken(&self, state: &State) -> bool {
        // Before the first value is sent, everybody has the same bit, and what was "received" is anything.
        let [sender, acknowledged, receiver] = state.bits;
        sender == acknowledged && receiver != sender
    }
}

impl State {
    fn send(&mut self) -> Option<()> {
        self.messages = self.messages.and((self.bits[0], self.sent))?;
        Some(())
    }
}
