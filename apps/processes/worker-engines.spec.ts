import { describe, expect, it } from '@jest/globals';
import { countingEngine, CountingLog, engineHost } from '#platform/tasks/counting.engine.fake.js';
import { SettingsError } from '#platform/runtime/areas/settings.js';
import { workerEngines } from './worker-engines.js';

const engine = (name: string, obstacle: string | null = null) =>
  countingEngine(new CountingLog(), { name, canRunHere: () => Promise.resolve(obstacle) });

const DECLARED = [engine('one'), engine('two', 'there is no GPU'), engine('three')];

describe('the engines of a worker', () => {
  const host = engineHost('worker', 'worker-1');

  const chosen = async (named?: readonly string[], declared = DECLARED) =>
    (await workerEngines(declared, named, host)).map(({ name }) => name);

  it('are all that can run here by default, and the log explains the others', async () => {
    const lines: string[] = [];
    const logger = { ...host.logger, info: (line: string) => lines.push(line) };
    const engines = await workerEngines(DECLARED, undefined, { ...host, logger });
    expect(engines.map(({ name }) => name)).toEqual(['one', 'three']);
    expect(lines).toEqual(['engine two cannot run here: there is no GPU']);
  });

  it('are the named ones', async () => {
    expect(await chosen(['three'])).toEqual(['three']);
    expect(await chosen(['three', 'one'])).toEqual(['one', 'three']);
  });

  it.each([
    [['one', 'four'], DECLARED, /no engine four; the engines are one, two, three/],
    [['one', 'two'], DECLARED, /: two cannot run here: there is no GPU/],
    [undefined, [engine('two', 'there is no GPU')], /: two cannot run here: there is no GPU/],
    [undefined, [], /no area declares an engine/],
  ])('stop the start: %p', async (named, declared, reason) => {
    const choosing = chosen(named, declared);
    await expect(choosing).rejects.toThrow(SettingsError);
    await expect(choosing).rejects.toThrow(/^bad settings\n {2}QUIPU_WORKER_ENGINES: /);
    await expect(choosing).rejects.toThrow(reason);
  });
});
