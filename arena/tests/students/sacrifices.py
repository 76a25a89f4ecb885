"""Its first player gives its life for the team: it says a few words and then nothing, while a second one plays on."""
import threading

import student


class Sacrificed(student.Student):
    def play(self):
        self.login()
        for _ in range(3):
            self.ask("Look")
        try:
            other = student.Student(self.options)
            threading.Thread(target=other.play, daemon=True).start()
        except ConnectionError:
            pass
        while True:
            self.unasked(self.read())


student.main(Sacrificed)
