//! A browser with the page open, and short words for what tests do with it.

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use axum::Router;
use serde_json::{Value, json};
use tempfile::TempDir;
use thirtyfour::prelude::*;
use tokio::net::TcpListener;
use tower_http::services::ServeDir;

/// A script may simulate for minutes on a busy machine: no time limit decides a test.
const LONG: Duration = Duration::from_secs(3_600);
/// How long a test waits for what must come before it says that it did not.
const PATIENCE: Duration = Duration::from_secs(20);

/// The page in a browser of its own.
pub(crate) struct Page {
    pub(crate) driver: WebDriver,
    pub(crate) address: String,
    _chromedriver: Running,
}

/// A program that ends with its test, and with it what it has written.
struct Running {
    program: Child,
    // Browsers that are killed leave megabytes behind; after hundreds of tests the disk is full.
    _scratch: TempDir,
}

impl Drop for Running {
    fn drop(&mut self) {
        // The driver and the browsers that it has started are a group of their own.
        let group = format!("-{}", self.program.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
        let _ = self.program.wait();
    }
}

/// How the browser is set up before the page is opened.
pub(crate) struct Setup {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) dark: bool,
    /// The language that the browser asks for.
    pub(crate) language: &'static str,
    pub(crate) reduced_motion: bool,
    /// What stands behind `#` in the address.
    pub(crate) fragment: String,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            width: 1440,
            height: 900,
            dark: false,
            language: "en-US",
            reduced_motion: false,
            fragment: String::new(),
        }
    }
}

pub(crate) fn variable(name: &str) -> PathBuf {
    env::var_os(name)
        .unwrap_or_else(|| panic!("{name} is not set: run `cargo xtask test browser`"))
        .into()
}

impl Page {
    /// Opens the page as most people see it first.
    pub(crate) async fn open() -> Self {
        Self::open_with(Setup::default()).await
    }

    /// Opens the page.
    pub(crate) async fn open_with(setup: Setup) -> Self {
        let port = serve(variable("BARRIERSCOPE_DIST")).await;
        let (chromedriver, driver_port) = start_chromedriver();
        let mut capabilities = DesiredCapabilities::chrome();
        let binary = variable("CHROMIUM");
        let binary = binary.to_str().expect("the path is text");
        let options = json!({
            "binary": binary,
            "args": [
                "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--no-first-run", "--disable-background-networking", "--disable-component-update",
                "--disable-sync", "--hide-scrollbars",
                format!("--lang={}", setup.language),
            ],
            "prefs": { "intl.accept_languages": setup.language },
        });
        capabilities
            .set("goog:chromeOptions", options)
            .expect("options are JSON");
        let driver = WebDriver::builder(format!("http://127.0.0.1:{driver_port}"), capabilities)
            .request_timeout(LONG)
            .await
            .expect("the browser starts");
        let limit = driver.set_script_timeout(LONG).await;
        limit.expect("the browser takes a limit");
        let page = Self {
            driver,
            address: format!("http://127.0.0.1:{port}/"),
            _chromedriver: chromedriver,
        };
        page.set_up(&setup).await;
        page.visit(&setup.fragment).await;
        page
    }

    async fn set_up(&self, setup: &Setup) {
        self.resize(setup.width, setup.height).await;
        let scheme = if setup.dark { "dark" } else { "light" };
        let motion = if setup.reduced_motion {
            "reduce"
        } else {
            "no-preference"
        };
        self.cdp(
            "Emulation.setEmulatedMedia",
            json!({"features": [
                {"name": "prefers-color-scheme", "value": scheme},
                {"name": "prefers-reduced-motion", "value": motion},
            ]}),
        )
        .await;
        // Whatever goes wrong in the page is kept, from its first line on.
        let keep = "window.faults = [];
            window.addEventListener('error', e => window.faults.push(String(e.message)));
            window.addEventListener('unhandledrejection', e => window.faults.push(String(e.reason)));
            for (const kind of ['error', 'warn']) {
                const old = console[kind];
                console[kind] = (...words) => { window.faults.push(words.join(' ')); old(...words); };
            }";
        self.cdp(
            "Page.addScriptToEvaluateOnNewDocument",
            json!({ "source": keep }),
        )
        .await;
    }

