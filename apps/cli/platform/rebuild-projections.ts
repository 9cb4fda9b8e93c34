import { type RunnerStatus } from '#platform/runtime/log-progress.js';
import { type ProjectionHost } from '#platform/runtime/projection-host.js';
import { Runtime } from '#platform/runtime/runtime.js';
import { areas } from '../../composition/areas.js';
import { CommandFailure, stopIfInterrupted, usage } from '../command-failure.js';
import { withInstallation } from '../installation.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { openProgress } from '../progress.js';

export interface RebuildProjectionsOptions extends CommonOptions {
  readonly names: readonly string[];
  readonly all?: boolean;
}

const KNOWN = areas.flatMap(({ projections }) => projections.map(({ name }) => name));

/**
 * Builds a new generation of each projection and switches to it when it has caught up. The current
 * generation serves until then, and an interrupted rebuild does not change it.
 */
export const rebuildProjections = async (
  options: RebuildProjectionsOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const names = namesOf(options);
  return withInstallation(invocation, 'exists', async ({ engines }) => {
    const head = await engines.eventStore.head();
    const progress = await openProgress(invocation.stderr, 'Rebuilding');
    const positions = new Map(names.map((name) => [name, 0n]));
    const onProgress = (name: string, { position, failure }: RunnerStatus): void => {
      stopIfInterrupted(invocation.signal);
      if (failure !== null) throw stopped(name, position, failure);
      positions.set(name, position < head ? position : head);
      const done = [...positions.values()].reduce((sum, one) => sum + one, 0n);
      progress.update(done, head * BigInt(names.length));
    };
    try {
      await rebuildAll(new Runtime(engines, areas).projectionHost, names, onProgress);
    } finally {
      progress.stop();
    }
    return {
      json: { rebuilt: names, position: head.toString() },
      text: `Rebuilt ${names.join(', ')} to position ${head} or later.`,
    };
  });
};

/** Rebuilds concurrently; if one rebuild fails, the others still complete. */
const rebuildAll = async (
  projections: ProjectionHost,
  names: readonly string[],
  onProgress: (name: string, status: RunnerStatus) => void,
): Promise<void> => {
  const rebuilt = await Promise.allSettled(
    names.map((name) => projections.rebuild(name, (status) => onProgress(name, status))),
  );
  const failed = rebuilt.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
};

const namesOf = ({ names, all = false }: RebuildProjectionsOptions): readonly string[] => {
  if (all && names.length > 0) throw usage('give either names or --all');
  if (all) return KNOWN;
  if (names.length === 0) throw usage('give the names of projections, or --all');
  const unknown = names.find((name) => !KNOWN.includes(name));
  if (unknown !== undefined) {
    throw usage(`unknown projection ${unknown}; the projections are ${KNOWN.join(', ')}`);
  }
  return [...new Set(names)];
};

const stopped = (name: string, position: bigint, failure: string): CommandFailure =>
  new CommandFailure(
    'projection_stopped',
    `${name} stopped after position ${position}; the old generation still serves: ${failure}`,
  );
