"""Takes `eject: K` for the answer to its command."""
import student


class Student(student.Student):
    def unasked(self, line):
        return not line.startswith("eject: ") and super().unasked(line)

    def look(self):
        tiles = super().look()
        return tiles if len(tiles) > 3 else [[], [], [], []]


student.main(Student)
