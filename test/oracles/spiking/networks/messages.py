import torch
from torch import nn


class Messages(nn.Module):
    """
    Each node receives the mean of `x W` over its in-neighbours, plus b. Spikes are sent along each
    edge by themselves; numbers are multiplied once for each node.
    """

    def __init__(self, features, out, bias=True, spikes=True):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(features, out))
        self.bias = nn.Parameter(torch.empty(out)) if bias else None
        self.spikes = spikes

    def forward(self, x, edges):
        """`x` is `[steps, nodes, features]`, edges are sources over targets."""
        sources, targets = edges
        sent = x[:, sources] @ self.weight if self.spikes else (x @ self.weight)[:, sources]
        sums = sent.new_zeros(*x.shape[:2], sent.shape[2]).index_add(1, targets, sent)
        degrees = torch.bincount(targets, minlength=x.shape[1]).clamp(min=1)[:, None]
        return sums / degrees if self.bias is None else torch.addcdiv(self.bias, sums, degrees)


def both_ways(pairs):
    return {edge for a, b in pairs for edge in ((a, b), (b, a))}


def edge_list(edges):
    return torch.tensor(sorted(edges)).t()


def side_by_side(edges, graphs, nodes):
    """The edges of several equal graphs that are not connected."""
    return torch.cat([edges + nodes * place for place in range(graphs)], 1)
