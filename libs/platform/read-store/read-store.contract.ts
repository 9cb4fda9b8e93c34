import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { checkpointsContract } from './read-store.checkpoints.contract.js';
import { documentsContract } from './read-store.documents.contract.js';
import { errorsContract } from './read-store.errors.contract.js';
import { fencesContract } from './read-store.fences.contract.js';
import {
  at,
  put,
  type ReadStoreStage,
  type ReadStoreUnderTest,
  rejected,
  remove,
  USAGE,
} from './read-store.fixture.js';
import { listsContract } from './read-store.lists.contract.js';
import { type ListOptions, type ReadStore } from './read-store.port.js';
import { agreesWithModel } from './read-store-model.contract.js';

/** Every handle is closed and the documents are deleted after each test. */
class Stage implements ReadStoreStage {
  store!: ReadStore;
  #underTest!: ReadStoreUnderTest;
  #handles: ReadStore[] = [];

  async begin(create: () => Promise<ReadStoreUnderTest>): Promise<void> {
    this.#handles = [];
    this.#underTest = await create();
    this.store = await this.open();
  }

  async open(): Promise<ReadStore> {
    const handle = await this.#underTest.open();
    this.#handles.push(handle);
    return handle;
  }

  async keys(options?: ListOptions): Promise<string[]> {
    return (await this.store.list(USAGE, options)).map(({ key }) => key);
  }

  async end(): Promise<void> {
    await Promise.all(this.#handles.map((handle) => handle.close()));
    await this.#underTest.remove();
  }
}

/**
 * The contract of every adapter. `create` makes an empty store; an adapter supplies nothing else.
 */
export const readStoreContract = (adapter: string, create: () => Promise<ReadStoreUnderTest>) =>
  describe(`ReadStore contract: ${adapter}`, () => {
    const stage = new Stage();
    beforeEach(() => stage.begin(create));
    afterEach(() => stage.end());

    documentsContract(stage);
    fencesContract(stage);
    checkpointsContract(stage);
    listsContract(stage);
    describe('handles', () => {
      it('find everything after a close and another open', async () => {
        await stage.store.commit({ writes: [put('a', 1n), remove('b', 2n)], checkpoint: at(2n) });
        await stage.store.close();
        stage.store = await stage.open();
        expect(await stage.store.get(USAGE, 'a')).toMatchObject({ position: 1n });
        expect(await stage.store.checkpoint(USAGE)).toBe(2n);
        await stage.store.commit({ writes: [put('b', 1n)] });
        expect(await stage.keys()).toEqual(['a']);
      });

      it('see what another has committed or dropped as soon as that is resolved', async () => {
        const other = await stage.open();
        for (let position = 1n; position <= 20n; position += 1n) {
          await stage.store.commit({ writes: [put('a', position)], checkpoint: at(position) });
          expect(await other.get(USAGE, 'a')).toMatchObject({ position });
          expect(await other.checkpoint(USAGE)).toBe(position);
        }
        await other.drop(USAGE, USAGE);
        expect(await stage.store.get(USAGE, 'a')).toBeUndefined();
        await stage.store.commit({ writes: [put('a', 3n)] });
        expect(await other.get(USAGE, 'a')).toMatchObject({ position: 3n });
      });

      it('may commit at the same time: the highest position stays', async () => {
        const other = await stage.open();
        const positions = Array.from({ length: 100 }, (_, n) => BigInt(n + 1));
        await Promise.all(
          positions.map((position) =>
            (position % 2n ? stage.store : other).commit({
              writes: [put('a', position), put(`k${position}`, position)],
              checkpoint: at(position),
            }),
          ),
        );
        expect(await stage.store.get(USAGE, 'a')).toMatchObject({ position: 100n });
        expect(await other.checkpoint(USAGE)).toBe(100n);
        expect(await other.count(USAGE, 'k')).toBe(100);
      });

      it('reject everything once closed, and may be closed twice', async () => {
        await stage.store.close();
        await expect(stage.store.close()).resolves.toBeUndefined();
        const unavailable = rejected('store-unavailable');
        await expect(stage.store.get(USAGE, 'a')).rejects.toEqual(unavailable);
        await expect(stage.store.list(USAGE)).rejects.toEqual(unavailable);
        await expect(stage.store.count(USAGE)).rejects.toEqual(unavailable);
        await expect(stage.store.checkpoint(USAGE)).rejects.toEqual(unavailable);
        await expect(stage.store.checkpoints()).rejects.toEqual(unavailable);
        await expect(stage.store.drop(USAGE, USAGE)).rejects.toEqual(unavailable);
        await expect(stage.store.commit({ writes: [put('a', 1n)] })).rejects.toEqual(unavailable);
      });
    });

    errorsContract(stage);

    it('agrees with a map under random operations', () => agreesWithModel(stage.store));
  });
