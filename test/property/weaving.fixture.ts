import { z } from 'zod';
import { type JobUsage } from '#events/jobs/job.events.js';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { defineJob, type JobPrice } from '#platform/jobs/job-type.js';
import { defineProduct } from '#platform/ledger/product.js';

/** A job type that no area has: it weaves rows, each at five micro-dollars. */
export const weavingProduct = defineProduct({
  purpose: 'weaving',
  group: 'compute',
  title: 'Weaving',
  meters: { rows: 'woven rows' },
  holdEvidence: z.strictObject({ pattern: z.string() }),
  captureEvidence: z.strictObject({ jobId: z.uuid(), outcome: z.string() }),
});

export const rows = (quantity: number): JobUsage => ({ meter: 'rows', quantity });

export const rowLine = (quantity: number): PriceLine => ({
  meter: 'rows',
  quantity,
  unitPriceMicroUsd: '5',
  perUnits: 1,
});

const Rows = z.strictObject({ rows: z.int().nonnegative() });

class NoRunner {
  async *run(): AsyncGenerator<never, never, void> {
    await Promise.resolve();
    throw new Error('no host runs in this spec');
  }
}

export const weavingType = (price: Partial<JobPrice> | null = {}, openPerAccountMax = 3) =>
  defineJob({
    name: 'weaving',
    title: 'Weaving',
    input: z.strictObject({ pattern: z.string() }),
    progress: Rows,
    checkpoint: Rows,
    result: z.strictObject({ cloth: z.string() }),
    place: { on: 'areas', runner: NoRunner },
    limits: {
      openPerAccountMax,
      runningPerAccountMax: 1,
      runningPerHostMax: 1,
      queueMsMax: 3_600_000,
      runMsMax: 7_200_000,
    },
    retry: {
      attemptsMax: 3,
      backOff: { firstMs: 1_000, maxMs: 60_000 },
      failures: { torn: 'retry', no_yarn: 'final' },
    },
    price: price && {
      product: weavingProduct,
      whenUnfinished: 'what_was_used',
      ahead: [],
      evidence: ({ jobId, outcome }) => ({ jobId, outcome }),
      ...price,
    },
  });
