import { type Box } from '../vision.protocol.js';

const areaOf = ([left, top, right, bottom]: Box): number =>
  Math.max(0, right - left) * Math.max(0, bottom - top);

/** The shared area of two boxes over the area of both together. */
export const overlapOf = (one: Box, other: Box): number => {
  const shared = areaOf([
    Math.max(one[0], other[0]),
    Math.max(one[1], other[1]),
    Math.min(one[2], other[2]),
    Math.min(one[3], other[3]),
  ]);
  const both = areaOf(one) + areaOf(other) - shared;
  return both > 0 ? shared / both : 0;
};

/** The most confident first, without boxes that share more than `overlap` with one before. */
export const suppress = <Found extends { readonly box: Box; readonly confidence: number }>(
  found: readonly Found[],
  overlap: number,
  most: number,
): Found[] => {
  const kept: Found[] = [];
  for (const one of found.toSorted((a, b) => b.confidence - a.confidence)) {
    if (kept.length === most) break;
    if (kept.every(({ box }) => overlapOf(box, one.box) <= overlap)) kept.push(one);
  }
  return kept;
};
