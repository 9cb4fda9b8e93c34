import { describe, expect, it, jest } from '@jest/globals';
import { type ChatAnswer } from './chat-backend.js';
import { type RigRouterOptions } from './rig-router.js';
import { type RigChange } from './rig-state.js';
import { requestOf } from './upstream.fake.js';
import {
  ANSWER,
  errorOf,
  failing,
  held,
  routerOf,
  scripted,
  settle,
} from './rig-router.fixture.js';

describe('choosing a rig', () => {
  it('asks with the request made for that rig', async () => {
    const a = scripted(ANSWER);
    const { complete } = routerOf({ rigsOf: { a: a.backend } });
    expect(await complete()).toEqual({
      answer: ANSWER,
      rig: 'a',
      isOriginal: false,
      attempts: [{ rig: 'a', startedMs: 0, endedMs: 0, outcome: 'answered' }],
    });
    expect(a.asked).toEqual([requestOf({ model: 'llama' }).body]);
  });

  it('picks a rig that serves the model', async () => {
    const { complete } = routerOf({
      rigsOf: { a: scripted().backend, b: scripted().backend },
    });
    expect((await complete({ model: 'only-b' })).rig).toBe('b');
  });

  it('picks the least loaded rig', async () => {
    const busy = held();
    const a = scripted(busy.move);
    const { complete, router } = routerOf({
      rigsOf: { a: a.backend, b: scripted().backend },
    });
    const first = complete({ pin: 'a' });
    await settle();
    expect(router.status().map(({ inFlight }) => inFlight)).toEqual([1, 0]);
    expect((await complete()).rig).toBe('b');
    busy.letGo();
    await first;
    expect(router.status().map(({ inFlight }) => inFlight)).toEqual([0, 0]);
  });

  it.each([
    [0, 'b'],
    [0.99, 'a'],
  ])('draws between equals (%d)', async (drawn, rig) => {
    const { complete } = routerOf({
      rigsOf: { a: scripted().backend, b: scripted().backend },
      random: () => drawn,
    });
    expect((await complete()).rig).toBe(rig);
  });

  it('prefers the healthy rig to the idle one, and forgives with time', async () => {
    const b = held();
    const { complete, router, time } = routerOf({
      rigsOf: {
        a: scripted(failing('failed'), failing('failed'), ANSWER).backend,
        b: scripted(b.move).backend,
      },
      attemptsMax: 1,
    });
    await errorOf(complete({ pin: 'a' }));
    await errorOf(complete({ pin: 'a' }));
    expect(router.status()[0]?.errorRate).toBeCloseTo(0.19);
    const first = complete();
    await settle();
    expect(router.status().map(({ inFlight }) => inFlight)).toEqual([0, 1]);
    time.nowMs += 60_000;
    expect((await complete()).rig).toBe('a');
    b.letGo();
    expect((await first).rig).toBe('b');
  });

  it('asks the pinned rig and no other', async () => {
    const a = scripted(failing('failed'));
    const b = scripted();
    const { complete } = routerOf({ rigsOf: { a: a.backend, b: b.backend } });
    const error = await errorOf(complete({ pin: 'a' }));
    expect(error.kind).toBe('failed');
    expect(a.asked).toHaveLength(3);
    expect(b.asked).toHaveLength(0);
  });

  it.each([
    ['model-not-served', { model: 'gpt' }],
    ['rig-unknown', { pin: 'z' }],
    ['rig-without-model', { pin: 'a', model: 'only-b' }],
  ])('has no rig: %s', async (kind, order) => {
    const { complete } = routerOf({ rigsOf: { a: scripted().backend, b: scripted().backend } });
    expect(await errorOf(complete(order))).toMatchObject({ kind, attempts: [] });
  });
});

