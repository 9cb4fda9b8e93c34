"""Pictures to learn from; every step replaces some, as drawing costs more than choosing."""

import torch

import scenes

DRAWN_AT_ONCE = 512


class Pool:
    def __init__(self, size, fresh, generator):
        self.size, self.fresh, self.generator = size, fresh, generator
        self.scenes = scenes.draw_attributes(size, generator)
        parts = self.scenes.split(DRAWN_AT_ONCE)
        self.pictures = torch.cat([scenes.draw(part, generator) for part in parts])
        self.at = 0

    def rows(self, count):
        """The scenes and pictures of a step."""
        fresh = scenes.draw_attributes(self.fresh, self.generator)
        place = (self.at + torch.arange(self.fresh)) % self.size
        self.scenes[place], self.pictures[place] = fresh, scenes.draw(fresh, self.generator)
        self.at = (self.at + self.fresh) % self.size
        chosen = torch.randint(self.size, (count,), generator=self.generator)
        return self.scenes[chosen], self.pictures[chosen]
