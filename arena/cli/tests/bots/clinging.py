"""Ignores every signal it can, leaves a process that does so too, and stays when all is over."""
import os
import signal
import time

for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
with open(os.environ["PIDS"], "a") as pids:
    pids.write(f"{os.getpid()}\n")
while True:
    time.sleep(1)
