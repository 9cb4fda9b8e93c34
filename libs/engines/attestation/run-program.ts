import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { AttestationError } from './attestation.errors.js';

const TIMEOUT_MS = 30_000;
const OUTPUT_BYTES_MAX = 1_000_000;

const run = promisify(execFile);

/**
 * Runs a program of the machine that produces evidence, and returns its output.
 * @throws AttestationError `attester_unavailable`
 */
export const runProgram = async (
  program: string,
  parameters: readonly string[],
  folder?: string,
): Promise<Buffer> => {
  try {
    const { stdout } = await run(program, [...parameters], {
      timeout: TIMEOUT_MS,
      maxBuffer: OUTPUT_BYTES_MAX,
      encoding: 'buffer',
      ...(folder !== undefined && { cwd: folder }),
    });
    return stdout;
  } catch (cause) {
    throw new AttestationError('attester_unavailable', `${program}: ${reasonOf(cause)}`, { cause });
  }
};

const reasonOf = (cause: unknown): string => {
  if (typeof cause !== 'object' || cause === null) return String(cause);
  if ('code' in cause && cause.code === 'ENOENT') return 'it is not installed';
  const detail = 'stderr' in cause && cause.stderr instanceof Buffer ? cause.stderr : '';
  const [first = ''] = String(detail).trim().split('\n');
  return first === '' ? (cause as Error).message : first.slice(0, 300);
};
