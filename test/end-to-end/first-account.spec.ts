import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { access, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Gateway } from '#apps/processes/gateway.process.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { loadQuipu } from './loaded-quipu.js';

const CATALOG = path.resolve(import.meta.dirname, '../../catalog.yaml');

describe('the first account', () => {
  let folder: string;
  const running: Gateway[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-first-account-'));
  });

  afterEach(async () => {
    await Promise.all(running.splice(0).map((gateway) => gateway.stop()));
    await rm(folder, { recursive: true });
  });

  const homeOf = (name: string): string => path.join(folder, name);

  /** A gateway with its own home, beside others on the same stores. */
  const start = async (name: string): Promise<Gateway> => {
    const { startGateway } = await loadQuipu();
    await shareSubjectKeys(name);
    const environment = {
      QUIPU_HOME: homeOf(name),
      QUIPU_EVENT_STORE: `sqlite:${path.join(folder, 'events.db')}`,
      QUIPU_READ_STORE: `sqlite:${path.join(folder, 'views.db')}`,
      QUIPU_CATALOG: CATALOG,
      QUIPU_MASTER_KEY_FILE: path.join(folder, 'master.key'),
      QUIPU_LOG_LEVEL: 'silent',
    };
    const gateway = await startGateway(environment, { subscriptions: 'here' });
    running.push(gateway);
    return gateway;
  };

  /** The processes of one installation have one set of subject keys. */
  const shareSubjectKeys = async (name: string): Promise<void> => {
    await mkdir(homeOf(name), { recursive: true });
    const shared = path.join(folder, 'subject-keys.db');
    await symlink(shared, path.join(homeOf(name), 'subject-keys.db')).catch(() => undefined);
  };

  const registrations = async (): Promise<number> => {
    const eventStore = await openSqliteEventStore({ file: path.join(folder, 'events.db') });
    const events = (await Array.fromAsync(eventStore.readAll())).flat();
    await eventStore.close();
    return events.filter(({ type }) => type === 'UserRegistered').length;
  };

  const leaveBehind = async (name: string, pid: number, host = hostname(), agoMs = 0) => {
    const pending = { requestId: randomUUID(), password: 'left-behind', host, pid };
    await mkdir(homeOf(name), { recursive: true });
    await writeFile(
      path.join(homeOf(name), 'bootstrap.pending'),
      JSON.stringify({ ...pending, beganAtMs: Date.now() - agoMs }),
    );
  };

  it('is created by one of several concurrent gateways with their own homes', async () => {
    const gateways = await Promise.all(['one', 'two', 'three'].map(start));
    const reported = gateways.filter(({ bootstrap }) => bootstrap !== undefined);
    expect(reported).toHaveLength(1);
    expect(await registrations()).toBe(1);
    const key = reported[0]?.bootstrap?.api_key ?? '';
    for (const { url } of gateways) {
      const headers = { authorization: `Bearer ${key}` };
      expect((await fetch(`${url}/api/v1/billing/overview.php`, { headers })).status).toBe(200);
    }
    for (const name of ['one', 'two', 'three']) {
      expect(await readdir(homeOf(name))).not.toContain('bootstrap.pending');
    }
  });

  it('is completed by the next start after a killed one', async () => {
    const dead = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
    await once(dead, 'exit');
    await leaveBehind('one', dead.pid ?? 0);
    expect((await start('one')).bootstrap?.password).toBe('left-behind');
  });

  it('is left to the running first start', async () => {
    await leaveBehind('one', process.ppid);
    expect((await start('one')).bootstrap).toBeUndefined();
    expect(await registrations()).toBe(0);
  });

  it.each([
    ['left to another machine on the same folder', 0, undefined],
    ['carried on where that was long ago', 120_000, 'left-behind'],
  ])('is %s', async (_, agoMs, password) => {
    await leaveBehind('one', 1, 'elsewhere.example', agoMs);
    expect((await start('one')).bootstrap?.password).toBe(password);
  });

  it('is not created again by a start that lost the race', async () => {
    expect((await start('one')).bootstrap).toBeDefined();
    await leaveBehind('two', 1, 'elsewhere.example', 120_000);
    expect((await start('two')).bootstrap).toBeUndefined();
    expect(await registrations()).toBe(1);
    await expect(access(path.join(homeOf('two'), 'bootstrap.pending'))).rejects.toThrow('ENOENT');
  });
});
