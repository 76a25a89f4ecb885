"""Sends forty commands at once, and waits for forty answers."""
import student


class Student(student.Student):
    def play(self):
        self.login()
        for _ in range(40):
            self.send("Forward")
        for _ in range(40):
            self.answer()
        while True:
            self.live_a_moment()


student.main(Student)
