import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { textEngine } from '#areas/inference/text/text.engine.js';
import { type Delivery } from '#platform/bus/bus.port.js';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import {
  type CountingDefinition,
  countingEngine,
  type CountingInput,
  CountingLog,
} from '#platform/tasks/counting.engine.fake.js';
import { drain } from '#platform/tasks/drain.fixture.js';
import { TASK_LIMITS } from '#platform/tasks/open-task.js';
import {
  cancellationsTopicOf,
  ReplyHeaders,
  replyPlace,
  runId,
  TaskHeaders,
  taskPlace,
  tasksTopicOf,
  workersGroupOf,
} from '#platform/tasks/task.protocol.js';
import { TaskSeal } from '#platform/tasks/task.seal.js';
import { tasksContract } from '#platform/tasks/tasks.contract.js';
import { HEARTBEATS_TOPIC, WorkerHeartbeat } from '#platform/tasks/worker-heartbeat.js';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { Fleet, NANO } from './worker.fixture.js';
import { type WorkerReport } from './worker.operations.js';
import { asOperator } from '../operations/operations.fixture.js';

const TASKS_TOPIC = tasksTopicOf('counting');
const never = new AbortController().signal;

const counting = (text: string, more: Partial<CountingInput> = {}): CountingInput => ({
  text,
  pauseMs: 0,
  failsWith: '',
  ...more,
});

/** Runs until it is stopped. */
const LONG = counting('word '.repeat(10_000).trim(), { pauseMs: 5 });

const HELLO = {
  modelFile: NANO,
  messages: [{ role: 'user', content: 'Who are you?' }],
  maxTokens: 8,
  temperature: 0,
} as const;

tasksContract('with workers', async (engine) => {
  const fleet = new Fleet(createInProcessBus());
  await fleet.worker('worker-1', { engines: [engine] });
  const { tasks } = fleet.gateway('gateway-1', { hedgeMs: 60_000 });
  return { tasks, close: () => fleet.close() };
});

