import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFile,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import request from 'supertest';
import { type Standalone } from '#apps/processes/standalone.process.js';
import { asOperator } from '#apps/operations/operations.fixture.js';
import { rewriteEvents } from '#platform/event-store/sqlite/rewritten-events.fixture.js';
import { runCommand } from './command-line.fixture.js';
import { loadQuipu } from './loaded-quipu.js';
import {
  answering,
  chatRequest,
  eventually,
  MODEL,
  startWorld,
  type World,
} from './quipu.harness.js';

const CLI = path.resolve(import.meta.dirname, '../../bundle/apps/cli/main.js');

interface BackedUp {
  readonly log: { readonly events: number; readonly root: string };
  readonly leaves_compared: number;
  readonly master_key_id: string;
  readonly not_included: readonly string[];
}

interface ReadyReport {
  readonly ready: boolean;
  readonly head: string;
  readonly reactions: readonly {
    readonly name: string;
    readonly position: string;
    readonly failure: string | null;
  }[];
}

let world: World;
let folder: string;
let backup: string;
let backedUp: BackedUp;
let fileId: string;
let responseId: string;
const CONTENT = 'a file that was there before the backup';

const run = async (home: string, ...words: readonly string[]) => {
  const ended = await runCommand({ ...world.environment, QUIPU_HOME: home }, [...words, '--json']);
  return { ...ended, error: ended.exitCode === 0 ? null : (JSON.parse(ended.stderr) as object) };
};

