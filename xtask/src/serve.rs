//! `cargo xtask serve`: the page on this machine, for whoever is at it.

use std::fs;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};
use lexopt::{Arg, ValueExt as _};
use tiny_http::{Header, Method, Request, Response, Server};

use crate::report::Spoken;
use crate::workspace::Workspace;
use crate::{page, setup};

const USUAL_PORT: u16 = 8080;
/// How many ports after the usual one are tried.
const FURTHER_PORTS: u16 = 100;
/// A browser opens about six connections at a time.
const THREADS: usize = 8;

/// What the command line asks for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// This port and no other.
    port: Option<u16>,
    /// Show the page in the user's browser.
    open: bool,
    /// Build without optimisation, and again after each change.
    dev: bool,
}

impl Options {
    /// Reads `[--port N] [--open] [--dev]`.
    pub(crate) fn parse(args: &mut lexopt::Parser) -> Result<Self, lexopt::Error> {
        let mut options = Self::default();
        while let Some(arg) = args.next()? {
            match arg {
                Arg::Long("port") => options.port = Some(args.value()?.parse()?),
                Arg::Long("open") => options.open = true,
                Arg::Long("dev") => options.dev = true,
                _ => return Err(arg.unexpected()),
            }
        }
        Ok(options)
    }
}

/// Builds the page and serves it until it is stopped.
pub(crate) fn serve(options: Options) -> anyhow::Result<()> {
    // Before the build, so that a port that is taken does not turn out to be so after minutes.
    let listener = listen(options.port)?;
    let address = listener.local_addr()?;
    let workspace = Workspace::locate()?;
    if options.dev {
        drop(listener);
        return serve_development(&workspace, address, options.open);
    }
    let toolbox = setup::provide(&workspace, setup::FOR_PAGE.iter().copied())?;
    let folder = page::folder(&workspace);
    page::build(&workspace, &toolbox, &folder)?;
    let server = Server::from_listener(listener, None)
        .map_err(|error| anyhow!(error).context("cannot serve"))?;
    announce(address, options.open);
    answer_all(&server, &folder);
    Ok(())
}

/// Lets Trunk build, watch and serve.
fn serve_development(workspace: &Workspace, address: SocketAddr, open: bool) -> anyhow::Result<()> {
    let toolbox = setup::provide(workspace, setup::FOR_DEV_PAGE.iter().copied())?;
    let mut command = page::dev_server(workspace, &toolbox, address.port())?;
    println!(
        "Building the page without optimisation, about 1 min on two cores the first time; then seconds a change"
    );
    let start = std::time::Instant::now();
    let mut trunk = command.spawn().context("cannot start Trunk")?;
    // It answers when the first build is done.
    while TcpStream::connect(address).is_err() {
        if let Some(status) = trunk.try_wait()? {
            bail!("Trunk has ended ({status})");
        }
        thread::sleep(Duration::from_millis(200));
    }
    println!("  ready after {}", Spoken(start.elapsed()));
    announce(address, open);
    let status = trunk.wait()?;
    if !status.success() {
        bail!("Trunk has ended ({status})");
    }
    Ok(())
}

/// Takes the port asked for, or the usual one or the next that is free.
fn listen(port: Option<u16>) -> anyhow::Result<TcpListener> {
    let bind = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    if let Some(port) = port {
        return bind(port).map_err(|error| match error.kind() {
            ErrorKind::AddrInUse => anyhow!(
                "port {port} is taken by another program: name another one, or none to get the next one that is free"
            ),
            _ => anyhow!(error).context(format!("cannot serve on port {port}")),
        });
    }
    first_free(USUAL_PORT..=USUAL_PORT + FURTHER_PORTS, bind)
}

/// The first port that can be had. Whatever keeps one from being had, the next may be free of it.
fn first_free<T>(
    ports: std::ops::RangeInclusive<u16>,
    bind: impl Fn(u16) -> std::io::Result<T>,
) -> anyhow::Result<T> {
    let (first, last) = (*ports.start(), *ports.end());
    let mut failure = None;
    for port in ports {
        match bind(port) {
            Ok(listener) => return Ok(listener),
            Err(error) => failure = Some(error),
        }
    }
    Err(failure.map_or_else(|| anyhow!("no port to try"), anyhow::Error::from))
        .with_context(|| format!("no port from {first} to {last} can be had: name one with --port"))
}

