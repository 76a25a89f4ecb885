//! Chromium without a window, driven through its own driver by the WebDriver protocol.
//!
//! Each test has a browser of its own with an empty profile; driver and browser end with it, whatever happened.

use std::io::{BufRead, BufReader, Write};
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Instant;

use fantoccini::actions::{InputSource, MouseActions, PointerAction};
use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::picture::{self, Picture, SIZE};
use crate::support::DEADLINE;

/// Between two looks at a page.
const PAUSE: std::time::Duration = std::time::Duration::from_millis(50);
/// How often a driver is started until it has found a port.
const DRIVER_STARTS: usize = 5;
/// One browser at a time: each draws with the processor.
static TURN: Mutex<()> = Mutex::new(());

/// A place of the page or a way on it, in its px.
type Px = (f64, f64);

/// A page in a browser.
pub struct Browser {
    pub client: Client,
}

/// The driver, which ends with its test.
struct Driver(Child);

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs a test in a browser, with a folder of its own, if browsers are to be tested.
pub fn in_a_browser(test: impl AsyncFnOnce(&Browser, &Path)) {
    if std::env::var_os("ZAPPY_BROWSER").is_none_or(|wanted| wanted != "required") {
        // Not captured by the test runner, so that it is read.
        let remedy = "make web; Debian: apt-get install chromium chromium-driver; ZAPPY_BROWSER=required";
        let _ = writeln!(std::io::stderr(), "pages are NOT tested in a browser ({remedy})");
        return;
    }
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let (folder, profile) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let (_driver, port) = driver();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let browser = Browser::start(port, profile.path()).await;
        let mut done = std::pin::pin!(test(&browser, folder.path()));
        // A test that fails must close its browser, too.
        let outcome = std::future::poll_fn(|context| {
            match std::panic::catch_unwind(AssertUnwindSafe(|| done.as_mut().poll(context))) {
                Ok(std::task::Poll::Pending) => std::task::Poll::Pending,
                Ok(std::task::Poll::Ready(())) => std::task::Poll::Ready(Ok(())),
                Err(panic) => std::task::Poll::Ready(Err(panic)),
            }
        })
        .await;
        let errors = browser.errors().await;
        browser.client.clone().close().await.unwrap();
        if let Err(panic) = outcome {
            eprintln!("the page's console: {errors:#?}");
            resume_unwind(panic);
        }
        assert!(errors.is_empty(), "the page's console: {errors:#?}");
    });
}

/// Starts the driver; it chooses its port and says it.
///
/// It listens with IPv4 and IPv6, and ends when the port that it got for the one is taken for the other, for
/// instance by a connection that has just been closed: so it is started again a few times.
fn driver() -> (Driver, u16) {
    let mut said = String::new();
    for _ in 0..DRIVER_STARTS {
        let mut child = Command::new("chromedriver")
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver is installed (Debian: chromium-driver)");
        let out = BufReader::new(child.stdout.take().unwrap());
        let driver = Driver(child);
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        // The lines end when the driver does.
        while let Ok(line) = lines.recv_timeout(DEADLINE) {
            let port = line.split("successfully on port ").nth(1);
            if let Some(port) = port.and_then(|rest| rest.trim_end_matches('.').parse::<u16>().ok()) {
                thread::spawn(move || lines.iter().for_each(drop));
                return (driver, port);
            }
            said += &format!("{line}\n");
        }
    }
    panic!("chromedriver doesn't listen: {said}");
}

