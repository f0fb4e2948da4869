//! Whether the faults of a scenario can happen.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::check::{Checked, between, refuse};
use super::delivery::{Delivery, DeliveryBreakage, DeliveryFault};
use super::delivery_check::lasts;
use super::delivery_clients::{RESERVED, transactional_ids};
use crate::time::Millis;

/// What is known of something that may be down, from the faults before.
#[derive(Clone, Copy, Debug, Default)]
struct Standing {
    /// Since when it is stopped.
    stopped: Option<Millis>,
    /// Since when it stands still.
    paused: Option<Millis>,
    /// How often it has been paused and not resumed. Pauses may overlap.
    pauses: u32,
    /// It has crashed, and comes back some time by itself.
    crashed: bool,
}

impl Delivery {
    pub(super) fn check_delivery_faults(&self) -> Checked {
        for (at, fault) in self.faults.schedule.iter().enumerate() {
            lasts(&format!("faults.schedule[{at}].at_ms"), fault.at_ms, 0)?;
            self.check_target(&field_of(at, fault), &fault.what)?;
        }
        self.check_order()?;
        self.check_crash_count()?;
        self.check_messages()
    }

    /// Whether what a fault names is there, and can have it.
    fn check_target(&self, field: &str, what: &DeliveryBreakage) -> Checked {
        let (name, possible) = match what {
            DeliveryBreakage::Crash(name) => (name.as_str(), "a client, a broker or a coordinator"),
            DeliveryBreakage::Stop(name)
            | DeliveryBreakage::Start(name)
            | DeliveryBreakage::Pause(name)
            | DeliveryBreakage::Resume(name) => (name.as_str(), "a client or a broker"),
            DeliveryBreakage::LoseLog(name) => (name.as_str(), "a broker"),
            DeliveryBreakage::StepClockBack => return self.check_coordinator(field),
        };
        let crashes = matches!(what, DeliveryBreakage::Crash(_));
        if crashes && name == RESERVED[0] {
            return self.check_coordinator(field);
        }
        if crashes && name == RESERVED[1] {
            let why = match self.consumers.is_empty() && self.streams.is_empty() {
                true => "there is no consumer group, so that it has nothing to do",
                false => {
                    "the group coordinator cannot crash in this model; `transaction-coordinator` can"
                }
            };
            return refuse(field, why);
        }
        if RESERVED.contains(&name) {
            return refuse(field, &format!("\"{name}\" can only crash"));
        }
        let is_client = self.client_names().contains(&name);
        let client_may = !matches!(what, DeliveryBreakage::LoseLog(_));
        if self.is_broker(name) || is_client && client_may {
            return Ok(());
        }
        let clients = match client_may {
            true => self.client_names(),
            false => Vec::new(),
        };
        let there: Vec<&str> = clients.into_iter().collect();
        refuse(
            field,
            &format!(
                "\"{name}\" is not {possible} here; there are: {}",
                self.brokers_after(&there)
            ),
        )
    }

    /// The names, and the brokers.
    fn brokers_after(&self, names: &[&str]) -> String {
        let brokers = match self.cluster.brokers {
            1 => String::from("broker-1"),
            more => format!("broker-1 to broker-{more}"),
        };
        match names {
            [] => brokers,
            names => format!("{}, {brokers}", names.join(", ")),
        }
    }

    fn is_broker(&self, name: &str) -> bool {
        (1..=self.cluster.brokers).any(|number| name == format!("broker-{number}"))
    }

    /// Whether the transaction coordinator has anything to do.
    fn check_coordinator(&self, field: &str) -> Checked {
        match transactional_ids(self).is_empty() {
            true => refuse(
                field,
                "nothing has a `transactional.id`, so that the transaction coordinator has nothing to do: \
                 give a producer one, or an application exactly_once_v2",
            ),
            false => Ok(()),
        }
    }

    /// Whether each fault can happen after those before it.
    fn check_order(&self) -> Checked {
        let mut faults: Vec<_> = self.faults.schedule.iter().enumerate().collect();
        faults.sort_by_key(|(_, fault)| fault.at_ms);
        let mut known: BTreeMap<&str, Standing> = BTreeMap::new();
        for (at, fault) in faults {
            let (DeliveryBreakage::Crash(name)
            | DeliveryBreakage::Stop(name)
            | DeliveryBreakage::Start(name)
            | DeliveryBreakage::Pause(name)
            | DeliveryBreakage::Resume(name)
            | DeliveryBreakage::LoseLog(name)) = &fault.what
            else {
                continue;
            };
            let standing = known.entry(name).or_default();
            let waits = self.start_of(name) >= fault.at_ms;
            if let Some(why) = standing.objection(fault, waits) {
                return refuse(field_of(at, fault), &why);
            }
            standing.happens(fault);
        }
        Ok(())
    }