/// The address on a line of its own, after all else.
fn announce(address: SocketAddr, open: bool) {
    println!("\nBarrierscope is served until you press Ctrl-C, at\n\nhttp://{address}");
    if open && let Err(error) = open::that_detached(format!("http://{address}/")) {
        println!("\nNo browser could be opened ({error}): open the address by hand.");
    }
}

/// Answers requests for the files of a folder, for ever.
fn answer_all(server: &Server, folder: &Path) {
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for request in server.incoming_requests() {
                    // Who has gone away need not be told anything.
                    let _ = answer(request, folder);
                }
            });
        }
    });
}

fn answer(request: Request, folder: &Path) -> std::io::Result<()> {
    let (status, kind, body) = match request.method() {
        Method::Get | Method::Head => match file(folder, request.url()) {
            Some(file) => match fs::read(&file) {
                Ok(content) => (200, media_type(&file), content),
                Err(_) => plain(404, "not found\n"),
            },
            None => plain(404, "not found\n"),
        },
        _ => plain(405, "only GET and HEAD\n"),
    };
    let mut response = Response::from_data(body)
        .with_status_code(status)
        .with_chunked_threshold(usize::MAX);
    for (name, value) in [
        ("Content-Type", kind),
        ("X-Content-Type-Options", "nosniff"),
        // The next build has other files under the same names.
        ("Cache-Control", "no-cache"),
    ] {
        response.add_header(Header::from_bytes(name, value).map_err(|()| ErrorKind::InvalidInput)?);
    }
    request.respond(response)
}

fn plain(status: u16, text: &str) -> (u16, &'static str, Vec<u8>) {
    (status, "text/plain; charset=utf-8", text.into())
}

/// The file in a folder that an address means, if it is one that lies there.
fn file(folder: &Path, url: &str) -> Option<PathBuf> {
    let file = folder.join(relative(url)?);
    // A link could lead elsewhere.
    let file = file.canonicalize().ok()?;
    (file.starts_with(folder.canonicalize().ok()?) && file.is_file()).then_some(file)
}

/// The path below the page's folder that an address means. `None` for one that would lead out of it.
fn relative(url: &str) -> Option<PathBuf> {
    let path = url.split(['?', '#']).next()?.strip_prefix('/')?;
    let path = if path.is_empty() { "index.html" } else { path };
    path.split('/')
        .map(|segment| {
            let segment = decoded(segment)?;
            let safe = !segment.is_empty()
                && !segment.starts_with('.')
                && !segment.contains(['/', '\\', ':', '\0']);
            safe.then_some(segment)
        })
        .collect()
}

/// Resolves percent-encoding.
fn decoded(segment: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = segment.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                let (high, low) = (digit()?, digit()?);
                u8::try_from(high * 16 + low).ok()?
            }
            _ => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

