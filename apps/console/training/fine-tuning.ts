import { type Line } from '../shell/charts.js';

/** The fields of a fine-tuning that the pages show. */
export interface FineTuning {
  readonly id: string;
  readonly created_at: number;
  readonly finished_at: number | null;
  readonly model: string;
  readonly fine_tuned_model: string | null;
  readonly status: string;
  readonly trained_tokens: number | null;
  readonly seed: number;
  readonly hyperparameters: Readonly<Record<string, number | string | null>>;
  readonly error: { readonly message: string } | null;
}

export interface TrainingEvent {
  readonly id: string;
  readonly created_at: number;
  readonly message: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>> | null;
}

const LOSS = /loss$/;

/** A line over the steps for each loss that the events state. */
export const lossesOf = (events: readonly TrainingEvent[]): readonly Line[] => {
  const lines = new Map<string, [number, number][]>();
  for (const { type, data } of events) {
    const step = data?.['step'];
    if (type !== 'metrics' || typeof step !== 'number') continue;
    for (const [name, value] of Object.entries(data ?? {})) {
      if (!LOSS.test(name) || typeof value !== 'number') continue;
      const points = lines.get(name) ?? [];
      points.push([step, value]);
      lines.set(name, points);
    }
  }
  return [...lines].map(([name, points]) => ({
    name: name.replaceAll('_', ' '),
    points: points.sort(([one], [other]) => one - other),
  }));
};
