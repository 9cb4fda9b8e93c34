import { describe, expect, it } from '@jest/globals';
import { type ChargedLine } from '#events/hold.vocabulary.js';
import { amountsByRig, onRigs } from './rig-lines.js';

const line: ChargedLine = {
  meter: 'rows',
  quantity: 4,
  unitPriceMicroUsd: '5',
  perUnits: 1,
};
const onMill = { ...line, rig: 'mill' };
const onPress = { ...line, rig: 'press' };

describe('a charge', () => {
  it('names the rig that did all the work once', () => {
    expect(onRigs([onMill, onMill])).toEqual({ rig: 'mill', lines: [line, line] });
  });

  it.each<[string, readonly ChargedLine[]]>([
    ['several rigs', [onMill, onPress]],
    ['a rig for a part of the work', [onMill, line]],
    ['no rig', [line]],
    ['no lines', []],
  ])('leaves the rigs to the lines: %s', (_, lines) => {
    expect(onRigs(lines)).toEqual({ rig: null, lines });
  });
});

describe('the part of a charge for each rig', () => {
  const third = { ...line, quantity: 1, unitPriceMicroUsd: '1', perUnits: 3 };

  it('is all of it for the only rig, and for none where no line names one', () => {
    expect(amountsByRig({ rig: 'mill', lines: [line], amountMicroUsd: '20' })).toEqual([
      { rig: 'mill', amount: 20n },
    ]);
    expect(amountsByRig({ rig: null, lines: [line], amountMicroUsd: '20' })).toEqual([
      { rig: null, amount: 20n },
    ]);
  });

  it('is the price of its lines', () => {
    const lines = [onMill, onPress, onMill];
    expect(amountsByRig({ rig: null, lines, amountMicroUsd: '60' })).toEqual([
      { rig: 'mill', amount: 40n },
      { rig: 'press', amount: 20n },
    ]);
  });

  it('gives the rounding remainder of the charge to the largest fraction', () => {
    const lines = [
      { ...third, rig: 'mill' },
      { ...third, quantity: 2, rig: 'press' },
      { ...third, rig: 'loom' },
    ];
    expect(amountsByRig({ rig: null, lines, amountMicroUsd: '2' })).toEqual([
      { rig: 'press', amount: 1n },
      { rig: 'loom', amount: 1n },
      { rig: 'mill', amount: 0n },
    ]);
  });
});
