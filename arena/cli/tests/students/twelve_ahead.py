"""Has twelve commands on the way at any time."""
from collections import deque

import student


class Student(student.Student):
    def play(self):
        self.login()
        waiting, plan = deque(), deque()
        while True:
            while len(waiting) < 12:
                if not plan:
                    plan.extend(["Look", "Take food", "Forward", "Inventory", "Take food", "Left"])
                waiting.append(plan.popleft())
                self.send(waiting[-1])
            self.answer()
            waiting.popleft()


student.main(Student)
