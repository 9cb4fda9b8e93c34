import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import {
  defineEvent,
  revive,
  type StoredEvent,
  UnreadableEventError,
  upcast,
} from './definition.js';

const JobV1 = z.strictObject({ jobId: z.string(), limit: z.int() });
const JobV2 = z.strictObject({ jobId: z.string(), tokensMax: z.int().max(1_000_000) });

/** Version 2 renamed the limit; version 3 counts in thousands. */
const JobSubmitted = defineEvent('JobSubmitted', {
  version: 3,
  schema: z.strictObject({ jobId: z.string(), kiloTokensMax: z.int().positive() }),
  upcasters: {
    1: upcast(JobV1, ({ jobId, limit }) => ({ jobId, tokensMax: limit })),
    2: upcast(JobV2, ({ jobId, tokensMax }) => ({ jobId, kiloTokensMax: tokensMax / 1000 })),
  },
});

const stored = (version: number, data: unknown): StoredEvent => ({
  type: 'JobSubmitted',
  version,
  data,
});

const failureOf = (event: StoredEvent, definition = JobSubmitted): UnreadableEventError => {
  try {
    revive(definition, event);
  } catch (error) {
    expect(error).toBeInstanceOf(UnreadableEventError);
    return error as UnreadableEventError;
  }
  throw new Error('it was readable');
};

describe('an event definition', () => {
  it('builds an event that carries neither version nor envelope', () => {
    expect(JobSubmitted.of({ jobId: 'j', kiloTokensMax: 4 })).toEqual({
      type: 'JobSubmitted',
      data: { jobId: 'j', kiloTokensMax: 4 },
    });
  });

  it('has no upcasters unless it names some', () => {
    expect(defineEvent('JobStarted', { version: 1, schema: z.strictObject({}) })).toMatchObject({
      type: 'JobStarted',
      version: 1,
      upcasters: {},
    });
  });
});

describe('a stored event', () => {
  const submitted = JobSubmitted.of({ jobId: 'j', kiloTokensMax: 4 });

  it.each([
    ['this', stored(3, { jobId: 'j', kiloTokensMax: 4 })],
    ['the last', stored(2, { jobId: 'j', tokensMax: 4000 })],
    ['the first', stored(1, { jobId: 'j', limit: 4000 })],
  ])('of %s version is revived, one version at a time', (_, event) => {
    expect(revive(JobSubmitted, event)).toEqual(submitted);
  });

  it('from the future stops the subscription', () => {
    const event = stored(4, { jobId: 'j' });
    const failure = failureOf(event);
    expect(failure.message).toBe('cannot read JobSubmitted version 4: this build knows version 3');
    expect(failure.stored).toBe(event);
  });

  it('is not lifted over a version without an upcaster', () => {
    const { 2: last } = JobSubmitted.upcasters;
    const gap = { ...JobSubmitted, upcasters: last ? { 2: last } : {} };
    const { message } = failureOf(stored(1, { jobId: 'j', limit: 4000 }), gap);
    expect(message).toBe('cannot read JobSubmitted version 1: no upcaster from version 1');
  });

  it.each([
    ['at the first step', stored(1, { jobId: 'j' }), /does not lift from version 1: .*limit/s],
    [
      'at a later step',
      stored(1, { jobId: 'j', limit: 2_000_000 }),
      /version 1: it does not lift from version 2: .*tokensMax/s,
    ],
    ['when it is no object', stored(2, null), /does not lift from version 2: /],
    ['in the end', stored(1, { jobId: 'j', limit: 0 }), /version 1: .*kiloTokensMax/s],
    [
      'in this version',
      stored(3, { jobId: 'j', kiloTokensMax: '4' }),
      /version 3: .*kiloTokensMax/s,
    ],
    ['by a field too many', stored(3, { ...submitted.data, extra: 1 }), /extra/],
  ])('is unreadable when its data is bad %s, and says where', (_, event, reason) => {
    const failure = failureOf(event);
    expect(failure.message).toMatch(reason);
    expect(failure.stored).toBe(event);
    expect(failure.cause).toBeInstanceOf(z.ZodError);
  });

  it('is unreadable when the upcaster itself fails, and keeps the cause', () => {
    const cause = new TypeError('limit is undefined');
    const definition = {
      ...JobSubmitted,
      upcasters: {
        ...JobSubmitted.upcasters,
        2: () => {
          throw cause;
        },
      },
    };
    const failure = failureOf(stored(2, {}), definition);
    expect(failure.message).toMatch(/does not lift from version 2: TypeError: limit is undefined/);
    expect(failure.cause).toBe(cause);
  });
});
