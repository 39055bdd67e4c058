//! A GitHub on 127.0.0.1 that knows one repository, its pull requests and their comments, and what can go wrong with them.
//!
//! It speaks the shapes of GitHub's REST API as far as `wireproof comment` needs them: pages of at most 100 with `Link`
//! headers, 403 for tokens that may only read, 422 for lines that are not in the diff. It remembers every request. It is a
//! stand-in written from the documentation, and shows nothing about the real service.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The repository there is.
pub const REPOSITORY: &str = "octo/shop";
/// The commit at the head of the pull request there is.
pub const HEAD: &str = "1111111111111111111111111111111111111111";
/// A token that stands for an app's installation, as GitHub Actions has it.
pub const TOKEN: &str = "ghs_thisTokenMustNeverBeSeen";
/// The longest life of a server whose test forgot it.
const LIFE: Duration = Duration::from_secs(300);

/// What is there at the start, and what goes wrong.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Pull requests, in GitHub's form.
    pub pulls: Vec<Value>,
    /// Comments on pull request 7, in GitHub's form.
    pub comments: Vec<Value>,
    /// The files that pull request 7 changes, in GitHub's form.
    pub files: Vec<Value>,
    /// Review comments on pull request 7, in GitHub's form.
    pub remarks: Vec<Value>,
    /// What `GET /user` answers; `None` is the 403 that an app's installation gets.
    pub account: Option<String>,
    /// Whether the token may write.
    pub may_write: bool,
    /// Ids of comments that nobody but their author may change.
    pub protected: Vec<u64>,
    /// Answers that come instead of the right ones, each so many times.
    pub faults: Vec<Fault>,
    /// The host that `Link` headers name, when it is not the right one.
    pub link_host: Option<String>,
    /// A comment that another job writes at the moment when the first one of ours arrives.
    pub meanwhile: Option<Value>,
}

