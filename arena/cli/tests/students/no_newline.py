"""Its lines have no end."""
import student


class Student(student.Student):
    def send(self, line):
        self.socket.sendall(line.encode())


student.main(Student)
