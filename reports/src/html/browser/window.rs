//! A window of a real browser, asked over the pipe that Chromium's DevTools protocol offers: messages are JSON, each ended
//! by a zero byte.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

const BROWSERS: [&str; 4] =
    ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome", "chromium"];

/// What a window can be as wide as, in CSS pixels.
pub const DESK: (u32, u32) = (1280, 1600);
/// A small phone.
pub const PHONE: (u32, u32) = (360, 740);

fn browser() -> &'static str {
    let works = |b: &&&str| {
        Command::new(b).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
    };
    BROWSERS.iter().find(works).unwrap_or_else(|| panic!("no Chromium among {BROWSERS:?}"))
}

/// One tab of a browser of its own. The browser ends with it.
pub struct Window {
    browser: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    session: Value,
    last: u64,
    _profile: tempfile::TempDir,
}

impl Window {
    /// Starts a browser with an empty tab.
    pub fn new((width, height): (u32, u32)) -> Window {
        let profile = tempfile::tempdir().unwrap();
        // The protocol's pipe is the file descriptors 3 and 4.
        let mut browser = Command::new("sh")
            .args(["-c", r#"exec "$0" "$@" 3<&0 4>&1 >/dev/null 2>&1 </dev/null"#, browser()])
            .args([
                "--headless",
                "--remote-debugging-pipe",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
            ])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .arg("--disable-dev-shm-usage")
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let requests = browser.stdin.take().unwrap();
        let answers = BufReader::new(browser.stdout.take().unwrap());
        let mut window =
            Window { browser, requests, answers, session: Value::Null, last: 0, _profile: profile };
        let tab = window.ask("Target.createTarget", json!({"url": "about:blank"}))["targetId"].clone();
        let attached = window.ask("Target.attachToTarget", json!({"targetId": tab, "flatten": true}));
        window.session = attached["sessionId"].clone();
        window.ask("Page.enable", json!({}));
        window.resize((width, height));
        window
    }

    /// Gives the window another size.
    pub fn resize(&mut self, (width, height): (u32, u32)) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600});
        self.ask("Emulation.setDeviceMetricsOverride", size);
    }

    /// Shows the page as on that medium (`screen`, `print`) for a reader who prefers that scheme (`light`, `dark`).
    pub fn prefer(&mut self, medium: &str, scheme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.ask("Emulation.setEmulatedMedia", json!({"media": medium, "features": features}));
    }

    /// Opens the page anew at that place (`#…`, or nothing), and waits until its script has run.
    pub fn open(&mut self, page: &Path, hash: &str) {
        self.ask("Page.navigate", json!({"url": "about:blank"}));
        self.ask("Page.navigate", json!({"url": format!("file://{}{hash}", page.display())}));
        self.ask_script("new Promise((done) => document.readyState === 'complete' ? done() : addEventListener('load', done))");
    }

    /// The value of an expression within the page; a promise is waited for.
    pub fn ask_script(&mut self, expression: &str) -> Value {
        let request = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let answer = self.ask("Runtime.evaluate", request);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    /// How many elements match.
    pub fn count(&mut self, selector: &str) -> u64 {
        let selector = Value::from(selector);
        self.ask_script(&format!("document.querySelectorAll({selector}).length")).as_u64().unwrap()
    }

    /// The text that a reader sees.
    pub fn text(&mut self) -> String {
        self.ask_script("document.body.innerText").as_str().unwrap().to_owned()
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let mut message = json!({"id": self.last, "method": method, "params": params});
        if !self.session.is_null() {
            message["sessionId"] = self.session.clone();
        }
        self.requests.write_all(message.to_string().as_bytes()).unwrap();
        self.requests.write_all(&[0]).unwrap();
        loop {
            let mut bytes = Vec::new();
            self.answers.read_until(0, &mut bytes).unwrap();
            assert_eq!(bytes.pop(), Some(0), "the browser ended before it answered {method}");
            let answer: Value = serde_json::from_slice(&bytes).unwrap();
            if answer["id"] == self.last {
                assert!(answer.get("error").is_none(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
        }
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        let _ = self.browser.kill();
        let _ = self.browser.wait();
    }
}
