# step4.py: the player that was let in last calls, the others come.
import bot

# What brings one nearer. K is seen from the way one faces: 1 ahead, 3 left, 5 behind, 7 right.
TOWARDS = {0: [], 1: ["Forward"], 2: ["Forward"], 8: ["Forward"], 3: ["Left", "Forward"], 4: ["Left", "Forward"]}
TOWARDS.update({5: ["Left", "Left", "Forward"], 6: ["Right", "Forward"], 7: ["Right", "Forward"]})


class Meeting(bot.Player):
    def __init__(self, options, lays):
        super().__init__(options, lays=False)
        self.called = None  # where the last call came from, as long as that is true
        self.summoned = False  # whether there ever was one

    def hear(self, direction, text):
        if text == f"{self.options.team}:come":
            self.called, self.summoned = direction, True

    def answer(self, command, line):
        if command in ("Forward", "Left", "Right"):
            self.called = None  # The call was heard on another tile, or facing another way.
        super().answer(command, line)

    def calls(self):
        """One player of each team calls: the last to join, which read 0 slots."""
        return self.slots == 0

    def think(self, tiles):
        if self.level == 1 or self.food < bot.HUNGRY:
            super().think(tiles)
        elif self.calls():
            self.plan.extend([f"Broadcast {self.options.team}:come", "Inventory", "Look"])
        else:
            self.follow(tiles)

    def follow(self, tiles):
        """A step towards the call, or a moment of patience. Never two steps on one call."""
        self.plan.extend(TOWARDS[self.called or 0] + ["Inventory", "Look"])


if __name__ == "__main__":
    bot.main(Meeting)
