//! `cargo xtask serve`: the page on this machine, for whoever is at it.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};
use axum::Router;
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, X_CONTENT_TYPE_OPTIONS};
use lexopt::{Arg, ValueExt as _};
use tokio::runtime::{self, Runtime};
use tower_http::services::ServeDir;
use tower_http::set_header::SetResponseHeaderLayer;

use crate::report::Spoken;
use crate::workspace::Workspace;
use crate::{page, setup};

const USUAL_PORT: u16 = 8080;
/// How many ports after the usual one are tried.
const FURTHER_PORTS: u16 = 100;

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
    announce(address, options.open);
    runtime()?
        .block_on(answer(listener, &folder, std::future::pending()))
        .context("cannot serve")
}

fn runtime() -> std::io::Result<Runtime> {
    runtime::Builder::new_current_thread().enable_all().build()
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

/// Answers requests for the files of a folder, until it is told that it is over.
async fn answer(
    listener: TcpListener,
    folder: &Path,
    over: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let header =
        |name, value| SetResponseHeaderLayer::overriding(name, HeaderValue::from_static(value));
    let pages = Router::new()
        .fallback_service(ServeDir::new(folder))
        .layer(header(X_CONTENT_TYPE_OPTIONS, "nosniff"))
        // The next build has other files under the same names.
        .layer(header(CACHE_CONTROL, "no-cache"));
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    axum::serve(listener, pages)
        .with_graceful_shutdown(over)
        .await
}

#[cfg(test)]
mod tests {
    use std::fs;
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
        let taken = listen_anywhere();
        let port = taken.local_addr().unwrap().port();
        let error = listen(Some(port)).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("port {port} is taken by another program")),
            "{error}"
        );
    }

    #[test]
    fn the_server_serves() {
        let folder =
            std::env::temp_dir().join(format!("barrierscope-serve-{}", std::process::id()));
        fs::create_dir_all(folder.join("page/snippets")).unwrap();
        fs::write(folder.join("secret.txt"), "secret").unwrap();
        fs::write(folder.join("page/index.html"), "<p>hello").unwrap();
        fs::write(folder.join("page/snippets/a b.js"), "").unwrap();
        fs::write(folder.join("page/app.wasm"), vec![7; 100_000]).unwrap();
        let listener = listen_anywhere();
        let address = listener.local_addr().unwrap();
        let ask = |request: &str| {
            let mut stream = TcpStream::connect(address).unwrap();
            let rest = "HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n";
            write!(stream, "{request} {rest}").unwrap();
            let mut reply = Vec::new();
            stream.read_to_end(&mut reply).unwrap();
            String::from_utf8_lossy(&reply).into_owned()
        };
        let (stop, over) = tokio::sync::oneshot::channel::<()>();
        let over = async { over.await.unwrap_or_default() };
        thread::scope(|scope| {
            let page = folder.join("page");
            scope.spawn(move || runtime().unwrap().block_on(answer(listener, &page, over)));
            // More than browsers open, and none of them asks for anything: the next one is answered all the same.
            let idle: Vec<_> = (0..40).map(|_| TcpStream::connect(address)).collect();
            for (url, kind, ending) in [
                ("/", "text/html", "\r\n\r\n<p>hello"),
                ("/?step=3", "text/html", "\r\n\r\n<p>hello"),
                ("/snippets/a%20b.js?x", "text/javascript", "\r\n\r\n"),
                ("/app.wasm", "application/wasm", "\u{7}\u{7}"),
            ] {
                let reply = ask(&format!("GET {url}"));
                assert!(reply.starts_with("HTTP/1.1 200 "), "{url}: {reply:.300}");
                assert!(
                    reply.contains(&format!("content-type: {kind}")),
                    "{url}: {reply:.300}"
                );
                assert!(
                    reply.contains("cache-control: no-cache"),
                    "{url}: {reply:.300}"
                );
                assert!(reply.ends_with(ending), "{url}: {reply:.300}");
            }
            assert!(ask("GET /app.wasm").contains("content-length: 100000\r\n"));
            assert!(ask("HEAD /app.wasm").ends_with("\r\n\r\n"));
            for url in [
                "/secret.txt",
                "/../secret.txt",
                "/%2e%2e/secret.txt",
                "/snippets/..%2f../secret.txt",
                "/..\\secret.txt",
                "//etc/passwd",
                "/%00",
                "/%ff",
            ] {
                let reply = ask(&format!("GET {url}"));
                assert!(!reply.starts_with("HTTP/1.1 200 "), "{url}: {reply:.300}");
                assert!(!reply.contains("secret"), "{url}: {reply:.300}");
            }
            assert!(ask("POST /").starts_with("HTTP/1.1 405 "));
            drop(idle);
            stop.send(()).unwrap();
        });
        fs::remove_dir_all(&folder).unwrap();
    }

    fn listen_anywhere() -> TcpListener {
        TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap()
    }
}
