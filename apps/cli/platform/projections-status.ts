import { describeForeign } from '#platform/runtime/subscriptions/log-trust.js';
import { groupOf } from '#platform/runtime/lease/reader-groups.js';
import { type LogPlaces } from '#platform/runtime/history/log-places.js';
import { Runtime } from '#platform/runtime/runtime.js';
import { type StoredProjection } from '#platform/runtime/projections/stored-projections.js';
import { areas } from '../../composition/areas.js';
import { EXIT } from '../exit-code.js';
import { withInstallation } from '../installation.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { countAt } from '../log-place.js';
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
    const { projectionHost, trust, places } = runtime;
    const holders = await runtime.holders();
    const stored = await projectionHost.stored();
    const foreign = await trust.findForeign();
    const head = await engines.eventStore.head();
    const lags = await lagsOf(stored, head, places, engines.clock.now());
    const rows = stored.map((one, index) => ({
      projection: one.projection,
      state: stateOf(one, head),
      version: one.version,
      serving_version: one.serving?.version ?? null,
      generation: one.serving?.generation ?? null,
      position: one.position.toString(),
      lag_events: lags[index]?.events ?? null,
      lag_seconds: lags[index]?.seconds ?? null,
      group: groupOf(one.projection),
    }));
    const header = ['PROJECTION', 'STATE', 'VERSION', 'POSITION', 'BEHIND', 'SECONDS', 'GROUP'];
    const lines = rows.map(({ projection, state, serving_version: version, ...row }) => [
      projection,
      state,
      String(version ?? '-'),
      row.position,
      String(row.lag_events ?? '-'),
      String(row.lag_seconds ?? '-'),
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

interface ShownLag {
  /** Null while the tree of the log, which counts them, is behind. */
  readonly events: number | null;
  /** Since the first unread event was said; null where that is not known. */
  readonly seconds: number | null;
}

/** Bytes of a server's log say nothing to an operator. */
const lagsOf = async (
  stored: readonly StoredProjection[],
  head: bigint,
  places: LogPlaces,
  nowMs: number,
): Promise<readonly ShownLag[]> => {
  const isBehind = stored.some(({ lag }) => lag > 0n);
  const all = isBehind ? await countAt(places, head) : null;
  return Promise.all(
    stored.map(async ({ lag, position, since }) => {
      if (lag === 0n) return { events: 0, seconds: 0 };
      const read = all === null ? null : await countAt(places, position);
      const ms = since === null ? null : Math.max(0, nowMs - Date.parse(since));
      return {
        events: all === null || read === null ? null : Number(all - read),
        seconds: ms === null ? null : Math.round(ms / MS_PER_SECOND),
      };
    }),
  );
};

const MS_PER_SECOND = 1_000;
