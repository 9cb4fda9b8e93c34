import { availableParallelism, cpus } from 'node:os';
import { type Logger } from 'pino';
import { hostMemoryBytes } from '#platform/tasks/host-memory.js';
import { type WorkerHardware } from '#platform/tasks/worker-heartbeat.js';
import { queryDevices } from '#platform/telemetry/device-table.js';

const QUERY = '--query-gpu=name,memory.total';
const MEBIBYTE = 1_048_576;

/** The processors and the accelerators of this machine, and their memory. */
export const measureHardware = async (logger: Pick<Logger, 'warn'>): Promise<WorkerHardware> => ({
  hostMemoryBytes: hostMemoryBytes(),
  processor: cpus()[0]?.model.trim() || null,
  cores: availableParallelism(),
  devices: await readDevices(logger),
});

/** Null where the driver's tool is missing or fails. */
const readDevices = async (logger: Pick<Logger, 'warn'>): Promise<WorkerHardware['devices']> => {
  try {
    return devicesOf(await queryDevices(QUERY));
  } catch (error) {
    const isMissing = Error.isError(error) && 'code' in error && error.code === 'ENOENT';
    if (!isMissing) logger.warn({ err: error }, 'the accelerators could not be read');
    return null;
  }
};

/**
 * The devices of a table of the driver's tool, with mebibytes in the last column. If one device
 * does not state its memory, such as a device that shares the memory of the host, the memory of all
 * is null: which number belongs to which device would not be certain.
 */
export const devicesOf = (lines: readonly string[]): WorkerHardware['devices'] => {
  const devices = lines.map((line) => {
    const comma = line.lastIndexOf(',');
    const mebibytes = Number(line.slice(comma + 1));
    return { name: line.slice(0, comma).trim(), memoryBytes: mebibytes * MEBIBYTE };
  });
  const areKnown = devices.every(({ memoryBytes }) => memoryBytes > 0);
  return devices.length > 0 && areKnown ? devices : null;
};
