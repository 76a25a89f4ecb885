"""Says in one line which walls of its sandbox have a hole: calls that harm others or get around limits, and that
came through. Each is made so that nothing is harmed if it does.

walls.py PORT: a server of the machine that isn't its own listens there.
"""
import ctypes
import errno
import fcntl
import os
import platform
import socket
import struct
import sys

PORT = int(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
ARM = platform.machine() == "aarch64"
above = os.getppid()


def call(x86, arm, *numbers):
    """A system call by its number on either processor; fails with what the kernel says."""
    ctypes.set_errno(0)
    numbers = [n if isinstance(n, (bytes, ctypes.Array)) else ctypes.c_long(n) for n in numbers]
    result = libc.syscall(ctypes.c_long(arm if ARM else x86), *numbers)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def limits_of_another():
    import resource

    # Those that it has already.
    resource.prlimit(above, resource.RLIMIT_CORE, resource.prlimit(above, resource.RLIMIT_CORE))


def schedule_of_another():
    os.sched_setaffinity(above, os.sched_getaffinity(above))


def kind_of_schedule():
    os.sched_setscheduler(above, os.sched_getscheduler(above), os.sched_param(0))


def priority_of_another():
    os.setpriority(os.PRIO_PROCESS, above, os.getpriority(os.PRIO_PROCESS, above))


def priority_of_all():
    os.setpriority(os.PRIO_USER, 0, os.getpriority(os.PRIO_USER, 0))


def disk_priority_of_another():
    call(251, 30, 1, above, 4 << 13 | 4)


def memory_of_the_keepers():
    """In bubblewrap the first processes are the arena's."""
    with open("/proc/1/cmdline", "rb") as line:
        if b"\0relay\0" not in line.read():
            raise OSError(errno.EPERM, "not in bubblewrap")
    open("/proc/1/mem", "r+b").close()


def tracing():
    # Without stopping it; it ends with this process.
    call(101, 117, 0x4206, above, 0, 0)


def descriptor_of_another():
    call(438, 438, os.pidfd_open(above) if hasattr(os, "pidfd_open") else above, 0, 0)


def shared_memory():
    call(31, 195, call(29, 194, 0, 1 << 20, 0o1600), 0, 0)


def semaphores():
    call(66, 191, call(64, 190, 0, 1, 0o1600), 0, 0)


def messages():
    call(71, 187, call(68, 186, 0, 0o1600), 0, 0)


def queue():
    name = b"/zappy-walls-%d" % os.getpid()
    numbers = (240, 180), (241, 181)
    os.close(call(*numbers[0], ctypes.create_string_buffer(name[1:]), os.O_CREAT | os.O_RDWR, 0o600, 0))
    call(*numbers[1], ctypes.create_string_buffer(name[1:]))


def file_in_memory():
    os.close(os.memfd_create("walls"))


def watches():
    os.close(call(294, 26, 0))


def room_at_once(reserve):
    with open("room", "w+b") as room:
        try:
            reserve(room.fileno())
        finally:
            os.unlink("room")


def fallocate():
    room_at_once(lambda fd: call(285, 47, fd, 0, 0, 1 << 20))


def reserving_ioctl():
    room_at_once(lambda fd: fcntl.ioctl(fd, 0x4030582A, struct.pack("@hhqqiI4i", 0, 0, 0, 1 << 20, 0, 0, 0, 0, 0, 0)))


def immutable():
    # The flags that it has already.
    def change(fd):
        flags = fcntl.ioctl(fd, 0x80086601, bytes(8))
        fcntl.ioctl(fd, 0x40086602, flags)

    room_at_once(change)


def family(number, kind, protocol=0):
    return lambda: socket.socket(number, kind, protocol).close()


def fast_open():
    with socket.socket() as out:
        out.settimeout(5)
        out.sendto(b"x", 0x20000000, ("127.0.0.1", PORT))


def several_ways():
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262) as out:
        out.settimeout(5)
        out.connect(("127.0.0.1", PORT))


def namespace(flag):
    def unshare():
        child = os.fork()
        if child == 0:
            os._exit(libc.unshare(flag) == 0)
        if os.waitpid(child, 0)[1] == 0:
            raise OSError(errno.EPERM, "no")

    return unshare


def cloned():
    # A child in a namespace of its own; without a stack of its own it is like a fork.
    child = call(56, 220, 0x10000000 | 17, 0, 0, 0, 0)
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def flags_out_of_sight():
    # With no arguments at all; a kernel that looks at them says otherwise.
    try:
        call(435, 435, 0, 0)
    except OSError as error:
        if error.errno == errno.ENOSYS:
            raise


