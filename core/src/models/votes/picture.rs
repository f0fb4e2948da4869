//! All of it as a scene: the coordinator above, the participants below it, messages between them.

use alloc::string::ToString;
use alloc::vec::Vec;

use super::action::Action;
use super::state::{Standing, State};
use super::{Of, Votes};
use crate::clock::Clock;
use crate::commit::log::Log;
use crate::commit::properties::Knowledge;
use crate::commit::{Process, Processes, Vote};
use crate::diagram::{Lane, LaneKind, Reach};
use crate::id::{ActorId, CheckpointId, LaneId, LinkId, RecordId};
use crate::mark::Ending;
use crate::models::Model;
use crate::protocol::Protocol as _;
use crate::scenario::StoryRef;
use crate::scenario::votes::COORDINATOR;
use crate::scene::votes::{CommitterView, ParticipantView, PropertyView, RecordView, VotesChoice};
use crate::scene::{
    Choice, Facts, Health, Node, Place, Scene, Token, TokenKind, Wire, WireKind, Withheld, Work,
};
use crate::verdict::Verdict;

impl Model for Votes {
    fn story(&self) -> StoryRef<'_> {
        StoryRef::Votes(&self.scenario)
    }

    fn scene(&self, state: &State, clock: &Clock<Action>) -> Scene {
        let nodes = self.all().filter_map(|it| self.view(state, it, clock));
        Scene {
            at: clock.now(),
            nodes: nodes.collect(),
            links: self.wires(state, clock),
        }
    }

    fn choice(&self, state: &State, action: Action) -> Option<Choice> {
        self.votes_choice(state, action).map(Choice::Votes)
    }

    fn withheld(&self, state: &State) -> Vec<Withheld> {
        self.withheld_in(state)
    }

    /// No record is produced, and none is lost.
    fn verdict(&self, state: &State) -> Verdict {
        Verdict {
            done: self.is_over(state),
            ..Verdict::default()
        }
    }

    /// Somebody is undecided though everybody is back.
    fn is_stuck(&self, state: &State) -> bool {
        self.all().all(|process| state.is_running(process))
            && state
                .participants
                .iter()
                .any(|own| own.decision().is_none())
    }

    fn is_blocked(&self, state: &State) -> bool {
        self.blocked(state).iter().next().is_some()
    }

    fn ending(&self, state: &State) -> Ending {
        self.ending_of(state)
    }

    fn record(&self, _record: RecordId) -> Option<(&str, u64)> {
        None
    }

    fn properties(&self, state: &State) -> Vec<PropertyView> {
        self.property_views(state)
    }

    fn lanes(&self) -> Vec<Lane> {
        self.all()
            .filter_map(|process| self.lane(process))
            .collect()
    }

    fn lane_of(&self, actor: ActorId) -> Option<LaneId> {
        (actor < self.environment()).then_some(LaneId(actor.0))
    }

    fn reach(&self, _state: &State, action: Action) -> Reach {
        let mut reach = Reach::default();
        match action {
            Action::Recover(process) | Action::Crash(process) | Action::Stop(process) => {
                reach.lanes.push(LaneId(u16::from(process.0)));
            }
            Action::Lose(link, place) | Action::Duplicate(link, place) => {
                reach.message = Some((link, usize::from(place)));
            }
            Action::Begin
            | Action::Force(_)
            | Action::Send(..)
            | Action::TimeOut(_)
            | Action::Receive(..) => {}
        }
        reach
    }

    fn message(&self, state: &State, link: LinkId, place: usize) -> Option<TokenKind> {
        let message = Self::on_link(state, link).nth(place)?;
        Some(TokenKind::TwoPhaseCommit(message))
    }

    fn health(&self, state: &State, lane: LaneId) -> Health {
        let process = u8::try_from(lane.0).map(Process);
        let standing = process.ok().and_then(|it| state.standing_of(it));
        standing.map_or(Health::Running, health)
    }
}

fn health(standing: Standing) -> Health {
    match standing {
        Standing::Running => Health::Running,
        Standing::Down => Health::Crashed,
        Standing::Stopped => Health::Cancelled,
    }
}

impl Votes {
    fn name(&self, process: Process) -> Option<&str> {
        match process.number() {
            None => Some(COORDINATOR),
            Some(at) => Some(&self.scenario.participants.get(at)?.name),
        }
    }

    fn lane(&self, process: Process) -> Option<Lane> {
        Some(Lane {
            kind: match process.is_coordinator() {
                true => LaneKind::Coordinator,
                false => LaneKind::Participant,
            },
            name: self.name(process)?.to_string(),
            number: 0,
            of: 1,
            nodes: smallvec::smallvec![Self::node_of(process)],
        })
    }

    fn view(&self, state: &State, process: Process, clock: &Clock<Action>) -> Option<Node> {
        let name = self.name(process)?;
        let (place, facts) = match process.number() {
            None => (Place::Control, self.committer(state)),
            Some(at) => (
                Place::Flow {
                    stage: 0,
                    lane: u16::try_from(at).unwrap_or(u16::MAX),
                    lanes: u16::from(self.options.participants),
                },
                self.participant_facts(state, process, clock)?,
            ),
        };
        let work = clock.busy(Self::actor_of(process));
        Some(Node {
            id: Self::node_of(process),
            name: name.to_string(),
            number: 0,
            of: 1,
            place,
            task_manager: None,
            health: health(state.standing_of(process)?),
            work: work.map(|(_, began, until)| Work {
                began,
                until,
                record: None,
            }),
            facts,
        })
    }

