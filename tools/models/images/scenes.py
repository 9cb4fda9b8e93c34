"""Draws scenes from attributes: the training data of the image model, and what its classifier reads.

A scene has one to four copies of a shape. One copy has a place; several are a group in the middle.
Everything is drawn in one pass over a batch, with edges one pixel wide.
"""

import math

import torch

SIDE = 32
COLOURS = {
    "red": (220, 40, 40),
    "orange": (245, 140, 30),
    "yellow": (245, 220, 50),
    "green": (50, 160, 70),
    "cyan": (70, 200, 210),
    "blue": (40, 80, 210),
    "purple": (130, 60, 180),
    "pink": (245, 140, 190),
    "brown": (120, 75, 40),
    "black": (20, 20, 20),
    "grey": (128, 128, 128),
    "white": (245, 245, 245),
}
# The order of the attributes and of their values is the order of the rows of the embedding.
ATTRIBUTES = {
    "shape": ["circle", "square", "triangle", "diamond", "cross", "ring", "star", "heart"],
    "colour": list(COLOURS),
    "background": list(COLOURS),
    "pattern": ["plain", "gradient", "striped"],
    "size": ["small", "medium", "large"],
    "count": ["one", "two", "three", "four"],
    "column": ["left", "centre", "right"],
    "row": ["top", "middle", "bottom"],
}
NAMES = list(ATTRIBUTES)
OFFSETS = [sum(len(ATTRIBUTES[name]) for name in NAMES[:at]) for at in range(len(NAMES))]
VALUES = sum(len(values) for values in ATTRIBUTES.values())
# Radii in pixels by size, of a shape alone and of one in a group.
ALONE = torch.tensor([5.0, 7.5, 10.5])
GROUPED = torch.tensor([4.4, 5.4, 6.6])
STRIPE = 4


def index(name):
    return NAMES.index(name)


def held_out(scenes):
    """One in eight combinations of shape, colour and background, which training never sees."""
    shape, colour, background = (scenes[:, index(n)] for n in ("shape", "colour", "background"))
    return (shape * 5 + colour * 3 + background * 7) % 8 == 0


def draw_attributes(count, generator, want_held_out=False):
    """Attributes as indices, `[count, attributes]`; a shape never has the colour of its background."""
    found = []
    total = 0
    while total < count:
        columns = [
            torch.randint(len(values), (2 * count,), generator=generator)
            for values in ATTRIBUTES.values()
        ]
        scenes = torch.stack(columns, 1)
        group = scenes[:, index("count")] > 0
        for name in ("column", "row"):
            scenes[group, index(name)] = 1
        # Half of the scenes have one shape: only those have a place to learn.
        alone = torch.rand(len(scenes), generator=generator) < 1 / 3
        scenes[alone, index("count")] = 0
        fits = (scenes[:, index("colour")] != scenes[:, index("background")]) & (
            held_out(scenes) == want_held_out
        )
        found.append(scenes[fits])
        total += len(found[-1])
    return torch.cat(found)[:count]


def star_distance(x, y, points=5, inner=0.45):
    angle = torch.atan2(x, -y)
    sector = 2 * math.pi / points
    angle = torch.remainder(angle + sector / 2, sector) - sector / 2
    length = torch.sqrt(x * x + y * y)
    px, py = length * torch.cos(angle), length * torch.sin(angle).abs()
    # The edge from a tip (1, 0) to a notch.
    nx, ny = inner * math.cos(sector / 2), inner * math.sin(sector / 2)
    edge = math.hypot(nx - 1, ny)
    return ((px - 1) * ny - py * (nx - 1)) / edge


def heart_distance(x, y):
    x, y = 1.1 * x, -1.1 * y + 0.1
    value = (x * x + y * y - 0.55) ** 3 - 1.2 * x * x * y**3
    # The polynomial over its slope is about a distance.
    slope = torch.sqrt(
        (6 * x * (x * x + y * y - 0.55) ** 2 - 2.4 * x * y**3) ** 2
        + (6 * y * (x * x + y * y - 0.55) ** 2 - 3.6 * x * x * y * y) ** 2
    )
    return value / (slope + 0.15)


