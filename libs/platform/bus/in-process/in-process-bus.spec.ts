import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { busContract } from '../bus.contract.js';
import { type Bus, type BusMessage } from '../bus.port.js';
import { type BackOffTimer } from './group.js';
import { createInProcessBus } from './in-process-bus.js';

busContract('in process', () => Promise.resolve(createInProcessBus()));

/** The time does not move until a test lets every timer elapse. */
class ManualTimer implements BackOffTimer {
  readonly delaysMs: number[] = [];
  readonly pending = new Set<() => void>();
  chance = 1;

  readonly start = (delayMs: number, elapsed: () => void): (() => void) => {
    this.delaysMs.push(delayMs);
    this.pending.add(elapsed);
    return () => this.pending.delete(elapsed);
  };

  readonly random = (): number => this.chance;

  elapse(): void {
    const due = [...this.pending];
    this.pending.clear();
    for (const elapsed of due) elapsed();
  }
}

const message = (n: number, key = 'job-1'): BusMessage => ({
  key,
  id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  headers: {},
  data: n,
});

const topic = 'inference-tasks';

describe('the in-process bus', () => {
  let timer: ManualTimer;
  let bus: Bus;

  beforeEach(() => {
    timer = new ManualTimer();
    bus = createInProcessBus({ timer, topicMessagesMax: 10 });
  });

  afterEach(() => bus.close());

  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 50; turn += 1) await nextTurn();
  };

  const list = (count: number, from = 0): BusMessage[] =>
    Array.from({ length: count }, (_, n) => message(from + n));

  const failing = () => Promise.reject(new Error('no'));

  it('backs off twice as long each time, up to ten seconds', async () => {
    await bus.consume({ topic, group: 'workers', attemptsMax: 10, handle: failing });
    await bus.publish(topic, [message(1)]);
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      await settle();
      timer.elapse();
    }
    expect(timer.delaysMs).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
    expect(await bus.deadLetters(topic, 'workers')).toMatchObject([{ attempts: 10 }]);
  });

  it('holds nothing for a topic that has listeners and no group', async () => {
    const options = { topic, handle: () => undefined, onFailed: () => undefined };
    await bus.listen(options);
    for (let n = 0; n < 3; n += 1) await bus.publish(topic, list(10, n * 10));
    const received: unknown[] = [];
    await bus.consume({
      topic,
      group: 'workers',
      handle: ({ data }) => Promise.resolve(void received.push(data)),
    });
    await bus.publish(topic, [message(30)]);
    await settle();
    expect(received).toEqual([30]);
  });

  it('takes up to half of a back-off away by chance', async () => {
    timer.chance = 0;
    await bus.consume({ topic, group: 'workers', attemptsMax: 2, handle: failing });
    await bus.publish(topic, [message(1)]);
    await settle();
    expect(timer.delaysMs).toEqual([50]);
  });

  it('handles 32 keys at the same time', async () => {
    bus = createInProcessBus();
    const finish: (() => void)[] = [];
    const handle = () => new Promise<void>((resolve) => void finish.push(resolve));
    await bus.consume({ topic, group: 'workers', handle });
    await bus.publish(
      topic,
      Array.from({ length: 40 }, (_, n) => message(n, `job-${n}`)),
    );
    await settle();
    expect(finish).toHaveLength(32);
    finish.splice(0, 3).forEach((resolve) => resolve());
    await settle();
    expect(finish).toHaveLength(32);
    finish.splice(0).forEach((resolve) => resolve());
    await settle();
    finish.splice(0).forEach((resolve) => resolve());
  });

  it('rejects a whole list that would not fit, before there is a group and after', async () => {
    const full = expect.objectContaining({ name: 'BusError', code: 'topic-full' });
    await bus.publish(topic, list(8));
    await expect(bus.publish(topic, list(3, 8))).rejects.toEqual(full);
    await bus.publish(topic, list(2, 8));
    await expect(bus.publish(topic, list(1, 10))).rejects.toEqual(full);
    const handled: unknown[] = [];
    const first = await bus.consume({
      topic,
      group: 'workers',
      handle: ({ data }) => Promise.resolve(void handled.push(data)),
    });
    await settle();
    expect(handled).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    await first.close();
    await bus.publish(topic, list(10, 10));
    await expect(bus.publish(topic, list(1, 20))).rejects.toEqual(full);
    await expect(bus.publish('another', list(10))).resolves.toBeUndefined();
  });

  it('counts dead letters as undelivered, and what is waiting for another try', async () => {
    await bus.consume({ topic, group: 'workers', attemptsMax: 1, handle: failing });
    await bus.publish(topic, list(10));
    await settle();
    expect(await bus.deadLetters(topic, 'workers')).toHaveLength(10);
    await expect(bus.publish(topic, list(1, 10))).rejects.toMatchObject({ code: 'topic-full' });
  });

  it('lets a second group begin with later messages', async () => {
    const handled: unknown[] = [];
    const handle = ({ data }: BusMessage) => Promise.resolve(void handled.push(data));
    await bus.publish(topic, [message(1)]);
    await bus.consume({ topic, group: 'first', handle: () => Promise.resolve() });
    await bus.consume({ topic, group: 'second', handle });
    await bus.publish(topic, [message(2)]);
    await settle();
    expect(handled).toEqual([2]);
  });

  it('leaves no timer behind when it closes', async () => {
    await bus.consume({ topic, group: 'workers', handle: failing });
    await bus.publish(topic, [message(1)]);
    await settle();
    expect(timer.pending.size).toBe(1);
    await bus.close();
    expect(timer.pending.size).toBe(0);
  });

  it('takes the last results of handlers while it closes', async () => {
    const published: Promise<void>[] = [];
    await bus.consume({
      topic,
      group: 'workers',
      handle: async () => {
        await settle();
        published.push(bus.publish('results', [message(2)]));
      },
    });
    await bus.publish(topic, [message(1)]);
    await nextTurn();
    await bus.close();
    await expect(Promise.all(published)).resolves.toHaveLength(1);
  });
});

