//! The REST client: one origin, one token, bounded time.
//!
//! The token goes to the origin of the base address and nowhere else: neither a redirect nor a link to the next page takes it
//! along. It is in no message, no debug output and no error. Every wait and every loop has a bound.

use std::cell::Cell;
use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;
use ureq::http::{HeaderMap, Request};

use crate::failure::Failure;
use crate::ordered::OrderedSet;
use crate::text;

/// Time for one request, from the look-up of the name to the last byte.
const ONE_REQUEST: Duration = Duration::from_secs(30);
const TO_CONNECT: Duration = Duration::from_secs(10);
/// So long a single wait may be …
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// … and so long all of a run together.
const ALL_WAITS: Duration = Duration::from_secs(120);
/// So often a request is made.
const TRIES: u32 = 4;
/// So many redirects are followed, on the same origin.
const REDIRECTS: u32 = 3;
/// So many pages of a list are read; GitHub ends a list of files after 30 and has never more comments than that.
const PAGES: usize = 100;
/// The largest answer: a hundred comments of the greatest length, escaped.
const LARGEST_ANSWER: u64 = 64 << 20;

/// A secret. It has no way to be printed.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// The token, unless there is none.
    pub fn new(text: &str) -> Option<Token> {
        let text = text.trim();
        (!text.is_empty()).then(|| Token(text.to_owned()))
    }

    /// Whether the token belongs to an app's installation, as the one of GitHub Actions does: its author is a bot.
    pub fn is_of_an_app(&self) -> bool {
        self.0.starts_with("ghs_")
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(hidden)")
    }
}

/// What GitHub answered.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The body; `null` when there is none or it is no JSON.
    pub body: Value,
    /// The address of the next page, as the server gave it.
    next: Option<String>,
}

impl Answer {
    /// Whether the request was carried out.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Whether the token may not do that, or must not know that there is such a thing.
    pub fn is_refusal(&self) -> bool {
        matches!(self.status, 403 | 404 | 410)
    }

    /// What the server said, to be printed.
    pub fn words(&self) -> String {
        let said = self.body["message"].as_str().unwrap_or("no message");
        format!("{} {}", self.status, text::visible(&text::shorten(said, 200)))
    }
}

/// Whether a request may be made a second time when it is not known what became of the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat {
    /// A second time does no harm, or can be mended.
    Allowed,
    /// It would say the same thing twice.
    Forbidden,
}

/// A list of several pages.
#[derive(Debug)]
pub enum Listed {
    /// All entries; a warning when the list may be incomplete.
    All(Vec<Value>, Option<String>),
    /// The first page was refused.
    Refused(Answer),
}

/// Speaks with one GitHub.
pub struct Client {
    agent: ureq::Agent,
    /// Without a final slash.
    base: String,
    token: Option<Token>,
    waited: Cell<Duration>,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("base", &self.base).field("token", &self.token).finish_non_exhaustive()
    }
}

impl Client {
    /// A client for the API at this address. `roots` is a PEM file of the authorities to trust instead of Mozilla's.
    ///
    /// # Errors
    /// When the address is none, or would send the token over the network in the clear; when there is no certificate in `roots`.
    pub fn new(base: &str, token: Option<Token>, roots: Option<&[u8]>) -> Result<Client, Failure> {
        let base = base.trim().trim_end_matches('/').to_owned();
        check_base(&base)?;
        let odd = |token: &Token| !token.0.bytes().all(|byte| byte.is_ascii_graphic());
        if token.as_ref().is_some_and(odd) {
            return Err(Failure::usage(
                "the token has characters that no token has",
                "check GITHUB_TOKEN: is it one line, without spaces inside?",
            ));
        }
        let tls = ureq::tls::TlsConfig::builder();
        let tls = match roots {
            Some(pem) => tls.root_certs(authorities(pem)?),
            None => tls,
        };
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_global(Some(ONE_REQUEST))
            .timeout_connect(Some(TO_CONNECT))
            .tls_config(tls.build())
            .user_agent(concat!("wireproof/", env!("CARGO_PKG_VERSION")))
            .build();
        Ok(Client { agent: config.new_agent(), base, token, waited: Cell::new(Duration::ZERO) })
    }

