"""Connects again for ever when its connection has ended."""
import time

import student


def main():
    options = student.arguments()
    while True:
        try:
            student.Student(options).play()
        except (OSError, SystemExit):
            time.sleep(0.2)


main()
