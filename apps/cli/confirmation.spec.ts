import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { confirm } from './confirmation.js';

const CONFIRMATION = {
  word: 'ada',
  consequence: 'This revokes every key.',
  otherwise: 'no key was revoked',
};

const terminal = (isTTY = true) => ({
  stdin: Object.assign(new PassThrough(), { isTTY }),
  stderr: Object.assign(new PassThrough(), { isTTY }),
});

describe('a confirmation', () => {
  const { signal } = new AbortController();

  it('says what happens, and resolves when the word is typed', async () => {
    const streams = terminal();
    const confirming = confirm(CONFIRMATION, {}, { ...streams, signal });
    streams.stdin.write('ada\n');
    await confirming;
    expect(String(streams.stderr.read())).toContain(
      'This revokes every key. Type ada to confirm: ',
    );
  });

  it('is not given by another word', async () => {
    const streams = terminal();
    const confirming = confirm(CONFIRMATION, {}, { ...streams, signal });
    streams.stdin.write('yes\n');
    await expect(confirming).rejects.toMatchObject({
      code: 'not_confirmed',
      message: 'not confirmed: no key was revoked',
    });
  });

  it('is interrupted by the end of the input, and by Ctrl-C', async () => {
    const streams = terminal();
    const confirming = confirm(CONFIRMATION, {}, { ...streams, signal });
    streams.stdin.end();
    await expect(confirming).rejects.toMatchObject({ code: 'interrupted' });
    const interruption = new AbortController();
    const another = confirm(CONFIRMATION, {}, { ...terminal(), signal: interruption.signal });
    interruption.abort();
    await expect(another).rejects.toMatchObject({ code: 'interrupted' });
  });

  it('is not asked for with --yes', async () => {
    const streams = terminal(false);
    await confirm(CONFIRMATION, { yes: true }, { ...streams, signal });
    expect(streams.stderr.read()).toBeNull();
  });

  it('needs --yes without a terminal', async () => {
    await expect(confirm(CONFIRMATION, {}, { ...terminal(false), signal })).rejects.toMatchObject({
      code: 'usage',
      message: '--yes is required without a terminal',
    });
  });
});
