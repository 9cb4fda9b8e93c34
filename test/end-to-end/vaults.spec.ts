import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { CommandLine } from './command-line.fixture.js';
import { eventually, startWorld, type World } from './quipu.harness.js';

const MODEL = path.resolve(
  import.meta.dirname,
  '../../models/embeddings/quipu-embed-768/model.safetensors',
);

/** A token costs a micro-dollar, and so does a vector. */
const catalogOf = (): string => `
rigs:
  - { name: built-in, kind: embedded }
models:
  - { id: quipu-embed-768, kind: embedding, owned_by: quipu, rigs: [built-in], dimensions: 768,
      context: 8192, file: ${MODEL}, price: { input_usd_per_mtok: 1 } }
meters:
  - { meter: vault_vectors, usd: 1, per: 1000000 }
  - { meter: vault_bytes, usd: 1, per: 1000000000 }
  - { meter: workflow_steps, usd: 1, per: 1000000 }
`;

const SECRET_TEXT = 'The albatross convoy leaves the harbour of Kiel at midnight with the cargo.';
const OPEN_TEXT =
  'The contract of March is signed by the harbour master.\n\n' +
  'The rental of the boat ends in April, and the deposit is returned within a week.';

type Body = Readonly<Record<string, unknown>>;
type Method = 'get' | 'post' | 'put' | 'delete';

