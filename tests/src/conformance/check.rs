//! Whether what is written down is what was expected (section 4).

use std::fmt::{Debug, Write as _};

use barrierscope_core::flink::barrier::{AlignmentType, Content, Element as _, Options};
use barrierscope_core::time::Micros;

use super::Mismatch;
use super::bench::{Bench, Item, Notice, checkpoint_id, number_of};
use super::case::{
    Alignment, Bounds, Demand, Expectation, Notification, Polled, Reason, TriggeredOptions, True,
};

impl Bench<'_> {
    /// Checks what is expected after a step, in order: looking at some things changes what is seen next.
    pub(super) fn check_after(&mut self, step: Option<usize>) -> Result<(), Mismatch> {
        let case = self.case;
        for expectation in case.expect.iter().filter(|each| each.after == step) {
            self.check(expectation).map_err(|came| Mismatch {
                step,
                expected: expectation.told.clone(),
                came,
            })?;
        }
        Ok(())
    }

    /// Checks one expectation; what came instead if it is not met.
    fn check(&mut self, expectation: &Expectation) -> Result<(), String> {
        match &expectation.demand {
            Demand::Deliver(id) => {
                let pulled = self.site.record.pulled;
                let came = pulled.map(|item| self.name(item));
                demand(came.as_deref() == Some(id), came.unwrap_or_else(nothing))
            }
            Demand::Polled(kind) => {
                let came = self.site.record.pulled.map(polled);
                demand(came == Some(*kind), came.map_or_else(nothing, show))
            }
            Demand::Output(ids) => {
                let output = std::mem::take(&mut self.site.record.output);
                equal(&self.names(output.into_iter()), ids)
            }
            Demand::Ends(True) => self.check_end(),
            Demand::Blocked(channels) => {
                let expected = channels
                    .iter()
                    .map(|&channel| usize::from(channel))
                    .collect();
                equal(&self.site.record.blocked, &expected)
            }
            Demand::NetworkBlocked(marks) => {
                let set = &self.site.record.network_blocked;
                let wrong = marks
                    .iter()
                    .find(|(channel, mark)| set.contains(&usize::from(**channel)) != **mark);
                demand(wrong.is_none(), format!("the marked channels are {set:?}"))
            }
            Demand::SetTriggerGuard(next) => {
                self.site.record.guard.get_or_insert_default().next = *next;
                Ok(())
            }
            Demand::LastStartedInflight(checkpoint) => {
                let started = self.site.record.started;
                equal(&started.map_or(-1, i64::from), checkpoint)
            }
            Demand::PersistedInflight(ids) => {
                let record = &mut self.site.record;
                let since = record.stored_seen;
                record.stored_seen = record.stored.len();
                record.started = None;
                let stored = &self.site.record.stored[since..];
                equal(&self.names(stored.iter().map(|&(_, arrival)| arrival)), ids)
            }
            Demand::PersistedTotal(counts) => {
                let count = |channel: u16| {
                    let stored = self.site.record.stored.iter();
                    stored.filter(|(of, _)| *of == usize::from(channel)).count()
                };
                let came = counts.keys().map(|&channel| (channel, count(channel)));
                equal(&came.collect(), counts)
            }
            Demand::PersistedAny(True) => demand(!self.site.record.stored.is_empty(), nothing()),
            other => self
                .check_notices(other)
                .or_else(|| self.check_state(other))
                .or_else(|| self.check_measures(other))
                .unwrap_or_else(|| Err("there is no such check".to_owned())),
        }
    }

    /// One more pull must return nothing, for the good reason.
    fn check_end(&mut self) -> Result<(), String> {
        if self.pull() {
            let pulled = self.site.record.pulled.map(|item| self.name(item));
            return Err(format!(
                "one more pull returned {}",
                pulled.unwrap_or_else(nothing)
            ));
        }
        demand(self.is_finished(), "the gate is not finished".to_owned())
    }

    /// What the task was told (4.3); none if that is not what is asked for.
    fn check_notices(&self, asked: &Demand) -> Option<Result<(), String>> {
        let notices = &self.site.record.notices;
        let triggers = || {
            notices.iter().filter_map(|notice| match *notice {
                Notice::Trigger {
                    checkpoint,
                    options,
                } => Some((checkpoint, options)),
                Notice::Abort { .. } => None,
            })
        };
        let aborts = || {
            notices.iter().filter_map(|notice| match *notice {
                Notice::Abort {
                    checkpoint,
                    reason,
                    all_received,
                } => Some((checkpoint, told(reason), all_received)),
                Notice::Trigger { .. } => None,
            })
        };
        let triggered = || triggers().map(|(checkpoint, _)| checkpoint);
        Some(match asked {
            Demand::TriggerCount(count) => equal(&triggers().count(), count),
            Demand::AbortCount(count) => equal(&aborts().count(), count),
            Demand::AnyTrigger(any) => equal(&triggers().next().is_some(), any),
            Demand::AnyAbort(any) => equal(&aborts().next().is_some(), any),
            Demand::Triggered(ids) => equal(&triggered().collect(), ids),
            Demand::Aborted(ids) => equal(&aborts().map(|(id, ..)| id).collect(), ids),
            Demand::LastTriggered(id) => equal(&triggered().next_back(), id),
            Demand::LastAborted { id, reason } => {
                let last = aborts().next_back().map(|(id, reason, _)| (id, reason));
                let met = last.is_some_and(|(last, why)| {
                    last == *id && reason.is_none_or(|reason| reason == why)
                });
                demand(met, last.map_or_else(nothing, show))
            }
            Demand::TriggerCountOf { id, count } => equal(
                &triggered().filter(|checkpoint| checkpoint == id).count(),
                count,
            ),
            Demand::AbortCountOf { id, reason, count } => {
                let such = aborts().filter(|(checkpoint, why, _)| {
                    why == reason && id.is_none_or(|id| id == *checkpoint)
                });
                equal(&such.count(), count)
            }
            Demand::NotificationsPrefixOf(list) => {
                let came: Vec<_> = notices.iter().map(Notice::told).collect();
                // The list is whole: where nothing is to come any more, nothing of it may be missing.
                let whole = self.site.record.arrived.len() == self.arrivals();
                let met = list.starts_with(&came) && (!whole || came.len() == list.len());
                demand(met, show(came))
            }
            Demand::TriggeredOptions(list) => equal(
                &triggers().map(|(_, options)| options_of(options)).collect(),
                list,
            ),
            Demand::LastTriggeredAlignment(alignment) => {
                let last = triggers().next_back();
                let came = last.map(|(_, options)| options_of(options).alignment);
                demand(came == Some(*alignment), came.map_or_else(nothing, show))
            }
            Demand::NeverTriggeredUnaligned(True) => {
                let unaligned = triggers().find(|(_, options)| options.is_unaligned());
                demand(unaligned.is_none(), show(unaligned.map(|(id, _)| id)))
            }
            Demand::DuringAbort {
                id,
                all_barriers_received_done,
            } => {
                let came = aborts().next_back().map(|(id, _, done)| (id, done));
                let met = came == Some((*id, *all_barriers_received_done));
                demand(met, came.map_or_else(nothing, show))
            }
            _ => return None,
        })
    }

    /// How the handler is (4.5); none if that is not what is asked for.
    fn check_state(&self, asked: &Demand) -> Option<Result<(), String>> {
        let Self {
            handler, inputs, ..
        } = self;
        let pending = || handler.pending().map(number_of);
        Some(match asked {
            Demand::LatestCheckpoint(id) => equal(&number_of(handler.latest_checkpoint()), id),
            Demand::Pending(any) => equal(&pending().next().is_some(), any),
            Demand::PendingCheckpoints(ids) => equal(
                &pending().collect::<Vec<_>>(),
                &ids.iter().map(|&id| i64::from(id)).collect(),
            ),
            Demand::OpenChannels(count) => equal(&handler.open_channels(*inputs), count),
            Demand::DuringAlignment(during) => {
                equal(&self.site.measures.during_alignment(), during)
            }
            Demand::AllBarriersReceived { checkpoint, done } => {
                let received = handler.all_barriers_received(checkpoint_id(*checkpoint), *inputs);
                equal(&received, done)
            }
            _ => return None,
        })
    }

    /// What was measured (4.6); none if that is not what is asked for.
    fn check_measures(&self, asked: &Demand) -> Option<Result<(), String>> {
        let measures = &self.site.measures;
        let alignment = || {
            let newest = measures.newest_triggered();
            newest.map(|triggered| triggered.alignment)
        };
        Some(match asked {
            Demand::AlignmentDurationNs(bounds) => {
                within(measures.alignment_duration(self.site.now), bounds)
            }
            Demand::CheckpointStartDelayNs(bounds) => within(measures.start_delay(), bounds),
            Demand::LastTriggerAlignmentNs(bounds) => match alignment() {
                Some(Some(alignment)) => within(alignment.duration, bounds),
                Some(None) => Err("not known yet".to_owned()),
                None => Err("no trigger".to_owned()),
            },
            Demand::LastTriggerBytesDuringAlignment(bytes) => match alignment() {
                Some(came) => equal(&came.map(|alignment| alignment.bytes), bytes),
                None => Err("no trigger".to_owned()),
            },
            Demand::LastTriggerWithheldData(ids) => {
                let withheld = match &self.withholding {
                    Some(withholding) => withholding.withheld_at_trigger(),
                    None => &[],
                };
                equal(
                    &self.names(withheld.iter().filter_map(|item| item.arrival)),
                    ids,
                )
            }
            _ => return None,
        })
    }

    /// How many elements arrive in the whole case.
    fn arrivals(&self) -> usize {
        let arrival = |step: &&super::case::Step| matches!(step, super::case::Step::Arrival(_));
        self.case.input.iter().filter(arrival).count()
    }

    fn name(&self, item: Item) -> String {
        match item
            .arrival
            .and_then(|arrival| self.site.record.arrived.get(arrival))
        {
            Some(id) => id.clone(),
            None => show(polled(item)),
        }
    }

    fn names(&self, arrivals: impl Iterator<Item = usize>) -> Vec<String> {
        let ids = &self.site.record.arrived;
        arrivals
            .filter_map(|arrival| ids.get(arrival).cloned())
            .collect()
    }
}

