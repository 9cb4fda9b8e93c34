import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { type CatalogModel } from '#areas/catalog/catalog-entry.js';
import { FleetRegistrar } from '#areas/fleet/fleet-registrar.js';
import { ChangeRigCommand, ChangeRigHandler } from '#areas/fleet/change-rig.handler.js';
import { createRigRouter, type RigRouter } from '#areas/inference/rigs/rig-router.js';
import { never } from '#areas/inference/rigs/upstream.fake.js';
import { CertificationRunner } from '#areas/rigs/certification-runner.js';
import { RoutedRigs } from '#apps/composition/rigs/measured-rigs.binding.js';
import { MeasuredWorkers } from '#apps/composition/rigs/measured-workers.js';
import { PinnedWorkers } from '#apps/composition/inference/pinned-workers.binding.js';
import { sleepAtLeast } from '#apps/composition/inference/rigs.binding.js';
import {
  type WorkerRigEvent,
  workerRigEvents,
  type WorkerRigRegistered,
} from '#events/fleet/worker-rig.events.js';
import { type Bus, type Consumer, type Listener } from '#platform/bus/bus.port.js';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { systemClock } from '#platform/kernel/clock.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { EventCodec } from '#platform/runtime/commands/event-codec.js';
import { FaultyEventStore, MemoryLog } from '#platform/runtime/faulty-stores.fake.js';
import { ProcessFacts } from '#platform/runtime/process/process-facts.js';
import { drain } from '#platform/tasks/drain.fixture.js';
import { rigNameOf } from '#platform/tasks/rig-name.js';
import { TaskSeal } from '#platform/tasks/task.seal.js';
import { WorkerDirectory } from '#platform/tasks/worker-directory.js';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { workerRigs, type WorkerRigDocument } from '#projections/fleet/worker-rigs.projection.js';
import { asking, get, LONG, outcomes, runningTasks } from './worker-requests.fixture.js';
import { Fleet, NANO } from './worker.fixture.js';

/** Three of them are longer than a busy machine keeps a process waiting. */
const HEARTBEAT_MS = 400;
/** A worker beats each second while it runs a task without pieces. */
const LIMITS = { hedgeMs: 100, takeMsMax: 5_000, silenceMsMax: 3_000 };
const logger = pino({ level: 'silent' });
const MODEL = {
  id: 'quipu/nano',
  upstreamId: 'nano',
  kind: 'chat',
  rigs: [],
  contextTokens: 1_024,
  maxOutputTokens: 512,
  file: NANO,
} as unknown as CatalogModel;

/**
 * The bus of a process that can vanish from it: nothing that it sends arrives, and nothing reaches
 * it, without a word, as after SIGKILL.
 */
class KillableBus implements Bus {
  isKilled = false;

  constructor(private readonly bus: Bus) {}

  publish(...message: Parameters<Bus['publish']>): Promise<void> {
    return this.isKilled ? Promise.resolve() : this.bus.publish(...message);
  }

  consume(options: Parameters<Bus['consume']>[0]): Promise<Consumer> {
    const handle: typeof options.handle = (delivery) =>
      this.isKilled ? Promise.resolve() : options.handle(delivery);
    return this.bus.consume({ ...options, handle });
  }

  listen(options: Parameters<Bus['listen']>[0]): Promise<Listener> {
    const handle: typeof options.handle = (message) => {
      if (!this.isKilled) options.handle(message);
    };
    return this.bus.listen({ ...options, handle });
  }

  deadLetters(...query: Parameters<Bus['deadLetters']>) {
    return this.bus.deadLetters(...query);
  }

  retryDeadLetter(...query: Parameters<Bus['retryDeadLetter']>) {
    return this.bus.retryDeadLetter(...query);
  }

  health() {
    return this.bus.health();
  }

  close() {
    return Promise.resolve();
  }
}

