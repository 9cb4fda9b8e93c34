import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { asOperator } from '#apps/operations/operations.fixture.js';
import { rewriteEvents } from '#platform/event-store/sqlite/rewritten-events.fixture.js';
import { answering, chatRequest, eventually, startWorld, type World } from './quipu.harness.js';

const CLI = path.resolve(import.meta.dirname, '../../bundle/apps/cli/main.js');
const OVERVIEW = '/api/v1/billing/overview.php';

let world: World;
let backup: string;

beforeEach(async () => {
  world = await startWorld([answering('Knots', '.')], {
    environment: { QUIPU_AUDIT_CHECKPOINT_MS: '50' },
  });
  backup = await mkdtemp(path.join(tmpdir(), 'quipu-backup-'));
});

afterEach(async () => {
  await world.close();
  await rm(backup, { recursive: true });
});

const file = (name: string): string => path.join(world.home, name);

const ask = (key: string) =>
  fetch(`${world.quipu.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${world.credentials.api_key}`,
      'idempotency-key': key,
    },
    body: JSON.stringify(chatRequest()),
  });

const balance = async (): Promise<unknown> => {
  const authorization = `Bearer ${world.credentials.api_key}`;
  const { body } = await request(world.quipu.url)
    .get(OVERVIEW)
    .set('Authorization', authorization)
    .expect(200);
  return (body as { readonly balance_usd: number }).balance_usd;
};

const charges = async (): Promise<number> =>
  (await world.events()).filter(({ type }) => type === 'HoldCaptured').length;

/** Resolves once a checkpoint covers the events of the request. */
const published = async ({ headers }: Response): Promise<void> => {
  await request(world.quipu.url)
    .get(`/audit/requests/${headers.get('x-request-id')}`)
    .set('Authorization', `Bearer ${world.credentials.api_key}`)
    .expect(200);
};

const ready = () => request(world.quipu.url).get('/health/ready').set(asOperator.headers);

/** A command of the command line on the same files. */
const quipu = async (...words: readonly string[]) => {
  const env = { ...process.env, QUIPU_HOME: world.home };
  const child = spawn(process.execPath, [CLI, ...words, '--json'], { env });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  await once(child, 'close');
  return { exitCode: child.exitCode, result: JSON.parse(stdout) as Record<string, unknown> };
};

describe('a log that is put back to an earlier state', () => {
  const putBack = async (): Promise<void> => {
    for (const suffix of ['', '-wal', '-shm'])
      await rm(file(`events.db${suffix}`), { force: true });
    await copyFile(path.join(backup, 'events.db'), file('events.db'));
  };

  beforeEach(async () => {
    await ask('first');
    await world.quipu.stop();
    await copyFile(file('events.db'), path.join(backup, 'events.db'));
    world = await world.restart();
    await ask('second');
    await published(await ask('third'));
    expect(await balance()).toBe(9.999961);
    await world.quipu.stop();
    await putBack();
  });

  it('is reported by the command line', async () => {
    const reason = expect.stringMatching(/it is at position \d+, and the log ends at \d+/);
    const status = await quipu('projections', 'status');
    expect(status.exitCode).toBe(1);
    expect(status.result).toMatchObject({ success: false, code: 'foreign_log', message: reason });
    const states = status.result['projections'] as readonly { readonly state: string }[];
    expect(states.map(({ state }) => state)).toContain('ahead');
    const check = await quipu('ledger', 'check');
    expect(check.exitCode).toBe(1);
    expect(check.result).toMatchObject({
      success: false,
      code: 'read_model_not_comparable',
      message: reason,
      faults: [],
      damaged: [],
    });
  });

  it('has its read models rebuilt by the next start, and no lost answer replayed', async () => {
    world = await world.restart();
    expect(await charges()).toBe(1);
    expect(await balance()).toBe(9.999987);
    await ready().expect(200);
    expect(await quipu('projections', 'status')).toMatchObject({ exitCode: 0 });
    expect(await quipu('ledger', 'check')).toMatchObject({ exitCode: 0 });
    expect((await ask('first')).headers.get('x-quipu-idempotent-replay')).toBe('true');
    const again = await ask('second');
    expect(again.status).toBe(200);
    expect(again.headers.get('x-quipu-idempotent-replay')).not.toBe('true');
    expect(await charges()).toBe(2);
    expect(await balance()).toBe(9.999974);
  });

  it('contradicts the checkpoint that was published, and gets no other', async () => {
    world = await world.restart();
    const { text } = await request(world.quipu.url).get('/audit/checkpoint').expect(200);
    const contradiction = async (): Promise<string | null> => {
      const { body } = await ready().expect(200);
      return (body as { readonly audit: { readonly contradiction: string | null } }).audit
        .contradiction;
    };
    await eventually(async () => (await contradiction()) !== null);
    expect(await contradiction()).toMatch(
      /^the log has \d+ events, and a checkpoint of \d+ was published$/,
    );
    await ask('fourth');
    await request(world.quipu.url).get('/audit/checkpoint').expect(200, text);
  });
});

