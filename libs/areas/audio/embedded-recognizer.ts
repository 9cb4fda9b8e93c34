import { Injectable } from '@nestjs/common';
import { outageOf, TaskError, type TaskOutage } from '#platform/tasks/task.error.js';
import { Tasks } from '#platform/tasks/tasks.port.js';
import { AudioRunError, reject } from './audio.errors.js';
import {
  type HeardWord,
  SAMPLE_RATE,
  type SpeechEnd,
  speechRecognitionEngine,
} from './speech-recognition.engine.js';

/** The name of the embedded model. */
export const EMBEDDED_MODEL = 'quipu-words';

const SAMPLE_BYTES = 2;
/** Whose words one task reports: whole rows of the network's scores. */
const CORE_SAMPLES = 16 * SAMPLE_RATE;
/** Heard on both sides, more than a row of scores depends on. */
const CONTEXT_SAMPLES = 2 * SAMPLE_RATE;

/** The words of one window of a recording. */
export interface HeardWindow {
  /** Seconds are of the recording. */
  readonly heard: readonly HeardWord[];
  readonly noSpeechProbability: number;
  readonly weightsSha256: string;
  /** The end of the window in the recording, in samples. */
  readonly until: number;
}

/** Hears a recording window by window, with the words of the whole recording. */
@Injectable()
export class EmbeddedRecognizer {
  constructor(private readonly tasks: Tasks) {}

  /**
   * @param pcm 16-bit samples of one channel at 16 kHz
   * @param from samples that were heard before
   * @throws DomainError, AudioRunError; the reason of the signal
   */
  async *hear(pcm: Buffer, signal: AbortSignal, from = 0): AsyncGenerator<HeardWindow, void, void> {
    const length = pcm.length / SAMPLE_BYTES;
    for (let start = from; start < length; start += CORE_SAMPLES) {
      const before = Math.min(CONTEXT_SAMPLES, start);
      const until = Math.min(length, start + CORE_SAMPLES);
      const after = Math.min(CONTEXT_SAMPLES, length - until);
      const [first, end] = [start - before, until + after];
      const samples = pcm.toString('base64', first * SAMPLE_BYTES, end * SAMPLE_BYTES);
      const window = await this.#task({ samples, before, after }, signal);
      const offset = first / SAMPLE_RATE;
      const heard = window.heard.map((one) => ({
        ...one,
        start: milliseconds(one.start + offset),
        end: milliseconds(one.end + offset),
      }));
      const { noSpeechProbability, weightsSha256 } = window;
      yield { heard, noSpeechProbability, weightsSha256, until };
    }
  }

  async #task(
    input: { readonly samples: string; readonly before: number; readonly after: number },
    signal: AbortSignal,
  ): Promise<SpeechEnd> {
    try {
      const pieces = this.tasks.run(speechRecognitionEngine, input, signal);
      let next = await pieces.next();
      while (!next.done) next = await pieces.next();
      signal.throwIfAborted();
      if (next.value !== null) return next.value;
    } catch (error) {
      throw meaningOf(error);
    }
    throw new AudioRunError('away', 'the recognizer has stopped');
  }
}

const milliseconds = (seconds: number): number => Math.round(seconds * 1_000) / 1_000;

const MESSAGES: Readonly<Record<TaskOutage, string>> = {
  busy: 'the recognizer is busy; try again',
  away: `no process can run the model ${EMBEDDED_MODEL} now`,
  failed: 'the recognizer failed',
};
/** Of the engine: another worker may have the model. */
const AWAY = ['crashed', 'model_missing', 'weights_invalid'];

const meaningOf = (error: unknown): unknown => {
  if (!(error instanceof TaskError)) return error;
  if (error.code === 'audio_invalid') return reject('audio_invalid', error.message);
  const outage = outageOf(error, AWAY);
  return new AudioRunError(outage, MESSAGES[outage], { cause: error });
};
