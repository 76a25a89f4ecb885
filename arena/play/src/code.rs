//! Recognises a program by its machine code: in files, whatever is packed around it, and in the memory of processes.
//!
//! Two contents are compared by fingerprints: hashes of the 64 bytes before some of their places. The bytes alone
//! choose the places, so the same bytes have the same fingerprints wherever they lie. Of a program in Linux's format
//! (ELF) only the parts that are run are compared, so a copy without its symbols is the same program. In memory a
//! program is found whatever file it came from: one that was deleted, one without a name, or one that unpacked itself.
//! Never changes a process, and reads a bounded part of its memory. Where this user may not read that, the file that
//! the process was started from is read. Tested in this module and in `arena/cli/tests/tournament/likeness.rs`.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use object::LittleEndian;
use object::elf::{FileHeader64, PF_X, PT_LOAD, ProgramHeader64};
use object::read::elf::{FileHeader as _, ProgramHeader as _};
use zappy_server::files;

use crate::programs::contain::Seen;

/// The largest file that is looked at, in bytes.
const LARGEST: u64 = 256 << 20;
/// The most memory of a team's processes that is read in a match, in bytes.
const MOST_OF_TEAM: u64 = 2 << 30;
/// The share of a program's fingerprints that makes something a copy of it. Another author's program in the same
/// language has far fewer of them.
const COPIED: f64 = 0.5;
/// The zero bits at the beginning of a hash that make it a fingerprint: one of 1,024 places has such a hash.
const ZEROS: u32 = 10;
const CHUNK: usize = 1 << 16;

/// The fingerprints of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code(HashSet<u64>);

impl Code {
    /// The code of the program in that file; `None` if it can't be read or has none.
    pub fn read(program: &Path) -> Option<Code> {
        let bytes = files::read(program, LARGEST).ok()?;
        let mut prints = HashSet::new();
        // The parts that are run, as Linux on a usual processor (ELF, 64 bits, little endian) lays them into memory.
        let parts = || {
            let header = FileHeader64::<LittleEndian>::parse(&bytes[..]).ok()?;
            let all = header.program_headers(LittleEndian, &bytes[..]).ok()?.iter();
            let is_run = |part: &&ProgramHeader64<LittleEndian>| part.p_flags(LittleEndian).contains(PF_X);
            let run = all.filter(|part| part.p_type(LittleEndian) == PT_LOAD).filter(is_run);
            let parts: Vec<&[u8]> = run.filter_map(|part| part.data(LittleEndian, &bytes[..]).ok()).collect();
            Some(parts).filter(|parts| !parts.is_empty())
        };
        for part in parts().unwrap_or_else(|| vec![&bytes]) {
            fingerprints(part, part.len() as u64, |print| {
                prints.insert(print);
            })
            .ok()?;
        }
        (!prints.is_empty()).then_some(Code(prints))
    }

    /// Whether these files together hold a copy of the program, at any places, in one piece or in several.
    pub fn is_in(&self, files: &[impl AsRef<Path>]) -> bool {
        let mut found = HashSet::new();
        for file in files {
            // A file that can't be read isn't run either.
            let Ok(file) = files::open(file.as_ref()) else { continue };
            let _ = self.find(file, LARGEST, &mut found);
        }
        self.is_copied_by(&found)
    }

    /// Adds to `found` which of its fingerprints are in the first `length` bytes; gives how many bytes were read.
    fn find(&self, content: impl Read, length: u64, found: &mut HashSet<u64>) -> io::Result<u64> {
        fingerprints(content, length, |print| {
            if self.0.contains(&print) {
                found.insert(print);
            }
        })
    }

    /// Whether these are so many of its fingerprints that they make a copy of the program.
    fn is_copied_by(&self, found: &HashSet<u64>) -> bool {
        found.len() as f64 >= COPIED * self.0.len() as f64
    }
}

/// Hands each fingerprint in the first `length` bytes to `take`; gives how many bytes were read.
fn fingerprints(mut content: impl Read, length: u64, mut take: impl FnMut(u64)) -> io::Result<u64> {
    // The steps of a gear hash: a byte has been shifted out 64 bytes later.
    let gear: [u64; 256] = std::array::from_fn(|byte| {
        let mixed = (byte as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ (mixed >> 31)).wrapping_mul(0x94d0_49bb_1331_11eb)
    });
    let (mut hash, mut read, mut chunk) = (0_u64, 0, vec![0; CHUNK]);
    while read < length {
        let room = CHUNK.min(usize::try_from(length - read).unwrap_or(CHUNK));
        let count = content.read(&mut chunk[..room])?;
        if count == 0 {
            break;
        }
        for byte in &chunk[..count] {
            hash = (hash << 1).wrapping_add(gear[usize::from(*byte)]);
            if hash.leading_zeros() >= ZEROS {
                take(hash);
            }
        }
        read += count as u64;
    }
    Ok(read)
}

