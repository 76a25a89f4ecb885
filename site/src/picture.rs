//! A small picture of a match: the map at its last moment, and the race of its teams.
//!
//! For the list of matches, and for the previews of links, which take no other format. Draws what a retelling knows and
//! decides nothing. Tested in this module and in `tests/site/pages.rs`.

use std::io::{self, ErrorKind, Write};

use zappy_protocol::commentary::{PictureTile, Retells};
use zappy_protocol::palette::{TEAM_COLORS, places};
use zappy_protocol::{MapSize, TeamName, Tick};

use crate::summary::retell;

/// Width and height in pixels, in the proportion that previews of links have.
pub const SIZE: (usize, usize) = (480, 252);
/// Pixels that stay free around the map and the race.
const EDGE: usize = 12;
/// The longer side of the map in pixels.
const MAP: usize = SIZE.1 - 2 * EDGE;
/// The left edge and the width of the race, in pixels.
const RACE: (usize, usize) = (MAP + 3 * EDGE, SIZE.0 - MAP - 4 * EDGE);
/// How thick a team's line in the race is, in pixels.
const LINE_HEIGHT: usize = 3;

// Colours, as 0xRRGGBB.
const BACKGROUND: u32 = 0x0c_10_18;
const GROUND: u32 = 0x17_1e_2b;
/// Of a tile with the most resources.
const RICH: u32 = 0x4f_78_62;
/// Of the line at which the race begins, and of what belongs to no known team.
const FRAME: u32 = 0x26_30_41;

