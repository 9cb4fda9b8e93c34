import { describe, expect, it } from '@jest/globals';
import { TurnsByFile } from './turns-by-file.js';

describe('work on files', () => {
  it('waits for earlier work on the same file, even if it fails, and for no other', async () => {
    const turns = new TurnsByFile();
    const story: string[] = [];
    const gates = new Map<string, () => void>();
    const work = (name: string) => () => {
      story.push(`${name} begins`);
      return new Promise<string>((resolve) => gates.set(name, () => resolve(name)));
    };
    const first = turns.take('a', work('first'));
    const failing = turns.take('a', () => Promise.reject(new Error('the delta is wrong')));
    const last = turns.take('a', work('last'));
    const other = turns.take('b', work('other'));
    const failed = expect(failing).rejects.toThrow('the delta is wrong');
    await new Promise((resolve) => setImmediate(resolve));
    expect(story).toEqual(['first begins', 'other begins']);
    gates.get('first')?.();
    expect(await first).toBe('first');
    await failed;
    await new Promise((resolve) => setImmediate(resolve));
    expect(story).toEqual(['first begins', 'other begins', 'last begins']);
    gates.get('last')?.();
    gates.get('other')?.();
    expect(await Promise.all([last, other])).toEqual(['last', 'other']);
  });
});
