import { boundedOutput, type ProgramLimits } from './bounded-program.js';
import { resampled } from './resample.js';
import { pcmOf } from './samples.js';
import { monoOf, readWav } from './wav.js';
import { AudioError } from '../speech.errors.js';

/** OpenAI's `pcm` has 16-bit samples at this rate and no header. */
const PCM_RATE = 24_000;

const LIMITS: ProgramLimits = {
  wallMsMax: 60_000,
  cpuSecondsMax: 30,
  memoryKibMax: 1_048_576,
  outputBytesMax: 64 * 1_048_576,
};

type EncodedFormat = 'mp3' | 'opus' | 'aac' | 'flac';

/** Formats that a WAV file is written in. */
export type SpeechCodec = EncodedFormat | 'pcm';

const FORMATS: Readonly<Record<EncodedFormat, readonly string[]>> = {
  mp3: ['-c:a', 'libmp3lame', '-f', 'mp3'],
  opus: ['-c:a', 'libopus', '-f', 'ogg'],
  aac: ['-c:a', 'aac', '-f', 'adts'],
  flac: ['-c:a', 'flac', '-f', 'flac'],
};

/**
 * A WAV file in another format, encoded by ffmpeg; `pcm` needs no program.
 * @throws AudioError
 */
export const encodeSpeech = async (
  wav: Buffer,
  format: SpeechCodec,
  signal: AbortSignal,
  program = 'ffmpeg',
): Promise<Buffer> => {
  if (format === 'pcm') {
    const sound = readWav(wav);
    return pcmOf(resampled(monoOf(sound), sound.sampleRate, PCM_RATE));
  }
  const input = ['-protocol_whitelist', 'pipe', '-f', 'wav', '-i', 'pipe:0'];
  const quiet = ['-nostdin', '-hide_banner', '-loglevel', 'error'];
  const parameters = [...quiet, ...input, ...FORMATS[format], 'pipe:1'];
  try {
    return await boundedOutput({ program, parameters, input: wav }, LIMITS, signal);
  } catch (error) {
    if (!(error instanceof AudioError) || error.fault !== 'program_missing') throw error;
    const detail =
      `response_format: ${format} is written by ffmpeg, which is not installed on this machine; ` +
      'ask for wav or pcm';
    throw new AudioError('program_missing', detail, { cause: error });
  }
};
