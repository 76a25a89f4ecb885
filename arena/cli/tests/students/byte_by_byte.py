"""Reads byte by byte, and needs no buffer."""
import student


class Student(student.Student):
    def read(self):
        line = b""
        while not line.endswith(b"\n"):
            byte = self.socket.recv(1)
            if not byte:
                raise SystemExit
            line += byte
        return line[:-1].decode("latin-1")


student.main(Student)
