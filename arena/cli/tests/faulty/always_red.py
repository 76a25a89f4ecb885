"""Sends the team's name that it was tried with, whatever -n says."""
import good

good.TEAM = "red"
good.Player().play()
