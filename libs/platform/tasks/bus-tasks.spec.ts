import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BusError } from '#platform/bus/bus.errors.js';
import { type Bus, type Delivery } from '#platform/bus/bus.port.js';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { createBusTasks } from './bus-tasks.js';
import {
  countingEngine,
  type CountingEnd,
  type CountingInput,
  CountingLog,
} from './counting.engine.fake.js';
import { drain } from './drain.fixture.js';
import {
  cancellationsTopicOf,
  type ReplyKind,
  replyPlace,
  TaskHeaders,
  taskPlace,
  tasksTopicOf,
} from './task.protocol.js';
import { TaskSeal } from './task.seal.js';
import { type TaskHosting } from './tasks.port.js';

const ENGINE = countingEngine(new CountingLog());
const TASKS_TOPIC = tasksTopicOf('counting');
const LIMITS = { attemptsMax: 3, hedgeMs: 40, takeMsMax: 200, silenceMsMax: 200 };
const INPUT: CountingInput = { text: 'a secret of knots', pauseMs: 0, failsWith: '' };

const never = new AbortController().signal;

/** A run whose replies a test writes, under any number. */
class ScriptedRun {
  number = 0;

  constructor(
    private readonly bus: Bus,
    private readonly seal: TaskSeal,
    readonly headers: TaskHeaders,
    readonly input: CountingInput,
    private readonly worker = 'w-1',
  ) {}

  started(): Promise<void> {
    return this.reply('started', null);
  }

  page(pieces: readonly number[], end?: CountingEnd): Promise<void> {
    return this.reply('page', { pieces, ...(end && { end }) });
  }

  failed(code: string): Promise<void> {
    return this.reply('failed', { code, message: `it is ${code}` });
  }

  async reply(kind: ReplyKind, body: object | null, number = this.number): Promise<void> {
    const { task, attempt, 'reply-topic': topic } = this.headers;
    this.number = number + 1;
    const { worker } = this;
    const place = replyPlace('counting', { kind, task, attempt, worker, number });
    const headers = { kind, task, attempt: String(attempt), worker, number: String(number) };
    const data = body && this.seal.seal(place, JSON.stringify(body));
    await this.bus.publish(topic, [{ key: task, id: randomUUID(), headers, data }]);
  }
}

