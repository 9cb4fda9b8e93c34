import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BusError } from '#platform/bus/bus.errors.js';
import { type Bus, type Delivery } from '#platform/bus/bus.port.js';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { type TextRequest } from '../embedded-request.js';
import { type TextEnd } from '../embedded-rig.js';
import { type BusTextEngine, createBusTextEngine } from './bus-text-engine.js';
import { TaskSeal } from './task.seal.js';
import { drain } from './text-stream.specification.js';
import {
  CANCELLATIONS_TOPIC,
  type ReplyKind,
  replyPlace,
  type TaskFailureCode,
  TaskHeaders,
  taskPlace,
  TASKS_TOPIC,
  TextTask,
} from './worker.protocol.js';

const SHA256 = 'ab'.repeat(32);
const LIMITS = { attemptsMax: 3, hedgeMs: 40, takeMsMax: 200, silenceMsMax: 200 };
const REQUEST: TextRequest = {
  modelFile: '/models/nano.gguf',
  messages: [{ role: 'user', content: 'Who are you?' }],
  maxTokens: 8,
  temperature: 0.5,
  seed: 7,
};

const never = new AbortController().signal;

/** A worker that says what a test tells it to, under any number. */
class ScriptedRun {
  number = 0;

  constructor(
    private readonly bus: Bus,
    private readonly seal: TaskSeal,
    readonly headers: TaskHeaders,
    readonly task: TextTask,
    private readonly worker = 'w-1',
  ) {}

  started(): Promise<void> {
    return this.say('started', null);
  }

  page(texts: readonly string[], end: Omit<TextEnd, 'promptTokens'> | null = null): Promise<void> {
    const pieces = texts.map((text, n) => [text, this.number * 10 + n]);
    return this.say('page', { pieces, promptTokens: 5, end });
  }

  failed(code: TaskFailureCode): Promise<void> {
    return this.say('failed', { code, message: `it is ${code}` });
  }

  async say(kind: ReplyKind, body: object | null, number = this.number): Promise<void> {
    const { task, attempt, 'reply-topic': topic } = this.headers;
    this.number = number + 1;
    const { worker } = this;
    const place = replyPlace({ kind, task, attempt, worker, number });
    const headers = { kind, task, attempt: String(attempt), worker, number: String(number) };
    const data = body && this.seal.seal(place, body);
    await this.bus.publish(topic, [{ key: task, id: randomUUID(), headers, data }]);
  }
}

