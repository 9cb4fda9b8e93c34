/** Weights and tokens that `training.py` computes, too. */
import { type Batch } from '../../libs/engines/training/gradient.shard.js';
import {
  lengthOf,
  type LlamaShape,
  type NamedTensor,
  tensorShapes,
} from '../../libs/engines/training/model/llama-shape.js';

export const waveTensors = (shape: LlamaShape, phase: number): NamedTensor[] =>
  tensorShapes(shape).map(([name, size]) => {
    const scale = 1 / Math.sqrt(size[1] ?? 1);
    const values = Float32Array.from({ length: lengthOf(size) }, (_, at) =>
      size.length === 1 ? 1 : Math.sin(at * 0.7 + at * at * 0.013 + phase) * scale,
    );
    return { name, shape: size, values };
  });

export const batchAt = (
  step: number,
  { rows, positions }: { readonly rows: number; readonly positions: number },
  vocabulary: number,
): Batch => {
  const idAt = (row: number, position: number): number => {
    const at = row * (positions + 1) + position;
    return (at * at * 7 + at * 3 + step * 11) % vocabulary;
  };
  const ids = new Int32Array(rows * positions);
  const targets = new Int32Array(rows * positions);
  for (let index = 0; index < ids.length; index += 1) {
    const [row, position] = [Math.floor(index / positions), index % positions];
    ids[index] = idAt(row, position);
    targets[index] = idAt(row, position + 1);
  }
  return { ids, targets, weights: new Float32Array(ids.length).fill(1), rows };
};
