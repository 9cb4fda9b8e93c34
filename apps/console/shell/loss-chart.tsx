import { type Signal, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { orDash } from './facts.js';
import { type LiveState, useLive, useRefreshAfter } from './live.js';
import { alignedCurves, type Curve, lossIn, type LossPoint, withLoss } from './losses.js';
import { routeOf } from './routes.js';
import { type ServerEvent } from './server-events.js';
import { Table } from './table.js';
import { TimeSeries } from './time-series.js';

/** After it, a job has no further loss. */
const ENDS = new Set(['completed', 'failed', 'cancelled', 'timed_out']);
const ROWS_MAX = 20;
const DIGITS = 4;

export const shownLoss = (loss: number): string => String(Number(loss.toPrecision(DIGITS)));

interface FollowedLosses {
  readonly points: Signal<readonly LossPoint[]>;
  readonly live: Signal<LiveState>;
  /** The latest event of the job. */
  readonly latest: Signal<ServerEvent | null>;
}

/** Follows a job from its first event to its end. */
export const useLosses = (id: string): FollowedLosses => {
  const points = useSignal<readonly LossPoint[]>([]);
  const latest = useSignal<ServerEvent | null>(null);
  const live = useLive(
    () => routeOf('/api/v1/jobs/{id}/events', { id }),
    (event) => {
      const loss = lossIn(event);
      if (loss) points.value = withLoss(points.peek(), loss);
      latest.value = event;
    },
    { isLast: ({ name }) => ENDS.has(name) },
  );
  return { points, live, latest };
};

/** Losses by step, drawn and as a table of the last ones. */
export const LossChart = ({ curves }: { readonly curves: readonly Curve[] }) => {
  const { at, series } = useMemo(
    () => alignedCurves(curves),
    curves.map(({ points }) => points),
  );
  const rows = at.map((_, index) => index).slice(-ROWS_MAX);
  const columns = series.map(({ name, values }) => ({
    name,
    isNumber: true,
    cell: (index: number) => orDash(values[index], shownLoss),
  }));
  return (
    <>
      <TimeSeries label="Loss by step" at={at} series={series} format={shownLoss} isBySteps />
      <details>
        <summary>The last losses</summary>
        <Table
          label="Losses"
          columns={[{ name: 'Step', isNumber: true, cell: (index) => at[index] }, ...columns]}
          rows={rows}
          keyOf={(index) => index}
        />
      </details>
    </>
  );
};

/** The loss of a job while it runs; its page is read again after its events. */
export const LiveLosses = ({ id }: { readonly id: string }) => {
  const { points, live, latest } = useLosses(id);
  useRefreshAfter(() => latest.value);
  if (points.value.length === 0) return null;
  return (
    <>
      <h2>Loss</h2>
      <LossChart curves={[{ name: 'loss', points: points.value }]} />
      <p class="quiet" id="losses">
        {live.value.connection === 'ended' ? 'The training has ended.' : 'The curve is live.'}
      </p>
    </>
  );
};