describe('vaults', () => {
  let world: World;
  const cli = new CommandLine(() => world);

  beforeAll(async () => {
    const environment = { QUIPU_VAULT_COMPARTMENTS: 'ALPHA,BRAVO', QUIPU_VAULTS: '4' };
    world = await startWorld([], { catalogOf, environment });
  });

  afterAll(() => world.close());

  const send = (method: Method, route: string, sent: object = {}, key?: string) => {
    const asking = request(world.quipu.url)[method](`/api/v1/${route}`);
    const bearer = `Bearer ${key ?? world.credentials.api_key}`;
    const asked = asking.set('authorization', bearer);
    return method === 'get' ? asked.query(sent) : asked.send(sent);
  };
  const ask = async (
    method: Method,
    route: string,
    sent: object = {},
    status = 200,
    key?: string,
  ): Promise<Body> => {
    const { body } = await send(method, route, sent, key).expect(status);
    return body as Body;
  };
  const create = async (name = 'Contracts') => {
    const { vault } = await ask('post', 'vaults', { name });
    return String((vault as Body)['vault_uuid']);
  };
  const act = (action: string, vault: string, more: object, status = 200, key?: string) =>
    ask('post', 'vault/vector.php', { action, vault_uuid: vault, ...more }, status, key);
  const ingest = (vault: string, payload_text: string, more: object = {}, status = 200) =>
    act('ingest', vault, { document_title: 'A title', payload_text, ...more }, status);
  const search = (vault: string, query: string, more: object = {}, key?: string) =>
    act('search', vault, { query, ...more }, 200, key);
  const clear = (clearance: string | null, key_id: string | null = null) =>
    ask('put', 'vault/clearances/1', { clearance, key_id });
  const lastOf = async (type: string) =>
    (await world.events()).findLast((event) => event.type === type);

  it('find passages by their meaning, exactly, for the price of tokens and vectors', async () => {
    const vault = await create();
    expect(await ingest(vault, OPEN_TEXT)).toMatchObject({
      ...{ success: true, action: 'ingest', vault_uuid: vault, status: 'ingested', job_id: null },
      ...{ classification_marking: 'UNCLASSIFIED', chunks: 1, prompt_tokens: expect.any(Number) },
    });
    await ingest(vault, 'Knots hold a rope to a post.', { document_title: 'Knots' });
    const answer = await search(vault, 'rope and knots', { top_k: 1 });
    expect(answer).toMatchObject({
      ...{ success: true, action: 'search', total_results: 1, index: 'exact', recall: 1 },
      ...{ vectors_searched: 2, clearance: 'UNCLASSIFIED', model: 'quipu-embed-768' },
      results: [{ document_title: 'Knots', text: 'Knots hold a rope to a post.', chunk: 0 }],
    });
    const captured = await lastOf('HoldCaptured');
    expect(captured?.data).toMatchObject({
      purpose: 'vault_search',
      lines: [
        { meter: 'input_tokens', quantity: answer['prompt_tokens'], model: 'quipu-embed-768' },
        { meter: 'vault_vectors', quantity: 2 },
      ],
      evidence: { vaultId: vault, top: 1, hits: 1, index: 'exact' },
    });
    expect((await lastOf('VaultSearched'))?.data).toMatchObject({ vaultId: vault, hits: 1 });
  });

  it('say nothing about documents above the clearance of a key', async () => {
    const vault = await create('Convoys');
    await ingest(vault, OPEN_TEXT);
    await ingest(vault, SECRET_TEXT, { classification_marking: 'SECRET//ALPHA' }, 403);
    await clear('SECRET//ALPHA');
    const { document_id: secret } = await ingest(vault, SECRET_TEXT, {
      classification_marking: 'secret//alpha',
    });
    const query = 'albatross convoy in the harbour of Kiel';
    expect((await search(vault, query))['results']).toMatchObject([
      { document_id: secret, classification_marking: 'SECRET//ALPHA' },
      { classification_marking: 'UNCLASSIFIED' },
    ]);
    const { api_key: low, key } = await issueKey();
    await clear('CONFIDENTIAL', key);
    const seen = await search(vault, query, {}, low);
    expect(seen).toMatchObject({ total_results: 1, vectors_searched: 1, recall: 1 });
    expect(JSON.stringify(seen)).not.toContain('albatross');
    const at = `vaults/${vault}`;
    expect(await ask('get', at, {}, 200, low)).toMatchObject({
      vault: { documents: 1, chunks: 1, clearance: 'CONFIDENTIAL' },
    });
    expect(await ask('get', `${at}/documents`, {}, 200, low)).toMatchObject({ total_records: 1 });
    const hidden = await ask('get', `${at}/documents/${String(secret)}`, {}, 404, low);
    const absent = await ask('get', `${at}/documents/${vault}`, {}, 404, low);
    expect(hidden).toEqual(absent);
    await ask('delete', `${at}/documents/${String(secret)}`, {}, 404, low);
    await ask('delete', at, {}, 403, low);
    await ask('post', `${at}/rotate_key`, {}, 403, low);
    await clear(null);
    expect(await search(vault, query)).toMatchObject({ total_results: 1 });
  });

  it('are searched by a tool of the Model Context Protocol, for the same price', async () => {
    const vault = await create('Tools');
    await ingest(vault, 'Knots hold a rope to a post.', { document_title: 'Knots' });
    const input = { vault_uuid: vault, query: 'rope and knots', top_k: 1 };
    const params = { name: 'vault_search', arguments: input };
    const { body } = await send('post', 'mcp', {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params,
    })
      .set('accept', 'application/json, text/event-stream')
      .expect(200);
    expect(body).toMatchObject({
      result: { structuredContent: { results: [{ text: 'Knots hold a rope to a post.' }] } },
    });
    expect((await lastOf('VaultSearched'))?.data).toMatchObject({ vaultId: vault, hits: 1 });
    expect((await lastOf('HoldCaptured'))?.data).toMatchObject({
      purpose: 'mcp_tool_call',
      lines: [{ meter: 'input_tokens' }, { meter: 'vault_vectors', quantity: 1 }],
      evidence: { tool: 'vault_search' },
    });
    await ask('delete', `vaults/${vault}`);
  });

  it('are searched by a node of a workflow', async () => {
    const vault = await create('Nodes');
    await ingest(vault, 'Knots hold a rope to a post.', { document_title: 'Knots' });
    const parameters = { vault_uuid: vault, query: 'rope and knots', top_k: 1 };
    const definition = { nodes: [{ name: 'find', kind: 'vault_search', parameters }] };
    const { workflow_id: id } = await ask('post', 'workflows', { name: 'find', definition }, 201);
    const run = { workflow_id: id, inputs: {}, async: false };
    expect(await ask('post', 'workflows/run', run)).toMatchObject({
      status: 'completed',
      node_results: { find: { output: { results: [{ text: 'Knots hold a rope to a post.' }] } } },
    });
    await ask('delete', `vaults/${vault}`);
  });

  it('answer after their key was rotated, and never after they were erased', async () => {
    const vault = await create('Rotated');
    await ingest(vault, OPEN_TEXT);
    const before = await search(vault, 'deposit of the boat');
    await ask('post', `vaults/${vault}/rotate_key`);
    const shown = async () => (await ask('get', `vaults/${vault}`))['vault'] as Body;
    await eventually(async () => (await shown())['is_rotating'] === false);
    expect(await shown()).toMatchObject({ key_generation: 2, documents: 1, name: 'Rotated' });
    const after = await search(vault, 'deposit of the boat');
    expect(after['results']).toEqual(before['results']);
    await ask('delete', `vaults/${vault}`);
    await act('search', vault, { query: 'boat' }, 404);
    await ask('get', `vaults/${vault}`, {}, 404);
    expect((await lastOf('VaultErased'))?.data).toMatchObject({ reason: 'requested' });
  });

  it('take a long document as a job', async () => {
    const vault = await create('Long');
    const text = Array.from(
      { length: 70 },
      (_, n) => `Rule ${n}: ${'the rope holds. '.repeat(45)}`,
    );
    const answer = await ingest(vault, text.join('\n\n'));
    expect(answer).toMatchObject({ status: 'queued', chunks: 70, prompt_tokens: null });
    const job = async () => await ask('get', `jobs/${String(answer['job_id'])}`);
    await eventually(async () => JSON.stringify(await job()).includes('"completed"'));
    const found = await search(vault, 'Rule 42', { top_k: 3 });
    expect(found).toMatchObject({ vectors_searched: 70, total_results: 3 });
    const charged = async () =>
      (await world.events()).find(
        ({ type, data }) =>
          type === 'HoldCaptured' && (data as Body)['purpose'] === 'vault_ingest_job',
      );
    await eventually(async () => (await charged()) !== undefined);
    expect((await charged())?.data).toMatchObject({
      outcome: 'completed',
      lines: [{ meter: 'input_tokens', model: 'quipu-embed-768' }, { meter: 'vault_bytes' }],
      evidence: { vaultId: vault, chunks: 70 },
    });
  });

  it('reject by name, and for free', async () => {
    const [vault = ''] = await vaults();
    const charges = async () =>
      (await world.events()).filter(({ type }) => type === 'HoldCaptured').length;
    const before = await charges();
    const other = '7d1f0c52-1d3e-5f6a-8b9c-0d1e2f3a4b5c';
    for (const [action, id, more, status, message] of [
      ['search', other, { query: 'x' }, 404, 'there is no such vault'],
      ['search', vault, {}, 400, 'query: expected a text with letters or digits'],
      [
        'search',
        vault,
        { query: 'x', top_k: 101 },
        400,
        'top_k: expected an integer from 1 to 100',
      ],
      ['search', vault, { query: 'x', payload_text: 'y' }, 400, 'payload_text: expected nothing'],
      ['ingest', vault, { payload_text: '?!' }, 400, 'payload_text: expected a text with letters'],
      ['ingest', vault, { payload_text: 'x', top_k: 1 }, 400, 'top_k: expected nothing'],
      [
        'ingest',
        vault,
        { payload_text: 'x', classification_marking: 'COSMIC' },
        400,
        'classification_marking: expected one of UNCLASSIFIED',
      ],
      ['erase', vault, {}, 400, 'action: expected one of search, ingest'],
    ] as const) {
      expect(JSON.stringify(await act(action, id, more, status))).toContain(message);
    }
    expect(await charges()).toBe(before);
  });

  it('are not found by another account, and are limited in number', async () => {
    const [vault = ''] = await vaults();
    const { api_key: other } = await cli.createUser('ada', 'renter');
    await act('search', vault, { query: 'x' }, 404, other);
    await ask('get', `vaults/${vault}`, {}, 404, other);
    await ask('delete', `vaults/${vault}`, {}, 404, other);
    while ((await vaults()).length < 4) await create();
    expect(await ask('post', 'vaults', { name: 'One more' }, 409)).toMatchObject({
      message: 'the account has 4 vaults; delete some first',
    });
  });

  it('leave no text in the log', async () => {
    const log = JSON.stringify((await world.events()).map(({ data }) => data));
    for (const word of ['albatross', 'harbour master', 'A title', 'Convoys']) {
      expect(log).not.toContain(word);
    }
  });

  const vaults = async () =>
    ((await ask('get', 'vaults'))['vaults'] as Body[]).map((one) => String(one['vault_uuid']));
  const issueKey = async () => {
    const issued = await ask('post', 'auth/keys', { name: 'low' }, 201);
    return { api_key: String(issued['api_key']), key: String((issued['key'] as Body)['id']) };
  };

  it('are created, filled, searched, cleared and erased on the command line', async () => {
    const user = ['--user', world.credentials.username];
    const at = ['--gateway', world.quipu.url];
    const keyless = await cli.run('vault', 'create', ...at, '--name', 'By hand');
    expect(keyless.stderr).toContain('QUIPU_API_KEY');
    const keyed = new CommandLine(() => ({
      environment: { ...world.environment, QUIPU_API_KEY: world.credentials.api_key },
    }));
    // The account has as many vaults as it may have.
    const listed = await cli.result('vault', 'list', ...user);
    const [first] = (listed as { readonly vaults: readonly Body[] }).vaults;
    await cli.result('vault', 'erase', String(first?.['vault_uuid']), ...user, '--yes');
    const made = await keyed.result('vault', 'create', ...at, '--name', 'By hand');
    const vault = String((made as Body)['vault_uuid']);
    expect(await cli.result('vault', 'list', ...user)).toMatchObject({
      vaults: expect.arrayContaining([expect.objectContaining({ name: 'By hand' })]),
    });
    const file = path.join(world.home, 'secret.txt');
    await writeFile(file, SECRET_TEXT);
    const ingesting = ['vault', 'ingest', vault, file, ...at, '--marking', 'SECRET//ALPHA'];
    const early = await keyed.run(...ingesting);
    expect(early.exitCode).not.toBe(0);
    expect(early.stderr).toContain('marking_above_clearance');
    expect(await cli.result('vault', 'clearance', 'SECRET//ALPHA', ...user)).toMatchObject({
      clearance: 'SECRET//ALPHA',
    });
    expect(await keyed.result(...ingesting)).toMatchObject({ status: 'ingested', chunks: 1 });
    const query = ['vault', 'search', vault, 'albatross convoy', ...at];
    expect(await keyed.result(...query)).toMatchObject({
      results: [{ document_title: 'secret.txt', text: SECRET_TEXT }],
    });
    expect((await lastOf('HoldCaptured'))?.data).toMatchObject({ purpose: 'vault_search' });
    await cli.result('vault', 'clearance', ...user);
    expect(await keyed.result(...query)).toMatchObject({ results: [] });
    expect(await cli.result('vault', 'erase', vault, ...user, '--yes')).toMatchObject({
      erased: true,
    });
    const gone = await keyed.run(...query);
    expect(gone.stderr).toContain('vault_not_found');
  });
});
