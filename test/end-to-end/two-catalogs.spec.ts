import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asOperator, OPERATIONS_TOKEN } from '#apps/operations/operations.fixture.js';
import { type Standalone } from '#apps/processes/standalone.process.js';
import { startUpstream, type Upstream } from '#areas/inference/rigs/upstream.fake.js';
import { loadQuipu } from './loaded-quipu.js';
import { answering, chatRequest, eventually, MODEL, scriptedCatalog } from './quipu.harness.js';

const OTHER = 'acme/other';

interface Shown {
  readonly listed: readonly string[];
  readonly overruled: string | null;
}

describe('two processes on one home with different catalogs', () => {
  let home: string;
  let upstream: Upstream;
  let first: Standalone;
  let second: Standalone;
  let apiKey: string;

  const start = async (catalog: string): Promise<Standalone> => {
    const { startStandalone } = await loadQuipu();
    return startStandalone({
      QUIPU_HOME: home,
      QUIPU_CATALOG: catalog,
      QUIPU_LOG_LEVEL: 'silent',
      QUIPU_OPERATIONS_TOKEN: OPERATIONS_TOKEN,
    });
  };

  beforeAll(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'quipu-catalogs-'));
    upstream = await startUpstream(answering('Knots', '.'));
    const [one, other] = [path.join(home, 'one.yaml'), path.join(home, 'other.yaml')];
    await writeFile(one, scriptedCatalog(upstream.baseUrl));
    await writeFile(other, scriptedCatalog(upstream.baseUrl).replace(MODEL, OTHER));
    first = await start(one);
    apiKey = first.bootstrap?.api_key ?? '';
    second = await start(other);
  });

  afterAll(async () => {
    await second.stop();
    await first.stop();
    await upstream.close();
    await rm(home, { recursive: true });
  });

  const authorization = () => ({ authorization: `Bearer ${apiKey}` });

  const shownBy = async ({ url }: Standalone): Promise<Shown> => {
    const models = await fetch(`${url}/v1/models`, { headers: authorization() });
    const { data } = (await models.json()) as { readonly data: readonly { readonly id: string }[] };
    const report = (await (await fetch(`${url}/health/ready`, asOperator)).json()) as {
      readonly catalog: { readonly overruled: string | null };
    };
    return { listed: data.map(({ id }) => id), overruled: report.catalog.overruled };
  };

  const ask = async ({ url }: Standalone, model: string): Promise<number> => {
    const { status } = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authorization() },
      body: JSON.stringify(chatRequest({ model })),
    });
    return status;
  };

  it('list and serve what the newest rate card prices, and say so', async () => {
    await eventually(async () => (await shownBy(first)).overruled !== null);
    expect(await shownBy(first)).toEqual({
      listed: [],
      overruled: `rate card 2 of another process does not price ${MODEL}, not served here`,
    });
    expect(await ask(first, MODEL)).toBe(404);
    expect(await shownBy(second)).toEqual({ listed: [OTHER], overruled: null });
    expect(await ask(second, OTHER)).toBe(200);
  });

  it('publish their own catalog again when they are to read it', async () => {
    await first.reload();
    expect(await shownBy(first)).toEqual({ listed: [MODEL], overruled: null });
    expect(await ask(first, MODEL)).toBe(200);
    await eventually(async () => (await shownBy(second)).overruled !== null);
    expect(await ask(second, OTHER)).toBe(404);
  });
});
