import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { answering, chatRequest, startWorld, type World } from './quipu.harness.js';

describe('the home of an installation', () => {
  let world: World;

  beforeAll(async () => {
    world = await startWorld([answering('Knots', '.')]);
  });

  afterAll(() => world.close());

  it('has no file that others may read', async () => {
    await world.openai.chat.completions.create(chatRequest(), {
      headers: { 'Idempotency-Key': 'knots-of-one-cord' },
    });
    const files = (await readdir(world.home)).filter((file) => file !== 'catalog.yaml');
    expect(files).toEqual(
      expect.arrayContaining([
        'answers.db',
        'bootstrap.json',
        'events.db',
        'events.db-wal',
        'master.key',
        'subject-keys.db',
        'views.db',
        'views.db-wal',
      ]),
    );
    for (const file of files) {
      const found = await stat(path.join(world.home, file));
      if (found.isFile()) expect([file, found.mode & 0o777]).toEqual([file, 0o600]);
    }
  });
});
