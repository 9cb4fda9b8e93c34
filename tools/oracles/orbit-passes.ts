import { OrbitsEngine } from '#engines/orbits/orbits.engine.js';

/** Skyfield's events of one satellite over one station, as `test/oracles/orbits` records them. */
export interface RecordedPasses {
  readonly elements: readonly [string, string];
  /** Degrees, degrees and metres. */
  readonly place: readonly [number, number, number];
  readonly mask: number;
  /** Seconds since the Unix epoch. */
  readonly from: number;
  readonly to: number;
  /** 0 rise, 1 culmination, 2 set; then seconds, altitude in degrees and distance in kilometres. */
  readonly events: readonly (readonly [number, number, number, number])[];
}

export interface PassComparison {
  readonly compared: number;
  /** Passes that one program lacks. */
  readonly missing: readonly string[];
  /** Of rises and sets. */
  readonly secondsApart: number;
  /** Of culminations, where the elevation of a slow satellite hardly changes. */
  readonly topSecondsApart: number;
  readonly degreesApart: number;
  readonly kilometresApart: number;
}

/** Programs may differ in whether a pass so near to the mask is one. */
const NEAR_MASK_DEG = 0.05;

interface Sighting {
  readonly rise: number;
  readonly top: number;
  readonly set: number;
  readonly topDeg: number;
  readonly topKm: number;
}

/** Passes of which both ends are in the window, and whose top is away from the mask. */
const compared = (sightings: readonly Sighting[], mask: number): readonly Sighting[] =>
  sightings.filter(({ topDeg }) => Math.abs(topDeg - mask) > NEAR_MASK_DEG);

/** A satellite high up may culminate twice between its rise and its set: the highest top counts. */
const recorded = ({ events, mask }: RecordedPasses): readonly Sighting[] => {
  const sightings: Sighting[] = [];
  let rise: number | null = null;
  let tops: (readonly [number, number, number])[] = [];
  for (const [kind, at, degrees, kilometres] of events) {
    if (kind === 0) [rise, tops] = [at, []];
    if (kind === 1) tops.push([at, degrees, kilometres]);
    if (kind !== 2) continue;
    const [top] = tops.sort(([, one], [, other]) => other - one);
    if (rise !== null && top) {
      sightings.push({ rise, top: top[0], set: at, topDeg: top[1], topKm: top[2] });
    }
    rise = null;
  }
  return compared(sightings, mask);
};

const found = async (
  engine: OrbitsEngine,
  { elements, place, mask, from, to }: RecordedPasses,
): Promise<readonly Sighting[]> => {
  const [line1, line2] = elements;
  const [latitudeDeg, longitudeDeg, heightM] = place;
  const task = {
    kind: 'passes',
    elements: { format: 'tle', line1, line2 },
    place: { latitudeDeg, longitudeDeg, heightM },
    maskDeg: mask,
    fromMs: from * 1_000,
    toMs: to * 1_000,
  } as const;
  const end = await engine.run(task, new AbortController().signal);
  if (end.kind !== 'passes') throw new Error(`the engine answered with ${end.kind}`);
  const sightings = end.passes.flatMap(({ aos, highest, los }) =>
    aos === null || los === null
      ? []
      : [
          {
            rise: aos.atMs / 1_000,
            top: highest.atMs / 1_000,
            set: los.atMs / 1_000,
            topDeg: highest.elevationDeg,
            topKm: highest.rangeKm,
          },
        ],
  );
  return compared(sightings, mask);
};

/** What the engine finds beside what Skyfield found. */
export const comparePasses = async (
  records: readonly RecordedPasses[],
): Promise<PassComparison> => {
  const engine = new OrbitsEngine();
  const missing: string[] = [];
  let [count, secondsApart, topSecondsApart, degreesApart, kilometresApart] = [0, 0, 0, 0, 0];
  for (const record of records) {
    const own = await found(engine, record);
    const theirs = recorded(record);
    if (own.length !== theirs.length) {
      const name = `${record.elements[0].slice(2, 7)} over ${record.place.join(', ')}`;
      missing.push(`${name}: ${own.length} passes, Skyfield has ${theirs.length}`);
    }
    for (const [n, one] of own.entries()) {
      const other = theirs[n];
      if (!other) break;
      count += 1;
      for (const instant of ['rise', 'set'] as const) {
        secondsApart = Math.max(secondsApart, Math.abs(one[instant] - other[instant]));
      }
      topSecondsApart = Math.max(topSecondsApart, Math.abs(one.top - other.top));
      degreesApart = Math.max(degreesApart, Math.abs(one.topDeg - other.topDeg));
      kilometresApart = Math.max(kilometresApart, Math.abs(one.topKm - other.topKm));
    }
  }
  await engine.close();
  return {
    compared: count,
    missing,
    secondsApart,
    topSecondsApart,
    degreesApart,
    kilometresApart,
  };
};
