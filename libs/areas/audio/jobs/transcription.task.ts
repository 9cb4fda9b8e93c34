import { z } from 'zod';

export const TranscriptionInput = z.strictObject({
  /** The address of the samples; the account's user owns them. */
  blob: z.string().length(64),
  seconds: z.number().positive(),
});
export type TranscriptionInput = z.infer<typeof TranscriptionInput>;

const Window = z.strictObject({
  heard: z.array(
    z.strictObject({
      word: z.string().nullable(),
      start: z.number(),
      end: z.number(),
      confidence: z.number(),
    }),
  ),
  noSpeechProbability: z.number(),
});

/** The windows that were heard. */
export const TranscriptionCheckpoint = z.strictObject({
  windows: z.array(Window),
  /** In samples. */
  until: z.int().nonnegative(),
});
export type TranscriptionCheckpoint = z.infer<typeof TranscriptionCheckpoint>;

export const TranscriptionResult = TranscriptionCheckpoint.omit({ until: true }).extend({
  seconds: z.number().positive(),
});
export type TranscriptionResult = z.infer<typeof TranscriptionResult>;