    pub(crate) async fn resize(&self, width: u32, height: u32) {
        self.cdp(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}),
        )
        .await;
    }

    pub(crate) async fn cdp(&self, command: &str, parameters: Value) -> Value {
        self.driver
            .cdp()
            .send_raw(command, parameters)
            .await
            .unwrap_or_else(|error| panic!("{command}: {error}"))
    }

    /// Opens the page anew with something behind `#`, and waits until it runs.
    pub(crate) async fn visit(&self, fragment: &str) {
        // Only another document makes the page load anew when the fragment alone differs.
        self.driver
            .goto("about:blank")
            .await
            .expect("it can be left");
        let address = if fragment.is_empty() {
            self.address.clone()
        } else {
            format!("{}#{fragment}", self.address)
        };
        self.driver
            .goto(&address)
            .await
            .expect("the page is served");
        self.until("the page runs", "return !!window.barrierscope")
            .await;
    }

    /// What a script returns.
    pub(crate) async fn ask(&self, script: &str) -> Value {
        self.driver
            .execute(script, vec![])
            .await
            .unwrap_or_else(|error| panic!("{script}: {error}"))
            .json()
            .clone()
    }

    /// A number that a script returns.
    pub(crate) async fn number(&self, script: &str) -> f64 {
        let value = self.ask(script).await;
        value
            .as_f64()
            .or_else(|| value.as_str()?.parse().ok())
            .unwrap_or_else(|| panic!("{script}: no number but {value}"))
    }

    /// Waits until a script returns true.
    pub(crate) async fn until(&self, what: &str, script: &str) {
        let start = Instant::now();
        while self.ask(script).await != json!(true) {
            if start.elapsed() > PATIENCE {
                let faults = self.ask("return window.faults").await;
                let text = self
                    .ask("return document.body.innerText.slice(0, 200)")
                    .await;
                panic!(
                    "waited in vain until {what}; the page complains of {faults} and says {text}"
                );
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// The element of a test id; the first, if there are several.
    pub(crate) async fn find(&self, id: &str) -> WebElement {
        self.driver
            .query(By::Css(format!("[data-testid='{id}']")))
            .first()
            .await
            .unwrap_or_else(|error| panic!("{id}: {error}"))
    }

    pub(crate) async fn click(&self, id: &str) {
        let element = self.find(id).await;
        let _ = element.scroll_into_view().await;
        element
            .click()
            .await
            .unwrap_or_else(|error| panic!("{id} cannot be clicked: {error}"));
    }

    pub(crate) async fn text(&self, id: &str) -> String {
        self.find(id).await.text().await.expect("it has text")
    }

    /// An attribute of the element of a test id.
    pub(crate) async fn attribute(&self, id: &str, name: &str) -> String {
        let element = self.find(id).await;
        let value = element.attr(name).await.expect("it can be read");
        value.unwrap_or_else(|| panic!("{id} has no {name}"))
    }

    /// Presses keys on whatever has the focus.
    pub(crate) async fn press(&self, keys: impl Into<TypingData>) {
        self.driver
            .action_chain()
            .send_keys(keys)
            .perform()
            .await
            .expect("keys can be pressed");
    }

    pub(crate) async fn press_with_shift(&self, key: Key) {
        self.driver
            .action_chain()
            .key_down(Key::Shift)
            .send_keys(key)
            .key_up(Key::Shift)
            .perform()
            .await
            .expect("keys can be pressed");
    }

    /// The step that the page shows.
    pub(crate) async fn step(&self) -> usize {
        self.number("return document.documentElement.dataset.step")
            .await as usize
    }

    pub(crate) async fn wait_for_step(&self, step: usize) {
        self.until(
            &format!("step {step} is shown"),
            &format!("return document.documentElement.dataset.step === '{step}'"),
        )
        .await;
    }

    pub(crate) async fn is_playing(&self) -> bool {
        self.attribute("app", "data-playing").await == "true"
    }

    /// Stops the run where it is, if it plays.
    pub(crate) async fn pause(&self) {
        if self.is_playing().await {
            self.click("play").await;
        }
        self.until(
            "it pauses",
            "return document.querySelector('[data-testid=app]').dataset.playing === 'false'",
        )
        .await;
    }

    pub(crate) async fn go_to(&self, step: usize) {
        self.pause().await;
        self.ask(&format!("return window.barrierscope.goTo({step})"))
            .await;
        self.wait_for_step(step).await;
    }

    pub(crate) async fn last(&self) -> usize {
        self.number("return window.barrierscope.last()").await as usize
    }

    /// Leaves a picture of the window for people to look at.
    pub(crate) async fn picture(&self, name: &str) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/screenshots");
        fs::create_dir_all(&folder).expect("the folder can be made");
        let file = folder.join(format!("{name}.png"));
        self.driver
            .screenshot(&file)
            .await
            .expect("a picture can be taken");
    }

    /// Closes the browser; nothing may have gone wrong in the page.
    pub(crate) async fn close(self) {
        let faults = self.ask("return window.faults").await;
        self.close_whatever_went_wrong().await;
        assert_eq!(faults, json!([]), "the page has complained");
    }

    pub(crate) async fn close_whatever_went_wrong(self) {
        let _ = self.driver.clone().quit().await;
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // Otherwise the session would be ended by a request that nobody in this thread can wait for; the
        // browser goes with its driver.
        let _ = self.driver.clone().leak();
    }
}

/// Serves a folder on a port that it tells, as long as the test runs.
async fn serve(folder: PathBuf) -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await;
    let listener = listener.expect("a port is free");
    let port = listener.local_addr().expect("an address").port();
    let pages = Router::new().fallback_service(ServeDir::new(folder));
    tokio::spawn(async move { axum::serve(listener, pages).await });
    port
}

/// Starts a driver on a port that it chooses itself.
fn start_chromedriver() -> (Running, u16) {
    let scratch = tempfile::tempdir().expect("a folder can be made");
    let mut program = Command::new(variable("CHROMEDRIVER"))
        .arg("--port=0")
        .env("TMPDIR", scratch.path())
        .process_group(0)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("chromedriver starts");
    let output = program.stdout.take().expect("it is piped");
    let running = Running {
        program,
        _scratch: scratch,
    };
    let mut lines = BufReader::new(output).lines().map_while(Result::ok);
    let port = lines.by_ref().find_map(|line| {
        let port: u16 = line
            .split("on port ")
            .nth(1)?
            .trim_end_matches('.')
            .parse()
            .ok()?;
        // It says first which port it was told, and then which one it has.
        (port > 0).then_some(port)
    });
    let port = port.expect("chromedriver says on which port it listens");
    // Somebody has to hear what else it says.
    thread::spawn(move || lines.for_each(drop));
    (running, port)
}
