import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import {
  completionOf,
  json,
  startUpstream,
  statement,
  type Upstream,
} from '#areas/inference/rigs/upstream.fake.js';
import { type Bootstrap } from '#apps/composition/bootstrap.js';
import { MODEL, scriptedCatalog } from '../end-to-end/quipu.harness.js';
import { freePorts } from '../servers/server-process.js';
import { KillableQuipu } from './killable-quipu.js';

const KILLS = 2;
const LINES = 800;
/** Lines between two kills. */
const LINES_PER_ROUND = 60;
const PATH = '/v1/chat/completions';

const request = (index: number): string =>
  JSON.stringify({
    custom_id: `line-${index}`,
    method: 'POST',
    url: PATH,
    body: { model: MODEL, messages: [{ role: 'user', content: `Knot ${index}` }], max_tokens: 9 },
  });

describe('SIGKILL of a batch', () => {
  let home: string;
  let upstream: Upstream;
  let quipu: KillableQuipu;

  beforeAll(async () => {
    const answer = json(200, completionOf('Knots.', statement(9, 3)));
    upstream = await startUpstream((response, received) => {
      setTimeout(() => answer(response, received), 40);
    });
    home = await mkdtemp(path.join(tmpdir(), 'quipu-batch-sigkill-'));
    const catalog = path.join(home, 'catalog.yaml');
    const slow = scriptedCatalog(upstream.baseUrl).replace(
      'max_concurrency: 64',
      'max_concurrency: 8',
    );
    await writeFile(catalog, slow);
    const [port = 0] = await freePorts(1);
    quipu = new KillableQuipu(home, port, catalog, {
      QUIPU_INSTANCE: 'victim',
      QUIPU_JOB_SILENCE_SECONDS: '4',
    });
  });

  afterAll(async () => {
    await quipu.kill('SIGKILL');
    await upstream.close();
    await rm(home, { recursive: true, force: true });
  });

  const client = async (): Promise<OpenAI> => {
    const text = await readFile(path.join(home, 'bootstrap.json'), 'utf8');
    const { api_key: apiKey } = JSON.parse(text) as Bootstrap;
    return new OpenAI({ baseURL: `${quipu.url}/v1`, apiKey, maxRetries: 0 });
  };

  const batchWhen = async (
    openai: OpenAI,
    id: string,
    isReached: (batch: OpenAI.Batch) => boolean,
  ): Promise<OpenAI.Batch> => {
    for (;;) {
      const batch = await openai.batches.retrieve(id);
      if (isReached(batch)) return batch;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  it(`ends with each line once and one charge after ${KILLS} kills`, async () => {
    await quipu.start();
    const openai = await client();
    const lines = Array.from({ length: LINES }, (_, index) => request(index)).join('\n');
    const file = await toFile(Buffer.from(lines), 'requests.jsonl');
    const input = await openai.files.create({ file, purpose: 'batch' });
    const { id } = await openai.batches.create({
      input_file_id: input.id,
      endpoint: PATH,
      completion_window: '24h',
    });
    let finished = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const { request_counts: counts } = await batchWhen(openai, id, (batch) => {
        return (batch.request_counts?.completed ?? 0) >= finished + LINES_PER_ROUND;
      });
      finished = counts?.completed ?? 0;
      expect(finished).toBeLessThan(LINES);
      await quipu.kill('SIGKILL');
      await quipu.start();
    }
    const ended = ({ status }: OpenAI.Batch): boolean => status === 'completed';
    const done = await batchWhen(openai, id, ended);
    expect(done).toMatchObject({
      request_counts: { total: LINES, completed: LINES, failed: 0 },
      error_file_id: null,
      usage: { input_tokens: 9 * LINES, output_tokens: 3 * LINES },
    });
    const output = await (await openai.files.content(done.output_file_id ?? '')).text();
    const ids = output
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { custom_id: string }).custom_id);
    expect(ids.toSorted()).toEqual(
      Array.from({ length: LINES }, (_, index) => `line-${index}`).toSorted(),
    );
    // Only what no checkpoint named ran again.
    expect(upstream.received.length).toBeGreaterThan(LINES);
    expect(upstream.received.length).toBeLessThan(2 * LINES);

    await settled(quipu);
    const events = await quipu.events();
    const charges = events.filter(({ type }) => type === 'HoldCaptured');
    // 9 tokens at 1 and 3 at 2 micro-dollars, less 50 percent.
    expect(charges).toMatchObject([{ data: { amountMicroUsd: String((15 * LINES) / 2) } }]);
    expect(events.filter(({ type }) => type === 'JobAttemptEnded')).toHaveLength(KILLS);
    expect(await quipu.checkLedger()).toMatchObject({ balanced: true, faults: [] });
  });
});

const settled = async (quipu: KillableQuipu): Promise<void> => {
  while (!(await quipu.events()).some(({ type }) => type === 'JobSettled')) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};
