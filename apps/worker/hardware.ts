import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Logger } from 'pino';
import { hostMemoryBytes } from '#platform/tasks/host-memory.js';
import { type WorkerHardware } from '#platform/tasks/worker-heartbeat.js';

const QUERY = ['--query-gpu=name,memory.total', '--format=csv,noheader,nounits'];
const TIMEOUT_MS = 5_000;
const MEBIBYTE = 1_048_576;

/** The memory of this machine and of its accelerators. */
export const measureHardware = async (logger: Pick<Logger, 'warn'>): Promise<WorkerHardware> => ({
  hostMemoryBytes: hostMemoryBytes(),
  devices: await readDevices(logger),
});

/** Null where the driver's tool is missing or fails. */
const readDevices = async (logger: Pick<Logger, 'warn'>): Promise<WorkerHardware['devices']> => {
  try {
    const { stdout } = await promisify(execFile)('nvidia-smi', QUERY, { timeout: TIMEOUT_MS });
    return devicesOf(stdout);
  } catch (error) {
    const isMissing = Error.isError(error) && 'code' in error && error.code === 'ENOENT';
    if (!isMissing) logger.warn({ err: error }, 'the accelerators could not be read');
    return null;
  }
};

/**
 * The devices of a table of the driver's tool, with mebibytes in the last column. A device that
 * does not state its memory, such as one that shares that of the host, is null for all: which
 * number is whose would not be certain.
 */
export const devicesOf = (table: string): WorkerHardware['devices'] => {
  const lines = table.split('\n').filter((line) => line.trim() !== '');
  const devices = lines.map((line) => {
    const comma = line.lastIndexOf(',');
    const mebibytes = Number(line.slice(comma + 1));
    return { name: line.slice(0, comma).trim(), memoryBytes: mebibytes * MEBIBYTE };
  });
  const areKnown = devices.every(({ memoryBytes }) => memoryBytes > 0);
  return devices.length > 0 && areKnown ? devices : null;
};
