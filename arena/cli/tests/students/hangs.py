"""Says nothing more after five looks, and doesn't read on either."""
import threading

import student


class Student(student.Student):
    looks = 0

    def look(self):
        self.looks += 1
        if self.looks > 5:
            threading.Event().wait()
        return super().look()


student.main(Student)
