import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { AudioError } from '../speech.errors.js';
import { SAMPLE_RATE } from '../speech.protocol.js';
import { type DecodingReply, type DecodingTask } from './decoder.worker.js';
import { decodeByFfmpeg } from './ffmpeg.js';
import { isWav } from './wav.js';

/** A recording as the recognizer hears it: 16-bit samples of one channel at 16 kHz. */
export interface DecodedAudio {
  readonly pcm: Buffer;
  readonly seconds: number;
}

export interface DecodingLimits {
  /** Of the recording; a longer one is rejected. */
  readonly secondsMax: number;
}

const THREAD_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };
const WALL_MS_MAX = 30_000;

/**
 * Decodes a recording: WAV in a thread of its own, other formats by ffmpeg. A thread or a process
 * that fails or takes too long ends alone.
 * @throws AudioError; the reason of the signal
 */
export const decodeAudio = async (
  file: Buffer,
  { secondsMax }: DecodingLimits,
  signal: AbortSignal,
): Promise<DecodedAudio> => {
  const pcm = isWav(file)
    ? await inThread({ file, secondsMax }, signal)
    : await decodeByFfmpeg(file, secondsMax, signal);
  const seconds = pcm.length / (2 * SAMPLE_RATE);
  if (seconds === 0) throw new AudioError('audio_invalid', 'file: it has no sound');
  if (seconds > secondsMax + 0.01) {
    throw new AudioError('audio_too_long', `file: expected at most ${secondsMax} seconds`);
  }
  return { pcm, seconds };
};

const inThread = async (task: DecodingTask, signal: AbortSignal): Promise<Buffer> => {
  signal.throwIfAborted();
  const limits = { workerData: task, resourceLimits: THREAD_LIMITS, env: {} };
  const worker = new Worker(new URL('./decoder.worker.js', import.meta.url), limits);
  const cut = AbortSignal.any([signal, AbortSignal.timeout(WALL_MS_MAX)]);
  try {
    const [reply] = (await once(worker, 'message', { signal: cut })) as [DecodingReply];
    if ('fault' in reply) throw new AudioError(reply.fault, reply.message);
    return Buffer.from(reply.pcm.buffer, reply.pcm.byteOffset, reply.pcm.byteLength);
  } catch (error) {
    if (error instanceof AudioError) throw error;
    signal.throwIfAborted();
    throw new AudioError('decoder_failed', 'the decoder of WAV files failed', { cause: error });
  } finally {
    await worker.terminate();
  }
};