/// A part of a file as a process sees it in memory: device and number of the file, where the part begins, and its
/// length.
type Part = (String, u64, String, u64);

/// Looks for a program's code in the processes of the teams.
#[derive(Debug)]
pub struct Lookout {
    code: Code,
    /// The program's fingerprints that were found in each part of a file that was looked at.
    parts: HashMap<Part, HashSet<u64>>,
    /// The processes that were looked at: when they were started, from which file, and in how many calls they were
    /// seen.
    processes: HashMap<i32, (u64, Option<PathBuf>, u64)>,
    /// Bytes of memory that may still be read, for each team.
    budgets: Vec<u64>,
    /// For each team, whether the program was seen to run.
    found: Vec<bool>,
}

impl Lookout {
    /// A lookout for a match of this many teams.
    pub fn new(code: Code, teams: usize) -> Lookout {
        // The programs of the arena itself stand between it and each bot, and have much in common with its client.
        let own = mapped("self").into_iter().filter_map(|(.., part)| Some((part?, HashSet::new())));
        Lookout {
            code,
            parts: own.collect(),
            processes: HashMap::new(),
            budgets: vec![MOST_OF_TEAM; teams],
            found: vec![false; teams],
        }
    }

    /// In which teams the program was seen to run.
    pub fn found(&self) -> &[bool] {
        &self.found
    }

    /// Looks at these processes of that team: at each when it is new or has become another program, and after that at
    /// the second, fourth, eighth call and so on, since it may unpack a program later.
    pub fn look(&mut self, team: usize, processes: &[Seen]) {
        for seen in processes {
            if self.found[team] {
                return;
            }
            let program = fs::read_link(format!("/proc/{}/exe", seen.pid)).ok();
            let known = self.processes.entry(seen.pid.as_raw_pid()).or_default();
            if (known.0, &known.1) != (seen.start, &program) {
                *known = (seen.start, program, 0);
            }
            known.2 += 1;
            if known.2.is_power_of_two() {
                // A process that has just ended can't be read, and doesn't count as running the program.
                self.found[team] = self.runs(team, &seen.pid.to_string()).unwrap_or_default();
            }
        }
    }

    /// Whether that process runs the program.
    fn runs(&mut self, team: usize, pid: &str) -> io::Result<bool> {
        let Lookout { code, parts, budgets, .. } = self;
        let (budget, mut found) = (&mut budgets[team], HashSet::new());
        let mut mappings = mapped(pid);
        // The smallest first, so that a large one doesn't use up what may be read.
        mappings.sort_by_key(|(_, length, _)| *length);
        let Ok(mut memory) = File::open(format!("/proc/{pid}/mem")) else {
            let program = File::open(format!("/proc/{pid}/exe"))?;
            *budget -= code.find(program, LARGEST.min(*budget), &mut found)?;
            return Ok(code.is_copied_by(&found));
        };
        for (begin, length, part) in mappings {
            if let Some(known) = part.as_ref().and_then(|part| parts.get(part)) {
                found.extend(known);
                continue;
            }
            let mut new = HashSet::new();
            let mut read =
                |most| memory.seek(SeekFrom::Start(begin)).and_then(|_| code.find(&memory, most, &mut new));
            // What can't be read, such as a page behind the end of its file, isn't run.
            let read = read(length.min(*budget)).unwrap_or(length);
            *budget -= read.min(*budget);
            found.extend(&new);
            part.map(|part| parts.insert(part, new));
        }
        Ok(code.is_copied_by(&found))
    }
}

