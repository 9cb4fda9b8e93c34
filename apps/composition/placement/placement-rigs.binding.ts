import { LRUCache } from 'lru-cache';
import {
  type PlacementRig,
  PlacementRigs,
  RigsUnknownError,
} from '#areas/placement/placement-rigs.port.js';
import { nodeOf } from '#areas/statistics/worker-readings.js';
import { TimedOutError } from '#platform/kernel/within.js';
import { hostMemoryBytes } from '#platform/tasks/host-memory.js';
import { type WorkerDirectory } from '#platform/tasks/worker-directory.js';

/** How long the speed of a link holds. */
const SPEED_MS = 60_000;
const LINKS_MAX = 10_000;

/** The workers on the bus, by a hash of their names: those may be the names of their hosts. */
export class WorkerRigs extends PlacementRigs {
  readonly #speeds = new LRUCache<string, number>({ max: LINKS_MAX, ttl: SPEED_MS });
  #workers: ReadonlyMap<string, string> = new Map();

  constructor(private readonly directory: Pick<WorkerDirectory, 'ready' | 'measure'>) {
    super();
  }

  override async rigs(): Promise<readonly PlacementRig[]> {
    const workers = await this.directory.ready().catch((cause: unknown) => {
      const message = 'the bus of the workers cannot be reached';
      throw cause instanceof TimedOutError ? new RigsUnknownError(message, { cause }) : cause;
    });
    this.#workers = new Map(workers.map(({ worker }) => [nodeOf(worker), worker]));
    return workers
      .map(({ worker, hardware }) => ({
        name: nodeOf(worker),
        hostMemoryBytes: hardware.hostMemoryBytes,
        deviceMemoryBytes: hardware.devices?.map(({ memoryBytes }) => memoryBytes) ?? null,
      }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  override async measure(from: string, to: string): Promise<number | null> {
    const link = `${from} ${to}`;
    const known = this.#speeds.get(link);
    if (known !== undefined) return known;
    const [one, other] = [this.#workers.get(from), this.#workers.get(to)];
    if (one === undefined || other === undefined) return null;
    const speed = await this.directory.measure(one, other);
    if (speed !== null) this.#speeds.set(link, speed);
    return speed;
  }
}

/** The same after a restart and in every process of this machine, unlike names of processes. */
const LOCAL = 'local';

/** Without a bus between processes, tasks run on this machine: it is the only rig. */
export class OwnRig extends PlacementRigs {
  override rigs(): Promise<readonly PlacementRig[]> {
    const rig = { name: LOCAL, hostMemoryBytes: hostMemoryBytes(), deviceMemoryBytes: null };
    return Promise.resolve([rig]);
  }

  /** There is no other rig. */
  override measure(): Promise<null> {
    return Promise.resolve(null);
  }
}
