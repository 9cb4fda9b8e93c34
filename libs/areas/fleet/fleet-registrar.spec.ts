import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { type Bus } from '#platform/bus/bus.port.js';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { ProcessFacts } from '#platform/runtime/process/process-facts.js';
import { movableClock, silent } from '#platform/runtime/stock.fixture.js';
import { rigNameOf } from '#platform/tasks/rig-name.js';
import { TaskSeal } from '#platform/tasks/task.seal.js';
import { engineBeatOf, heartbeatOf } from '#platform/tasks/worker-heartbeat.fixture.js';
import { HEARTBEATS_TOPIC, type WorkerHeartbeat } from '#platform/tasks/worker-heartbeat.js';
import { WorkerOrders } from '#platform/tasks/worker-orders.js';
import { NO_TELEMETRY } from '#platform/telemetry/telemetry.js';
import { type WorkerRig } from '#projections/fleet/worker-rigs.projection.js';
import { ChangeRigCommand } from './change-rig.handler.js';
import { FleetRegistrar } from './fleet-registrar.js';
import { type WorkerRigCommand } from './worker-rig.decider.js';
import { DESCRIPTION, PROCESS } from './worker-rig.fixture.js';

const HEARTBEAT_MS = 5;
const SUMMARY_MS = 3_600_000;
/** By the clock of the registrar, which only the spec moves. */
const SILENCE_MS = 15;
const WORKER = 'rack-7.example.org';
const STARTED = '2026-01-01T00:00:00.000Z';

