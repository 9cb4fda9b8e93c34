import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { type Catalog } from '#areas/catalog/catalog.js';
import { parseCatalog } from '#areas/catalog/catalog.parser.js';
import { type RigRouter } from '#areas/inference/rigs/rig-router.js';
import { never, requestOf } from '#areas/inference/rigs/upstream.fake.js';
import { bindRigs, sleepAtLeast } from './rigs.binding.js';

/** Port 1 has no listener. */
const CATALOG = `rigs:
  - { name: up, kind: openai, base_url: 'http://127.0.0.1:1/v1', server: vllm,
      allow_fields: [chat_template, best_of] }
models:
  - { id: a/m, owned_by: a, rigs: [up], context: 10,
      price: { input_usd_per_mtok: 1, output_usd_per_mtok: 1 } }
`;

describe('the rigs of a catalog', () => {
  let router: RigRouter | undefined;

  afterEach(() => router?.close());

  /** The rigs of this catalog, as it was read just now, and the lines of their log. */
  const bind = () => {
    const lines: Record<string, unknown>[] = [];
    const write = (text: string): void => {
      lines.push(JSON.parse(text) as Record<string, unknown>);
    };
    const { rigs, models } = parseCatalog(CATALOG, 'catalog.yaml');
    let changed: (() => void) | undefined;
    const catalog = {
      rigs: () => rigs,
      models: () => models,
      onChange: (listener: () => void) => (changed = listener),
    } as unknown as Catalog;
    const engine = { stream: () => Promise.reject(new Error('no engine')) } as never;
    const logger = pino({ base: null, timestamp: false }, { write });
    const bound = bindRigs(catalog, engine, logger, { batchPercent: 100 });
    router = bound;
    changed?.();
    return { bound, lines };
  };

  it('are reported once when they go down, with the cause', async () => {
    const { bound, lines } = bind();
    const order = { model: 'a/m', needs: [], request: () => requestOf() };
    for (let asked = 0; asked < 4; asked += 1) {
      await expect(bound.complete(order, never)).rejects.toThrow();
    }
    expect(lines.filter(({ msg }) => String(msg).startsWith('a rig is'))).toEqual([
      {
        level: 40,
        rig: 'up',
        kind: 'unreachable',
        reason: 'rig up cannot be reached (ECONNREFUSED)',
        detail: 'connect ECONNREFUSED 127.0.0.1:1',
        msg: 'a rig is down; its requests are refused',
      },
    ]);
  });

  it('leave to callers what the catalog says, except what lifts the bound', () => {
    const { bound, lines } = bind();
    const refused = (body: object) => () => bound.check({ model: 'a/m' }, { ...body });
    expect(refused({ chat_template: 'x', keep_alive: -1 })).not.toThrow();
    expect(refused({ priority: -1 })).toThrow("'priority' is refused");
    expect(refused({ best_of: 2 })).toThrow("'best_of' is refused");
    expect(lines).toMatchObject([{ rig: 'up', field: 'best_of' }]);
  });
});

describe('the rigs of a catalog with regions', () => {
  const regional = `rigs:
  - { name: far, kind: openai, base_url: 'http://127.0.0.1:1/v1', region: na }
  - { name: near, kind: openai, base_url: 'http://127.0.0.1:1/v1', region: uk }
models:
  - { id: a/m, owned_by: a, rigs: [far, near], context: 10,
      price: { input_usd_per_mtok: 1, output_usd_per_mtok: 1 } }
`;

  it.each([
    ['uk', 'near', 'far'],
    ['na', 'far', 'near'],
  ])('are asked from %s in the order %s, %s', async (region, ...order) => {
    const { rigs, models } = parseCatalog(regional, 'catalog.yaml');
    const catalog = { rigs: () => rigs, models: () => models, onChange: () => undefined };
    const logger = pino({ level: 'silent' });
    const place = { batchPercent: 100, region };
    const router = bindRigs(catalog as unknown as Catalog, {} as never, logger, place);
    const asked = router.complete({ model: 'a/m', needs: [], request: () => requestOf() }, never);
    const failure: unknown = await asked.catch((error: unknown) => error);
    expect(failure).toMatchObject({ attempts: [{ rig: order[0] }, { rig: order[1] }, {}] });
    await router.close();
  });
});

describe('the pause before a retry on a rig', () => {
  it('is never too short by the clock that times attempts', async () => {
    const { signal } = new AbortController();
    for (let ms = 0.1; ms < 20; ms += 1.7) {
      const startedMs = performance.now();
      await sleepAtLeast(ms, signal);
      expect(performance.now() - startedMs).toBeGreaterThanOrEqual(ms);
    }
  });

  it('ends when the caller leaves', async () => {
    await expect(sleepAtLeast(60_000, AbortSignal.abort())).rejects.toThrow('aborted');
  });
});