/// The ranges of its memory that a process may run: for each the first address, the length in bytes, and the part of a
/// file that it shows; `None` if it shows no file. `pid` may be `self`.
fn mapped(pid: &str) -> Vec<(u64, u64, Option<Part>)> {
    let text = fs::read(format!("/proc/{pid}/maps")).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let row = |line: &str| {
        let mut words = line.split_ascii_whitespace();
        let (begin, end) = words.next()?.split_once('-')?;
        let [begin, end] = [begin, end].map(|address| u64::from_str_radix(address, 16).ok());
        let (begin, length) = (begin?, end?.checked_sub(begin?)?);
        words.next().filter(|rights| rights.contains('x'))?;
        let (offset, device, number) = (words.next()?, words.next()?, words.next()?.parse().ok()?);
        let part = (device.to_owned(), number, offset.to_owned(), length);
        Some((begin, length, Some(part).filter(|_| number != 0)))
    };
    text.lines().filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that look drawn at random.
    fn bytes(seed: u64, count: usize) -> Vec<u8> {
        let next = |state: &u64| Some(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
        std::iter::successors(Some(seed), next).take(count).map(|state| (state >> 56) as u8).collect()
    }

    #[test]
    fn a_program_is_found_wherever_most_of_it_lies() {
        let folder = tempfile::tempdir().unwrap();
        let (path, program) = (folder.path().join("program"), bytes(1, 200_000));
        fs::write(&path, &program).unwrap();
        let code = Code::read(&path).unwrap();
        let held = |parts: &[&[&[u8]]]| {
            let paths: Vec<PathBuf> = (0..parts.len()).map(|i| folder.path().join(i.to_string())).collect();
            parts.iter().zip(&paths).for_each(|(part, path)| fs::write(path, part.concat()).unwrap());
            code.is_in(&paths)
        };
        let other = bytes(2, 200_000);
        assert!(held(&[&[&program]]) && held(&[&[&program, b"x"]]));
        assert!(held(&[&[&other], &[b"#!/bin/sh\n", &other, &program, &other]]), "packed into another file");
        assert!(held(&[&[&program[..70_000]], &[&program[70_000..]]]), "in pieces");
        let mut patched = program.clone();
        (0..patched.len()).step_by(4_000).for_each(|at| patched[at] ^= 1);
        assert!(held(&[&[&patched]]), "with bytes changed");
        assert!(!held(&[&[&other]]) && !held(&[&[&program[..70_000], &other]]) && !held(&[&[]]));
        fs::write(&path, b"").unwrap();
        assert_eq!((Code::read(&path), Code::read(&folder.path().join("none"))), (None, None));
    }

    #[test]
    fn of_a_program_what_is_run_counts() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            fs::write(&path, bytes).unwrap();
            path
        };
        let (run, unrun) = (bytes(3, 100_000), bytes(4, 400_000));
        // A header, a table of two parts, and these; the second one isn't run.
        let mut program = vec![0; 64];
        program[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
        (program[0x20], program[0x36], program[0x38]) = (64, 56, 2);
        for (rights, begin, length) in [(5_u32, 176_u64, run.len()), (4, 176 + run.len() as u64, unrun.len())]
        {
            program.extend([1_u32.to_le_bytes(), rights.to_le_bytes()].concat());
            program.extend([begin, 0, 0, length as u64, 0, 0].map(u64::to_le_bytes).concat());
        }
        let code = Code::read(&write("program", &[&program[..], &run, &unrun].concat())).unwrap();
        assert!(code.is_in(&[write("run", &run)]) && !code.is_in(&[write("unrun", &unrun)]));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_is_recognised_though_its_file_is_another_one_and_gone() {
        use std::process::{Command, Stdio};

        use crate::os::Pid;
        use crate::programs::contain::processes;

        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("other");
        let shell = fs::canonicalize("/bin/sh").unwrap();
        // As another program writes it: a file that a process of many threads has open to write may not be run.
        let made = format!("cp {} {copy}; echo more >> {copy}", shell.display(), copy = copy.display());
        assert!(Command::new("sh").args(["-c", &made]).status().unwrap().success());
        let start = |program: &Path| {
            let child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
            let pid = Pid::from_child(&child);
            (child, processes().into_iter().find(|seen| seen.pid == pid).unwrap())
        };
        let (mut same, seen) = start(&copy);
        let (mut other, stranger) = start(Path::new("cat"));
        fs::remove_file(&copy).unwrap();
        let mut lookout = Lookout::new(Code::read(&shell).unwrap(), 2);
        lookout.look(0, &[stranger]);
        lookout.look(1, &[stranger, seen]);
        assert_eq!(lookout.found(), [false, true]);
        for child in [&mut same, &mut other] {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}