describe('the registrar of a fleet', () => {
  const clock = movableClock();
  const seal = new TaskSeal(randomBytes(32));
  let bus: Bus;
  let registrar: FleetRegistrar;
  let sent: WorkerRigCommand[];
  let known: WorkerRig[];
  let failure: Error | null;

  const start = async (sharesBus = true, heartbeatMs = HEARTBEAT_MS): Promise<void> => {
    const facts = new ProcessFacts({ instance: 'projector', sharesBus, runsReactions: true });
    const projections = {
      list: () =>
        Promise.resolve({
          documents: known.map((rig) => ({ key: rig.rig, document: { rig }, position: 0n })),
          position: 0n,
        }),
    };
    registrar = new FleetRegistrar(
      bus,
      clock,
      silent,
      projections as never,
      { heartbeatMs, summaryMs: SUMMARY_MS },
      seal,
      facts,
    );
    await registrar.start({
      execute: (command) => {
        if (failure) return Promise.reject(failure);
        if (command instanceof ChangeRigCommand) sent.push(command.change);
        return Promise.resolve();
      },
    });
    await eventually(() => registrar.status().phase === 'live');
  };

  const hear = async (more: Partial<WorkerHeartbeat> = {}, worker = WORKER): Promise<void> => {
    const data = heartbeatOf(worker, { rig: { name: 'press', region: 'uk' }, ...more });
    await bus.publish(HEARTBEATS_TOPIC, [{ key: worker, id: randomUUID(), headers: {}, data }]);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const kinds = () => sent.map(({ type }) => type);

  beforeEach(() => {
    clock.nowMs = Date.parse('2026-01-01T00:01:00.000Z');
    bus = createInProcessBus();
    sent = [];
    known = [];
    failure = null;
  });

  afterEach(async () => {
    await registrar.stop();
    await bus.close();
  });

  it('reports a rig once, as its worker describes it, and not its worker by name', async () => {
    await start();
    const engines = [engineBeatOf('text', { tasksMax: 24 })];
    await hear({ status: 'starting' });
    expect(sent).toEqual([]);
    await hear({ engines });
    await hear({ engines, sentAt: '2026-01-01T00:00:05.000Z' });
    expect(sent).toMatchObject([
      {
        type: 'ReportRig',
        data: {
          rig: 'press',
          node: rigNameOf(WORKER),
          startedAt: STARTED,
          isIdle: false,
          reportedAt: '2026-01-01T00:01:00.000Z',
          description: {
            region: 'uk',
            brand: null,
            devices: null,
            engines: [{ name: 'text', tasksMax: 24, models: [] }],
          },
        },
      },
    ]);
    expect(JSON.stringify(sent)).not.toContain('rack-7');
  });

  it('reports what changes: the description, and the end of the last task of a drain', async () => {
    await start();
    const running = [engineBeatOf('text', { runningTasks: 1 })];
    await hear({ engines: running });
    await hear({ engines: running, status: 'draining' });
    await hear({ engines: [engineBeatOf('text')], status: 'draining' });
    await hear({ engines: [], status: 'draining' });
    expect(sent.map(({ data }) => 'isIdle' in data && data.isIdle)).toEqual([false, true, true]);
  });

  it('sums up an hour, with the hottest sensor and the mean power of the machine', async () => {
    // Otherwise an hour between heartbeats is a loss, if the registrar looks within it.
    await start(true, SUMMARY_MS);
    const telemetry = (temperatureC: number, powerW: number | null) => ({
      ...NO_TELEMETRY,
      processors: { temperatureC: 40, powerW: 50, utilisationPct: null },
      devices: [{ temperatureC, powerW, utilisationPct: null, memoryUsedBytes: null }],
    });
    const engines = [
      engineBeatOf('text', { doneTasks: 3 }),
      engineBeatOf('spiking', { doneTasks: 2 }),
    ];
    await hear({ engines, telemetry: telemetry(70, 100) });
    clock.nowMs += SUMMARY_MS - 1;
    await hear({ engines, telemetry: telemetry(65, 200) });
    expect(kinds()).toEqual(['ReportRig']);
    clock.nowMs += 1;
    await hear({ engines, telemetry: NO_TELEMETRY });
    await hear({ engines, telemetry: NO_TELEMETRY });
    expect(sent).toHaveLength(2);
    expect(sent[1]).toMatchObject({
      data: {
        span: { heartbeats: 3, doneTasksTotal: 5, temperatureMaxC: 70, powerMeanW: 200 },
        summaryDueBefore: '2026-01-01T00:01:00.000Z',
      },
    });
  });

  const rigOf = (more: Partial<WorkerRig> = {}): WorkerRig => ({
    ...PROCESS,
    description: DESCRIPTION,
    presence: 'up',
    drain: 'none',
    firstRegisteredAt: PROCESS.startedAt,
    changedAt: PROCESS.startedAt,
    history: [],
    spans: [],
    ...more,
  });

  it('misses a rig after three heartbeats, and reports it again when it is heard', async () => {
    await start();
    await hear();
    clock.nowMs += SILENCE_MS - 1;
    await new Promise((resolve) => setTimeout(resolve, 3 * HEARTBEAT_MS));
    expect(kinds()).toEqual(['ReportRig']);
    clock.nowMs += 1;
    await eventually(() => sent.length === 2);
    expect(sent[1]).toMatchObject({
      type: 'MissRig',
      data: {
        rig: 'press',
        node: rigNameOf(WORKER),
        lastHeardAt: '2026-01-01T00:01:00.000Z',
        isExpected: false,
        span: { heartbeats: 1 },
      },
    });
    await hear();
    expect(kinds()).toEqual(['ReportRig', 'MissRig', 'ReportRig']);
  });

  it('expects the silence of a worker that has said that it stops', async () => {
    await start();
    await hear();
    await hear({ status: 'stopping' });
    clock.nowMs += SILENCE_MS;
    await eventually(() => sent.length === 2);
    expect(sent[1]).toMatchObject({ type: 'MissRig', data: { isExpected: true } });
  });

  it('misses a rig that an earlier leader had registered', async () => {
    known = [rigOf(), rigOf({ rig: 'mill', presence: 'lost' })];
    await start();
    await new Promise((resolve) => setTimeout(resolve, 3 * HEARTBEAT_MS));
    expect(sent).toEqual([]);
    clock.nowMs += SILENCE_MS;
    await eventually(() => sent.length > 0);
    expect(sent[0]).toMatchObject({ type: 'MissRig', data: { ...PROCESS, span: null } });
  });

  it('keeps a rig with the worker that has it, and with the last start of that', async () => {
    await start();
    await hear({ startedAt: '2026-01-01T00:00:30.000Z' });
    await hear({}, 'another');
    await hear({ startedAt: '2026-01-01T00:00:10.000Z' });
    expect(kinds()).toEqual(['ReportRig']);
    clock.nowMs += SILENCE_MS;
    await eventually(() => sent.length === 2);
    await hear({}, 'another');
    expect(sent.at(-1)).toMatchObject({ type: 'ReportRig', data: { node: rigNameOf('another') } });
  });

  it('tries again with the next heartbeat, and reports the failure until then', async () => {
    await start();
    failure = new Error('not now');
    await hear();
    expect(registrar.status().failure).toBe('not now');
    failure = null;
    await hear();
    expect(kinds()).toEqual(['ReportRig']);
    expect(registrar.status().failure).toBeNull();
  });

  it('takes a rejection for no failure of its own, and does not repeat it', async () => {
    await start();
    failure = new DomainError('rig_name_taken', 'taken');
    await hear();
    failure = null;
    await hear();
    expect(sent).toEqual([]);
    expect(registrar.status().failure).toBeNull();
  });

  it('repeats the order to drain until the worker drains', async () => {
    let orders = 0;
    const worker = { worker: WORKER, startedAt: STARTED };
    const restarted = { worker: WORKER, startedAt: '2026-01-01T00:00:30.000Z' };
    const listening = { bus, seal, logger: silent };
    const followed = new WorkerOrders({ ...listening, ...worker, drain: () => (orders += 1) });
    let foreign = 0;
    const other = new WorkerOrders({ ...listening, ...restarted, drain: () => (foreign += 1) });
    await start();
    await hear();
    known = [rigOf({ node: rigNameOf(WORKER), startedAt: STARTED, drain: 'requested' })];
    await eventually(() => orders > 2);
    await hear({ status: 'draining', engines: [engineBeatOf('text', { runningTasks: 1 })] });
    await new Promise((resolve) => setTimeout(resolve, 3 * HEARTBEAT_MS));
    const obeyed = orders;
    await new Promise((resolve) => setTimeout(resolve, 3 * HEARTBEAT_MS));
    expect(orders).toBe(obeyed);
    expect(foreign).toBe(0);
    await Promise.all([followed.stop(), other.stop()]);
  });

  it('listens to nothing without a bus between processes', async () => {
    await start(false);
    await hear();
    expect(sent).toEqual([]);
  });
});
