//! The command line: values with their ranges, and how a wrong one is answered.
//!
//! `-h` is the host, as in the school's assignment for Zappy, so help is `--help` alone. Only `main` ends the process. Tested in this
//! module.

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{ArgAction, CommandFactory as _, Parser};
use zappy_gui::games;
use zappy_observer::app::link::position;
use zappy_protocol::{Position, Tick};

/// The observer of Zappy: watches a match, or shows its record.
///
/// Without a port and without a record it opens its start screen. H in the window shows all keys.
#[derive(Debug, Clone, Parser)]
#[command(name = "zappy_gui", version, disable_help_flag = true, after_help = EXAMPLES)]
pub struct ViewerOptions {
    /// The server's port
    #[arg(short, long, conflicts_with = "replay", value_parser = clap::value_parser!(u16).range(1..))]
    pub port: Option<u16>,

    /// The server's host
    #[arg(short = 'h', long, default_value = "localhost", requires = "port")]
    pub host: String,

    /// Show this record instead of a live match
    #[arg(long, value_name = "FILE")]
    pub replay: Option<PathBuf>,

    /// The folder with what bots noted in this match [default: notes beside the record]
    #[arg(long, value_name = "FOLDER", requires = "replay")]
    pub notes: Option<PathBuf>,

    /// Begin paused at this tick of the record, or at its last one if the record is shorter. In conquest each turn is 1,000 ticks long
    #[arg(long, value_name = "TICK", requires = "replay", conflicts_with = "moving")]
    pub at_tick: Option<Tick>,

    /// Save one picture of the record and exit
    #[arg(long, value_name = "OUT.png", requires = "replay")]
    pub screenshot: Option<PathBuf>,

    /// Save the record as numbered pictures, DIR/00000.png and on, and exit
    #[arg(long, value_name = "DIR", requires = "replay", conflicts_with = "screenshot", group = "moving")]
    pub frames: Option<PathBuf>,

    /// Save a film of the record at 25 pictures a second, led by the director, and exit; needs ffmpeg; a .gif has no sound
    #[arg(
        long,
        value_name = "OUT.mp4|OUT.gif",
        requires = "replay",
        conflicts_with = "screenshot",
        group = "moving"
    )]
    pub film: Option<PathBuf>,

    /// Limit the film or the pictures to the five moments that decided the match, at most 8 s each, and the closing table
    #[arg(long, requires = "moving", conflicts_with_all = ["from", "to", "every"])]
    pub highlights: bool,

    /// The director leads the camera to the moments that matter; the key Z in the window. A film, and a record that is watched from its beginning, have it unless --zoom or --look-at is given
    #[arg(long, conflicts_with_all = ["zoom", "look_at"])]
    pub director: bool,

    /// The tick of the first picture, also of a film
    #[arg(long, value_name = "TICK", requires = "moving", default_value_t = 0)]
    pub from: Tick,

    /// The tick of the last picture; by default three seconds after the record's last tick
    #[arg(long, value_name = "TICK", requires = "moving")]
    pub to: Option<Tick>,

    /// Ticks between two pictures, the same throughout; a fraction shows movement between ticks. By default the record passes slowly where the match is decided, and fast where little happens
    #[arg(long, value_name = "TICKS", requires = "moving", value_parser = |text: &str| parse_number(text, 0.01, 1e6))]
    pub every: Option<f64>,

    /// The size of the window or of the pictures, in pixels, each side 64 to 8192
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = parse_size)]
    pub size: (u32, u32),

    /// Select a player:N, an egg:N or a tile:X,Y; in conquest a unit:N, city:X,Y, tile:X,Y or faction:N
    #[arg(long, value_name = "WHAT", value_parser = games::parse_selection)]
    pub select: Option<String>,

    /// Magnify the map so many times; 1 shows all of it, 0.1 to 100
    #[arg(long, value_name = "TIMES", value_parser = |text: &str| parse_number(text, 0.1, 100.0).map(|number| number as f32))]
    pub zoom: Option<f32>,

    /// Bring this tile to the middle; by default the one of the selection
    #[arg(long, value_name = "X,Y", value_parser = |text: &str| position(text).ok_or("give a tile as X,Y, such as 3,7"))]
    pub look_at: Option<Position>,

    /// Show these as well: charts, dialogue, help, closing, notes (what bots noted on tiles); unspoiled (nothing that comes later); or world: no panel but race, headline and time
    #[arg(long, value_name = "PANEL,…", value_delimiter = ',', value_parser = games::parse_shown)]
    pub show: Vec<String>,

    /// Start without sound; Shift M turns it on and off in the window
    #[arg(long)]
    pub mute: bool,

    /// Factor on the size of text and panels, 0.5 to 4
    #[arg(long, value_name = "FACTOR", value_parser = |text: &str| parse_number(text, 0.5, 4.0).map(|number| number as f32))]
    pub scale: Option<f32>,

    /// Print the headline and the standing, whenever the headline changes
    #[arg(long)]
    pub tell: bool,

    /// Nothing shakes, and the camera neither sweeps nor flies but cuts
    #[arg(long)]
    pub reduced_motion: bool,

    /// Says more on stderr
    #[arg(short, long, action = ArgAction::Count)]
    pub verbose: u8,

    /// Prints this help
    #[arg(long, action = ArgAction::Help)]
    help: Option<bool>,
}

