import { type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createEmbeddedRig } from '#areas/inference/rigs/embedded-rig.js';
import { createRigRouter } from '#areas/inference/rigs/rig-router.js';
import { adapterFile, seededAdapter } from '#engines/language-model/adapter-file.fixture.js';
import { createLanguageModelEngine } from '#engines/language-model/language-model.engine.js';
import { startModelChild } from '#engines/language-model/model-process.js';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { drain } from '#platform/tasks/drain.fixture.js';
import { tasksTopicOf, workersGroupOf } from '#platform/tasks/task.protocol.js';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { Fleet, NANO } from './worker.fixture.js';
import {
  answer,
  asking,
  get,
  LONG,
  never,
  outcomes,
  runningTasks,
} from './worker-requests.fixture.js';

const TASKS_TOPIC = tasksTopicOf('text');
const GROUP = workersGroupOf('text');

/** For all tests: its process starts once. */
const local = createLanguageModelEngine();
let fleet: Fleet;

beforeEach(() => {
  fleet = new Fleet(createInProcessBus(), local);
});

afterEach(() => fleet.close());

afterAll(() => local.close());

describe('a model that workers serve', () => {
  it('answers the same, piece for piece, and uses the same as in this process', async () => {
    await fleet.worker();
    const gateway = fleet.gateway();
    for (const request of [
      asking('What is a hold?'),
      asking('Who are you?', { temperature: 0 }),
      asking('What is an event?', { maxTokens: 3 }),
      asking('Hello!', { temperature: 1.5, seed: 9, stop: ['a'] }),
    ]) {
      expect(await answer(gateway, request)).toEqual(await answer(local, request));
    }
  });

  it('keeps concurrent streams separate and in order', async () => {
    await fleet.worker('worker-1');
    await fleet.worker('worker-2');
    const gateways = [fleet.gateway('gateway-1'), fleet.gateway('gateway-2')];
    const requests = Array.from({ length: 12 }, (_, seed) => asking('Hello!', { seed }));
    const answers = await Promise.all(
      requests.map((request, n) => answer(gateways[n % 2] ?? local, request)),
    );
    for (const [n, request] of requests.entries()) {
      expect(answers[n]).toEqual(await answer(local, request));
    }
  });

  it('answers with an adapter that only the process that asks has', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'quipu-adapter-'));
    try {
      const file = path.join(folder, 'seeded.gguf');
      await writeFile(file, adapterFile(seededAdapter(7)));
      const homes = [path.join(folder, 'one'), path.join(folder, 'two')];
      for (const [n, home] of homes.entries()) await fleet.worker(`worker-${n}`, { home });
      const gateway = fleet.gateway();
      const request = asking('What is a hold?', { maxTokens: 16, adapter: { file, scale: 1 } });
      const plain = await answer(local, asking('What is a hold?', { maxTokens: 16 }));
      const { pieces } = await answer(local, request);
      expect(pieces).not.toEqual(plain.pieces);
      const answers = await Promise.all(Array.from({ length: 4 }, () => answer(gateway, request)));
      for (const one of answers) expect(one.pieces).toEqual(pieces);
      const { sha256 } = await local.describeAdapter(file);
      const kept = await Promise.all(
        homes.map((home) => readdir(path.join(home, 'borrowed')).catch(() => [])),
      );
      expect(new Set(kept.flat())).toEqual(new Set([sha256]));
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('makes the same chat completion', async () => {
    await fleet.worker();
    const clock = { now: () => 1_700_000_000_000 };
    const body = { model: 'quipu/nano', max_tokens: 40, seed: 3, temperature: 0.9 };
    const request = {
      body: { ...body, messages: [{ role: 'user', content: 'What is Quipu?' }] },
      promptTokensMax: 100,
    };
    const [here, there] = await Promise.all(
      [local, fleet.gateway()].map((engine) =>
        createEmbeddedRig({ name: 'built-in', engine, modelFile: NANO, clock }).complete(
          request,
          never,
        ),
      ),
    );
    const id: unknown = expect.stringMatching(/^chatcmpl-/);
    expect(there).toEqual({ ...here, completion: { ...here?.completion, id } });
  });

  it('returns the usage of the delivered pieces when the caller leaves', async () => {
    await fleet.worker();
    const gateway = fleet.gateway();
    const caller = new AbortController();
    const stream = gateway.stream(LONG, caller.signal);
    for (let piece = 0; piece < 3; piece += 1) await stream.next();
    caller.abort();
    const { value } = await stream.next();
    const whole = local.stream(LONG, never, (now) => used.push(now));
    const used: object[] = [];
    for (let piece = 0; piece < 3; piece += 1) await whole.next();
    await whole.return({ promptTokens: 0, completionTokens: 0, finishReason: 'stop' });
    expect(value).toEqual(used.at(-1));
  });

  it('stops within 100 ms of its caller leaving', async () => {
    const { url } = await fleet.worker();
    const gateway = fleet.gateway();
    const caller = new AbortController();
    const stream = gateway.stream(LONG, caller.signal);
    await stream.next();
    expect(await runningTasks(url)).toBe(1);
    const leftMs = performance.now();
    caller.abort();
    await stream.next();
    await eventually(async () => (await runningTasks(url)) === 0);
    expect(performance.now() - leftMs).toBeLessThan(100);
    expect(await outcomes(url, 'cancelled')).toBe(1);
  });

  it('fails with the reason', async () => {
    await fleet.worker();
    const long = asking('hold '.repeat(2_000));
    await expect(answer(fleet.gateway(), long)).rejects.toMatchObject({
      code: 'prompt_too_long',
      message: expect.stringMatching(/1024/),
    });
  });
});

