//! Grades: the points of a bot by its matches against a row of opponents, for one bot and for a class of bots.
//!
//! A grade is a tournament of its own, and `grade` a function of its results; `result` is what programs read of it,
//! `formats` the same for Gradescope and GitHub Classroom. What a student handed in is a `submission`: `command` finds
//! how it is started, `contained` builds it, and checks it in `situations`, contained as in a match. A `class` grades
//! many submissions, each by a process of its own, and `report` is the table of them. A grade is never a rank: no bot
//! that is handed in changes another one's points, and nothing of one student gets into the files for another. Nothing
//! in this folder changes a match's result. Tested in the modules, in `arena/cli/tests/tournament/grade.rs` and in
//! `arena/cli/tests/class/`.

pub mod class;
pub mod command;
pub mod contained;
pub mod formats;
pub mod grade;
pub mod gradebook;
pub mod likeness;
pub mod pace;
pub mod points;
pub mod report;
pub mod result;
pub mod situations;
pub mod submission;
