//! The service worker that lets a built page work without a network.
//!
//! It has to name every file of the page, so it is made after the page: [`add`] lists what is there, with hashes, fills
//! in the template and lets index.html register it. A page built for development goes without, because a stored copy
//! of it would only be in the way.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use sha2::{Digest as _, Sha256};

const TEMPLATE: &str = include_str!("../page/sw.js");
const SCRIPT: &str = "sw.js";
const INDEX: &str = "index.html";

/// The address is relative, so that the worker's scope is the folder that the page is in.
const REGISTRATION: &str = r#"<script>
      if ("serviceWorker" in navigator) {
        addEventListener("load", () => {
          navigator.serviceWorker.register("sw.js").catch((error) => console.info("No offline copy:", error));
        });
      }
    </script>
  </body>"#;

/// A file of the page, as the service worker stores it.
#[derive(Debug, PartialEq, Eq)]
struct Stored {
    /// Relative to the page's folder, percent-encoded.
    address: String,
    /// In the notation of subresource integrity.
    hash: String,
}

/// Adds the service worker to the page in a folder.
pub(crate) fn add(page: &Path) -> anyhow::Result<()> {
    let index = page.join(INDEX);
    let html =
        fs::read_to_string(&index).with_context(|| format!("cannot read {}", index.display()))?;
    fs::write(&index, registered(&html)?)?;
    let script = page.join(SCRIPT);
    fs::write(&script, service_worker(&stored(page)?))
        .with_context(|| format!("cannot write {}", script.display()))
}

/// All files under a folder, relative to it, in order.
pub(crate) fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    fn visit(folder: &Path, within: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
        for entry in fs::read_dir(folder.join(within))? {
            let entry = entry?;
            let name = within.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                visit(folder, &name, found)?;
            } else {
                found.push(name);
            }
        }
        Ok(())
    }
    let mut found = Vec::new();
    visit(folder, Path::new(""), &mut found)
        .with_context(|| format!("cannot list {}", folder.display()))?;
    found.sort();
    Ok(found)
}

fn registered(html: &str) -> anyhow::Result<String> {
    let Some((before, after)) = html.rsplit_once("</body>") else {
        bail!("{INDEX} has no </body>, before which the service worker could be registered");
    };
    Ok(format!(
        "{}{REGISTRATION}{after}",
        before.trim_end_matches(' ')
    ))
}

fn stored(page: &Path) -> anyhow::Result<Vec<Stored>> {
    let files = files(page)?
        .into_iter()
        .filter(|file| file != Path::new(SCRIPT));
    files
        .map(|file| {
            let content = fs::read(page.join(&file))
                .with_context(|| format!("cannot read {}", file.display()))?;
            let address = if file == Path::new(INDEX) {
                "./".to_owned()
            } else {
                address(&file)
            };
            Ok(Stored {
                address,
                hash: format!("sha256-{}", base64(&Sha256::digest(&content))),
            })
        })
        .collect()
}

/// A relative path as an address, with all that could mean something else in one encoded.
fn address(file: &Path) -> String {
    let mut address = String::new();
    for part in file {
        if !address.is_empty() {
            address.push('/');
        }
        for byte in part.to_string_lossy().bytes() {
            if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                address.push(byte.into());
            } else {
                address.push_str(&format!("%{byte:02X}"));
            }
        }
    }
    address
}

fn service_worker(files: &[Stored]) -> String {
    let mut digest = Sha256::new();
    let mut list = Vec::new();
    for Stored { address, hash } in files {
        digest.update(format!("{address} {hash}\n"));
        list.push(format!("[\"{address}\", \"{hash}\"],"));
    }
    // Enough of the hash to tell releases apart.
    let release: String = digest.finalize()[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    TEMPLATE
        .replace("@RELEASE@", &release)
        .replace("@FILES@", &list.join("\n  "))
}

/// Base64 with padding, which is how subresource integrity writes hashes.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk
            .iter()
            .enumerate()
            .fold(0, |bits, (i, byte)| bits | u32::from(*byte) << (16 - 8 * i));
        for i in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * i)) as usize & 63];
            text.push(if i <= chunk.len() { digit.into() } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(address: &str, hash: &str) -> Stored {
        Stored {
            address: address.into(),
            hash: hash.into(),
        }
    }

    fn release(files: &[Stored]) -> String {
        let script = service_worker(files);
        script
            .split_once("RELEASE = \"")
            .unwrap()
            .1
            .split_once('"')
            .unwrap()
            .0
            .to_owned()
    }

    #[test]
    fn base64_is_as_the_standard_has_it() {
        for (text, encoded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
        ] {
            assert_eq!(base64(text.as_bytes()), encoded);
        }
        assert_eq!(base64(&[0xfb, 0xff, 0xfe]), "+//+");
    }

    #[test]
    fn addresses_mean_the_file_and_nothing_else() {
        assert_eq!(address(Path::new("app-1f.js")), "app-1f.js");
        assert_eq!(
            address(&Path::new("snippets").join("a b#?.js")),
            "snippets/a%20b%23%3F.js"
        );
        assert_eq!(address(Path::new("é\".js")), "%C3%A9%22.js");
    }

    #[test]
    fn a_release_has_a_name_of_its_own() {
        let one = [stored("./", "sha256-a"), stored("app.js", "sha256-b")];
        let same = [stored("./", "sha256-a"), stored("app.js", "sha256-b")];
        let changed = [stored("./", "sha256-a"), stored("app.js", "sha256-c")];
        let renamed = [stored("./", "sha256-a"), stored("apq.js", "sha256-b")];
        assert_eq!(release(&one), release(&same));
        assert_ne!(release(&one), release(&changed));
        assert_ne!(release(&one), release(&renamed));
        assert_eq!(release(&one).len(), 16);
    }

    #[test]
    fn a_page_gets_a_worker_that_stores_every_file_but_itself() {
        let page =
            std::env::temp_dir().join(format!("barrierscope-offline-{}", std::process::id()));
        fs::create_dir_all(page.join("snippets")).unwrap();
        for (file, content) in [
            ("index.html", "<body>\n    text\n  </body>\n"),
            ("app.js", "1"),
            ("sw.js", "of an older build"),
            ("snippets/inline.js", "2"),
        ] {
            fs::write(page.join(file), content).unwrap();
        }
        add(&page).unwrap();
        let script = fs::read_to_string(page.join("sw.js")).unwrap();
        let html = fs::read_to_string(page.join("index.html")).unwrap();
        fs::remove_dir_all(&page).unwrap();

        let files: Vec<_> = script
            .lines()
            .filter_map(|line| line.trim().strip_prefix("[\"")?.split('"').next())
            .collect();
        assert_eq!(files, ["app.js", "./", "snippets/inline.js"]);
        assert!(
            script
                .contains(r#"["app.js", "sha256-a4ayc/80/OGda4BO/1o/V0etpOqiLx1JwB5S3beHW0s="],"#)
        );
        assert!(!script.contains('@'), "a placeholder is left");
        assert!(html.contains(r#"register("sw.js")"#));
        assert!(html.ends_with("</script>\n  </body>\n"));
        // The hash is of index.html as it is served.
        let hash = format!("sha256-{}", base64(&Sha256::digest(html.as_bytes())));
        assert!(script.contains(&format!("[\"./\", \"{hash}\"]")));
    }

    #[test]
    fn a_page_without_a_body_is_refused() {
        assert!(registered("<p>nothing").is_err());
    }
}
