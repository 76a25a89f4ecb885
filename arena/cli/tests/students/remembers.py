"""Draws a map of what it saw, and goes where it saw something, also much later."""
import student

LEFT = {(0, -1): (-1, 0), (-1, 0): (0, 1), (0, 1): (1, 0), (1, 0): (0, -1)}


class Student(student.Student):
    def login(self):
        super().login()
        self.at, self.way, self.seen = (0, 0), (0, -1), set()

    def unasked(self, line):
        if line.startswith("eject: "):
            # It is no longer where it thinks it is.
            self.seen.clear()
        return super().unasked(line)

    def turn(self):
        self.ask("Left")
        self.way = LEFT[self.way]

    def step(self):
        self.ask("Forward")
        self.at = (self.at[0] + self.way[0], self.at[1] + self.way[1])

    def live_a_moment(self):
        tiles = self.look()
        side = (-self.way[1], self.way[0])
        for i, tile in enumerate(tiles[:4]):
            ahead, right = (0, 0) if i == 0 else (1, i - 2)
            place = tuple(self.at[k] + self.way[k] * ahead + side[k] * right for k in (0, 1))
            (self.seen.add if "food" in tile else self.seen.discard)(place)
        if not self.seen:
            self.step()
            return
        goal = min(self.seen, key=lambda place: (abs(place[0] - self.at[0]) + abs(place[1] - self.at[1]), place))
        while goal in self.seen and self.at != goal:
            gap = (goal[0] - self.at[0], goal[1] - self.at[1])
            if gap[0] * self.way[0] > 0 or gap[1] * self.way[1] > 0:
                self.step()
            else:
                self.turn()
        if goal in self.seen and not self.take("food"):
            self.seen.discard(goal)


student.main(Student)
