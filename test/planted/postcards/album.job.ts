import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import {
  defineJob,
  type Finished,
  type JobAttempt,
  type JobRunner,
  type Progress,
} from '#platform/jobs/job-type.js';
import { defineProduct } from '#platform/ledger/product.js';
import { POSTCARD_SETTINGS, type PostcardSettings } from './postcards.settings.js';

const AlbumInput = z.strictObject({ greetings: z.array(z.string().min(1)).min(1).max(100) });
const AlbumResult = z.strictObject({ pages: z.array(z.string()) });
const AlbumProgress = z.strictObject({ pages: z.int().nonnegative() });

export type AlbumInput = z.infer<typeof AlbumInput>;
export type AlbumResult = z.infer<typeof AlbumResult>;
type AlbumProgress = z.infer<typeof AlbumProgress>;

export const albumProduct = defineProduct({
  purpose: 'postcard_album',
  group: 'compute',
  title: 'Albums of postcards',
  meters: { words: 'words of the greetings' },
  captureEvidence: z.strictObject({ jobId: z.uuid(), pages: z.int().nonnegative().nullable() }),
});

/** Lays out one page for each greeting; what it has laid out is its checkpoint. */
@Injectable()
export class AlbumBinder implements JobRunner<AlbumInput, AlbumProgress, AlbumResult, AlbumResult> {
  constructor(@Inject(POSTCARD_SETTINGS) private readonly settings: PostcardSettings) {}

  async *run(
    { input: { greetings }, checkpoint }: JobAttempt<AlbumInput, AlbumResult>,
    signal: AbortSignal,
  ): AsyncGenerator<Progress<AlbumProgress, AlbumResult>, Finished<AlbumResult>, void> {
    const pages = [...(checkpoint?.pages ?? [])];
    for (const greeting of greetings.slice(pages.length)) {
      signal.throwIfAborted();
      pages.push(`${pages.length + 1}. ${greeting.slice(0, this.settings.wordsMax * 10)}`);
      const shown = { pages: pages.length };
      const [done, total] = [pages.length, greetings.length];
      yield { done, total, shown, checkpoint: { pages: [...pages] }, usage: used(greetings, done) };
      await Promise.resolve();
    }
    const usage = used(greetings, pages.length);
    return { result: { pages }, shown: { pages: pages.length }, usage };
  }
}

export const wordsOf = (greetings: readonly string[]): number =>
  greetings.reduce((words, greeting) => words + greeting.split(' ').length, 0);

const used = (greetings: readonly string[], done: number) => [
  { meter: 'words', quantity: wordsOf(greetings.slice(0, done)) },
];

export const albumJob = defineJob({
  name: 'postcard-album',
  title: 'Albums of postcards',
  input: AlbumInput,
  progress: AlbumProgress,
  checkpoint: AlbumResult,
  result: AlbumResult,
  place: { on: 'areas', runner: AlbumBinder },
  limits: {
    openPerAccountMax: 10,
    runningPerAccountMax: 2,
    runningPerHostMax: 2,
    queueMsMax: 600_000,
    runMsMax: 600_000,
  },
  retry: { attemptsMax: 3, backOff: { firstMs: 100, maxMs: 1_000 }, failures: {} },
  price: {
    product: albumProduct,
    whenUnfinished: 'what_was_used',
    ahead: [],
    evidence: ({ jobId, result }) => ({ jobId, pages: result?.['pages'] ?? null }),
  },
});
