import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Ended, runCommand } from './command-line.fixture.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const CLI = path.join(ROOT, 'bundle/apps/cli/main.js');
const SERVER = path.join(ROOT, 'bundle/apps/processes/standalone.main.js');

let home: string;
const running = new Set<ChildProcess>();

const start = (file: string, words: readonly string[]): ChildProcess => {
  const { QUIPU_LOG_LEVEL: _, ...inherited } = process.env;
  const env = { ...inherited, QUIPU_HOME: home, PORT: '0' };
  const child = spawn(process.execPath, [file, ...words], { env, stdio: 'pipe' });
  running.add(child);
  child.once('close', () => running.delete(child));
  return child;
};

const textOf = async (stream: NodeJS.ReadableStream | null): Promise<string> => {
  let text = '';
  for await (const chunk of stream ?? []) text += String(chunk);
  return text;
};

const quipu = (...words: string[]): Promise<Ended> => runCommand({ QUIPU_HOME: home }, words);

const spawned = async (...words: string[]): Promise<Ended> => {
  const child = start(CLI, words);
  child.stdin?.end();
  const closed = once(child, 'close');
  const [stdout, stderr] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  await closed;
  return { exitCode: child.exitCode, stdout, stderr };
};

/** The result of a command that must succeed without output on standard error. */
const result = async (...words: string[]): Promise<Record<string, unknown>> => {
  const { exitCode, stdout, stderr } = await quipu(...words, '--json');
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const parsed = JSON.parse(stdout) as Record<string, unknown>;
  expect(parsed).toMatchObject({ success: true });
  return parsed;
};

const statesOf = (projections: unknown): Set<string> =>
  new Set((projections as { readonly state: string }[]).map(({ state }) => state));

const failure = async (...words: string[]) => {
  const { exitCode, stdout, stderr } = await quipu(...words, '--json');
  expect(stdout).toBe('');
  const error = JSON.parse(stderr) as { readonly code: string; readonly message: string };
  expect(error).toMatchObject({ success: false });
  return { exitCode, ...error };
};

const lines = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const newHome = async (): Promise<void> => {
  home = await mkdtemp(path.join(os.tmpdir(), 'quipu-cli-'));
};

const endHome = async (): Promise<void> => {
  for (const child of running) {
    child.kill('SIGKILL');
    await once(child, 'close');
  }
  await rm(home, { recursive: true });
};

const CREATE_ADA = ['user', 'create', '--username', 'ada', '--email', 'ada@example.org'];
const RENTER = ['--role', 'renter'];

