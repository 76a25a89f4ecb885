//! System calls that other people's programs have no use for and that open the kernel to them, refused by seccomp.
//!
//! Holds for the program and all that it starts, and takes no privilege. A refused call fails with EPERM; nothing is
//! killed. Where the processor isn't known to the filter, nothing is refused. Tested in `tests/tournament/sandbox.rs`.

/// Whether the processor is one of those that the filter knows.
#[must_use]
pub fn is_known() -> bool {
    kernel::is_known()
}

/// From now on this process and its children are refused those calls, and if `datagrams` is false also sockets that reach
/// other machines without a connection.
///
/// # Errors
/// In words, when the kernel can't.
pub fn impose(datagrams: bool) -> Result<(), String> {
    kernel::impose(datagrams)
}

#[cfg(not(target_os = "linux"))]
mod kernel {
    pub fn is_known() -> bool {
        false
    }

    pub fn impose(_datagrams: bool) -> Result<(), String> {
        Ok(())
    }
}

#[cfg(target_os = "linux")]
mod kernel {
    use std::collections::BTreeMap;

    use seccompiler::{
        BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
        SeccompFilter, SeccompRule, TargetArch, apply_filter,
    };

    /// Of a socket's kind, the bits that aren't flags.
    const KIND: u64 = 0xf;
    /// Calls for the keys, the programs and the workings of the kernel, for other processes' memory, and for a queue of calls
    /// that no filter sees.
    const REFUSED: [libc::c_long; 19] = [
        libc::SYS_add_key,
        libc::SYS_bpf,
        libc::SYS_delete_module,
        libc::SYS_finit_module,
        libc::SYS_init_module,
        libc::SYS_io_uring_enter,
        libc::SYS_io_uring_register,
        libc::SYS_io_uring_setup,
        libc::SYS_kexec_load,
        libc::SYS_keyctl,
        libc::SYS_mount,
        libc::SYS_open_by_handle_at,
        libc::SYS_perf_event_open,
        libc::SYS_pivot_root,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_request_key,
        libc::SYS_umount2,
        libc::SYS_userfaultfd,
    ];

    pub fn is_known() -> bool {
        TargetArch::try_from(std::env::consts::ARCH).is_ok()
    }

    pub fn impose(datagrams: bool) -> Result<(), String> {
        let Ok(arch) = TargetArch::try_from(std::env::consts::ARCH) else { return Ok(()) };
        // What `clone3` is asked lies in memory, which no filter reads; programs then ask `clone`, as on older kernels.
        let unknown = SeccompAction::Errno(libc::ENOSYS as u32);
        let rules = [(libc::SYS_clone3, Vec::new())].into();
        let clone3 = SeccompFilter::new(rules, SeccompAction::Allow, unknown, arch);
        for filter in [filter(arch, datagrams), clone3.and_then(TryInto::try_into)] {
            let filter = filter.map_err(|error| error.to_string())?;
            apply_filter(&filter).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn filter(arch: TargetArch, datagrams: bool) -> Result<BpfProgram, BackendError> {
        let mut rules: BTreeMap<i64, Vec<SeccompRule>> = REFUSED.map(|call| (call, Vec::new())).into();
        let is = |place, operator, value: i32| {
            SeccompCondition::new(place, SeccompCmpArgLen::Dword, operator, value as u64)
        };
        // Users of its own open more of the kernel to a program.
        let users = SeccompCmpOp::MaskedEq(libc::CLONE_NEWUSER as u64);
        for call in [libc::SYS_clone, libc::SYS_unshare] {
            rules.insert(call, vec![SeccompRule::new(vec![is(0, users.clone(), libc::CLONE_NEWUSER)?])?]);
        }
        if !datagrams {
            let mut sockets = vec![SeccompRule::new(vec![is(0, SeccompCmpOp::Eq, libc::AF_PACKET)?])?];
            for family in [libc::AF_INET, libc::AF_INET6] {
                for kind in [libc::SOCK_DGRAM, libc::SOCK_RAW] {
                    let conditions =
                        vec![is(0, SeccompCmpOp::Eq, family)?, is(1, SeccompCmpOp::MaskedEq(KIND), kind)?];
                    sockets.push(SeccompRule::new(conditions)?);
                }
            }
            rules.insert(libc::SYS_socket, sockets);
        }
        let refusal = SeccompAction::Errno(libc::EPERM as u32);
        SeccompFilter::new(rules, SeccompAction::Allow, refusal, arch)?.try_into()
    }
}
