"""How the networks read a text: as hashed trigrams of its UTF-8 bytes."""

import numpy as np


def _hashes(text):
    """32-bit FNV-1a of every trigram of the lower-cased words between two spaces."""
    data = f" {' '.join(text.lower().split())} ".encode()
    for start in range(len(data) - 2):
        value = 0x811C9DC5
        for byte in data[start : start + 3]:
            value = (value ^ byte) * 0x01000193 % 2**32
        yield value


def trigrams(text):
    """256 signed counts of length 4."""
    vector = np.zeros(256)
    for value in _hashes(text):
        vector[value % 256] += 1 if value >> 31 else -1
    return (np.float32(vector / np.linalg.norm(vector)) * 4).tolist()


def slices(text, steps):
    """For each of `steps` equal slices, which of 128 hashes start in it."""
    hashes = list(_hashes(text))
    result = np.zeros((steps, 128))
    for start, value in enumerate(hashes):
        result[start * steps // len(hashes), value % 128] = 1
    return result.tolist()
