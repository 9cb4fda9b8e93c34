import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { areas } from './areas.js';
import { variablesOf } from './settings.js';

const ROOT = path.resolve(import.meta.dirname, '../..');

const textOf = (name: string): Promise<string> => readFile(path.join(ROOT, name), 'utf8');

describe('the unit of systemd', () => {
  it('starts the process with the options of npm start', async () => {
    const unit = await textOf('systemd/quipu.service');
    const { scripts } = JSON.parse(await textOf('package.json')) as {
      readonly scripts: { readonly start: string };
    };
    const [, command] = /^ExecStart=\/opt\/quipu\/node_modules\/node\/bin\/(.*)$/m.exec(unit) ?? [];
    expect(command).toBe(scripts.start);
  });

  it('sets variables that exist', async () => {
    const unit = await textOf('systemd/quipu.service');
    const [, assignments = ''] = /^Environment=(.*)$/m.exec(unit) ?? [];
    const names = assignments.split(' ').map((one) => one.split('=')[0] ?? '');
    const known = Object.keys(variablesOf(areas));
    expect(names.filter((name) => name.startsWith('QUIPU_') && !known.includes(name))).toEqual([]);
    expect(names).toEqual(['QUIPU_HOME', 'QUIPU_CONFIG', 'NODE_ENV']);
  });
});
