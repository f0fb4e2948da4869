//! `cargo xtask matrix`: what becomes of a record at every crash point of a job that writes to Kafka.

use barrierscope_core::kafka::log::IsolationLevel;
use barrierscope_core::models::pipeline::fault_matrix::{CrashPoint, READERS, SINKS, cell};
use barrierscope_core::symptom::Symptom;

/// Runs every cell and prints the table.
pub(crate) fn matrix() -> anyhow::Result<()> {
    let mut heads = vec!["crash point".to_owned()];
    for sink in SINKS {
        for reader in READERS {
            let reader = match reader {
                IsolationLevel::ReadUncommitted => "uncommitted",
                IsolationLevel::ReadCommitted => "committed",
            };
            heads.push(format!("{sink:?} {reader}"));
        }
    }
    println!("{}", line(&heads));
    for point in CrashPoint::ALL {
        let mut row = vec![point.title().to_owned()];
        for sink in SINKS {
            for reader in READERS {
                let cell = cell(point, sink, reader);
                let cell = cell.ok_or_else(|| anyhow::anyhow!("{point:?} does not start"))?;
                row.push(word(cell.symptom).to_owned());
            }
        }
        println!("{}", line(&row));
    }
    Ok(())
}

fn line(cells: &[String]) -> String {
    let cells = cells.iter().enumerate().map(|(column, cell)| {
        let width = if column == 0 { 88 } else { 25 };
        format!("{cell:<width$}")
    });
    cells.collect::<String>().trim_end().to_owned()
}

const fn word(symptom: Symptom) -> &'static str {
    match symptom {
        Symptom::Ok => "exactly once",
        Symptom::Loss => "loss",
        Symptom::Duplicates => "duplicates",
        Symptom::Both => "loss and duplicates",
        Symptom::Stuck => "stuck",
        Symptom::Fenced => "fenced",
        Symptom::Miscounted => "miscounted",
    }
}
