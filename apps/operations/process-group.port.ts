import { type Registry } from 'prom-client';

/** One metric with its values, as it travels between processes. */
export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>[number];

/** The processes that serve one port together, in each of them. */
export abstract class ProcessGroup {
  /** The metrics of all of them, as text. */
  abstract metrics(): Promise<string>;
}
