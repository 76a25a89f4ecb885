//! Refuses, by seccomp, system calls that bots have no use for and that would give them a way to the kernel, other programs
//! or the machine.
//!
//! The filter holds for a program and all that it starts, and needs no privilege. A refused call fails, mostly as on a kernel
//! that lacks it, so that runtimes do without; only programs for another kind of processor are ended. On a processor that the
//! filter doesn't know nothing is refused. A filter sees the numbers of a call, not the memory that they point to.
//! Tested in `arena/cli/tests/tournament/walls.rs`.

use std::collections::BTreeMap;

use libc::c_long;
use seccompiler::SeccompCmpArgLen::{Dword, Qword};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter,
};

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// The numbers that the C library has for these names.
macro_rules! of_libc {
    ($($name:ident)*) => { &[$(libc::$name),*] };
}

/// The bits of a socket's kind that aren't flags.
const KIND: u64 = 0xf;
/// Kinds of internet sockets that are neither streams nor datagrams, such as SCTP's sequenced packets; 10 is `SOCK_PACKET`.
const ODD_KINDS: [i32; 5] = [libc::SOCK_RAW, libc::SOCK_RDM, libc::SOCK_SEQPACKET, libc::SOCK_DCCP, 10];
/// The families of sockets that `getaddrinfo` and connections to a match's server use.
const FAMILIES: [i32; 4] = [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
/// Calls for keys, BPF programs, modules, tracing and the clock of the kernel, for other processes and their memory, for
/// mounts and namespaces, for memory that no process holds, and for `io_uring`, since no filter sees the calls in it.
const REFUSED: &[c_long] = of_libc! {
    SYS_acct SYS_add_key SYS_adjtimex SYS_bpf SYS_chroot SYS_clock_adjtime SYS_clock_settime
    SYS_delete_module SYS_fanotify_init SYS_finit_module SYS_fsconfig SYS_fsmount SYS_fsopen SYS_fspick
    SYS_init_module SYS_io_uring_enter SYS_io_uring_register SYS_io_uring_setup SYS_kcmp SYS_kexec_load
    SYS_keyctl SYS_migrate_pages SYS_mount SYS_mount_setattr SYS_move_mount SYS_move_pages SYS_mq_open
    SYS_msgget SYS_open_by_handle_at SYS_open_tree SYS_perf_event_open SYS_pidfd_getfd SYS_pivot_root
    SYS_process_madvise SYS_process_mrelease SYS_process_vm_readv SYS_process_vm_writev SYS_ptrace
    SYS_quotactl SYS_reboot SYS_request_key SYS_semget SYS_setdomainname SYS_sethostname SYS_setns
    SYS_settimeofday SYS_shmat SYS_shmget SYS_swapoff SYS_swapon SYS_syslog SYS_umount2 SYS_userfaultfd
};
/// Calls that fail as if the kernel lacked them: `clone3`, since its flags lie in memory, where no filter sees them
/// (`clone` does the same); files in memory, since they can be sent over a socket and closed, so that no process
/// holds them; and calls for things that all programs of a user share and that are few.
const UNSUPPORTED: &[c_long] = &[
    libc::SYS_clone3,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_inotify_init,
    libc::SYS_inotify_init1,
    libc::SYS_io_setup,
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
];
/// Calls that name a process in their first argument: only 0 is allowed there, the process itself.
const ON_ITSELF: &[c_long] = of_libc! {
    SYS_sched_setaffinity SYS_sched_setattr SYS_sched_setparam SYS_sched_setscheduler
};
/// Calls that name a process in their second argument if the first one has this value: only this value and 0 are allowed.
const ON_ITSELF_BY_KIND: [(c_long, i32); 2] = [(libc::SYS_setpriority, 0), (libc::SYS_ioprio_set, 1)];
/// Flags of `clone` and `unshare` for new namespaces, in which a program would have privileges.
const NAMESPACES: &[i32] = of_libc! {
    CLONE_NEWNS CLONE_NEWCGROUP CLONE_NEWUTS CLONE_NEWIPC CLONE_NEWUSER CLONE_NEWPID CLONE_NEWNET
};
/// The flag for a namespace of time (`CLONE_NEWTIME`); in `clone` this bit belongs to the signal.
const NEW_TIME: i32 = 0x80;
/// The flag by which a call that sends opens a connection (`MSG_FASTOPEN`), and which argument of each call has the flags.
const FAST_OPEN: i32 = 0x2000_0000;
const SENDS: [(c_long, u8); 3] = [(libc::SYS_sendto, 3), (libc::SYS_sendmsg, 2), (libc::SYS_sendmmsg, 3)];
/// `ioctl`s that hold room on a disk at once, as `fallocate` does (`FS_IOC_RESVSP`, `FS_IOC_RESVSP64`,
/// `FS_IOC_ZERO_RANGE`), and those that change what a file is (`FS_IOC_SETFLAGS`, `FS_IOC_FSSETXATTR`).
const RESERVING: [i32; 5] = [0x4030_5828, 0x4030_582a, 0x4030_5839, 0x4008_6602, 0x401c_5820];
/// Options that set the size of a socket's buffers: those are memory of the kernel, which counts for no process.
const BUFFERS: [i32; 4] = [libc::SO_SNDBUF, libc::SO_RCVBUF, libc::SO_SNDBUFFORCE, libc::SO_RCVBUFFORCE];
/// The first number of the calls of the x32 ABI, a second set of numbers for all calls that some kernels accept.
#[cfg(target_arch = "x86_64")]
const X32_CALLS: u32 = 0x4000_0000;

/// Whether the processor is one of those that the filter knows.
pub fn knows_processor() -> bool {
    TargetArch::try_from(std::env::consts::ARCH).is_ok()
}

/// From now on this process and its children are refused these calls. Without a network of their own they are also refused
/// sockets that reach other machines without a connection, and to wait for connections: the kernel would pick a port, and
/// other machines could come.
pub fn impose(own_network: bool) -> Result<(), String> {
    use SeccompCmpOp::Eq;
    let Ok(arch) = TargetArch::try_from(std::env::consts::ARCH) else { return Ok(()) };
    let filters = || -> Result<Vec<BpfProgram>, BackendError> {
        let unsupported = UNSUPPORTED.iter().map(|call| (*call, Vec::new())).collect();
        let reserving = RESERVING.iter().map(|call| all(&[(1, Eq, *call)])).collect::<Result<_, _>>()?;
        let reserving = Rules::from([(libc::SYS_fallocate, Vec::new()), (libc::SYS_ioctl, reserving)]);
        let buffers = BUFFERS.iter().map(|buffer| all(&[(1, Eq, libc::SOL_SOCKET), (2, Eq, *buffer)]));
        let buffers = Rules::from([(libc::SYS_setsockopt, buffers.collect::<Result<_, _>>()?)]);
        let filter = |rules: Rules, error: i32| {
            let refusal = SeccompAction::Errno(error as u32);
            BpfProgram::try_from(SeccompFilter::new(rules, SeccompAction::Allow, refusal, arch)?)
        };
        let mut filters = vec![
            filter(refused(own_network)?, libc::EPERM)?,
            filter(unsupported, libc::ENOSYS)?,
            // The C library writes zeros then instead of reserving space.
            filter(reserving, libc::EOPNOTSUPP)?,
            // The call succeeds without effect, as where the system allows no larger buffers.
            filter(buffers, 0)?,
        ];
        // All calls of the x32 ABI are refused: by their other numbers the refused calls could be made.
        #[cfg(target_arch = "x86_64")]
        {
            use seccompiler::sock_filter;
            let step = |code: u32, jf, k| sock_filter { code: code as u16, jt: 0, jf, k };
            filters.push(vec![
                step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0),
                step(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 1, X32_CALLS),
                step(libc::BPF_RET | libc::BPF_K, 0, libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32),
                step(libc::BPF_RET | libc::BPF_K, 0, libc::SECCOMP_RET_ALLOW),
            ]);
        }
        Ok(filters)
    };
    let filters = filters().map_err(|error| error.to_string())?;
    filters.iter().try_for_each(|filter| apply_filter(filter)).map_err(|error| error.to_string())
}

