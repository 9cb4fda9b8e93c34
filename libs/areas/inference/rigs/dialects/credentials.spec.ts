import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { never } from '../upstream.fake.js';
import { bearer, keyCredential } from './credentials.js';
import { type SignableRequest } from './dialect.js';

const request: SignableRequest = {
  method: 'POST',
  url: 'http://h/v1',
  headers: {},
  body: '{}',
};

describe('the key of a file', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-key-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('is read once, and again when it is rejected', async () => {
    const file = path.join(folder, 'key');
    await writeFile(file, 'one\n');
    const credential = keyCredential('rack', { file }, bearer);
    const read = () => Promise.resolve(credential.headersFor(request, never));
    expect(await read()).toEqual({ authorization: 'Bearer one' });
    await writeFile(file, 'two\n');
    expect(await read()).toEqual({ authorization: 'Bearer one' });
    credential.rejected?.();
    expect(await read()).toEqual({ authorization: 'Bearer two' });
  });

  it('that cannot be read fails by the name of the rig, and is tried again', async () => {
    const file = path.join(folder, 'later');
    const credential = keyCredential('rack', { file }, bearer);
    const read = async () => credential.headersFor(request, never);
    await expect(read()).rejects.toThrow('the key file of rig rack cannot be read');
    await writeFile(file, 'one');
    expect(await read()).toEqual({ authorization: 'Bearer one' });
  });
});