    fn outbox(
        state: &State,
        process: Process,
    ) -> Vec<(crate::id::NodeId, crate::commit::message::Message)> {
        let letters = Self::letters(state, process).iter();
        letters
            .map(|letter| (Self::node_of(letter.to), letter.message))
            .collect()
    }

    fn committer(&self, state: &State) -> Facts {
        let own = &state.coordinator;
        let votes = self.options.all().iter().map(|process| {
            let commit = own.voted().contains(process).then_some(Vote::Commit);
            let abort = own.refused().contains(process).then_some(Vote::Abort);
            (Self::node_of(process), commit.or(abort))
        });
        Facts::Committer(CommitterView {
            state: own.state(),
            log: records(own.log()),
            forcing: own.is_forcing(),
            outbox: Self::outbox(state, Process::COORDINATOR),
            votes: votes.collect(),
            unacknowledged: own.owed().iter().map(Self::node_of).collect(),
            decision: own.decision(),
        })
    }

    fn participant_facts(
        &self,
        state: &State,
        process: Process,
        clock: &Clock<Action>,
    ) -> Option<Facts> {
        let own = state.participant(process)?;
        let blocked = self.blocked(state).contains(process);
        let by = match blocked {
            true => self.releasers(state),
            false => Processes::NONE,
        };
        let in_doubt = own.knowledge() == Knowledge::InDoubt;
        let since = |of| clock.last_fired(Self::timer(process, of));
        Some(Facts::Participant(ParticipantView {
            state: own.state(),
            vote: self.seat(process).vote,
            log: records(own.log()),
            forcing: own.is_forcing(),
            outbox: Self::outbox(state, process),
            decision: own.decision(),
            in_doubt_since: in_doubt.then(|| since(Of::Doubt)),
            blocked_since: blocked.then(|| since(Of::Blocked)),
            blocked_by: by.iter().map(Self::node_of).collect(),
        }))
    }

    fn wires(&self, state: &State, clock: &Clock<Action>) -> Vec<Wire> {
        let mut wires = Vec::new();
        for number in 0..self.links() as u32 {
            let link = LinkId(number);
            let (from, to) = self.ends(link);
            let late = number % 2 == 1;
            let talks = from.is_coordinator()
                || to.is_coordinator()
                || self.options.cooperative_termination;
            let messages = Self::on_link(state, link);
            let tokens: Vec<Token> = messages
                .zip(clock.transit(link))
                .map(|(message, transit)| Token {
                    kind: TokenKind::TwoPhaseCommit(message),
                    epoch: CheckpointId::NONE,
                    unaligned: false,
                    queued: false,
                    bytes: 0,
                    sent: transit.sent,
                    ready: transit.ready,
                })
                .collect();
            // A wire is there for whoever may use it; the others would be a tangle.
            if from != to && (talks && !late || !tokens.is_empty()) {
                wires.push(Wire {
                    id: link,
                    from: Self::node_of(from),
                    to: Self::node_of(to),
                    kind: WireKind::TwoPhaseCommit,
                    blocked_by: None,
                    tokens,
                });
            }
        }
        wires
    }

    fn votes_choice(&self, state: &State, action: Action) -> Option<VotesChoice> {
        let on = |link: LinkId, place: u16| Self::on_link(state, link).nth(usize::from(place));
        let ends = |link: LinkId| {
            let (from, to) = self.ends(link);
            (Self::node_of(from), Self::node_of(to))
        };
        Some(match action {
            Action::Begin => VotesChoice::Begin {
                coordinator: Self::node_of(Process::COORDINATOR),
            },
            Action::Force(process) => {
                let node = Self::node_of(process);
                let record = *Self::log_of(state, process)?.records().last()?;
                match Self::is_forcing(state, process) {
                    true => VotesChoice::Force { node, record },
                    false => VotesChoice::Flush { node, record },
                }
            }
            Action::Send(process, letter) => VotesChoice::Send {
                from: Self::node_of(process),
                to: Self::node_of(letter.to),
                message: letter.message,
            },
            Action::Receive(link, place) => {
                let (from, node) = ends(link);
                VotesChoice::Deliver {
                    node,
                    from,
                    message: on(link, place)?,
                    link,
                    place: place.into(),
                }
            }
            Action::TimeOut(process) => VotesChoice::TimeOut {
                node: Self::node_of(process),
                awaited: Self::awaited(state, process),
            },
            Action::Recover(process) => VotesChoice::Recover {
                node: Self::node_of(process),
            },
            Action::Crash(process) => VotesChoice::Crash {
                node: Self::node_of(process),
            },
            Action::Stop(process) => VotesChoice::Stop {
                node: Self::node_of(process),
            },
            Action::Lose(link, place) => {
                let (from, to) = ends(link);
                VotesChoice::Lose {
                    from,
                    to,
                    message: on(link, place)?,
                    link,
                    place: place.into(),
                }
            }
            Action::Duplicate(link, place) => {
                let (from, to) = ends(link);
                VotesChoice::Duplicate {
                    from,
                    to,
                    message: on(link, place)?,
                    link,
                    place: place.into(),
                }
            }
        })
    }
}

fn records(log: &Log) -> Vec<RecordView> {
    let views = log.records().iter().enumerate();
    views
        .map(|(at, record)| RecordView {
            record: *record,
            forced: at < log.forced(),
        })
        .collect()
}
