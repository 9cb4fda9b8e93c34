import { describeForeign } from '#platform/runtime/subscriptions/log-trust.js';
import { Runtime } from '#platform/runtime/runtime.js';
import { type StoredProjection } from '#platform/runtime/projections/stored-projections.js';
import { areas } from '../../composition/areas.js';
import { EXIT } from '../exit-code.js';
import { withInstallation } from '../installation.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { inColumns } from '../table.js';

/**
 * `absent`: never built. `outdated`: the serving version is not the version of this build. `ahead`:
 * it was built from events that the log does not have.
 */
type State = 'current' | 'behind' | 'absent' | 'outdated' | 'ahead';

const stateOf = ({ serving, version, position, lag }: StoredProjection, head: bigint): State => {
  if (serving === null) return 'absent';
  if (position > head) return 'ahead';
  if (serving.version !== version) return 'outdated';
  return lag === 0n ? 'current' : 'behind';
};

export const projectionsStatus = (_: CommonOptions, invocation: Invocation): Promise<Outcome> =>
  withInstallation(invocation, 'exists', async ({ engines }) => {
    const { projectionHost, trust } = new Runtime(engines, areas);
    const stored = await projectionHost.stored();
    const foreign = await trust.findForeign();
    const head = await engines.eventStore.head();
    const rows = stored.map((one) => ({
      projection: one.projection,
      state: stateOf(one, head),
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
    const text = `${inColumns([header, ...lines])}\nThe log head is at position ${head}.`;
    const json = { head: head.toString(), projections: rows };
    if (foreign === null) return { json, text };
    const message = describeForeign(foreign);
    return {
      json: { success: false, code: 'foreign_log', message, ...json },
      text: `${text}\nFailed: ${message}.`,
      exitCode: EXIT.failed,
    };
  });
