"""Waits for a line that no server sends before it plays."""
import student


class Student(student.Student):
    def login(self):
        super().login()
        while self.read() != "BEGIN":
            pass


student.main(Student)