describe('tasks over the bus', () => {
  let bus: Bus;
  let tasks: TaskHosting;
  let offered: Delivery[];
  let cancelled: Delivery['headers'][];
  const key = randomBytes(32);
  const seal = new TaskSeal(key);
  const END = { words: 4 };

  const open = (limits: Partial<typeof LIMITS> = {}) =>
    createBusTasks({
      bus,
      instance: 'gateway-1',
      key,
      logger: { warn: () => undefined, error: () => undefined },
      limits: { ...LIMITS, ...limits },
    });

  beforeEach(async () => {
    bus = createInProcessBus();
    offered = [];
    cancelled = [];
    await bus.consume({
      topic: cancellationsTopicOf('counting'),
      group: 'watcher',
      handle: ({ headers }) => Promise.resolve(void cancelled.push(headers)),
    });
    tasks = open();
  });

  afterEach(async () => {
    await tasks.close();
    await bus.close();
  });

  const run = (signal: AbortSignal) => tasks.run(ENGINE, INPUT, signal);

  /** Has a worker take every task; the test writes what it does with the n-th. */
  const serve = (script: (run: ScriptedRun, offer: number) => Promise<void>, worker?: string) =>
    bus.consume({
      topic: TASKS_TOPIC,
      group: 'workers',
      handle: async (delivery) => {
        offered.push(delivery);
        const headers = TaskHeaders.parse(delivery.headers);
        const place = taskPlace('counting', headers.task, headers.attempt);
        const input = seal.open(place, delivery.data, ENGINE.input);
        await script(new ScriptedRun(bus, seal, headers, input, worker), offered.length);
      },
    });

  it('sends the input, and nothing of it in the open', async () => {
    let asked: CountingInput | undefined;
    await serve(async (run) => {
      asked = run.input;
      await run.started();
      await run.page([], END);
    });
    await drain(run(never));
    expect(asked).toEqual(INPUT);
    expect(JSON.stringify(offered)).not.toContain('secret');
  });

  it('yields the pieces in order and returns the end', async () => {
    await serve(async (run) => {
      await run.started();
      await run.page([1, 2]);
      await run.reply('beat', null);
      await run.page([3], END);
    });
    expect(await drain(run(never))).toEqual({
      pieces: [1, 2, 3],
      end: END,
    });
    expect(cancelled).toEqual([]);
  });

  it('drops a repeated reply, at once, behind later ones or behind the end', async () => {
    await serve(async (run) => {
      await run.started();
      await run.page([1]);
      const { number } = run;
      await run.reply('page', { pieces: [1] }, number - 1);
      await run.page([2, 3]);
      await run.reply('page', { pieces: [1] }, number - 1);
      run.number = number + 1;
      await run.page([4], END);
      await run.reply('page', { pieces: [2] }, number);
    });
    expect(await drain(run(never))).toEqual({ pieces: [1, 2, 3, 4], end: END });
  });

  it('fails when a reply is missing', async () => {
    await serve(async (run) => {
      await run.started();
      run.number += 1;
      await run.page([2], END);
    });
    await expect(drain(run(never))).rejects.toMatchObject({
      code: 'worker_lost',
    });
    await sleep(5);
    expect(cancelled).toMatchObject([{ except: '' }]);
  });

  it('offers the task again when no worker takes it, and drops a late attempt', async () => {
    let late: ScriptedRun | undefined;
    await serve(async (run, offer) => {
      if (offer === 1) {
        late = run;
        return;
      }
      await run.started();
      await late?.started();
      await late?.page([7], END);
      await run.page([2], END);
    });
    expect((await drain(run(never))).pieces).toEqual([2]);
    expect(offered.map(({ headers }) => headers['attempt'])).toEqual(['1', '2']);
    expect(new Set(offered.map(({ key: of }) => of)).size).toBe(2);
    await sleep(5);
    expect(cancelled).toMatchObject([
      { through: '2', except: '2@w-1' },
      { through: '2', except: '2@w-1' },
    ]);
  });

  it('keeps to the worker that started first when one attempt reaches two', async () => {
    await serve(async (run) => {
      const other = new ScriptedRun(bus, seal, run.headers, run.input, 'w-2');
      await run.started();
      await other.started();
      await other.page([8], END);
      await run.page([1], END);
    });
    expect((await drain(run(never))).pieces).toEqual([1]);
    await sleep(5);
    expect(cancelled).toMatchObject([{ except: '1@w-1' }]);
  });

  it('has no worker when none takes the task in time', async () => {
    const startedMs = performance.now();
    await expect(drain(run(never))).rejects.toMatchObject({ code: 'no_worker' });
    const tookMs = performance.now() - startedMs;
    expect(tookMs).toBeGreaterThan(LIMITS.takeMsMax - 5);
    expect(tookMs).toBeLessThan(LIMITS.takeMsMax * 3);
  });

  it('has lost its worker when no more replies come, whatever came before', async () => {
    await serve(async (run) => {
      await run.started();
      await run.page([1]);
    });
    const stream = run(never);
    expect(await stream.next()).toEqual({ done: false, value: 1 });
    await expect(stream.next()).rejects.toMatchObject({ code: 'worker_lost' });
  });

  it('waits as long as the worker sends beats', async () => {
    await serve(async (run) => {
      await run.started();
      for (let beat = 0; beat < 4; beat += 1) {
        await sleep(LIMITS.silenceMsMax / 2);
        await run.reply('beat', null);
      }
      await run.page([1], END);
    });
    expect((await drain(run(never))).pieces).toEqual([1]);
  });

  it.each(['busy', 'expired', 'beads_missing', 'closed'] as const)(
    'tries elsewhere, at once, when a worker is %s',
    async (code) => {
      await serve(async (run, offer) => {
        if (offer === 2) await run.started();
        if (offer < 3) {
          await run.failed(code);
          return;
        }
        await run.started();
        await run.page([1], END);
      });
      expect((await drain(run(never))).pieces).toEqual([1]);
      expect(offered).toHaveLength(3);
    },
  );

  it.each<[string, number, string]>([
    ['busy', 3, 'busy'],
    ['expired', 3, 'no_worker'],
    ['beads_missing', 3, 'beads_missing'],
    ['too_long', 1, 'too_long'],
    ['failed', 1, 'failed'],
    ['crashed', 1, 'crashed'],
  ])('fails as the workers fail: %s', async (sent, offers, code) => {
    await serve(async (run) => {
      await run.started();
      await run.failed(sent);
    });
    await expect(drain(run(never))).rejects.toMatchObject({ code });
    expect(offered).toHaveLength(offers);
  });

  it('never tries elsewhere once a page has come', async () => {
    await serve(async (run) => {
      await run.started();
      await run.page([1]);
      await run.failed('closed');
    });
    const stream = run(never);
    await stream.next();
    await expect(stream.next()).rejects.toMatchObject({ code: 'closed' });
    expect(offered).toHaveLength(1);
  });

  it('returns null when the caller leaves, and cancels the runs', async () => {
    await serve(async (run) => {
      await run.started();
      await run.page([1, 2, 3]);
    });
    const caller = new AbortController();
    const stream = run(caller.signal);
    await stream.next();
    await stream.next();
    caller.abort();
    expect(await stream.next()).toEqual({ done: true, value: null });
    await sleep(5);
    expect(cancelled).toMatchObject([{ except: '' }]);
  });

  it('lets go of a caller who leaves while nothing comes', async () => {
    await serve((run) => run.started());
    const caller = new AbortController();
    const result = drain(run(caller.signal));
    await sleep(20);
    caller.abort();
    expect(await result).toEqual({ pieces: [], end: null });
  });

  it('cannot read a worker that has another master key', async () => {
    await serve(async (run) => {
      const other = new TaskSeal(randomBytes(32));
      const foreign = new ScriptedRun(bus, other, run.headers, run.input);
      await foreign.started();
      await foreign.failed('unreadable');
    });
    await expect(drain(run(never))).rejects.toMatchObject({
      code: 'unreadable',
    });
  });

  it('opens no reply in the place of another', async () => {
    let sealed: unknown;
    await bus.consume({
      topic: 'quipu.replies.gateway-1',
      group: 'observer',
      handle: ({ data }) => Promise.resolve(void (sealed = data ?? sealed)),
    });
    await serve(async (run) => {
      await run.started();
      await run.page([1]);
      while (sealed === undefined) await sleep(1);
      const { task, attempt, 'reply-topic': topic } = run.headers;
      const headers = { kind: 'page', task, attempt: String(attempt), worker: 'w-1', number: '2' };
      await bus.publish(topic, [{ key: task, id: randomUUID(), headers, data: sealed }]);
    });
    const stream = run(never);
    await stream.next();
    await expect(stream.next()).rejects.toMatchObject({ code: 'unreadable' });
  });

  it.each([
    [new BusError('message-too-large', 'no'), 'task_too_large'],
    [new BusError('topic-full', 'no'), 'busy'],
    [new BusError('bus-unavailable', 'no'), 'no_worker'],
  ])('fails as the bus rejects: %s', async (error, code) => {
    await tasks.close();
    bus.publish = () => Promise.reject(error);
    tasks = open();
    await expect(drain(run(never))).rejects.toMatchObject({ code });
  });

  it('has no worker while replies cannot be received, and receives them later', async () => {
    await tasks.close();
    const listen = bus.listen.bind(bus);
    bus.listen = () => Promise.reject(new BusError('bus-unavailable', 'no'));
    tasks = open();
    await expect(drain(run(never))).rejects.toMatchObject({ code: 'no_worker' });
    bus.listen = listen;
    await serve(async (run) => {
      await run.started();
      await run.page([1], END);
    });
    expect((await drain(run(never))).pieces).toEqual([1]);
  });

  it('reads the reply topic from the first task or a request on, and not before', async () => {
    await tasks.close();
    let listeners = 0;
    const listen = bus.listen.bind(bus);
    bus.listen = (options) => {
      listeners += 1;
      return listen(options);
    };
    tasks = open();
    expect(listeners).toBe(0);
    await tasks.listen();
    await tasks.listen();
    expect(listeners).toBe(1);
  });

  it('fails what is open when it closes', async () => {
    await serve((run) => run.started());
    const result = drain(run(never));
    const failed = expect(result).rejects.toMatchObject({ code: 'closed' });
    await sleep(20);
    await tasks.close();
    await failed;
    await expect(drain(run(never))).rejects.toMatchObject({ code: 'closed' });
  });

  it('offers the task with the time by which it must be taken', async () => {
    await serve(async (run) => {
      await run.started();
      await run.page([], END);
    });
    const beforeMs = Date.now();
    await drain(run(never));
    const takeBy = Number(offered[0]?.headers['take-by']);
    expect(takeBy).toBeGreaterThanOrEqual(beforeMs + LIMITS.takeMsMax);
    expect(takeBy).toBeLessThan(beforeMs + LIMITS.takeMsMax + 6_000);
  });
});
