"""Takes `Elevation underway` for something that can't be."""
import student


class Student(student.Student):
    def rise(self):
        level = self.ask("Incantation")
        if level != "ko":
            self.level = int(level.split(":")[1])

    def unasked(self, line):
        return line != "Elevation underway" and super().unasked(line)


student.main(Student)
