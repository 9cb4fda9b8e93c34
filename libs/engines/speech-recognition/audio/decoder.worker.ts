/** The thread that decodes one WAV file and ends. */
import { workerData } from 'node:worker_threads';
import { portOfThread } from '#platform/threads/request-listener.js';
import { AudioError, type AudioFault } from '../speech.errors.js';
import { SAMPLE_RATE } from '../speech.protocol.js';
import { resampled } from './resample.js';
import { pcmOf } from './samples.js';
import { monoOf, readWav, secondsOf } from './wav.js';

export interface DecodingTask {
  readonly file: Uint8Array;
  readonly secondsMax: number;
}

export type DecodingReply =
  { readonly pcm: Uint8Array } | { readonly fault: AudioFault; readonly message: string };

/** @throws AudioError */
const decode = ({ file, secondsMax }: DecodingTask): Uint8Array => {
  const sound = readWav(Buffer.from(file.buffer, file.byteOffset, file.byteLength));
  const seconds = secondsOf(sound);
  if (seconds > secondsMax) {
    const detail = `file: expected at most ${secondsMax} seconds, received ${seconds.toFixed(1)}`;
    throw new AudioError('audio_too_long', detail);
  }
  return pcmOf(resampled(monoOf(sound), sound.sampleRate, SAMPLE_RATE));
};

const replyTo = (task: DecodingTask): DecodingReply => {
  try {
    return { pcm: decode(task) };
  } catch (error) {
    if (error instanceof AudioError) return { fault: error.fault, message: error.message };
    throw error;
  }
};

portOfThread().postMessage(replyTo(workerData as DecodingTask));
