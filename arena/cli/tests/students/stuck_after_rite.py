"""Waits for another answer when its own incantation has succeeded."""
import student


class Student(student.Student):
    def rise(self):
        self.send("Incantation")
        line = self.read_any()
        while line != "ko" and not line.startswith("Current level"):
            line = self.read_any()
        if line != "ko":
            self.answer()


student.main(Student)