describe('an event that was damaged on the disk', () => {
  beforeEach(async () => {
    await ask('first');
    await world.quipu.stop();
  });

  it.each([
    ['no JSON', (data: string) => data.slice(1), 'it cannot be read'],
    [
      'of another shape',
      (data: string) => data.replace('holdId', 'holdIe'),
      'cannot read HoldCaptured version 1',
    ],
  ])(
    'so that it is %s stops requests that need it, and readiness says so',
    async (_, changed, reason) => {
      rewriteEvents(file('events.db'), `words.text = 'HoldCaptured'`, ({ data }) => ({
        data: changed(data),
      }));
      world = await world.restart();
      const answer = await ask('second');
      expect(answer.status).toBe(503);
      expect(await answer.json()).toMatchObject({ error: { code: 'event_unreadable' } });
      const { body } = await ready().expect(503);
      expect(body).toMatchObject({
        status: 'not_ready',
        reasons: expect.arrayContaining(['event_log_damaged']),
        details: expect.arrayContaining([
          expect.stringMatching(
            new RegExp(`^the log is damaged: the event at position \\d+ of account-1: ${reason}`),
          ),
        ]),
      });
      const check = await quipu('ledger', 'check');
      expect(check.exitCode).toBe(1);
      expect(check.result).toMatchObject({
        code: 'log_damaged',
        damaged: [{ position: expect.stringMatching(/^\d+$/), stream: 'account-1' }],
      });
    },
  );

  it('so that nothing else notices is found by the check', async () => {
    rewriteEvents(file('events.db'), `words.text = 'HoldPlaced'`, ({ metadata }) => ({
      metadata: metadata.replace('user:1', 'user:2'),
    }));
    const check = await quipu('ledger', 'check');
    expect(check.exitCode).toBe(1);
    expect(check.result).toMatchObject({
      code: 'log_damaged',
      faults: [],
      damaged: [{ stream: 'account-1', reason: 'it differs from the appended event' }],
    });
  });

  it('in an index is found by the full check', async () => {
    const database = new DatabaseSync(file('events.db'));
    const [index] = database
      .prepare(`SELECT rootpage FROM sqlite_schema WHERE name = 'events_by_type'`)
      .all();
    const [size] = database.prepare('PRAGMA page_size').all();
    database.close();
    const pageBytes = Number(size?.['page_size']);
    const bytes = await readFile(file('events.db'));
    // The last byte of the page belongs to the first entry: the position of an event.
    const at = Number(index?.['rootpage']) * pageBytes - 1;
    bytes[at] = (bytes[at] ?? 0) ^ 0x40;
    await writeFile(file('events.db'), bytes);
    expect(await quipu('ledger', 'check')).toMatchObject({ exitCode: 0 });
    const check = await quipu('ledger', 'check', '--full');
    expect(check.exitCode).toBe(1);
    expect(check.result).toMatchObject({
      code: 'file_damaged',
      balanced: true,
      damaged: [],
      file_faults: expect.arrayContaining([
        expect.stringMatching(/^events\.db: row \d+ missing from index events_by_type$/),
      ]),
    });
  });

  it('by hiding the beginning of an account is a fault, and no unknown account', async () => {
    await world.quipu.stop();
    const database = new DatabaseSync(file('events.db'));
    database.exec(`
      DROP TRIGGER events_are_kept;
      DELETE FROM events WHERE revision = 0
        AND stream_id = (SELECT id FROM streams WHERE name = 'account-1');
    `);
    database.close();
    world = await world.restart();
    const answer = await ask('third');
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ error: { code: 'cut_stream' } });
    const check = await quipu('ledger', 'check');
    expect(check.exitCode).toBe(1);
    expect(check.result).toMatchObject({
      code: 'log_damaged',
      damaged: expect.arrayContaining([
        expect.objectContaining({
          stream: 'account-1',
          reason: expect.stringMatching(
            /^the stream account-1 lacks revision 0, and continues with 1:/,
          ),
        }),
      ]),
    });
  });
});
