"""Records the states that Vallado's verification set publishes, states of `sgp4`, and passes of Skyfield.

    npm run oracles -- orbits             # what the specs read
    npm run oracles -- orbits-grid        # 20 satellites over 10 stations: compared, not kept

The verification set (SGP4-VER.TLE with its results tcppver.out, of "Revisiting Spacetrack Report #3",
AIAA 2006-6753) is part of the package sgp4. `satellites.txt` has elements that CelesTrak published on
2 and 3 August 2025.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
from datetime import timedelta

import sgp4
from sgp4.api import Satrec
from skyfield.api import EarthSatellite, load, wgs84
from skyfield.searchlib import find_discrete, find_maxima

FOLDER = pathlib.Path(__file__).parent
PACKAGE = pathlib.Path(sgp4.__file__).parent
STATIONS = [
    ("Greenwich", 51.4769, 0.0, 46),
    ("Svalbard", 78.2298, 15.4078, 458),
    ("Hartebeesthoek", -25.8870, 27.7069, 1543),
    ("Quito", -0.2150, -78.5027, 3000),
    ("Fairbanks", 64.8599, -147.8499, 300),
    ("Canberra", -35.4014, 148.9817, 690),
    ("McMurdo", -77.8391, 166.6671, 183),
    ("Honolulu", 21.3161, -157.8864, 10),
    ("Kourou", 5.2515, -52.8047, 14),
    ("Bengaluru", 13.0344, 77.5116, 820),
]
MASK_DEG = 10.0
DAYS = 30
# A satellite with fewer revolutions in a day may culminate twice while it is up.
SLOW_REVOLUTIONS = 11
SAMPLE = ("25544", "25338", "08820", "24876")
TIMES = load.timescale(builtin=True)


def satellites():
    lines = (FOLDER / "satellites.txt").read_text().splitlines()
    return [lines[at : at + 3] for at in range(0, len(lines), 3)]


def published():
    """Each satellite of the set with the states of the first of its two listings, by minutes."""
    lines = [line for line in (PACKAGE / "SGP4-VER.TLE").read_text().splitlines() if line[0] != "#"]
    blocks, number = [], None
    for line in (PACKAGE / "tcppver.out").read_text().splitlines():
        if line.rstrip().endswith("xx"):
            blocks.append((int(line.split()[0]), []))
        else:
            blocks[-1][1].append([float(word) for word in line.split()[:7]])
    pairs = list(zip(lines[::2], lines[1::2]))
    cases = []
    for (number, states), (line1, line2) in zip(blocks, pairs, strict=True):
        assert int(line1[2:7]) == number
        cases.append({"line1": line1[:69], "line2": line2[:69], "states": states})
    return cases


def propagated():
    """States of the C++ code in the frame TEME: minutes since the epoch, kilometres, km/s."""
    cases = []
    for _, line1, line2 in satellites():
        satellite = Satrec.twoline2rv(line1, line2)
        states = []
        for minutes in range(0, DAYS * 1440 + 1, 4320):
            error, position, velocity = satellite.sgp4_tsince(minutes)
            assert error == 0
            states.append([minutes, *position, *velocity])
        cases.append({"line1": line1, "line2": line2, "states": states})
    return cases


def slow_events(difference, begins, ends):
    """`find_events` loses a set and a rise between two culminations: half of the passes of GPS."""

    def altitude(time):
        return difference.at(time).altaz()[0].degrees

    def is_up(time):
        return altitude(time) >= MASK_DEG

    altitude.step_days = is_up.step_days = 60 / 86400
    crossings, directions = find_discrete(begins, ends, is_up)
    tops, heights = find_maxima(begins, ends, altitude)
    events = [(time, 0 if up else 2) for time, up in zip(crossings, directions)]
    events += [(time, 1) for time, height in zip(tops, heights) if height >= MASK_DEG]
    return sorted(events, key=lambda event: event[0].tt)


def passes(lines, station):
    name, line1, line2 = lines
    satellite = EarthSatellite(line1, line2, name, TIMES)
    _, latitude, longitude, height = station
    place = wgs84.latlon(latitude, longitude, elevation_m=height)
    begins = satellite.epoch.utc_datetime().replace(minute=0, second=0, microsecond=0)
    window = TIMES.from_datetime(begins), TIMES.from_datetime(begins + timedelta(days=DAYS))
    difference = satellite - place
    if float(line2[52:63]) > SLOW_REVOLUTIONS:
        found = zip(*satellite.find_events(place, *window, altitude_degrees=MASK_DEG))
    else:
        found = slow_events(difference, *window)
    listed = []
    for time, event in found:
        at = time.utc_datetime().timestamp()
        altitude, _, distance = difference.at(time).altaz()
        listed.append([int(event), round(at, 3), round(altitude.degrees, 4), round(distance.km, 3)])
    return {
        "elements": [line1, line2],
        "place": [latitude, longitude, height],
        "mask": MASK_DEG,
        "from": window[0].utc_datetime().timestamp(),
        "to": window[1].utc_datetime().timestamp(),
        "events": listed,
    }


def searched(chosen, stations):
    return [passes(lines, station) for lines in chosen for station in stations]


if sys.argv[1:2] == ["grid"]:
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"passes": searched(satellites(), STATIONS)}, file)
        file.flush()
        command = ["node", "dist/tools/oracles/orbit-passes.main.js", file.name]
        sys.exit(subprocess.run(command, check=False).returncode)

sample = [lines for lines in satellites() if lines[1][2:7] in SAMPLE]
vectors = {
    "published": published(),
    "propagated": propagated(),
    "passes": searched(sample, STATIONS[:3]),
}
(FOLDER / "vectors.json").write_text(json.dumps(vectors, separators=(",", ":")) + "\n")
