import { describe, expect, it } from '@jest/globals';
import { at, put, type ReadStoreStage, rejected, USAGE } from './read-store.fixture.js';

/** Fencing tokens of checkpoints. */
export const fencesContract = (stage: ReadStoreStage): void => {
  describe('fences', () => {
    const under = (fence: bigint, position: bigint, name = USAGE) => ({ name, position, fence });

    it('let the same lease and a later one write', async () => {
      await stage.store.commit({ writes: [put('a', 1n)], checkpoint: under(3n, 1n) });
      await stage.store.commit({ writes: [put('a', 2n)], checkpoint: under(3n, 2n) });
      await stage.store.commit({ writes: [put('a', 3n)], checkpoint: under(4n, 3n) });
      expect((await stage.store.get(USAGE, 'a'))?.position).toBe(3n);
      expect(await stage.store.checkpoint(USAGE)).toBe(3n);
    });

    it('shut an earlier lease out before anything is written, on every handle', async () => {
      await stage.store.commit({ writes: [put('a', 1n)], checkpoint: under(4n, 1n) });
      const late = { writes: [put('a', 2n), put('b', 2n)], checkpoint: under(3n, 2n) };
      const other = await stage.open();
      await expect(stage.store.commit(late)).rejects.toEqual(rejected('fenced-off'));
      await expect(other.commit(late)).rejects.toEqual(rejected('fenced-off'));
      expect(await stage.keys()).toEqual(['a']);
      expect((await stage.store.get(USAGE, 'a'))?.position).toBe(1n);
      expect(await stage.store.checkpoint(USAGE)).toBe(1n);
    });

    it('are raised by a commit without documents that does not move the place', async () => {
      await stage.store.commit({ writes: [], checkpoint: under(1n, 5n) });
      await stage.store.commit({ writes: [], checkpoint: under(2n, 0n) });
      expect(await stage.store.checkpoint(USAGE)).toBe(5n);
      await expect(stage.store.commit({ writes: [], checkpoint: under(1n, 6n) })).rejects.toEqual(
        rejected('fenced-off'),
      );
    });

    it('do not concern a commit without a token, which leaves them as they are', async () => {
      await stage.store.commit({ writes: [], checkpoint: under(4n, 1n) });
      await stage.store.commit({ writes: [put('a', 2n)], checkpoint: at(2n) });
      await stage.store.commit({ writes: [put('b', 2n)] });
      expect(await stage.keys()).toEqual(['a', 'b']);
      await expect(stage.store.commit({ writes: [], checkpoint: under(3n, 3n) })).rejects.toEqual(
        rejected('fenced-off'),
      );
    });

    it('are kept by name, begin at nothing and go with their checkpoint', async () => {
      await stage.store.commit({ writes: [], checkpoint: at(1n) });
      await stage.store.commit({ writes: [], checkpoint: under(0n, 1n) });
      await stage.store.commit({ writes: [], checkpoint: under(9n, 1n) });
      await stage.store.commit({ writes: [], checkpoint: under(2n, 1n, 'relay') });
      await stage.store.drop(USAGE, USAGE);
      await stage.store.commit({ writes: [put('a', 1n)], checkpoint: under(1n, 1n) });
      expect(await stage.keys()).toEqual(['a']);
    });

    it('outlast the handle, and go to 2^63 - 1', async () => {
      await stage.store.commit({ writes: [], checkpoint: under(2n ** 63n - 1n, 1n) });
      await stage.store.close();
      stage.store = await stage.open();
      await expect(
        stage.store.commit({ writes: [], checkpoint: under(2n ** 63n - 2n, 2n) }),
      ).rejects.toEqual(rejected('fenced-off'));
    });

    it.each([-1n, 2n ** 63n])('reject the token %s', async (fence) => {
      const commit = { writes: [put('a', 1n)], checkpoint: under(fence, 1n) };
      await expect(stage.store.commit(commit)).rejects.toEqual(rejected('invalid-fence'));
      expect(await stage.store.count(USAGE)).toBe(0);
    });
  });
};
