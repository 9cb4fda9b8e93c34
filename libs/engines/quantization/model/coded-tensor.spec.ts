import { describe, expect, it } from '@jest/globals';
import { Q4_0 } from '../../llama-layers/formats/linear-formats.js';
import { encodeTensor } from '../../llama-layers/formats/block-format.js';
import { codeTensor, type SourceTensor } from './coded-tensor.js';

const weights = Float32Array.from({ length: 1_024 }, (_, at) => Math.sin(at * at) / 10);

const source = (rowLength: number, values = weights): SourceTensor => ({
  rowLength,
  format: { name: 'F32', type: 0 },
  stored: () => new Uint8Array(values.buffer),
  weights: values,
});

describe('a ternary tensor', () => {
  it.each([
    [256, 'TQ2_0', 66 / 256],
    [128, 'Q4_0', 18 / 32],
  ])('keeps its trits without loss with rows of %i', (rowLength, format, bytesPerWeight) => {
    const coded = codeTensor(source(rowLength), 'BITNET');
    const { trits, scale } = coded.ternary ?? { trits: [], scale: NaN };
    expect(coded.format).toBe(format);
    expect(coded.bytes).toHaveLength(weights.length * bytesPerWeight);
    expect([...coded.restored]).toEqual(Array.from(trits, (trit) => trit * scale));
    expect(new Set(trits)).toEqual(new Set([-1, 0, 1]));
  });

  it('would lose the sign of some in the blocks of the encoder of Q4_0', () => {
    const { restored } = codeTensor(source(128), 'BITNET');
    expect(encodeTensor(Q4_0, restored)).not.toEqual(codeTensor(source(128), 'BITNET').bytes);
  });
});

describe('a tensor that stays as it is', () => {
  it('has the bytes of its file', () => {
    const { bytes, restored, format } = codeTensor(source(128), 'F32');
    expect(format).toBe('F32');
    expect(restored).toBe(weights);
    expect(new Float32Array(bytes.buffer)).toEqual(weights);
  });
});

it('rejects rows that no block fills', () => {
  expect(() => codeTensor(source(48, weights.slice(0, 48)), 'Q8_0')).toThrow(
    'Q8_0 has no rows of 48',
  );
});