def distances(x, y):
    """Signed distances to each shape of radius 1, in the order of the attribute."""
    ax, ay = x.abs(), y.abs()
    length = torch.sqrt(x * x + y * y)
    arm = 0.34
    return [
        length - 0.95,
        torch.maximum(ax, ay) - 0.82,
        torch.maximum(0.894 * ax - 0.447 * (y + 0.95), y - 0.75),
        (ax + ay - 1.05) / math.sqrt(2),
        torch.maximum(
            torch.minimum(ax, ay) - arm, torch.maximum(ax, ay) - 0.98
        ),
        (length - 0.72).abs() - 0.25,
        star_distance(x, y),
        heart_distance(x, y),
    ]


def centres(scenes, radius, generator):
    """Places of the copies, `[scenes, 4, 2]`; copies that a scene lacks lie far outside."""
    count = len(scenes)
    far = 10.0 * SIDE
    places = torch.full((count, 4, 2), far)
    middle = (SIDE - 1) / 2
    room = middle - radius - 0.5
    number = scenes[:, index("count")]
    gap = radius + 0.7
    layouts = {
        1: [(-1, 0), (1, 0)],
        2: [(0, -0.95), (-1, 0.95), (1, 0.95)],
        3: [(-1, -1), (1, -1), (-1, 1), (1, 1)],
    }
    for at, axis in enumerate(("column", "row")):
        side = (scenes[:, index(axis)] - 1).float()
        places[:, 0, at] = torch.where(number == 0, middle + side * room, places[:, 0, at])
    for which, layout in layouts.items():
        for copy, offset in enumerate(layout):
            for axis in (0, 1):
                place = middle + offset[axis] * gap
                places[:, copy, axis] = torch.where(number == which, place, places[:, copy, axis])
    return places + 0.8 * (2 * torch.rand(count, 1, 2, generator=generator) - 1)


def draw(scenes, generator):
    """Pictures of scenes, `[scenes, 3, SIDE, SIDE]` between -1 and 1."""
    count = len(scenes)
    palette = torch.tensor(list(COLOURS.values())).float() / 255

    def colour_of(name):
        jitter = 0.03 * (2 * torch.rand(count, 3, generator=generator) - 1)
        return (palette[scenes[:, index(name)]] + jitter).clamp(0, 1)[:, :, None, None]

    ground, ink = colour_of("background"), colour_of("colour")
    dark = (ground.mean(1, keepdim=True) < 0.3).float()
    other = dark * (ground + 0.45 * (1 - ground)) + (1 - dark) * 0.5 * ground
    down = torch.arange(SIDE).float()[None, None, :, None].expand(count, 1, SIDE, SIDE)
    pattern = scenes[:, index("pattern")][:, None, None, None]
    stripes = ((down // STRIPE) % 2).float()
    share = (pattern == 1) * (down / (SIDE - 1)) + (pattern == 2) * stripes
    picture = ground * (1 - share) + other * share

    size = scenes[:, index("size")]
    radius = torch.where(scenes[:, index("count")] == 0, ALONE[size], GROUPED[size])
    radius = radius * (1 + 0.05 * (2 * torch.rand(count, generator=generator) - 1))
    places = centres(scenes, radius, generator)
    tilt = 0.12 * (2 * torch.rand(count, generator=generator) - 1)
    cos, sin = tilt.cos()[:, None, None, None], tilt.sin()[:, None, None, None]
    grid = torch.arange(SIDE).float()
    x = (grid[None, None, None, :] - places[:, :, 0, None, None]) / radius[:, None, None, None]
    y = (grid[None, None, :, None] - places[:, :, 1, None, None]) / radius[:, None, None, None]
    x, y = cos * x + sin * y, cos * y - sin * x
    shape = scenes[:, index("shape")]
    cover = torch.zeros(count, SIDE, SIDE)
    for which, _ in enumerate(ATTRIBUTES["shape"]):
        chosen = shape == which
        signed = distances(x[chosen], y[chosen])[which] * radius[chosen][:, None, None, None]
        cover[chosen] = (0.5 - signed).clamp(0, 1).amax(1)
    cover = cover[:, None]
    return 2 * (picture * (1 - cover) + ink * cover) - 1


def one_hot(scenes):
    """`[scenes, values]`: a 1 for each attribute's value; the network embeds it by one product."""
    rows = torch.zeros(len(scenes), VALUES)
    return rows.scatter_(1, scenes + torch.tensor(OFFSETS), 1.0)