/// Writes the picture of a match that is over as PNG, from its full record.
///
/// # Errors
/// [`ErrorKind::NotFound`] if the record has no map or no end, and those of the writer.
pub fn write(record: &[u8], out: &mut dyn Write) -> io::Result<()> {
    let mut race: Vec<Vec<(TeamName, u32)>> = Vec::new();
    let look = |retelling: &dyn Retells, tick: Tick, end: Tick| {
        let column = tick.min(end) as usize * (RACE.1 - 1) / (end.max(1) as usize);
        if race.len() <= column {
            race.resize(column + 1, retelling.race());
        }
    };
    let retelling = retell(record, look).ok_or(ErrorKind::NotFound)?;
    let map = retelling.map().ok_or(ErrorKind::NotFound)?;
    race.push(retelling.race());
    let pixels = draw(&map, &race);
    let mut encoder = png::Encoder::new(out, SIZE.0 as u32, SIZE.1 as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header()?.write_image_data(&pixels)?;
    Ok(())
}

/// The picture's pixels, row by row, three bytes each. Each column of the race has each team's progress in thousandths.
fn draw((size, tiles): &(MapSize, Vec<PictureTile>), race: &[Vec<(TeamName, u32)>]) -> Vec<u8> {
    let teams: Vec<TeamName> = race.last().into_iter().flatten().map(|(team, _)| team.clone()).collect();
    let colors: Vec<u32> =
        places(&teams).into_iter().map(|place| TEAM_COLORS[place % TEAM_COLORS.len()].0).collect();
    let mut picture = vec![BACKGROUND; SIZE.0 * SIZE.1];
    let (width, height) = (usize::from(size.width()), usize::from(size.height()));
    let longest = width.max(height);
    let (wide, high) = (MAP * width / longest, MAP * height / longest);
    let (left, top) = (EDGE + (MAP - wide) / 2, EDGE + (MAP - high) / 2);
    for y in 0..high {
        for x in 0..wide {
            let index = y * longest / MAP * width + x * longest / MAP;
            // How far from the middle of its tile the pixel is, in sixteenths of half a side.
            let offset = |along: usize| (along * longest * 16 / MAP % 16 * 2).abs_diff(15);
            let Some(tile) = tiles.get(index) else { continue };
            picture[(top + y) * SIZE.0 + left + x] = color(tile, offset(x).max(offset(y)), &colors);
        }
    }
    // A line for each team from the left to the right, the higher the further the team is; the leader's is drawn last.
    let top_of = |progress: u32| EDGE + (1_000 - progress.min(1_000) as usize) * (MAP - LINE_HEIGHT) / 1_000;
    let mut column = |x: usize, from: usize, to: usize, color: u32| {
        for y in from.min(to)..from.max(to) + LINE_HEIGHT {
            picture[y * SIZE.0 + RACE.0 + x] = color;
        }
    };
    for x in 0..RACE.1 {
        column(x, top_of(0), top_of(0), FRAME);
    }
    let mut order: Vec<(usize, u32)> =
        race.last().into_iter().flatten().map(|(_, progress)| *progress).enumerate().collect();
    order.sort_by_key(|(_, progress)| *progress);
    for (team, _) in order {
        let progress = |column: &Vec<(TeamName, u32)>| column.get(team).map_or(0, |(_, progress)| *progress);
        let mut before = race.first().map_or(0, progress);
        for x in 0..RACE.1 {
            let now = race.get(x).or(race.last()).map_or(0, progress);
            column(x, top_of(before), top_of(now), colors[team]);
            before = now;
        }
    }
    picture.into_iter().flat_map(|color| color.to_be_bytes().into_iter().skip(1)).collect()
}

/// The colour of a tile at `offset` sixteenths of half a side from its middle.
fn color(tile: &PictureTile, offset: usize, colors: &[u32]) -> u32 {
    let team = |team: usize| colors.get(team).copied().unwrap_or(FRAME);
    match (tile.piece, tile.owner) {
        (Some((of, size)), _) if offset <= 6 + usize::from(size) => team(of),
        (Some(_), Some(owner)) => mixed(team(owner), BACKGROUND, 5),
        (None, Some(owner)) => mixed(team(owner), GROUND, 3),
        (_, None) => mixed(GROUND, RICH, u32::from(tile.riches.min(8))),
    }
}

/// The colour `one` with `eighths` eighths of `other` in it.
fn mixed(one: u32, other: u32, eighths: u32) -> u32 {
    let part = |shift: u32| {
        let (one, other) = (one >> shift & 0xff, other >> shift & 0xff);
        ((one * (8 - eighths) + other * eighths) / 8) << shift
    };
    part(16) | part(8) | part(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_and_the_race_have_the_colours_of_the_teams() {
        let name = |name: &str| TeamName::parse(name.as_bytes()).unwrap();
        let mut tiles = vec![PictureTile::default(); 16 * 4];
        tiles[0] = PictureTile { owner: Some(1), ..PictureTile::default() };
        tiles[63] = PictureTile { piece: Some((0, 8)), ..PictureTile::default() };
        let race =
            [vec![(name("red"), 0), (name("blue"), 0)], vec![(name("red"), 1_000), (name("blue"), 500)]];
        let pixels = draw(&(MapSize::new(16, 4).unwrap(), tiles), &race);
        assert_eq!(pixels.len(), SIZE.0 * SIZE.1 * 3);
        let at = |x: usize, y: usize| {
            let place = (y * SIZE.0 + x) * 3;
            u32::from_be_bytes([0, pixels[place], pixels[place + 1], pixels[place + 2]])
        };
        let (red, blue) = (TEAM_COLORS[0].0, TEAM_COLORS[1].0);
        let top = EDGE + MAP * 3 / 8;
        assert_eq!(at(EDGE + 7, top + 7), mixed(blue, GROUND, 3));
        assert_eq!(at(EDGE + MAP - 7, top + MAP / 4 - 7), red);
        assert_eq!((at(EDGE, EDGE), at(EDGE + MAP / 2, top + 7)), (BACKGROUND, GROUND));
        assert_eq!(at(RACE.0 + RACE.1 - 1, EDGE + 1), red, "red has come to the top");
        assert_eq!(at(RACE.0 + RACE.1 - 1, EDGE + MAP / 2), blue);
        assert_eq!(at(RACE.0, SIZE.1 - EDGE - 1), red, "all began at the bottom");
    }
}
