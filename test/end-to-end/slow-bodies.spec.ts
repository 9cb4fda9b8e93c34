import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ANONYMOUS_BODY_BYTES_MAX } from '#apps/gateway/bodies/receptions.js';
import { json } from '#areas/inference/rigs/upstream.fake.js';
import { chatRequest, eventually, startWorld, type World } from './quipu.harness.js';
import { RawConnection } from './raw-connection.js';

const CHAT = '/v1/chat/completions';
const LOGIN = '/api/v1/auth/login';
const FILES = '/v1/files';
const SYNC = '/api/jobs/sync_file';
const MULTIPART = { 'content-type': 'multipart/form-data; boundary=seam' };
const URL_ENCODED = { 'content-type': 'application/x-www-form-urlencoded' };
const EMPTY_PART = '--seam\r\n\r\n\r\n';
const VAULT = '/api/v1/adapters/vault';
/** Fields whose credentials are wrong, and the begin of the file. */
const WRONG_KEY = ['api_key', 'job_id', 'file_content']
  .map((name) => `--seam\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n1\r\n`)
  .join('');
const FORM = [
  '--seam\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nuser_data\r\n',
  '--seam\r\ncontent-disposition: form-data; name="file"; filename="knots.txt"\r\n\r\nknots',
  '\r\n--seam--\r\n',
] as const;
const RECEIVING_BYTES = 65_536;
/** The part that callers share; the rest is for requests that have no credentials. */
const RECEIVING_BYTES_OF_CALLERS = RECEIVING_BYTES * 0.75;

const withKeyOf = ({ api_key }: World['credentials']) => `Bearer ${api_key}`;
const openAi = (code: string) => ({ error: expect.objectContaining({ code }) });
const application = (code: string) => expect.objectContaining({ success: false, code });

