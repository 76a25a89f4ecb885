"""Waits for `ok` whatever it has asked for."""
import student


class Student(student.Student):
    def take(self, what):
        self.send("Take " + what)
        while self.answer() != "ok":
            pass


student.main(Student)
