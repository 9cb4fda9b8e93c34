import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import { eventually } from '../../end-to-end/quipu.harness.js';
import {
  BUILT_IN,
  type FleetUnderFault,
  startFleetUnderFault,
} from './fleet-under-fault.harness.js';

const LINES = 2_000;
const KILLS = 3;
/** Lines that end between two kills, at least. */
const LINES_PER_ROUND = 300;
const PATH = '/v1/chat/completions';
/** For all lines on a busy machine. */
const BATCH_MS = 240_000;

const request = (index: number): string =>
  JSON.stringify({
    custom_id: `line-${index}`,
    method: 'POST',
    url: PATH,
    body: {
      model: BUILT_IN,
      messages: [{ role: 'user', content: `What is a hold? ${index}` }],
      max_tokens: 4,
    },
  });

interface OutputLine {
  readonly custom_id: string;
  readonly charged: { readonly input_tokens: number; readonly output_tokens: number };
}

describe('a batch in a fleet', () => {
  let fleet: FleetUnderFault;
  let openai: OpenAI;

  beforeAll(async () => {
    fleet = await startFleetUnderFault({ gateways: 1, projectors: 1, workers: 2 });
    const [gateway] = fleet.gateways;
    const apiKey = fleet.credentials.api_key;
    openai = new OpenAI({ baseURL: `${gateway?.url}/v1`, apiKey, maxRetries: 3 });
  });

  afterAll(() => fleet.close());

  const completedOf = async (id: string): Promise<number> =>
    (await openai.batches.retrieve(id)).request_counts?.completed ?? 0;

  it(
    `has each of ${LINES} lines once, and one charge, when a worker is killed ${KILLS} times`,
    async () => {
      const lines = Array.from({ length: LINES }, (_, index) => request(index)).join('\n');
      const file = await toFile(Buffer.from(lines), 'requests.jsonl');
      const { id: inputFileId } = await openai.files.create({ file, purpose: 'batch' });
      const { id } = await openai.batches.create({
        input_file_id: inputFileId,
        endpoint: PATH,
        completion_window: '24h',
      });
      const [worker] = fleet.workers;
      if (!worker) throw new Error('there is no worker');
      for (let kill = 1; kill <= KILLS; kill += 1) {
        const reached = kill * LINES_PER_ROUND;
        await eventually(async () => (await completedOf(id)) >= reached, BATCH_MS);
        expect(await completedOf(id)).toBeLessThan(LINES);
        await worker.end('SIGKILL');
        await worker.start();
      }
      const isOver = async (): Promise<boolean> =>
        (await openai.batches.retrieve(id)).status === 'completed';
      await eventually(isOver, BATCH_MS);
      const batch = await openai.batches.retrieve(id);
      expect(batch).toMatchObject({
        status: 'completed',
        request_counts: { total: LINES, completed: LINES, failed: 0 },
      });
      const output = await (await openai.files.content(batch.output_file_id ?? '')).text();
      const results = output
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as OutputLine);
      const ids = results.map(({ custom_id: customId }) => customId);
      expect(ids.toSorted()).toEqual(
        Array.from({ length: LINES }, (_, index) => `line-${index}`).toSorted(),
      );
      const settled = async (): Promise<boolean> =>
        (await fleet.events()).some(({ type }) => type === 'JobSettled');
      await eventually(settled, BATCH_MS);
      const charges = (await fleet.events()).filter(({ type }) => type === 'HoldCaptured');
      expect(charges).toMatchObject([{ data: { amountMicroUsd: priceOf(results) } }]);
      expect(await fleet.quipu('ledger', 'check')).toMatchObject({ balanced: true, faults: [] });
    },
    2 * BATCH_MS,
  );
});

/** 1 and 2 micro-dollars for a token, less 50 percent, rounded up once. */
const priceOf = (lines: readonly OutputLine[]): string => {
  const units = lines.reduce(
    (sum, { charged }) => sum + charged.input_tokens + 2 * charged.output_tokens,
    0,
  );
  return String(Math.ceil(units / 2));
};
