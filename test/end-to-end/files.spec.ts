import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import OpenAI, { toFile } from 'openai';
import { pino } from 'pino';
import { readSettings } from '#apps/composition/settings.js';
import { type Standalone, startStandalone } from '#apps/processes/standalone.process.js';
import { FileStore } from '#areas/files/file-store.js';
import { CreateUserCommand } from '#areas/identity/users/create-user.handler.js';
import { EraseUserCommand } from '#areas/identity/users/erase-user.handler.js';
import { type UserId } from '#events/vocabulary.js';
import { Blobs } from '#platform/blobs/blobs.port.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { EVENT_STORE } from '#platform/runtime/tokens.js';

const LINES = '{"custom_id":"one"}\n{"custom_id":"two"}\n';
const BATCH_BYTES_MAX = 20_000_000;
const FILE_BYTES_MAX = 30_000_000;

interface Account {
  readonly client: OpenAI;
  readonly key: string;
  readonly accountId: string;
  readonly userId: UserId;
  readonly username: string;
}

let home: string;
let quipu: Standalone;
let admin: OpenAI;
let ada: Account;
let bob: Account;

const clientOf = (apiKey: string): OpenAI =>
  new OpenAI({ baseURL: `${quipu.url}/v1`, apiKey, maxRetries: 0 });

const createAccount = async (username: string): Promise<Account> => {
  const data = { username, email: `${username}@example.com`, role: 'renter', password: null };
  const context = contextOf(randomUUID(), 'cli');
  const created = await quipu.app.get(CommandBus).execute(new CreateUserCommand(data, context));
  const { apiKey: key, accountId, userId } = created;
  return { client: clientOf(key), key, accountId, userId, username };
};

const upload = async ({ client }: Account, text = LINES, name = 'requests.jsonl') =>
  client.files.create({ file: await toFile(Buffer.from(text), name), purpose: 'batch' });

const rejected = (status: number, code: string, param: string | null = null) =>
  expect.objectContaining({ status, code, param });

const eventsOf = async (fileId: string): Promise<readonly string[]> => {
  const eventStore = quipu.app.get<EventStore>(EVENT_STORE, { strict: false });
  const events = (await Array.fromAsync(eventStore.readAll())).flat();
  return events.filter(({ stream }) => stream === fileId).map(({ type }) => type);
};

beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'quipu-files-'));
  const settings = readSettings({
    PORT: '0',
    QUIPU_HOME: home,
    QUIPU_CATALOG: path.resolve('catalog.yaml'),
    QUIPU_LOG_LEVEL: 'silent',
    QUIPU_BATCH_FILE_BYTES_MAX: String(BATCH_BYTES_MAX),
    QUIPU_FILE_BYTES_MAX: String(FILE_BYTES_MAX),
  });
  quipu = await startStandalone(settings, pino({ level: 'silent' }));
  const bootstrap = JSON.parse(await readFile(path.join(home, 'bootstrap.json'), 'utf8')) as {
    readonly api_key: string;
  };
  admin = clientOf(bootstrap.api_key);
  [ada, bob] = [await createAccount('ada'), await createAccount('bob')];
});

afterAll(async () => {
  await quipu.stop();
  await rm(home, { recursive: true });
});

