import { describe, expect, it } from '@jest/globals';
import { OpenUploads, UPLOADS_MAX } from './open-uploads.js';

const ACCOUNT = 'acct-1';

describe('the uploads of an account', () => {
  it('are bounded at the same time, apart from the uploads of others', async () => {
    const uploads = new OpenUploads();
    const ends = Array.from({ length: UPLOADS_MAX }, () => uploads.begin(ACCOUNT));
    expect(() => uploads.begin(ACCOUNT)).toThrow('wait for one to end');
    expect(await uploads.during('acct-2', () => Promise.resolve('stored'))).toBe('stored');
    ends.pop()?.();
    const failed = uploads.during(ACCOUNT, () => Promise.reject(new Error('cut short')));
    await expect(failed).rejects.toThrow('cut short');
    ends.push(uploads.begin(ACCOUNT));
    expect(() => uploads.begin(ACCOUNT)).toThrow('wait for one to end');
  });
});
