import { describe, expect, it } from '@jest/globals';
import { RigCertified } from '#events/rigs/rig.events.js';
import { rigCertifications } from '#projections/rigs/rig-certifications.projection.js';
import { BADGE_THRESHOLDS } from './badge-thresholds.js';
import { RigStandingsHandler, RigStandingsQuery } from './certifications.queries.js';

const certified = RigCertified.of({
  certificationId: '01890a5d-ac96-474b-8cce-b302099a8057',
  rig: 'rack',
  kind: 'openai',
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
const standingAt = async (now: string, rig: string, ...events: readonly RigCertified[]) => {
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
  return (await handler.execute(new RigStandingsQuery([rig])))[0];
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

  it('is that of the last certification', async () => {
    const later = RigCertified.of({ ...last, badge: 'none' });
    const standing = await standingAt('2026-12-01T06:00:00.000Z', 'rack', certified, later);
    expect(standing).toMatchObject({ badge: 'none', status: 'valid' });
  });
});
