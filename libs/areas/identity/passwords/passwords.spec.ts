import { describe, expect, it } from '@jest/globals';
import { countedArgon2 } from '../identity-world.fixture.js';
import { Passwords, PASSWORDS_WAITING_MAX, PasswordsBusyError } from './passwords.js';

describe('Passwords', () => {
  it('hashes with argon2id, salted, with the parameters it names', async () => {
    const passwords = new Passwords();
    const phc = await passwords.hash('correct horse');
    expect(phc).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await passwords.hash('correct horse')).not.toBe(phc);
    expect(await passwords.verify(phc, 'correct horse')).toBe(true);
    expect(await passwords.verify(phc, 'correct house')).toBe(false);
  });

  it('does the same work for an unknown user, and returns false', async () => {
    expect(await new Passwords().verify(null, 'correct horse')).toBe(false);
    const { counts, load } = countedArgon2();
    await new Passwords(load).verify(null, 'correct horse');
    expect(counts.verified).toBe(1);
  });

  it('runs two at a time', async () => {
    let running = 0;
    let most = 0;
    const argon2 = {
      hash: () => Promise.resolve(''),
      verify: async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        return true;
      },
    };
    const passwords = new Passwords(() => Promise.resolve(argon2));
    const checked = Array.from({ length: 9 }, () => passwords.verify('phc', 'password'));
    expect(await Promise.all(checked)).toEqual(Array(9).fill(true));
    expect(most).toBe(2);
  });

  it('rejects a password when too many wait, and takes the next ones', async () => {
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const argon2 = { hash: () => Promise.resolve(''), verify: () => gate.then(() => true) };
    const passwords = new Passwords(() => Promise.resolve(argon2));
    const verify = () => passwords.verify('phc', 'password');
    const taken = Array.from({ length: 2 + PASSWORDS_WAITING_MAX }, verify);
    await expect(verify()).rejects.toThrow(PasswordsBusyError);
    open();
    expect(new Set(await Promise.all(taken))).toEqual(new Set([true]));
    expect(await verify()).toBe(true);
  });
});
