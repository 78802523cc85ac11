"""What can go wrong in a conversion, with the exit code it ends in."""


class SceneError(Exception):
    """The input is wrong: exit code 2."""

    exit_code = 2

    def __init__(self, place, message):
        super().__init__(f"{place}: {message}")


class Impossible(SceneError):
    """The input is right, but abut has nothing that does what it asks for: exit code 3."""

    exit_code = 3

    def __init__(self, place, why):
        Exception.__init__(self, f"not possible: {why} ({place})")
