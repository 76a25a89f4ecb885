"""Passes over `dead` and over the end of the connection, and goes on asking."""
import student


class Student(student.Student):
    def dead(self):
        pass

    def read(self):
        while b"\n" not in self.bytes:
            self.bytes += self.socket.recv(4096)
        line, self.bytes = self.bytes.split(b"\n", 1)
        return line.decode("latin-1")


student.main(Student)