describe('a file', () => {
  it('is uploaded, found, listed, read and deleted by the client of OpenAI', async () => {
    const file = await upload(ada);
    const expiresAt = file.created_at + 2_592_000;
    expect(file).toEqual({
      id: expect.stringMatching(/^file-[0-9a-f]{32}$/),
      object: 'file',
      bytes: LINES.length,
      created_at: expect.any(Number),
      expires_at: expiresAt,
      filename: 'requests.jsonl',
      purpose: 'batch',
      status: 'processed',
    });
    expect(await ada.client.files.retrieve(file.id)).toEqual(file);
    const { data } = await ada.client.files.list();
    expect(data).toEqual([file]);
    const content = await ada.client.files.content(file.id);
    expect(content.headers.get('content-type')).toBe('application/octet-stream');
    expect(content.headers.get('content-length')).toBe(String(LINES.length));
    expect(await content.text()).toBe(LINES);
    const deleted = await ada.client.files.delete(file.id);
    expect(deleted).toEqual({ id: file.id, object: 'file', deleted: true });
    const missing = rejected(404, 'file_not_found');
    await expect(ada.client.files.retrieve(file.id)).rejects.toEqual(missing);
    await expect(ada.client.files.content(file.id)).rejects.toEqual(missing);
    await expect(ada.client.files.delete(file.id)).rejects.toEqual(missing);
    expect((await ada.client.files.list()).data).toEqual([]);
    expect(await eventsOf(file.id)).toEqual(['FileCreated', 'FileDeleted']);
  });

  it('belongs to its account and to an Admin', async () => {
    const { id } = await upload(ada, 'a private line\n');
    const missing = rejected(404, 'file_not_found');
    await expect(bob.client.files.retrieve(id)).rejects.toEqual(missing);
    await expect(bob.client.files.content(id)).rejects.toEqual(missing);
    await expect(bob.client.files.delete(id)).rejects.toEqual(missing);
    await expect(bob.client.files.list({ after: id })).rejects.toEqual(missing);
    expect((await bob.client.files.list()).data).toEqual([]);
    expect(await (await admin.files.content(id)).text()).toBe('a private line\n');
    expect((await admin.files.list()).data).toEqual([]);
    expect(await admin.files.delete(id)).toMatchObject({ deleted: true });
  });

  it('is listed in pages, in both orders, by purpose', async () => {
    const ids: string[] = [];
    for (const purpose of ['batch', 'user_data', 'batch', 'user_data', 'batch'] as const) {
      const file = await toFile(Buffer.from(`${ids.length}`), `${ids.length}.txt`);
      ids.push((await bob.client.files.create({ file, purpose })).id);
    }
    const listed = async (query: OpenAI.FileListParams): Promise<readonly string[]> => {
      const found: string[] = [];
      for await (const { id } of bob.client.files.list(query)) found.push(id);
      return found;
    };
    const newestFirst = ids.toReversed();
    expect(await listed({})).toEqual(newestFirst);
    expect(await listed({ limit: 2 })).toEqual(newestFirst);
    expect(await listed({ limit: 2, order: 'asc' })).toEqual(ids);
    expect(await listed({ purpose: 'user_data' })).toEqual([ids[3], ids[1]]);
    expect(await listed({ purpose: 'batch', limit: 1, order: 'asc' })).toEqual([
      ids[0],
      ids[2],
      ids[4],
    ]);
    const url = `${quipu.url}/v1/files?limit=2&after=${newestFirst[1]}`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${bob.key}` } });
    expect(await answer.json()).toMatchObject({
      object: 'list',
      has_more: true,
      first_id: newestFirst[2],
      last_id: newestFirst[3],
    });
    for (const id of ids) await bob.client.files.delete(id);
  });

  it('may be larger than a body, and no larger than its limit', async () => {
    const create = async (bytes: number, purpose: 'batch' | 'user_data') =>
      ada.client.files.create({ file: await toFile(Buffer.alloc(bytes, 'a'), 'big'), purpose });
    const large = await create(BATCH_BYTES_MAX, 'batch');
    expect(large.bytes).toBe(BATCH_BYTES_MAX);
    const content = await (await ada.client.files.content(large.id)).arrayBuffer();
    expect(Buffer.from(content).equals(Buffer.alloc(BATCH_BYTES_MAX, 'a'))).toBe(true);
    const tooLarge = rejected(413, 'file_too_large', 'file');
    await expect(create(BATCH_BYTES_MAX + 1, 'batch')).rejects.toEqual(tooLarge);
    await expect(create(FILE_BYTES_MAX + 1, 'user_data')).rejects.toEqual(tooLarge);
    expect((await create(BATCH_BYTES_MAX + 1, 'user_data')).bytes).toBe(BATCH_BYTES_MAX + 1);
  });

  it('is sealed: neither its name nor its content is on the disk in clear text', async () => {
    // Four bytes of clear text occur by chance in the megabytes of ciphertext; a UUID does not.
    const [name, content] = [randomUUID(), randomUUID()];
    await upload(ada, `the plan is ${content}\n`, `${name}.jsonl`);
    const entries = await readdir(home, { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((one) => one.isFile())) {
      const bytes = await readFile(path.join(entry.parentPath, entry.name));
      expect([name, content].filter((word) => bytes.includes(word))).toEqual([]);
    }
  });

  it('is gone with its user', async () => {
    const carol = await createAccount('carol');
    const { id } = await upload(carol);
    const command = new EraseUserCommand(carol, contextOf(randomUUID(), 'cli'));
    await quipu.app.get(CommandBus).execute(command);
    await expect(admin.files.retrieve(id)).rejects.toEqual(rejected(404, 'file_not_found'));
    await expect(admin.files.content(id)).rejects.toEqual(rejected(404, 'file_not_found'));
  });
});

describe('an upload', () => {
  const post = async (form: FormData | string, headers: Record<string, string> = {}) => {
    const authorization = `Bearer ${ada.key}`;
    const init = { method: 'POST', headers: { authorization, ...headers }, body: form };
    const answer = await fetch(`${quipu.url}/v1/files`, init);
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const formOf = (
    fields: Readonly<Record<string, string>>,
    file: Blob | null = new Blob([LINES]),
    name = 'requests.jsonl',
  ): FormData => {
    const form = new FormData();
    if (file) form.append('file', file, name);
    for (const [field, value] of Object.entries(fields)) form.append(field, value);
    return form;
  };

  it.each([
    ['no purpose', {}, 'invalid_purpose', 'purpose'],
    ['an unknown purpose', { purpose: 'vision' }, 'invalid_purpose', 'purpose'],
    ['a purpose of results', { purpose: 'batch_output' }, 'invalid_purpose', 'purpose'],
    [
      'no anchor',
      { purpose: 'batch', 'expires_after[seconds]': '3600' },
      'invalid_expires_after',
      'expires_after',
    ],
    [
      'too early an expiry',
      {
        purpose: 'batch',
        'expires_after[anchor]': 'created_at',
        'expires_after[seconds]': '3599',
      },
      'invalid_expires_after',
      'expires_after',
    ],
    [
      'too late an expiry',
      {
        purpose: 'batch',
        'expires_after[anchor]': 'created_at',
        'expires_after[seconds]': '2592001',
      },
      'invalid_expires_after',
      'expires_after',
    ],
  ])('is rejected with %s', async (_, fields, code, param) => {
    const { status, body } = await post(formOf(fields));
    expect({ status, body }).toMatchObject({ status: 400, body: { error: { code, param } } });
  });

  it('is rejected without a file, with two, or with a name that is too long', async () => {
    const missing = { status: 400, body: { error: { code: 'file_missing', param: 'file' } } };
    const two = formOf({ purpose: 'batch' });
    two.append('file', new Blob([LINES]), 'other.jsonl');
    expect(await post(formOf({ purpose: 'batch' }, null))).toMatchObject(missing);
    expect(await post(two)).toMatchObject(missing);
    const long = formOf({ purpose: 'batch' }, new Blob([LINES]), 'x'.repeat(256));
    expect(await post(long)).toMatchObject(missing);
  });

  it('is rejected when it is no form, and a form is rejected elsewhere', async () => {
    const wrong = { status: 415, body: { error: { code: 'unsupported_media_type' } } };
    expect(await post('{}', { 'content-type': 'application/json' })).toMatchObject(wrong);
    const authorization = `Bearer ${ada.key}`;
    const answer = await fetch(`${quipu.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization },
      body: formOf({}),
    });
    expect(answer.status).toBe(415);
  });

  it('is rejected when it is cut short, and leaves nothing', async () => {
    const before = await readdir(path.join(home, 'blobs', 'staging'));
    const type = 'multipart/form-data; boundary=b';
    const cut = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc';
    const answer = await post(cut, { 'content-type': type });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_form' } } });
    expect(await readdir(path.join(home, 'blobs', 'staging'))).toEqual(before);
  });

  it('may name its expiry, and a file of another purpose has none', async () => {
    const expires_after = { anchor: 'created_at', seconds: 3_600 } as const;
    const file = await toFile(Buffer.from(LINES), 'a.jsonl');
    const created = await ada.client.files.create({ file, purpose: 'batch', expires_after });
    expect(created.expires_at).toBe(created.created_at + 3_600);
    const other = await ada.client.files.create({ file, purpose: 'user_data' });
    expect(other).not.toHaveProperty('expires_at');
  });
});

