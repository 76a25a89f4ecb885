//! Accepts connections, holds each to its limits, and ends them when the site stops.
//!
//! No connection can make another one wait: each has a task, a time in which its request must come, a time in which
//! what it is sent must be taken, and an end. Knows nothing of pages. Tested in `tests/site/hostile.rs`.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::http::Request;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;
use tower::ServiceExt;
use zappy_protocol::text::shown;

use crate::place::{Place, Places};
use crate::root::Root;
use crate::routes::{Shared, answer, stop_asked};
use crate::setup::Setup;
use crate::shelf::Shelf;

/// A connection is closed if a request's head, be it the first or a later one, hasn't come after this time.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// The most bytes that the head of a request may have.
const HEAD_BYTES: usize = 16 << 10;
/// The most headers that a request may have.
const HEADERS: usize = 64;
/// A connection is closed if for this long it takes nothing of what it is sent.
const WRITE_TIME: Duration = Duration::from_secs(20);
/// A connection ends after this time, whatever it does, unless it has become a spectator's web socket.
const CONNECTION_TIME: Duration = Duration::from_secs(600);
/// The pause after accepting has failed, for example since no descriptors are left.
const ACCEPT_RETRY: Duration = Duration::from_millis(100);
/// When the site stops, open connections have this long to end, and then spectators as long again.
const STOP_TIME: Duration = Duration::from_secs(2);

/// A site that listens and hasn't begun to answer.
#[derive(Debug)]
pub struct Site {
    listener: TcpListener,
    shared: Arc<Shared>,
    places: Arc<Places>,
    /// Becomes true when connections are to end.
    stop: watch::Sender<bool>,
}

/// Opens the folder and begins to listen.
///
/// # Errors
/// The folder can't be opened or the address can't be listened on; the words name the flag.
pub async fn open(setup: Setup) -> Result<Site, String> {
    let (folder, trust) = setup.trust()?;
    let failed = |error| format!("--folder {}: {error}", setup.folder.display());
    let root = Root::open(&folder, trust).map_err(failed)?;
    let path = |one: &PathBuf| shown(folder.join(one).as_os_str().as_encoded_bytes());
    let unsigned: Vec<String> = Shelf::look(&root).unsigned.iter().map(path).collect();
    if !unsigned.is_empty() {
        log::warn!(
            "not shown, since the arena of this user hasn't signed it: {}; if you trust it: {}",
            unsigned.join(", "),
            unsigned.iter().map(|path| format!("--trust '{path}'")).collect::<Vec<_>>().join(" ")
        );
    }
    let listener = TcpListener::bind(setup.listen)
        .await
        .map_err(|error| format!("--listen {}: {error}; take another port, or 0 for any", setup.listen))?;
    let (stop, stopped) = watch::channel(false);
    let places = Arc::new(Places::new(setup.connections, setup.per_address));
    Ok(Site { listener, shared: Arc::new(Shared::new(root, setup, stopped)), places, stop })
}

impl Site {
    /// Where it listens.
    ///
    /// # Errors
    /// Those of the system.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers requests until `stop` is ready, then lets open connections end.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let mut connections = JoinSet::new();
        tokio::pin!(stop);
        loop {
            tokio::select! {
                () = &mut stop => break,
                Some(_) = connections.join_next() => {}
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, from)) => {
                        let Some(place) = self.places.take(from.ip()) else { continue };
                        let (shared, stopped) = (Arc::clone(&self.shared), self.stop.subscribe());
                        connections.spawn(serve(stream, place, shared, stopped));
                    }
                    Err(error) => {
                        log::warn!("can't accept a connection: {error}");
                        sleep(ACCEPT_RETRY).await;
                    }
                }
            }
        }
        drop(self.listener);
        self.stop.send_replace(true);
        let _ = timeout(STOP_TIME, async { while connections.join_next().await.is_some() {} }).await;
        // Web sockets aren't among these connections any more: each holds its place until its spectator is told of the end.
        let _ = timeout(STOP_TIME, self.places.all_free()).await;
    }
}

async fn serve(
    stream: TcpStream,
    place: Arc<Place>,
    shared: Arc<Shared>,
    mut stopped: watch::Receiver<bool>,
) {
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(WRITE_TIME));
    let router = shared.router();
    let service = service_fn(move |mut request: Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(Arc::clone(&place));
        let (shared, router) = (Arc::clone(&shared), router.clone());
        async move { answer(&shared, request, |request| router.oneshot(request)).await }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        // A client that has closed its sending side still gets its response.
        .half_close(true)
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(HEAD_BYTES)
        .max_headers(HEADERS)
        .serve_connection(TokioIo::new(Box::pin(stream)), service)
        .with_upgrades();
    tokio::pin!(connection);
    let whole = async {
        tokio::select! {
            end = &mut connection => end,
            () = stop_asked(&mut stopped) => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        }
    };
    match timeout(CONNECTION_TIME, whole).await {
        Ok(Ok(())) | Err(_) => {}
        Ok(Err(error)) => log::debug!("a connection ended: {error}"),
    }
}
