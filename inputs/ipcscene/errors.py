"""Errors of a conversion with their exit codes."""


class SceneError(Exception):
    """The input is wrong: exit code 2."""

    exit_code = 2

    def __init__(self, place, message):
        super().__init__(f"{place}: {message}")


class Impossible(SceneError):
    """The input is valid, but abut lacks a feature of it: exit code 3."""

    exit_code = 3

    def __init__(self, place, why):
        Exception.__init__(self, f"not possible: {why} ({place})")
