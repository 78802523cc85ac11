"""Reads scene files of the 2020 IPC code and writes abut scenes (see ../from_ipc.py)."""
