use alloc::string::ToString;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::Record;

/// A data set that comes with the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Dataset {
    /// Cumulative confirmed COVID-19 cases of 190 countries on 2020-04-14, in the order of their names,
    /// in all 1,991,379. Source: Johns Hopkins CSSE, as collated in the DataHub core data sets (ODC-PDDL).
    #[serde(rename = "confirmed-2020-04-14")]
    Confirmed20200414,
}

impl Dataset {
    /// Its records.
    pub fn records(self) -> Vec<Record> {
        let csv = match self {
            Self::Confirmed20200414 => include_str!("../../../data/confirmed-2020-04-14.csv"),
        };
        let mut records: Vec<Record> = csv.lines().skip(1).filter_map(row).collect();
        records.sort_by(|a, b| a.key.cmp(&b.key));
        records
    }

    /// Whom to credit where the data is shown.
    pub fn credit(self) -> &'static str {
        match self {
            Self::Confirmed20200414 => "Johns Hopkins CSSE",
        }
    }
}

/// A row of two columns; a name that holds a comma stands in quotes.
fn row(line: &str) -> Option<Record> {
    let (key, value) = line.rsplit_once(',')?;
    Some(Record {
        key: key.trim_matches('"').to_string(),
        value: value.trim().parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_is_complete() {
        let records = Dataset::Confirmed20200414.records();
        assert_eq!(records.len(), 190);
        let total: u32 = records.iter().map(|record| record.value).sum();
        assert_eq!(total, 1_991_379);
        assert!(
            records
                .iter()
                .any(|r| r.key == "Korea, South" && r.value == 10_564)
        );
    }
}