/// What a browser has to be told that a file is.
fn media_type(file: &Path) -> &'static str {
    let extension = file
        .extension()
        .and_then(|extension| extension.to_str())
        .unwrap_or_default();
    match extension.to_ascii_lowercase().as_str() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json; charset=utf-8",
        "webmanifest" => "application/manifest+json; charset=utf-8",
        "txt" => "text/plain; charset=utf-8",
        "csv" => "text/csv; charset=utf-8",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml; charset=utf-8",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};

    use super::*;

    #[test]
    fn the_command_line_is_read() {
        let parse = |line: &[&str]| Options::parse(&mut lexopt::Parser::from_args(line));
        assert_eq!(parse(&[]).unwrap(), Options::default());
        let all = Options {
            port: Some(9000),
            open: true,
            dev: true,
        };
        assert_eq!(parse(&["--dev", "--port=9000", "--open"]).unwrap(), all);
        for wrong in [
            ["--port", "99999"],
            ["--port", "http"],
            ["--fast", "1"],
            ["extra", "word"],
        ] {
            assert!(parse(&wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn the_next_free_port_is_taken() {
        let busy = |taken: u16| {
            move |port: u16| {
                if port < taken {
                    Err(ErrorKind::AddrInUse.into())
                } else {
                    Ok(port)
                }
            }
        };
        assert_eq!(first_free(8080..=8180, busy(0)).unwrap(), 8080);
        assert_eq!(first_free(8080..=8180, busy(8083)).unwrap(), 8083);
        let error = first_free(8080..=8180, busy(9000)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "no port from 8080 to 8180 can be had: name one with --port"
        );
    }

    #[test]
    fn a_port_that_was_asked_for_is_taken_or_refused() {
        let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = taken.local_addr().unwrap().port();
        let error = listen(Some(port)).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("port {port} is taken by another program")),
            "{error}"
        );
    }

    #[test]
    fn addresses_lead_to_files_below_the_folder() {
        for (url, path) in [
            ("/", "index.html"),
            ("/?step=3#top", "index.html"),
            ("/app-1f_bg.wasm", "app-1f_bg.wasm"),
            ("/snippets/a%20b.js?x", "snippets/a b.js"),
        ] {
            assert_eq!(relative(url), Some(path.into()), "{url}");
        }
    }

    #[test]
    fn and_to_nothing_else() {
        for url in [
            "",
            "app.js",
            "//etc/passwd",
            "/../secret",
            "/%2e%2e/secret",
            "/a/..%2fsecret",
            "/a/%2E./b",
            "/.git/config",
            "/C:/secret",
            "/..\\secret",
            "/%5c..%5csecret",
            "/%00",
            "/%zz",
            "/%f",
            "/%ff",
            "http://elsewhere/",
        ] {
            assert_eq!(relative(url), None, "{url}");
        }
    }

    #[test]
    fn browsers_are_told_what_a_file_is() {
        for (file, kind) in [
            ("index.html", "text/html; charset=utf-8"),
            ("app.js", "text/javascript; charset=utf-8"),
            ("APP.WASM", "application/wasm"),
            ("picture.svg", "image/svg+xml; charset=utf-8"),
            ("unknown", "application/octet-stream"),
        ] {
            assert_eq!(media_type(Path::new(file)), kind);
        }
    }

    #[test]
    fn the_server_serves() {
        let folder =
            std::env::temp_dir().join(format!("barrierscope-serve-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("index.html"), "<p>hello").unwrap();
        fs::write(folder.join("app.wasm"), vec![7; 100_000]).unwrap();
        let server = Server::http((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = server.server_addr().to_ip().unwrap();
        let ask = |request: &str| {
            let mut stream = TcpStream::connect(address).unwrap();
            write!(
                stream,
                "{request} HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n"
            )
            .unwrap();
            let mut reply = Vec::new();
            stream.read_to_end(&mut reply).unwrap();
            String::from_utf8_lossy(&reply).into_owned()
        };
        thread::scope(|scope| {
            scope.spawn(|| {
                server
                    .incoming_requests()
                    .take(5)
                    .for_each(|request| answer(request, &folder).unwrap())
            });
            let index = ask("GET /");
            assert!(
                index.starts_with("HTTP/1.1 200 ") && index.ends_with("\r\n\r\n<p>hello"),
                "{index}"
            );
            assert!(
                index.contains("Content-Type: text/html; charset=utf-8\r\n"),
                "{index}"
            );
            let wasm = ask("GET /app.wasm");
            assert!(
                wasm.contains("Content-Type: application/wasm\r\n"),
                "{wasm:.300}"
            );
            assert!(wasm.contains("Content-Length: 100000\r\n"), "{wasm:.300}");
            assert!(ask("HEAD /app.wasm").ends_with("\r\n\r\n"));
            assert!(ask("GET /../index.html").starts_with("HTTP/1.1 404 "));
            assert!(ask("POST /").starts_with("HTTP/1.1 405 "));
        });
        fs::remove_dir_all(&folder).unwrap();
    }
}
