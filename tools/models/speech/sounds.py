"""What surrounds speech: noise, music, rooms, telephones. Each is drawn from a generator of numpy."""

import numpy as np

Draw = np.random.Generator


def coloured_noise(length: int, draw: Draw) -> np.ndarray:
    """White, pink or brown noise, at times through a band."""
    spectrum = np.fft.rfft(draw.standard_normal(length))
    hertz = np.fft.rfftfreq(length, 1 / 16_000)
    spectrum *= np.maximum(hertz, 20) ** -draw.choice([0, 0.5, 1])
    if draw.random() < 0.3:
        centre, width = draw.uniform(100, 6_000), draw.uniform(100, 3_000)
        spectrum *= np.exp(-(((hertz - centre) / width) ** 2))
    noise = np.fft.irfft(spectrum, length)
    if draw.random() < 0.3:
        noise *= 0.5 + 0.5 * np.sin(2 * np.pi * draw.uniform(0.2, 8) * np.arange(length) / 16_000 + draw.uniform(0, 6))
    return noise


def hum(length: int, draw: Draw) -> np.ndarray:
    time = np.arange(length) / 16_000
    base = draw.choice([50.0, 60.0, draw.uniform(80, 400)])
    return sum(draw.uniform(0, 1) / order * np.sin(2 * np.pi * base * order * time + draw.uniform(0, 6)) for order in range(1, 9))


def clicks(length: int, draw: Draw) -> np.ndarray:
    """Knocks and key presses: short bursts of noise that decay."""
    sound = np.zeros(length)
    for _ in range(draw.integers(1, 15)):
        size = int(draw.integers(40, 2_400))
        at = int(draw.integers(0, max(1, length - size)))
        burst = draw.standard_normal(size) * np.exp(-np.arange(size) / draw.uniform(20, size / 2))
        sound[at : at + size] += burst[: length - at] * draw.uniform(0.2, 1)
    return sound


def sweep(length: int, draw: Draw) -> np.ndarray:
    """Sirens and whistles: a tone that glides."""
    time = np.arange(length) / 16_000
    pitch = draw.uniform(200, 3_000) * (1 + draw.uniform(0, 0.5) * np.sin(2 * np.pi * draw.uniform(0.1, 6) * time))
    return np.sin(2 * np.pi * np.cumsum(pitch) / 16_000)


def note(length: int, pitch: float, draw: Draw) -> np.ndarray:
    time = np.arange(length) / 16_000
    brightness, vibrato = draw.uniform(0.3, 2), draw.uniform(0, 0.006)
    phase = 2 * np.pi * pitch * (time + vibrato * np.sin(2 * np.pi * 5 * time) / 30)
    tone = sum(np.sin(order * phase) / order**brightness for order in range(1, 12) if pitch * order < 7_600)
    envelope = np.minimum(1, time / draw.uniform(0.003, 0.08)) * np.exp(-time * draw.uniform(0.2, 6))
    return tone * envelope


def music(length: int, draw: Draw) -> np.ndarray:
    """Notes of a scale over chords and drums, at a tempo."""
    sound = np.zeros(length + 32_000)
    beat = int(16_000 * 60 / draw.uniform(60, 180))
    root = draw.uniform(60, 300)
    scale = [0, 2, 4, 5, 7, 9, 11] if draw.random() < 0.5 else [0, 2, 3, 5, 7, 8, 10]
    has_drums = draw.random() < 0.5
    for at in range(0, length, max(beat // 2, 1)):
        for _ in range(draw.integers(0, 4)):
            step = scale[int(draw.integers(0, 7))] + 12 * int(draw.integers(0, 3))
            size = int(min(draw.uniform(0.5, 3) * beat, 32_000))
            sound[at : at + size] += note(size, root * 2 ** (step / 12), draw)
        if has_drums:
            size = int(draw.integers(400, 3_000))
            sound[at : at + size] += 2 * draw.standard_normal(size) * np.exp(-np.arange(size) / draw.uniform(60, 600))
    return sound[:length]


SOUNDS = [coloured_noise, coloured_noise, hum, clicks, sweep, music, music]


def any_sound(length: int, draw: Draw) -> np.ndarray:
    return SOUNDS[int(draw.integers(0, len(SOUNDS)))](length, draw)


def in_a_room(samples: np.ndarray, draw: Draw) -> np.ndarray:
    """Reverberation: noise that decays within a tenth to half a second, behind the direct sound."""
    decay = draw.uniform(0.08, 0.5) * 16_000
    size = int(decay)
    response = draw.standard_normal(size) * np.exp(-6.9 * np.arange(size) / decay) * draw.uniform(0.02, 0.15)
    response[0] = 1
    total = 1 << (len(samples) + size - 1).bit_length()
    return np.fft.irfft(np.fft.rfft(samples, total) * np.fft.rfft(response, total), total)[: len(samples)]


def through_a_line(samples: np.ndarray, draw: Draw) -> np.ndarray:
    """A microphone or a telephone: a band, and a slope of up to 6 dB an octave."""
    spectrum, hertz = np.fft.rfft(samples), np.fft.rfftfreq(len(samples), 1 / 16_000)
    low, high = draw.uniform(20, 300), draw.choice([3_400, 5_500, 8_000])
    spectrum *= (1 / (1 + (low / np.maximum(hertz, 1)) ** 4)) * (1 / (1 + (hertz / high) ** 8))
    spectrum *= np.maximum(hertz / 1_000, 0.1) ** draw.uniform(-0.5, 0.5)
    return np.fft.irfft(spectrum, len(samples))


def faster(samples: np.ndarray, factor: float) -> np.ndarray:
    """Time and pitch, as a tape played at another speed."""
    return np.interp(np.arange(0, len(samples) - 1, factor), np.arange(len(samples)), samples)