describe('a second engine beside text', () => {
  let fleet: Fleet;
  let log: CountingLog;
  let engine: CountingDefinition;

  beforeEach(() => {
    fleet = new Fleet(createInProcessBus());
    log = new CountingLog();
    engine = countingEngine(log);
  });

  afterEach(() => fleet.close());

  /** Offers a task once, unless a worker rejects it. */
  const gateway = () => fleet.gateway('gateway-1', { hedgeMs: 60_000 });

  /** Records the messages of a topic from now on. */
  const watch = async (topic: string): Promise<Delivery[]> => {
    const seen: Delivery[] = [];
    await fleet.bus.consume({
      topic,
      group: 'observer',
      handle: (delivery) => Promise.resolve(void seen.push(delivery)),
    });
    return seen;
  };

  const reportOf = async (url: string): Promise<WorkerReport> =>
    (await (await fetch(`${url}/health/ready`, asOperator)).json()) as WorkerReport;

  const counted = async (url: string, metric: string): Promise<number> => {
    const text = await (await fetch(`${url}/metrics`, asOperator)).text();
    const line = text.split('\n').find((one) => one.startsWith(`${metric} `));
    return Number(line?.slice(metric.length) ?? 0);
  };

  it('runs in the same worker, and both report by name', async () => {
    const { url } = await fleet.worker('worker-1', { engines: [textEngine, engine] });
    const asking = gateway();
    const [numbers, text] = await Promise.all([
      drain(asking.tasks.run(engine, counting('a bb'), never)),
      drain(asking.stream(HELLO, never)),
    ]);
    expect(numbers).toEqual({ pieces: [1, 2], end: { words: 2 } });
    expect(text).toEqual(await drain(fleet.local.stream(HELLO, never)));
    await eventually(async () => (await reportOf(url)).running_tasks === 0);
    const idle = { status: 'ready', reasons: [], running_tasks: 0 };
    expect((await reportOf(url)).engines).toEqual([
      { ...idle, name: 'text', facts: { models: expect.any(Number) } },
      { ...idle, name: 'counting', facts: { beads: 10, wood: 'oak' } },
    ]);
    const done = (name: string) => `quipu_worker_tasks_total{engine="${name}",outcome="done"}`;
    expect(await counted(url, done('counting'))).toBe(1);
    expect(await counted(url, done('text'))).toBe(1);
    expect(await counted(url, 'quipu_worker_words_total{engine="counting"}')).toBe(2);
    const tokens = 'quipu_worker_completion_tokens_total{engine="text"}';
    expect(await counted(url, tokens)).toBe(text.end.completionTokens);
    expect(await counted(url, tokens)).toBe(text.end.completionTokens);
  });

  it('reports itself on the bus from its start to its end', async () => {
    const beats = await watch(HEARTBEATS_TOPIC);
    const worker = await fleet.worker('worker-1', { engines: [engine], heartbeatMs: 20 });
    const stream = gateway().tasks.run(engine, LONG, never);
    await stream.next();
    const read = () => beats.map(({ data }) => WorkerHeartbeat.parse(data));
    const isRunning = ({ engines }: WorkerHeartbeat) => engines[0]?.runningTasks === 1;
    await eventually(() => read().some(isRunning));
    await stream.return(null);
    await eventually(() => log.running === 0);
    await worker.stop();
    const [first, ...later] = read();
    expect(first).toMatchObject({ worker: 'worker-1', status: 'starting' });
    expect(later.find(isRunning)).toMatchObject({
      status: 'ready',
      startedAt: first?.startedAt,
      engines: [{ name: 'counting', ready: true, reasons: [], facts: { beads: 10, wood: 'oak' } }],
    });
    expect(later.at(-1)).toMatchObject({ status: 'stopping', engines: [{ runningTasks: 0 }] });
    expect(new Set(beats.map(({ key }) => key))).toEqual(new Set(['worker-1']));
  });

  it('encrypts tasks and answers on the bus', async () => {
    const offered = await watch(TASKS_TOPIC);
    const replied = await watch('quipu.replies.gateway-1');
    await fleet.worker('worker-1', { engines: [engine] });
    const secret = counting('confidential');
    const { tasks } = gateway();
    await drain(tasks.run(engine, secret, never));
    await eventually(() => replied.length >= 2);
    const onTheBus = JSON.stringify([offered, replied]);
    expect(onTheBus).not.toContain('confidential');
    expect(onTheBus).not.toContain('pieces');
    // The message contains it, encrypted with the key of the fleet.
    const seal = new TaskSeal(fleet.key);
    const [task] = offered;
    const { task: id, attempt } = TaskHeaders.parse(task?.headers);
    expect(seal.open(taskPlace('counting', id, attempt), task?.data, engine.input)).toEqual(secret);
    expect(() => seal.open(taskPlace('text', id, attempt), task?.data, engine.input)).toThrow();
    const foreign = new TaskSeal(randomBytes(32));
    expect(() =>
      foreign.open(taskPlace('counting', id, attempt), task?.data, engine.input),
    ).toThrow();
  });

  it('numbers the replies of a run from 0 without a gap', async () => {
    const replied = await watch('quipu.replies.gateway-1');
    await fleet.worker('worker-1', { engines: [engine] });
    const text = Array.from({ length: 30 }, (_, n) => 'x'.repeat(n + 1)).join(' ');
    const asked = counting(text, { pauseMs: 2 });
    const { pieces } = await drain(gateway().tasks.run(engine, asked, never));
    expect(pieces).toEqual(Array.from({ length: 30 }, (_, n) => n + 1));
    const numbers = replied.map(({ headers }) => ReplyHeaders.parse(headers).number);
    expect(numbers).toEqual(numbers.map((_, n) => n));
    // Pieces share pages, so there are fewer pages than pieces.
    expect(numbers.length).toBeLessThan(25);
  });

  it('is fenced by attempt: only the first run counts, and the other stops', async () => {
    const { url } = await fleet.worker('worker-1', { engines: [engine] });
    const cancelled = await watch(cancellationsTopicOf('counting'));
    const offered = await watch(TASKS_TOPIC);
    const stream = gateway().tasks.run(engine, LONG, never);
    await stream.next();
    const [offer] = offered;
    const { task } = TaskHeaders.parse(offer?.headers);
    const seal = new TaskSeal(fleet.key);
    // A second attempt, as a delayed broker delivers it. No gateway offered it.
    const data = seal.seal(taskPlace('counting', task, 2), JSON.stringify(counting('late')));
    const headers = { ...offer?.headers, attempt: '2' };
    await fleet.bus.publish(TASKS_TOPIC, [{ key: task, id: randomUUID(), headers, data }]);
    await eventually(() => log.texts.includes('late'));
    // And a reply of the second attempt, with a number that the gateway expects next.
    const forged = { kind: 'page', task, attempt: 2, worker: 'worker-1', number: 1 } as const;
    await fleet.bus.publish('quipu.replies.gateway-1', [
      {
        key: task,
        id: randomUUID(),
        headers: { ...forged, attempt: '2', number: '1' },
        data: seal.seal(replyPlace('counting', forged), '{"pieces":[99]}'),
      },
    ]);
    for (let n = 0; n < 5; n += 1) expect((await stream.next()).value).toBe(4);
    await eventually(() => cancelled.length > 0);
    expect(cancelled[0]?.headers).toMatchObject({ task, except: runId(1, 'worker-1') });
    await stream.return(null);
    await eventually(async () => (await reportOf(url)).running_tasks === 0);
  });

  it('stops its run when the caller leaves, and counts it as cancelled', async () => {
    const { url } = await fleet.worker('worker-1', { engines: [engine] });
    const caller = new AbortController();
    const stream = gateway().tasks.run(engine, LONG, caller.signal);
    await stream.next();
    expect((await reportOf(url)).running_tasks).toBe(1);
    caller.abort();
    await drain(stream);
    await eventually(async () => (await reportOf(url)).running_tasks === 0);
    expect(log.running).toBe(0);
    const cancelled = 'quipu_worker_tasks_total{engine="counting",outcome="cancelled"}';
    expect(await counted(url, cancelled)).toBe(1);
  });

  it('makes a malformed task a dead letter with its reason, and continues', async () => {
    await fleet.worker('worker-1', { engines: [engine] });
    const odd = { key: 'odd', id: randomUUID(), headers: { task: 'odd' }, data: null };
    await fleet.bus.publish(TASKS_TOPIC, [odd]);
    const letters = () => fleet.bus.deadLetters(TASKS_TOPIC, workersGroupOf('counting'));
    await eventually(async () => (await letters()).length === 1);
    expect(await letters()).toMatchObject([{ id: odd.id, reason: expect.stringMatching(/UUID/) }]);
    const { pieces } = await drain(gateway().tasks.run(engine, counting('a'), never));
    expect(pieces).toEqual([1]);
  });

  it('is rejected above the limit of its engine, whatever other engines run', async () => {
    const full = countingEngine(log, { tasksMax: { worker: 1, inProcess: 1 } });
    const other = countingEngine(log, { name: 'counting-2' });
    const { url } = await fleet.worker('worker-1', { engines: [full, other] });
    const { tasks } = gateway();
    const stream = tasks.run(full, LONG, never);
    await stream.next();
    await expect(drain(tasks.run(full, counting('a'), never))).rejects.toMatchObject({
      code: 'busy',
      message: 'this worker has 1 tasks of counting',
    });
    const refused = 'quipu_worker_tasks_total{engine="counting",outcome="busy"}';
    expect(await counted(url, refused)).toBe(TASK_LIMITS.attemptsMax);
    expect((await drain(tasks.run(other, counting('a'), never))).pieces).toEqual([1]);
    await stream.return(null);
  });

  it('opens before the first task, and closes with the worker', async () => {
    const worker = await fleet.worker('worker-1', { engines: [engine] });
    expect(log.openings).toBe(1);
    await worker.stop();
    expect(log.closings).toBe(1);
  });

  it('stops the start if it cannot open', async () => {
    const open = () => Promise.reject(new Error('the abacus is stuck'));
    const broken = countingEngine(log, { open });
    const starting = fleet.worker('worker-1', { engines: [engine, broken] });
    await expect(starting).rejects.toThrow('the abacus is stuck');
    expect(log.closings).toBe(1);
  });
});
