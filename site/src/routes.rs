//! What is sent for which address.
//!
//! Sends pages, the arena's reports, records of matches that are over, the viewer, and messages of matches that run.
//! Never sends logs, notes, seeds, plans, results as files or bots. Tested in `tests/site/pages.rs` and
//! `tests/site/live.rs`.

use std::convert::Infallible;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Extension, RawQuery, Request, State};
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_ENCODING, CONTENT_LENGTH,
    CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HOST, IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::get;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};
use tokio::sync::{Mutex, watch};
use tokio::task::spawn_blocking;
use tokio::time::{interval, timeout};
use zappy_server::files::Bounded;
use zappy_server::games::GameTable;
use zappy_tournament::report;

use crate::access::{Names, add_headers, authority};
use crate::frame::{ORIGIN, escaped};
use crate::gzip::{Coding, Gzip, Key};
use crate::live::{End, Lives, MATCHES, News, Spectator};
use crate::page::{self, PageInput};
use crate::place::Place;
use crate::root::{Root, path_of};
use crate::setup::Setup;
use crate::shelf::{Shelf, running_at};
use crate::summary;
use crate::{match_state, picture, trust};

/// How long a page, and what lies below the folder, is taken for current.
const CURRENT: Duration = Duration::from_secs(1);
/// Pages that are kept for that time.
const KEPT_PAGES: usize = 64;
/// The longest report that is sent.
const REPORT_BYTES: u64 = 128 << 20;
/// The longest viewer that is sent.
const VIEWER_BYTES: u64 = 16 << 20;
/// The longest message that a spectator may send, in bytes; what it says is ignored.
const MESSAGE_BYTES: usize = 4 << 10;
/// The most messages that a spectator may send between two of our pings.
const HEARD_MESSAGES: usize = 64;
const PING_PAUSE: Duration = Duration::from_secs(20);
/// Pings in a row without an answer after which a spectator is disconnected.
const SILENT_PINGS: usize = 3;
/// A spectator that hasn't taken a message after this time is disconnected.
const SEND_TIME: Duration = Duration::from_secs(20);

/// The content type of pictures, which aren't compressed once more.
const PNG: &str = "image/png";

/// What a report may load: its own script and styles, which stand in it, and nothing else.
static REPORT_POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let [script, style] = [report::SCRIPT, report::STYLE]
        .map(|text| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text))));
    let policy = format!(
        "default-src 'none'; script-src {script}; style-src {style}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static("default-src 'none'"))
});

/// What the handlers of all addresses share.
#[derive(Debug)]
pub struct Shared {
    root: Arc<Root>,
    viewer: PathBuf,
    names: Names,
    games: GameTable,
    lives: Arc<Lives>,
    gzip: Gzip,
    made: Mutex<Made>,
    /// Becomes true when the site stops.
    stopped: watch::Receiver<bool>,
}

/// What was made within [`CURRENT`].
#[derive(Debug, Default)]
struct Made {
    shelf: Option<(Instant, Arc<Shelf>)>,
    /// Address with page number, when it was made, and the page, if there is one.
    pages: Vec<(String, Instant, Option<String>)>,
}

impl Shared {
    pub fn new(root: Root, setup: Setup, stopped: watch::Receiver<bool>) -> Shared {
        let Setup { listen, viewer, names, games, .. } = setup;
        Shared {
            root: Arc::new(root),
            viewer,
            names: Names::new(listen.ip(), names),
            games,
            lives: Arc::default(),
            gzip: Gzip::new(),
            made: Mutex::default(),
            stopped,
        }
    }

    pub fn router(self: &Arc<Shared>) -> Router {
        Router::new()
            .route("/", get(paged))
            .route("/folder", get(paged))
            .route("/folder/{*path}", get(paged))
            .route("/watch/{*path}", get(paged))
            .route("/live/{*path}", get(watch_live))
            .route("/record/{*path}", get(record))
            .route("/picture/{*path}", get(picture))
            .route("/report/{*path}", get(report_file))
            .route("/viewer.js", get(viewer))
            .route("/site.css", get(|| asset(page::CSS)))
            .route("/site.js", get(|| asset(page::RENEW)))
            .route("/watch.js", get(|| asset(page::WATCH)))
            .route("/icon.svg", get(|| asset(page::ICON)))
            .fallback(|| async { missing() })
            .with_state(Arc::clone(self))
    }
}

/// Answers a request, or says why not; every answer bears the same headers.
///
/// # Errors
/// Never.
pub async fn answer<F>(
    shared: &Shared,
    request: Request<hyper::body::Incoming>,
    route: impl FnOnce(Request<Body>) -> F,
) -> Result<Response, Infallible>
where
    F: Future<Output = Result<Response, Infallible>>,
{
    let mut answer = match shared.names.check(&request) {
        Ok(()) => route(request.map(Body::new)).await?,
        Err(refused) => *refused,
    };
    add_headers(&mut answer);
    Ok(answer)
}

