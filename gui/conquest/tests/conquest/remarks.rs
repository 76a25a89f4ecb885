//! Each sentence of the commentary on a match, counted anew from the world at its tick; and what a battle is called.

use zappy_observer::instant::Instant;
use zappy_observer::screen::Screen as _;
use zappy_observer::timeline::fold::History as _;
use zappy_protocol::conquest::mirror::Mirror;
use zappy_protocol::conquest::observer::Message;
use zappy_protocol::record::{Entry, RecordLine};
use zappy_screen_conquest::deeds::MomentKind;
use zappy_screen_conquest::story::ConquestStory;
use zappy_screen_conquest::words::moment;

use super::{SIZE, opened};

fn has(mirror: &Mirror, name: &str) -> zappy_protocol::conquest::Holdings {
    let known = mirror.factions.iter().find(|known| known.name.as_str() == name);
    known.unwrap_or_else(|| panic!("no faction {name}")).holdings
}

/// The number in a word such as `1,234`.
fn number(word: &str) -> i64 {
    word.replace(',', "").replace('−', "-").parse().unwrap_or_else(|_| panic!("{word:?} is no number"))
}

/// Whether it is so; nothing of a sentence that isn't checked here.
fn holds(says: &str, mirror: &Mirror) -> Option<bool> {
    let words: Vec<&str> = says.trim_end_matches([';', ',']).split(' ').collect();
    Some(match &words[..] {
        [a, "takes", "the", "lead", "from", b, "in", "turn", turn] => {
            has(mirror, a).score > has(mirror, b).score && i64::from(mirror.turn) == number(turn)
        }
        [a, "has", "twice", "the", "land", "of", b, ..] => {
            let b = b.trim_end_matches(',');
            has(mirror, a).land >= 2 * has(mirror, b).land
        }
        [a, "has", share, "%", "of", "the", "land;", ..] => {
            i64::from(has(mirror, a).land) * 100 / mirror.tiles.len() as i64 == number(share)
        }
        ["From", "now", "on", "less", "and", "less", "land", "wins:", need, ..] => {
            i64::from(mirror.dominion.as_ref().unwrap().need) == number(need)
        }
        ["the", "last", left, "turns", "begin", "with", b, points, _, "behind", a] => {
            let turns = mirror.options.as_ref().unwrap().turns;
            let apart = has(mirror, a).score - has(mirror, b).score;
            i64::from(turns - mirror.turn) == number(left) && apart == number(points)
        }
        _ => return None,
    })
}

#[test]
fn what_is_said_of_a_match_is_so_and_nothing_is_said_twice() {
    let (mut story, mut told, mut checked) = (ConquestStory::default(), 0, 0);
    for line in super::bytes().split(|byte| *byte == b'\n') {
        let (tick, text) = match RecordLine::parse(line) {
            Ok(RecordLine::Snapshot(text)) => (0, text),
            Ok(RecordLine::Event(tick, Entry::Published(text))) => (tick, text),
            _ => continue,
        };
        let Ok(message) = Message::parse(&text) else { continue };
        let _ = story.take(tick, &message);
        let said = story.overview.commentary.remarks.all();
        for remark in &said[told..] {
            let so = holds(&remark.says, &story.state.mirror);
            assert_ne!(so, Some(false), "in turn {}: {}", story.state.mirror.turn, remark.says);
            checked += u32::from(so.is_some());
        }
        told = said.len();
    }
    let mut said: Vec<&str> =
        story.overview.commentary.remarks.all().iter().map(|one| &one.says[..]).collect();
    assert!(checked >= 3, "{checked} of {said:#?}");
    let all = said.len();
    said.sort_unstable();
    said.dedup();
    assert_eq!(said.len(), all);
    let battles = story.overview.tally.moments.iter().filter(|one| matches!(one.kind, MomentKind::Battle(_)));
    let battles: Vec<String> = battles.map(|one| moment(one, &story.overview)).collect();
    assert!(battles.iter().any(|says| says.contains(" gate")), "{battles:#?}");
    assert!(battles.iter().any(|says| says.contains(" in turns ")), "{battles:#?}");
}

#[test]
fn what_is_seen_is_told_as_text_too() {
    let (_folder, mut app, mut canvas) = opened();
    app.watch.screen.telling.on = true;
    let moments = app.watch.session.overview().tally.moments.clone();
    let news = moments.iter().find_map(|one| {
        app.watch.stop_at(one.tick);
        app.update(0.0, Instant::now());
        app.shown().headline()
    });
    app.frame(0.0, SIZE.0, SIZE.1, 1.0, &mut canvas);
    let told = app.watch.screen.telling.text.take().unwrap();
    let shown = app.shown();
    let says = moment(&moments[news.unwrap()], shown.story);
    assert!(told.starts_with(&format!("{says}. ")), "{told}");
    for racer in zappy_screen_conquest::panels::scoreboard::race(&shown) {
        let leads = if racer.leads { " leads" } else { "" };
        assert!(told.contains(&format!("{}{leads}: {}", racer.name, racer.says[0])), "{racer:?}: {told}");
    }
}
