import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AUTHORITY, CERTIFICATE, KEY } from '#platform/event-store/grpc/certificate.fixture.js';
import {
  openServedTestLog,
  type ServedTestLog,
} from '#platform/event-store/grpc/served-log.fixture.js';
import { ServerUsers } from '#platform/event-store/grpc/users.fixture.js';
import { runCommand } from './command-line.fixture.js';
import { loadQuipu } from './loaded-quipu.js';
import { answering, chatRequest, startWorld } from './quipu.harness.js';

const ADMIN_PASSWORD = 'changeit';

describe('quipu log user', () => {
  let folder: string;
  let served: ServedTestLog;
  const users = new ServerUsers(() => served.faulty, ADMIN_PASSWORD);

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-log-user-'));
    await writeFile(path.join(folder, 'authority.pem'), AUTHORITY);
    const tls = {
      kind: 'tls',
      certificate: Buffer.from(CERTIFICATE),
      key: Buffer.from(KEY),
      authenticate: users.authenticate,
    } as const;
    served = await openServedTestLog(tls, false, [users.interceptor]);
  });

  afterAll(async () => {
    await served.dispose();
    await rm(folder, { recursive: true });
  });

  const serverAs = (user: string, password: string): string => {
    const authority = path.join(folder, 'authority.pem');
    const host = `localhost:${served.port}`;
    return `kurrentdb://${user}:${password}@${host}?tls=true&tlsCAFile=${authority}`;
  };

  const environmentOf = (user: string, password: string, admin = ADMIN_PASSWORD) => ({
    QUIPU_HOME: folder,
    QUIPU_LOG_LEVEL: 'silent',
    QUIPU_EVENT_STORE: serverAs(user, password),
    QUIPU_EVENT_STORE_ADMIN: serverAs('admin', admin),
  });

  const run = async (environment: NodeJS.ProcessEnv, ...words: readonly string[]) => {
    const { exitCode, stdout, stderr } = await runCommand(environment, [...words, '--json']);
    return { exitCode, stdout, stderr, result: JSON.parse(stdout || stderr) as object };
  };

  const stateOfLog = async (environment: NodeJS.ProcessEnv) => {
    const { result } = await run(environment, 'doctor');
    const { findings } = result as { readonly findings: readonly { readonly part: string }[] };
    return findings.filter(({ part }) => part.startsWith('log'));
  };

  it('creates the user, lets it read the whole log, and may be repeated', async () => {
    const plain = environmentOf('quipu', 'first');
    expect(await run(plain, 'log', 'user')).toMatchObject({
      exitCode: 0,
      result: { user: 'quipu', created: true, granted: true },
    });
    expect(served.faulty.settings.get('$$$all')?.data).toEqual({
      $acl: { $r: ['$admins', 'quipu'] },
    });
    expect(await stateOfLog(plain)).toMatchObject([
      { part: 'log', state: 'ok' },
      { part: 'log user', state: 'ok', detail: 'quipu' },
    ]);
    const changed = environmentOf('quipu', 'second');
    expect(await run(changed, 'log', 'user')).toMatchObject({
      exitCode: 0,
      result: { created: false, granted: false },
    });
    expect(users.passwords.get('quipu')).toBe('second');
  });

  it('keeps other settings and readers of the log', async () => {
    const known = served.faulty.settings.get('$$$all');
    if (!known) throw new Error('the log has no metadata');
    const data = { $acl: { $r: ['$admins', 'auditor'], $mr: '$ops' }, custom: 1 };
    served.faulty.settings.set('$$$all', { ...known, data });
    expect((await run(environmentOf('quipu', 'second'), 'log', 'user')).exitCode).toBe(0);
    expect(served.faulty.settings.get('$$$all')?.data).toEqual({
      $acl: { $r: ['$admins', 'auditor', 'quipu'], $mr: '$ops' },
      custom: 1,
    });
  });

  it('gives all that an installation needs', async () => {
    const environment = environmentOf('quipu', 'second');
    const { QUIPU_HOME: _, ...settings } = environment;
    const world = await startWorld([answering('Knots', '.')], { environment: settings });
    await world.openai.chat.completions.create(chatRequest());
    expect((await world.events()).map(({ type }) => type)).toContain('HoldCaptured');
    await world.close();
  });

  it('says in a line that a right or a password is missing', async () => {
    users.passwords.set('reader', 'secret');
    for (const [user, password] of [
      ['reader', 'secret'],
      ['quipu', 'wrong'],
    ] as const) {
      const environment = environmentOf(user, password);
      expect(await stateOfLog(environment)).toMatchObject([
        {
          part: 'log',
          state: 'failed',
          detail: expect.stringContaining('access is denied'),
          remedy: expect.stringContaining('quipu log user'),
        },
      ]);
      const { startStandalone } = await loadQuipu();
      const failure = await startStandalone(environment).catch(
        (error: unknown) => (error as Error).message,
      );
      expect(failure).toMatch(
        /^bad settings\n {2}QUIPU_EVENT_STORE: kurrentdb:\/\/\*\*\*@.*: access is denied: .*$/,
      );
      expect(failure).not.toContain(password);
    }
  });

  it('says in a line that it has no administrator, or not the right one', async () => {
    const wrong = await run(environmentOf('quipu', 'second', 'wrong'), 'log', 'user');
    expect(wrong).toMatchObject({ exitCode: 1, result: { code: 'log_denied' } });
    const { QUIPU_EVENT_STORE_ADMIN: _, ...none } = environmentOf('quipu', 'second');
    expect(await run(none, 'log', 'user')).toMatchObject({
      exitCode: 2,
      result: { code: 'bad_settings' },
    });
    const file = await run({ QUIPU_HOME: folder }, 'log', 'user');
    expect(file).toMatchObject({ exitCode: 2, result: { code: 'bad_settings' } });
  });
});