/// An answer that comes instead of the right one.
#[derive(Debug, Clone)]
pub struct Fault {
    /// The method.
    pub method: &'static str,
    /// A part of the path.
    pub path: &'static str,
    /// The status.
    pub status: u16,
    /// Further headers.
    pub headers: Vec<(&'static str, String)>,
    /// How often.
    pub times: usize,
}

/// A request that came in.
#[derive(Debug, Clone)]
pub struct Seen {
    /// The method.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// The `Authorization` header.
    pub authorization: Option<String>,
    /// The body; `null` without one.
    pub body: Value,
}

impl Default for Scenario {
    fn default() -> Self {
        Scenario {
            pulls: vec![pull(7, HEAD)],
            comments: Vec::new(),
            files: Vec::new(),
            remarks: Vec::new(),
            account: None,
            may_write: true,
            protected: Vec::new(),
            faults: Vec::new(),
            link_host: None,
            meanwhile: None,
        }
    }
}

/// An open pull request from a branch `fix` of the account `someone`.
pub fn pull(number: u64, sha: &str) -> Value {
    json!({
        "number": number, "state": "open", "locked": false,
        "head": {"sha": sha, "ref": "fix", "user": {"login": "someone"}, "repo": {"fork": true}},
        "base": {"sha": "2222222222222222222222222222222222222222", "ref": "main"}
    })
}

/// A comment, written by a bot where the login says so.
pub fn comment(id: u64, login: &str, body: &str) -> Value {
    let kind = if login.ends_with("[bot]") { "Bot" } else { "User" };
    json!({"id": id, "body": body, "user": {"login": login, "type": kind}, "html_url": format!("https://github.example/{REPOSITORY}/pull/7#issuecomment-{id}")})
}

/// A running server. It ends when it is dropped.
pub struct Server {
    /// What to set as GITHUB_API_URL.
    pub url: String,
    world: Arc<Mutex<World>>,
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

struct World {
    scenario: Scenario,
    seen: Vec<Seen>,
    next_id: u64,
    url: String,
}

/// Starts a server on a free port.
pub fn start(scenario: Scenario) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.set_nonblocking(true).expect("a listener that does not block");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let world = Arc::new(Mutex::new(World { scenario, seen: Vec::new(), next_id: 1000, url: url.clone() }));
    let ended = Arc::new(AtomicBool::new(false));
    let (inside, stop) = (Arc::clone(&world), Arc::clone(&ended));
    let thread = std::thread::spawn(move || {
        let since = Instant::now();
        while !stop.load(Ordering::Relaxed) && since.elapsed() < LIFE {
            match listener.accept() {
                Ok((stream, _)) => serve(stream, &inside),
                Err(_) => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    });
    Server { url, world, ended, thread: Some(thread) }
}

impl Server {
    /// Every request so far.
    pub fn requests(&self) -> Vec<Seen> {
        self.world.lock().expect("no test panics while it holds this").seen.clone()
    }

    /// `POST /path`, one a line, without those that only read.
    pub fn writes(&self) -> Vec<String> {
        let writes = self.requests().into_iter().filter(|seen| seen.method != "GET");
        writes.map(|seen| format!("{} {}", seen.method, seen.path)).collect()
    }

    /// The comments as they stand.
    pub fn comments(&self) -> Vec<Value> {
        self.world.lock().expect("no test panics while it holds this").scenario.comments.clone()
    }

    /// The review comments as they stand.
    pub fn remarks(&self) -> Vec<Value> {
        self.world.lock().expect("no test panics while it holds this").scenario.remarks.clone()
    }

    /// Changes what is there.
    pub fn change(&self, change: impl FnOnce(&mut Scenario)) {
        change(&mut self.world.lock().expect("no test panics while it holds this").scenario);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(stream: TcpStream, world: &Mutex<World>) {
    let _ = stream.set_nonblocking(false);
    let _ = stream.set_read_timeout(Some(Duration::from_secs(10)));
    let Some(seen) = read(&stream) else { return };
    let mut world = world.lock().expect("no test panics while it holds this");
    world.seen.push(seen.clone());
    let (status, headers, body) = world.answer(&seen);
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let answer = format!(
        "HTTP/1.1 {status} Words\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n{body}",
        body.len()
    );
    let mut stream = stream;
    let _ = stream.write_all(answer.as_bytes());
}

fn read(stream: &TcpStream) -> Option<Seen> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split(' ');
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let (mut length, mut authorization) = (0usize, None);
    for _ in 0..100 {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim_end().split_once(':') else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().ok()?,
            "authorization" => authorization = Some(value.trim().to_owned()),
            _ => {}
        }
    }
    let mut body = vec![0; length.min(1 << 20)];
    reader.read_exact(&mut body).ok()?;
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Some(Seen { method, path, authorization, body })
}

type Reply = (u16, Vec<(String, String)>, Value);

fn plain(status: u16, body: Value) -> Reply {
    (status, Vec::new(), body)
}

fn refused(status: u16, message: &str) -> Reply {
    plain(status, json!({"message": message, "documentation_url": "https://docs.github.example/rest"}))
}

impl World {
    fn answer(&mut self, seen: &Seen) -> Reply {
        if let Some(reply) = self.fault(seen) {
            return reply;
        }
        let (path, query) = seen.path.split_once('?').unwrap_or((&seen.path, ""));
        if seen.authorization.as_deref() == Some("Bearer wrong") {
            return refused(401, "Bad credentials");
        }
        if path == "/user" {
            return match &self.scenario.account {
                Some(login) => plain(200, json!({"login": login, "type": "User"})),
                None => refused(403, "Resource not accessible by integration"),
            };
        }
        if seen.method != "GET" && !self.scenario.may_write {
            return refused(403, "Resource not accessible by integration");
        }
        let Some(inside) = path.strip_prefix(&format!("/repos/{REPOSITORY}/")) else {
            return refused(404, "Not Found");
        };
        let parts: Vec<&str> = inside.split('/').collect();
        match (seen.method.as_str(), parts.as_slice()) {
            ("GET", ["pulls"]) => self.pages(self.scenario.pulls.clone(), path, query),
            ("GET", ["pulls", number]) => self.pull(number),
            ("GET", ["pulls", "7", "files"]) => self.pages(self.scenario.files.clone(), path, query),
            ("GET", ["pulls", "7", "comments"]) => self.pages(self.scenario.remarks.clone(), path, query),
            ("POST", ["pulls", "7", "reviews"]) => self.review(&seen.body),
            ("POST", ["pulls", "7", "comments"]) => self.remark(&seen.body),
            ("GET", ["issues", "7", "comments"]) => self.pages(self.scenario.comments.clone(), path, query),
            ("POST", ["issues", "7", "comments"]) => self.create(&seen.body),
            ("PATCH", ["issues", "comments", id]) => self.update(id, &seen.body),
            ("DELETE", ["issues", "comments", id]) => self.delete(id),
            _ => refused(404, "Not Found"),
        }
    }

    fn fault(&mut self, seen: &Seen) -> Option<Reply> {
        let fits =
            |fault: &&mut Fault| fault.times > 0 && fault.method == seen.method && seen.path.contains(fault.path);
        let fault = self.scenario.faults.iter_mut().find(fits)?;
        fault.times -= 1;
        let headers = fault.headers.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        Some((fault.status, headers, json!({"message": "Something went wrong"})))
    }

    fn pull(&self, number: &str) -> Reply {
        match self.scenario.pulls.iter().find(|pull| pull["number"].as_u64() == number.parse().ok()) {
            Some(pull) => plain(200, pull.clone()),
            None => refused(404, "Not Found"),
        }
    }

    /// One page of a list, with a link to the next as GitHub gives it.
    fn pages(&self, entries: Vec<Value>, path: &str, query: &str) -> Reply {
        let value = |name: &str| {
            query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('=')?.parse::<usize>().ok())
        };
        let size = value("per_page").unwrap_or(30).clamp(1, 100);
        let page = value("page").unwrap_or(1).max(1);
        let shown: Vec<Value> = entries.iter().skip((page - 1) * size).take(size).cloned().collect();
        let mut headers = Vec::new();
        if page * size < entries.len() {
            let host = self.scenario.link_host.clone().unwrap_or_else(|| self.url.clone());
            let next = format!("<{host}{path}?per_page={size}&page={}>; rel=\"next\"", page + 1);
            headers.push(("Link".to_owned(), next));
        }
        (200, headers, Value::Array(shown))
    }

    fn create(&mut self, body: &Value) -> Reply {
        let Some(text) = body["body"].as_str() else {
            return refused(422, "Invalid request. \"body\" wasn't supplied.");
        };
        if text.chars().count() > 65_536 {
            return refused(422, "Validation Failed: body is too long (maximum is 65536 characters)");
        }
        if let Some(other) = self.scenario.meanwhile.take() {
            self.scenario.comments.push(other);
        }
        let login = self.scenario.account.clone().unwrap_or_else(|| "github-actions[bot]".to_owned());
        let new = comment(self.next_id, &login, text);
        self.next_id += 1;
        self.scenario.comments.push(new.clone());
        plain(201, new)
    }

    fn update(&mut self, id: &str, body: &Value) -> Reply {
        if self.scenario.protected.iter().any(|protected| protected.to_string() == id) {
            return refused(403, "Must have admin rights to Repository.");
        }
        match self.scenario.comments.iter_mut().find(|comment| comment["id"].as_u64() == id.parse().ok()) {
            Some(comment) => {
                comment["body"] = body["body"].clone();
                plain(200, comment.clone())
            }
            None => refused(404, "Not Found"),
        }
    }

    fn delete(&mut self, id: &str) -> Reply {
        let before = self.scenario.comments.len();
        self.scenario.comments.retain(|comment| comment["id"].as_u64() != id.parse().ok());
        if self.scenario.comments.len() < before { plain(204, Value::Null) } else { refused(404, "Not Found") }
    }

    fn review(&mut self, body: &Value) -> Reply {
        let remarks: Vec<Value> = body["comments"].as_array().cloned().unwrap_or_default();
        if body["event"] != "COMMENT" || body["body"].as_str().is_none_or(str::is_empty) {
            return refused(422, "Validation Failed");
        }
        if !remarks.iter().all(|remark| self.is_in_diff(remark)) {
            return refused(422, "Unprocessable Entity: line must be part of the diff");
        }
        remarks.iter().for_each(|remark| self.keep(remark));
        plain(200, json!({"id": self.next_id}))
    }

    fn remark(&mut self, body: &Value) -> Reply {
        if !self.is_in_diff(body) {
            return refused(422, "Validation Failed: line must be part of the diff");
        }
        self.keep(body);
        plain(201, json!({"id": self.next_id}))
    }

    fn keep(&mut self, remark: &Value) {
        let mut remark = remark.clone();
        remark["id"] = json!(self.next_id);
        let login = self.scenario.account.clone().unwrap_or_else(|| "github-actions[bot]".to_owned());
        remark["user"] = comment(0, &login, "")["user"].clone();
        self.next_id += 1;
        self.scenario.remarks.push(remark);
    }

    /// Whether all lines of a remark are lines of one hunk of the file's patch, on the side it names.
    fn is_in_diff(&self, remark: &Value) -> bool {
        let file = self.scenario.files.iter().find(|file| file["filename"] == remark["path"]);
        let Some(patch) = file.and_then(|file| file["patch"].as_str()) else { return false };
        let (Some(line), Some(side)) = (remark["line"].as_u64(), remark["side"].as_str()) else { return false };
        let first = remark["start_line"].as_u64().unwrap_or(line);
        let same_side = remark["start_side"].is_null() || remark["start_side"] == side;
        let hunks = lines_of_hunks(patch, side);
        same_side && first <= line && hunks.iter().any(|hunk| (first..=line).all(|at| hunk.contains(&at)))
    }
}

/// The numbers of the lines of each hunk on one side.
fn lines_of_hunks(patch: &str, side: &str) -> Vec<Vec<u64>> {
    let mut hunks: Vec<Vec<u64>> = Vec::new();
    let (mut old, mut new) = (0u64, 0u64);
    for line in patch.lines() {
        if let Some(header) = line.strip_prefix("@@ -") {
            let start = |text: &str| text.split([',', ' ']).next().and_then(|number| number.parse().ok()).unwrap_or(0);
            old = start(header);
            new = header.split_once('+').map_or(0, |(_, rest)| start(rest));
            hunks.push(Vec::new());
            continue;
        }
        let Some(hunk) = hunks.last_mut() else { continue };
        let (in_old, in_new) = (!line.starts_with('+'), !line.starts_with('-'));
        if side == "LEFT" && in_old {
            hunk.push(old);
        }
        if side == "RIGHT" && in_new {
            hunk.push(new);
        }
        old += u64::from(in_old);
        new += u64::from(in_new);
    }
    hunks
}
