"""Waits in select, with a limit of a second, and reads without blocking."""
import select

import student


class Student(student.Student):
    def read(self):
        while b"\n" not in self.bytes:
            ready, _, _ = select.select([self.socket], [], [], 1)
            if not ready:
                continue
            chunk = self.socket.recv(16)
            if not chunk:
                raise SystemExit
            self.bytes += chunk
        line, self.bytes = self.bytes.split(b"\n", 1)
        return line.decode("latin-1")


student.main(Student)
