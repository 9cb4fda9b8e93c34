import { describe, expect, it } from '@jest/globals';
import { turnsOf } from './turns.js';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('the turns of a batch', () => {
  it.each([0, 1, 500, 501, 1_000, 1_234])('are its %d events, in order', async (count) => {
    const seen: number[] = [];
    for await (const turn of turnsOf(numbers(count))) seen.push(...turn);
    expect(seen).toEqual(numbers(count));
  });

  it('let others go first in between', async () => {
    const order: string[] = [];
    setImmediate(() => order.push('other work'));
    for await (const turn of turnsOf(numbers(1_000))) order.push(`${turn.length} events`);
    expect(order).toEqual(['500 events', 'other work', '500 events']);
  });
});
