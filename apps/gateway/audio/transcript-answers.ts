import { type OutgoingHttpHeaders } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { type PaidTranscript } from '#areas/audio/transcribe.handler.js';
import { usageOf, writtenTranscript } from '#areas/audio/transcript-formats.js';
import { type TranscriptionAsked } from '#areas/audio/transcription-form.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { KEEP_ALIVE_MS } from '#areas/streams/streams.settings.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type HoldPace } from '#platform/ledger/hold.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { openAiEnvelope } from '../errors/envelope.js';
import { FailureLog } from '../errors/failure-log.js';
import { Failures } from '../errors/failures.js';
import { type AnswerEnd, type AnswerTap } from '../idempotency/answer-recorder.js';
import { rateLimitHeaders } from '../identity/rate-limit.headers.js';
import { RequestRates } from '../identity/request-rates.js';
import { costHeaders } from '../inference/chat.headers.js';
import { comment, dataEvent, SSE_HEADERS, SseWriter } from '../sse/sse.js';

/** Where one transcript is sent. */
export interface TranscriptReply {
  readonly caller: Caller;
  readonly reply: FastifyReply;
  readonly asked: TranscriptionAsked;
  /** Of the request. */
  readonly signal: AbortSignal;
  readonly tap: AnswerTap | undefined;
}

/** Writes transcripts, whole or as a stream of OpenAI's events. */
@Injectable()
export class TranscriptAnswers {
  constructor(
    private readonly failures: Failures,
    private readonly failureLog: FailureLog,
    private readonly rates: RequestRates,
    @Inject(KEEP_ALIVE_MS) private readonly keepAliveMs: number,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  whole(to: TranscriptReply, { transcript, entry, pace }: PaidTranscript): AnswerEnd {
    const { contentType, body } = writtenTranscript(transcript, to.asked);
    const headers = {
      ...headersOf(transcript),
      ...costHeaders(entry),
      'content-type': contentType,
    };
    to.tap?.head(headers);
    to.tap?.text(body);
    this.#begin(to, { ...headers, 'content-length': Buffer.byteLength(body) }, pace).end(body);
    return 'whole';
  }

  /**
   * A stream that begins with its first text, so that a rejection before it has a status.
   * @param work receives the listener to the text
   * @throws the error of the work where no text has come
   */
  async stream(
    to: TranscriptReply,
    work: (onText: (text: string) => Promise<void>) => Promise<PaidTranscript>,
  ): Promise<AnswerEnd> {
    let writer: SseWriter | undefined;
    const begun = (pace?: HoldPace): SseWriter => {
      if (writer) return writer;
      to.tap?.head(SSE_HEADERS);
      const response = this.#begin(to, SSE_HEADERS, pace);
      const record = to.tap && ((text: string): void => to.tap?.text(text));
      return (writer = new SseWriter(response, this.keepAliveMs, to.signal, record));
    };
    try {
      const { transcript, entry, pace } = await work((delta) =>
        begun().write(dataEvent({ type: 'transcript.text.delta', delta })),
      );
      const cost = Object.entries(costHeaders(entry)).map(([name, value]) => `${name}=${value}`);
      await begun(pace).write(comment(cost.join(' ')));
      const { text, model, engine, confidence, isUnsure: low_confidence } = transcript;
      const facts = { model, engine, confidence, low_confidence };
      const done = { type: 'transcript.text.done', text, usage: usageOf(transcript), ...facts };
      await begun().write(dataEvent(done));
      return 'whole';
    } catch (error) {
      if (!writer) throw error;
      const failure = this.failures.of(error);
      this.failureLog.write({ request: to.reply.request, reply: to.reply, failure, error });
      await writer.write(dataEvent({ type: 'error', ...openAiEnvelope(failure) }));
      return this.failures.isChargeKnown(error) ? 'cut' : 'in-doubt';
    } finally {
      writer?.end();
    }
  }

  /** The rates are current: a stored answer that is sent again does not have them. */
  #begin({ reply, caller }: TranscriptReply, headers: OutgoingHttpHeaders, pace?: HoldPace) {
    reply.hijack();
    const earlier = reply.getHeaders() as Record<string, string>;
    const rates = rateLimitHeaders(this.rates.rateOf(caller), pace, this.clock.now());
    return reply.raw.writeHead(200, { ...earlier, ...headers, ...rates });
  }
}

const headersOf = ({ model, engine }: PaidTranscript['transcript']) => ({
  'x-quipu-model': model,
  'x-quipu-engine': engine,
});
