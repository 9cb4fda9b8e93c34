import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { type TranscriptionSummary } from '#events/audio/transcription.job.js';
import { JobId } from '#events/jobs/job.events.js';
import { Blobs } from '#platform/blobs/blobs.port.js';
import { blobOwnerOf } from '#platform/jobs/job-blobs.js';
import { Jobs } from '#platform/jobs/jobs.port.js';
import { type Clock } from '#platform/kernel/clock.js';
import { MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { reject } from '../audio.errors.js';
import { AUDIO_METER, audioPriceOf } from '../audio.product.js';
import { AUDIO_SETTINGS, type AudioSettings } from '../audio.settings.js';
import { EMBEDDED_MODEL } from '../embedded-recognizer.js';
import { transcriptOf } from '../heard-transcript.js';
import { Recordings } from '../recordings.js';
import { type Transcript } from '../transcript.js';
import { transcriptionJob } from './transcription.job.js';

export interface LongTranscriptionOrder {
  readonly accountId: string;
  readonly file: Buffer;
  readonly context: CommandContext;
}

/** Transcriptions of long recordings, as jobs of the embedded model. */
@Injectable()
export class LongTranscripts {
  constructor(
    private readonly recordings: Recordings,
    private readonly blobs: Blobs,
    private readonly jobs: Jobs,
    private readonly prices: MeterPrices,
    @Inject(AUDIO_SETTINGS) private readonly settings: AudioSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Holds the whole recording and submits the job. The id of the request is the id of the job: a
   * repetition is the same job.
   * @throws DomainError; `insufficient_balance`, `too_many_jobs`
   */
  async submit(order: LongTranscriptionOrder, signal: AbortSignal): Promise<JobId> {
    const { accountId, file, context } = order;
    const line = audioPriceOf(this.prices.inForce(this.clock.now()), AUDIO_METER);
    const { jobSecondsMax } = this.settings;
    const { pcm, seconds } = await this.recordings.decode(accountId, file, jobSecondsMax, signal);
    const { address: blob } = await this.blobs.put(Readable.from([pcm]), {
      owner: blobOwnerOf(accountId),
    });
    const audioMs = Math.ceil(seconds * 1_000);
    const summary: TranscriptionSummary = {
      model: { asked: EMBEDDED_MODEL, answered: EMBEDDED_MODEL },
      engine: 'embedded',
      task: 'transcribe',
      audioMs,
    };
    const { rateCardVersion } = line;
    const hold = { lines: [line.lineOf(audioMs)], rateCardVersion, evidence: summary };
    const jobId = JobId.parse(context.requestId);
    const input = { blob, seconds };
    await this.jobs.submit(transcriptionJob, { jobId, accountId, input, summary, hold }, context);
    return jobId;
  }

  /** @throws DomainError `audio_job_unfinished`, `job_not_found`, `job_result_gone` */
  async transcript(jobId: JobId): Promise<Transcript> {
    const result = await this.jobs.result(transcriptionJob, jobId);
    if (!result) return reject('audio_job_unfinished', 'the recording is not transcribed yet');
    return transcriptOf(result.windows, result.seconds, EMBEDDED_MODEL);
  }
}
