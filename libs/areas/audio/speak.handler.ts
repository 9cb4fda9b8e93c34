import { Inject, Injectable } from '@nestjs/common';
import {
  type SpeechCaptureEvidence,
  type SpeechHoldEvidence,
} from '#events/audio/audio.evidence.js';
import { ChatGuards, guardedBody } from '#platform/chats/chat-guards.port.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type LedgerEntry } from '#platform/ledger/hold.js';
import { MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { type PaidOrder } from '#platform/ledger/paid-work/paid-order.js';
import { PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { cutOf } from '#platform/runtime/commands/request-cut.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { TEXT_HASHER, type TextHasher } from '#platform/secrets/keyed-hasher.js';
import { reject } from './audio.errors.js';
import {
  audioPriceOf,
  SPEECH_METER,
  speechProduct,
  UPSTREAM_SPEECH_METER,
} from './audio.product.js';
import { AUDIO_SETTINGS, type AudioSettings } from './audio.settings.js';
import { Recordings } from './recordings.js';
import { speakText } from './speech-recognition.engine.js';
import { AudioUpstreams, type ServedModel, type SpokenText } from './upstreams/audio-upstreams.js';

/** The program that speaks where no upstream does. */
export const ESPEAK_MODEL = 'espeak-ng';
/** OpenAI's default name: without an upstream for it, the program speaks. */
const DEFAULT_MODEL = 'tts-1';

export const SPEECH_FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const;
export type SpeechFormat = (typeof SPEECH_FORMATS)[number];

export interface SpeechOrder extends PaidOrder {
  readonly model: string;
  readonly text: SpokenText & { readonly format: SpeechFormat };
}

export interface PaidSpeech {
  readonly bytes: Buffer;
  readonly contentType: string;
  /** The model that spoke. */
  readonly model: string;
  readonly entry: LedgerEntry;
}

const TYPES: Readonly<Record<SpeechFormat, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
};

/** Holds, speaks, charges by the character. */
@Injectable()
export class SpeakHandler {
  constructor(
    private readonly recordings: Recordings,
    private readonly upstreams: AudioUpstreams,
    private readonly paid: PaidRequests,
    private readonly prices: MeterPrices,
    private readonly guards: ChatGuards,
    @Inject(TEXT_HASHER) private readonly hash: TextHasher,
    @Inject(AUDIO_SETTINGS) private readonly settings: AudioSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError, AudioRunError, RequestCutError */
  async execute(order: SpeechOrder, signal: AbortSignal): Promise<PaidSpeech> {
    const { accountId, model, context } = order;
    const served = this.upstreams.speaking(model);
    if (!served) demandEspeak(model, order.text);
    const { input, instructions } = order.text;
    const work = { accountId, model, requestId: context.requestId };
    const guarded = await guardedBody(this.guards, work, { input, instructions });
    const text = { ...order.text, ...guarded };
    const pricedAtMs = this.clock.now();
    const meter = served ? UPSTREAM_SPEECH_METER : SPEECH_METER;
    const line = audioPriceOf(this.prices.inForce(pricedAtMs), meter);
    const characters = Array.from(text.input).length;
    const answered = served?.upstreamId ?? ESPEAK_MODEL;
    const evidence: SpeechHoldEvidence = {
      model: { asked: model, answered },
      engine: served ? `upstream:${served.server.name}` : 'embedded',
      characters,
    };
    const lines = [line.lineOf(characters)];
    const held = await this.paid.admit(
      { ...order, signal },
      {
        purpose: speechProduct.purpose,
        model,
        lines,
        rateCardVersion: line.rateCardVersion,
        evidence,
        pricedAtMs,
        requestMsMax: this.settings.requestMsMax,
      },
    );
    const spoken = await this.#spoken(accountId, text, served, signal).catch(
      async (error: unknown) => {
        const cut = cutOf(signal);
        await held.release(cut?.reason ?? 'upstream_failed');
        throw cut ?? error;
      },
    );
    const entry = await held.capture({
      ...held.charged(lines),
      usageSource: 'counted',
      outcome: 'completed',
      evidence: {
        ...evidence,
        voice: text.voice,
        format: text.format,
        textHash: this.hash(text.input),
      } satisfies SpeechCaptureEvidence,
      bytesOut: spoken.bytes.length,
    });
    return { ...spoken, model: answered, entry };
  }

  #spoken(
    accountId: string,
    text: SpeechOrder['text'],
    served: ServedModel | null,
    signal: AbortSignal,
  ) {
    return served
      ? this.upstreams.speak(served, text, signal)
      : this.#byEspeak(accountId, text, signal);
  }

  async #byEspeak(accountId: string, text: SpeechOrder['text'], signal: AbortSignal) {
    const { format } = text;
    const bytes = await this.recordings.inTurn(accountId, signal, () => speakText(text, signal));
    return { bytes, contentType: TYPES[format] };
  }
}

const VOICE = /^[a-z0-9][A-Za-z0-9+_-]{0,63}$/;
const [SPEED_MIN, SPEED_MAX] = [0.5, 2.5];

const demandEspeak = (model: string, { voice, speed, instructions }: SpokenText): void => {
  if (model !== ESPEAK_MODEL && model !== DEFAULT_MODEL) {
    reject(
      'audio_model_unavailable',
      `model: no upstream has ${model}; ${ESPEAK_MODEL} speaks where it is installed`,
    );
  }
  if (!VOICE.test(voice)) reject('audio_field_invalid', 'voice: expected a voice of espeak-ng');
  if (speed < SPEED_MIN || speed > SPEED_MAX) {
    reject(
      'audio_field_invalid',
      `speed: expected ${SPEED_MIN} to ${SPEED_MAX} for ${ESPEAK_MODEL}, received ${speed}`,
    );
  }
  if (instructions !== null) {
    reject('audio_field_unsupported', `instructions: ${ESPEAK_MODEL} does not follow any`);
  }
};
