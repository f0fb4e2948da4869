//! `cargo xtask conform`: the conformance cases, held against the core.

use std::path::PathBuf;
use std::process::ExitCode;

use barrierscope_tests::conformance;
use lexopt::Arg;

use crate::workspace::Workspace;

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// Where the case files are; the project's own without one.
    folder: Option<PathBuf>,
}

impl Options {
    /// Reads `[DIR]`.
    pub(crate) fn parse(args: &mut lexopt::Parser) -> Result<Self, lexopt::Error> {
        let mut options = Self { folder: None };
        while let Some(arg) = args.next()? {
            match arg {
                Arg::Value(folder) if options.folder.is_none() => {
                    options.folder = Some(folder.into());
                }
                _ => return Err(arg.unexpected()),
            }
        }
        Ok(options)
    }
}

/// Runs the cases, prints what failed and, as the last line, how many passed and failed.
pub(crate) fn conform(options: &Options) -> anyhow::Result<ExitCode> {
    let folder = match &options.folder {
        Some(folder) => folder.clone(),
        None => Workspace::locate()?.root().join("tests/conformance"),
    };
    let report = conformance::run_folder(&folder)?;
    println!("{report}");
    Ok(if report.failures.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &[&str]) -> Result<Options, lexopt::Error> {
        Options::parse(&mut lexopt::Parser::from_args(line))
    }

    #[test]
    fn at_most_one_folder() {
        assert_eq!(parse(&[]).unwrap(), Options { folder: None });
        let cases = Some("cases".into());
        assert_eq!(parse(&["cases"]).unwrap(), Options { folder: cases });
        assert!(parse(&["cases", "more"]).is_err());
        assert!(parse(&["--all"]).is_err());
    }

    #[test]
    fn a_folder_that_is_missing_is_an_error() {
        let options = parse(&["there/is/no/such/folder"]).unwrap();
        let error = conform(&options).unwrap_err().to_string();
        assert!(error.contains("there/is/no/such/folder"), "{error}");
    }
}
