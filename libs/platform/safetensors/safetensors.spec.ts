import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { InvalidWeightsError, readSafetensors, writeSafetensors } from './safetensors.js';

const tensors = new Map([
  ['b', { shape: [3], values: Float32Array.of(1, -2.5, 3e-8) }],
  ['a', { shape: [2, 2], values: Float32Array.of(1, 2, 3, 4) }],
]);

/** The bytes that the package `safetensors` 0.8.0 of Python writes for these tensors. */
const BY_PYTHON = Buffer.concat([
  Buffer.from('7000000000000000', 'hex'),
  Buffer.from(
    '{"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},' +
      '"b":{"dtype":"F32","shape":[3],"data_offsets":[16,28]}}',
  ),
  Buffer.from('0000803f0000004000004040000080400000803f000020c059d90033', 'hex'),
]);

describe('safetensors', () => {
  it('reads what it writes, whatever the order of names', () => {
    const read = readSafetensors(writeSafetensors(tensors));
    expect([...read.keys()]).toEqual(['a', 'b']);
    expect(read.get('a')).toEqual(tensors.get('a'));
    expect(read.get('b')).toEqual(tensors.get('b'));
  });

  it('writes the bytes of the reference implementation', () => {
    expect(writeSafetensors(tensors)).toEqual(BY_PYTHON);
  });

  it('never throws anything but InvalidWeightsError on damaged files', () => {
    const file = writeSafetensors(tensors);
    fc.assert(
      fc.property(fc.nat(file.length - 1), fc.nat(255), (place, byte) => {
        const damaged = Buffer.from(file);
        damaged[place] = byte;
        try {
          readSafetensors(damaged);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidWeightsError);
        }
      }),
    );
  });

  it('rejects a file that is cut or has bytes too many', () => {
    const file = writeSafetensors(tensors);
    for (const length of [0, 7, 40, file.length - 1]) {
      expect(() => readSafetensors(file.subarray(0, length))).toThrow(InvalidWeightsError);
    }
    expect(() => readSafetensors(Buffer.concat([file, Buffer.alloc(1)]))).toThrow(
      'bytes follow the last tensor',
    );
  });
});
