/** The road network that the spatio-temporal network knows: a ring road with ten shortcuts. */
export const JUNCTIONS = 20;

const SHORTCUTS: readonly (readonly [number, number])[] = [
  [1, 14],
  [4, 8],
  [5, 10],
  [5, 14],
  [6, 16],
  [6, 19],
  [8, 18],
  [9, 17],
  [10, 12],
  [10, 17],
];

/** A symmetric matrix of 0 and 1, row-major: every road leads both ways. */
export const ROADS: Float32Array = (() => {
  const ring = Array.from({ length: JUNCTIONS }, (_, node) => [node, (node + 1) % JUNCTIONS]);
  const roads = new Float32Array(JUNCTIONS * JUNCTIONS);
  for (const [a = 0, b = 0] of [...ring, ...SHORTCUTS]) {
    roads[a * JUNCTIONS + b] = 1;
    roads[b * JUNCTIONS + a] = 1;
  }
  return roads;
})();
