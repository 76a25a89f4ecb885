"""Its first player gives its life for the team: once a second one plays, it says nothing more and starves."""
import threading

import student


class Sacrificed(student.Student):
    def play(self):
        self.login()
        for _ in range(3):
            self.ask("Look")
        other = student.Student(self.options)
        try:
            other.login()
        except SystemExit:
            # There is no other place, so it has to live.
            while True:
                self.live_a_moment()
        threading.Thread(target=self.starve, daemon=True).start()
        while True:
            other.live_a_moment()

    def starve(self):
        while True:
            self.unasked(self.read())


student.main(Sacrificed)
