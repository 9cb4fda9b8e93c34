import { z } from 'zod';
import { type DecodedAudio } from '#engines/speech-recognition/audio/audio-decoder.js';
import { type SpeechCodec } from '#engines/speech-recognition/audio/encoded-speech.js';
import { type SpeechOrder } from '#engines/speech-recognition/audio/espeak.js';
import {
  AudioError,
  type AudioFault,
  SPEECH_FAILURES,
} from '#engines/speech-recognition/speech.errors.js';
import {
  type HeardWord,
  SAMPLE_RATE,
  SpeechEnd,
  SpeechInput,
} from '#engines/speech-recognition/speech.protocol.js';
import { defineEngine } from '#platform/tasks/engine.js';

export {
  AudioError,
  type AudioFault,
  type DecodedAudio,
  type HeardWord,
  SAMPLE_RATE,
  type SpeechEnd,
};

/** @throws AudioError; the reason of the signal */
export const decodeRecording = async (
  file: Buffer,
  secondsMax: number,
  signal: AbortSignal,
): Promise<DecodedAudio> => {
  const { decodeAudio } = await import('#engines/speech-recognition/audio/audio-decoder.js');
  return decodeAudio(file, { secondsMax }, signal);
};

/**
 * A text as espeak-ng speaks it, in a format.
 * @throws AudioError; the reason of the signal
 */
export const speakText = async (
  order: SpeechOrder & { readonly format: SpeechCodec | 'wav' },
  signal: AbortSignal,
): Promise<Buffer> => {
  const { spokenByEspeak } = await import('#engines/speech-recognition/audio/espeak.js');
  const wav = await spokenByEspeak(order, signal);
  if (order.format === 'wav') return wav;
  const { encodeSpeech } = await import('#engines/speech-recognition/audio/encoded-speech.js');
  return encodeSpeech(wav, order.format, signal);
};

/** The embedded recognizer: one window of a recording is one task. */
export const speechRecognitionEngine = defineEngine({
  name: 'speech-recognition',
  input: SpeechInput,
  piece: z.never(),
  end: SpeechEnd,
  tasksMax: { worker: 16, inProcess: 64 },
  failures: SPEECH_FAILURES,
  canRunHere: () => Promise.resolve(null),
  open: async ({ modelFolders }) => {
    const { SpeechEngine } = await import('#engines/speech-recognition/speech.engine.js');
    const engine = new SpeechEngine(modelFolders);
    return {
      async *run(input, signal) {
        return engine.run(input, signal);
      },
      status: () => ({ ready: true, reasons: [], facts: {} }),
      close: () => engine.close(),
    };
  },
});
