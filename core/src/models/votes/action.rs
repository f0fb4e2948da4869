use crate::commit::Process;
use crate::commit::message::Letter;
use crate::id::LinkId;

/// What can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// The application asks the coordinator to commit.
    Begin,
    /// A process's log comes to disk: because it waits for that, or in the background.
    Force(Process),
    /// A process sends a message.
    Send(Process, Letter),
    /// Whoever is at the end of a link takes the message at this place of it; if it is down, the message is gone.
    Receive(LinkId, u16),
    /// A process has waited long enough.
    TimeOut(Process),
    /// A process that is down comes back.
    Recover(Process),
    /// Fault: it dies, and comes back by itself.
    Crash(Process),
    /// Fault: it dies, and stays down.
    Stop(Process),
    /// Fault: the message at this place of a link is lost.
    Lose(LinkId, u16),
    /// Fault: the message at this place of a link is duplicated.
    Duplicate(LinkId, u16),
}
