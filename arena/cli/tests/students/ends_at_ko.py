"""Ends when something is refused."""
import sys

import student


class Student(student.Student):
    def take(self, what):
        if not super().take(what):
            sys.exit("server said ko")


student.main(Student)
