import { rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createFolder } from '#platform/files/create-folder.js';
import { type RentalLimits } from '../rentals.settings.js';
import { systemCodeOf } from '../system-error.js';

const CPU_PERIOD_US = 100_000;
const REMOVALS_MAX = 20;
const REMOVAL_PAUSE_MS = 50;

/** The cgroup v2 of one rental, in a folder that is delegated to the service. */
export class Cgroup {
  readonly #folder: string;

  constructor(parent: string, rentalId: string) {
    this.#folder = path.join(parent, `rental-${rentalId}`);
  }

  /** The file to which a process writes its id to enter. */
  get processesFile(): string {
    return path.join(this.#folder, 'cgroup.procs');
  }

  /** @throws an error of the file system where a controller is not delegated */
  async create({ memoryBytes, cpus, processes }: RentalLimits): Promise<void> {
    await createFolder(this.#folder);
    await this.#write('memory.max', memoryBytes);
    await this.#write('memory.swap.max', 0);
    await this.#write('pids.max', processes);
    await this.#write('cpu.max', `${cpus * CPU_PERIOD_US} ${CPU_PERIOD_US}`);
  }

  /** Ends every process in it, also processes that have left the group of their program. */
  async kill(): Promise<void> {
    await this.#write('cgroup.kill', 1).catch(() => undefined);
  }

  /** Processes that were ended leave it a moment later. */
  async remove(): Promise<void> {
    for (let attempt = 1; attempt <= REMOVALS_MAX; attempt += 1) {
      const isGone = await rmdir(this.#folder).then(
        () => true,
        (error: unknown) => systemCodeOf(error) === 'ENOENT',
      );
      if (isGone) return;
      await sleep(REMOVAL_PAUSE_MS);
    }
  }

  #write(name: string, value: number | string): Promise<void> {
    return writeFile(path.join(this.#folder, name), String(value));
  }
}
