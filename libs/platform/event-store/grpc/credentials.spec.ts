import { setTimeout as sleep } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { failureOf } from './clients.fixture.js';
import { ACCEPTED_FOR_MS, Credentials } from './credentials.js';

const basic = (credential: string) => `Basic ${Buffer.from(credential).toString('base64')}`;

/** Admits one password, and counts the requests for it. */
const admitting = (password: string) => {
  const asked: string[] = [];
  const credentials = new Credentials((username, given) => {
    asked.push(`${username} ${given}`);
    return Promise.resolve(given === password);
  });
  return { asked, credentials };
};

describe('credentials', () => {
  it('takes everything behind the first colon for the password', async () => {
    const { asked, credentials } = admitting('a:b:ü');
    await credentials.check(basic('admin:a:b:ü'));
    expect(asked).toEqual(['admin a:b:ü']);
  });

  it.each(['', 'Basic', 'Basic ???', 'Bearer abc', basic('no colon')])(
    'rejects the header "%s" without asking',
    async (header) => {
      const { asked, credentials } = admitting('');
      expect(await failureOf(credentials.check(header))).toMatchObject({
        code: status.UNAUTHENTICATED,
      });
      expect(asked).toEqual([]);
    },
  );

  it('asks again about what was accepted, after a while and not before', async () => {
    const { asked, credentials } = admitting('key');
    await credentials.check(basic('admin:key'));
    await credentials.check(basic('admin:key'));
    expect(asked).toHaveLength(1);
    await sleep(ACCEPTED_FOR_MS + 20);
    await credentials.check(basic('admin:key'));
    expect(asked).toHaveLength(2);
  });

  it('asks about what was rejected every time', async () => {
    const { asked, credentials } = admitting('key');
    await failureOf(credentials.check(basic('admin:guess')));
    await failureOf(credentials.check(basic('admin:guess')));
    expect(asked).toHaveLength(2);
  });

  it('denies every call while credentials cannot be checked', async () => {
    const credentials = new Credentials(() => Promise.reject(new Error('no directory')));
    const error = await failureOf(credentials.check(basic('admin:key')));
    expect(error).toMatchObject({ code: status.UNAVAILABLE });
    expect(error['message']).not.toContain('directory');
  });
});