def capabilities():
    with open("/proc/self/status") as status:
        lines = dict(line.split(":\t") for line in status.read().splitlines() if line.startswith("Cap"))
    # To read what other users have is kept in Landlock.
    if all(int(lines[name], 16) & ~4 == 0 for name in ("CapEff", "CapPrm", "CapInh", "CapAmb")):
        raise OSError(errno.EPERM, "none")


def larger_buffers():
    for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
        one, other = socket.socketpair()
        with one, other:
            usual = one.getsockopt(socket.SOL_SOCKET, option)
            one.setsockopt(socket.SOL_SOCKET, option, 2 * usual)
            if one.getsockopt(socket.SOL_SOCKET, option) > usual:
                return
    raise OSError(errno.EPERM, "they stay as they are")


def port_of_any_number():
    with open("/proc/1/cmdline", "rb") as line:
        if b"\0relay\0" in line.read():
            raise OSError(errno.EPERM, "it has a network of its own")
    with socket.socket() as waits:
        waits.listen()


def relay_without_filter():
    with open("/proc/1/cmdline", "rb") as line, open("/proc/1/status") as status:
        if b"\0relay\0" not in line.read() or "Seccomp:\t2" in status.read():
            raise OSError(errno.EPERM, "it has one")


def relay_without_limits():
    with open("/proc/1/cmdline", "rb") as line, open("/proc/1/limits") as limits:
        relay = b"\0relay\0" in line.read()
        lines = [line for line in limits if line.startswith(("Max address space", "Max cpu time", "Max file size"))]
    if not relay or not any("unlimited" in line for line in lines):
        raise OSError(errno.EPERM, "it has some")


HOLES = {
    "limits of another": limits_of_another,
    "processor of another": schedule_of_another,
    "schedule of another": kind_of_schedule,
    "priority of another": priority_of_another,
    "priority of all": priority_of_all,
    "disk priority of another": disk_priority_of_another,
    "memory of the keepers": memory_of_the_keepers,
    "tracing": tracing,
    "descriptor of another": descriptor_of_another,
    "shared memory": shared_memory,
    "semaphores": semaphores,
    "messages": messages,
    "message queue": queue,
    "file in memory": file_in_memory,
    "watches": watches,
    "fallocate": fallocate,
    "reserving ioctl": reserving_ioctl,
    "flags of files": immutable,
    "MPTCP": several_ways,
    "fast open": fast_open,
    "port of any number": port_of_any_number,
    "larger buffers": larger_buffers,
    "SCTP": family(socket.AF_INET, socket.SOCK_STREAM, 132),
    "raw": family(socket.AF_INET, socket.SOCK_RAW, 1),
    "ping": family(socket.AF_INET, socket.SOCK_DGRAM, 1),
    "virtual machines' sockets": family(40, socket.SOCK_STREAM),
    "packets": family(17, socket.SOCK_RAW),
    "ciphers": family(38, socket.SOCK_SEQPACKET),
    "the kernel's news": family(16, socket.SOCK_RAW, 15),
    "user namespace": namespace(0x10000000),
    "network namespace": namespace(0x40000000),
    "time namespace": namespace(0x80),
    "cloned namespace": cloned,
    "flags out of sight": flags_out_of_sight,
    "capabilities": capabilities,
    "relay without a filter": relay_without_filter,
    "relay without limits": relay_without_limits,
}


def is_open(hole):
    try:
        hole()
        return True
    except OSError:
        return False


def usual():
    """What runtimes use must go on working; gives what doesn't."""
    broken = []

    def must(name, works):
        try:
            if not works():
                broken.append(name)
        except OSError as error:
            broken.append(f"{name}: {error}")

    def written():
        with open("room", "w+b") as room:
            os.unlink("room")
            os.posix_fallocate(room.fileno(), 0, 100_000)
            return os.fstat(room.fileno()).st_size == 100_000

    def threads():
        import threading

        thread = threading.Thread(target=lambda: None)
        thread.start()
        thread.join()
        return True

    def own():
        import resource

        resource.prlimit(0, resource.RLIMIT_CORE, (0, 0))
        os.sched_setaffinity(0, os.sched_getaffinity(0))
        os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, 0))
        return resource.prlimit(above, resource.RLIMIT_CORE) is not None or True

    def child():
        import subprocess

        return subprocess.run(["/bin/sh", "-c", "echo 1"], stdout=subprocess.PIPE).stdout == b"1\n"

    must("posix_fallocate", written)
    must("threads", threads)
    must("its own limits", own)
    must("children", child)
    def buffers():
        with socket.socket() as out:
            out.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        return True

    must("buffers", buffers)
    must("pairs", lambda: [end.close() for end in socket.socketpair()])
    must("localhost", lambda: "127.0.0.1" in {one[4][0] for one in socket.getaddrinfo("localhost", 80)})
    return broken


print("open: " + ", ".join(name for name, hole in HOLES.items() if is_open(hole)), flush=True)
print("broken: " + ", ".join(usual()), flush=True)
