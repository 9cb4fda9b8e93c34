"""Draws frames with several shapes and their boxes: the training data of the detector.

Shapes and colours are those of the image model's scenes. Each frame has a background, up to eight
shapes that do not cover each other, and the faults of a camera: noise, blur, a border.
"""

import pathlib
import sys

import torch
import torch.nn.functional as functional

sys.path.append(str(pathlib.Path(__file__).parents[1] / "images"))
import scenes  # noqa: E402

SIDE = 64
SHAPES = scenes.ATTRIBUTES["shape"]
COLOURS = list(scenes.COLOURS)
OBJECTS_MAX = 8
RADIUS_LEAST, RADIUS_MOST = 4.5, 19.0
STRIPE_LEAST, STRIPE_MOST = 5, 13


def held_out(shape, colour, background):
    """One in eight combinations, which training never sees."""
    return (shape * 5 + colour * 3 + background * 7) % 8 == 0


def draw_objects(count, generator, want_held_out):
    """Indices and places of the objects of frames; an object that would cover another is absent."""

    def rand(*shape):
        return torch.rand(*shape, generator=generator)

    background = torch.randint(len(COLOURS), (count,), generator=generator)
    shape = torch.randint(len(SHAPES), (count, OBJECTS_MAX), generator=generator)
    colour = torch.randint(len(COLOURS), (count, OBJECTS_MAX), generator=generator)
    if want_held_out:
        # The colours that make the sum of `held_out` a multiple of eight: three times three is one.
        least = (-3 * (shape * 5 + background[:, None] * 7)) % 8
        colour = least + 8 * ((colour % 2 == 1) & (least + 8 < len(COLOURS)))
    radius = RADIUS_LEAST * (RADIUS_MOST / RADIUS_LEAST) ** rand(count, OBJECTS_MAX)
    # A third of the frames is a crowd of small shapes.
    radius = torch.where(rand(count, 1) < 0.35, RADIUS_LEAST + 0.3 * (radius - RADIUS_LEAST), radius)
    border = torch.where(rand(count) < 0.25, 20 * rand(count), torch.zeros(count))
    is_wide = rand(count) < 0.5
    margin = torch.stack([border * ~is_wide, border * is_wide], 1)[:, None, :]
    room = (SIDE - 1 - 2 * margin - 2 * radius[:, :, None]).clamp(min=0)
    centre = margin + radius[:, :, None] + room * rand(count, OBJECTS_MAX, 2)
    wanted = torch.randint(OBJECTS_MAX + 1, (count, 1), generator=generator)
    present = torch.arange(OBJECTS_MAX)[None] < wanted
    present &= colour != background[:, None]
    present &= held_out(shape, colour, background[:, None]) == want_held_out
    present &= (radius[:, :, None] + margin <= (SIDE - 1) / 2).all(2)
    for at in range(1, OBJECTS_MAX):
        far = (centre[:, at, None] - centre[:, :at]).pow(2).sum(2).sqrt()
        touches = (far < 0.97 * (radius[:, at, None] + radius[:, :at]) + 1) & present[:, :at]
        present[:, at] &= ~touches.any(1)
    return {
        "background": background,
        "shape": shape,
        "colour": colour,
        "radius": radius,
        "centre": centre,
        "present": present,
        "margin": margin[:, 0],
    }


