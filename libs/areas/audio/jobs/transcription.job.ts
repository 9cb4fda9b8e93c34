import { type LongTranscriptionCaptureEvidence } from '#events/audio/audio.evidence.js';
import {
  TRANSCRIPTION_JOB,
  TranscriptionProgress,
  TranscriptionSummary,
} from '#events/audio/transcription.job.js';
import { defineJob, type EndedJob } from '#platform/jobs/job-type.js';
import { longTranscriptionProduct } from '../audio.product.js';
import { TranscriptionRunner } from './transcription-runner.js';
import {
  TranscriptionCheckpoint,
  TranscriptionInput,
  TranscriptionResult,
} from './transcription.task.js';

const HOUR_MS = 3_600_000;

/** A recording of over a minute. A job that ends early pays for the part that was heard. */
export const transcriptionJob = defineJob({
  name: TRANSCRIPTION_JOB,
  title: 'Transcription of a long recording',
  input: TranscriptionInput,
  progress: TranscriptionProgress,
  checkpoint: TranscriptionCheckpoint,
  result: TranscriptionResult,
  place: { on: 'areas', runner: TranscriptionRunner },
  limits: {
    openPerAccountMax: 20,
    runningPerAccountMax: 1,
    runningPerHostMax: 2,
    // Both together are shorter than the day for which the blob of the samples is kept.
    queueMsMax: 12 * HOUR_MS,
    runMsMax: 2 * HOUR_MS,
  },
  retry: {
    attemptsMax: 5,
    backOff: { firstMs: 1_000, maxMs: 30_000 },
    failures: { recording_gone: 'final' },
  },
  price: {
    product: longTranscriptionProduct,
    whenUnfinished: 'what_was_used',
    ahead: [],
    evidence: (ended) => evidenceOf(ended),
    model: ({ summary }) => TranscriptionSummary.parse(summary).model.asked,
  },
});

const evidenceOf = ({ outcome, summary, result }: EndedJob): LongTranscriptionCaptureEvidence => ({
  ...TranscriptionSummary.parse(summary),
  outcome,
  words: result === null ? null : TranscriptionProgress.parse(result).words,
});
