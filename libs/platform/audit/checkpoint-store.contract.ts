import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type CheckpointStore } from './checkpoint-store.port.js';

/** Two handles on one empty store. */
export interface CheckpointStoresUnderTest {
  readonly one: CheckpointStore;
  readonly other: CheckpointStore;
  readonly dispose: () => Promise<void>;
}

export const checkpointStoreContract = (
  adapter: string,
  open: () => Promise<CheckpointStoresUnderTest>,
): void =>
  describe(`CheckpointStore contract: ${adapter}`, () => {
    let stores: CheckpointStoresUnderTest;

    beforeEach(async () => {
      stores = await open();
    });

    afterEach(() => stores.dispose());

    const first = { size: 3, note: 'three\n' };
    const second = { size: 2 ** 40, note: 'many\n' };

    it('remembers the last checkpoint, for every process', async () => {
      const { one, other } = stores;
      expect(await one.last()).toBeUndefined();
      expect(await one.replace(undefined, first)).toBe(true);
      expect(await other.last()).toEqual(first);
      expect(await other.replace(first, second)).toBe(true);
      expect(await one.last()).toEqual(second);
    });

    it('lets one of two processes replace it', async () => {
      const { one, other } = stores;
      expect(await one.replace(undefined, first)).toBe(true);
      expect(await other.replace(undefined, second)).toBe(false);
      expect(await one.replace(first, second)).toBe(true);
      expect(await other.replace(first, { size: 9, note: 'nine\n' })).toBe(false);
      expect(await other.last()).toEqual(second);
    });

    it('takes further signatures of the same checkpoint', async () => {
      const { one } = stores;
      await one.replace(undefined, first);
      const cosigned = { ...first, note: 'three\nand more\n' };
      expect(await one.replace(first, cosigned)).toBe(true);
      expect(await one.last()).toEqual(cosigned);
    });

    it('never shrinks', async () => {
      const { one } = stores;
      await one.replace(undefined, second);
      await expect(one.replace(second, first)).rejects.toThrow(RangeError);
      expect(await one.last()).toEqual(second);
    });
  });
