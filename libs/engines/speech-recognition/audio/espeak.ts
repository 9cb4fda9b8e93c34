import { boundedOutput, type ProgramLimits } from './bounded-program.js';

const LIMITS: ProgramLimits = {
  wallMsMax: 60_000,
  cpuSecondsMax: 30,
  memoryKibMax: 1_048_576,
  outputBytesMax: 64 * 1_048_576,
};

export interface SpeechOrder {
  readonly input: string;
  /** Of OpenAI or of espeak-ng. */
  readonly voice: string;
  /** 1 is the speed of the program. */
  readonly speed: number;
}

/** Words a minute of a speed of 1. */
const WORDS_PER_MINUTE = 175;

/** Voices of espeak-ng for the names of OpenAI's: the names differ, so do the voices. */
const VOICES: Readonly<Record<string, string>> = {
  alloy: 'en-us',
  ash: 'en-us+m2',
  ballad: 'en-gb+m4',
  coral: 'en-us+f3',
  echo: 'en-us+m3',
  fable: 'en-gb',
  nova: 'en-us+f2',
  onyx: 'en-us+m7',
  sage: 'en-gb+f4',
  shimmer: 'en-us+f5',
  verse: 'en-gb+m1',
};

const espeakVoice = (voice: string): string => VOICES[voice] ?? voice;

/**
 * A WAV file in which espeak-ng speaks a text.
 * @throws AudioError `program_missing` where it is not installed
 */
export const spokenByEspeak = async (
  {
    input,
    voice,
    speed,
  }: { readonly input: string; readonly voice: string; readonly speed: number },
  signal: AbortSignal,
  program = 'espeak-ng',
): Promise<Buffer> => {
  const rate = String(Math.round(WORDS_PER_MINUTE * speed));
  const parameters = ['--stdin', '--stdout', '-b', '1', '-v', espeakVoice(voice), '-s', rate];
  const wav = await boundedOutput({ program, parameters, input }, LIMITS, signal);
  // It writes its header before it knows the length.
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.writeUInt32LE(wav.length - 44, 40);
  return wav;
};
