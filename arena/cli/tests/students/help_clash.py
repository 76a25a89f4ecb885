"""Its -h is the host, and argparse's is a wish for help."""
import argparse

import student

parser = argparse.ArgumentParser()
parser.add_argument("-p", type=int, required=True)
parser.add_argument("-n", required=True)
parser.add_argument("-h", default="localhost")
student.Student(parser.parse_args()).play()
