"""Comes when it is called, with two steps for one call: it runs past."""
import comes
import student


class Student(comes.Student):
    towards = {k: way + way[-1:] for k, way in comes.TOWARDS.items()}


student.main(Student)
