"""Takes each message for one of its own team's, which are JSON."""
import json

import student


class Student(student.Student):
    def message(self, line):
        json.loads(line.split(", ", 1)[1])


student.main(Student)