const EXAMPLES: &str = "Examples:
  zappy_gui -p 4242                                 watch a match on this machine
  zappy_gui -p 4242 -h 192.0.2.7                    watch a match elsewhere
  zappy_gui --replay matches/last/match.zrec        watch its record
  zappy_gui --replay match.zrec --at-tick 1200 --screenshot 1200.png --select player:3
  zappy_gui --replay match.zrec --frames film --from 900 --to 1300 --every 2
  zappy_gui --replay match.zrec --film match.mp4 --highlights

A machine without a display needs a virtual one: xvfb-run -a zappy_gui …";

fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let sides = text.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    let fits = |side: u32| (64..=8192).contains(&side);
    sides
        .filter(|&(w, h)| fits(w) && fits(h))
        .ok_or_else(|| "give width and height as WxH, each 64 to 8192, such as 1280x720".to_owned())
}

fn parse_number(text: &str, least: f64, most: f64) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("give a number from {least} to {most}"))
}

/// What the program prints, and the code it exits with, if the arguments are no options to run with.
#[derive(Debug, PartialEq, Eq)]
pub struct Exit {
    /// The exit code: 0 when help was asked for, else 84.
    pub code: u8,
    /// What to print: on stdout if the code is 0, else on stderr.
    pub text: String,
}

/// The options in these arguments, the program's name first.
pub fn parse(arguments: impl IntoIterator<Item = std::ffi::OsString>) -> Result<ViewerOptions, Exit> {
    ViewerOptions::try_parse_from(arguments).map_err(|error| {
        let text = error.render().to_string();
        if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
            return Exit { code: 0, text };
        }
        let reason: Vec<&str> = text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
        let tip = text.lines().map(str::trim).filter(|line| line.starts_with("tip: a similar"));
        let usage = ViewerOptions::command().render_usage();
        let said: Vec<&str> = reason.into_iter().chain(tip).collect();
        Exit { code: 84, text: format!("{}\n{usage}\n", said.join(" ")) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str) -> Result<ViewerOptions, Exit> {
        parse(line.split(' ').map(Into::into))
    }

    #[test]
    fn the_subjects_flags() {
        let options = check("zappy_gui -p 4242 -h example.org").unwrap();
        assert_eq!((options.port, options.host.as_str()), (Some(4242), "example.org"));
        assert_eq!(check("zappy_gui").unwrap().port, None);
    }

    #[test]
    fn a_picture_of_a_record() {
        let line =
            "zappy_gui --replay m.zrec --at-tick 9 --screenshot o.png --size 800x600 --select player:#3";
        let options = check(&format!("{line} --zoom 2.5 --show charts,help")).unwrap();
        assert_eq!((options.at_tick, options.size, options.zoom), (Some(9), (800, 600), Some(2.5)));
        assert_eq!(options.select.as_deref(), Some("player:#3"));
        assert_eq!(options.show, ["charts", "help"]);
    }

    #[test]
    fn a_wrong_value_is_named_in_one_line_before_the_usage() {
        for (line, parts) in [
            ("zappy_gui -p 0", &["0", "--port", "1..=65535"][..]),
            ("zappy_gui -p 1 --replay a", &["--port", "--replay"]),
            ("zappy_gui --screenshot a.png", &["--replay"]),
            ("zappy_gui -h example.org", &["--port"]),
            ("zappy_gui --replay a --frames d --at-tick 3", &["--at-tick", "--frames"]),
            ("zappy_gui --replay a --film d.mp4 --at-tick 3", &["--at-tick", "--film"]),
            ("zappy_gui --replay a --film d.mp4 --frames d", &["--film", "--frames"]),
            ("zappy_gui --replay a --highlights", &["--film", "--frames"]),
            ("zappy_gui --replay a --every 3", &["--film", "--frames"]),
            ("zappy_gui --replay a --director --zoom 2", &["--director", "--zoom"]),
            ("zappy_gui --replay a --size 10x10", &["10x10", "--size", "64 to 8192"]),
            ("zappy_gui --replay a --select 3", &["--select", "player:N"]),
            ("zappy_gui --replay a --zoom nan", &["--zoom", "0.1 to 100"]),
            ("zappy_gui --replay a --show all", &["--show", "charts"]),
            ("zappy_gui --replya a", &["--replya", "'--replay'"]),
        ] {
            let exit = check(line).unwrap_err();
            assert_eq!(exit.code, 84, "{line}");
            let (first, rest) = exit.text.split_once('\n').unwrap();
            assert!(parts.iter().all(|part| first.contains(part)), "{first}");
            assert!(rest.starts_with("Usage: zappy_gui"), "{rest}");
        }
        assert_eq!(check("zappy_gui --help").unwrap_err().code, 0);
    }
}
