//! A small picture of a match: the map at its last moment, and the race of its teams.
//!
//! For the list of matches, and for the previews of links, which take no other format. Draws what a retelling knows and
//! decides nothing. Tested in this module and in `tests/site/pages.rs`.

use std::io::{self, ErrorKind, Write};

use zappy_protocol::commentary::{PictureTile, Retells};
use zappy_protocol::palette::{TEAM_COLORS, places};
use zappy_protocol::{MapSize, TeamName, Tick};

use crate::summary::retell;

/// Its size in pixels: the proportion that previews of links have.
pub const SIZE: (usize, usize) = (480, 252);
/// Pixels around the map and the race, and the largest side of the map.
const EDGE: usize = 12;
const MAP: usize = SIZE.1 - 2 * EDGE;
/// Where the race begins and how wide it is.
const RACE: (usize, usize) = (MAP + 3 * EDGE, SIZE.0 - MAP - 4 * EDGE);
/// Pixels that a line of the race is high.
const LINE: usize = 3;

const BACKGROUND: u32 = 0x0c_10_18;
const GROUND: u32 = 0x17_1e_2b;
const RICH: u32 = 0x4f_78_62;
const FRAME: u32 = 0x26_30_41;

/// Writes the picture of a match that is over as PNG, from its full record.
///
/// # Errors
/// Not found if its record has no map, and those of the writer.
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

/// The picture's pixels, row by row, three bytes each.
fn draw((size, spots): &(MapSize, Vec<PictureTile>), race: &[Vec<(TeamName, u32)>]) -> Vec<u8> {
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
            let tile = y * longest / MAP * width + x * longest / MAP;
            // Where in its tile the pixel is, in sixteenths from the middle.
            let off = |along: usize| (along * longest * 16 / MAP % 16 * 2).abs_diff(15);
            let Some(spot) = spots.get(tile) else { continue };
            picture[(top + y) * SIZE.0 + left + x] = color(spot, off(x).max(off(y)), &colors);
        }
    }
    // A line for each team from the left to the right, as high as it came; the first in the end is drawn over the others.
    let height = |way: u32| EDGE + (1_000 - way.min(1_000) as usize) * (MAP - LINE) / 1_000;
    let mut column = |x: usize, from: usize, to: usize, color: u32| {
        for y in from.min(to)..from.max(to) + LINE {
            picture[y * SIZE.0 + RACE.0 + x] = color;
        }
    };
    for x in 0..RACE.1 {
        column(x, height(0), height(0), FRAME);
    }
    let mut order: Vec<(usize, u32)> =
        race.last().into_iter().flatten().map(|(_, way)| *way).enumerate().collect();
    order.sort_by_key(|(_, way)| *way);
    for (team, _) in order {
        let way = |column: &Vec<(TeamName, u32)>| column.get(team).map_or(0, |(_, way)| *way);
        let mut before = race.first().map_or(0, way);
        for x in 0..RACE.1 {
            let now = race.get(x).or(race.last()).map_or(0, way);
            column(x, height(before), height(now), colors[team]);
            before = now;
        }
    }
    picture.into_iter().flat_map(|color| color.to_be_bytes().into_iter().skip(1)).collect()
}

/// The colour of a tile so many sixteenths of a side from its middle.
fn color(spot: &PictureTile, off: usize, colors: &[u32]) -> u32 {
    let team = |team: usize| colors.get(team).copied().unwrap_or(FRAME);
    match (spot.piece, spot.owner) {
        (Some((of, size)), _) if off <= 6 + usize::from(size) => team(of),
        (Some(_), Some(owner)) => mixed(team(owner), BACKGROUND, 5),
        (None, Some(owner)) => mixed(team(owner), GROUND, 3),
        (_, None) => mixed(GROUND, RICH, u32::from(spot.riches.min(8))),
    }
}

/// So many eighths of the other colour in the one.
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
        let mut spots = vec![PictureTile::default(); 16 * 4];
        spots[0] = PictureTile { owner: Some(1), ..PictureTile::default() };
        spots[63] = PictureTile { piece: Some((0, 8)), ..PictureTile::default() };
        let race =
            [vec![(name("red"), 0), (name("blue"), 0)], vec![(name("red"), 1_000), (name("blue"), 500)]];
        let pixels = draw(&(MapSize::new(16, 4).unwrap(), spots), &race);
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
