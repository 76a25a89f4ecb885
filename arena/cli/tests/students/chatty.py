"""Shouts at every step, and writes down what it does."""
import student


class Student(student.Student):
    def ask(self, command):
        print(command, flush=True)
        return super().ask(command)

    def wander(self):
        self.ask("Broadcast here:I:am")
        super().wander()


student.main(Student)
