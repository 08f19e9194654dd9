"""Read the data that a page contains."""

import base64
import json
import re

import numpy as np


def read_data(path):
    """The data that the page was given, from its file."""
    return json.loads(re.search(r'id="contents">(.*?)</script>', path.read_text(), re.DOTALL)[1])


def unpack_win_rates(text, pairs, times):
    """The packed win rates as shares, in the order (pair, quantity, time)."""
    return np.frombuffer(base64.b64decode(text), dtype=np.uint8).reshape(pairs, 4, times) / 255
