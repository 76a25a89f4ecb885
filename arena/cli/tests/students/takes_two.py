"""Wants two units of food with one command, which takes one and no number."""
import student


class Student(student.Student):
    def take(self, what):
        return self.ask(f"Take {what} 2") == "ok" or super().take(what)


student.main(Student)
