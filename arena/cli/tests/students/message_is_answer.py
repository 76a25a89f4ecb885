"""Takes a message for the answer to its command."""
import student


class Student(student.Student):
    def unasked(self, line):
        return not line.startswith("message ") and super().unasked(line)

    def look(self):
        # What isn't a Look has no food in it.
        tiles = super().look()
        return tiles if len(tiles) > 3 else [[], [], [], []]

    def rise(self):
        """Not this one."""


student.main(Student)
