import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AudioError } from '../speech.errors.js';
import { SAMPLE_RATE } from '../speech.protocol.js';
import { boundedOutput, type ProgramLimits } from './bounded-program.js';

/** Containers of sound: no playlist, which would name other files. */
const DEMUXERS =
  'aac,aiff,amr,asf,au,caf,flac,matroska,webm,mov,mp4,m4a,3gp,3g2,mj2,mp3,mpeg,ogg,wav,w64';

const BYTES_PER_SECOND = 2 * SAMPLE_RATE;
/** A second more than allowed shows that the sound is longer. */
const MORE_SECONDS = 1;

const LIMITS: Omit<ProgramLimits, 'outputBytesMax'> = {
  wallMsMax: 60_000,
  cpuSecondsMax: 30,
  memoryKibMax: 1_048_576,
};

/**
 * The first sound of a file in any format of ffmpeg: 16-bit samples of one channel at 16 kHz.
 * ffmpeg opens no other file and no address, and runs within limits.
 * @throws AudioError; the reason of the signal
 */
export const decodeByFfmpeg = async (
  file: Buffer,
  secondsMax: number,
  signal: AbortSignal,
  program = 'ffmpeg',
): Promise<Buffer> => {
  const input = path.join(tmpdir(), `quipu-audio-${randomUUID()}`);
  const reading = ['-protocol_whitelist', 'file', '-format_whitelist', DEMUXERS, '-i', input];
  const sound = ['-map', '0:a:0', '-t', String(secondsMax + MORE_SECONDS), '-ac', '1'];
  const format = ['-ar', String(SAMPLE_RATE), '-f', 's16le', 'pipe:1'];
  const quiet = ['-nostdin', '-hide_banner', '-loglevel', 'error', '-threads', '1'];
  const outputBytesMax = (secondsMax + 2 * MORE_SECONDS) * BYTES_PER_SECOND;
  try {
    await writeFile(input, file, { mode: 0o600 });
    const parameters = [...quiet, ...reading, ...sound, ...format];
    return await boundedOutput({ program, parameters }, { ...LIMITS, outputBytesMax }, signal);
  } catch (error) {
    throw error instanceof AudioError ? meaningOf(error, input) : error;
  } finally {
    await rm(input, { force: true });
  }
};

/** In the terms of the caller, who does not know the file. */
const meaningOf = (error: AudioError, input: string): AudioError => {
  if (error.fault === 'program_missing') {
    const detail = 'file: only WAV is read without ffmpeg, which is not installed on this machine';
    return new AudioError('program_missing', detail, { cause: error });
  }
  if (error.fault !== 'decoder_failed') return error;
  const reason = error.message.replaceAll(input, 'the file');
  return new AudioError('audio_invalid', `file: ${reason}`, { cause: error });
};
