import { describe, expect, it } from '@jest/globals';
import { keepingLatest } from './latest-value.js';

describe('keepingLatest', () => {
  const setup = () => {
    const made: string[] = [];
    const joined = keepingLatest((name: string, day: string, model: string) => {
      const key = [name, day, model].join('/');
      made.push(key);
      return key;
    });
    return { joined, made };
  };

  it('makes a value once while its name comes with the same texts', () => {
    const { joined, made } = setup();
    expect([joined('7', '2026-11-27', 'a'), joined('7', '2026-11-27', 'a')]).toEqual([
      '7/2026-11-27/a',
      '7/2026-11-27/a',
    ]);
    expect(made).toHaveLength(1);
  });

  it('makes another value when one of the texts differs', () => {
    const { joined } = setup();
    joined('7', '2026-11-27', 'a');
    expect(joined('7', '2026-11-28', 'a')).toBe('7/2026-11-28/a');
    expect(joined('7', '2026-11-28', 'b')).toBe('7/2026-11-28/b');
    expect(joined('7', '2026-11-27', 'a')).toBe('7/2026-11-27/a');
  });

  it('keeps names apart', () => {
    const { joined, made } = setup();
    joined('7', '2026-11-27', 'a');
    expect(joined('8', '2026-11-27', 'a')).toBe('8/2026-11-27/a');
    joined('7', '2026-11-27', 'a');
    expect(made).toHaveLength(2);
  });

  it('forgets what it has kept rather than grow without end', () => {
    const { joined, made } = setup();
    for (let name = 0; name <= 10_000; name += 1) joined(String(name), '2026-11-27', 'a');
    joined('0', '2026-11-27', 'a');
    expect(made).toHaveLength(10_002);
  });
});