    /// When a client starts; brokers are there from the start.
    fn start_of(&self, name: &str) -> Millis {
        let producers = self.producers.iter().map(|it| (&it.name, it.start_ms));
        let consumers = self.consumers.iter().map(|it| (&it.name, it.start_ms));
        let streams = self.streams.iter().map(|it| (&it.name, it.start_ms));
        let mut all = producers.chain(consumers).chain(streams);
        all.find(|(it, _)| *it == name)
            .map_or(Millis(0), |(_, start)| start)
    }

    fn check_crash_count(&self) -> Checked {
        let breaks = |fault: &&DeliveryFault| {
            !matches!(
                fault.what,
                DeliveryBreakage::Start(_) | DeliveryBreakage::Resume(_)
            )
        };
        let count = self.faults.schedule.iter().filter(breaks).count();
        let most = self.faults.max_crashes;
        if count > usize::from(most) {
            return refuse(
                "faults.max_crashes",
                &format!(
                    "{most} is less than the {count} crashes, stops, pauses, lost logs and clock steps in faults.schedule"
                ),
            );
        }
        Ok(())
    }

    fn check_messages(&self) -> Checked {
        let clients = self.client_names();
        for (at, fault) in self.faults.messages.iter().enumerate() {
            let field = |name: &str| format!("faults.messages[{at}].{name}");
            if !clients.contains(&fault.client.as_str()) {
                return refuse(
                    field("client"),
                    &format!(
                        "there is no client \"{}\"; there are: {}",
                        fault.client,
                        clients.join(", ")
                    ),
                );
            }
            between(&field("number"), u64::from(fault.number), 1, 10_000)?;
            between(&field("count"), u64::from(fault.count), 1, 10_000)?;
            if let Some(delay) = fault.delay_ms {
                lasts(&field("delay_ms"), delay, 1)?;
            }
        }
        Ok(())
    }
}

impl Standing {
    /// Why a fault cannot happen now, where that is certain. What waits has not started yet.
    fn objection(&self, fault: &DeliveryFault, waits: bool) -> Option<String> {
        let at = fault.at_ms.0;
        match &fault.what {
            DeliveryBreakage::Crash(name)
            | DeliveryBreakage::Stop(name)
            | DeliveryBreakage::Pause(name)
                if let Some(since) = self.stopped =>
            {
                Some(format!(
                    "\"{name}\" is stopped since {} ms: start it before",
                    since.0
                ))
            }
            DeliveryBreakage::Stop(name) if let Some(since) = self.paused => Some(format!(
                "\"{name}\" stands still since {} ms: resume it before",
                since.0
            )),
            DeliveryBreakage::Resume(name) if self.pauses == 0 => Some(format!(
                "\"{name}\" does not stand still at {at} ms: pause it before"
            )),
            DeliveryBreakage::Start(name) if self.stopped.is_none() && !self.crashed && !waits => {
                Some(format!(
                    "\"{name}\" runs at {at} ms: stop it or let it crash before"
                ))
            }
            DeliveryBreakage::LoseLog(name) if self.stopped.is_none() && !self.crashed => {
                Some(format!(
                    "\"{name}\" runs at {at} ms, and a broker loses its log while it is down: stop it or let it crash before"
                ))
            }
            _ => None,
        }
    }

    fn happens(&mut self, fault: &DeliveryFault) {
        match fault.what {
            DeliveryBreakage::Crash(_) => {
                self.crashed = true;
                self.paused = None;
            }
            DeliveryBreakage::Stop(_) => self.stopped = Some(fault.at_ms),
            DeliveryBreakage::Start(_) => {
                self.stopped = None;
                self.crashed = false;
            }
            DeliveryBreakage::Pause(_) => {
                self.pauses += 1;
                self.paused = self.paused.or(Some(fault.at_ms));
            }
            DeliveryBreakage::Resume(_) => {
                self.pauses = self.pauses.saturating_sub(1);
                if self.pauses == 0 {
                    self.paused = None;
                }
            }
            DeliveryBreakage::LoseLog(_) | DeliveryBreakage::StepClockBack => {}
        }
    }
}

/// The path of a fault in the schedule.
fn field_of(at: usize, fault: &DeliveryFault) -> String {
    let kind = match fault.what {
        DeliveryBreakage::Crash(_) => "crash",
        DeliveryBreakage::Stop(_) => "stop",
        DeliveryBreakage::Start(_) => "start",
        DeliveryBreakage::Pause(_) => "pause",
        DeliveryBreakage::Resume(_) => "resume",
        DeliveryBreakage::LoseLog(_) => "lose_log",
        DeliveryBreakage::StepClockBack => "step_clock_back",
    };
    format!("faults.schedule[{at}].{kind}")
}
