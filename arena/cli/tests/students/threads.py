"""A thread reads lines into a queue, another one writes, and the player waits for the queue."""
import queue
import threading

import student


class Student(student.Student):
    def login(self):
        self.lines, self.sent = queue.Queue(), queue.Queue()
        threading.Thread(target=self.read_all, daemon=True).start()
        threading.Thread(target=self.write_all, daemon=True).start()
        super().login()

    def read_all(self):
        with self.socket.makefile("rb") as file:
            try:
                for line in file:
                    self.lines.put(line.decode("latin-1").rstrip("\n"))
            except OSError:
                pass
        self.lines.put(None)

    def write_all(self):
        while True:
            try:
                self.socket.sendall(self.sent.get())
            except OSError:
                return

    def read(self):
        line = self.lines.get()
        if line is None:
            raise SystemExit
        return line

    def send(self, line):
        self.sent.put(line.encode() + b"\n")


student.main(Student)
