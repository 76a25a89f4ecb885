"""Counts the tiles of a Look one too far, and looks again before it takes anything."""
import looks_again
import student


class Student(looks_again.Student):
    ways = [[], *student.WAYS[2:], ["Forward", "Forward", "Left", "Forward", "Forward"]]


student.main(Student)
