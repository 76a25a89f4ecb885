"""Computes for a third of a second now and then before it speaks, also while it waits for an answer."""
import time

import student


class Student(student.Student):
    thoughts = 0

    def think(self):
        until = time.process_time() + 0.3
        while time.process_time() < until:
            pass

    def wander(self):
        self.thoughts += 1
        if self.thoughts % 16 == 1:
            self.think()
        if self.thoughts % 16 == 9:
            self.send("Forward")
            self.think()
            self.answer()
        else:
            super().wander()


student.main(Student)