describe('another area', () => {
  it('reads a file as a stream, and creates one from a stream, once for a request', async () => {
    const files = quipu.app.get(FileStore, { strict: false });
    const { accountId, userId } = ada;
    const context = contextOf('5d2a5a4e-6b8f-4a4e-9a57-0d1c4c3b7a01', 'system');
    async function* lines(): AsyncGenerator<Uint8Array> {
      for (const line of ['{"a":1}\n', '{"b":2}\n']) yield await Promise.resolve(Buffer.from(line));
    }
    const create = async () => {
      const content = await files.stage(lines(), userId, 'batch_output');
      const purpose = 'batch_output';
      const file = { accountId, purpose, name: 'out.jsonl', expiresAfterSeconds: null } as const;
      return files.create(file, content, context);
    };
    const output = await create();
    expect(await create()).toEqual(output);
    expect(await files.find(output.fileId, { accountId })).toEqual(output);
    const read = await Array.fromAsync(await files.open(output, { start: 8 }));
    expect(Buffer.concat(read).toString()).toBe('{"b":2}\n');
    expect(await ada.client.files.retrieve(output.fileId)).toMatchObject({
      purpose: 'batch_output',
      filename: 'out.jsonl',
    });
    expect(await eventsOf(output.fileId)).toEqual(['FileCreated']);
  });

  it('keeps the content of a file that is deleted while it holds it', async () => {
    const files = quipu.app.get(FileStore, { strict: false });
    const blobs = quipu.app.get(Blobs, { strict: false });
    const { id } = await upload(ada, 'held\n');
    const file = await files.find(id, { accountId: ada.accountId });
    await blobs.retain(file.blob, 'batch:batch_1');
    await ada.client.files.delete(id);
    await blobs.sweep();
    const read = await Array.fromAsync((await blobs.open(file.blob)).content);
    expect(Buffer.concat(read).toString()).toBe('held\n');
  });
});