describe('a failed attempt', () => {
  it('is made up for by another rig at once', async () => {
    const { complete, pauses } = routerOf({
      rigsOf: {
        a: scripted(failing('failed', { status: 500 })).backend,
        b: scripted().backend,
      },
      random: () => 0.99,
    });
    const { rig, attempts } = await complete();
    expect(rig).toBe('b');
    expect(attempts).toEqual([
      { rig: 'a', startedMs: 0, endedMs: 0, outcome: 'failed', status: 500 },
      { rig: 'b', startedMs: 0, endedMs: 0, outcome: 'answered' },
    ]);
    expect(pauses).toEqual([]);
  });

  it('is repeated with exponential back-off and full jitter when there is one rig', async () => {
    const { complete, pauses } = routerOf({
      rigsOf: { a: scripted(failing('unreachable')).backend },
      attemptsMax: 5,
      backOffMsMax: 500,
    });
    const error = await errorOf(complete());
    expect(pauses).toEqual([50, 100, 200, 250]);
    expect(error).toMatchObject({ kind: 'failed', details: { rigError: { kind: 'unreachable' } } });
    expect(error.attempts.map(({ startedMs }) => startedMs)).toEqual([0, 50, 150, 350, 600]);
  });

  it.each([
    ['refused', 'refused'],
    ['cancelled', 'cancelled'],
  ] as const)('is final when it was %s', async (kind, routeKind) => {
    const a = scripted(failing(kind));
    const b = scripted(failing(kind));
    const { complete } = routerOf({ rigsOf: { a: a.backend, b: b.backend } });
    const error = await errorOf(complete());
    expect(error.kind).toBe(routeKind);
    expect(a.asked.length + b.asked.length).toBe(1);
  });

  it.each([
    ['timed-out', {}],
    ['malformed', {}],
    ['broken-off', {}],
    ['failed', { status: 401 }],
  ] as const)('is repeated at another rig only when it was %s with %j', async (kind, details) => {
    const a = scripted(failing(kind, details));
    const b = scripted(failing(kind, details));
    const { complete } = routerOf({ rigsOf: { a: a.backend, b: b.backend } });
    const error = await errorOf(complete());
    expect(error.kind).toBe('failed');
    expect([a.asked.length, b.asked.length]).toEqual([1, 1]);
  });

  it('waits as long as Retry-After says', async () => {
    const overloaded = failing('overloaded', { status: 429, retryAfterMs: 3_000 });
    const { complete, pauses } = routerOf({ rigsOf: { a: scripted(overloaded, ANSWER).backend } });
    const { attempts } = await complete();
    expect(pauses).toEqual([3_000]);
    expect(attempts.map(({ outcome, status }) => [outcome, status])).toEqual([
      ['overloaded', 429],
      ['answered', undefined],
    ]);
  });

  it('does not wait for longer than the bound, and says how long it would be', async () => {
    const overloaded = failing('overloaded', { status: 429, retryAfterMs: 10_001 });
    const a = scripted(overloaded);
    const { complete, time } = routerOf({ rigsOf: { a: a.backend } });
    expect(await errorOf(complete())).toMatchObject({
      kind: 'overloaded',
      details: { retryAfterMs: 10_001, rigError: overloaded },
    });
    time.nowMs += 4_000;
    const error = await errorOf(complete());
    expect(error).toMatchObject({ kind: 'overloaded', details: { retryAfterMs: 6_001 } });
    expect(a.asked).toHaveLength(1);
  });

  it('keeps the rig out of the choice for all of a long Retry-After', async () => {
    const hour = failing('overloaded', { status: 503, retryAfterMs: 3_600_000 });
    const a = scripted(hour, ANSWER);
    const { complete, time } = routerOf({ rigsOf: { a: a.backend } });
    await errorOf(complete());
    time.nowMs += 3_599_999;
    const error = await errorOf(complete());
    expect(error).toMatchObject({ kind: 'overloaded', details: { retryAfterMs: 1_000 } });
    time.nowMs += 1;
    expect((await complete()).rig).toBe('a');
    expect(a.asked).toHaveLength(2);
  });

  it('does not shorten the Retry-After of another request', async () => {
    const [first, second] = [held(), held()];
    const busy = (wait?: number) =>
      failing('overloaded', wait === undefined ? {} : { retryAfterMs: wait });
    const a = scripted(
      () => first.move().then(() => Promise.reject(busy(60_000))),
      () => second.move().then(() => Promise.reject(busy())),
      ANSWER,
    );
    const { complete, router } = routerOf({ rigsOf: { a: a.backend }, attemptsMax: 1 });
    const both = [errorOf(complete()), errorOf(complete())];
    await settle();
    first.letGo();
    await settle();
    second.letGo();
    await Promise.all(both);
    expect(await errorOf(complete())).toMatchObject({ details: { retryAfterMs: 60_000 } });
    expect(router.status()[0]?.inFlight).toBe(0);
  });

  it('is the end of it when the caller leaves during the pause', async () => {
    const caller = new AbortController();
    const { complete } = routerOf({
      rigsOf: { a: scripted(failing('failed')).backend },
      sleep: (_, signal) => {
        caller.abort();
        return Promise.reject(signal.reason as Error);
      },
    });
    const error = await errorOf(complete({}, caller.signal));
    expect(error.kind).toBe('cancelled');
    expect(error.attempts).toHaveLength(1);
  });

  it('passes a defect on untouched and frees the slot', async () => {
    const defect = new TypeError('a defect');
    const { complete, router } = routerOf({
      rigsOf: { a: scripted(() => Promise.reject(defect)).backend },
    });
    await expect(complete()).rejects.toBe(defect);
    expect(router.status()[0]?.inFlight).toBe(0);
  });
});

