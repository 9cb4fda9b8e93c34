import { shadowFraction, sunPos } from 'satellite.js';
import { bendsOf, crossingOf } from './curve.js';
import { Horizon, type Place, siderealAngle, toEarthFixed } from './earth.js';
import { type Pass, type PassPoint } from './orbits.protocol.js';
import { type Satellite } from './satellite.js';

/** Extremes of elevation and range of one orbit are further apart, also at perigee. */
const STEP_MS = 60_000;
/** Half of the span over which a range rate is measured. */
const RATE_MS = 500;
const MS_PER_DAY = 86_400_000;
/** The Julian date of the Unix epoch. */
const UNIX_EPOCH = 2_440_587.5;

export interface PassWindow {
  readonly place: Place;
  readonly maskDeg: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** What a station sees of a satellite. */
export class View {
  readonly #horizon: Horizon;

  constructor(
    private readonly satellite: Satellite,
    place: Place,
  ) {
    this.#horizon = new Horizon(place);
  }

  look(atMs: number) {
    const { position } = this.satellite.at(atMs);
    return this.#horizon.look(toEarthFixed(position, siderealAngle(atMs)));
  }

  elevation = (atMs: number): number => this.look(atMs).elevationDeg;

  range = (atMs: number): number => this.look(atMs).rangeKm;

  point(atMs: number): PassPoint {
    const rangeRateKmPerSec =
      ((this.range(atMs + RATE_MS) - this.range(atMs - RATE_MS)) / (2 * RATE_MS)) * 1_000;
    const { rsun } = sunPos(atMs / MS_PER_DAY + UNIX_EPOCH);
    const sunlit = shadowFraction(rsun, this.satellite.at(atMs).position) < 0.5;
    return { atMs, ...this.look(atMs), rangeRateKmPerSec, sunlit };
  }
}

/**
 * The passes of a satellite over a station, in the order of their beginnings. Between two extremes
 * the elevation rises or falls only, so a pass is found however short it is.
 * @throws OrbitsError
 */
export const passesOver = (
  satellite: Satellite,
  { place, maskDeg, fromMs, toMs }: PassWindow,
): readonly Pass[] => {
  const view = new View(satellite, place);
  const above = (atMs: number): number => view.elevation(atMs) - maskDeg;
  const knots = [fromMs, ...bendsOf(view.elevation, fromMs, toMs, STEP_MS), toMs];
  const passes: Pass[] = [];
  let aosMs: number | null = null;
  let isOpen = above(fromMs) >= 0;
  let beganAtMs = fromMs;
  for (let n = 1; n < knots.length; n += 1) {
    const [before = fromMs, after = toMs] = [knots[n - 1], knots[n]];
    if (above(after) >= 0 === isOpen) continue;
    const crossedAtMs = crossingOf(above, before, after);
    if (isOpen) passes.push(passOf(view, { aosMs, beganAtMs, endsAtMs: crossedAtMs, toMs: null }));
    else [aosMs, beganAtMs] = [crossedAtMs, crossedAtMs];
    isOpen = !isOpen;
  }
  if (isOpen) passes.push(passOf(view, { aosMs, beganAtMs, endsAtMs: toMs, toMs }));
  return passes;
};

interface Visible {
  readonly aosMs: number | null;
  readonly beganAtMs: number;
  readonly endsAtMs: number;
  /** Where the window ends during the pass. */
  readonly toMs: number | null;
}

const passOf = (view: View, { aosMs, beganAtMs, endsAtMs, toMs }: Visible): Pass => {
  const instants = (curve: (atMs: number) => number): readonly number[] => [
    beganAtMs,
    ...bendsOf(curve, beganAtMs, endsAtMs, STEP_MS),
    endsAtMs,
  ];
  return {
    aos: aosMs === null ? null : view.point(aosMs),
    highest: view.point(leastOf(instants(view.elevation), (atMs) => -view.elevation(atMs))),
    closest: view.point(leastOf(instants(view.range), view.range)),
    los: toMs === null ? view.point(endsAtMs) : null,
  };
};

const leastOf = (instants: readonly number[], curve: (atMs: number) => number): number => {
  let [least = 0] = instants;
  let value = Infinity;
  for (const atMs of instants) {
    const other = curve(atMs);
    if (other < value) [least, value] = [atMs, other];
  }
  return least;
};
