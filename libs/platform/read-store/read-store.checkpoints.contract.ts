import { describe, expect, it } from '@jest/globals';
import { at, put, type ReadStoreStage, rejected, USAGE } from './read-store.fixture.js';

/** Checkpoints with the events by which a reader recognises its log. */
export const checkpointsContract = (stage: ReadStoreStage): void => {
  describe('checkpoints', () => {
    const seen = async () => {
      const found = await stage.store.checkpoints();
      return [...found].sort((one, other) => (one.name < other.name ? -1 : 1));
    };

    it('are none in an empty store', async () => {
      expect(await stage.store.checkpoints()).toEqual([]);
    });

    it('are listed with the event that was committed last', async () => {
      await stage.store.commit({ writes: [put('a', 1n)], checkpoint: { ...at(1n), event: 'one' } });
      await stage.store.commit({ writes: [], checkpoint: { name: 'relay', position: 9n } });
      await stage.store.commit({
        writes: [put('a', 4n)],
        checkpoint: { ...at(4n), event: 'four' },
      });
      const expected = [
        { name: 'relay', position: 9n, event: null },
        { name: USAGE, position: 4n, event: 'four' },
      ];
      expect(await seen()).toEqual(expected);
      stage.store = await stage.open();
      expect(await seen()).toEqual(expected);
    });

    it('keep their event when a commit has none, and lose it when they are dropped', async () => {
      await stage.store.commit({ writes: [], checkpoint: { ...at(1n), event: 'one' } });
      await stage.store.commit({ writes: [], checkpoint: at(5n) });
      await stage.store.commit({ writes: [], checkpoint: { ...at(0n), fence: 3n } });
      expect(await seen()).toEqual([{ name: USAGE, position: 5n, event: 'one' }]);
      await stage.store.drop(USAGE, USAGE);
      expect(await seen()).toEqual([]);
      await stage.store.commit({ writes: [], checkpoint: at(2n) });
      expect(await seen()).toEqual([{ name: USAGE, position: 2n, event: null }]);
    });

    it.each(['', 'x'.repeat(513), 'a\0b', '\ud800'])('reject the event %j', async (event) => {
      const commit = { writes: [put('a', 1n)], checkpoint: { ...at(1n), event } };
      await expect(stage.store.commit(commit)).rejects.toEqual(rejected('invalid-key'));
      expect(await stage.store.checkpoints()).toEqual([]);
    });
  });
};
