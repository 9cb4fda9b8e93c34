import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { type TranscriptionProgress } from '#events/audio/transcription.job.js';
import { BlobError } from '#platform/blobs/blobs.errors.js';
import { Blobs } from '#platform/blobs/blobs.port.js';
import { blobOwnerOf } from '#platform/jobs/job-blobs.js';
import {
  type Finished,
  type JobAttempt,
  type JobRunner,
  type Progress,
} from '#platform/jobs/job-type.js';
import { AUDIO_METER } from '../audio.product.js';
import { EmbeddedRecognizer } from '../embedded-recognizer.js';
import {
  type TranscriptionCheckpoint,
  type TranscriptionInput,
  type TranscriptionResult,
} from './transcription.task.js';

type Attempt = JobAttempt<TranscriptionInput, TranscriptionCheckpoint>;
type Report = Progress<TranscriptionProgress, TranscriptionCheckpoint>;
type Done = Finished<TranscriptionResult, TranscriptionProgress>;

const SAMPLES_PER_MS = 16;

/** Hears the windows of a recording; another attempt continues behind the last one. */
@Injectable()
export class TranscriptionRunner implements JobRunner<
  TranscriptionInput,
  TranscriptionProgress,
  TranscriptionCheckpoint,
  TranscriptionResult
> {
  constructor(
    private readonly blobs: Blobs,
    private readonly recognizer: EmbeddedRecognizer,
  ) {}

  async *run(attempt: Attempt, signal: AbortSignal): AsyncGenerator<Report, Done, void> {
    const { input, checkpoint } = attempt;
    const pcm = await this.#samplesOf(attempt);
    const windows = [...(checkpoint?.windows ?? [])];
    const total = Math.ceil(input.seconds * 1_000);
    let heardMs = Math.min(total, Math.ceil((checkpoint?.until ?? 0) / SAMPLES_PER_MS));
    const shown = (): TranscriptionProgress => ({ heardMs, words: wordsIn(windows) });
    const usage = () => [{ meter: AUDIO_METER, quantity: heardMs }];
    for await (const window of this.recognizer.hear(pcm, signal, checkpoint?.until)) {
      const { heard, noSpeechProbability, until } = window;
      windows.push({ heard: [...heard], noSpeechProbability });
      heardMs = Math.min(total, Math.ceil(until / SAMPLES_PER_MS));
      const reached = { windows: [...windows], until };
      yield { done: heardMs, total, shown: shown(), checkpoint: reached, usage: usage() };
    }
    return { result: { windows, seconds: input.seconds }, shown: shown(), usage: usage() };
  }

  async #samplesOf({ accountId, input }: Attempt): Promise<Buffer> {
    try {
      const ref = { address: input.blob, owner: blobOwnerOf(accountId) };
      const { content } = await this.blobs.open(ref);
      return await buffer(content);
    } catch (cause) {
      if (!(cause instanceof BlobError)) throw cause;
      const error = new Error('the recording is not stored any more', { cause });
      throw Object.assign(error, { code: 'recording_gone' });
    }
  }
}

const wordsIn = (windows: TranscriptionCheckpoint['windows']): number =>
  windows.reduce((sum, { heard }) => sum + heard.filter(({ word }) => word !== null).length, 0);
