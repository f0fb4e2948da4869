//! Whether records flow through a scenario in a way that can be judged: who reads and writes which topic,
//! and who shares a group or a transactional id.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::check::{Checked, refuse};
use super::delivery::{Delivery, StreamsApp};
use super::delivery_clients::transactional_ids;

impl Delivery {
    pub(super) fn check_flow(&self) -> Checked {
        for (at, app) in self.streams.iter().enumerate() {
            let field = |name: &str| format!("streams[{at}].{name}");
            self.check_instance(at, app, &field)?;
            self.check_branch(at, app, &field)?;
        }
        self.check_circles()?;
        self.check_groups()?;
        self.check_ids()
    }

    /// All instances of an application do the same.
    fn check_instance(
        &self,
        at: usize,
        app: &StreamsApp,
        field: &dyn Fn(&str) -> String,
    ) -> Checked {
        let mut before = self.streams.iter().take(at);
        let Some(first) = before.find(|it| it.application_id == app.application_id) else {
            return Ok(());
        };
        let differs = [
            ("input", app.input != first.input),
            ("output", app.output != first.output),
            ("store", app.store != first.store),
        ];
        match differs.into_iter().find(|(_, differs)| *differs) {
            Some((name, _)) => refuse(
                field(name),
                &format!(
                    "\"{}\" and \"{}\" are instances of one application, \"{}\": both need the same \
                     `{name}`; another application needs another application.id",
                    first.name, app.name, app.application_id
                ),
            ),
            None => Ok(()),
        }
    }

    /// A record goes one way: the verdict follows each from its producer to its reader.
    fn check_branch(&self, at: usize, app: &StreamsApp, field: &dyn Fn(&str) -> String) -> Checked {
        let mut before = self.streams.iter().take(at);
        let other =
            before.find(|it| it.input == app.input && it.application_id != app.application_id);
        match other {
            Some(other) => refuse(
                field("input"),
                &format!(
                    "the application \"{}\" reads \"{}\" too: here a record goes one way, so only one \
                     application reads a topic; give each a topic of its own",
                    other.application_id, app.input
                ),
            ),
            None => Ok(()),
        }
    }

    /// No record comes back to where it was.
    fn check_circles(&self) -> Checked {
        for (at, app) in self.streams.iter().enumerate() {
            let mut way = Vec::from([app.input.as_str()]);
            let mut topic = app.output.as_str();
            while !way.contains(&topic) {
                way.push(topic);
                let Some(next) = self.streams.iter().find(|it| it.input == topic) else {
                    break;
                };
                topic = &next.output;
            }
            if topic == app.input {
                way.push(topic);
                return refuse(
                    format!("streams[{at}].output"),
                    &format!(
                        "the topics run in a circle, {}: a record would go round for ever; the last \
                         application has to write another topic",
                        way.join(" → ")
                    ),
                );
            }
        }
        Ok(())
    }

    fn check_groups(&self) -> Checked {
        for (at, app) in self.consumers.iter().enumerate() {
            let group = &app.config.group;
            let mut applications = self.streams.iter();
            if applications.any(|it| it.application_id == *group) {
                return refuse(
                    format!("consumers[{at}].config.group.id"),
                    &format!(
                        "\"{group}\" is an application.id, and Streams uses that as the group.id of its \
                         consumers: this one would take partitions from it; it needs another group"
                    ),
                );
            }
            let mut before = self.consumers.iter().take(at);
            if let Some(other) =
                before.find(|it| it.config.group == *group && it.topic != app.topic)
            {
                return refuse(
                    format!("consumers[{at}].topic"),
                    &format!(
                        "\"{}\" reads \"{}\" in the same group, \"{group}\": here all consumers of a \
                         group read one topic; give this one another group.id",
                        other.name, other.topic
                    ),
                );
            }
        }
        Ok(())
    }

    /// Producers may share an id: one fences the other. Streams makes ids of its own, and two applications
    /// would fence each other for ever.
    fn check_ids(&self) -> Checked {
        let ids = transactional_ids(self);
        for (at, (field, id)) in ids.iter().enumerate() {
            let Some((other, _)) = ids.iter().take(at).find(|(_, it)| it == id) else {
                continue;
            };
            if field.starts_with("streams") {
                return refuse(
                    field.clone(),
                    &format!(
                        "with the name of the instance it makes the transactional.id \"{id}\", which is \
                         that of {other} already: the two would fence each other; change one of them"
                    ),
                );
            }
        }
        Ok(())
    }
}