describe('a text engine whose work is done by workers', () => {
  let bus: Bus;
  let engine: BusTextEngine;
  let offered: Delivery[];
  let cancelled: Delivery['headers'][];
  const key = randomBytes(32);
  const seal = new TaskSeal(key);
  const END = { completionTokens: 4, finishReason: 'stop' } as const;

  const open = (limits: Partial<typeof LIMITS> = {}) =>
    createBusTextEngine({
      bus,
      instance: 'gateway-1',
      key,
      sha256Of: () => Promise.resolve(SHA256),
      logger: { warn: () => undefined, error: () => undefined },
      limits: { ...LIMITS, ...limits },
    });

  beforeEach(async () => {
    bus = createInProcessBus();
    offered = [];
    cancelled = [];
    await bus.consume({
      topic: CANCELLATIONS_TOPIC,
      group: 'watcher',
      handle: ({ headers }) => Promise.resolve(void cancelled.push(headers)),
    });
    engine = open();
  });

  afterEach(async () => {
    await engine.close();
    await bus.close();
  });

  /** Has a worker take every task, and the test say what it does with the n-th. */
  const serve = (script: (run: ScriptedRun, offer: number) => Promise<void>, worker?: string) =>
    bus.consume({
      topic: TASKS_TOPIC,
      group: 'workers',
      handle: async (delivery) => {
        offered.push(delivery);
        const headers = TaskHeaders.parse(delivery.headers);
        const place = taskPlace(headers.task, headers.attempt);
        const task = seal.open(place, delivery.data, TextTask);
        await script(new ScriptedRun(bus, seal, headers, task, worker), offered.length);
      },
    });

  it('asks for the model by its contents and says nothing of the prompt in the open', async () => {
    let asked: TextTask | undefined;
    await serve(async (run) => {
      asked = run.task;
      await run.started();
      await run.page([], END);
    });
    await drain(engine.stream(REQUEST, never));
    const { modelFile, ...rest } = REQUEST;
    expect(asked).toEqual({ ...rest, modelSha256: SHA256 });
    expect(JSON.stringify(offered)).not.toContain('Who are you');
    expect(JSON.stringify(offered)).not.toContain(modelFile);
  });

  it('hands the pieces out in order and returns what was used', async () => {
    await serve(async (run) => {
      await run.started();
      await run.page(['I', ' am']);
      await run.say('beat', null);
      await run.page([' Quipu'], END);
    });
    expect(await drain(engine.stream(REQUEST, never))).toEqual({
      pieces: ['I', ' am', ' Quipu'],
      end: { promptTokens: 5, ...END },
    });
    expect(cancelled).toEqual([]);
  });

  it('drops a repeated reply', async () => {
    await serve(async (run) => {
      await run.started();
      await run.page(['a']);
      const { number } = run;
      await run.say('page', { pieces: [['a', 1]], promptTokens: 5, end: null }, number - 1);
      await run.page(['b'], END);
    });
    expect((await drain(engine.stream(REQUEST, never))).pieces).toEqual(['a', 'b']);
  });

  it('fails when a reply is missing', async () => {
    await serve(async (run) => {
      await run.started();
      run.number += 1;
      await run.page(['b'], END);
    });
    await expect(drain(engine.stream(REQUEST, never))).rejects.toMatchObject({
      code: 'worker_lost',
    });
    await sleep(5);
    expect(cancelled).toMatchObject([{ except: '' }]);
  });

  it('offers the task again when nobody takes it, and drops the attempt that comes late', async () => {
    let late: ScriptedRun | undefined;
    await serve(async (run, offer) => {
      if (offer === 1) {
        late = run;
        return;
      }
      await run.started();
      await late?.started();
      await late?.page(['late'], END);
      await run.page(['second'], END);
    });
    expect((await drain(engine.stream(REQUEST, never))).pieces).toEqual(['second']);
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
      const other = new ScriptedRun(bus, seal, run.headers, run.task, 'w-2');
      await run.started();
      await other.started();
      await other.page(['other'], END);
      await run.page(['first'], END);
    });
    expect((await drain(engine.stream(REQUEST, never))).pieces).toEqual(['first']);
    await sleep(5);
    expect(cancelled).toMatchObject([{ except: '1@w-1' }]);
  });

  it('has no worker when none takes the task in time', async () => {
    const startedMs = performance.now();
    await expect(drain(engine.stream(REQUEST, never))).rejects.toMatchObject({ code: 'no_worker' });
    const tookMs = performance.now() - startedMs;
    expect(tookMs).toBeGreaterThan(LIMITS.takeMsMax - 5);
    expect(tookMs).toBeLessThan(LIMITS.takeMsMax * 3);
  });

  it('has lost its worker when it falls silent, whatever came before', async () => {
    await serve(async (run) => {
      await run.started();
      await run.page(['a']);
    });
    const stream = engine.stream(REQUEST, never);
    expect(await stream.next()).toEqual({ done: false, value: 'a' });
    await expect(stream.next()).rejects.toMatchObject({ code: 'worker_lost' });
  });

  it('waits as long as the worker beats', async () => {
    await serve(async (run) => {
      await run.started();
      for (let beat = 0; beat < 4; beat += 1) {
        await sleep(LIMITS.silenceMsMax / 2);
        await run.say('beat', null);
      }
      await run.page(['a'], END);
    });
    expect((await drain(engine.stream(REQUEST, never))).pieces).toEqual(['a']);
  });

  it.each(['busy', 'expired', 'model_file_missing', 'closed'] as const)(
    'tries elsewhere, at once, when a worker is %s',
    async (code) => {
      await serve(async (run, offer) => {
        if (offer === 2) await run.started();
        if (offer < 3) {
          await run.failed(code);
          return;
        }
        await run.started();
        await run.page(['a'], END);
      });
      expect((await drain(engine.stream(REQUEST, never))).pieces).toEqual(['a']);
      expect(offered).toHaveLength(3);
    },
  );

  it.each<[TaskFailureCode, number, string]>([
    ['busy', 3, 'busy'],
    ['expired', 3, 'no_worker'],
    ['model_file_missing', 3, 'model_file_missing'],
    ['prompt_too_long', 1, 'prompt_too_long'],
    ['model_failed', 1, 'model_failed'],
    ['crashed', 1, 'crashed'],
  ])('says what the workers say: %s', async (told, offers, code) => {
    await serve(async (run) => {
      await run.started();
      await run.failed(told);
    });
    await expect(drain(engine.stream(REQUEST, never))).rejects.toMatchObject({ code });
    expect(offered).toHaveLength(offers);
  });

  it('never tries elsewhere once something was said', async () => {
    await serve(async (run) => {
      await run.started();
      await run.page(['a']);
      await run.failed('closed');
    });
    const stream = engine.stream(REQUEST, never);
    await stream.next();
    await expect(stream.next()).rejects.toMatchObject({ code: 'closed' });
    expect(offered).toHaveLength(1);
  });

  it('returns what was handed out when the caller leaves, and tells the workers', async () => {
    await serve(async (run) => {
      await run.started();
      await run.page(['a', 'b', 'c']);
    });
    const caller = new AbortController();
    const stream = engine.stream(REQUEST, caller.signal);
    await stream.next();
    await stream.next();
    caller.abort();
    expect(await stream.next()).toEqual({
      done: true,
      value: { promptTokens: 5, completionTokens: 11, finishReason: 'stop' },
    });
    await sleep(5);
    expect(cancelled).toMatchObject([{ except: '' }]);
  });

  it('lets go of a caller who leaves while nothing comes', async () => {
    await serve((run) => run.started());
    const caller = new AbortController();
    const result = drain(engine.stream(REQUEST, caller.signal));
    await sleep(20);
    caller.abort();
    expect(await result).toMatchObject({ pieces: [], end: { completionTokens: 0 } });
  });

  it('cannot read a worker that has another master key', async () => {
    await serve(async (run) => {
      const other = new TaskSeal(randomBytes(32));
      const stranger = new ScriptedRun(bus, other, run.headers, run.task);
      await stranger.started();
      await stranger.failed('unreadable');
    });
    await expect(drain(engine.stream(REQUEST, never))).rejects.toMatchObject({
      code: 'unreadable',
    });
  });

  it('opens no reply in the place of another', async () => {
    let sealed: unknown;
    await bus.consume({
      topic: 'quipu.replies.gateway-1',
      group: 'thief',
      handle: ({ data }) => Promise.resolve(void (sealed = data ?? sealed)),
    });
    await serve(async (run) => {
      await run.started();
      await run.page(['a']);
      while (sealed === undefined) await sleep(1);
      const { task, attempt, 'reply-topic': topic } = run.headers;
      const headers = { kind: 'page', task, attempt: String(attempt), worker: 'w-1', number: '2' };
      await bus.publish(topic, [{ key: task, id: randomUUID(), headers, data: sealed }]);
    });
    const stream = engine.stream(REQUEST, never);
    await stream.next();
    await expect(stream.next()).rejects.toMatchObject({ code: 'unreadable' });
  });

  it.each([
    [new BusError('message-too-large', 'no'), 'prompt_too_long'],
    [new BusError('topic-full', 'no'), 'busy'],
    [new BusError('bus-unavailable', 'no'), 'no_worker'],
  ])('says what the bus says: %s', async (refusal, code) => {
    await engine.close();
    bus.publish = () => Promise.reject(refusal);
    engine = open();
    await expect(drain(engine.stream(REQUEST, never))).rejects.toMatchObject({ code });
  });

  it('has no worker while replies cannot be heard, and hears them later', async () => {
    await engine.close();
    const consume = bus.consume.bind(bus);
    bus.consume = () => Promise.reject(new BusError('bus-unavailable', 'no'));
    engine = open();
    await expect(drain(engine.stream(REQUEST, never))).rejects.toMatchObject({ code: 'no_worker' });
    bus.consume = consume;
    await serve(async (run) => {
      await run.started();
      await run.page(['a'], END);
    });
    expect((await drain(engine.stream(REQUEST, never))).pieces).toEqual(['a']);
  });

  it('hears nothing before it must, and from then on when it is told to', async () => {
    await engine.close();
    let consumers = 0;
    const consume = bus.consume.bind(bus);
    bus.consume = (options) => {
      consumers += 1;
      return consume(options);
    };
    engine = open();
    expect(consumers).toBe(0);
    await engine.listen();
    await engine.listen();
    expect(consumers).toBe(1);
  });

  it('fails what is open when it closes', async () => {
    await serve((run) => run.started());
    const result = drain(engine.stream(REQUEST, never));
    const failed = expect(result).rejects.toMatchObject({ code: 'closed' });
    await sleep(20);
    await engine.close();
    await failed;
    await expect(drain(engine.stream(REQUEST, never))).rejects.toMatchObject({ code: 'closed' });
  });

  it('offers the task with the time by which it must be taken', async () => {
    await serve(async (run) => {
      await run.started();
      await run.page([], END);
    });
    const beforeMs = Date.now();
    await drain(engine.stream(REQUEST, never));
    const takeBy = Number(offered[0]?.headers['take-by']);
    expect(takeBy).toBeGreaterThanOrEqual(beforeMs + LIMITS.takeMsMax);
    expect(takeBy).toBeLessThan(beforeMs + LIMITS.takeMsMax + 6_000);
  });
});
