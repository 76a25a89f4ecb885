//! A turn change for any game in turns: the turn order on recorded cases, and the engine with a game of its own.

mod cases;
mod engine;
mod table;
