import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import { type Bootstrap } from '#apps/composition/bootstrap.js';
import { readSettings } from '#apps/composition/settings.js';
import { startStandalone } from '#apps/processes/standalone.process.js';
import { type BenchOptions } from './bench-options.js';
import { type Figure } from './figure.js';

const NODES = 100;
const RUNS_TOGETHER = 8;
const RUNS_TOGETHER_QUICK = 2;
const CONCURRENCY = 16;

/** A tool that is free and takes no time, so that only the way of a node is measured. */
const node = (index: number, after: readonly string[]): object => ({
  name: `n${index}`,
  kind: 'calculator',
  after,
  parameters: { expression: `${index} + 1` },
});

const chain = Array.from({ length: NODES }, (_, n) => node(n, n === 0 ? [] : [`n${n - 1}`]));
const fan = Array.from({ length: NODES }, (_, n) => node(n, []));

/**
 * Nodes a second of workflows in a standalone process on the embedded engines: each node is started
 * and ended in the log, with its input and its output as sealed blobs.
 */
export const benchWorkflows = async ({
  directory,
  isQuick,
}: BenchOptions): Promise<readonly Figure[]> => {
  const home = await mkdtemp(path.join(directory, 'workflows-'));
  const own = { QUIPU_HOME: home, QUIPU_LOG_LEVEL: 'silent', PORT: '0', HOST: '127.0.0.1' };
  const quipu = await startStandalone(readSettings(own), pino({ level: 'silent' }));
  const text = await readFile(path.join(home, 'bootstrap.json'), 'utf8');
  const runner = new Runner(quipu.url, (JSON.parse(text) as Bootstrap).api_key);
  const chained = await runner.define('chain', chain);
  const fanned = await runner.define('fan', fan);
  await runner.run(fanned);
  const runs = isQuick ? RUNS_TOGETHER_QUICK : RUNS_TOGETHER;
  const figures = [
    { name: 'workflow nodes a second, one after the other', value: await runner.rate(chained, 1) },
    {
      name: `workflow nodes a second, ${CONCURRENCY} at once`,
      value: await runner.rate(fanned, 1),
    },
    { name: `the same, ${runs} runs together`, value: await runner.rate(fanned, runs) },
  ];
  await quipu.stop();
  return figures.map((figure) => ({ ...figure, unit: '/s' }));
};

class Runner {
  constructor(
    private readonly url: string,
    private readonly key: string,
  ) {}

  /** @returns the id of the workflow */
  async define(name: string, nodes: readonly object[]): Promise<number> {
    const definition = { concurrency: CONCURRENCY, nodes };
    const { workflow_id: id } = await this.#post('', { name, definition });
    return Number(id);
  }

  async run(workflowId: number): Promise<void> {
    const run = await this.#post('/run', { workflow_id: workflowId, inputs: {} });
    if (run['status'] !== 'completed') throw new Error(`a run ended: ${JSON.stringify(run)}`);
  }

  /** Nodes a second of `runs` runs at once. */
  async rate(workflowId: number, runs: number): Promise<number> {
    const startedMs = performance.now();
    await Promise.all(Array.from({ length: runs }, () => this.run(workflowId)));
    return (runs * NODES * 1_000) / (performance.now() - startedMs);
  }

  async #post(way: string, body: object): Promise<Record<string, unknown>> {
    const response = await fetch(`${this.url}/api/v1/workflows${way}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.key}`,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
    return (await response.json()) as Record<string, unknown>;
  }
}
