//! Decides which requests are answered, and adds security headers to every response.
//!
//! A page elsewhere can't use a spectator's browser to read a site on that spectator's machine: neither under another name of
//! this address nor over a WebSocket. Tested in this module and in `tests/site/hostile.rs`.

use std::net::IpAddr;

use axum::http::header::{
    ALLOW, CONTENT_SECURITY_POLICY, HOST, HeaderName, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Method, Request, StatusCode};
use axum::response::{IntoResponse, Response};

/// The Content-Security-Policy of our pages: they load nothing but what this site sends.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The host names under which requests are answered.
#[derive(Debug, Clone)]
pub struct Names {
    /// Whether every name is allowed: the site is meant for other machines, and no name was given.
    allows_any: bool,
    /// Names beside `localhost` and loopback addresses, which are always allowed.
    extra: Vec<String>,
}

impl Names {
    /// The names of a site that listens at that address. Every name is allowed if other machines can reach the address
    /// and `extra` is empty.
    #[must_use]
    pub fn new(listen: IpAddr, extra: Vec<String>) -> Names {
        Names { allows_any: !listen.is_loopback() && extra.is_empty(), extra }
    }

    /// Refuses what isn't GET or HEAD, names another host, or comes from a page of another site.
    ///
    /// # Errors
    /// The response that says why the request is refused.
    pub fn check<B>(&self, request: &Request<B>) -> Result<(), Box<Response>> {
        let refuse = |status: StatusCode, words: &'static str| Err(Box::new((status, words).into_response()));
        if ![Method::GET, Method::HEAD].contains(request.method()) {
            let mut answer =
                (StatusCode::METHOD_NOT_ALLOWED, "this site only shows: GET and HEAD\n").into_response();
            answer.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
            return Err(Box::new(answer));
        }
        let asked = request.uri().authority().cloned().or_else(|| authority(request.headers(), HOST));
        let Some(asked) = asked.filter(|_| request.headers().get_all(HOST).iter().count() <= 1) else {
            return refuse(StatusCode::BAD_REQUEST, "the request names no host\n");
        };
        let name = asked.host().trim_start_matches('[').trim_end_matches(']');
        let is_own =
            name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
        if !(self.allows_any || is_own || self.extra.iter().any(|known| known.eq_ignore_ascii_case(name))) {
            return refuse(
                StatusCode::MISDIRECTED_REQUEST,
                "this site isn't known by that name; its operator can add it with --name\n",
            );
        }
        let is_same_site = |origin: &HeaderValue| {
            let origin = origin.to_str().unwrap_or_default();
            origin
                .split_once("://")
                .is_some_and(|(_, authority)| authority.eq_ignore_ascii_case(asked.as_str()))
        };
        if request.headers().get(ORIGIN).is_some_and(|origin| !is_same_site(origin)) {
            return refuse(StatusCode::FORBIDDEN, "pages of other sites aren't answered\n");
        }
        Ok(())
    }
}

/// The host and port in the header `name`; `None` if it is missing or malformed.
pub fn authority(headers: &HeaderMap, name: HeaderName) -> Option<Authority> {
    headers.get(name)?.to_str().ok()?.parse().ok()
}

/// Adds the security headers to a response. A Content-Security-Policy that it has already stays.
pub fn add_headers(answer: &mut Response) {
    let headers = answer.headers_mut();
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(POLICY));
    for (name, value) in [
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(names: &Names, headers: &[(&str, &str)]) -> u16 {
        let request =
            headers.iter().fold(Request::get("/"), |request, (name, value)| request.header(*name, *value));
        names.check(&request.body(()).unwrap()).map_or_else(|answer| answer.status().as_u16(), |()| 200)
    }

    #[test]
    fn a_site_on_this_machine_answers_to_its_names_alone() {
        let loopback = "127.0.0.1".parse().unwrap();
        let names = Names::new(loopback, Vec::new());
        for good in ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "[::1]:8080"] {
            assert_eq!(status(&names, &[("host", good)]), 200, "{good}");
        }
        for bad in ["evil.example", "localhost.evil.example:8080", "10.0.0.1", "127.0.0.1.evil.example"] {
            assert_eq!(status(&names, &[("host", bad)]), 421, "{bad}");
        }
        assert_eq!(status(&names, &[]), 400);
        assert_eq!(status(&names, &[("host", "localhost"), ("host", "evil.example")]), 400);
        let proxied = Names::new(loopback, vec!["arena.example".to_owned()]);
        assert_eq!(status(&proxied, &[("host", "arena.example")]), 200);
        assert_eq!(status(&proxied, &[("host", "evil.example")]), 421);
        let open = Names::new("0.0.0.0".parse().unwrap(), Vec::new());
        assert_eq!(status(&open, &[("host", "arena.example")]), 200);
    }

    #[test]
    fn pages_of_other_sites_are_not_answered() {
        let names = Names::new("127.0.0.1".parse().unwrap(), Vec::new());
        let from = |origin| status(&names, &[("host", "localhost:8080"), ("origin", origin)]);
        assert_eq!(from("http://localhost:8080"), 200);
        for other in ["http://evil.example", "http://localhost:9090", "null", ""] {
            assert_eq!(from(other), 403, "{other}");
        }
    }
}
