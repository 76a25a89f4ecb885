//! The frame of every page, and other people's text in it. Knows no page. Tested in `tests/site/pages.rs`.

use std::time::SystemTime;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use zappy_tournament::report::in_html;

/// Escapes text that others wrote. Invisible characters, and those that turn the writing direction, become marks.
pub fn escaped(text: &str) -> Markup {
    PreEscaped(in_html(text))
}

/// Stands in a page for this site's scheme and host, which are filled in when it is sent: previews of links need whole
/// addresses. [`escaped`] leaves none in text of others.
pub const ORIGIN: &str = "\0";

/// A whole page. `about` is for the previews of links: what the page is about, and the address of a picture if it has
/// one. Browsers without scripts load a page that is `renewed` again every 10 seconds.
pub fn page(
    title: &str,
    scripts: &[&str],
    about: Option<(&str, Option<String>)>,
    renewed: bool,
    body: &Markup,
) -> String {
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (escaped(title)) }
                @if let Some((about, picture)) = about {
                    meta name="description" content=(escaped(about));
                    meta property="og:title" content=(escaped(title));
                    meta property="og:description" content=(escaped(about));
                    @if let Some(picture) = picture {
                        meta property="og:image" content={ (ORIGIN) (picture) };
                        meta name="twitter:card" content="summary_large_image";
                    }
                }
                link rel="icon" href="/icon.svg";
                link rel="stylesheet" href="/site.css";
                @if renewed { noscript { meta http-equiv="refresh" content="10"; } }
                @for script in scripts { script src=(script) defer {} }
            }
            (body)
        }
    };
    markup.into_string()
}

/// The body of every page but the viewer's: the content below the site's header.
pub fn in_frame(content: &Markup) -> Markup {
    html! {
        body {
            header { a href="/" { "Zappy Arena" } }
            main { (content) }
        }
    }
}

/// A page that renews itself while it is looked at.
pub fn listing(title: &str, content: &Markup) -> String {
    page(title, &["/site.js"], None, true, &in_frame(content))
}

/// How long ago, in words.
pub fn ago(when: SystemTime) -> String {
    let seconds = when.elapsed().map_or(0, |since| since.as_secs());
    match seconds {
        0..=89 => format!("{seconds} s ago"),
        90..=5399 => format!("{} min ago", seconds.div_euclid(60)),
        5400..=172_799 => format!("{} h ago", seconds.div_euclid(3600)),
        _ => format!("{} days ago", seconds.div_euclid(86_400)),
    }
}
