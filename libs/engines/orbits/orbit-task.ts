import { placeBelow, siderealAngle, toEarthFixed } from './earth.js';
import { type OrbitEnd, type OrbitTask } from './orbits.protocol.js';
import { passesOver, View } from './pass-search.js';
import { Satellite } from './satellite.js';

/** @throws OrbitsError */
export const runOrbitTask = (task: OrbitTask): OrbitEnd => {
  const satellite = new Satellite(task.elements);
  switch (task.kind) {
    case 'passes':
      return { kind: 'passes', passes: [...passesOver(satellite, task)] };
    case 'track':
      return {
        kind: 'track',
        points: instantsOf(task).map((atMs) => {
          const { position } = satellite.at(atMs);
          return { atMs, ...placeBelow(toEarthFixed(position, siderealAngle(atMs))) };
        }),
      };
    case 'sky': {
      const view = new View(satellite, task.place);
      return {
        kind: 'sky',
        points: instantsOf(task).map((atMs) => ({ atMs, ...view.look(atMs) })),
      };
    }
  }
};

/** Evenly from the beginning of the window to its end. */
const instantsOf = ({
  fromMs,
  toMs,
  points,
}: {
  readonly fromMs: number;
  readonly toMs: number;
  readonly points: number;
}): readonly number[] =>
  Array.from({ length: points }, (_, n) => fromMs + ((toMs - fromMs) * n) / (points - 1));
