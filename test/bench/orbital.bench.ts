/**
 * Passes, bundles and routes of one core: `npm run orbital -- [--python PROGRAM] [--bp7 PROGRAM]`.
 * CPU time counts, since the machine may be shared; the best of three. PROGRAM, with skyfield
 * installed, searches for the same passes; the program of `test/oracles/bundles/bp7` encodes and
 * parses bundles.
 */
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { type Bundle } from '../../libs/engines/bundles/bundle.js';
import { decodeBundle, encodeBundle } from '../../libs/engines/bundles/bundle.codec.js';
import { type Contact } from '../../libs/areas/dtn/routing/contact-plan.js';
import { routesOf } from '../../libs/areas/dtn/routing/contact-routes.js';
import { passesOver } from '../../libs/engines/orbits/pass-search.js';
import { Satellite } from '../../libs/engines/orbits/satellite.js';

const ROUNDS = 3;
const MICROS_PER_SECOND = 1e6;
const BUNDLES = 20_000;
const CONTACTS = 10_000;
const NODES = 200;
const ROUTES = 20;
const DAYS = 10;
/** The compiler of V8 needs some of them. */
const SEARCHES = 20;
const LINE1 = '1 25338U 98030A   25214.73174791  .00000183  00000+0  92925-4 0  9996';
const LINE2 = '2 25338  98.5339 238.5552 0009939 194.1564 165.9340 14.27005814416124';

/** How many a second of CPU time, in the best round. */
const rateOf = (count: () => number): number => {
  let best = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const since = process.cpuUsage();
    const done = count();
    const { user, system } = process.cpuUsage(since);
    best = Math.max(best, (done / (user + system)) * MICROS_PER_SECOND);
  }
  return best;
};

const bundle: Bundle = {
  primary: {
    flags: 0,
    crcType: 2,
    destination: 'dtn://moon/in',
    source: 'dtn://earth/out',
    reportTo: 'dtn:none',
    created: { timeMs: 817_000_000_000, sequence: 3 },
    lifetimeMs: 86_400_000,
    fragment: null,
  },
  blocks: [{ type: 1, number: 1, flags: 0, crcType: 2, data: new Uint8Array(1_024) }],
};
const wire = encodeBundle(bundle);

/** A plan of pairs of nodes in turns; no number is random. */
const plan = Array.from({ length: CONTACTS }, (_, n): Contact => {
  const from = (n * 7) % NODES;
  const startMs = (n * 7_919) % 86_400_000;
  return {
    ...{ id: String(n), from: String(from), to: String((from + 1 + ((n * 13) % 17)) % NODES) },
    ...{ startMs, endMs: startMs + 600_000, bitsPerSecond: 1_000_000, lightMs: 10 },
  };
});

const passes = (): number =>
  passesOver(new Satellite({ format: 'tle', line1: LINE1, line2: LINE2 }), {
    place: { latitudeDeg: 51.4769, longitudeDeg: 0, heightM: 46 },
    ...{ maskDeg: 10, fromMs: Date.UTC(2025, 7, 3), toMs: Date.UTC(2025, 7, 3 + DAYS) },
  }).length;

const repeat = (times: number, run: () => unknown): number => {
  for (let n = 0; n < times; n += 1) run();
  return times;
};

const SKYFIELD = `
import time
from skyfield.api import EarthSatellite, load, wgs84
ts = load.timescale(builtin=True)
s = EarthSatellite('${LINE1}', '${LINE2}', '', ts)
p = wgs84.latlon(51.4769, 0.0, elevation_m=46)
best = 0
for _ in range(${ROUNDS}):
    since = time.process_time()
    _, events = s.find_events(p, ts.utc(2025, 8, 3), ts.utc(2025, 8, ${3 + DAYS}), 10.0)
    best = max(best, (events == 1).sum() / (time.process_time() - since))
print(best)`;

const { values } = parseArgs({
  options: { python: { type: 'string' }, bp7: { type: 'string' } },
});
const search = { from: '0', to: '100', readyAtMs: 0, expiresAtMs: 86_400_000, bytes: 1_024 };
const rates: Record<string, number> = {
  'bundles encoded': rateOf(() => repeat(BUNDLES, () => encodeBundle(bundle))),
  'bundles decoded': rateOf(() => repeat(BUNDLES, () => decodeBundle(wire))),
  [`routes over ${CONTACTS} contacts`]: rateOf(() =>
    repeat(ROUTES, () => routesOf(plan, { ...search, priority: 'normal', booked: new Map() })),
  ),
  passes: rateOf(() => repeat(SEARCHES, passes) * passes()),
};
if (values.python !== undefined) {
  const printed = execFileSync(values.python, ['-c', SKYFIELD], { encoding: 'utf8' });
  rates['passes of Skyfield'] = Number(printed);
}
if (values.bp7 !== undefined) {
  const printed = execFileSync(values.bp7, { encoding: 'utf8' });
  const { encoded, parsed } = JSON.parse(printed) as { encoded: number; parsed: number };
  rates['bundles encoded by bp7'] = encoded;
  rates['bundles decoded by bp7'] = parsed;
}
for (const [name, rate] of Object.entries(rates)) {
  console.log(`${name}: ${Math.round(rate)} for each second of CPU time`);
}