describe('a rig that keeps failing', () => {
  const downAfter = async (failures: number) => {
    const a = scripted(...Array.from({ length: failures }, () => failing('failed')), ANSWER);
    const setting = routerOf({ rigsOf: { a: a.backend }, attemptsMax: 1 });
    for (let sent = 0; sent < failures; sent += 1) await errorOf(setting.complete());
    return { ...setting, a };
  };

  it('is left alone, and the error says why and for how long', async () => {
    const { complete, router, a } = await downAfter(5);
    expect(await errorOf(complete())).toMatchObject({
      kind: 'down',
      attempts: [],
      details: { retryAfterMs: 5_000, rigError: { kind: 'failed' } },
    });
    expect(a.asked).toHaveLength(5);
    expect(router.status()).toMatchObject([{ breaker: 'open', lastFailure: 'failed' }]);
  });

  it('is reported once when it goes down, with its cause, and once when it is up', async () => {
    const cause = failing('unreachable');
    const changes: RigChange[] = [];
    const { complete, time } = routerOf({
      rigsOf: { a: scripted(cause, cause, cause, ANSWER).backend },
      attemptsMax: 1,
      breaker: { failuresToOpen: 2, openMs: 1_000, openMsMax: 1_000 },
      onChange: (change) => changes.push(change),
    });
    for (let sent = 0; sent < 10; sent += 1) await errorOf(complete());
    const down = { rig: 'a', state: 'down', cause };
    expect(changes).toEqual([down]);
    time.nowMs += 1_000;
    await errorOf(complete());
    expect(changes).toEqual([down]);
    time.nowMs += 1_000;
    await complete();
    await complete();
    expect(changes).toEqual([down, { rig: 'a', state: 'up' }]);
  });

  it('is tried again when the time is over', async () => {
    const { complete, router, time } = await downAfter(5);
    time.nowMs += 5_000;
    expect((await complete()).rig).toBe('a');
    expect(router.status()[0]?.breaker).toBe('closed');
  });

  it('gives its requests to another rig meanwhile', async () => {
    const b = scripted();
    const { complete } = routerOf({
      rigsOf: { a: scripted(failing('failed')).backend, b: b.backend },
    });
    for (let sent = 0; sent < 10; sent += 1) expect((await complete()).rig).toBe('b');
    expect(b.asked).toHaveLength(10);
  });

  it('stays up when it only rejects or is busy', async () => {
    const { complete, router } = routerOf({
      rigsOf: { a: scripted(failing('refused')).backend, b: scripted().backend },
    });
    for (let sent = 0; sent < 10; sent += 1) await errorOf(complete({ pin: 'a' }));
    expect(router.status()[0]).toMatchObject({ breaker: 'closed', errorRate: 0 });
  });
});

