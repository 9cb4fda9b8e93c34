import { Inject, Injectable } from '@nestjs/common';
import {
  type TranscriptionCaptureEvidence,
  type TranscriptionHoldEvidence,
} from '#events/audio/audio.evidence.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type HoldPace, type LedgerEntry } from '#platform/ledger/hold.js';
import { type MeterPrice, MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { type PaidOrder } from '#platform/ledger/paid-work/paid-order.js';
import { type HeldRequest, PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { cutOf } from '#platform/runtime/commands/request-cut.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { TEXT_HASHER, type TextHasher } from '#platform/secrets/keyed-hasher.js';
import { reject } from './audio.errors.js';
import {
  AUDIO_METER,
  audioPriceOf,
  transcriptionProduct,
  UPSTREAM_AUDIO_METER,
} from './audio.product.js';
import { AUDIO_SETTINGS, type AudioSettings } from './audio.settings.js';
import { EMBEDDED_MODEL, EmbeddedRecognizer, type HeardWindow } from './embedded-recognizer.js';
import { Recordings } from './recordings.js';
import { transcriptOf } from './heard-transcript.js';
import { type DecodedAudio } from './speech-recognition.engine.js';
import { textOf, type Transcript } from './transcript.js';
import { type TranscriptionAsked } from './transcription-form.js';
import {
  AudioUpstreams,
  type ServedModel,
  type UploadedSound,
} from './upstreams/audio-upstreams.js';

/** A longer recording is a job. */
export const WAITED_SECONDS_MAX = 60;
/** OpenAI's default name: without an upstream for it, the embedded model answers. */
const DEFAULT_MODEL = 'whisper-1';
const SAMPLES_PER_MS = 16;

export interface TranscriptionOrder extends PaidOrder {
  readonly sound: UploadedSound;
  readonly asked: TranscriptionAsked;
}

/** A transcript that has been paid for. */
export interface PaidTranscript {
  readonly transcript: Transcript;
  readonly entry: LedgerEntry;
  readonly pace?: HoldPace;
}

/** Receives the text as it is heard, in pieces that follow each other. */
export type TextListener = (text: string) => Promise<void>;

interface Work {
  readonly order: TranscriptionOrder;
  readonly served: ServedModel | null;
  readonly decoded: DecodedAudio;
  readonly onText: TextListener | undefined;
}

/** Milliseconds that were heard, and the text where there is one. */
interface Finished {
  readonly heardMs: number;
  readonly transcript: Transcript | null;
  readonly weightsSha256: string | null;
}

/** Decodes, holds, hears, charges. */
@Injectable()
export class TranscribeHandler {
  constructor(
    private readonly recordings: Recordings,
    private readonly recognizer: EmbeddedRecognizer,
    private readonly upstreams: AudioUpstreams,
    private readonly paid: PaidRequests,
    private readonly prices: MeterPrices,
    @Inject(TEXT_HASHER) private readonly hash: TextHasher,
    @Inject(AUDIO_SETTINGS) private readonly settings: AudioSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @param onText called behind the hold
   * @throws DomainError, AudioRunError, RequestCutError
   */
  async execute(
    order: TranscriptionOrder,
    signal: AbortSignal,
    onText?: TextListener,
  ): Promise<PaidTranscript> {
    const { accountId, asked, sound } = order;
    const served = this.#served(asked);
    const { file } = sound;
    const decoded = await this.recordings.decode(accountId, file, WAITED_SECONDS_MAX, signal);
    const pricedAtMs = this.clock.now();
    const meter = served ? UPSTREAM_AUDIO_METER : AUDIO_METER;
    const line = audioPriceOf(this.prices.inForce(pricedAtMs), meter);
    const evidence = evidenceOf(asked, served, decoded);
    const held = await this.paid.admit(
      { ...order, signal },
      {
        purpose: transcriptionProduct.purpose,
        model: evidence.model.asked,
        lines: [line.lineOf(evidence.audioMs)],
        rateCardVersion: line.rateCardVersion,
        evidence,
        pricedAtMs,
        requestMsMax: this.settings.requestMsMax,
      },
    );
    const work = { order, served, decoded, onText };
    const capture = (finished: Finished, outcome: 'completed' | 'client_gone') =>
      this.#capture(held, line, { evidence, decoded, finished, outcome });
    const finished = await this.#finished(work, held, capture, signal);
    const { transcript } = finished;
    if (transcript === null) throw new Error('a transcription without a transcript');
    const entry = await capture(finished, 'completed');
    return { transcript, entry, ...held.pace };
  }

  /** @throws DomainError for a model that neither the embedded engine nor an upstream has */
  #served({ model, task, language, prompt, temperature, format }: TranscriptionAsked) {
    const served = model === null ? null : this.upstreams.transcribing(model);
    if (served) {
      const isTimed = format !== 'json' && format !== 'text';
      if (isTimed && !served.timestamps) {
        const detail = `response_format: the model ${model} states no times; ask for json or text`;
        return reject('audio_field_unsupported', detail);
      }
      return served;
    }
    if (task === 'translate') {
      const detail = `model: ${EMBEDDED_MODEL} does not translate, and no upstream has ${model}`;
      return reject('audio_translation_unavailable', detail);
    }
    if (model !== null && model !== EMBEDDED_MODEL && model !== DEFAULT_MODEL) {
      const detail = `model: no upstream has ${model}; the embedded model is ${EMBEDDED_MODEL}`;
      return reject('audio_model_unavailable', detail);
    }
    const unsupported = (field: string, why: string) =>
      reject('audio_field_unsupported', `${field}: the model ${EMBEDDED_MODEL} ${why}`);
    if (language !== null && language !== 'en')
      return unsupported('language', 'hears English only');
    if (prompt !== null) return unsupported('prompt', 'has no prompt');
    if (temperature !== null && temperature > 0) return unsupported('temperature', 'does not draw');
    return null;
  }

  /** A caller that leaves pays for the part that was heard; whatever else goes wrong is free. */
  async #finished(
    work: Work,
    held: HeldRequest,
    capture: (finished: Finished, outcome: 'client_gone') => Promise<LedgerEntry>,
    signal: AbortSignal,
  ): Promise<Finished> {
    const heard: HeardWindow[] = [];
    try {
      return work.served
        ? await this.#byUpstream(work, work.served, signal)
        : await this.#embedded(work, heard, signal);
    } catch (error) {
      const cut = cutOf(signal);
      const last = heard.at(-1);
      if (cut?.reason === 'client_gone' && last) {
        const heardMs = Math.ceil(last.until / SAMPLES_PER_MS);
        const { weightsSha256 } = last;
        await capture({ heardMs, transcript: null, weightsSha256 }, 'client_gone');
        throw cut;
      }
      await held.release(cut?.reason ?? 'upstream_failed');
      throw cut ?? error;
    }
  }

  async #embedded({ decoded, onText }: Work, heard: HeardWindow[], signal: AbortSignal) {
    for await (const window of this.recognizer.hear(decoded.pcm, signal)) {
      const isFirst = !heard.some((one) => one.heard.some(({ word }) => word !== null));
      heard.push(window);
      const text = textOf(window.heard.flatMap(({ word }) => (word === null ? [] : [{ word }])));
      if (text !== '') await onText?.(isFirst ? text : ` ${text}`);
    }
    const transcript = transcriptOf(heard, decoded.seconds, EMBEDDED_MODEL);
    const weightsSha256 = heard.at(-1)?.weightsSha256 ?? null;
    return { heardMs: msOf(decoded), transcript, weightsSha256 };
  }

  async #byUpstream({ order, decoded, onText }: Work, served: ServedModel, signal: AbortSignal) {
    const { asked, sound } = order;
    const known = {
      seconds: decoded.seconds,
      model: asked.model ?? served.upstreamId,
      engine: engineOf(served),
    };
    const transcript = await this.upstreams.transcribe(served, sound, asked, known, signal);
    if (transcript.text !== '') await onText?.(transcript.text);
    return { heardMs: msOf(decoded), transcript, weightsSha256: null };
  }

  #capture(
    held: HeldRequest,
    line: MeterPrice,
    charge: {
      readonly evidence: TranscriptionHoldEvidence;
      readonly decoded: DecodedAudio;
      readonly finished: Finished;
      readonly outcome: 'completed' | 'client_gone';
    },
  ): Promise<LedgerEntry> {
    const { evidence, decoded, outcome } = charge;
    const { heardMs, transcript, weightsSha256 } = charge.finished;
    return held.capture({
      ...held.charged([line.lineOf(heardMs)]),
      usageSource: 'counted',
      outcome,
      evidence: {
        ...evidence,
        audioHash: this.hash(decoded.pcm.toString('base64')),
        textHash: transcript && this.hash(transcript.text),
        weightsSha256,
      } satisfies TranscriptionCaptureEvidence,
    });
  }
}

const msOf = ({ seconds }: DecodedAudio): number => Math.ceil(seconds * 1_000);

const engineOf = (served: ServedModel | null): string =>
  served ? `upstream:${served.server.name}` : 'embedded';

const evidenceOf = (
  { model, task }: TranscriptionAsked,
  served: ServedModel | null,
  decoded: DecodedAudio,
): TranscriptionHoldEvidence => ({
  model: {
    asked: model ?? EMBEDDED_MODEL,
    answered: served ? served.upstreamId : EMBEDDED_MODEL,
  },
  engine: engineOf(served),
  task,
  audioMs: msOf(decoded),
});