/// Matches a call of which all these arguments, by their places, compare so with these values.
fn all(conditions: &[(u8, SeccompCmpOp, i32)]) -> Result<SeccompRule, BackendError> {
    let conditions = conditions.iter().map(|(place, operator, value)| {
        SeccompCondition::new(*place, Dword, operator.clone(), value.cast_unsigned().into())
    });
    SeccompRule::new(conditions.collect::<Result<_, _>>()?)
}

fn refused(own_network: bool) -> Result<Rules, BackendError> {
    use SeccompCmpOp::{MaskedEq, Ne};
    let masked = |mask: i32| MaskedEq(mask.cast_unsigned().into());
    let mut rules: Rules = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    for &call in ON_ITSELF {
        rules.insert(call, vec![all(&[(0, Ne, 0)])?]);
    }
    for (call, kind) in ON_ITSELF_BY_KIND {
        rules.insert(call, vec![all(&[(0, Ne, kind)])?, all(&[(1, Ne, 0)])?]);
    }
    // The limits of other processes may be read, but not set: to read them, no new limits are given.
    let limits = vec![SeccompCondition::new(0, Dword, Ne, 0)?, SeccompCondition::new(2, Qword, Ne, 0)?];
    rules.insert(libc::SYS_prlimit64, vec![SeccompRule::new(limits)?]);
    for (call, place) in SENDS {
        rules.insert(call, vec![all(&[(place, masked(FAST_OPEN), FAST_OPEN)])?]);
    }
    for call in [libc::SYS_unshare, libc::SYS_clone] {
        let time = (call == libc::SYS_unshare).then_some(NEW_TIME);
        let flags = NAMESPACES.iter().copied().chain(time).map(|flag| all(&[(0, masked(flag), flag)]));
        rules.insert(call, flags.collect::<Result<_, _>>()?);
    }
    rules.insert(libc::SYS_socket, sockets(own_network)?);
    if !own_network {
        rules.insert(libc::SYS_listen, Vec::new());
    }
    Ok(rules)
}

/// Refuses all sockets but those within this machine, TCP, and those that find addresses.
fn sockets(own_network: bool) -> Result<Vec<SeccompRule>, BackendError> {
    use SeccompCmpOp::{Eq, MaskedEq, Ne};
    let mut sockets = vec![
        all(&FAMILIES.map(|family| (0, Ne, family)))?,
        all(&[(0, Eq, libc::AF_NETLINK), (2, Ne, libc::NETLINK_ROUTE)])?,
    ];
    for family in [libc::AF_INET, libc::AF_INET6] {
        let of_kind = |kind| [(0, Eq, family), (1, MaskedEq(KIND), kind)];
        // Among the protocols that are refused is `IPPROTO_MPTCP`.
        let protocol = |kind, only| [&of_kind(kind)[..], &[(2, Ne, 0), (2, Ne, only)]].concat();
        sockets.push(all(&protocol(libc::SOCK_STREAM, libc::IPPROTO_TCP))?);
        sockets.push(all(&protocol(libc::SOCK_DGRAM, libc::IPPROTO_UDP))?);
        for kind in ODD_KINDS.into_iter().chain((!own_network).then_some(libc::SOCK_DGRAM)) {
            sockets.push(all(&of_kind(kind))?);
        }
    }
    Ok(sockets)
}