const ask = (url: string, key?: string) =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${world.credentials.api_key}`,
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    body: JSON.stringify(chatRequest()),
  });

const filesUnder = async (root: string): Promise<readonly string[]> => {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries.map((entry) => path.join(entry.parentPath, entry.name));
};

/** A workflow with a run, a response in the background, and a batch: each keeps blobs. */
const makeContent = async (): Promise<void> => {
  const { openai, quipu, credentials } = world;
  const api = (route: string, body: object) =>
    request(quipu.url)
      .post(`/api/v1/workflows${route}`)
      .set('authorization', `Bearer ${credentials.api_key}`)
      .send(body);
  const sum = { name: 'sum', kind: 'calculator', parameters: { expression: '1 + 1' } };
  const created = await api('', { name: 'sum', definition: { nodes: [sum] } }).expect(201);
  const { workflow_id: id } = created.body as { readonly workflow_id: number };
  await api('/run', { workflow_id: id, inputs: {}, async: false }).expect(200);
  const { id: background } = await openai.responses.create({
    model: MODEL,
    input: 'Tell me.',
    background: true,
  });
  const line = { custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body: chatRequest() };
  const file = await toFile(Buffer.from(JSON.stringify(line)), 'lines.jsonl');
  const input = await openai.files.create({ file, purpose: 'batch' });
  const batch = await openai.batches.create({
    input_file_id: input.id,
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
  });
  await eventually(async () => {
    const [response, ended] = await Promise.all([
      openai.responses.retrieve(background),
      openai.batches.retrieve(batch.id),
    ]);
    return response.status === 'completed' && ended.status === 'completed';
  });
};

const backUpFromAnotherProcess = async (): Promise<BackedUp> => {
  const env = { ...process.env, ...world.environment };
  const child = spawn(process.execPath, [CLI, 'backup', backup, '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [stdout] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return JSON.parse(stdout) as BackedUp;
};

/** A backup of a gateway that answers while it is made. */
beforeAll(async () => {
  world = await startWorld([answering('Knots', '.')], {
    environment: { QUIPU_AUDIT_CHECKPOINT_MS: '50' },
  });
  folder = await mkdtemp(path.join(tmpdir(), 'quipu-backup-'));
  backup = path.join(folder, 'backup');
  const { openai } = world;
  const file = await toFile(Buffer.from(CONTENT), 'knots.txt');
  fileId = (await openai.files.create({ file, purpose: 'user_data' })).id;
  responseId = (await openai.responses.create({ model: MODEL, input: 'Tell me.' })).id;
  await makeContent();
  await ask(world.quipu.url, 'before');
  let isBackedUp = false;
  const load = async (): Promise<void> => {
    while (!isBackedUp) expect((await ask(world.quipu.url)).status).toBe(200);
  };
  const loads = [load(), load(), load()];
  backedUp = await backUpFromAnotherProcess();
  isBackedUp = true;
  await Promise.all(loads);
});

afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true });
});

describe('a backup of a running gateway', () => {
  it('has every event up to one moment, under the tree of the log', async () => {
    const events = await world.log();
    expect(backedUp.log.events).toBeGreaterThan(10);
    expect(backedUp.log.events).toBeLessThan(events.length);
    expect(backedUp.leaves_compared).toBeGreaterThan(0);
    expect(backedUp.not_included).toContain(path.join(world.home, 'master.key'));
  });

  it('is for its owner only', async () => {
    expect((await stat(backup)).mode & 0o777).toBe(0o700);
    for (const file of await filesUnder(backup)) {
      const found = await stat(file);
      expect(found.mode & 0o077).toBe(0);
    }
    expect((await readdir(backup)).sort()).toEqual(
      [
        'SHA256SUMS',
        'answers.db',
        'audit.db',
        'backup.json',
        'blobs',
        'events.db',
        'subject-keys.db',
        'views.db',
      ].sort(),
    );
  });

  it('replaces nothing, and leaves nothing of one that fails', async () => {
    expect((await run(world.home, 'backup', backup)).error).toMatchObject({
      code: 'target_exists',
    });
    const empty = path.join(folder, 'empty');
    expect((await run(empty, 'backup', `${backup}-2`)).error).toMatchObject({
      code: 'no_installation',
    });
    expect(await readdir(folder)).toEqual(['backup']);
  });
});

describe('a restore', () => {
  let home: string;
  let quipu: Standalone | undefined;

  beforeEach(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'quipu-restored-'));
    await copyFile(path.join(world.home, 'master.key'), path.join(home, 'master.key'));
  });

  afterEach(async () => {
    await quipu?.stop();
    quipu = undefined;
    await rm(home, { recursive: true });
  });

  const start = async (): Promise<Standalone> => {
    const { startStandalone } = await loadQuipu();
    quipu = await startStandalone({ ...world.environment, QUIPU_HOME: home });
    return quipu;
  };

  it('continues: accounts, files, responses, answers, and the log', async () => {
    const restored = await run(home, 'restore', backup);
    expect(restored).toMatchObject({ exitCode: 0, stderr: '' });
    const { url } = await start();
    const apiKey = world.credentials.api_key;
    const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
    expect(await (await openai.files.content(fileId)).text()).toBe(CONTENT);
    expect((await openai.responses.retrieve(responseId)).output_text).toBe('Knots.');
    const replayed = await ask(url, 'before');
    expect(replayed.headers.get('x-quipu-idempotent-replay')).toBe('true');
    expect((await ask(url)).status).toBe(200);
    const ready = await fetch(`${url}/health/ready`, asOperator);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toMatchObject({ audit: { contradiction: null } });
    expect((await run(home, 'ledger', 'check')).error).toBeNull();
    expect((await run(home, 'audit', 'verify')).error).toBeNull();
    const { position: _, ...log } = backedUp.log as BackedUp['log'] & { position: string };
    expect(JSON.parse(restored.stdout)).toMatchObject({ log });
  });

  it('is checked again by its next backup, which reports a changed event', async () => {
    await run(home, 'restore', backup);
    rewriteEvents(path.join(home, 'events.db'), `words.text = 'HoldPlaced'`, ({ metadata }) => ({
      metadata: metadata.replace('user:1', 'user:2'),
    }));
    const next = path.join(folder, 'next');
    expect((await run(home, 'backup', next)).error).toMatchObject({
      code: 'backup_damaged',
      message: expect.stringContaining('it differs from the appended event'),
    });
    expect(await readdir(folder)).toEqual(['backup']);
  });

  it('without blobs serves everything else, and no saga stops', async () => {
    const bare = path.join(folder, 'bare');
    expect((await run(world.home, 'backup', bare, '--no-blobs')).error).toBeNull();
    expect((await run(home, 'restore', bare)).error).toBeNull();
    await rm(bare, { recursive: true });
    // Sagas begin again from the first event.
    await rm(path.join(home, 'views.db'));
    const { url } = await start();
    const ready = async (): Promise<ReadyReport> => {
      const response = await fetch(`${url}/health/ready`, asOperator);
      return { ready: response.ok, ...((await response.json()) as Omit<ReadyReport, 'ready'>) };
    };
    await eventually(async () => {
      const { head, reactions } = await ready();
      const sagas = reactions.filter(({ name }) => name.startsWith('saga.'));
      const reached = sagas.filter(({ position }) => BigInt(position) >= BigInt(head));
      return sagas.length > 0 && reached.length === sagas.length;
    });
    const report = await ready();
    expect(report.reactions.filter(({ failure }) => failure !== null)).toEqual([]);
    expect(report.ready).toBe(true);
    expect((await ask(url)).status).toBe(200);
    const authorization = `Bearer ${world.credentials.api_key}`;
    const lost = await fetch(`${url}/v1/files/${fileId}/content`, { headers: { authorization } });
    expect(lost.status).toBe(503);
    expect(await lost.json()).toMatchObject({ error: { code: 'content_lost' } });
  });

  it('replaces nothing', async () => {
    const { error } = await run(world.home, 'restore', backup);
    expect(error).toMatchObject({
      code: 'target_exists',
      message: expect.stringContaining('a restore replaces nothing'),
    });
  });

  it('needs the master key, and names it', async () => {
    await rm(path.join(home, 'master.key'));
    const { error } = await run(home, 'restore', backup);
    expect(error).toMatchObject({
      code: 'bad_settings',
      message: expect.stringContaining(backedUp.master_key_id),
    });
    expect(await readdir(home)).toEqual([]);
  });

  it('does not take another master key', async () => {
    await writeFile(path.join(home, 'master.key'), `${'0'.repeat(64)}\n`, { mode: 0o600 });
    const { error } = await run(home, 'restore', backup);
    expect(error).toMatchObject({
      code: 'bad_settings',
      message: expect.stringContaining(backedUp.master_key_id),
    });
  });

  describe('of a backup that was changed', () => {
    let changed: string;

    beforeEach(async () => {
      changed = path.join(folder, 'changed');
      for (const file of await filesUnder(backup)) {
        const to = path.join(changed, path.relative(backup, file));
        if (!(await stat(file)).isFile()) continue;
        await mkdir(path.dirname(to), { recursive: true });
        await copyFile(file, to);
      }
    });

    afterEach(() => rm(changed, { recursive: true }));

    const refused = async (code: string): Promise<void> => {
      expect((await run(home, 'restore', changed)).error).toMatchObject({ code });
      const left = (await readdir(home)).filter((name) => name !== 'blobs');
      expect(left).toEqual(['master.key']);
    };

    const flip = async (file: string): Promise<void> => {
      const bytes = await readFile(file);
      const at = Math.trunc(bytes.length / 2);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      await writeFile(file, bytes);
    };

    it.each(['events.db', 'subject-keys.db', 'audit.db', 'views.db', 'answers.db'])(
      'is refused: %s',
      async (name) => {
        await flip(path.join(changed, name));
        await refused('backup_damaged');
      },
    );

    it('is refused: a blob', async () => {
      const [blob = ''] = (await filesUnder(path.join(changed, 'blobs', 'blobs'))).filter((one) =>
        /[0-9a-f]{64}$/.test(one),
      );
      await flip(blob);
      await refused('backup_damaged');
    });

    it('is refused: a missing file, or no manifest', async () => {
      await rename(path.join(changed, 'audit.db'), path.join(changed, 'elsewhere.db'));
      await refused('backup_damaged');
      await rm(path.join(changed, 'backup.json'));
      await refused('not_a_backup');
    });

    it('is refused: a line that leaves the folder', async () => {
      const line = `${'0'.repeat(64)}  blobs/../../master.key\n`;
      await appendFile(path.join(changed, 'SHA256SUMS'), line);
      await refused('not_a_backup');
    });

    it('is refused: another log with its own checksums', async () => {
      const manifest = path.join(changed, 'backup.json');
      const stated = await readFile(manifest, 'utf8');
      await writeFile(manifest, stated.replace(backedUp.log.root, '0'.repeat(64)));
      await refused('backup_damaged');
    });
  });
});
