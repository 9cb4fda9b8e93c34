import { describe, expect, it } from '@jest/globals';
import { inputDataOf, VALUES_MAX } from './input-data.js';
import { TEXT_LENGTH_MAX } from './spiking.engine.js';

describe('the input of a network', () => {
  it.each([
    ['a text'],
    [[0.5]],
    [
      [
        [1, 2],
        [3, 4],
      ],
    ],
    [[[[[1]]]]],
  ])('may be %p', (value) => {
    expect(inputDataOf(value)).toBe(value);
  });

  it('may have as many characters or values as the limits say', () => {
    const values = Array.from({ length: VALUES_MAX }, () => 1);
    expect(inputDataOf(values)).toBe(values);
    expect(() => inputDataOf([...values, 1])).toThrow(`more than ${VALUES_MAX} values`);
    const text = 'x'.repeat(TEXT_LENGTH_MAX);
    expect(inputDataOf(text)).toBe(text);
    expect(() => inputDataOf(`${text}x`)).toThrow(`longer than ${TEXT_LENGTH_MAX} characters`);
  });

  it.each([
    [undefined, 'input_data must be a string or an array of numbers'],
    [7, 'input_data must be'],
    [{}, 'input_data must be'],
    ['', 'input_data is empty'],
    [[], 'input_data is empty'],
    [[[1], []], 'input_data[1] is empty'],
    [[[1, 2], [3]], 'input_data[1] has another shape than input_data[0]'],
    [[1, [2]], 'input_data[1] has another shape'],
    [[1, '2'], 'input_data[1] is not a number'],
    [[1, null], 'input_data[1] is not a number'],
    [[[1, Number.NaN]], 'input_data[0][1] is not a finite number'],
    [[Number.POSITIVE_INFINITY], 'input_data[0] is not a finite number'],
    [[[[[[[1]]]]]], 'is nested deeper than 5 levels'],
  ])('may not be %p', (value, message) => {
    expect(() => inputDataOf(value)).toThrow(message);
    expect(() => inputDataOf(value)).toThrow(
      expect.objectContaining({ code: 'snn_input_invalid' }),
    );
  });

  it('is named as its place is', () => {
    expect(() => inputDataOf([], 'inputs[3]')).toThrow('inputs[3] is empty');
  });
});