impl Notice {
    fn told(&self) -> Notification {
        match *self {
            Self::Trigger { checkpoint, .. } => Notification::Trigger(checkpoint),
            Self::Abort { checkpoint, .. } => Notification::Abort(checkpoint),
        }
    }
}

fn polled(item: Item) -> Polled {
    match item.content() {
        Content::Data { .. } => Polled::Data,
        Content::Barrier(_) => Polled::Barrier,
        Content::Announcement(_) => Polled::Announcement,
        Content::Cancel(_) => Polled::Cancel,
        Content::EndOfPartition => Polled::EndOfPartition,
    }
}

fn told(reason: barrierscope_core::flink::barrier::Reason) -> Reason {
    use barrierscope_core::flink::barrier::Reason as Core;
    match reason {
        Core::CancellationBarrier => Reason::CancellationBarrier,
        Core::Subsumed => Reason::Subsumed,
        Core::EndOfInput => Reason::EndOfInput,
        Core::AlignmentLimit => Reason::AlignmentLimit,
    }
}

fn options_of(options: Options) -> TriggeredOptions {
    let (alignment, timeout_ms) = match options.alignment() {
        AlignmentType::Aligned => (Alignment::Aligned, None),
        AlignmentType::Timeoutable(timeout) => (Alignment::Aligned, Some(timeout.0)),
        AlignmentType::Unaligned => (Alignment::Unaligned, None),
    };
    TriggeredOptions {
        alignment,
        timeout_ms,
    }
}

fn within(figure: Micros, bounds: &Bounds) -> Result<(), String> {
    let ns = i128::from(figure.0) * 1_000;
    let bounded = bounds.eq.or(bounds.min).or(bounds.max).is_some();
    let met = bounded
        && bounds.eq.is_none_or(|eq| ns == eq)
        && bounds.min.is_none_or(|min| ns >= min)
        && bounds.max.is_none_or(|max| ns <= max);
    demand(met, ns.to_string())
}

fn equal<T: Debug + PartialEq>(came: &T, expected: &T) -> Result<(), String> {
    demand(came == expected, show(came))
}

fn demand(met: bool, came: String) -> Result<(), String> {
    if met { Ok(()) } else { Err(came) }
}

fn show(value: impl Debug) -> String {
    let mut text = String::new();
    let _ = write!(text, "{value:?}");
    text
}

fn nothing() -> String {
    "nothing".to_owned()
}
