import { describeForeign } from '#platform/runtime/subscriptions/log-trust.js';
import { groupOf } from '#platform/runtime/lease/reader-groups.js';
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
    const runtime = new Runtime(engines, areas);
    const { projectionHost, trust } = runtime;
    const holders = await runtime.holders();
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
      group: groupOf(one.projection),
    }));
    const header = ['PROJECTION', 'STATE', 'VERSION', 'POSITION', 'LAG', 'GROUP'];
    const lines = rows.map(({ projection, state, serving_version: version, ...row }) => [
      projection,
      state,
      String(version ?? '-'),
      row.position,
      row.lag,
      row.group,
    ]);
    const groups = [...holders].map(([group, holder]) => ({ group, holder }));
    const held = groups.flatMap(({ group, holder }) => (holder === null ? [] : [[group, holder]]));
    const text = [
      inColumns([header, ...lines]),
      ...(held.length > 0 ? [inColumns([['GROUP', 'HOLDER'], ...held])] : []),
      `The log head is at position ${head}.`,
    ].join('\n');
    const json = { head: head.toString(), reader_groups: groups, projections: rows };
    if (foreign === null) return { json, text };
    const message = describeForeign(foreign);
    return {
      json: { success: false, code: 'foreign_log', message, ...json },
      text: `${text}\nFailed: ${message}.`,
      exitCode: EXIT.failed,
    };
  });
