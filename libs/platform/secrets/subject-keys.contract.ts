import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SealBrokenError } from './sealed-box.js';
import { SubjectErasedError, type SubjectKeys } from './subject-keys.js';

/** One set of keys, with as many handles as a test opens. */
export interface SubjectKeysUnderTest {
  /** Another handle on the same keys, as another process would have. */
  open(): Promise<SubjectKeys>;
  /** Closes the handles and deletes the keys. */
  remove(): Promise<void>;
}

/** The contract of every adapter. `create` makes an empty set. */
export const subjectKeysContract = (adapter: string, create: () => Promise<SubjectKeysUnderTest>) =>
  describe(`SubjectKeys contract: ${adapter}`, () => {
    let underTest: SubjectKeysUnderTest;
    let here: SubjectKeys;
    let there: SubjectKeys;

    beforeEach(async () => {
      underTest = await create();
      [here, there] = await Promise.all([underTest.open(), underTest.open()]);
    });

    afterEach(() => underTest.remove());

    it('seals in one process what opens in another', async () => {
      const sealed = await here.seal('user:1', 'email', 'ada@example.com é 漢字 😀');
      expect(await there.open('user:1', 'email', sealed)).toBe('ada@example.com é 漢字 😀');
    });

    it('opens nothing as another field or subject', async () => {
      const sealed = await here.seal('user:1', 'email', 'ada@example.com');
      await here.seal('user:2', 'email', 'bob@example.com');
      await expect(here.open('user:1', 'username', sealed)).rejects.toThrow(SealBrokenError);
      await expect(here.open('user:2', 'email', sealed)).rejects.toThrow(SealBrokenError);
    });

    it('agrees on one key when two processes seal for the first time', async () => {
      const sealing = Array.from({ length: 10 }, (_, n) =>
        (n % 2 ? here : there).seal('user:1', 'email', `text ${n}`),
      );
      const sealed = await Promise.all(sealing);
      const opened = sealed.map((text, n) => (n % 2 ? there : here).open('user:1', 'email', text));
      expect(await Promise.all(opened)).toEqual(sealed.map((_, n) => `text ${n}`));
    });

    it('opens nothing once erased, in every process, for ever', async () => {
      const sealed = await here.seal('user:1', 'email', 'ada@example.com');
      expect(await there.open('user:1', 'email', sealed)).not.toBeNull();
      await here.erase('user:1');
      await here.erase('user:1');
      expect(await here.open('user:1', 'email', sealed)).toBeNull();
      expect(await there.open('user:1', 'email', sealed)).toBeNull();
      await expect(there.seal('user:1', 'email', 'again')).rejects.toThrow(SubjectErasedError);
      expect(await (await underTest.open()).open('user:1', 'email', sealed)).toBeNull();
    });

    it('erases a subject without a key, and no other', async () => {
      await here.seal('user:2', 'email', 'bob@example.com');
      await here.erase('user:1');
      await expect(there.seal('user:1', 'email', 'ada')).rejects.toThrow(SubjectErasedError);
      expect(await there.seal('user:2', 'email', 'bob')).toEqual(expect.any(String));
    });

    it('leaves a subject erased when a first seal runs at the same time', async () => {
      for (const subject of Array.from({ length: 10 }, (_, n) => `user:${n}`)) {
        const sealing = there.seal(subject, 'email', 'ada').catch(() => null);
        const [sealed] = await Promise.all([sealing, here.erase(subject)]);
        if (sealed !== null) expect(await there.open(subject, 'email', sealed)).toBeNull();
        await expect(there.seal(subject, 'email', 'again')).rejects.toThrow(SubjectErasedError);
      }
    });

    it('knows nothing of a subject who never was', async () => {
      expect(await here.open('user:9', 'email', 'AAAA')).toBeNull();
    });
  });