async fn asset((kind, text): (&'static str, &'static str)) -> impl IntoResponse {
    ([(CONTENT_TYPE, kind), (CACHE_CONTROL, "max-age=60")], text)
}

fn missing() -> Response {
    (StatusCode::NOT_FOUND, Html(page::missing())).into_response()
}

fn failed(error: &io::Error) -> Response {
    match error.kind() {
        ErrorKind::FileTooLarge => {
            (StatusCode::PAYLOAD_TOO_LARGE, "it is too long to be sent\n").into_response()
        }
        ErrorKind::NotFound | ErrorKind::InvalidInput => missing(),
        _ => {
            log::warn!("can't send what was asked for: {error}");
            (StatusCode::INTERNAL_SERVER_ERROR, "it can't be sent; the site's log says why\n").into_response()
        }
    }
}

/// The path behind the first name of an address, as in `/watch/PATH`.
fn path(uri: &Uri) -> Option<PathBuf> {
    path_of(uri.path().strip_prefix('/')?.split_once('/')?.1)
}

/// A page, made once per [`CURRENT`], however many ask for it.
async fn paged(State(shared): State<Arc<Shared>>, uri: Uri, headers: HeaderMap) -> Response {
    let page = uri.query().and_then(|query| query.strip_prefix("page=")?.parse().ok()).unwrap_or(1);
    let key = format!("{}?{page}", uri.path());
    let mut made = shared.made.lock().await;
    made.pages.retain(|(_, when, _)| when.elapsed() < CURRENT);
    let known = made.pages.iter().find(|(known, ..)| *known == key).map(|(.., page)| page.clone());
    let html = match known {
        Some(html) => html,
        None => {
            let shelf = made.shelf.take().filter(|(when, _)| when.elapsed() < CURRENT);
            let (all, at) = (Arc::clone(&shared), uri.path().to_owned());
            let work = spawn_blocking(move || {
                let shelf = shelf.unwrap_or_else(|| (Instant::now(), Arc::new(Shelf::look(&all.root))));
                let html = make_page(&all, &shelf.1, &at, page);
                (shelf, html)
            });
            let Ok((shelf, html)) = work.await else { return failed(&ErrorKind::Other.into()) };
            made.shelf = Some(shelf);
            if made.pages.len() >= KEPT_PAGES {
                made.pages.remove(0);
            }
            made.pages.push((key, Instant::now(), html.clone()));
            html
        }
    };
    drop(made);
    let Some(html) = html else { return missing() };
    // The scheme and host by which the site was asked for, as a proxy before it says.
    let is_tls = headers.get("x-forwarded-proto").is_some_and(|scheme| scheme == "https");
    let scheme = if is_tls { "https" } else { "http" };
    let host = authority(&headers, HOST).map(|host| host.to_string()).unwrap_or_default();
    let html = html.replace(ORIGIN, &format!("{scheme}://{}", escaped(&host).into_string()));
    ([(CACHE_CONTROL, "no-cache")], Html(html)).into_response()
}

/// The page at an address; `None` if there is none.
fn make_page(shared: &Shared, shelf: &Shelf, address: &str, page: usize) -> Option<String> {
    let spectators = |at: &Path| shared.lives.spectators(at);
    let input = PageInput { root: &shared.root, games: shared.games, spectators: &spectators };
    let mut names = address.trim_start_matches('/').splitn(2, '/');
    let (first, rest) = (names.next()?, names.next());
    let at = match rest {
        // The served folder may itself be a tournament.
        None if first == "folder" => PathBuf::new(),
        None => return page::overview(&input, shelf, page),
        Some(rest) => path_of(rest)?,
    };
    if !shared.root.is_open(&at) {
        return None;
    }
    if first == "watch" {
        return page::watch(&input, &at, shared.viewer.is_file());
    }
    page::folder(&input, shelf, &at, page)
}

/// A record of a match that is over.
async fn record(
    State(shared): State<Arc<Shared>>,
    uri: Uri,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let Some((key, write)) = shared.record_at(&uri).await else { return missing() };
    let mut answer = shared.send(key, "text/plain; charset=utf-8", &headers, write).await;
    if query.as_deref() == Some("download") {
        let value = HeaderValue::from_static("attachment; filename=\"match.zrec\"");
        answer.headers_mut().insert(CONTENT_DISPOSITION, value);
    }
    answer
}

/// The small picture of a match that is over.
async fn picture(State(shared): State<Arc<Shared>>, uri: Uri, headers: HeaderMap) -> Response {
    let Some((key, write)) = shared.record_at(&uri).await else { return missing() };
    let draw = move |out: &mut dyn Write| {
        let mut record = Bounded::new(Vec::new(), summary::RETOLD_BYTES);
        write(&mut record)?;
        picture::write(&record.out, out)
    };
    shared.send(Key::new(("picture", key)), PNG, &headers, draw).await
}

