import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type OpenAI } from 'openai';
import {
  chunksOf,
  completionOf,
  DONE,
  eventOf,
  json,
  type Script,
  sse,
  statement,
  usageChunkOf,
} from '#areas/inference/rigs/upstream.fake.js';
import { eventsOf, MODEL, startWorld, type World } from './quipu.harness.js';
import { CONTRACT, KNOTS, uploadText, vectorCatalog } from './vector-stores.fixture.js';

const ANSWER = ['The harbour master', ' signs it [1', '], and no one else [7].'];
const USAGE = statement(9, 4);

const rig: Script = (response, received) => {
  const script =
    received.body['stream'] === true
      ? sse([...chunksOf(...ANSWER).map(eventOf), eventOf(usageChunkOf(USAGE)), DONE])
      : json(200, completionOf(ANSWER.join(''), USAGE));
  script(response, received);
};

describe('vector stores for the official client', () => {
  let world: World;
  let openai: OpenAI;
  let contract: OpenAI.FileObject;
  let knots: OpenAI.FileObject;

  const upload = (name: string, content: string | Buffer) => uploadText(openai, name, content);

  beforeAll(async () => {
    const environment = { QUIPU_VAULT_COMPARTMENTS: 'ALPHA' };
    world = await startWorld([rig], { catalogOf: vectorCatalog, environment });
    ({ openai } = world);
    contract = await upload('contract.txt', CONTRACT);
    knots = await upload('knots.txt', KNOTS);
  });

  afterAll(() => world.close());

  const capturesOf = async (response: Response) => {
    const events = eventsOf(await world.events(), response.headers.get('x-request-id'));
    return events.filter(({ type }) => type === 'HoldCaptured').map(({ data }) => data);
  };
  const stored = async (...files: OpenAI.FileObject[]) => {
    const store = await openai.vectorStores.create({ name: 'Harbour' });
    for (const { id: file_id } of files) {
      const created = await openai.vectorStores.files.createAndPoll(store.id, { file_id });
      expect(created.status).toBe('completed');
    }
    return store.id;
  };

  it('are created, listed, changed and deleted', async () => {
    const metadata = { team: 'legal' };
    const created = await openai.vectorStores.create({ name: 'Contracts', metadata });
    expect(created).toMatchObject({
      ...{ object: 'vector_store', name: 'Contracts', metadata, usage_bytes: 0 },
      ...{ status: 'completed', file_counts: { total: 0 } },
    });
    expect(created.id).toMatch(/^vs_[0-9a-f]{32}$/);
    const changed = await openai.vectorStores.update(created.id, { name: 'Treaties' });
    expect(changed).toEqual({ ...created, name: 'Treaties' });
    expect(await openai.vectorStores.retrieve(created.id)).toEqual(changed);
    const other = await openai.vectorStores.create({});
    const pages = await Array.fromAsync(openai.vectorStores.list({ limit: 1 }));
    expect(pages.map(({ id }) => id)).toEqual([other.id, created.id]);
    expect(await openai.vectorStores.delete(other.id)).toMatchObject({ deleted: true });
    await expect(openai.vectorStores.retrieve(other.id)).rejects.toMatchObject({
      ...{ status: 404, code: 'vector_store_not_found', param: 'vector_store_id' },
    });
    const log = JSON.stringify((await world.events()).map(({ data }) => data));
    for (const word of ['Contracts', 'Treaties', 'legal']) expect(log).not.toContain(word);
  });

  it('have files, for the price of tokens and stored bytes', async () => {
    const store = await stored();
    const attributes = { year: 2026, kind: 'contract' };
    const rule = { max_chunk_size_tokens: 100, chunk_overlap_tokens: 20 };
    const { data: file, response } = await openai.vectorStores.files
      .create(store, {
        ...{ file_id: contract.id, attributes },
        chunking_strategy: { type: 'static', static: rule },
      })
      .withResponse();
    expect(file).toMatchObject({
      ...{ id: contract.id, object: 'vector_store.file', vector_store_id: store, attributes },
      ...{ status: 'completed', chunking_strategy: { type: 'static', static: rule } },
    });
    // The text as JSON, and 768 floats.
    const bytes = JSON.stringify({ chunks: [CONTRACT] }).length + 768 * 4;
    expect(file.usage_bytes).toBe(bytes);
    expect(await capturesOf(response)).toMatchObject([
      {
        purpose: 'vault_ingest',
        lines: [{ meter: 'input_tokens' }, { meter: 'vault_bytes', quantity: bytes }],
      },
    ]);
    await openai.vectorStores.files.create(store, { file_id: knots.id });
    const again = openai.vectorStores.files.create(store, { file_id: knots.id });
    await expect(again).rejects.toMatchObject({ status: 409, param: 'file_id' });
    const listed = await Array.fromAsync(
      openai.vectorStores.files.list(store, { limit: 1, order: 'asc' }),
    );
    expect(listed.map(({ id }) => id)).toEqual([contract.id, knots.id]);
    expect(listed[1]?.chunking_strategy).toEqual({ type: 'other' });
    expect(await openai.vectorStores.retrieve(store)).toMatchObject({
      file_counts: { completed: 2, total: 2 },
    });
    const at = { vector_store_id: store };
    await openai.vectorStores.files.delete(knots.id, at);
    await expect(openai.vectorStores.files.retrieve(knots.id, at)).rejects.toMatchObject({
      ...{ status: 404, code: 'vector_store_file_not_found', param: 'file_id' },
    });
    expect(await openai.files.retrieve(knots.id)).toMatchObject({ id: knots.id });
  });

  it('are searched by meaning and attributes', async () => {
    const store = await stored(knots);
    await openai.vectorStores.files.create(store, {
      ...{ file_id: contract.id, attributes: { year: 2026 } },
    });
    const query = 'Who signs the contract?';
    const { data: page, response } = await openai.vectorStores
      .search(store, { query, max_num_results: 1 })
      .withResponse();
    expect(page.data).toMatchObject([
      { file_id: contract.id, filename: 'contract.txt', content: [{ text: CONTRACT }] },
    ]);
    expect(await capturesOf(response)).toMatchObject([
      { lines: [{ meter: 'input_tokens' }, { meter: 'vault_vectors', quantity: 2 }] },
    ]);
    const found = async (more: object) =>
      (await openai.vectorStores.search(store, { query, ...more })).data.map(
        ({ file_id }) => file_id,
      );
    const filter = (value: number) => ({ filters: { type: 'eq', key: 'year', value } });
    expect(await found(filter(2026))).toEqual([contract.id]);
    expect(await found(filter(2025))).toEqual([]);
    expect(await found({ ranking_options: { score_threshold: 1 } })).toEqual([]);
  });

  it('have files whose attributes change, and whose text is read', async () => {
    const store = await stored(contract, knots);
    const at = { vector_store_id: store };
    const { files } = openai.vectorStores;
    const search = async (year: number) => {
      const filters = { type: 'eq', key: 'year', value: year } as const;
      const { data } = await openai.vectorStores.search(store, { query: 'the harbour', filters });
      return data.map(({ file_id }) => file_id);
    };
    const before = await files.retrieve(contract.id, at);
    const changed = await files.update(contract.id, { ...at, attributes: { year: 1913 } });
    expect(changed).toEqual({ ...before, attributes: { year: 1913 } });
    expect(await files.retrieve(contract.id, at)).toEqual(changed);
    expect(await search(1913)).toEqual([contract.id]);
    expect(await files.update(contract.id, { ...at, attributes: null })).toEqual(before);
    expect(await search(1913)).toEqual([]);
    const content = await Array.fromAsync(files.content(contract.id, at));
    expect(content).toEqual([{ type: 'text', text: CONTRACT }]);
    const log = JSON.stringify((await world.events()).map(({ data }) => data));
    expect(log).not.toContain('1913');
    await files.delete(knots.id, at);
    const gone = [files.content(knots.id, at), files.update(knots.id, { ...at, attributes: {} })];
    for (const refused of gone) {
      await expect(refused).rejects.toMatchObject({
        ...{ status: 404, code: 'vector_store_file_not_found', param: 'file_id' },
      });
    }
    const numbers = Object.fromEntries(Array.from({ length: 17 }, (_, n) => [n, n]));
    await expect(files.update(contract.id, { ...at, attributes: numbers })).rejects.toMatchObject({
      status: 400,
      param: 'attributes',
    });
  });

  it('say nothing about documents above the clearance of a key', async () => {
    const store = await stored(contract);
    const api = async (route: string, body: object, method = 'POST') => {
      const headers = {
        authorization: `Bearer ${world.credentials.api_key}`,
        'content-type': 'application/json',
      };
      const init = { method, headers, body: JSON.stringify(body) };
      const answer = await fetch(`${world.quipu.url}/api/v1/${route}`, init);
      expect(answer.status).toBeLessThan(300);
      return (await answer.json()) as Readonly<Record<string, string>>;
    };
    await api('vault/clearances/1', { clearance: 'SECRET//ALPHA' }, 'PUT');
    await api('vault/vector.php', {
      action: 'ingest',
      vault_uuid: store.slice(3).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
      payload_text: 'The convoy leaves the harbour at midnight.',
      classification_marking: 'SECRET//ALPHA',
    });
    expect((await openai.vectorStores.retrieve(store)).file_counts.total).toBe(2);
    const list = await openai.vectorStores.files.list(store);
    const hidden = list.data.find(({ id }) => id !== contract.id)?.id ?? '';
    await api('vault/clearances/1', { clearance: null }, 'PUT');
    expect((await openai.vectorStores.retrieve(store)).file_counts.total).toBe(1);
    expect((await openai.vectorStores.files.list(store)).data).toHaveLength(1);
    const at = { vector_store_id: store };
    const { files } = openai.vectorStores;
    for (const refused of [
      files.retrieve(hidden, at),
      files.content(hidden, at),
      files.update(hidden, { ...at, attributes: {} }),
    ]) {
      await expect(refused).rejects.toMatchObject({ status: 404 });
    }
    const { data } = await openai.vectorStores.search(store, { query: 'convoy at midnight' });
    expect(data.map(({ file_id }) => file_id)).toEqual([contract.id]);
  });

  it.each([
    ['expires_after', { expires_after: { anchor: 'last_active_at', days: 1 } }],
    ['file_ids', { file_ids: ['file-1'] }],
    ['metadata', { metadata: Object.fromEntries([...Array(17).keys()].map((n) => [n, 'a'])) }],
    ['knots', { knots: 1 }],
  ])('refuse %s by name', async (param, body) => {
    const created = openai.vectorStores.create(body as OpenAI.VectorStoreCreateParams);
    await expect(created).rejects.toMatchObject({ status: 400, param });
  });

  it('refuse files and searches by name', async () => {
    const store = await stored();
    const attach = (body: object) =>
      openai.vectorStores.files.create(store, body as OpenAI.VectorStores.FileCreateParams);
    const image = await upload('a.png', Buffer.from([0x89, 0x50, 0xff]));
    await expect(attach({ file_id: image.id })).rejects.toMatchObject({
      ...{ status: 400, param: 'file_id', code: 'vector_store_file_unsuitable' },
    });
    const empty = await upload('a.txt', '...');
    await expect(attach({ file_id: empty.id })).rejects.toMatchObject({ param: 'file_id' });
    const rule = { max_chunk_size_tokens: 100, chunk_overlap_tokens: 51 };
    await expect(
      attach({ file_id: knots.id, chunking_strategy: { type: 'static', static: rule } }),
    ).rejects.toMatchObject({ param: 'chunking_strategy.static.chunk_overlap_tokens' });
    const search = (body: object) => openai.vectorStores.search(store, { query: 'a', ...body });
    const deep = [...Array(9)].reduce<object>((inner) => ({ type: 'and', filters: [inner] }), {
      type: 'eq',
      key: 'a',
      value: 1,
    });
    await expect(search({ filters: deep })).rejects.toMatchObject({ param: 'filters' });
    await expect(search({ filters: { type: 'eq', key: 'a' } })).rejects.toMatchObject({
      param: 'filters.value',
    });
    await expect(search({ query: ['a', 'b'] })).rejects.toMatchObject({ param: 'query' });
    await expect(search({ rewrite_query: true })).rejects.toMatchObject({ param: 'rewrite_query' });
  });
});

