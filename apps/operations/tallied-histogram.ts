import { type Histogram, type Registry } from 'prom-client';

/** The observations with the same labels. */
class Tally {
  sum = 0;
  /** By bucket: those above the bound before it. The last bucket has no bound. */
  readonly counts: number[];

  constructor(private readonly bounds: readonly number[]) {
    this.counts = [...bounds, Infinity].map(() => 0);
  }

  observe(value: number): void {
    let at = 0;
    while (value > (this.bounds[at] ?? Infinity)) at += 1;
    this.counts[at] = (this.counts[at] ?? 0) + 1;
    this.sum += value;
  }
}

export type Observer = Pick<Tally, 'observe'>;

interface Description {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  /** Upper bounds, in their order. */
  readonly buckets: readonly number[];
  readonly registers: readonly Registry[];
}

/**
 * A histogram for the busiest requests. The package's own checks, sorts and joins the labels for
 * each observation; here an observer is looked up once.
 */
export class TalliedHistogram {
  readonly name: string;
  /** By the values of their labels. */
  readonly #tallies = new Map<string, { readonly labels: object; readonly tally: Tally }>();

  constructor(private readonly description: Description) {
    this.name = description.name;
    // Of a metric, a registry takes `name`, `get` and `reset`.
    const metric = this as unknown as Histogram;
    for (const registry of description.registers) registry.registerMetric(metric);
  }

  /** @param values of the labels, in the order of their names; their number is bounded */
  labels(...values: readonly string[]): Observer {
    const key = values.join('\n');
    const known = this.#tallies.get(key);
    if (known) return known.tally;
    const { labelNames, buckets } = this.description;
    const labels = Object.fromEntries(labelNames.map((name, n) => [name, values[n]]));
    const tally = new Tally(buckets);
    this.#tallies.set(key, { labels, tally });
    return tally;
  }

  /** As the package's own histogram gives it. */
  get(): Promise<object> {
    const { name, help } = this.description;
    const values = [...this.#tallies.values()].flatMap(({ labels, tally }) =>
      this.#valuesOf(labels, tally),
    );
    return Promise.resolve({ name, help, type: 'histogram', aggregator: 'sum', values });
  }

  reset(): void {
    this.#tallies.clear();
  }

  #valuesOf(labels: object, { counts, sum }: Tally): readonly object[] {
    const { name, buckets } = this.description;
    let count = 0;
    const values = counts.map((ofBucket, n) => {
      count += ofBucket;
      const le = buckets[n] ?? '+Inf';
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
    });
    return [
      ...values,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }
}
