import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RentalFolders } from './rental-folders.js';

describe('the folder of a rental', () => {
  let folder = '';

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-rentals-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  it('is waited for while its host makes it', async () => {
    const folders = new RentalFolders({ folder });
    const appearing = folders.appear('job-1');
    expect(await folders.exists('job-1')).toBe(false);
    await folders.create('job-1');
    await appearing;
    expect(await folders.exists('job-1')).toBe(true);
  });
});
