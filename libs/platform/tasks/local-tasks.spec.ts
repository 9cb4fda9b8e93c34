import { describe, expect, it } from '@jest/globals';
import { countingEngine, CountingLog, engineHost } from './counting.engine.fake.js';
import { drain } from './drain.fixture.js';
import { createLocalTasks } from './local-tasks.js';
import { tasksContract } from './tasks.contract.js';

tasksContract('in this process', () => {
  const tasks = createLocalTasks(engineHost('in-process', 'gateway-1'));
  return Promise.resolve({ tasks, close: () => tasks.close() });
});

describe('engines in this process', () => {
  const never = new AbortController().signal;
  const asked = { text: 'a', pauseMs: 0, failsWith: '' };

  it('open with their first task and close once', async () => {
    const log = new CountingLog();
    const engine = countingEngine(log);
    const tasks = createLocalTasks(engineHost('in-process', 'gateway-1'));
    await tasks.listen();
    expect(log.openings).toBe(0);
    await Promise.all([1, 2].map(() => drain(tasks.run(engine, asked, never))));
    expect(log.openings).toBe(1);
    await tasks.close();
    expect(log.closings).toBe(1);
  });

  it('have no worker that a task could name', async () => {
    const engine = countingEngine(new CountingLog());
    const tasks = createLocalTasks(engineHost('in-process', 'gateway-1'));
    await expect(
      drain(tasks.run(engine, asked, never, { worker: 'worker-1' })),
    ).rejects.toMatchObject({ code: 'no_worker' });
    await tasks.close();
  });

  it('fail with the reason why they cannot run here, and are tried again', async () => {
    let reason: string | null = 'there is no abacus';
    const canRunHere = () => Promise.resolve(reason);
    const engine = countingEngine(new CountingLog(), { canRunHere });
    const tasks = createLocalTasks(engineHost('in-process', 'gateway-1'));
    await expect(drain(tasks.run(engine, asked, never))).rejects.toMatchObject({
      code: 'failed',
      message: 'engine counting cannot run here: there is no abacus',
    });
    reason = null;
    expect((await drain(tasks.run(engine, asked, never))).pieces).toEqual([1]);
    await tasks.close();
  });
});
