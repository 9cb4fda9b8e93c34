import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { type Catalog } from '#areas/catalog/catalog.js';
import { parseCatalog } from '#areas/catalog/catalog.parser.js';
import { type RigRouter } from '#areas/inference/rigs/rig-router.js';
import {
  deltaOf,
  DONE,
  eventOf,
  json,
  never,
  type Script,
  sse,
  startUpstream,
  statement,
  type Upstream,
  usageChunkOf,
} from '#areas/inference/rigs/upstream.fake.js';
import { RoutedRigs } from './measured-rigs.binding.js';
import { bindRigs } from '../inference/rigs.binding.js';

const catalogOf = (baseUrl: string): string => `rigs:
  - { name: rack, kind: openai, base_url: '${baseUrl}', max_concurrency: 4 }
  - { name: built-in, kind: embedded, max_concurrency: 1 }
models:
  - { id: a/one, upstream_id: one-1, owned_by: a, rigs: [rack], context: 1000, max_output: 50,
      price: { input_usd_per_mtok: 1, output_usd_per_mtok: 1 } }
  - { id: a/two, upstream_id: two-1, owned_by: a, rigs: [rack], context: 1000, max_output: 60,
      price: { input_usd_per_mtok: 1, output_usd_per_mtok: 1 } }
  - { id: a/file, owned_by: a, rigs: [built-in], context: 1000, max_output: 70,
      file: ${import.meta.filename}, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 1 } }
  - { id: a/lost, owned_by: a, rigs: [built-in], context: 1000, max_output: 70,
      file: /nowhere/lost.gguf, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 1 } }
`;

describe('the rigs that are measured', () => {
  let router: RigRouter | undefined;
  let upstream: Upstream | undefined;

  afterEach(async () => {
    await router?.close();
    await upstream?.close();
  });

  const bind = async (script: Script) => {
    upstream = await startUpstream(script);
    const { rigs, models } = parseCatalog(catalogOf(upstream.baseUrl), 'catalog.yaml');
    const catalog = {
      rigs: () => rigs,
      models: () => models,
      model: (id: string) => models.find((one) => one.id === id),
      onChange: () => undefined,
    } as unknown as Catalog;
    const engine = { stream: () => Promise.reject(new Error('no engine')) } as never;
    router = bindRigs(catalog, engine, pino({ level: 'silent' }), { batchPercent: 75 });
    return new RoutedRigs(catalog, router, 75);
  };

  const chat = { rig: 'rack', model: 'a/two', question: 'Count.', outputTokens: 9 };

  it('are the rigs of the catalog, with the slots that lines of batches have', async () => {
    const model = (id: string, outputTokensMax: number) => ({ id, outputTokensMax });
    expect((await bind(json(200, {}))).rigs()).toEqual([
      {
        name: 'rack',
        kind: 'openai',
        description: null,
        streamsMax: 3,
        models: [model('a/one', 50), model('a/two', 60)],
      },
      {
        name: 'built-in',
        kind: 'embedded',
        description: null,
        streamsMax: 1,
        models: [model('a/file', 70), model('a/lost', 70)],
      },
    ]);
  });

  it('list their models, or have their files', async () => {
    const rigs = await bind(json(200, { data: [{ id: 'two-1' }, { id: 'a/one' }] }));
    expect(await rigs.listedModels('rack', never)).toEqual(new Set(['a/two']));
    expect(await rigs.listedModels('built-in', never)).toEqual(new Set(['a/file']));
  });

  it('answer one question at temperature 0, and state what it has used', async () => {
    const chunks = [
      deltaOf({ role: 'assistant', content: '' }),
      deltaOf({ reasoning_content: 'Hm. ' }),
      deltaOf({ content: 'One.' }),
      usageChunkOf(statement(7, 5)),
    ];
    const rigs = await bind(sse([...chunks.map(eventOf), DONE]));
    let sent = 0;
    const pieces = rigs.stream({ ...chat, onSent: () => (sent += 1) }, never);
    let text = '';
    let piece = await pieces.next();
    for (; !piece.done; piece = await pieces.next()) text += piece.value;
    expect(text).toBe('Hm. One.');
    expect(piece.value).toEqual({ promptTokens: 7, completionTokens: 5, isStated: true });
    expect(sent).toBe(1);
    expect(upstream?.received[0]?.body).toMatchObject({
      model: 'two-1',
      max_tokens: 9,
      temperature: 0,
      messages: [{ role: 'user', content: 'Count.' }],
    });
  });

  it('have a problem that names no address', async () => {
    const rigs = await bind(json(400, { error: { message: 'no' } }));
    const asking = rigs.stream({ ...chat, onSent: () => undefined }, never).next();
    await expect(asking).rejects.toMatchObject({
      name: 'RigProblem',
      message: expect.not.stringContaining('127.0.0.1'),
    });
    await expect(rigs.listedModels('rack', never)).rejects.toMatchObject({
      name: 'RigProblem',
      message: 'rig rack answered with status 400 when asked for its models',
    });
  });
});
