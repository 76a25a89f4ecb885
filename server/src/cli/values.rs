//! Values of flags that are neither numbers nor the game's: text in, the value out or what is expected.
//!
//! Reads nothing but its arguments. Tested in `flags`.

use std::net::IpAddr;

use zappy_game::config::{Clock, Observers};
use zappy_protocol::TeamName;
use zappy_protocol::record::RecordLevel;

pub(super) fn address(text: &str) -> Result<IpAddr, String> {
    text.parse().map_err(|_| "give an address of this machine, such as 127.0.0.1 or 0.0.0.0".to_owned())
}

pub(super) fn team(text: &str) -> Result<TeamName, String> {
    TeamName::parse(text.as_bytes())
        .ok_or_else(|| format!("a team's name is one word of 1 to {} bytes", TeamName::LIMIT))
}

pub(super) fn pair(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write KEY=VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}

pub(super) fn clock(text: &str) -> Result<Clock, String> {
    Clock::parse(text).ok_or_else(|| "the clocks are real and lockstep".to_owned())
}

pub(super) fn observers(text: &str) -> Result<Observers, String> {
    Observers::parse(text).ok_or_else(|| "the values are off, read-only and control".to_owned())
}

pub(super) fn switch(text: &str) -> Result<bool, String> {
    match text {
        "on" | "true" => Ok(true),
        "off" | "false" => Ok(false),
        _ => Err("the values are on and off".to_owned()),
    }
}

pub(super) fn level(text: &str) -> Result<RecordLevel, String> {
    RecordLevel::parse(text.as_bytes()).ok_or_else(|| "the levels are inputs and full".to_owned())
}