def backgrounds(index, palette, generator):
    count = len(index)

    def rand(*shape):
        return torch.rand(*shape, generator=generator)

    ground = (palette[index] + 0.03 * (2 * rand(count, 3) - 1)).clamp(0, 1)[:, :, None, None]
    dark = (ground.mean(1, keepdim=True) < 0.3).float()
    other = dark * (ground + 0.45 * (1 - ground)) + (1 - dark) * 0.5 * ground
    line = torch.arange(SIDE).float()
    down, across = line[None, None, :, None], line[None, None, None, :]
    turned = (rand(count) < 0.3)[:, None, None, None]
    along = torch.where(turned, across, down)
    width = torch.randint(STRIPE_LEAST, STRIPE_MOST, (count,), generator=generator)
    stripes = ((along // width[:, None, None, None]) % 2).float()
    pattern = torch.randint(3, (count,), generator=generator)[:, None, None, None]
    share = (pattern == 1) * (along / (SIDE - 1)) + (pattern == 2) * stripes
    return ground * (1 - share) + other * share


def draw(count, generator, want_held_out=False):
    """Frames `[count, 3, SIDE, SIDE]` between 0 and 1, their objects, and boxes in pixels."""
    palette = torch.tensor(list(scenes.COLOURS.values())).float() / 255
    objects = draw_objects(count, generator, want_held_out)
    frames = backgrounds(objects["background"], palette, generator)
    line = torch.arange(SIDE).float()
    boxes = torch.zeros(count, OBJECTS_MAX, 4)
    for at in range(OBJECTS_MAX):
        tilt = 0.3 * (2 * torch.rand(count, generator=generator) - 1)
        jitter = 0.03 * (2 * torch.rand(count, 3, generator=generator) - 1)
        ink = (palette[objects["colour"][:, at]] + jitter).clamp(0, 1)[:, :, None, None]
        radius = objects["radius"][:, at, None, None]
        x = (line[None, None, :] - objects["centre"][:, at, 0, None, None]) / radius
        y = (line[None, :, None] - objects["centre"][:, at, 1, None, None]) / radius
        cos, sin = tilt.cos()[:, None, None], tilt.sin()[:, None, None]
        x, y = cos * x + sin * y, cos * y - sin * x
        cover = torch.zeros(count, SIDE, SIDE)
        for which in range(len(SHAPES)):
            chosen = (objects["shape"][:, at] == which) & objects["present"][:, at]
            if chosen.any():
                signed = scenes.distances(x[chosen], y[chosen])[which] * radius[chosen]
                cover[chosen] = (0.5 - signed).clamp(0, 1)
        frames = frames * (1 - cover[:, None]) + ink * cover[:, None]
        for axis, reduced in ((0, 1), (1, 2)):
            seen = (cover > 0.5).any(reduced)
            first = seen.float().argmax(1)
            last = SIDE - seen.flip(1).float().argmax(1)
            boxes[:, at, axis], boxes[:, at, axis + 2] = first.float(), last.float()
    return with_faults(frames, objects["margin"], generator), objects, boxes


def with_faults(frames, margin, generator):
    count = len(frames)

    def chance(share):
        return (torch.rand(count, generator=generator) < share)[:, None, None, None]

    small = functional.avg_pool2d(frames, 2)
    blurred = functional.interpolate(small, scale_factor=2, mode="bilinear", align_corners=False)
    frames = torch.where(chance(0.25), blurred, frames)
    deviation = 0.04 * torch.rand(count, 1, 1, 1, generator=generator) * chance(0.6)
    frames = frames + deviation * torch.randn(frames.shape, generator=generator)
    # A frame that is not square is continued by its edges.
    line = torch.arange(SIDE).float()[None]
    columns, rows = (
        torch.maximum(torch.minimum(line, SIDE - 1 - margin[:, axis, None].floor()), margin[:, axis, None].floor())
        for axis in (0, 1)
    )
    frames = frames.gather(2, rows.long()[:, None, :, None].expand(-1, 3, -1, SIDE))
    frames = frames.gather(3, columns.long()[:, None, None, :].expand(-1, 3, SIDE, -1))
    return (frames.clamp(0, 1) * 255).round() / 255


def with_anomalies(frames, kind, generator):
    """The same frames with something that no training frame has."""
    frames = frames.clone()
    for frame in frames:
        size = int(torch.randint(10, 20, (1,), generator=generator))
        top, left = (int(torch.randint(0, SIDE - size, (1,), generator=generator)) for _ in "yx")
        patch = frame[:, top : top + size, left : left + size]
        if kind == "noise":
            patch.copy_(torch.rand(patch.shape, generator=generator))
        elif kind == "checkerboard":
            line = torch.arange(size)
            board = ((line[:, None] // 2 + line[None] // 2) % 2).float()
            patch.copy_((0.15 + 0.7 * board)[None].expand(3, -1, -1))
        else:
            for _ in range(4):
                (y0, x0), (y1, x1) = size * torch.rand(2, 2, generator=generator).clamp(0, 0.99)
                steps = torch.linspace(0, 1, 3 * size)
                ys, xs = (y0 + (y1 - y0) * steps).long(), (x0 + (x1 - x0) * steps).long()
                ink = torch.rand(3, 1, generator=generator).round()
                patch[:, ys, xs] = ink
    return frames
