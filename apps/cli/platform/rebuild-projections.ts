import { RebuildStoppedError } from '#platform/runtime/projections/projection-rebuild.js';
import { Runtime } from '#platform/runtime/runtime.js';
import { areas } from '../../composition/areas.js';
import { CommandFailure, usage } from '../command-failure.js';
import { withInstallation } from '../installation.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withProgress } from '../progress.js';

export interface RebuildProjectionsOptions extends CommonOptions {
  readonly names: readonly string[];
  readonly all?: boolean;
}

const KNOWN = areas.flatMap(({ projections }) => projections.map(({ name }) => name));

/**
 * Builds a new generation of each projection, all in one walk over the log, and switches to them
 * when they have caught up. The current generations serve until then, and an interrupted rebuild
 * does not change them. If one is stopped, the others still complete.
 */
export const rebuildProjections = async (
  options: RebuildProjectionsOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const names = namesOf(options);
  return withInstallation(invocation, 'exists', async ({ engines }) => {
    const head = await engines.eventStore.head();
    const { projectionHost } = new Runtime(engines, areas);
    await withProgress(invocation, 'Rebuilding', (onProgress) =>
      projectionHost.rebuildAll(names, (position) => onProgress(position, head)),
    ).catch((error: unknown) => {
      throw error instanceof RebuildStoppedError ? stopped(error) : error;
    });
    return {
      json: { rebuilt: names, position: head.toString() },
      text: `Rebuilt ${names.join(', ')} to position ${head} or later.`,
    };
  });
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

const stopped = ({ projection, position, reason }: RebuildStoppedError): CommandFailure =>
  new CommandFailure(
    'projection_stopped',
    `${projection} stopped after position ${position}; the old generation still serves: ${reason}`,
  );
