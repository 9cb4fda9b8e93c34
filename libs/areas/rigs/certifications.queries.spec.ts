import { describe, expect, it } from '@jest/globals';
import { RigCertified } from '#events/rigs/rig.events.js';
import { rigCertifications } from '#projections/rigs/rig-certifications.projection.js';
import { type WorkerRigDescription } from '#events/fleet/worker-rig.events.js';
import { BADGE_THRESHOLDS } from './badge-thresholds.js';
import {
  RigStandingsHandler,
  RigStandingsQuery,
  type StandingRig,
} from './certifications.queries.js';

const certified = RigCertified.of({
  certificationId: '01890a5d-ac96-474b-8cce-b302099a8057',
  rig: 'rack',
  kind: 'openai',
  description: null,
  models: [{ id: 'acme/one', isListed: true }],
  measuredModel: 'acme/one',
  measurements: {
    firstTokenMs: 100,
    firstTokenSamples: 5,
    tokensPerSecond: 60,
    concurrentStreams: 8,
    tokensPerSecondConcurrent: 200,
    isAnswerConsistent: true,
  },
  problems: [],
  measuredAt: '2026-11-22T06:00:00.000Z',
  badge: 'gold',
  thresholds: [...BADGE_THRESHOLDS],
  expiresAt: '2026-12-22T06:00:00.000Z',
});

/** The standing of one rig at an instant, after these events. */
const standingAt = async (
  now: string,
  rig: string | StandingRig,
  ...events: readonly RigCertified[]
) => {
  const asked = typeof rig === 'string' ? { name: rig, description: null } : rig;

  const get = (_: unknown, key: string) => {
    const own = events.filter((event) => rigCertifications.keys(event).includes(key));
    const document = own.reduce(
      (found, event) => rigCertifications.project(event, found, key) ?? found,
      rigCertifications.initial(key),
    );
    return Promise.resolve({ document: own.length === 0 ? undefined : document, position: 0n });
  };
  const clock = { now: () => Date.parse(now) };
  const handler = new RigStandingsHandler({ get } as never, clock);
  return (await handler.execute(new RigStandingsQuery([asked])))[0];
};

describe('the standing of a rig', () => {
  const last = certified.data;

  it('is its badge while that is valid', async () => {
    expect(await standingAt('2026-12-22T05:59:59.999Z', 'rack', certified)).toEqual({
      rig: 'rack',
      badge: 'gold',
      status: 'valid',
      certification: last,
    });
  });

  it('has no badge once that has expired, and still the figures', async () => {
    expect(await standingAt('2026-12-22T06:00:00.000Z', 'rack', certified)).toEqual({
      rig: 'rack',
      badge: null,
      status: 'expired',
      certification: last,
    });
  });

  it('has no badge before the first certification', async () => {
    expect(await standingAt('2026-12-01T06:00:00.000Z', 'shed', certified)).toEqual({
      rig: 'shed',
      badge: null,
      status: 'never_certified',
      certification: null,
    });
  });

  it('is taken from the last certification', async () => {
    const later = RigCertified.of({ ...last, badge: 'none' });
    const standing = await standingAt('2026-12-01T06:00:00.000Z', 'rack', certified, later);
    expect(standing).toMatchObject({ badge: 'none', status: 'valid' });
  });
});

describe('the standing of the rig of a worker', () => {
  const DURING = '2026-12-01T06:00:00.000Z';
  const models = [{ name: 'nano', sha256: 'ab'.repeat(32) }];
  const description: WorkerRigDescription = {
    region: 'uk',
    brand: 'NVIDIA',
    processor: 'AMD EPYC 9654',
    cores: 8,
    hostMemoryBytes: 1_024,
    devices: [{ name: 'NVIDIA T4', memoryBytes: 512 }],
    engines: [{ name: 'text', tasksMax: 4, models }],
  };
  const ofWorker = RigCertified.of({ ...certified.data, kind: 'worker', description });
  const nowAs = (change: Partial<WorkerRigDescription>) =>
    standingAt(DURING, { name: 'rack', description: { ...description, ...change } }, ofWorker);

  it('is its badge while it is the machine that was measured, in whatever region', async () => {
    expect(await nowAs({})).toMatchObject({ badge: 'gold', status: 'valid' });
    expect(await nowAs({ region: null })).toMatchObject({ badge: 'gold', status: 'valid' });
  });

  it.each<[string, Partial<WorkerRigDescription>]>([
    ['another device', { devices: [{ name: 'NVIDIA L4', memoryBytes: 512 }] }],
    ['no device', { devices: null }],
    ['another processor', { processor: null }],
    ['another file', { engines: [{ name: 'text', tasksMax: 4, models: [] }] }],
    ['more slots', { engines: [{ name: 'text', tasksMax: 8, models }] }],
  ])('is outdated with %s, and keeps the figures', async (_, change) => {
    expect(await nowAs(change)).toEqual({
      rig: 'rack',
      badge: null,
      status: 'outdated',
      certification: ofWorker.data,
    });
  });

  it('has expired rather than being outdated', async () => {
    const rig = { name: 'rack', description: { ...description, devices: null } };
    const standing = await standingAt('2026-12-22T06:00:00.000Z', rig, ofWorker);
    expect(standing).toMatchObject({ badge: null, status: 'expired' });
  });

  it('is not shared with a rig of the catalog of its name, nor the other way round', async () => {
    const none = { badge: null, status: 'never_certified', certification: null };
    const worker = { name: 'rack', description };
    expect(await standingAt(DURING, worker, certified)).toMatchObject(none);
    expect(await standingAt(DURING, 'rack', ofWorker)).toMatchObject(none);
  });
});
