import { Runtime } from '#platform/runtime/runtime.js';
import { type StoredProjection } from '#platform/runtime/stored-projections.js';
import { areas } from '../../composition/areas.js';
import { withInstallation } from '../installation.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { inColumns } from '../table.js';

/** `absent`: never built. `outdated`: the serving version is not the version of this build. */
type State = 'current' | 'behind' | 'absent' | 'outdated';

const stateOf = ({ serving, version, lag }: StoredProjection): State => {
  if (serving === null) return 'absent';
  if (serving.version !== version) return 'outdated';
  return lag === 0n ? 'current' : 'behind';
};

export const projectionsStatus = (_: CommonOptions, invocation: Invocation): Promise<Outcome> =>
  withInstallation(invocation, 'exists', async ({ engines }) => {
    const stored = await new Runtime(engines, areas).projectionHost.stored();
    const head = await engines.eventStore.head();
    const rows = stored.map((one) => ({
      projection: one.projection,
      state: stateOf(one),
      version: one.version,
      serving_version: one.serving?.version ?? null,
      generation: one.serving?.generation ?? null,
      position: one.position.toString(),
      lag: one.lag.toString(),
    }));
    const header = ['PROJECTION', 'STATE', 'VERSION', 'POSITION', 'LAG'];
    const lines = rows.map(({ projection, state, serving_version: version, position, lag }) => [
      projection,
      state,
      String(version ?? '-'),
      position,
      lag,
    ]);
    return {
      json: { head: head.toString(), projections: rows },
      text: `${inColumns([header, ...lines])}\nThe log head is at position ${head}.`,
    };
  });
