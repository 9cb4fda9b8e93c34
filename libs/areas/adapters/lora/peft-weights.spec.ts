import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type NamedTensor, writeSafetensors } from '#platform/safetensors/safetensors.js';
import { tinyBase, tinyConfig, tinyTensors, tinyWeights } from '../adapter.fixture.js';
import { readPeftConfig } from './peft-config.js';
import { readPeftWeights } from './peft-weights.js';

const STEM = 'base_model.model.model.layers.0.self_attn.q_proj';
const config = readPeftConfig(JSON.stringify(tinyConfig));
const read = (file: Buffer) => readPeftWeights(file, config, tinyBase);

/** The file, after a change of its tensors. */
const changed = (change: (tensors: Map<string, NamedTensor>) => void): Buffer => {
  const tensors = new Map<string, NamedTensor>(tinyTensors());
  change(tensors);
  return writeSafetensors(tensors);
};

const renamed = (from: string, to: string): Buffer =>
  changed((tensors) => {
    const tensor = tensors.get(from);
    if (tensor) tensors.set(to, tensor);
    tensors.delete(from);
  });

const withHeader = (json: string, body = 0): Buffer => {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  return Buffer.concat([length, Buffer.from(json), Buffer.alloc(body)]);
};

const entryOf = (shape: readonly number[], offsets: readonly number[], dtype = 'F32') => ({
  dtype,
  shape,
  data_offsets: offsets,
});

describe('the weights of an adapter', () => {
  it('are read in pairs, with the shapes of the model', () => {
    const { rank, alpha, pairs } = read(tinyWeights());
    expect({ rank, alpha }).toEqual({ rank: 2, alpha: 4 });
    const places = pairs.map(({ layer, target, inputs, outputs }) => ({
      layer,
      target,
      inputs,
      outputs,
    }));
    expect(places).toEqual([
      { layer: 0, target: 'q_proj', inputs: 8, outputs: 8 },
      { layer: 1, target: 'up_proj', inputs: 8, outputs: 6 },
      { layer: 1, target: 'k_proj', inputs: 8, outputs: 4 },
    ]);
    const [first] = pairs;
    expect([first?.a[0], first?.a[15], first?.b[0], first?.b[15]]).toEqual([0, 15, 100, 115]);
  });

  it('may be 16-bit floats of either kind', () => {
    const names = [`${STEM}.lora_A.weight`, `${STEM}.lora_B.weight`] as const;
    const header = (dtype: string) =>
      JSON.stringify({
        [names[0]]: entryOf([2, 8], [0, 32], dtype),
        [names[1]]: entryOf([8, 2], [32, 64], dtype),
      });
    const values = Array.from({ length: 32 }, (_, index) => index - 16);
    const halves = Buffer.from(Float16Array.from(values).buffer);
    const brain = Buffer.alloc(2 * values.length);
    values.forEach((value, index) => {
      const bits = new Uint32Array(Float32Array.of(value).buffer)[0] ?? 0;
      brain.writeUInt16LE(bits >>> 16, 2 * index);
    });
    for (const [dtype, body] of [
      ['F16', halves],
      ['BF16', brain],
    ] as const) {
      const { pairs } = read(Buffer.concat([withHeader(header(dtype)), body]));
      expect([...(pairs[0]?.a ?? []), ...(pairs[0]?.b ?? [])]).toEqual(values);
    }
  });

  const infinite = changed((tensors) => {
    tensors.set(`${STEM}.lora_A.weight`, {
      shape: [2, 8],
      values: new Float32Array(16).fill(Infinity),
    });
  });
  const notNumbers = changed((tensors) => {
    tensors.set(`${STEM}.lora_B.weight`, { shape: [8, 2], values: new Float32Array(16).fill(NaN) });
  });
  const otherShape = changed((tensors) => {
    tensors.set(`${STEM}.lora_A.weight`, { shape: [4, 4], values: new Float32Array(16) });
  });
  const header = Buffer.alloc(8);
  header.writeBigUInt64LE(2n ** 62n);

  it.each([
    ['infinite numbers', infinite, /q_proj\.lora_A\.weight has numbers that are not finite/],
    ['no numbers', notNumbers, /q_proj\.lora_B\.weight has numbers that are not finite/],
    ['another shape', otherShape, /lora_A\.weight has the shape \[4, 4\], not \[2, 8\]/],
    [
      'half a pair',
      changed((all) => all.delete(`${STEM}.lora_B.weight`)),
      /lora_B\.weight is missing/,
    ],
    ['no tensors', writeSafetensors(new Map()), /has no tensors/],
    ['a name of another kind', renamed(`${STEM}.lora_A.weight`, 'lm_head.weight'), /lm_head/],
    [
      'a layer that the model lacks',
      changed((all) => {
        for (const side of ['A', 'B']) {
          const tensor = all.get(`${STEM}.lora_${side}.weight`);
          const name = `${STEM.replace('layers.0', 'layers.9')}.lora_${side}.weight`;
          if (tensor) all.set(name, tensor);
        }
      }),
      /layers\.9\.self_attn\.q_proj is not a matrix of acme\/tiny/,
    ],
    [
      'a projection that the configuration does not name',
      renamed(`${STEM}.lora_A.weight`, `${STEM.replace('q_proj', 'v_proj')}.lora_A.weight`),
      /v_proj\.lora_A\.weight is not among target_modules/,
    ],
    [
      'a projection in the wrong module',
      renamed(`${STEM}.lora_A.weight`, `${STEM.replace('self_attn', 'mlp')}.lora_A.weight`),
      /is no name of a LoRA matrix/,
    ],
    ['a header that is larger than the file', header, /does not hold a header/],
    [
      'tensors that overlap',
      withHeader(JSON.stringify({ a: entryOf([2], [0, 8]), b: entryOf([2], [4, 12]) }), 12),
      /does not lie where its shape needs it/,
    ],
    [
      'a shape that is too large for any file',
      withHeader(JSON.stringify({ a: entryOf([2 ** 40, 2 ** 40], [0, 4]) }), 4),
      /does not lie where its shape needs it/,
    ],
    [
      'integers',
      withHeader(JSON.stringify({ a: entryOf([1], [0, 4], 'I32') }), 4),
      /a is not a tensor of type F32 or F16 or BF16/,
    ],
  ])('are refused with the tensor named: %s', (_, file, message) => {
    expect(() => read(file)).toThrow(DomainError);
    expect(() => read(file)).toThrow(message);
  });

  it('never fails otherwise, whatever bytes come', () => {
    const file = tinyWeights();
    const damage = fc.array(fc.tuple(fc.nat(file.length - 1), fc.nat(255)), { minLength: 1 });
    fc.assert(
      fc.property(damage, fc.nat(file.length), (bytes, length) => {
        const damaged = Buffer.from(file.subarray(0, Math.max(length, 1)));
        for (const [place, byte] of bytes) if (place < damaged.length) damaged[place] = byte;
        try {
          read(damaged);
        } catch (error) {
          expect(error).toMatchObject({ code: 'adapter_weights_invalid' });
        }
      }),
      { numRuns: 300 },
    );
    fc.assert(
      fc.property(fc.json(), (json) => {
        expect(() => read(withHeader(json))).toThrow(DomainError);
      }),
    );
  });
});
