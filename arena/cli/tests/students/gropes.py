"""Takes wherever it comes, whether it saw something or not."""
import student


class Student(student.Student):
    def live_a_moment(self):
        self.ask("Look")
        self.take("food")
        self.wander()


student.main(Student)
