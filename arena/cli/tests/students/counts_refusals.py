"""Never asks what it has: it counts each `Take food` as food, refused or not, and forgets that it eats."""
import student


class Student(student.Student):
    def login(self):
        super().login()
        self.food = 10

    def live_a_moment(self):
        tiles = self.look()
        here = next((i for i, tile in enumerate(tiles[:4]) if "food" in tile), None)
        if here is None or self.food >= 25:
            self.wander()
        else:
            self.go_to(here)
            self.take("food")
            self.food += 1


student.main(Student)
