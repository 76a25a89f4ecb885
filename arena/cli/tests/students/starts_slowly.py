"""Needs two seconds before it connects, and two more before it names its team."""
import time

import student


class Student(student.Student):
    def __init__(self, options):
        time.sleep(2)
        super().__init__(options)

    def login(self):
        time.sleep(2)
        super().login()


student.main(Student)
