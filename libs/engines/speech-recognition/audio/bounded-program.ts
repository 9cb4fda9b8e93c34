import { spawn } from 'node:child_process';
import { AudioError } from '../speech.errors.js';

/** The limits at which a program is ended. */
export interface ProgramLimits {
  readonly wallMsMax: number;
  readonly cpuSecondsMax: number;
  readonly memoryKibMax: number;
  readonly outputBytesMax: number;
}

export interface ProgramCall {
  readonly program: string;
  readonly parameters: readonly string[];
  /** Written to its standard input. */
  readonly input?: Buffer | string;
}

/** The shell's code for a program that is not there. */
const NOT_FOUND = 127;
const COMPLAINT_BYTES_MAX = 2_000;
/** The shell sets the limits of its process and then becomes the program. */
const SCRIPT = 'ulimit -v "$1" && ulimit -t "$2" && shift 2 && exec "$@"';

/**
 * The output of a program of the machine.
 * @throws AudioError `ffmpeg_missing` where it is not installed, `audio_too_long` for more output
 *   than allowed, `decoder_failed` where it ends otherwise; the reason of the signal
 */
export const boundedOutput = async (
  { program, parameters, input }: ProgramCall,
  limits: ProgramLimits,
  signal: AbortSignal,
): Promise<Buffer> => {
  signal.throwIfAborted();
  const bounds = [String(limits.memoryKibMax), String(limits.cpuSecondsMax)];
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'sh', ...bounds, program, ...parameters], {
    stdio: 'pipe',
    env: { PATH: process.env['PATH'], LC_ALL: 'C' },
  });
  const stop = (): void => void child.kill('SIGKILL');
  const timer = setTimeout(stop, limits.wallMsMax);
  signal.addEventListener('abort', stop, { once: true });
  const pieces: Buffer[] = [];
  let bytes = 0;
  let complaint = '';
  child.stdout.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > limits.outputBytesMax) stop();
    else pieces.push(piece);
  });
  child.stderr.on('data', (piece: Buffer) => {
    if (complaint.length < COMPLAINT_BYTES_MAX) complaint += piece.toString();
  });
  // A program that does not read its input ends with an error of its own.
  child.stdin.on('error', () => undefined).end(input);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject).once('close', resolve);
    });
    signal.throwIfAborted();
    if (bytes > limits.outputBytesMax) {
      throw new AudioError('audio_too_long', `${program} gave more sound than allowed`);
    }
    if (code === NOT_FOUND) {
      throw new AudioError('program_missing', `${program} is not installed on this machine`);
    }
    if (code !== 0) throw failed(program, code, complaint);
    return Buffer.concat(pieces);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    stop();
  }
};

const failed = (program: string, code: number | null, complaint: string): AudioError => {
  const [first = ''] = complaint.trim().split('\n');
  const reason = code === null ? 'it exceeded its time or memory' : first.slice(0, 200);
  return new AudioError('decoder_failed', `${program} failed: ${reason || `code ${code}`}`);
};