describe('when every rig is full', () => {
  const full = (options: Partial<RigRouterOptions> = {}) => {
    const first = held();
    const a = scripted(first.move, ANSWER);
    const setting = routerOf({ rigsOf: { a: a.backend }, maxConcurrency: 1, ...options });
    return { ...setting, a, first, running: setting.complete() };
  };

  it('requests wait in order for a slot', async () => {
    const { complete, router, a, first, running } = full();
    const ends: string[] = [];
    const waiting = ['second', 'third'].map((name) => complete().then(() => ends.push(name)));
    await settle();
    expect(router.waiting()).toBe(2);
    expect(a.asked).toHaveLength(1);
    first.letGo();
    await Promise.all([running, ...waiting]);
    expect(ends).toEqual(['second', 'third']);
    expect(router.waiting()).toBe(0);
  });

  it('a request is turned away when the queue is full', async () => {
    const { complete, first, running } = full({ waitingMax: 1 });
    const waiting = complete();
    await settle();
    expect(await errorOf(complete())).toMatchObject({
      kind: 'queue-full',
      details: { retryAfterMs: 1_000 },
    });
    first.letGo();
    await Promise.all([running, waiting]);
  });

  it('a request does not wait for ever', async () => {
    const sleep = jest.fn((ms: number) => Promise.resolve(ms).then(() => undefined));
    const { complete, router, first, running } = full({ sleep, waitMsMax: 700 });
    await settle();
    expect((await errorOf(complete())).kind).toBe('overloaded');
    expect(sleep.mock.calls.map(([ms]) => ms)).toEqual([700]);
    expect(router.waiting()).toBe(0);
    first.letGo();
    await running;
  });

  it('a caller who leaves the queue is gone from it', async () => {
    const { complete, router, a, first, running } = full();
    const caller = new AbortController();
    const waiting = errorOf(complete({}, caller.signal));
    await settle();
    caller.abort();
    expect((await waiting).kind).toBe('cancelled');
    expect(router.waiting()).toBe(0);
    first.letGo();
    await running;
    expect(a.asked).toHaveLength(1);
  });

  it('a request that waits for a rig fails when the rig goes down', async () => {
    const { promise, reject } = Promise.withResolvers<ChatAnswer>();
    const { complete } = routerOf({
      rigsOf: { a: scripted(() => promise).backend },
      maxConcurrency: 1,
      attemptsMax: 1,
      breaker: { failuresToOpen: 1, openMs: 1_000, openMsMax: 1_000 },
    });
    const running = errorOf(complete());
    const waiting = errorOf(complete());
    await settle();
    reject(failing('failed'));
    expect((await running).kind).toBe('failed');
    expect((await waiting).kind).toBe('down');
  });

  it('never has more at a rig than it takes', async () => {
    let inFlight = 0;
    let most = 0;
    const slow = async () => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      await settle();
      inFlight -= 1;
      return ANSWER;
    };
    const { complete, router } = routerOf({
      rigsOf: { a: scripted(slow).backend, b: scripted(slow).backend },
      maxConcurrency: 3,
    });
    await Promise.all(Array.from({ length: 100 }, () => complete()));
    expect(most).toBe(6);
    expect(router.status().map((rig) => rig.inFlight)).toEqual([0, 0]);
  });
});
