"""Speaks the utterances of the corpus with espeak-ng and flite, each with a voice of its own.

An utterance is written once, as 16-bit samples at 16 kHz: `<part>.pcm` has them one after the other and
`<part>.json` says where each begins, what it says and who speaks.
"""

import io
import json
import random
import subprocess
import sys
import wave
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from sounds import any_sound

OTHER = "<other>"
ONSETS = "b d f g h j k l m n p r s t v w z bl br dr fl gr pl sh th tr".split()
NUCLEI = "a e i o u ai ee oo ou ar or".split()
CODAS = ["", "", "b", "d", "g", "k", "l", "m", "n", "p", "r", "s", "t", "x", "nd", "st"]


def made_up_word(draw: random.Random) -> str:
    """A word that no dictionary has: one to three syllables."""
    return "".join(
        draw.choice(ONSETS) + draw.choice(NUCLEI) + draw.choice(CODAS)
        for _ in range(draw.choice([1, 2, 2, 3]))
    )


def resampled(samples: np.ndarray, rate: int, target: int) -> np.ndarray:
    """Band-limited by the spectrum of the whole utterance."""
    if rate == target:
        return samples
    length = round(len(samples) * target / rate)
    spectrum = np.fft.rfft(samples)
    wanted = length // 2 + 1
    kept = np.zeros(wanted, dtype=spectrum.dtype)
    common = min(wanted, len(spectrum))
    kept[:common] = spectrum[:common]
    return np.fft.irfft(kept, length) * (length / len(samples))


def trimmed(samples: np.ndarray) -> np.ndarray:
    loud = np.flatnonzero(np.abs(samples) > 0.005)
    return samples[max(0, loud[0] - 320) : loud[-1] + 320] if len(loud) else samples[:0]


def command_of(utterance: dict) -> list[str]:
    voice = utterance["voice"]
    if voice["program"] == "flite":
        # flite stretches durations: 1 is its own speed.
        stretch = f"duration_stretch={170 / voice['speed']:.2f}"
        return ["flite", "-voice", voice["name"], "--setf", stretch, "-t", utterance["text"], "-o", "/dev/stdout"]
    return ["espeak-ng", "--stdout", "-v", voice["name"], "-s", str(voice["speed"]), "-p", str(voice["pitch"]),
            "-g", str(voice["gap"]), utterance["text"]]


def spoken(utterance: dict, target: int) -> np.ndarray:
    run = subprocess.run(command_of(utterance), capture_output=True, check=True, timeout=60)
    with wave.open(io.BytesIO(run.stdout)) as file:
        rate = file.getframerate()
        data = run.stdout[44:] if file.getnframes() > 10**8 else file.readframes(file.getnframes())
    samples = np.frombuffer(data[: len(data) // 2 * 2], dtype="<i2").astype(np.float64) / 32768
    samples = trimmed(resampled(samples, rate, target))
    peak = np.max(np.abs(samples), initial=1e-9)
    return np.clip(np.round(samples / peak * 0.5 * 32767), -32768, 32767).astype("<i2")


def voice_of(recipe: dict, held_out: bool, draw: random.Random) -> dict:
    speed, pitch = draw.randint(115, 225), draw.randint(15, 85)
    if draw.random() < (0.3 if held_out else 0.15):
        voices = recipe["flite"]["heldOutVoices" if held_out else "voices"]
        return {"program": "flite", "name": draw.choice(voices), "speed": draw.randint(135, 200)}
    espeak = recipe["espeak"]
    language = draw.choice(espeak["heldOutLanguages" if held_out else "languages"])
    variant = draw.choice(espeak["heldOutVariants" if held_out else "variants"])
    if held_out and draw.random() < 0.5:
        language = draw.choice(espeak["languages"])
    gap = draw.choice([0, 0, 0, 1, 3, 8, 15])
    return {"program": "espeak-ng", "name": f"{language}+{variant}", "speed": speed, "pitch": pitch, "gap": gap}


def separated(words: list[str], draw: random.Random) -> str:
    """Commas make the synthesizer pause and end a phrase."""
    if draw.random() < 0.3:
        return ", ".join(words)
    return " ".join(word + ("," if draw.random() < 0.1 else "") for word in words)


def words_utterance(recipe: dict, held_out: bool, draw: random.Random) -> dict:
    count = draw.choice([1, 1, 1, 2, 2, 3, 4, 5, 6])
    digits = draw.random() < 0.4
    pool = recipe["words"][:10] if digits else recipe["words"]
    words = [draw.choice(pool) for _ in range(count)]
    return {"text": separated(words, draw), "labels": words, "voice": voice_of(recipe, held_out, draw)}


def others_utterance(recipe: dict, held_out: bool, draw: random.Random) -> dict:
    pool = recipe["heldOutOtherWords" if held_out else "otherWords"]
    words = [
        made_up_word(draw) if not held_out and draw.random() < 0.3 else draw.choice(pool)
        for _ in range(draw.choice([1, 2, 3, 4, 6]))
    ]
    return {"text": separated(words, draw), "labels": [OTHER], "voice": voice_of(recipe, held_out, draw)}


def write_part(folder: Path, name: str, utterances: list[dict], rate: int) -> None:
    if (folder / f"{name}.json").exists():
        return
    with ThreadPoolExecutor(2) as speakers, open(folder / f"{name}.pcm", "wb") as file:
        at = 0
        for utterance, samples in zip(utterances, speakers.map(lambda one: spoken(one, rate), utterances)):
            utterance["at"], utterance["samples"] = at, len(samples)
            file.write(samples.tobytes())
            at += len(samples)
    (folder / f"{name}.json").write_text(json.dumps(utterances))
    print(f"{name}: {len(utterances)} utterances, {at / rate / 60:.0f} minutes", flush=True)


def write_sounds(folder: Path, name: str, count: int, seconds: int, seed: list[int], rate: int) -> None:
    """Sounds without words, each of the same length and level."""
    if (folder / f"{name}.json").exists():
        return
    with open(folder / f"{name}.pcm", "wb") as file:
        for at in range(count):
            sound = any_sound(seconds * rate, np.random.default_rng([*seed, at]))
            sound = sound / (np.sqrt(np.mean(sound**2)) + 1e-9) * 0.1
            file.write(np.clip(np.round(sound * 32767), -32768, 32767).astype("<i2").tobytes())
    size = seconds * rate
    (folder / f"{name}.json").write_text(json.dumps([{"labels": [], "at": at * size, "samples": size} for at in range(count)]))


def write_corpus(recipe: dict, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    sizes, rate = recipe["corpus"], recipe["features"]["sampleRate"]
    parts = [
        ("heldOutWords", words_utterance, True, sizes["heldOutWords"]),
        ("heldOutOthers", others_utterance, True, sizes["heldOutOthers"]),
        ("calibrationWords", words_utterance, False, sizes["calibration"]),
        ("calibrationOthers", others_utterance, False, sizes["calibration"]),
        ("others", others_utterance, False, sizes["others"]),
        ("words", words_utterance, False, sizes["words"]),
    ]
    for at, (name, count) in enumerate(sizes["sounds"].items()):
        write_sounds(folder, name, count, sizes["soundSeconds"], [recipe["seed"], at], rate)
    for name, utterance, held_out, count in parts:
        draw = random.Random(f"{recipe['seed']}/{name}")
        write_part(folder, name, [utterance(recipe, held_out, draw) for _ in range(count)], rate)


if __name__ == "__main__":
    write_corpus(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2]))
