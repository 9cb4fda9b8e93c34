import { describe, expect, it } from '@jest/globals';
import { type GuardedTexts, GuardHitsRecorded } from '#events/guards/guard.events.js';
import { guardedKey, guardedRequests } from './guarded-requests.projection.js';

const HOLD = '01890a5d-ac96-774b-bcce-000000000001';
const OTHER = '01890a5d-ac96-774b-bcce-000000000002';
const AT = '2026-11-21T05:00:00.000Z';

const mail = { rule: 'mail', does: 'redact', matches: 2, hasFailed: false } as const;
const dlp = { rule: 'dlp', does: 'flag', matches: 0, hasFailed: true } as const;

const textsOf = (more: Partial<GuardedTexts>): GuardedTexts => ({
  accountId: '7',
  model: 'acme/m',
  holdId: HOLD,
  on: 'request',
  hits: [mail],
  readAt: AT,
  ...more,
});

describe('the guarded requests of an account', () => {
  const { keys, project, initial } = guardedRequests;
  const recorded = (...texts: readonly GuardedTexts[]) =>
    GuardHitsRecorded.of({ texts: [...texts], lost: 0, recordedAt: AT });

  it('are the requests with a hold, each once', () => {
    const event = recorded(
      textsOf({}),
      textsOf({ on: 'answer' }),
      textsOf({ holdId: OTHER, accountId: '8' }),
      textsOf({ holdId: null }),
    );
    expect(keys(event)).toEqual([guardedKey('7', HOLD), guardedKey('8', OTHER)]);
  });

  it('have the rules by side, with the sum of their matches', () => {
    const key = guardedKey('7', HOLD);
    const first = recorded(textsOf({ hits: [mail, dlp] }), textsOf({ holdId: OTHER }));
    const second = recorded(
      textsOf({ hits: [{ ...mail, matches: 1 }] }),
      textsOf({ on: 'answer' }),
    );
    const before = project(first, initial(key), key) ?? initial(key);
    expect(project(second, before, key)).toEqual({
      hits: [
        { ...mail, on: 'request', matches: 3 },
        { ...dlp, on: 'request' },
        { ...mail, on: 'answer' },
      ],
    });
  });
});