describe('bodies that do not arrive', () => {
  let world: World;
  const connections: RawConnection[] = [];

  const open = async (): Promise<RawConnection> => {
    const connection = await RawConnection.open(world.quipu.url);
    connections.push(connection);
    return connection;
  };
  const withKey = (length: number) => ({
    authorization: `Bearer ${world.credentials.api_key}`,
    'content-length': String(length),
  });

  beforeAll(async () => {
    world = await startWorld([json(200, {})], {
      environment: {
        QUIPU_RECEIVE_SECONDS: '1',
        QUIPU_UPLOAD_SECONDS: '3',
        QUIPU_UPLOAD_IDLE_SECONDS: '1',
        QUIPU_RECEIVING_BYTES: String(RECEIVING_BYTES),
        QUIPU_DRAIN_SECONDS: '1',
      },
    });
  });

  afterEach(() => {
    for (const connection of connections.splice(0)) connection.destroy();
  });

  afterAll(() => world.close());

  it.each([
    [CHAT, openAi('missing_credentials')],
    ['/api/v1/auth/revoke', application('missing_credentials')],
  ])('are not waited for without credentials: %s', async (path, body) => {
    const connection = await open();
    connection.post(path, { 'content-length': '9' });
    expect(await connection.answer()).toMatchObject({ status: 401, body });
    // The time limit ends the connection, and no second answer is sent.
    await connection.closed();
    expect(connection.answers).toBe(1);
  });

  it.each([
    [CHAT, openAi('request_timeout')],
    [LOGIN, application('request_timeout')],
  ])('get 408 in the envelope of the route: %s', async (path, body) => {
    const connection = await open();
    connection.post(path, withKey(100), '{"a":');
    expect(await connection.answer()).toMatchObject({
      status: 408,
      body,
      headers: { connection: 'close', 'x-request-id': expect.any(String) },
    });
    await connection.closed();
  });

  it('get 408 while they trickle', async () => {
    const connection = await open();
    connection.post(CHAT, withKey(1_000));
    const trickle = setInterval(() => connection.send(' '), 50);
    try {
      expect(await connection.answer()).toMatchObject({ status: 408 });
      await connection.closed();
    } finally {
      clearInterval(trickle);
    }
  });

  it('get 408 when the headers do not end', async () => {
    const connection = await open();
    connection.send(`POST ${CHAT} HTTP/1.1\r\nhost: quipu\r\n`);
    expect(await connection.answer()).toMatchObject({
      status: 408,
      body: openAi('request_timeout'),
    });
    await connection.closed();
  });

  it('may take longer where they are files', async () => {
    const connection = await open();
    connection.post(FILES, { ...withKey(FORM.join('').length), ...MULTIPART });
    for (const part of FORM) {
      await sleep(600);
      connection.send(part);
    }
    expect(await connection.answer()).toMatchObject({ status: 200, body: { bytes: 5 } });
  });

  it.each([
    ['pause', FILES, withKeyOf, 0],
    ['take too long', FILES, withKeyOf, 100],
    ['have no credentials yet', SYNC, () => '', 100],
  ])('get 408 where they are files that %s', async (_, path, keyOf, trickleMs) => {
    const connection = await open();
    const authorization = keyOf(world.credentials);
    const headers = { authorization, 'content-length': '1000', ...MULTIPART };
    connection.post(path, headers, FORM[0]);
    const trickle = trickleMs > 0 ? setInterval(() => connection.send(' '), trickleMs) : undefined;
    try {
      expect(await connection.answer()).toMatchObject({
        status: 408,
        body: openAi('request_timeout'),
      });
      await connection.closed();
      expect(connection.answers).toBe(1);
    } finally {
      clearInterval(trickle);
    }
  });

  it.each([
    [FILES, MULTIPART, EMPTY_PART],
    [VAULT, MULTIPART, EMPTY_PART],
    [SYNC, MULTIPART, EMPTY_PART],
    [SYNC, URL_ENCODED, 'a=1&'],
  ])('are not read beyond the parts that a form may have: %s, %j', async (path, type, part) => {
    const connection = await open();
    connection.post(path, { ...withKey(4_500_000), ...type }, part.repeat(17));
    expect(await connection.answer()).toMatchObject({
      status: 400,
      headers: { connection: 'close' },
    });
    await connection.closed();
  });

  it.each([
    [FILES, MULTIPART, EMPTY_PART.repeat(17), openAi('missing_credentials')],
    [VAULT, MULTIPART, EMPTY_PART.repeat(17), application('missing_credentials')],
    [SYNC, MULTIPART, WRONG_KEY, application('sync_key_invalid')],
    [SYNC, URL_ENCODED, 'api_key=no&job_id=1&file_content=x', application('sync_key_invalid')],
  ])('are not read without credentials: %s, %j', async (path, type, part, body) => {
    const connection = await open();
    connection.post(path, { 'content-length': '4500000', ...type }, part);
    expect(await connection.answer()).toMatchObject({
      status: 401,
      headers: { connection: 'close' },
      body,
    });
    await connection.closed();
  });

  it('have a limit in all, above which one gets 503', async () => {
    const half = RECEIVING_BYTES_OF_CALLERS / 2;
    const first = await open();
    first.post(CHAT, withKey(half + 10), ' '.repeat(half));
    const second = await open();
    second.post(CHAT, withKey(half + 10), ' '.repeat(half + 1));
    await eventually(() => first.answers + second.answers > 0);
    const refused = first.answers > 0 ? first : second;
    expect(await refused.answer()).toMatchObject({
      status: 503,
      body: openAi('too_many_bodies'),
      headers: { 'retry-after': '1', connection: 'close' },
    });
    // Its bytes are free for others.
    const answer = await fetch(`${world.quipu.url}${CHAT}`, {
      method: 'POST',
      headers: { ...withKey(0), 'content-length': '2', 'content-type': 'application/json' },
      body: '{}',
    });
    expect(answer.status).toBe(400);
  });

  it('leave room for requests without credentials, and the other way round', async () => {
    const callers = await open();
    callers.post(CHAT, withKey(RECEIVING_BYTES), ' '.repeat(RECEIVING_BYTES_OF_CALLERS));
    const login = await open();
    login.post(LOGIN, { 'content-length': '2' }, '{}');
    expect(await login.answer()).toMatchObject({ status: 400 });
  });

  it('are smaller without credentials', async () => {
    const declared = await open();
    declared.post(LOGIN, { 'content-length': String(ANONYMOUS_BODY_BYTES_MAX + 1) });
    expect(await declared.answer()).toMatchObject({
      status: 413,
      body: application('body_too_large'),
    });
    const chunked = await open();
    const chunk = ' '.repeat(ANONYMOUS_BODY_BYTES_MAX + 1);
    const size = chunk.length.toString(16);
    chunked.post(LOGIN, { 'transfer-encoding': 'chunked' }, `${size}\r\n${chunk}\r\n`);
    expect(await chunked.answer()).toMatchObject({ status: 413 });
    await chunked.closed();
  });

  it('fail in the envelope of the route when their chunks are malformed', async () => {
    const connection = await open();
    const { authorization } = withKey(0);
    connection.post(CHAT, { authorization, 'transfer-encoding': 'chunked' }, 'knots\r\n');
    expect(await connection.answer()).toMatchObject({
      status: 400,
      body: openAi('malformed_request'),
    });
    await connection.closed();
    expect(connection.answers).toBe(1);
  });

  it('fail in the same way when they are malformed while a guard waits', async () => {
    const connection = await open();
    const headers = { authorization: 'Bearer sk-svc-unknown', 'transfer-encoding': 'chunked' };
    connection.post(CHAT, headers, 'knots\r\n');
    expect(await connection.answer()).toMatchObject({
      status: 401,
      body: openAi('invalid_api_key'),
    });
    await connection.closed();
    expect(connection.answers).toBe(1);
  });

  it('that arrive slowly but in time are answered', async () => {
    const connection = await open();
    const body = JSON.stringify({ ...chatRequest(), model: 'none' });
    connection.post(CHAT, withKey(body.length));
    for (const character of body) connection.send(character);
    expect(await connection.answer()).toMatchObject({
      status: 404,
      body: openAi('model_not_found'),
    });
  });

  // The last one, since it stops the gateway.
  it('do not prevent a stop', async () => {
    const withoutKey = await open();
    withoutKey.post(CHAT, { 'content-length': '9' });
    const login = await open();
    login.post(LOGIN, { 'content-length': '9' });
    const headers = await open();
    headers.send('GET /v1/models HTTP/1.1\r\n');
    await withoutKey.answer();
    await world.quipu.stop();
    expect(await login.answer()).toMatchObject({ status: 503, body: application('draining') });
    await Promise.all([withoutKey, login, headers].map((one) => one.closed()));
  });
});