    /// Asks for something.
    ///
    /// # Errors
    /// When there is no usable answer.
    pub fn get(&self, path: &str) -> Result<Answer, Failure> {
        self.send("GET", &format!("{}{path}", self.base), None, Repeat::Allowed)
    }

    /// Changes something.
    ///
    /// # Errors
    /// When there is no usable answer.
    pub fn change(
        &self,
        method: &'static str,
        path: &str,
        body: Option<&Value>,
        repeat: Repeat,
    ) -> Result<Answer, Failure> {
        self.send(method, &format!("{}{path}", self.base), body, repeat)
    }

    /// All pages of a list of things with an `id` or a `filename`.
    ///
    /// Ends where there is no further page, where a page brings nothing new, and where the next one is on another origin.
    ///
    /// # Errors
    /// When there is no usable answer.
    pub fn list(&self, path: &str) -> Result<Listed, Failure> {
        let mut address = format!("{}{path}", self.base);
        let mut entries: Vec<Value> = Vec::new();
        let mut seen = OrderedSet::new();
        for page in 0..PAGES {
            let answer = self.send("GET", &address, None, Repeat::Allowed)?;
            if !answer.is_success() {
                return match page {
                    0 => Ok(Listed::Refused(answer)),
                    _ => Err(unexpected("GET", path, &answer)),
                };
            }
            let Value::Array(found) = answer.body else {
                return Err(nonsense(path, "the answer is not a list"));
            };
            let before = entries.len();
            entries.extend(found.into_iter().filter(|entry| seen.insert(identity(entry))));
            match answer.next {
                Some(next) if entries.len() > before => {
                    if origin(&next) != origin(&self.base) {
                        let warning =
                            format!("the next page of {path} is said to be on another host; it was not asked for");
                        return Ok(Listed::All(entries, Some(warning)));
                    }
                    address = next;
                }
                _ => return Ok(Listed::All(entries, None)),
            }
        }
        Ok(Listed::All(entries, Some(format!("only the first {PAGES} pages of {path} were read"))))
    }

    fn send(
        &self,
        method: &'static str,
        address: &str,
        body: Option<&Value>,
        repeat: Repeat,
    ) -> Result<Answer, Failure> {
        let mut address = address.to_owned();
        let (mut tries, mut redirects) = (0, 0);
        loop {
            tries += 1;
            let (what, wait) = match self.once(method, &address, body) {
                Ok((answer, headers)) => {
                    if let Some(next) = redirection(&answer, &headers, &self.base) {
                        address = next?;
                        redirects += 1;
                        if redirects > REDIRECTS {
                            return Err(nonsense(path_of(&address), "too many redirects"));
                        }
                        continue;
                    }
                    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                    match pause(answer.status, &headers, tries, now) {
                        Pause::No if answer.status == 401 => return Err(unknown_token(&answer)),
                        Pause::No => return Ok(answer),
                        Pause::For(_) if answer.status >= 500 && repeat == Repeat::Forbidden => {
                            return Err(unexpected(method, path_of(&address), &answer));
                        }
                        Pause::For(wait) => (answer.words(), wait),
                    }
                }
                Err(Lost::NotSent(words)) => (words, backoff(tries)),
                Err(Lost::Distrusted(words)) => return Err(distrusted(&words)),
                Err(Lost::Unknown(words)) if repeat == Repeat::Allowed => (words, backoff(tries)),
                Err(Lost::Unknown(words)) => return Err(gave_up(method, path_of(&address), &words, tries)),
            };
            let waited = self.waited.get() + wait;
            if tries >= TRIES || wait > LONGEST_WAIT || waited > ALL_WAITS {
                let what = if wait > LONGEST_WAIT { format!("{what}; to be tried again in {wait:?}") } else { what };
                return Err(gave_up(method, path_of(&address), &what, tries));
            }
            self.waited.set(waited);
            std::thread::sleep(wait);
        }
    }

