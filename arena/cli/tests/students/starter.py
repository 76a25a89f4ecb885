"""The starter in Python as it is handed out, so that the files beside it can change one thing of it; a good bot."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "..", "..", "..", "ai-client", "starters", "python"))

from bot import Player, main

if __name__ == "__main__":
    main(Player)
