"""Comes when it is called: turns towards the call, takes one step, and waits for the next one; a good bot."""
import student

TOWARDS = {0: [], 1: ["Forward"], 2: ["Forward"], 8: ["Forward"], 3: ["Left", "Forward"], 4: ["Left", "Forward"]}
TOWARDS.update({5: ["Left", "Left", "Forward"], 6: ["Right", "Forward"], 7: ["Right", "Forward"]})


class Student(student.Student):
    towards = TOWARDS

    def login(self):
        super().login()
        self.called = None

    def message(self, line):
        direction, text = line[len("message "):].split(", ", 1)
        if text == self.team + ":come":
            self.called = int(direction)

    def live_a_moment(self):
        if self.called is None:
            super().live_a_moment()
        else:
            called, self.called = self.called, 0
            for step in self.towards[called]:
                self.ask(step)
            self.look()


if __name__ == "__main__":
    student.main(Student)
