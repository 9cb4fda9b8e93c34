import {
  LongTranscriptionCaptureEvidence,
  SpeechCaptureEvidence,
  SpeechHoldEvidence,
  TranscriptionCaptureEvidence,
  TranscriptionHoldEvidence,
} from '#events/audio/audio.evidence.js';
import {
  type MeterPrice,
  meterPrice,
  type MeterPriceList,
} from '#platform/ledger/meter-prices.port.js';
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

/** @throws DomainError `audio_not_priced` */
export const audioPriceOf = (list: MeterPriceList | undefined, meter: AudioMeter): MeterPrice =>
  meterPrice(list, meter, (detail) => reject('audio_not_priced', detail));
