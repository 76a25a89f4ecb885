//! The site over connections: pages, live matches, what spectators may see, hostile clients, and the program itself.

mod hostile;
mod live;
mod pages;
mod process;
mod support;
mod trust;