    fn once(&self, method: &str, address: &str, body: Option<&Value>) -> Result<(Answer, HeaderMap), Lost> {
        let mut request = Request::builder()
            .method(method)
            .uri(address)
            .header("Accept", "application/vnd.github+json")
            .header("X-GitHub-Api-Version", "2022-11-28");
        // Every address that comes here was checked against the base before; once more, because this is where it counts.
        if let (Some(token), true) = (&self.token, origin(address) == origin(&self.base)) {
            request = request.header("Authorization", format!("Bearer {}", token.0));
        }
        let sent = match body {
            Some(body) => request
                .header("Content-Type", "application/json")
                .body(body.to_string())
                .map_err(ureq::Error::from)
                .and_then(|request| self.agent.run(request)),
            None => request.body(()).map_err(ureq::Error::from).and_then(|request| self.agent.run(request)),
        };
        let mut response = sent.map_err(|error| lost(&error))?;
        let headers = response.headers().clone();
        let bytes = response.body_mut().with_config().limit(LARGEST_ANSWER).read_to_vec();
        let bytes = bytes.map_err(|error| Lost::Unknown(words(&error)))?;
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        let next = header(&headers, "link").and_then(next_page);
        Ok((Answer { status: response.status().as_u16(), body, next }, headers))
    }
}

/// A request without an answer.
enum Lost {
    /// It did not reach the server.
    NotSent(String),
    /// It may have.
    Unknown(String),
    /// The server could not show who it is; it will not be able to the next time either.
    Distrusted(String),
}

fn lost(error: &ureq::Error) -> Lost {
    match error {
        ureq::Error::HostNotFound | ureq::Error::ConnectionFailed => Lost::NotSent(words(error)),
        ureq::Error::Timeout(ureq::Timeout::Connect | ureq::Timeout::Resolve) => Lost::NotSent(words(error)),
        ureq::Error::Io(io) if io.kind() == std::io::ErrorKind::ConnectionRefused => Lost::NotSent(words(error)),
        ureq::Error::Tls(_) | ureq::Error::Rustls(_) => Lost::Distrusted(words(error)),
        ureq::Error::Io(io) if io.to_string().contains("certificate") => Lost::Distrusted(words(error)),
        _ => Lost::Unknown(words(error)),
    }
}

fn words(error: &ureq::Error) -> String {
    text::visible(&text::shorten(&error.to_string(), 200)).into_owned()
}

/// Whether to try again, and when.
#[derive(Debug, PartialEq, Eq)]
enum Pause {
    No,
    For(Duration),
}

/// What an answer asks for: nothing, or a wait. A plain 403 is a refusal; one with the headers of a rate limit is not.
fn pause(status: u16, headers: &HeaderMap, tries: u32, now: Duration) -> Pause {
    let seconds = |name| header(headers, name).and_then(|value| value.trim().parse::<u64>().ok());
    let after = seconds("retry-after").map(Duration::from_secs);
    let spent = header(headers, "x-ratelimit-remaining").is_some_and(|left| left.trim() == "0");
    // A second more: the clocks differ, and the limit is lifted after that second.
    let reset = seconds("x-ratelimit-reset")
        .filter(|_| spent)
        .map(|reset| Duration::from_secs(reset).saturating_sub(now) + Duration::from_secs(1));
    match status {
        500.. => Pause::For(after.unwrap_or_else(|| backoff(tries))),
        429 => Pause::For(after.or(reset).unwrap_or_else(|| backoff(tries))),
        403 => after.or(reset).map_or(Pause::No, Pause::For),
        _ => Pause::No,
    }
}