describe('file_search in responses', () => {
  let world: World;
  let openai: OpenAI;
  let store: string;
  let file: string;

  beforeAll(async () => {
    world = await startWorld([rig], { catalogOf: vectorCatalog });
    ({ openai } = world);
    ({ id: store } = await openai.vectorStores.create({ name: 'Harbour' }));
    ({ id: file } = await uploadText(openai, 'contract.txt', CONTRACT));
    await openai.vectorStores.files.create(store, { file_id: file });
  });

  afterAll(() => world.close());

  const tools = (more: object = {}): OpenAI.Responses.Tool[] => [
    { type: 'file_search', vector_store_ids: [store], ...more },
  ];
  const input = 'Who signs the contract?';
  const citation = { type: 'file_citation', filename: 'contract.txt', index: 28 };

  it('answers from the passages, and says what it has searched and cited', async () => {
    const { data, response } = await openai.responses
      .create({
        ...{ model: MODEL, input, instructions: 'Be brief.', tools: tools() },
        include: ['file_search_call.results'],
      })
      .withResponse();
    const found = { file_id: file, filename: 'contract.txt', text: CONTRACT, attributes: {} };
    expect(data.output).toMatchObject([
      { type: 'file_search_call', status: 'completed', queries: [input], results: [found] },
      {
        type: 'message',
        content: [{ text: ANSWER.join(''), annotations: [{ ...citation, file_id: file }] }],
      },
    ]);
    const asked = world.upstream.received.at(-1)?.body;
    expect(asked).not.toHaveProperty('tools');
    const [system] = asked?.['messages'] as readonly { readonly content: string }[];
    expect(system?.content.startsWith('Be brief.\n\n')).toBe(true);
    expect(system?.content).toContain(`[1] contract.txt\n${CONTRACT}`);
    // A charge of the search and one of the chat.
    const purposes = (await world.events())
      .filter(({ type }) => type === 'HoldCaptured')
      .map(({ data: captured }) => (captured as { readonly purpose: string }).purpose);
    expect(purposes.slice(-2)).toEqual(['vault_search', 'chat_completion']);
    expect(response.headers.get('x-quipu-cost-usd')).not.toBeNull();
    const next = await openai.responses.create({
      ...{ model: MODEL, input: 'And now?', previous_response_id: data.id },
    });
    expect(next.output).toHaveLength(1);
    const resent = await openai.responses.create({
      model: MODEL,
      input: [...(data.output as OpenAI.Responses.ResponseInput), { role: 'user', content: 'a' }],
    });
    expect(resent.status).toBe('completed');
  });

  it('streams the same response', async () => {
    const stream = openai.responses.stream({ model: MODEL, input, tools: tools() });
    const types: string[] = [];
    for await (const event of stream) types.push(event.type);
    expect(types.slice(0, 9)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.file_search_call.in_progress',
      'response.file_search_call.searching',
      'response.file_search_call.completed',
      'response.output_item.done',
      'response.output_item.added',
      'response.content_part.added',
    ]);
    expect(types).toContain('response.output_text.annotation.added');
    expect((await stream.finalResponse()).output).toMatchObject([
      { type: 'file_search_call', results: null },
      { content: [{ annotations: [{ index: 28, file_id: file }] }] },
    ]);
  });

  it('may be turned off, and finds nothing beyond its limits', async () => {
    const off = await openai.responses.create({
      ...{ model: MODEL, input, tools: tools(), tool_choice: 'none' },
    });
    expect(off.output).toMatchObject([{ type: 'message' }]);
    const filters = { type: 'eq', key: 'year', value: 2026 };
    const none = await openai.responses.create({
      ...{ model: MODEL, input, tools: tools({ filters }) },
      include: ['file_search_call.results'],
    });
    expect(none.output).toMatchObject([{ results: [] }, { content: [{ annotations: [] }] }]);
  });

  it.each([
    ['tools[0].max_num_results', { max_num_results: 51 }],
    ['tools[0].filters.type', { filters: { type: 'like' } }],
    ['tools[0].vector_store_ids', { vector_store_ids: [] }],
  ])('refuses %s by name, before anything is held', async (param, more) => {
    const placed = (await world.events()).length;
    const asked = openai.responses.create({ model: MODEL, input, tools: tools(more) });
    await expect(asked).rejects.toMatchObject({ status: 400, param });
    expect(await world.events()).toHaveLength(placed);
  });

  it('refuses a vector store of another account as one that is not there', async () => {
    const more = { vector_store_ids: [`vs_${'0'.repeat(32)}`] };
    const asked = openai.responses.create({
      model: MODEL,
      input,
      tools: tools(more),
      store: false,
    });
    await expect(asked).rejects.toMatchObject({ status: 404, param: 'vector_store_id' });
  });
});
