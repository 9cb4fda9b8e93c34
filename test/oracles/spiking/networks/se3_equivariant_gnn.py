import torch
from torch import nn

from .layers import Network, heads, lif

POINTS = 24
WIDTH = 16
BELLS = (-4, -1, -0.4, -0.15)


class EgnnLayer(nn.Module):
    """Satorras et al., 2021, over all pairs of points; distances enter through bells."""

    def __init__(self):
        super().__init__()
        self.sender = nn.Linear(WIDTH, WIDTH, bias=False)
        self.receiver = nn.Linear(WIDTH, WIDTH, bias=False)
        self.distance = nn.Linear(len(BELLS), WIDTH)
        self.message = nn.Linear(WIDTH, WIDTH)
        self.pull = nn.Linear(WIDTH, 1, bias=False)
        self.update = nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, places, scalars):
        """`[batch, points, 3]` and `[batch, points, WIDTH]`, moved by one layer."""
        differences = places[:, :, None] - places[:, None]
        squares = differences.square().sum(3, keepdim=True)
        bells = torch.exp(squares * squares.new_tensor(BELLS))
        ends = self.sender(scalars)[:, :, None] + self.receiver(scalars)[:, None]
        messages = torch.tanh(self.message(torch.tanh(ends + self.distance(bells))))
        moved = places + (differences * self.pull(messages)).mean(2)
        return moved, scalars + self.update(torch.cat([scalars, messages.mean(2)], 2))


def rigid_motion(generator):
    """A rotation, without reflection, and a translation."""
    turn, _ = torch.linalg.qr(torch.randn(3, 3, generator=generator))
    return turn * torch.linalg.det(turn).sign(), torch.randn(3, generator=generator)


class Se3EquivariantGnn(Network):
    name = "se3-equivariant-gnn"
    renamed = {
        f"{layer}.{own}": f"{layer}.{known}"
        for layer in ("first", "second")
        for own, known in (("sender", "from"), ("receiver", "to"))
    }

    def __init__(self):
        super().__init__()
        self.text = nn.ModuleDict(
            {"places": nn.Linear(256, POINTS * 3), "scalars": nn.Linear(256, WIDTH)}
        )
        self.text.points = nn.Parameter(torch.empty(POINTS, WIDTH))
        self.first = EgnnLayer()
        self.second = EgnnLayer()
        self.drive = nn.Linear(WIDTH, WIDTH)
        self.nodes = lif()
        self.pool = nn.Linear(WIDTH, 48)
        self.pooled = lif()
        self.readout = heads((48, 5), (48, 8))

    def cloud(self, x, head):
        """Points, of which a text also knows scalars."""
        if head == "native":
            return x, x.new_zeros(*x.shape[:2], WIDTH)
        places = self.text["places"](x).unflatten(1, (POINTS, 3))
        return places, self.text["scalars"](x)[:, None] + self.text.points

    def forward(self, x, head, steps):
        _, scalars = self.second(*self.first(*self.cloud(x, head)))
        drive = self.drive(scalars)
        nodes = self.nodes(drive.expand(steps, *drive.shape))
        pooled = self.pooled(self.pool(nodes.mean(2)))
        return self.readout[head](pooled).mean(0)

    def variants(self, data):
        """The same points turned and moved, and points that are stretched."""
        points = torch.tensor(data)
        turn, shift = rigid_motion(torch.Generator().manual_seed(1_718))
        stretched = points * torch.tensor([0.4, 1.0, 1.6])
        return [(points @ turn + shift).tolist(), stretched.tolist()]
