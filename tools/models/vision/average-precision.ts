import { overlapOf } from '#engines/vision/detection/boxes.js';
import { type Box } from '#engines/vision/vision.protocol.js';

export interface Labelled {
  readonly label: string;
  readonly box: Box;
}

export interface Scored extends Labelled {
  readonly confidence: number;
}

export interface EvaluatedFrame {
  readonly drawn: readonly Labelled[];
  readonly found: readonly Scored[];
}

/** The area under precision over recall, the precision made to fall only (COCO, VOC 2010). */
export const averagePrecision = (
  frames: readonly EvaluatedFrame[],
  label: string,
  overlapLeast: number,
): number => {
  const hits = frames.flatMap(({ drawn, found }) => {
    const open = new Set(drawn.filter((one) => one.label === label));
    return found
      .filter((one) => one.label === label)
      .toSorted((a, b) => b.confidence - a.confidence)
      .map(({ box, confidence }) => {
        const [best] = [...open].toSorted((a, b) => overlapOf(b.box, box) - overlapOf(a.box, box));
        const isHit = best !== undefined && overlapOf(best.box, box) >= overlapLeast;
        if (isHit) open.delete(best);
        return { confidence, isHit };
      });
  });
  const total = frames.flatMap(({ drawn }) => drawn.filter((one) => one.label === label)).length;
  let right = 0;
  const precisions = hits
    .toSorted((a, b) => b.confidence - a.confidence)
    .map(({ isHit }, at) => {
      right += isHit ? 1 : 0;
      return { isHit, precision: right / (at + 1) };
    });
  let [area, best] = [0, 0];
  for (const { isHit, precision } of precisions.toReversed()) {
    best = Math.max(best, precision);
    if (isHit) area += best / total;
  }
  return area;
};

/** From 0.5 to 0.95. */
export const OVERLAPS = Array.from({ length: 10 }, (_, at) => 0.5 + 0.05 * at);

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
