"""Has three players, two of which never say a word: they keep the team's slots."""
import student


class Student(student.Student):
    def play(self):
        self.login()
        silent = []
        for _ in range(2):
            try:
                silent.append(type(self)(self.options))
                silent[-1].login()
            except SystemExit:
                break
        while True:
            self.live_a_moment()


student.main(Student)