impl Browser {
    async fn start(port: u16, profile: &Path) -> Browser {
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--use-gl=angle",
            "--use-angle=swiftshader",
            "--enable-unsafe-swiftshader",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            &format!("--user-data-dir={}", profile.display()),
        ];
        let wanted = json!({
            "browserName": "chrome",
            "goog:chromeOptions": { "args": arguments },
            "goog:loggingPrefs": { "browser": "ALL" },
        });
        let Value::Object(wanted) = wanted else { unreachable!("it is an object") };
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(wanted)
            .connect(&format!("http://127.0.0.1:{port}"))
            .await
            .expect("chromium starts");
        // What is around the page belongs to the window's size, too.
        let script =
            "return [window.outerWidth - window.innerWidth, window.outerHeight - window.innerHeight]";
        let around = client.execute(script, vec![]).await.unwrap();
        let side = |number: usize| u32::try_from(around[number].as_u64().unwrap_or(0)).unwrap();
        let (width, height) = (SIZE.0 as u32 + side(0), SIZE.1 as u32 + side(1));
        client.set_window_size(width, height).await.unwrap();
        Browser { client }
    }

    /// Looks until there is something, and fails when it takes too long.
    pub async fn wait_for<T>(&self, what: &str, mut look: impl AsyncFnMut() -> Result<T, String>) -> T {
        let begun = Instant::now();
        loop {
            match look().await {
                Ok(found) => return found,
                Err(why) if begun.elapsed() > DEADLINE => panic!("{what}: {why}"),
                Err(_) => tokio::time::sleep(PAUSE).await,
            }
        }
    }

    /// Opens a page, waits until its viewer runs, and listens to what it copies.
    pub async fn open(&self, address: &str) {
        self.client.goto(address).await.unwrap();
        self.wait_for("the viewer starts", async || {
            let said = "const said = document.querySelector('[role=status]'); \
                        return said ? said.textContent : document.getElementById('glcanvas') ? '' : 'no viewer yet'";
            let said = self.client.execute(said, vec![]).await.unwrap();
            said.as_str().filter(|said| said.is_empty()).map(drop).ok_or_else(|| said.to_string())
        })
        .await;
        let listen = "navigator.clipboard.writeText = async (text) => { window.copied = text; }";
        self.client.execute(listen, vec![]).await.unwrap();
    }

    /// Presses keys one after another.
    pub async fn keys(&self, keys: &[&str]) {
        let canvas = self.client.find(Locator::Css("canvas")).await.unwrap();
        for key in keys {
            canvas.send_keys(key).await.unwrap();
        }
    }

    /// Clicks there, in px.
    pub async fn click(&self, (x, y): (f64, f64)) {
        let left = fantoccini::actions::MOUSE_BUTTON_LEFT;
        let click = MouseActions::new("mouse".to_owned())
            .then(PointerAction::MoveTo { duration: None, x, y })
            .then(PointerAction::Down { button: left })
            .then(PointerAction::Up { button: left });
        self.client.perform_actions(click).await.unwrap();
    }

    /// A command of Chromium's own protocol.
    async fn cdp(&self, name: &'static str, parameters: Value) {
        self.client.issue_cmd(Cdp(name, parameters)).await.unwrap();
    }

    /// Gives the page that size, in px of its own, and so many physical px for each of them.
    pub async fn resize(&self, (width, height): (u32, u32), density: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": density, "mobile": false });
        self.cdp("Emulation.setDeviceMetricsOverride", size).await;
        let wanted = json!([width * density, height * density]);
        self.wait_for("the canvas follows the window", async || {
            let script =
                "const canvas = document.querySelector('canvas'); return [canvas.width, canvas.height]";
            let size = self.client.execute(script, vec![]).await.unwrap();
            if size == wanted { Ok(()) } else { Err(format!("{size}, not {wanted}")) }
        })
        .await;
    }

    /// Fingers that touch at these places, move by so many px each, and leave.
    pub async fn fingers(&self, fingers: &[(Px, Px)]) {
        const STEPS: u32 = 8;
        let screen = json!({ "enabled": true, "maxTouchPoints": 2 });
        self.cdp("Emulation.setTouchEmulationEnabled", screen).await;
        for step in 0..=STEPS {
            let part = f64::from(step) / f64::from(STEPS);
            let at = fingers.iter().zip(1..).map(|(((x, y), (right, down)), id)| {
                json!({ "x": x + right * part, "y": y + down * part, "id": id })
            });
            let kind = if step == 0 { "touchStart" } else { "touchMove" };
            let touch = json!({ "type": kind, "touchPoints": at.collect::<Vec<_>>() });
            self.cdp("Input.dispatchTouchEvent", touch).await;
        }
        self.cdp("Input.dispatchTouchEvent", json!({ "type": "touchEnd", "touchPoints": [] })).await;
    }

    /// The address of the moment that is shown, as the viewer copies it.
    pub async fn moment(&self) -> String {
        self.client.execute("window.copied = null", vec![]).await.unwrap();
        self.keys(&["y"]).await;
        self.wait_for("the viewer copies the moment", async || {
            let copied = self.client.execute("return window.copied", vec![]).await.unwrap();
            copied.as_str().map(str::to_owned).ok_or_else(|| "nothing was copied".to_owned())
        })
        .await
    }

    /// Waits until the viewer shows a moment whose address holds this.
    pub async fn wait_for_moment(&self, part: &str) -> String {
        self.wait_for("the moment is shown", async || {
            let moment = self.moment().await;
            if moment.contains(part) { Ok(moment) } else { Err(format!("{moment} has no {part}")) }
        })
        .await
    }

    /// Selects the next player or unit until there is one that the address tells of so.
    pub async fn wait_for_selection(&self, kind: &str) {
        self.wait_for("something is selected", async || {
            self.keys(&[&fantoccini::key::Key::Tab]).await;
            let moment = self.moment().await;
            if moment.contains(kind) { Ok(()) } else { Err(moment) }
        })
        .await;
    }

    /// Waits until the page looks like this.
    pub async fn wait_for_picture(&self, wanted: &Picture) {
        self.wait_for("the page looks like the desktop", async || {
            let picture = picture::load(&self.client.screenshot().await.unwrap());
            wanted.differs(&picture).map_or(Ok(()), Err)
        })
        .await;
    }

    /// What the page's console says that isn't mere information.
    async fn errors(&self) -> Vec<Value> {
        let log = self.client.issue_cmd(Log).await.unwrap();
        let entries = log.as_array().cloned().unwrap_or_default();
        entries.into_iter().filter(|entry| entry["level"] == "SEVERE").collect()
    }
}

/// A command of Chromium's own protocol, and what belongs to it.
#[derive(Debug)]
struct Cdp(&'static str, Value);

impl WebDriverCompatibleCommand for Cdp {
    fn endpoint(&self, base: &url::Url, session: Option<&str>) -> Result<url::Url, url::ParseError> {
        base.join(&format!("session/{}/goog/cdp/execute", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &url::Url) -> (http::Method, Option<String>) {
        (http::Method::POST, Some(json!({ "cmd": self.0, "params": self.1 }).to_string()))
    }
}

/// Chromium's own command for what the console said.
#[derive(Debug)]
struct Log;

impl WebDriverCompatibleCommand for Log {
    fn endpoint(&self, base: &url::Url, session: Option<&str>) -> Result<url::Url, url::ParseError> {
        base.join(&format!("session/{}/se/log", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &url::Url) -> (http::Method, Option<String>) {
        (http::Method::POST, Some(json!({ "type": "browser" }).to_string()))
    }
}
