import OpenAI, { toFile } from 'openai';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchOptions } from './bench-options.js';
import { type Figure } from './figure.js';
import { mockProgram } from './lanes.js';
import { LoadClient } from './load-client.js';
import { footprintOf } from './load/process-tree.js';
import { requestBody } from './load/workload.js';
import { type PeerProcess, startPeer } from './peer-process.js';
import { freshQuipuHome, openAccounts, QUIPU_MODEL, startOnce } from './quipu.peer.js';

const PATH = '/v1/chat/completions';
const CONNECTIONS = 50;
const LINES_MAX = 50_000;
const SMALL = 2_000;
const RSS_EVERY_MS = 100;
/** Lines for each request of 50 connections in the same time. */
const RATIO_MIN = 1.5;
/** The memory of 50,000 lines above 2,000: the ids of the file, the checkpoint, garbage. */
const RSS_GROWTH_MB_MAX = 128;

const lineOf = (index: number): string =>
  JSON.stringify({
    custom_id: `line-${index}`,
    method: 'POST',
    url: PATH,
    body: JSON.parse(requestBody(QUIPU_MODEL, false)) as object,
  });

interface Run {
  readonly linesPerSecond: number;
  readonly rssMaxBytes: number;
}

/** From the creation of the batch until its files are there; the upload is not part of it. */
const runBatch = async (quipu: PeerProcess, apiKey: string, lines: number): Promise<Run> => {
  const baseURL = `http://127.0.0.1:${quipu.port}/v1`;
  const openai = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
  const text = Array.from({ length: lines }, (_, index) => lineOf(index)).join('\n');
  const file = await toFile(Buffer.from(text), 'requests.jsonl');
  const { id: inputFileId } = await openai.files.create({ file, purpose: 'batch' });
  const startedAtMs = performance.now();
  const { id } = await openai.batches.create({
    input_file_id: inputFileId,
    endpoint: PATH,
    completion_window: '24h',
  });
  let rssMaxBytes = 0;
  for (;;) {
    rssMaxBytes = Math.max(rssMaxBytes, footprintOf(quipu.pid).rssBytes);
    const batch = await openai.batches.retrieve(id);
    if (batch.status === 'completed') {
      const { completed = 0 } = batch.request_counts ?? {};
      if (completed !== lines) throw new Error(`${completed} of ${lines} lines are completed`);
      break;
    }
    if (batch.status === 'failed') throw new Error(JSON.stringify(batch.errors));
    await sleep(RSS_EVERY_MS);
  }
  const elapsedMs = performance.now() - startedAtMs;
  return { linesPerSecond: (lines * 1_000) / elapsedMs, rssMaxBytes };
};

/** The lines of a batch against the same requests one by one, on one process in one run. */
export const benchBatches = async (options: BenchOptions): Promise<readonly Figure[]> => {
  const { directory, isQuick, warmUpMs, windowMs } = options;
  const upstream = await startPeer(mockProgram, directory);
  const home = await freshQuipuHome(directory, upstream.port);
  await startOnce(home);
  const { hot: apiKey } = await openAccounts(home, 0);
  const quipu = await startPeer(home.program, directory);
  const generator = new LoadClient();
  const oneByOne = async (): Promise<number> => {
    const { port, pid } = quipu;
    const order = { connections: CONNECTIONS, streaming: false, warmUpMs, windowMs };
    const asked = { model: QUIPU_MODEL, apiKeys: [apiKey], behindPids: [], headers: {} };
    return (await generator.run({ ...order, ...asked, port, pid })).requestsPerSecond;
  };
  await oneByOne();
  const small = await runBatch(quipu, apiKey, SMALL);
  const before = await oneByOne();
  const large = await runBatch(quipu, apiKey, isQuick ? SMALL : LINES_MAX);
  const after = await oneByOne();
  generator.close();
  await quipu.stop();
  await upstream.stop();
  const requestsPerSecond = (before + after) / 2;
  return [
    {
      name: `batch of ${isQuick ? SMALL : LINES_MAX} lines, from creation to files`,
      value: large.linesPerSecond,
      unit: 'lines/s',
    },
    {
      name: `the same requests one by one, ${CONNECTIONS} connections`,
      value: requestsPerSecond,
      unit: 'req/s',
    },
    {
      name: 'lines of a batch : requests one by one',
      value: large.linesPerSecond / requestsPerSecond,
      unit: 'x',
      target: { atLeast: RATIO_MIN },
    },
    {
      name: `RSS, the largest during the large batch, less that of ${SMALL} lines`,
      value: (large.rssMaxBytes - small.rssMaxBytes) / 1e6,
      unit: 'MB',
      target: { atMost: RSS_GROWTH_MB_MAX },
    },
  ];
};
