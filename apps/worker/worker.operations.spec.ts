import { describe, expect, it } from '@jest/globals';
import { type BusHealth } from '#platform/bus/bus.port.js';
import { Readiness } from '../operations/readiness.js';
import { WorkerMetrics } from './worker.metrics.js';
import { WorkerOperations } from './worker.operations.js';

const WORK = { tasksMax: 4, doneTasks: 0, busyMs: 0, models: [] };

const healthOn = (health: () => Promise<BusHealth>, models = 1): Readiness => {
  const reasons = models === 0 ? ['there is no model file'] : [];
  const facts = { models };
  const text = { name: 'text', ready: models > 0, reasons, facts, runningTasks: 2, ...WORK };
  const counting = {
    ...text,
    name: 'counting',
    ready: true,
    reasons: [],
    facts: {},
    runningTasks: 1,
  };
  const runners = { all: [], reports: () => [text, counting], running: 3 };
  return new Readiness([
    new WorkerOperations({ health }, runners, new WorkerMetrics(), { running: 1 }),
  ]);
};

const well = (): Promise<BusHealth> => Promise.resolve({ reachable: true, reason: null });

describe('the health of a worker', () => {
  it('is ready while its engines are and the bus is reachable', async () => {
    expect(await healthOn(well).report()).toEqual({
      status: 'ready',
      reasons: [],
      details: [],
      bus: { reachable: true, reason: null },
      engines: [
        { name: 'text', status: 'ready', reasons: [], running_tasks: 2, facts: { models: 1 } },
        { name: 'counting', status: 'ready', reasons: [], running_tasks: 1, facts: {} },
      ],
      running_tasks: 3,
      running_jobs: 1,
    });
  });

  it.each<[string, () => Promise<BusHealth>]>([
    ['is not reachable', () => Promise.resolve({ reachable: false, reason: 'no member' })],
    ['fails', () => Promise.reject(new Error('no member'))],
  ])('is not ready while the bus %s', async (_, health) => {
    expect(await healthOn(health).report()).toMatchObject({
      status: 'not_ready',
      reasons: ['bus_unavailable'],
      details: ['the bus cannot be reached: no member'],
    });
  });

  it('is not ready without a model, and while readiness is withheld', async () => {
    const health = healthOn(well, 0);
    const go = health.holdBack('starting');
    expect((await health.report()).reasons).toEqual(['starting', 'engine_not_ready']);
    go();
    const report = await health.report();
    expect(report.details).toEqual(['text: there is no model file']);
    expect(report['engines']).toMatchObject([
      { name: 'text', status: 'not_ready', reasons: ['there is no model file'] },
      { name: 'counting', status: 'ready', reasons: [] },
    ]);
  });

  it('names an engine that is not ready and gives no reason', async () => {
    const silent = { name: 'text', ready: false, reasons: [], facts: {}, runningTasks: 0, ...WORK };
    const runners = { all: [], reports: () => [silent], running: 0 };
    const operations = new WorkerOperations({ health: well }, runners, new WorkerMetrics(), {
      running: 0,
    });
    expect((await operations.readiness()).reasons).toEqual([
      { code: 'engine_not_ready', detail: 'text: the engine is not ready' },
    ]);
  });
});
