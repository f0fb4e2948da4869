//! The conformance cases: what Flink's own unit tests demand of barrier handling, held against the core.
//!
//! | module | its story |
//! | --- | --- |
//! | [`case`] | what a case file says, and nothing that it does not know |
//! | `bench` | a handler and a gate on a bench: what a step does, and what is written down about it |
//! | `check` | whether what is written down is what was expected |
//!
//! No rule of the protocol is in here: handlers, queues and measures are the core's. The README beside
//! the cases says what steps and expectations mean; its sections are named where they are carried out.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use self::bench::Bench;
use self::case::Case;

mod bench;
pub mod case;
mod check;

/// What came of many cases.
#[derive(Debug, Default)]
pub struct Report {
    /// How many gave what was expected.
    pub passed: usize,
    /// The others.
    pub failures: Vec<Failure>,
}

/// A case that did not give what was expected. The rest of it was not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The file that the case is in.
    pub file: String,
    /// The case.
    pub case: String,
    /// Where it went wrong.
    pub mismatch: Mismatch,
}

/// Something else than was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// After which step, from 0; none if before the first.
    pub step: Option<usize>,
    /// What was expected, in the words of the case where it is an expectation of the case.
    pub expected: String,
    /// What came instead.
    pub came: String,
}

/// Cases that could not be run.
#[derive(Debug)]
pub enum Error {
    /// The folder or a file in it cannot be read.
    Unreadable {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file is no JSON, or not what a case file is.
    Malformed {
        /// Which file.
        file: String,
        /// Where in it: a path, a line and a column, or a case.
        place: String,
        /// What is wrong there.
        problem: String,
    },
    /// The folder holds no case file.
    NoCases {
        /// Which folder.
        folder: PathBuf,
    },
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: ", self.file, self.case)?;
        match self.mismatch.step {
            Some(step) => write!(f, "step {step}")?,
            None => f.write_str("before the first step")?,
        }
        write!(
            f,
            "\n  expected {}\n  came     {}",
            self.mismatch.expected, self.mismatch.came
        )
    }
}

impl fmt::Display for Report {
    /// Every failure, and a last line that says how many there are.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for failure in &self.failures {
            writeln!(f, "{failure}")?;
        }
        write!(f, "{} passed, {} failed", self.passed, self.failures.len())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { path, source } => {
                write!(f, "cannot read {}: {source}", path.display())
            }
            Self::Malformed {
                file,
                place,
                problem,
            } => write!(f, "{file}: {place}: {problem}"),
            Self::NoCases { folder } => write!(f, "there is no case file in {}", folder.display()),
        }
    }
}

impl std::error::Error for Error {}

/// Runs the cases of every file in a folder whose name ends in `.json` and that is a list. Other JSON
/// files, as the schema of the cases, are none of our business.
///
/// # Errors
/// [`Error`] if the folder or a file cannot be read, if one is malformed, or if there is no case file.
pub fn run_folder(folder: &Path) -> Result<Report, Error> {
    let mut report = Report::default();
    let mut any = false;
    for path in json_files(folder)? {
        let text = fs::read_to_string(&path).map_err(|source| Error::Unreadable {
            path: path.clone(),
            source,
        })?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if is_case_file(&name, &text)? {
            any = true;
            report.add(run_file(&name, &text)?);
        }
    }
    if any {
        Ok(report)
    } else {
        Err(Error::NoCases {
            folder: folder.to_owned(),
        })
    }
}

/// Runs the cases of one file.
///
/// # Errors
/// [`Error::Malformed`] if the text is not a list of cases, or if a case contradicts itself.
pub fn run_file(file: &str, text: &str) -> Result<Report, Error> {
    let cases = parse(file, text)?;
    let mut report = Report::default();
    let mut ids = BTreeSet::new();
    for case in &cases {
        if !ids.insert(&case.id) {
            return Err(malformed(file, &case.id, "two cases have this id"));
        }
        case.validate()
            .map_err(|problem| malformed(file, &case.id, problem))?;
        match run_case(case) {
            Ok(()) => report.passed += 1,
            Err(mismatch) => report.failures.push(Failure {
                file: file.to_owned(),
                case: case.id.clone(),
                mismatch,
            }),
        }
    }
    Ok(report)
}

/// Runs one case.
///
/// # Errors
/// [`Mismatch`]: the first that something else came than was expected.
pub fn run_case(case: &Case) -> Result<(), Mismatch> {
    let mut bench = Bench::new(case);
    bench.check_after(None)?;
    for step in 0..case.input.len() {
        bench.perform(step)?;
        bench.check_after(Some(step))?;
    }
    Ok(())
}

impl Report {
    fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failures.extend(other.failures);
    }
}

fn json_files(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let unreadable = |source| Error::Unreadable {
        path: folder.to_owned(),
        source,
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "json")
            && path.is_file()
        {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Whether a JSON text is a list.
fn is_case_file(file: &str, text: &str) -> Result<bool, Error> {
    let value: serde_json::Value = serde_json::from_str(text)
        .map_err(|error| malformed(file, place_of(&error), problem_of(&error)))?;
    Ok(value.is_array())
}

fn parse(file: &str, text: &str) -> Result<Vec<Case>, Error> {
    let deserializer = &mut serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(deserializer).map_err(|error| {
        let place = format!("{}, {}", error.path(), place_of(error.inner()));
        malformed(file, place, problem_of(error.inner()))
    })
}

fn malformed(file: &str, place: impl Into<String>, problem: impl Into<String>) -> Error {
    Error::Malformed {
        file: file.to_owned(),
        place: place.into(),
        problem: problem.into(),
    }
}

fn place_of(error: &serde_json::Error) -> String {
    format!("line {}, column {}", error.line(), error.column())
}

/// What the error says, without the place that it says too.
fn problem_of(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
