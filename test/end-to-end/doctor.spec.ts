import { rename } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runCommand } from './command-line.fixture.js';
import { answering, startWorld, type World } from './quipu.harness.js';

interface Finding {
  readonly part: string;
  readonly state: string;
  readonly detail: string;
  readonly remedy: string | null;
}

let world: World;

beforeAll(async () => {
  world = await startWorld([answering('Knots', '.')]);
});

afterAll(() => world.close());

const examine = async (change: NodeJS.ProcessEnv = {}) => {
  const environment = { ...world.environment, ...change };
  const { exitCode, stdout } = await runCommand(environment, ['doctor', '--json']);
  const { healthy, findings } = JSON.parse(stdout) as {
    readonly healthy: boolean;
    readonly findings: readonly Finding[];
  };
  return { exitCode, healthy, findings };
};

/** While a file of the home is at another place. */
const without = async (name: string, work: () => Promise<void>): Promise<void> => {
  const file = path.join(world.home, name);
  await rename(file, `${file}.away`);
  await work().finally(() => rename(`${file}.away`, file));
};

describe('quipu doctor', () => {
  it('finds nothing wrong with a running installation', async () => {
    const { exitCode, healthy, findings } = await examine();
    expect({ exitCode, healthy }).toEqual({ exitCode: 0, healthy: true });
    expect(findings.map(({ part, state }) => [part, state])).toEqual([
      ...['settings', 'home', 'log', 'secrets', 'read models'].map((part) => [part, 'ok']),
      ...['standing', 'clock', 'streams', 'bus', 'catalog'].map((part) => [part, 'ok']),
      ...findings.filter(({ part }) => part.startsWith('rig ')).map(({ part }) => [part, 'ok']),
    ]);
    expect(findings.some(({ part }) => part.startsWith('rig '))).toBe(true);
  });

  it('prints a line for each part, and the remedies, for people', async () => {
    await without('master.key', async () => {
      const { exitCode, stdout } = await runCommand(world.environment, ['doctor']);
      expect(exitCode).toBe(1);
      expect(stdout).toMatch(/^ok +settings +each is valid$/m);
      expect(stdout).toMatch(/^failed +secrets +there is no .*master\.key/m);
      expect(stdout).toMatch(/^ {2}secrets: put the master key [0-9a-f]{16} there$/m);
    });
  });

  it('finds subject keys that the log was not written with', async () => {
    await without('subject-keys.db', async () => {
      const { healthy, findings } = await examine();
      expect(healthy).toBe(false);
      expect(findings.find(({ part }) => part === 'secrets')).toMatchObject({
        state: 'failed',
        detail: expect.stringMatching(/the subject keys [0-9a-f]{16}, and here is none$/),
      });
    });
  });

  it('finds a bad setting, a log that is away, and a bad catalog', async () => {
    const [bad] = (await examine({ PORT: 'x' })).findings;
    expect(bad).toMatchObject({ part: 'settings', state: 'failed' });
    const away = await examine({ QUIPU_EVENT_STORE: 'kurrentdb://127.0.0.1:1?tls=false' });
    expect(away.exitCode).toBe(1);
    const log = away.findings.find(({ part }) => part === 'log');
    expect(log?.state).toBe('failed');
    expect(log?.remedy).toContain('start its server');
    const { findings } = await examine({ QUIPU_CATALOG: path.join(world.home, 'none.yaml') });
    expect(findings.at(-1)).toMatchObject({ part: 'catalog', state: 'failed' });
  });
});