describe('the model files of a worker', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-models-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  it('are found by content under any name, and when they appear later', async () => {
    const { url } = await fleet.worker('worker-1', { home: folder, shippedModels: folder });
    const gateway = fleet.gateway();
    expect(await get(`${url}/health/ready`)).toMatchObject({ status: 503 });
    await expect(answer(gateway, asking('Hello!'))).rejects.toMatchObject({
      code: 'model_file_missing',
    });
    await mkdir(path.join(folder, 'models'));
    await writeFile(path.join(folder, 'models', 'broken.gguf'), 'no model');
    await copyFile(NANO, path.join(folder, 'models', 'other-name.gguf'));
    expect(await answer(gateway, asking('Hello!'))).toEqual(await answer(local, asking('Hello!')));
    expect(await get(`${url}/health/ready`)).toMatchObject({ status: 200 });
  });
});

describe('a worker that is lost', () => {
  const LIMITS = { hedgeMs: 50, takeMsMax: 400, silenceMsMax: 400 };

  /** A fleet whose first worker sends nothing after `kill`. */
  const fragile = async () => {
    const children: ChildProcess[] = [];
    await fleet.worker('worker-1', {
      models: {
        startChild: (settings) => {
          const child = startModelChild(settings);
          children.push(child);
          return child;
        },
      },
    });
    return { kill: () => children[0]?.kill('SIGKILL') };
  };

  it('breaks the stream off when its model process is killed', async () => {
    const { kill } = await fragile();
    const rig = createEmbeddedRig({ name: 'r', engine: fleet.gateway(), modelFile: NANO });
    const { messages, seed, temperature } = LONG;
    const body = { model: 'm', messages, seed, temperature, max_tokens: 900 };
    const pages = rig.stream({ body, promptTokensMax: 50 }, never);
    await pages.next();
    kill();
    const rest = (async () => {
      for (let next = await pages.next(); !next.done; next = await pages.next());
    })();
    await expect(rest).rejects.toMatchObject({ kind: 'broken-off' });
  });

  it('is detected by its silence, and the router retries before the first byte', async () => {
    const bus = fleet.bus;
    let dead = 0;
    // Takes the first task, replies that it has started, and sends nothing more.
    const zombie = await bus.consume({
      topic: TASKS_TOPIC,
      group: GROUP,
      handle: async ({ headers }) => {
        dead += 1;
        const { task = '', attempt = '', 'reply-topic': topic = '' } = headers;
        const reply = { kind: 'started', task, attempt, worker: 'zombie', number: '0' };
        await bus.publish(topic, [{ key: task, id: randomUUID(), headers: reply, data: null }]);
      },
    });
    const gateway = fleet.gateway('gateway-1', { takeMsMax: 5_000, silenceMsMax: 1_500 });
    const replaced = Promise.withResolvers<undefined>();
    const router = createRigRouter({
      rigs: [
        {
          name: 'built-in',
          maxConcurrency: 4,
          models: new Set(['quipu/nano']),
          backend: createEmbeddedRig({ name: 'built-in', engine: gateway, modelFile: NANO }),
        },
      ],
      clock: { now: () => performance.now() },
      // The next attempt waits for the other worker.
      sleep: () => replaced.promise,
      random: Math.random,
    });
    const body = { model: 'm', messages: asking('Hello!').messages, max_tokens: 8 };
    const order = {
      model: 'quipu/nano',
      needs: [],
      request: () => ({ body, promptTokensMax: 50 }),
    };
    const answered = router.complete(order, never);
    await eventually(() => dead > 0);
    await zombie.close();
    await fleet.worker('worker-2');
    replaced.resolve(undefined);
    const { attempts } = await answered;
    // A slow machine may also be too late for the second attempt.
    expect(attempts[0]?.outcome).toBe('unreachable');
    expect(attempts.at(-1)?.outcome).toBe('answered');
  });

  it('fails soon when there is no worker', async () => {
    const rig = createEmbeddedRig({
      name: 'r',
      engine: fleet.gateway('gateway-1', LIMITS),
      modelFile: NANO,
    });
    const body = { model: 'm', messages: LONG.messages, max_tokens: 8 };
    const startedMs = performance.now();
    await expect(rig.complete({ body, promptTokensMax: 50 }, never)).rejects.toMatchObject({
      kind: 'unreachable',
    });
    expect(performance.now() - startedMs).toBeLessThan(LIMITS.takeMsMax * 2);
  });
});