/// A report's page as the arena wrote it.
async fn report_file(State(shared): State<Arc<Shared>>, uri: Uri, headers: HeaderMap) -> Response {
    let Some(at) = path(&uri) else { return missing() };
    // The arena's pages link to records; a click on one shows it.
    let is_click = headers.get("sec-fetch-dest").is_some_and(|dest| dest == "document");
    if is_click && uri.path().ends_with("/match.zrec") {
        let of_match = uri.path().trim_start_matches("/report/").trim_end_matches("/match.zrec");
        return Redirect::to(&format!("/watch/{of_match}")).into_response();
    }
    // A report links to `merged/watch.html?match=ID`, which shows a match when the report is opened from a disk. The site
    // sends its own page of that match instead.
    let folder = uri
        .path()
        .strip_prefix("/report/")
        .and_then(|rest| rest.strip_suffix(report::WATCH)?.strip_suffix('/'));
    let id = uri.query().and_then(|query| query.strip_prefix("match="));
    let id = id.filter(|id| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    if let (Some((tournament, _)), Some(id)) = (folder.and_then(|folder| folder.rsplit_once('/')), id) {
        return Redirect::to(&format!("/watch/{tournament}/matches/{id}")).into_response();
    }
    let kinds = [
        ("html", "text/html; charset=utf-8"),
        ("json", "application/json"),
        ("csv", "text/csv; charset=utf-8"),
        ("xml", "application/xml"),
    ];
    let ending = at.extension().and_then(|ending| ending.to_str());
    let kind = kinds.iter().find(|(known, _)| Some(*known) == ending);
    let Some((_, kind)) = kind else { return missing() };
    let found = shared.look(move |root| {
        let folder = at.parent().filter(|folder| root.is_open(folder))?;
        let hash = root.report(folder, at.file_name()?.to_str()?)?;
        Some((root.facts(&at).ok()?, root.file(&at).ok()?, hash, at))
    });
    let Some((facts, file, hash, at)) = found.await else { return missing() };
    let key = Key::new((&at, facts, &hash));
    let write = move |out: &mut dyn Write| trust::copy((file, hash), REPORT_BYTES, out);
    let mut answer = shared.send(key, kind, &headers, write).await;
    // A browser takes over the headers of a 304 for the report that it keeps.
    if [StatusCode::OK, StatusCode::NOT_MODIFIED].contains(&answer.status()) {
        answer.headers_mut().insert(CONTENT_SECURITY_POLICY, REPORT_POLICY.clone());
    }
    answer
}

/// The viewer that `make web` left.
async fn viewer(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Response {
    let path = shared.viewer.clone();
    let opened = spawn_blocking(move || {
        let file = zappy_server::files::open(&path)?;
        let facts = file.metadata()?;
        Ok::<_, io::Error>((facts.len(), facts.modified()?, file))
    });
    let Ok(Ok((length, when, file))) = opened.await else { return missing() };
    let write = move |out: &mut dyn Write| trust::copy((file, None), VIEWER_BYTES, out);
    let key = Key::new(("viewer", length, when));
    shared.send(key, "text/javascript; charset=utf-8", &headers, write).await
}

impl Shared {
    /// Looks into the folder on a thread that may wait for the disk.
    async fn look<T: Send + 'static>(
        &self,
        find: impl FnOnce(&Root) -> Option<T> + Send + 'static,
    ) -> Option<T> {
        let root = Arc::clone(&self.root);
        spawn_blocking(move || find(&root)).await.ok().flatten()
    }

    /// What the content of a match's full record depends on, and what writes it; `None` if no match at that address is
    /// over.
    async fn record_at(
        &self,
        uri: &Uri,
    ) -> Option<(Key, impl FnOnce(&mut dyn Write) -> io::Result<()> + Send + use<>)> {
        let at = path(uri)?;
        let found = self.look(move |root| {
            let found = summary::watchable(root, &at).filter(|_| root.is_open(&at))?;
            // A match that is played again has an old record beside the new one.
            running_at(root, found.path.parent()?).is_none().then_some(())?;
            Some((root.facts(&found.path).ok()?, root.file(&found.path).ok()?, found))
        });
        let (facts, file, found) = found.await?;
        let (key, games) = (Key::new((&found.path, facts, &found.hash)), self.games);
        Some((key, move |out: &mut dyn Write| found.write(file, games, out)))
    }

    /// Sends what `write` writes, of that content type, unless the browser has what the key stands for.
    async fn send(
        &self,
        key: Key,
        kind: &'static str,
        headers: &HeaderMap,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()> + Send + 'static,
    ) -> Response {
        let coding = if kind == PNG { Coding::Identity } else { Coding::Gzip };
        let tag = key.tag();
        let common = [
            (CACHE_CONTROL, "no-cache".to_owned()),
            (ETAG, tag.clone()),
            (VARY, "accept-encoding".to_owned()),
        ];
        if headers.get(IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes()) {
            return (StatusCode::NOT_MODIFIED, common).into_response();
        }
        let accepted = headers.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let takes_gzip = accepted
            .split(',')
            .any(|one| one.trim().split(';').next().is_some_and(|name| ["gzip", "*"].contains(&name.trim())));
        if coding == Coding::Gzip && !takes_gzip {
            let words =
                "this is sent compressed: ask for it with Accept-Encoding: gzip (curl --compressed)\n";
            return (StatusCode::NOT_ACCEPTABLE, words).into_response();
        }
        let packed = match self.gzip.get(key, coding, write).await {
            Ok(packed) => packed,
            Err(error) => return failed(&error),
        };
        let length = packed.length;
        let mut answer = (common, packed.body()).into_response();
        let own = answer.headers_mut();
        own.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        if coding == Coding::Gzip {
            own.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        own.insert(CONTENT_LENGTH, length.into());
        answer
    }
}

/// A match that runs, over a WebSocket.
async fn watch_live(
    State(shared): State<Arc<Shared>>,
    Extension(place): Extension<Arc<Place>>,
    uri: Uri,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    let Ok(upgrade) = upgrade else {
        return (StatusCode::UPGRADE_REQUIRED, "this is a WebSocket; the pages below /watch/ open it\n")
            .into_response();
    };
    let Some(at) = path(&uri) else { return missing() };
    let found = shared.look(move |root| {
        let running = running_at(root, &at).filter(|running| root.is_open(&running.at))?;
        let reached = summary::reached(root, &running.folder);
        Some((running, reached))
    });
    let Some((running, reached)) = found.await else { return missing() };
    let (root, folder) = (Arc::clone(&shared.root), running.folder);
    let question = move || Some(match_state::question(&summary::running_header(&root, &folder)?));
    let server = (running.server, running.of);
    let Some(spectator) = shared.lives.join(&running.at, server, Arc::new(question), reached) else {
        let words = format!("{MATCHES} matches are being watched already; try again when one is over\n");
        return (StatusCode::SERVICE_UNAVAILABLE, words).into_response();
    };
    let stopped = shared.stopped.clone();
    upgrade
        .max_message_size(MESSAGE_BYTES)
        .max_frame_size(MESSAGE_BYTES)
        .read_buffer_size(MESSAGE_BYTES)
        .write_buffer_size(0)
        .on_upgrade(move |socket| async move {
            send_match(socket, spectator, stopped).await;
            // Only now may another connection have the place.
            drop(place);
        })
}

/// Sends a spectator the match to its end. The spectator's messages are ignored; too many of them end the connection.
async fn send_match(mut socket: WebSocket, mut spectator: Spectator, mut stopped: watch::Receiver<bool>) {
    let (mut ping, mut heard, mut silent) = (interval(PING_PAUSE), 0, 0);
    ping.tick().await;
    let end = loop {
        tokio::select! {
            news = spectator.next() => match news {
                News::Lines(chunks) => {
                    for chunk in chunks {
                        if !sent(&mut socket, Message::Text(chunk)).await {
                            return;
                        }
                    }
                }
                News::End(end) => break end,
            },
            said = socket.recv() => match said {
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) if heard == HEARD_MESSAGES => return,
                Some(Ok(_)) => (heard, silent) = (heard + 1, 0),
            },
            _ = ping.tick() => {
                if silent == SILENT_PINGS || !sent(&mut socket, Message::Ping(Vec::new().into())).await {
                    return;
                }
                (heard, silent) = (0, silent + 1);
            }
            () = stop_asked(&mut stopped) => break End::Lost("the site stops"),
        }
    };
    let (code, reason) = match end {
        End::Over => (1000, "the match is over"),
        End::Lost(why) => (1001, why),
    };
    if sent(&mut socket, Message::Close(Some(CloseFrame { code, reason: reason.into() }))).await {
        // The spectator's own close frame is waited for; messages before it are ignored.
        let _ =
            timeout(Duration::from_secs(1), async { while let Some(Ok(_)) = socket.recv().await {} }).await;
    }
}

/// Waits until the site stops.
pub async fn stop_asked(stopped: &mut watch::Receiver<bool>) {
    // The sender isn't dropped before that, since the site outlives its connections.
    let _ = stopped.wait_for(|stopped| *stopped).await;
}

/// Whether the spectator took the message within [`SEND_TIME`].
async fn sent(socket: &mut WebSocket, message: Message) -> bool {
    matches!(timeout(SEND_TIME, socket.send(message)).await, Ok(Ok(())))
}
