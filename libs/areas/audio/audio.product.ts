import {
  LongTranscriptionCaptureEvidence,
  SpeechCaptureEvidence,
  SpeechHoldEvidence,
  TranscriptionCaptureEvidence,
  TranscriptionHoldEvidence,
} from '#events/audio/audio.evidence.js';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { type MeterPriceList } from '#platform/ledger/meter-prices.port.js';
import { defineProduct } from '#platform/ledger/product.js';
import { reject } from './audio.errors.js';

export const AUDIO_METER = 'audio_ms';
export const UPSTREAM_AUDIO_METER = 'upstream_audio_ms';
export const SPEECH_METER = 'speech_characters';
export const UPSTREAM_SPEECH_METER = 'upstream_speech_characters';

export type AudioMeter =
  | typeof AUDIO_METER
  | typeof UPSTREAM_AUDIO_METER
  | typeof SPEECH_METER
  | typeof UPSTREAM_SPEECH_METER;

/** A recording that is transcribed or translated while its caller waits. */
export const transcriptionProduct = defineProduct({
  purpose: 'transcription',
  group: 'inference',
  paced: true,
  title: 'Transcriptions',
  meters: {
    [AUDIO_METER]: 'milliseconds of sound, heard by the embedded model',
    [UPSTREAM_AUDIO_METER]: 'milliseconds of sound, heard by an upstream',
  },
  holdEvidence: TranscriptionHoldEvidence,
  captureEvidence: TranscriptionCaptureEvidence,
});

/** A recording that is transcribed as a job. */
export const longTranscriptionProduct = defineProduct({
  purpose: 'long_transcription',
  group: 'inference',
  title: 'Long transcriptions',
  meters: { [AUDIO_METER]: 'milliseconds of sound, heard by the embedded model' },
  holdEvidence: TranscriptionHoldEvidence,
  captureEvidence: LongTranscriptionCaptureEvidence,
});

/** A text that is spoken. */
export const speechProduct = defineProduct({
  purpose: 'speech',
  group: 'inference',
  paced: true,
  title: 'Speech',
  meters: {
    [SPEECH_METER]: 'characters, spoken by a program of this machine',
    [UPSTREAM_SPEECH_METER]: 'characters, spoken by an upstream',
  },
  holdEvidence: SpeechHoldEvidence,
  captureEvidence: SpeechCaptureEvidence,
});

/** The price line of work that one meter counts, and the rate card that has its price. */
export interface MeteredLine {
  readonly rateCardVersion: number;
  lineOf(quantity: number): PriceLine;
}

/** @throws DomainError `audio_not_priced` */
export const meteredLine = (list: MeterPriceList | undefined, meter: AudioMeter): MeteredLine => {
  const price = list?.prices.get(meter);
  if (!list || !price) {
    return reject('audio_not_priced', `the catalog of this installation has no price for ${meter}`);
  }
  const { rateCardVersion } = list;
  return { rateCardVersion, lineOf: (quantity) => ({ meter, quantity, ...price }) };
};