describe('the command line without a server', () => {
  beforeAll(async () => {
    await newHome();
  });

  afterAll(endHome);

  it('rejects a missing installation, and creates none', async () => {
    const words = ['ledger', 'check'];
    expect(await failure(...words)).toMatchObject({ exitCode: 2, code: 'no_installation' });
    expect(await readdir(home)).toEqual([]);
  });

  it('creates a user and shows the secrets', async () => {
    expect(await result(...CREATE_ADA, ...RENTER)).toEqual({
      success: true,
      user_id: 1,
      account_id: '1',
      username: 'ada',
      role: 'renter',
      api_key: expect.stringMatching(/^sk-svc-/),
      renter_key: expect.stringMatching(/^svc_api_/),
      password: expect.stringMatching(/^.{8,}$/),
    });
  });

  it('does not print a given password', async () => {
    const named = ['user', 'create', '--username', 'grace', '--email', 'grace@example.org'];
    const words = [...named, '--role', 'Admin', '--password', 'hopper-1906'];
    const { stdout, exitCode } = await spawned(...words);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('User grace (Admin) was created.');
    expect(stdout).not.toContain('hopper-1906');
  });

  it('rejects a second user of the same name', async () => {
    const words = [...CREATE_ADA, ...RENTER];
    expect(await failure(...words)).toMatchObject({ exitCode: 1, code: 'username_taken' });
  });

  it.each([
    ['--role', [...CREATE_ADA, '--role', 'king']],
    ['--email', ['user', 'create', '--username', 'bob', '--email', 'nowhere', ...RENTER]],
    ['--username', ['user', 'create', '--username', 'x y', '--email', 'b@example.org', ...RENTER]],
    ['--password', [...CREATE_ADA, ...RENTER, '--password', 'short']],
  ])('names the invalid %s of a user', async (option, words) => {
    expect(await failure(...words)).toMatchObject({
      exitCode: 2,
      code: 'usage',
      message: expect.stringContaining(option),
    });
  });

  it('credits a deposit once', async () => {
    const words = ['account', 'credit', '--user', 'ada', '--usd', '12.5', '--reason', 'goodwill'];
    const once = await result(...words, '--deposit-id', 'd-1');
    expect(once).toMatchObject({
      account_id: '1',
      deposit_id: 'd-1',
      credited: true,
      amount_micro_usd: '12500000',
      available_micro_usd: '12500000',
    });
    const twice = await result(...words, '--deposit-id', 'd-1');
    expect(twice).toMatchObject({ credited: false, available_micro_usd: '12500000' });
    const fresh = await result(...words);
    expect(fresh['deposit_id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(fresh).toMatchObject({ credited: true, available_micro_usd: '25000000' });
  });

  it('rejects the same deposit with another amount, and an unknown user', async () => {
    const credit = ['account', 'credit', '--usd', '1', '--reason', 'goodwill', '--user'];
    const conflict = await failure(...credit, 'ada', '--deposit-id', 'd-1');
    expect(conflict).toMatchObject({ exitCode: 1, code: 'deposit_conflict' });
    const unknown = await failure(...credit, 'unknown');
    expect(unknown).toMatchObject({ exitCode: 1, code: 'user_not_found' });
    expect(unknown.message).toContain('--user');
  });

  it('rotates keys, and asks before', async () => {
    const unasked = await failure('key', 'rotate', '--user', 'ada');
    expect(unasked).toMatchObject({ exitCode: 2, code: 'usage' });
    expect(unasked.message).toContain('--yes');
    const api = await result('key', 'rotate', '--user', 'ada', '--yes');
    expect(api).toMatchObject({ user_id: 1, kind: 'api', keys_revoked: 1 });
    expect(api['api_key']).toMatch(/^sk-svc-/);
    const renter = await result('key', 'rotate', '--user', 'ada', '--kind', 'renter', '--yes');
    expect(renter).toMatchObject({ user_id: 1, kind: 'renter', keys_revoked: 1 });
    expect(renter['renter_key']).toMatch(/^svc_api_/);
    const unknown = await failure('key', 'rotate', '--user', 'unknown', '--yes');
    expect(unknown).toMatchObject({ exitCode: 1, code: 'user_not_found' });
    expect(unknown.message).toContain('--user');
  });

  it('prints the log, filtered, from a position, up to a limit', async () => {
    const all = lines((await quipu('events', 'tail', '--json')).stdout);
    const deposits = all.filter(({ type }) => type === 'FundsDeposited');
    expect(deposits).toHaveLength(2);
    expect(deposits[0]).toMatchObject({ stream: 'account-1', version: 1, actor: 'cli' });
    const words = ['events', 'tail', '--json', '--filter-type', 'FundsDeposited'];
    expect(lines((await quipu(...words)).stdout)).toEqual(deposits);
    const from = String(deposits[1]?.['position']);
    expect(lines((await quipu(...words, '--from', from)).stdout)).toEqual(deposits.slice(1));
    expect(lines((await quipu(...words, '--limit', '1')).stdout)).toEqual(deposits.slice(0, 1));
    const ofAccount = ['events', 'tail', '--json', '--filter-stream', 'account-1'];
    const streams = lines((await quipu(...ofAccount)).stdout).map(({ stream }) => stream);
    expect(new Set(streams)).toEqual(new Set(['account-1']));
    const text = (await quipu('events', 'tail', '--limit', '1')).stdout;
    expect(text).toMatch(/^\d+ \d{4}-\d\d-\d\dT[^ ]+Z [^ ]+\/0 [A-Za-z]+ v1 by system \{.*\}\n$/);
  });

  it('proves the ledger without read models, and writes none', async () => {
    expect(await result('ledger', 'check')).toMatchObject({
      balanced: true,
      accounts: 2,
      deposited_micro_usd: '25000000',
      charged_micro_usd: '0',
      held_micro_usd: '0',
      available_micro_usd: '25000000',
      faults: [],
    });
    const { projections } = await result('projections', 'status');
    expect(statesOf(projections)).toEqual(new Set(['absent']));
  });

  it('rebuilds read models', async () => {
    const named = await result('projections', 'rebuild', 'account-overview');
    expect(named['rebuilt']).toEqual(['account-overview']);
    const all = await result('projections', 'rebuild', '--all');
    expect(all['rebuilt']).toContain('api-keys');
    const { projections } = await result('projections', 'status');
    expect(statesOf(projections)).toEqual(new Set(['current']));
  });

  it.each([
    ['no names', []],
    ['both', ['api-keys', '--all']],
    ['unknown', ['accounts']],
  ])('rejects a rebuild of %s', async (_, words) => {
    const refused = await failure('projections', 'rebuild', ...words);
    expect(refused).toMatchObject({ exitCode: 2, code: 'usage' });
  });

  it('reports a read model that is behind, and reads up to the log head', async () => {
    await result('account', 'credit', '--user', 'grace', '--usd', '1', '--reason', 'late');
    const { projections } = await result('projections', 'status');
    const overview = (projections as Record<string, unknown>[]).find(
      ({ projection }) => projection === 'account-overview',
    );
    expect(overview).toMatchObject({
      state: 'behind',
      lag_events: 1,
      lag_seconds: expect.any(Number),
    });
    const checked = await result('ledger', 'check');
    expect(checked).toMatchObject({ balanced: true, available_micro_usd: '26000000' });
  });

  it('prints every fault of a wrong read model, and exits with 1', async () => {
    const views = new DatabaseSync(path.join(home, 'views.db'));
    try {
      const forge = `UPDATE documents SET document = json_set(document, '$.deposited', '1')
        WHERE key = '1' AND collection IN
          (SELECT id FROM collections WHERE name LIKE 'account-overview.%')`;
      expect(views.prepare(forge).run().changes).toBe(1);
    } finally {
      views.close();
    }
    const { exitCode, stdout } = await spawned('ledger', 'check', '--json');
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      success: false,
      code: 'ledger_not_balanced',
      balanced: false,
      faults: [{ account_id: '1', law: 'the read model equals the fold of the log' }],
    });
    const forPeople = await quipu('ledger', 'check');
    expect(forPeople).toMatchObject({ exitCode: 1, stderr: '' });
    expect(forPeople.stdout).toContain('fault: account 1 at position');
  });

  it('asks before an erasure', async () => {
    const unasked = await failure('user', 'erase', '--username', 'ada');
    expect(unasked).toMatchObject({ exitCode: 2, code: 'usage' });
    expect(unasked.message).toContain('--yes');
    const erased = await result('user', 'erase', '--username', 'ada', '--yes');
    expect(erased).toEqual({ success: true, user_id: 1, erased: true, keys_revoked: 2 });
    const again = await failure('user', 'erase', '--username', 'ada', '--yes');
    expect(again).toMatchObject({ exitCode: 1, code: 'user_not_found' });
    const key = await failure('key', 'rotate', '--user', 'ada', '--yes');
    expect(key).toMatchObject({ exitCode: 1, code: 'user_not_found' });
  });
});

