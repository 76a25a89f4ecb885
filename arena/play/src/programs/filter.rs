//! Refuses, by seccomp, system calls that bots have no use for and that would give them a way to the kernel, other programs
//! or the machine.
//!
//! The filter holds for a program and all that it starts, and needs no privilege. A refused call fails, mostly as on a kernel
//! that lacks it, so that runtimes do without; only programs for another kind of processor are ended. On a processor that the
//! filter doesn't know nothing is refused. A filter sees the numbers of a call, not the memory that they point to.
//! Tested in `arena/cli/tests/tournament/walls.rs`.

pub use kernel::{impose, is_known};

#[cfg(not(target_os = "linux"))]
mod kernel {
    pub fn is_known() -> bool {
        false
    }

    pub fn impose(_apart: bool) -> Result<(), String> {
        Ok(())
    }
}

#[cfg(target_os = "linux")]
mod kernel {
    use std::collections::BTreeMap;

    use libc::c_long;
    use seccompiler::{
        BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
        SeccompFilter, SeccompRule, TargetArch, apply_filter,
    };

    type Rules = BTreeMap<i64, Vec<SeccompRule>>;

    /// The bits of a socket's kind that aren't flags.
    const KIND: u64 = 0xf;
    /// Kinds of internet sockets that are neither streams nor datagrams, such as SCTP's sequenced packets; 10 is `SOCK_PACKET`.
    const ODD_KINDS: [i32; 5] = [libc::SOCK_RAW, libc::SOCK_RDM, libc::SOCK_SEQPACKET, libc::SOCK_DCCP, 10];
    /// The families of sockets that `getaddrinfo` and connections to a match's server use.
    const FAMILIES: [i32; 4] = [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
    /// Calls for keys, BPF programs, modules, tracing and the clock of the kernel, for other processes and their memory, for
    /// mounts and namespaces, for memory that no process holds, and for `io_uring`, since no filter sees the calls in it.
    const REFUSED: &[c_long] = &[
        libc::SYS_acct,
        libc::SYS_add_key,
        libc::SYS_adjtimex,
        libc::SYS_bpf,
        libc::SYS_chroot,
        libc::SYS_clock_adjtime,
        libc::SYS_clock_settime,
        libc::SYS_delete_module,
        libc::SYS_fanotify_init,
        libc::SYS_finit_module,
        libc::SYS_fsconfig,
        libc::SYS_fsmount,
        libc::SYS_fsopen,
        libc::SYS_fspick,
        libc::SYS_init_module,
        libc::SYS_io_uring_enter,
        libc::SYS_io_uring_register,
        libc::SYS_io_uring_setup,
        libc::SYS_kcmp,
        libc::SYS_kexec_load,
        libc::SYS_keyctl,
        libc::SYS_migrate_pages,
        libc::SYS_mount,
        libc::SYS_mount_setattr,
        libc::SYS_move_mount,
        libc::SYS_move_pages,
        libc::SYS_mq_open,
        libc::SYS_msgget,
        libc::SYS_open_by_handle_at,
        libc::SYS_open_tree,
        libc::SYS_perf_event_open,
        libc::SYS_pidfd_getfd,
        libc::SYS_pivot_root,
        libc::SYS_process_madvise,
        libc::SYS_process_mrelease,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_ptrace,
        libc::SYS_quotactl,
        libc::SYS_reboot,
        libc::SYS_request_key,
        libc::SYS_semget,
        libc::SYS_setdomainname,
        libc::SYS_sethostname,
        libc::SYS_setns,
        libc::SYS_settimeofday,
        libc::SYS_shmat,
        libc::SYS_shmget,
        libc::SYS_swapoff,
        libc::SYS_swapon,
        libc::SYS_syslog,
        libc::SYS_umount2,
        libc::SYS_userfaultfd,
    ];
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
    const ON_ITSELF: [c_long; 4] = [
        libc::SYS_sched_setaffinity,
        libc::SYS_sched_setattr,
        libc::SYS_sched_setparam,
        libc::SYS_sched_setscheduler,
    ];
    /// Calls that name a process in their second argument if the first one has this value: only this value and 0 are allowed.
    const ON_ITSELF_BY_KIND: [(c_long, i32); 2] = [(libc::SYS_setpriority, 0), (libc::SYS_ioprio_set, 1)];
    /// Flags of `clone` and `unshare` for new namespaces, in which a program would have privileges.
    const NAMESPACES: [i32; 7] = [
        libc::CLONE_NEWNS,
        libc::CLONE_NEWCGROUP,
        libc::CLONE_NEWUTS,
        libc::CLONE_NEWIPC,
        libc::CLONE_NEWUSER,
        libc::CLONE_NEWPID,
        libc::CLONE_NEWNET,
    ];
    /// The flag for a namespace of time (`CLONE_NEWTIME`); in `clone` this bit belongs to the signal.
    const NEW_TIME: i32 = 0x80;
    /// The flag by which a call that sends opens a connection (`MSG_FASTOPEN`), and which argument of each call has the flags.
    const FAST_OPEN: u64 = 0x2000_0000;
    const SENDS: [(c_long, u8); 3] = [(libc::SYS_sendto, 3), (libc::SYS_sendmsg, 2), (libc::SYS_sendmmsg, 3)];
    /// `ioctl`s that hold room on a disk at once, as `fallocate` does (`FS_IOC_RESVSP`, `FS_IOC_RESVSP64`,
    /// `FS_IOC_ZERO_RANGE`), and those that change what a file is (`FS_IOC_SETFLAGS`, `FS_IOC_FSSETXATTR`).
    const RESERVING: [u64; 5] = [0x4030_5828, 0x4030_582a, 0x4030_5839, 0x4008_6602, 0x401c_5820];
    /// Options that set the size of a socket's buffers: those are memory of the kernel, which counts for no process.
    const BUFFERS: [i32; 4] = [libc::SO_SNDBUF, libc::SO_RCVBUF, libc::SO_SNDBUFFORCE, libc::SO_RCVBUFFORCE];
    /// The first number of the calls of the x32 ABI, by which some kernels take all calls a second time.
    #[cfg(target_arch = "x86_64")]
    const X32_CALLS: u32 = 0x4000_0000;

    /// Whether the processor is one of those that the filter knows.
    pub fn is_known() -> bool {
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
            let reserving = RESERVING.iter().map(|call| SeccompRule::new(vec![condition(1, Eq, *call)?]));
            let reserving = Rules::from([
                (libc::SYS_fallocate, Vec::new()),
                (libc::SYS_ioctl, reserving.collect::<Result<_, _>>()?),
            ]);
            let buffers = BUFFERS.map(|buffer| all(&[(1, Eq, libc::SOL_SOCKET), (2, Eq, buffer)]));
            let buffers = buffers.into_iter().collect::<Result<_, _>>()?;
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
                filter(Rules::from([(libc::SYS_setsockopt, buffers)]), 0)?,
            ];
            filters.extend(refuse_x32());
            Ok(filters)
        };
        let filters = filters().map_err(|error| error.to_string())?;
        filters.iter().try_for_each(|filter| apply_filter(filter)).map_err(|error| error.to_string())
    }

    fn condition(place: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompCondition, BackendError> {
        SeccompCondition::new(place, SeccompCmpArgLen::Dword, operator, value)
    }

    fn all(conditions: &[(u8, SeccompCmpOp, i32)]) -> Result<SeccompRule, BackendError> {
        let conditions = conditions.iter().map(|(place, operator, value)| {
            condition(*place, operator.clone(), u64::from(u32::from_ne_bytes(value.to_ne_bytes())))
        });
        SeccompRule::new(conditions.collect::<Result<_, _>>()?)
    }

    fn refused(own_network: bool) -> Result<Rules, BackendError> {
        use SeccompCmpOp::{MaskedEq, Ne};
        let mut rules: Rules = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
        for call in ON_ITSELF {
            rules.insert(call, vec![all(&[(0, Ne, 0)])?]);
        }
        for (call, kind) in ON_ITSELF_BY_KIND {
            rules.insert(call, vec![all(&[(0, Ne, kind)])?, all(&[(1, Ne, 0)])?]);
        }
        // The limits of other processes may be read, but not set: to read them, no new limits are given.
        let given = SeccompCondition::new(2, SeccompCmpArgLen::Qword, Ne, 0)?;
        rules.insert(libc::SYS_prlimit64, vec![SeccompRule::new(vec![condition(0, Ne, 0)?, given])?]);
        for (call, place) in SENDS {
            rules.insert(
                call,
                vec![SeccompRule::new(vec![condition(place, MaskedEq(FAST_OPEN), FAST_OPEN)?])?],
            );
        }
        for call in [libc::SYS_unshare, libc::SYS_clone] {
            let time = (call == libc::SYS_unshare).then_some(NEW_TIME);
            let each = NAMESPACES.into_iter().chain(time);
            let each = each.map(|flag| all(&[(0, MaskedEq(u64::from(flag.unsigned_abs())), flag)]));
            rules.insert(call, each.collect::<Result<_, _>>()?);
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
            let odd = ODD_KINDS.into_iter().chain((!own_network).then_some(libc::SOCK_DGRAM));
            for kind in odd {
                sockets.push(all(&of_kind(kind))?);
            }
        }
        Ok(sockets)
    }

    /// Refuses all calls of the x32 ABI, by which the refused ones could be made.
    #[cfg(target_arch = "x86_64")]
    fn refuse_x32() -> Option<BpfProgram> {
        use seccompiler::sock_filter;
        let step = |code: u32, jf, k| sock_filter { code: code as u16, jt: 0, jf, k };
        Some(vec![
            step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0),
            step(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 1, X32_CALLS),
            step(libc::BPF_RET | libc::BPF_K, 0, libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32),
            step(libc::BPF_RET | libc::BPF_K, 0, libc::SECCOMP_RET_ALLOW),
        ])
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn refuse_x32() -> Option<BpfProgram> {
        None
    }
}