describe('whatever fails and however often', () => {
  const ATTEMPTS_MAX = 3;
  const plan = fc.array(
    fc.record({
      key: fc.constantFrom('a', 'b', 'c'),
      /** So many attempts fail. */
      failures: fc.integer({ min: 0, max: ATTEMPTS_MAX }),
    }),
    { minLength: 1, maxLength: 20 },
  );

  it('each message is handled once or dead-lettered once, and keys keep their order', async () => {
    await fc.assert(
      fc.asyncProperty(plan, fc.integer({ min: 1, max: 3 }), async (planned, members) => {
        const timer = new ManualTimer();
        const bus = createInProcessBus({ timer });
        const seen: [key: string, n: number, attempt: number][] = [];
        for (let member = 0; member < members; member += 1) {
          await bus.consume({
            topic,
            group: 'workers',
            attemptsMax: ATTEMPTS_MAX,
            handle: async ({ key, data, attempt }) => {
              const n = data as number;
              seen.push([key, n, attempt]);
              await nextTurn();
              if (attempt <= (planned[n]?.failures ?? 0)) throw new Error('planned');
            },
          });
        }
        await bus.publish(
          topic,
          planned.map(({ key }, n) => message(n, key)),
        );
        const attemptsOf = (failures: number) => Math.min(failures + 1, ATTEMPTS_MAX);
        const expected = (key: string) =>
          planned.flatMap((one, n) =>
            one.key === key
              ? Array.from({ length: attemptsOf(one.failures) }, (_, i) => [key, n, i + 1])
              : [],
          );
        const total = planned.reduce((sum, { failures }) => sum + attemptsOf(failures), 0);
        for (let turn = 0; turn < 2_000 && seen.length < total; turn += 1) {
          await nextTurn();
          timer.elapse();
        }
        for (const key of ['a', 'b', 'c']) {
          expect(seen.filter(([of]) => of === key)).toEqual(expected(key));
        }
        for (let turn = 0; turn < 3; turn += 1) await nextTurn();
        const dead = (await bus.deadLetters(topic, 'workers')).map(({ data }) => data as number);
        const doomed = planned.flatMap(({ failures }, n) => (failures < ATTEMPTS_MAX ? [] : [n]));
        expect(dead.toSorted((one, other) => one - other)).toEqual(doomed);
        await bus.close();
      }),
      { numRuns: 50, seed: 20_260_101 },
    );
  });
});
