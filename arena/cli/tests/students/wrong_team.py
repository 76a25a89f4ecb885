"""Sends a word before the name of its team."""
import student


class Student(student.Student):
    def login(self):
        self.read()
        self.send("TEAM " + self.team)
        if self.read() == "ko":
            raise SystemExit("no place in the team")
        self.read()


student.main(Student)
