import { describe, expect, it } from '@jest/globals';
import { batchAskedOf, inferAskedOf } from './spiking.body.js';

const asked = { model: 'snnlib/knots', input_data: 'a cord' };

describe('the body of a run', () => {
  it('has the promised defaults', () => {
    expect(inferAskedOf(asked)).toEqual({
      model: 'snnlib/knots',
      routingMode: null,
      timesteps: 8,
      neuron: null,
      input: 'a cord',
      raster: false,
      session: null,
    });
  });

  it.each([
    [{ timesteps: '16' }, { timesteps: 16 }],
    [{ return_raster: 'true' }, { raster: true }],
    [{ return_raster: '0' }, { raster: false }],
    [
      { input_data: '[[1,2],[3,4]]' },
      {
        input: [
          [1, 2],
          [3, 4],
        ],
      },
    ],
    [{ input_data: '[INST] a cord' }, { input: '[INST] a cord' }],
    [{ input_data: ' [1]' }, { input: ' [1]' }],
    [{ node_type: 'PLIFNode' }, { neuron: 'PLIFNode' }],
    [{ neuron_model: 'PLIFNode' }, { neuron: 'PLIFNode' }],
    [{ node_type: 'PLIFNode', neuron_model: 'PLIFNode' }, { neuron: 'PLIFNode' }],
    [
      { model: null, routing_mode: 'hybrid_cnn' },
      { model: null, routingMode: 'hybrid_cnn' },
    ],
  ])('is read from JSON and from the text of forms: %p', (changes, read) => {
    expect(inferAskedOf({ ...asked, ...changes })).toMatchObject(read);
  });

  it.each([
    [undefined, 'expected an object'],
    [{ ...asked, timesteps: 0 }, 'timesteps'],
    [{ ...asked, timesteps: '65' }, 'timesteps'],
    [{ ...asked, timesteps: '8.5' }, 'timesteps'],
    [{ ...asked, timesteps: '-1' }, 'timesteps'],
    [{ ...asked, return_raster: 'perhaps' }, 'return_raster'],
    [{ ...asked, session_id: 'x'.repeat(61) }, 'session_id'],
    [{ ...asked, input_data: '[]' }, 'input_data is empty'],
    [{ ...asked, input_data: '[1, NaN]' }, 'no JSON array of finite numbers'],
    [{ ...asked, input_data: '[1, 2]]' }, 'no JSON array'],
    [{ ...asked, input_data: '[1e999]' }, 'not a finite number'],
    [{ ...asked, inputs: [] }, 'inputs'],
  ])('may not be %p', (body, message) => {
    expect(() => inferAskedOf(body)).toThrow(message);
  });

  it('of a batch has a list of inputs, each of which is named', () => {
    const { input_data: _, ...network } = asked;
    expect(batchAskedOf({ ...network, inputs: ['a', [1]] }).inputs).toEqual(['a', [1]]);
    expect(() => batchAskedOf({ ...network, inputs: ['a', [[1], 2]] })).toThrow('inputs[1][1]');
    expect(() => batchAskedOf({ ...network, inputs: [] })).toThrow('inputs');
    expect(() => batchAskedOf({ ...network, inputs: Array(1_001).fill('a') })).toThrow('inputs');
  });
});
