import { type Line } from '../shell/charts.js';
import { type AnswerOf } from '../shell/routes.js';

export type FineTuning = AnswerOf<'/v1/fine_tuning/jobs/{id}'>;
export type TrainingEvent = AnswerOf<'/v1/fine_tuning/jobs/{id}/events'>['data'][number];

const LOSS = /loss$/;

/** A line over the steps for each loss that the events state. */
export const lossesOf = (events: readonly TrainingEvent[]): readonly Line[] => {
  const lines = new Map<string, [number, number][]>();
  for (const { type, data } of events) {
    const step = data['step'];
    if (type !== 'metrics' || typeof step !== 'number') continue;
    for (const [name, value] of Object.entries(data)) {
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
