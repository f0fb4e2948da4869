//! Versions as tools print them, and whether they fit.

use std::fmt;

/// The first three numbers of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version(pub(super) u32, pub(super) u32, pub(super) u32);

impl Version {
    /// The first version in what a tool says of itself: `wasm-opt version 132 (version_132)`.
    pub(super) fn find(text: &str) -> Option<Self> {
        text.split_whitespace().find_map(Self::parse)
    }

    fn parse(word: &str) -> Option<Self> {
        // What follows a hyphen or a plus sign (a pre-release, a build) makes no difference here.
        let numbers = word.split(['-', '+']).next()?;
        let mut parts = numbers.split('.').map(|part| part.parse().ok());
        let major = parts.next()??;
        let mut next = || parts.next().unwrap_or(Some(0));
        Some(Self(major, next()?, next()?))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// Which versions of a tool do.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fit {
    /// This one and no other.
    Exactly(Version),
    /// This one or a later correction of it.
    Patch(Version),
    /// This one or any later.
    AtLeast(Version),
}

impl Fit {
    /// Whether a version does.
    pub(super) fn admits(self, found: Version) -> bool {
        match self {
            Self::Exactly(wanted) => found == wanted,
            Self::Patch(wanted) => found >= wanted && (found.0, found.1) == (wanted.0, wanted.1),
            Self::AtLeast(wanted) => found >= wanted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_tools_say() {
        let found = |text| Version::find(text);
        assert_eq!(found("wasm-bindgen 0.2.130\n"), Some(Version(0, 2, 130)));
        assert_eq!(
            found("wasm-opt version 132 (version_132)"),
            Some(Version(132, 0, 0))
        );
        assert_eq!(found("trunk 0.22.0-beta.1"), Some(Version(0, 22, 0)));
        assert_eq!(
            found("Chromium 156.0.8078.108 built on Debian"),
            Some(Version(156, 0, 8078))
        );
        assert_eq!(
            found("ChromeDriver 156.0.8078.108 (730482a940ce25ae)"),
            Some(Version(156, 0, 8078))
        );
        assert_eq!(found("command not found"), None);
        assert_eq!(found(""), None);
        assert_eq!(found("1.x.2"), None);
    }

    #[test]
    fn a_fit_is_as_strict_as_it_says() {
        let wanted = Version(0, 21, 14);
        for (found, exactly, patch, at_least) in [
            (Version(0, 21, 13), false, false, false),
            (Version(0, 21, 14), true, true, true),
            (Version(0, 21, 15), false, true, true),
            (Version(0, 22, 0), false, false, true),
            (Version(1, 21, 14), false, false, true),
        ] {
            assert_eq!(Fit::Exactly(wanted).admits(found), exactly, "{found}");
            assert_eq!(Fit::Patch(wanted).admits(found), patch, "{found}");
            assert_eq!(Fit::AtLeast(wanted).admits(found), at_least, "{found}");
        }
    }
}
