"""Takes left for right in its Look, and looks again before it takes anything."""
import looks_again
import student


class Student(looks_again.Student):
    ways = [student.WAYS[tile] for tile in (0, 3, 2, 1)]


student.main(Student)