describe('the command line beside a running server', () => {
  let url: string;
  let demo: { readonly api_key: string };

  beforeAll(async () => {
    await newHome();
    const server = start(SERVER, []);
    server.stderr?.resume();
    url = await new Promise<string>((resolve, reject) => {
      server.once('close', () => reject(new Error('the server did not start')));
      createInterface({ input: server.stdout ?? process.stdin }).on('line', (line) => {
        const ready = /^Quipu is ready at (\S+)/.exec(line);
        if (ready?.[1] !== undefined) resolve(ready[1]);
      });
    });
    demo = JSON.parse(await readFile(path.join(home, 'bootstrap.json'), 'utf8')) as typeof demo;
  });

  afterAll(endHome);

  const overview = async (key: string) => {
    const headers = { Authorization: `Bearer ${key}` };
    const answer = await fetch(`${url}/api/v1/billing/overview.php`, { headers });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };

  afterEach(() => {
    expect(running.size).toBe(1);
  });

  it('limits what a caller may send, and explains a rejection', async () => {
    const limits = ['--usd-per-day', '2.5', '--tokens-per-minute', '1'];
    const day = { limit_micro_usd: '2500000', charged_micro_usd: '0', held_micro_usd: '0' };
    const budgets = [{ key_id: null, day, month: null, tokens_per_minute: 1 }];
    expect(await result('budget', 'set', '--user', 'demo', ...limits)).toMatchObject({ budgets });
    expect(await result('budget', 'show', '--user', 'demo')).toMatchObject({ budgets });
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${demo.api_key}`, 'content-type': 'application/json' },
      body: '{"model":"quipu/nano","messages":[{"role":"user","content":"Hi"}],"max_tokens":2}',
    });
    expect(answer.status).toBe(429);
    const requestId = answer.headers.get('x-request-id') ?? '';
    const facts = { reason: 'request_exceeds_limit', tokens_per_minute: 1 };
    const why = { outcome: 'rejected', reason_code: 'rate_limit_exceeded', facts };
    expect(await result('explain', requestId)).toMatchObject({ request_id: requestId, ...why });
    const { stdout: text } = await quipu('explain', requestId);
    expect(text).toContain('It would have held 0.000');
    expect(text).toMatch(/ {2}\d+ input_tokens at 0.05 USD per 1000000\n/);
    expect(text).toContain('  tokens_per_minute: 1\n');
    expect(text).not.toMatch(/[{}]/);
    const other = await failure('explain', '01890a5d-ac96-774b-bcce-b302099a8057');
    expect(other).toMatchObject({ exitCode: 1, code: 'request_not_found' });
    const removed = await result('budget', 'remove', '--user', 'demo');
    expect(removed).toMatchObject({ budgets: [] });
  });

  it('credits an account that the server shows at once', async () => {
    expect((await overview(demo.api_key)).body).toMatchObject({ balance_usd: 10 });
    await result('account', 'credit', '--user', 'demo', '--usd', '2.5', '--reason', 'more');
    expect((await overview(demo.api_key)).body).toMatchObject({ balance_usd: 12.5 });
  });

  it('creates a user that the server accepts, and rotates the key', async () => {
    const scopes = ['--scopes', 'read_billing'];
    const { api_key: first } = await result(...CREATE_ADA, ...RENTER, ...scopes);
    expect((await overview(String(first))).status).toBe(200);
    const { api_key: second } = await result('key', 'rotate', '--user', 'ada', '--yes');
    expect((await overview(String(first))).status).toBe(401);
    expect((await overview(String(second))).status).toBe(200);
    await result('user', 'erase', '--username', 'ada', '--yes');
    expect((await overview(String(second))).status).toBe(401);
  });

  it('rebuilds while the server answers', async () => {
    const rebuilding = result('projections', 'rebuild', '--all');
    const statuses = new Set<number>();
    const done = new AbortController();
    void rebuilding.catch(() => undefined).finally(() => done.abort());
    while (!done.signal.aborted) {
      statuses.add((await overview(demo.api_key)).status);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await rebuilding;
    expect([...statuses]).toEqual([200]);
    expect((await overview(demo.api_key)).body).toMatchObject({ balance_usd: 12.5 });
    await result('account', 'credit', '--user', 'demo', '--usd', '1', '--reason', 'after');
    expect((await overview(demo.api_key)).body).toMatchObject({ balance_usd: 13.5 });
    expect(await result('ledger', 'check')).toMatchObject({ balanced: true });
  });

  it('follows the log until Ctrl-C, and exits with 0', async () => {
    const tail = start(CLI, ['events', 'tail', '--follow', '--from', 'end', '--json']);
    const seen = createInterface({ input: tail.stdout ?? process.stdin });
    const events: Record<string, unknown>[] = [];
    const deposited = new Promise<void>((resolve) => {
      seen.on('line', (line) => {
        events.push(JSON.parse(line) as Record<string, unknown>);
        if (events.at(-1)?.['type'] === 'FundsDeposited') resolve();
      });
    });
    // The start of the subscription is invisible, so credits repeat until the tail prints one.
    const credit = ['account', 'credit', '--user', 'demo', '--usd', '1', '--reason', 'seen'];
    const heard = new AbortController();
    void deposited.then(() => heard.abort());
    while (!heard.signal.aborted) await result(...credit);
    tail.kill('SIGINT');
    await once(tail, 'close');
    expect(tail.exitCode).toBe(0);
    expect(events.at(-1)).toMatchObject({ data: { reason: 'seen' } });
  });

  it('ends without an error when the reader of its output closes the pipe', async () => {
    const tail = start(CLI, ['events', 'tail', '--follow', '--json']);
    const ended = Promise.all([once(tail, 'close'), textOf(tail.stderr)]);
    await once(tail.stdout ?? tail, 'data');
    tail.stdout?.destroy();
    await result('account', 'credit', '--user', 'demo', '--usd', '1', '--reason', 'unseen');
    const [, stderr] = await ended;
    expect({ exitCode: tail.exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  });
});
