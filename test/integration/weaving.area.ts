/**
 * An area with a job on an engine, for processes that a spec starts and kills. Node runs this file
 * without a build, so it is erasable TypeScript.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { z } from 'zod';
import { JobUsage } from '#events/jobs/job.events.js';
import { defineJob } from '#platform/jobs/job-type.js';
import { defineProduct } from '#platform/ledger/product.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { defineEngine } from '#platform/tasks/engine.js';

export const ROW_MICRO_USD = 10;

const Input = z.strictObject({
  rows: z.int().positive(),
  pauseMs: z.int().positive(),
  /** `poison` ends the process that weaves it. */
  yarn: z.enum(['wool', 'poison']),
});
const Woven = z.strictObject({ woven: z.int().nonnegative() });
const Result = z.strictObject({ rows: z.int() });

const Attempt = z.strictObject({
  jobId: z.string(),
  accountId: z.string(),
  submittedAt: z.string(),
  attempt: z.int(),
  input: Input,
  checkpoint: Woven.nullable(),
  usage: z.array(JobUsage).readonly(),
});
type Attempt = z.infer<typeof Attempt>;

const used = (rows: number) => [{ meter: 'rows', quantity: rows }];

const engine = defineEngine({
  name: 'weaving',
  input: Attempt,
  piece: z.strictObject({
    done: z.int(),
    total: z.int(),
    shown: Woven,
    checkpoint: Woven,
    usage: z.array(JobUsage),
  }),
  end: z.strictObject({ result: Result, shown: Woven, usage: z.array(JobUsage) }),
  tasksMax: { worker: 4, inProcess: 4 },
  failures: {},
  canRunHere: () => Promise.resolve(null),
  open: () =>
    Promise.resolve({
      async *run({ input: { rows, pauseMs, yarn }, checkpoint }: Attempt, signal: AbortSignal) {
        for (let row = (checkpoint?.woven ?? 0) + 1; row <= rows; row += 1) {
          await sleep(pauseMs, undefined, { signal });
          if (yarn === 'poison') process.kill(process.pid, 'SIGKILL');
          const shown = { woven: row };
          yield { done: row, total: rows, shown, checkpoint: shown, usage: used(row) };
        }
        return { result: { rows }, shown: { woven: rows }, usage: used(rows) };
      },
      status: () => ({ ready: true, reasons: [], facts: {} }),
      close: () => Promise.resolve(),
    }),
});

export const weavingJob = defineJob<
  z.infer<typeof Input>,
  z.infer<typeof Woven>,
  z.infer<typeof Woven>,
  z.infer<typeof Result>
>({
  name: 'weaving',
  title: 'Weaving',
  input: Input,
  progress: Woven,
  checkpoint: Woven,
  result: Result,
  place: { on: 'engine', engine },
  limits: {
    openPerAccountMax: 100,
    runningPerAccountMax: 8,
    runningPerHostMax: 2,
    queueMsMax: 600_000,
    runMsMax: 600_000,
  },
  retry: { attemptsMax: 2, backOff: { firstMs: 100, maxMs: 1_000 }, failures: {} },
  price: {
    product: defineProduct({
      purpose: 'weaving',
      group: 'compute',
      title: 'Weaving',
      meters: { rows: 'rows that were woven' },
      captureEvidence: z.strictObject({}),
    }),
    whenUnfinished: 'nothing',
    ahead: [],
    evidence: () => ({}),
  },
});

class WeavingModule {
  readonly area = 'weaving';
}
// Erasable TypeScript has no decorators.
Module({})(WeavingModule);

export const weavingArea = defineArea({
  name: 'weaving',
  module: WeavingModule,
  engines: [engine],
  jobs: [weavingJob],
  products: weavingJob.price ? [weavingJob.price.product] : [],
});
