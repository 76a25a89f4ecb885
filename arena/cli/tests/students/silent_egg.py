"""Connects for its egg, and then waits for two lines before it names its team."""
import threading

import student


class Child(student.Student):
    def login(self):
        self.read()
        self.read()


class Student(student.Student):
    laid = False

    def live_a_moment(self):
        super().live_a_moment()
        if not self.laid and self.ask("Fork") == "ok":
            self.laid = True
            threading.Thread(target=Child(self.options).play, daemon=True).start()


student.main(Student)