/// One second, then two, then four.
fn backoff(tries: u32) -> Duration {
    Duration::from_secs(1 << tries.saturating_sub(1).min(3))
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// Where a redirect leads, when it stays on the origin; a repository that was renamed answers so.
fn redirection(answer: &Answer, headers: &HeaderMap, base: &str) -> Option<Result<String, Failure>> {
    if !matches!(answer.status, 301 | 302 | 307 | 308) {
        return None;
    }
    let Some(location) = header(headers, "location") else {
        return Some(Err(nonsense("the answer", "a redirect leads nowhere")));
    };
    let target = match location.strip_prefix('/') {
        Some(rest) if !rest.starts_with('/') => format!("{}/{rest}", origin(base).unwrap_or_default()),
        _ => location.to_owned(),
    };
    if origin(&target).is_some() && origin(&target) == origin(base) {
        return Some(Ok(target));
    }
    Some(Err(Failure::could_not_tell(
        "GitHub redirects to another host; the token stays where it is",
        "check GITHUB_API_URL or `--api-url`: it must be the address of the API itself",
    )))
}

/// `scheme://host:port` in lower case; `None` for anything else, and where a user name hides the host.
fn origin(address: &str) -> Option<String> {
    let (scheme, rest) = address.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next().filter(|host| !host.is_empty())?;
    let odd = |c: char| c == '@' || c == '\\' || c.is_whitespace() || c.is_control();
    if host.contains(odd) {
        return None;
    }
    Some(format!("{scheme}://{host}").to_ascii_lowercase())
}

fn path_of(address: &str) -> &str {
    address.split_once("://").and_then(|(_, rest)| rest.find('/').map(|at| &rest[at..])).unwrap_or(address)
}

fn check_base(base: &str) -> Result<(), Failure> {
    let help =
        "set GITHUB_API_URL or `--api-url` to something like https://api.github.com or https://ghe.example.org/api/v3";
    let shown = || text::visible(&text::shorten(base, 100)).into_owned();
    let Some(origin) = origin(base).filter(|_| !base.contains(['?', '#'])) else {
        return Err(Failure::usage(format!("`{}` is no address of an API", shown()), help));
    };
    let host = origin.split_once("://").map_or("", |(_, host)| host);
    let host = host
        .strip_prefix('[')
        .map_or_else(|| host.split(':').next().unwrap_or(host), |rest| rest.split(']').next().unwrap_or(rest));
    let is_here = host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
    match (origin.starts_with("https://"), origin.starts_with("http://")) {
        (true, _) => Ok(()),
        (_, true) if is_here => Ok(()),
        _ => Err(Failure::usage(format!("`{}` would send the token in the clear", shown()), help)),
    }
}

/// The certificates of a PEM file; what else it holds does not matter.
fn authorities(pem: &[u8]) -> Result<ureq::tls::RootCerts, Failure> {
    let certificate = |item| match item {
        Ok(ureq::tls::PemItem::Certificate(certificate)) => Some(certificate),
        _ => None,
    };
    let found: Vec<_> = ureq::tls::parse_pem(pem).filter_map(certificate).collect();
    if found.is_empty() {
        return Err(Failure::usage(
            "the file that SSL_CERT_FILE names holds no certificate",
            "give a PEM file with the certificate of the authority, or unset SSL_CERT_FILE to use Mozilla's",
        ));
    }
    Ok(ureq::tls::RootCerts::new_with_certs(&found))
}

/// The address with `rel="next"` in a `Link` header.
fn next_page(link: &str) -> Option<String> {
    link.split(',').find_map(|entry| {
        let (address, relation) = entry.trim().strip_prefix('<')?.split_once('>')?;
        let is_next = relation.split(';').any(|part| matches!(part.trim(), "rel=\"next\"" | "rel=next"));
        is_next.then(|| address.to_owned())
    })
}

/// What tells entries apart: a server that does not know pages gives the first one for ever.
fn identity(entry: &Value) -> String {
    entry.get("id").or_else(|| entry.get("filename")).unwrap_or(entry).to_string()
}

/// What to do when GitHub cannot be reached.
const LATER: &str = "the report is not lost: the exit code and the files of `wireproof check` stand; run the job again to have the comment";

fn gave_up(method: &str, path: &str, words: &str, tries: u32) -> Failure {
    let times = text::plural(tries as usize, "try").replace("trys", "tries");
    Failure::could_not_tell(format!("GitHub did not do {method} {} after {times}: {words}", shown(path)), LATER)
}

/// An answer that nothing is made of.
pub fn unexpected(method: &str, path: &str, answer: &Answer) -> Failure {
    Failure::could_not_tell(format!("GitHub did not do {method} {}: {}", shown(path), answer.words()), LATER)
}

fn distrusted(words: &str) -> Failure {
    Failure::could_not_tell(
        format!("the server is not trusted, so nothing was sent to it: {words}"),
        "check the address of the API; for an authority of your own set SSL_CERT_FILE to its certificate",
    )
}

fn nonsense(path: &str, why: &str) -> Failure {
    Failure::could_not_tell(
        format!("{}: {why}", shown(path)),
        "check GITHUB_API_URL or `--api-url`: is it the address of GitHub's REST API?",
    )
}

fn unknown_token(answer: &Answer) -> Failure {
    Failure::usage(
        format!("GitHub does not know the token: {}", answer.words()),
        "check GITHUB_TOKEN: in a workflow it is `${{ github.token }}`; other tokens expire",
    )
}

fn shown(path: &str) -> String {
    text::visible(&text::shorten(path, 160)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| ((*name).parse().expect("a name"), value.parse().expect("a value"))).collect()
    }

    #[test]
    fn a_token_cannot_be_printed() {
        let token = Token::new(" ghs_secret\n").expect("a token");
        assert_eq!(format!("{token:?}"), "Token(hidden)");
        let client = Client::new("https://api.github.com", Some(token), None).expect("a client");
        assert!(!format!("{client:?}").contains("secret"));
        assert!(Token::new("  ").is_none());
    }

    #[test]
    fn waits_follow_the_headers_and_a_plain_refusal_is_final() {
        let now = Duration::from_secs(1000);
        let of = |status, pairs: &[(&'static str, &str)], tries| pause(status, &headers(pairs), tries, now);
        let seconds = |count| Pause::For(Duration::from_secs(count));
        assert_eq!(of(200, &[], 1), Pause::No);
        assert_eq!(of(403, &[], 1), Pause::No);
        assert_eq!(of(403, &[("x-ratelimit-remaining", "4000"), ("x-ratelimit-reset", "1030")], 1), Pause::No);
        assert_eq!(of(403, &[("retry-after", "7")], 1), seconds(7));
        assert_eq!(of(403, &[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1030")], 1), seconds(31));
        assert_eq!(of(429, &[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "10")], 1), seconds(1));
        assert_eq!(of(429, &[], 2), seconds(2));
        assert_eq!(of(502, &[], 3), seconds(4));
        assert_eq!(of(503, &[("retry-after", "86400")], 1), seconds(86400));
    }

    #[test]
    fn the_next_page_is_the_one_that_says_so() {
        let link = "<https://api.github.com/x?page=1>; rel=\"prev\", <https://api.github.com/x?page=3>; rel=\"next\"";
        assert_eq!(next_page(link).as_deref(), Some("https://api.github.com/x?page=3"));
        assert_eq!(next_page("<https://api.github.com/x?page=1>; rel=\"last\""), None);
        assert_eq!(next_page("nonsense"), None);
    }

    #[test]
    fn an_origin_is_not_fooled() {
        assert_eq!(origin("HTTPS://Api.GitHub.com/x"), Some("https://api.github.com".to_owned()));
        assert_ne!(origin("https://api.github.com.evil.example/x"), origin("https://api.github.com"));
        assert_ne!(origin("http://api.github.com"), origin("https://api.github.com"));
        assert_eq!(origin("https://api.github.com@evil.example/"), None);
        assert_eq!(origin("https://evil.example\\@api.github.com/"), None);
        assert_eq!(origin("//api.github.com"), None);
    }

    #[test]
    fn a_redirect_stays_on_the_origin() {
        let base = "https://ghe.example.org/api/v3";
        let to = |location: &str| {
            let answer = Answer { status: 301, body: Value::Null, next: None };
            redirection(&answer, &headers(&[("location", location)]), base).expect("a redirect")
        };
        assert_eq!(to("/api/v3/repositories/1"), Ok("https://ghe.example.org/api/v3/repositories/1".to_owned()));
        assert_eq!(to("https://ghe.example.org/y"), Ok("https://ghe.example.org/y".to_owned()));
        for elsewhere in ["https://evil.example/", "//evil.example/", "http://ghe.example.org/", "y", ""] {
            assert!(to(elsewhere).is_err(), "{elsewhere}");
        }
    }

    #[test]
    fn a_base_address_is_safe_or_refused() {
        for good in
            ["https://api.github.com", "https://ghe.example.org/api/v3/", "http://127.0.0.1:8080", "http://[::1]:80"]
        {
            assert!(Client::new(good, None, None).is_ok(), "{good}");
        }
        for bad in ["", "api.github.com", "http://ghe.example.org", "ftp://x", "https://u:p@x", "https://x?y"] {
            assert!(Client::new(bad, None, None).is_err(), "{bad}");
        }
        assert!(Client::new("https://x", None, Some(b"no certificate")).is_err());
    }
}