describe('the rigs of workers', () => {
  let fleet: Fleet;
  let bus: Bus;
  let store: FaultyEventStore;
  let directory: WorkerDirectory;
  let registrar: FleetRegistrar;
  let router: RigRouter;
  const codec = new EventCodec(workerRigEvents);

  beforeEach(async () => {
    bus = createInProcessBus();
    fleet = new Fleet(bus);
    store = new FaultyEventStore(new MemoryLog());
    const times = { heartbeatMs: HEARTBEAT_MS };
    directory = new WorkerDirectory({ bus, instance: 'gateway-1', logger, ...times });
    directory.start();
    const gateway = fleet.gateway('gateway-1', LIMITS);
    await gateway.listen();
    router = createRigRouter({
      rigs: [],
      pinnedRigs: new PinnedWorkers(directory, gateway.tasks, [MODEL], {
        region: 'uk',
        batchPercent: 75,
      }),
      clock: systemClock,
      sleep: sleepAtLeast,
      random: Math.random,
      attemptsMax: 1,
    });
    registrar = new FleetRegistrar(
      bus,
      systemClock,
      logger,
      { list: () => listed() } as never,
      { ...times, summaryMs: 3_600_000 },
      new TaskSeal(fleet.key),
      new ProcessFacts({ instance: 'projector', sharesBus: true, runsReactions: true }),
    );
    await registrar.start({ execute: (command) => handler().execute(command as never) });
  });

  afterEach(async () => {
    await registrar.stop();
    await directory.stop();
    await router.close();
    await fleet.close();
  });

  const handler = () => new ChangeRigHandler(store, codec);
  const recorded = async (rig: string): Promise<readonly WorkerRigEvent[]> => {
    const events: WorkerRigEvent[] = [];
    for await (const page of store.read(`fleet-${rig}`)) {
      events.push(...page.map((event) => codec.revive(event) as WorkerRigEvent));
    }
    return events;
  };
  const kinds = async (rig: string) => (await recorded(rig)).map(({ type }) => type);
  const documentOf = async (rig: string): Promise<WorkerRigDocument> =>
    (await recorded(rig)).reduce<WorkerRigDocument>(
      (document, event) => workerRigs.project(event, document, rig) ?? document,
      workerRigs.initial(rig),
    );
  const listed = async () => ({
    documents: await Promise.all(
      ['press', 'mill', rigNameOf('worker-1')].map(async (rig) => ({
        key: rig,
        document: await documentOf(rig),
      })),
    ),
    position: 0n,
  });
  const requestDrain = (rig: string) => {
    const change = { type: 'DrainRig', data: { rig, requestedAt: at() } } as const;
    return handler().execute(new ChangeRigCommand(change, contextOf(id(), 'cli')));
  };
  const at = () => new Date().toISOString();
  const id = () => crypto.randomUUID();

  const worker = async (instance: string, rig: string, killable?: KillableBus) => {
    const started = await fleet.worker(instance, {
      heartbeatMs: HEARTBEAT_MS,
      rig: { name: rig, region: 'uk' },
      ...(killable && { bus: killable }),
    });
    await eventually(() => directory.rig(rig)?.heartbeat.status === 'ready');
    return started;
  };

  const chat = (pin: string, maxTokens = 8, signal = never) => {
    const { messages, temperature, seed } = maxTokens > 8 ? LONG : asking('Hi');
    const body = { model: 'nano', messages, temperature, seed, max_tokens: maxTokens };
    const order = {
      model: 'quipu/nano',
      pin,
      needs: [],
      request: () => ({ body, promptTokensMax: 99 }),
    };
    return router.complete(order, signal);
  };

  it('register themselves, and answer what is pinned to them and nothing else', async () => {
    await worker('one', 'press');
    const second = await worker('two', 'mill');
    for (const rig of ['press', 'mill', 'press']) {
      expect(await chat(rig)).toMatchObject({ rig, attempts: [{ rig, outcome: 'answered' }] });
    }
    expect(await chat('mill')).toMatchObject({ rig: 'mill' });
    expect(await outcomes(second.url, 'done')).toBe(2);
    const shippedModels = expect.arrayContaining([expect.objectContaining({ name: 'nano' })]);
    expect((await recorded('press'))[0]).toMatchObject({
      type: 'WorkerRigRegistered',
      data: {
        rig: 'press',
        node: rigNameOf('one'),
        reason: 'new',
        description: { region: 'uk', engines: [{ name: 'text', models: shippedModels }] },
      },
    });
    await expect(chat('none')).rejects.toMatchObject({ kind: 'rig-unknown' });
  });

  it('are certified by the measurements that rigs of the catalog have', async () => {
    await worker('one', 'press');
    const models = () => [MODEL];
    const workers = new MeasuredWorkers(directory, models, 75);
    const catalog = { rigs: () => [], models, model: () => MODEL };
    const rigs = new RoutedRigs(catalog, router, 75, workers);
    const stopwatch = { now: () => performance.now() };
    const submittedAt = new Date().toISOString();
    const job = { jobId: id(), accountId: 'operator', submittedAt };
    const attempt = { ...job, attempt: 1, checkpoint: null, usage: [] };
    const certify = async (rig: string) => {
      const runner = new CertificationRunner(rigs, stopwatch, systemClock);
      const steps = runner.run({ ...attempt, input: { rig } }, never);
      let step = await steps.next();
      while (!step.done) step = await steps.next();
      return step.value.result;
    };
    const [registered] = await recorded('press');
    expect(await certify('press')).toEqual({
      rig: 'press',
      kind: 'worker',
      description: (registered as WorkerRigRegistered).data.description,
      models: [{ id: 'quipu/nano', isListed: true }],
      measuredModel: 'quipu/nano',
      measurements: {
        firstTokenMs: expect.any(Number),
        firstTokenSamples: 5,
        tokensPerSecond: expect.any(Number),
        concurrentStreams: 8,
        tokensPerSecondConcurrent: expect.any(Number),
        isAnswerConsistent: true,
      },
      problems: [],
      measuredAt: expect.any(String),
    });
    await expect(certify('none')).rejects.toMatchObject({ code: 'rig_unknown' });
    await requestDrain('press');
    await eventually(() => directory.rig('press')?.heartbeat.status === 'draining');
    await expect(certify('press')).rejects.toMatchObject({ code: 'rig_unknown' });
  });

  it('are drained: what runs ends, nothing more is taken, and then they are idle', async () => {
    const { url } = await worker('one', 'press');
    const running = chat('press', 400);
    await eventually(async () => (await runningTasks(url)) === 1);
    await requestDrain('press');
    await eventually(() => directory.rig('press')?.heartbeat.status === 'draining');
    await expect(chat('press')).rejects.toMatchObject({ kind: 'rig-drained' });
    // Nor does it take a task that is for any worker.
    const shared = drain(
      fleet.gateway('gateway-2', { ...LIMITS, takeMsMax: 500 }).stream(asking('Hi'), never),
    );
    await expect(shared).rejects.toMatchObject({ code: 'no_worker' });
    expect((await running).answer.usage.completionTokens).toBeGreaterThan(0);
    await eventually(async () => (await kinds('press')).at(-1) === 'WorkerRigDrained');
    const { status, text } = await get(`${url}/health/ready`);
    expect(status).toBe(503);
    expect(JSON.parse(text)).toMatchObject({ status: 'not_ready', reasons: ['draining'] });
  });

  it('take tasks again when their worker was started again, as the same rig', async () => {
    const first = await worker('one', 'press');
    await requestDrain('press');
    await eventually(async () => (await kinds('press')).at(-1) === 'WorkerRigDrained');
    await first.stop();
    await worker('one', 'press');
    expect(await chat('press')).toMatchObject({ rig: 'press' });
    await eventually(async () => (await kinds('press')).at(-1) === 'WorkerRigRegistered');
    expect((await documentOf('press')).rig).toMatchObject({ presence: 'up', drain: 'none' });
  });

  it('are lost when they are killed: a pinned request fails clearly, running or new', async () => {
    const killable = new KillableBus(bus);
    const { url } = await worker('one', 'press', killable);
    const running = chat('press', 400);
    await eventually(async () => (await runningTasks(url)) === 1);
    killable.isKilled = true;
    await expect(running).rejects.toMatchObject({ details: { rigError: { kind: 'unreachable' } } });
    await eventually(async () => (await kinds('press')).at(-1) === 'WorkerRigLost');
    await expect(chat('press')).rejects.toMatchObject({
      kind: 'rig-lost',
      message: 'rig press is lost: it sends no heartbeats',
    });
    expect((await kinds('press')).slice(-2)).toEqual(['WorkerRigSummarised', 'WorkerRigLost']);
    killable.isKilled = false;
    await eventually(async () => (await kinds('press')).at(-1) === 'WorkerRigReturned');
    expect((await documentOf('press')).rig).toMatchObject({
      presence: 'up',
      history: expect.arrayContaining([expect.objectContaining({ event: 'returned' })]),
    });
    expect(await chat('press')).toMatchObject({ rig: 'press' });
  });

  it('are named by a hash where their operator gives them no name', async () => {
    await fleet.worker('worker-1', { heartbeatMs: HEARTBEAT_MS });
    await eventually(() => directory.rig(rigNameOf('worker-1'))?.heartbeat.status === 'ready');
    expect(await chat(rigNameOf('worker-1'))).toMatchObject({ rig: rigNameOf('worker-1') });
  });
});
