import { describe, expect, it } from '@jest/globals';
import { type Bus, type BusHealth } from '#platform/bus/bus.port.js';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { WorkerHealth } from './worker-health.js';

const healthOn = (health: () => Promise<BusHealth>, models = 1): WorkerHealth => {
  const bus: Bus = Object.assign(createInProcessBus(), { health });
  return new WorkerHealth(bus, { models: () => models, running: () => 2 });
};

const well = (): Promise<BusHealth> => Promise.resolve({ reachable: true, reason: null });

describe('the health of a worker', () => {
  it('is good while it has a model and hears the bus', async () => {
    expect(await healthOn(well).report()).toEqual({
      status: 'ready',
      reasons: [],
      bus: { reachable: true, reason: null },
      models: 1,
      running_tasks: 2,
    });
  });

  it.each<[string, () => Promise<BusHealth>]>([
    ['says no', () => Promise.resolve({ reachable: false, reason: 'no member' })],
    ['fails', () => Promise.reject(new Error('no member'))],
  ])('is bad while the bus %s', async (_, health) => {
    expect(await healthOn(health).report()).toMatchObject({
      status: 'not_ready',
      reasons: ['the bus cannot be reached: no member'],
    });
  });

  it('is bad without a model, and while it is held back', async () => {
    const health = healthOn(well, 0);
    const go = health.holdBack('starting');
    expect((await health.report()).reasons).toEqual(['starting', 'there is no model file']);
    go();
    expect((await health.report()).reasons).toEqual(['there is no model file']);
  });
});
