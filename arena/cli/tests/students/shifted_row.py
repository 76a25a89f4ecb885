"""Is one tile off in the third row."""
import far_eyes
import student


class Student(far_eyes.Student):
    def place(self, tile):
        ahead, right = super().place(tile)
        return ahead, right + (ahead == 3)


student.main(Student)