describe('a worker that stops', () => {
  it('takes no new task, finishes the running ones, and reports the drain', async () => {
    const worker = await fleet.worker('worker-1', { drainSeconds: 60 });
    const gateway = fleet.gateway('gateway-1', { hedgeMs: 50, takeMsMax: 300 });
    const stream = gateway.stream(LONG, never);
    await stream.next();
    const stopping = worker.stop();
    expect(await get(`${worker.url}/health/ready`)).toMatchObject({
      status: 503,
      text: expect.stringMatching(/draining/),
    });
    expect(await get(`${worker.url}/health/live`)).toMatchObject({ status: 200 });
    const { end } = await drain(stream);
    expect(end).toEqual((await answer(local, LONG)).end);
    await stopping;
    await worker.stop();
    await expect(get(worker.url)).rejects.toThrow();
    await expect(answer(gateway, LONG)).rejects.toMatchObject({ code: 'no_worker' });
  });

  it('fails the remaining tasks when the drain time ends', async () => {
    const worker = await fleet.worker('worker-1', {
      drainSeconds: 0.05,
      models: { runningMax: 1, waitingMax: 64 },
    });
    const gateway = fleet.gateway();
    const results = Promise.allSettled(
      Array.from({ length: 10 }, (_, seed) => answer(gateway, { ...LONG, seed })),
    );
    await eventually(async () => (await runningTasks(worker.url)) === 10);
    await fleet.worker('worker-2');
    await worker.stop();
    const statuses = (await results).map(({ status }) => status);
    // Answers that had begun fail; the other worker takes the waiting tasks.
    expect(statuses.filter((status) => status === 'rejected').length).toBeLessThanOrEqual(2);
    expect(statuses.filter((status) => status === 'fulfilled').length).toBeGreaterThanOrEqual(8);
  });
});
