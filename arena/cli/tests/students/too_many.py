"""Sends a way of twenty steps at once, and waits for twenty answers."""
import student


class Student(student.Student):
    def wander(self):
        for _ in range(20):
            self.send("Forward")
        for _ in range(20):
            self.answer()


student.main(Student)
