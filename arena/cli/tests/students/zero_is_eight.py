"""Comes when it is called, and takes K 0 for 8: it never stays where the call comes from."""
import comes
import student


class Student(comes.Student):
    towards = {**comes.TOWARDS, 0: comes.TOWARDS[8]}

    def live_a_moment(self):
        if self.called is None:
            self.look()
        else:
            super().live_a_moment()
            self.called = None


student.main(Student)
