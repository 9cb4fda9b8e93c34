import { z } from 'zod';
import { type BatchCounts, type BatchUsage } from '#events/batches/batch.events.js';
import { JobUsage } from '#events/jobs/job.events.js';
import { doubtsOf, UsageDoubts } from '#events/token-usage.vocabulary.js';
import { Sha256Hex } from '#events/vocabulary.js';

const Line = z.int().positive();

/** First and last line. */
const LineRange = z.tuple([Line, Line]);
export type LineRange = z.infer<typeof LineRange>;

/**
 * The results of some lines, in blobs: lines of the output file and lines of the error file. A part
 * is never changed, and no line is in two parts.
 */
export const BatchPart = z.strictObject({
  lines: z.array(LineRange).min(1),
  completed: z.int().nonnegative(),
  failed: z.int().nonnegative(),
  output: Sha256Hex.nullable(),
  errors: Sha256Hex.nullable(),
  /** Of the completed and the aborted lines, by rig and meter. */
  usage: z.array(JobUsage),
  /** Of the completed lines. */
  usageDoubts: UsageDoubts.exactOptional(),
});
export type BatchPart = z.infer<typeof BatchPart>;

/** Where the next attempt continues, and what a batch has that ended early: its finished lines. */
export const BatchCheckpoint = z.strictObject({ parts: z.array(BatchPart) });
export type BatchCheckpoint = z.infer<typeof BatchCheckpoint>;

export const NO_PARTS: BatchCheckpoint = { parts: [] };

export const countsOf = ({ parts }: BatchCheckpoint, total: number): BatchCounts => ({
  total,
  completed: parts.reduce((sum, { completed }) => sum + completed, 0),
  failed: parts.reduce((sum, { failed }) => sum + failed, 0),
});

/** Of the completed lines, each once. */
export const doubtsIn = ({ parts }: BatchCheckpoint) => doubtsOf(parts);

/** Of the completed and the aborted lines, by rig and meter. */
export const usageOf = ({ parts }: BatchCheckpoint): readonly JobUsage[] =>
  sumOf(
    parts.flatMap(({ usage }) => usage),
    byRigAndMeter,
  );

/** Of the completed and the aborted lines, by meter. */
export const usageOnAllRigs = (checkpoint: BatchCheckpoint): readonly BatchUsage[] =>
  sumOf(
    usageOf(checkpoint).map(({ meter, quantity }) => ({ meter, quantity })),
    ({ meter }) => meter,
  );

/** By step and price, too. */
export const byRigAndMeter = ({ quantity: _, ...units }: JobUsage): string => JSON.stringify(units);

/** One usage for all that have the same key. */
export const sumOf = <Usage extends BatchUsage>(
  usage: readonly Usage[],
  keyOf: (one: Usage) => string,
): readonly Usage[] => {
  const sums = new Map<string, Usage>();
  for (const one of usage) {
    const key = keyOf(one);
    sums.set(key, { ...one, quantity: one.quantity + (sums.get(key)?.quantity ?? 0) });
  }
  return [...sums.values()];
};

/** Whether a line is finished. */
export const finishedLines = ({ parts }: BatchCheckpoint): ((line: number) => boolean) => {
  const finished = new Set<number>();
  for (const { lines } of parts) {
    for (const [first, last] of lines) {
      for (let line = first; line <= last; line += 1) finished.add(line);
    }
  }
  return (line) => finished.has(line);
};

/** Neighbours become one range. */
export const rangesOf = (lines: readonly number[]): LineRange[] => {
  const ranges: LineRange[] = [];
  for (const line of lines.toSorted((one, other) => one - other)) {
    const last = ranges.at(-1);
    if (last && last[1] === line - 1) last[1] = line;
    else ranges.push([line, line]);
  }
  return ranges;
};
