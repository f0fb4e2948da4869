//! `cargo xtask dist`: the site as files, for any folder of any web server.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::workspace::Workspace;
use crate::{offline, page, setup};

/// Builds the page into `dist/` and tells its size.
pub(crate) fn dist() -> anyhow::Result<()> {
    let workspace = Workspace::locate()?;
    let toolbox = setup::provide(&workspace, setup::FOR_PAGE.iter().copied())?;
    let folder = workspace.root().join("dist");
    page::build(&workspace, &toolbox, &folder)?;
    print!("\n{}", sizes(&folder)?);
    println!(
        "\nThe site is in {}: copy it into any folder of any web server.",
        folder.display()
    );
    Ok(())
}

/// The size of a file, as it is and as servers send it, in bytes.
#[derive(Debug, Default, PartialEq, Eq)]
struct Size {
    raw: usize,
    gzip: usize,
    brotli: usize,
}

impl Size {
    fn of(content: &[u8]) -> anyhow::Result<Self> {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(content)?;
        let params = brotli::enc::BrotliEncoderParams {
            quality: 11,
            lgwin: 22,
            ..Default::default()
        };
        let mut brotli = Vec::new();
        brotli::BrotliCompress(&mut &content[..], &mut brotli, &params)?;
        Ok(Self {
            raw: content.len(),
            gzip: gzip.finish()?.len(),
            brotli: brotli.len(),
        })
    }

    fn row(&self, name: &str) -> String {
        let Self { raw, gzip, brotli } = self;
        format!(
            "{:>9} {:>9} {:>9}  {name}\n",
            grouped(*raw),
            grouped(*gzip),
            grouped(*brotli)
        )
    }
}

/// A table of all files, WebAssembly among them, and their sum.
pub(crate) fn sizes(folder: &Path) -> anyhow::Result<String> {
    let mut table = format!("{:>9} {:>9} {:>9}  bytes\n", "raw", "gzip", "brotli");
    let mut total = Size::default();
    for file in offline::files(folder)? {
        let content = fs::read(folder.join(&file))
            .with_context(|| format!("cannot read {}", file.display()))?;
        let size = Size::of(&content)?;
        table.push_str(&size.row(&file.to_string_lossy()));
        total.raw += size.raw;
        total.gzip += size.gzip;
        total.brotli += size.brotli;
    }
    table.push_str(&total.row("total"));
    Ok(table)
}

/// A number with its thousands apart: `1,991,379`.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (1_991_379, "1,991,379"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn both_compressions_compress() {
        let size = Size::of(&[b'a'; 10_000]).unwrap();
        assert_eq!(size.raw, 10_000);
        assert!(
            (1..100).contains(&size.gzip) && (1..100).contains(&size.brotli),
            "{size:?}"
        );
    }
}
