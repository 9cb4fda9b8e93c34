import { describe, expect, it } from '@jest/globals';
import { alignedCurves, lossIn, type LossPoint, POINTS_MAX, withLoss } from './losses.js';

const progressed = (details: object) =>
  lossIn({ id: '3', name: 'progressed', data: JSON.stringify({ details }) });

describe('the losses of a training', () => {
  it('are in the events of its progress', () => {
    expect(progressed({ step: 4, loss: 2.5 })).toEqual([4, 2.5]);
    expect(progressed({ step: 0, loss: null })).toBeNull();
    expect(progressed({ pages: 4 })).toBeNull();
    expect(lossIn({ id: '1', name: 'started', data: '{"attempt":1}' })).toBeNull();
  });

  it('are the ones of the last attempt where it repeats steps', () => {
    const points: readonly LossPoint[] = [
      [1, 5],
      [2, 4],
      [3, 3],
    ];
    expect(withLoss(points, [2, 3.5])).toEqual([
      [1, 5],
      [2, 3.5],
    ]);
  });

  it('are thinned where they are many, with the last one', () => {
    const full = Array.from({ length: POINTS_MAX }, (_, step): LossPoint => [step, 1]);
    const thinned = withLoss(full, [POINTS_MAX, 0.5]);
    expect(thinned).toHaveLength(POINTS_MAX / 2 + 1);
    expect(thinned.at(-1)).toEqual([POINTS_MAX, 0.5]);
  });

  it('of two trainings share their steps', () => {
    const curves = [
      { name: 'one', points: [[2, 5] as const, [4, 4] as const] },
      { name: 'other', points: [[3, 9] as const, [4, 8] as const] },
    ];
    expect(alignedCurves(curves)).toEqual({
      at: [2, 3, 4],
      series: [
        { name: 'one', values: [5, undefined, 4] },
        { name: 'other', values: [undefined, 9, 8] },
      ],
    });
  });
});
