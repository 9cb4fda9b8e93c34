import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SettingsError } from '#platform/runtime/areas/settings.js';
import { configKeyOf, readConfigFile, withConfigFile } from './config-file.js';
import { readSettings } from './settings.js';

let folder: string;
let file: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'quipu-config-'));
  file = path.join(folder, 'quipu.yaml');
});

afterAll(() => rm(folder, { recursive: true }));

const named = async (text: string, more: NodeJS.ProcessEnv = {}): Promise<NodeJS.ProcessEnv> => {
  await writeFile(file, text);
  return { QUIPU_CONFIG: file, ...more };
};

describe('a configuration file', () => {
  it('has settings under variables of the same name', async () => {
    const environment = await withConfigFile(
      await named('home: /srv/quipu\nport: 9090\ncors_origins: [https://a.example.org]\n'),
    );
    expect(readSettings(environment)).toMatchObject({
      home: '/srv/quipu',
      port: 9_090,
      corsOrigins: ['https://a.example.org'],
    });
  });

  it('is overridden by the environment, unless a variable is empty', async () => {
    const environment = await named('port: 9090\nregion: eu-1\n', { PORT: '1', QUIPU_REGION: '' });
    expect(await withConfigFile(environment)).toMatchObject({ PORT: '1', QUIPU_REGION: 'eu-1' });
  });

  it.each([
    ['a switch', 'grpc_insecure: true', { QUIPU_GRPC_INSECURE: '1' }],
    ['a switch that is off', 'grpc_insecure: false', { QUIPU_GRPC_INSECURE: '0' }],
    ['a list', 'worker_engines: [text, spiking]', { QUIPU_WORKER_ENGINES: 'text,spiking' }],
    ['nothing', 'region:', { QUIPU_REGION: '' }],
  ])('reads %s', async (_name, text, expected) => {
    expect((await readConfigFile(await named(text)))?.variables).toEqual(expected);
  });

  it('may be empty', async () => {
    expect((await readConfigFile(await named('')))?.variables).toEqual({});
  });

  it.each([
    ['a key in the manner of a variable', 'QUIPU_HOME: a', 'QUIPU_HOME: expected the name'],
    ['the name of a file in a file', 'config: other.yaml', 'config: expected the name'],
    ['a list', '- home', 'expected an object'],
    ['a mapping inside', 'lease: { ttl_ms: 1 }', 'lease'],
    ['aliases', 'a: &x 1\nb: *x', 'Alias'],
    ['no YAML', 'home: [', file],
    ['more than its limit', `home: ${'x'.repeat(262_144)}`, 'at most 262144 bytes'],
  ])('is refused with %s', async (_name, text, message) => {
    const reading = named(text).then(readConfigFile);
    await expect(reading).rejects.toThrow(SettingsError);
    await expect(reading).rejects.toThrow(message);
  });

  it('is refused where the named file is missing', async () => {
    const reading = readConfigFile({ QUIPU_CONFIG: path.join(folder, 'other.yaml') });
    await expect(reading).rejects.toThrow('other.yaml: cannot be read');
  });

  it('has no settings that do not exist', async () => {
    const environment = await withConfigFile(await named('evnt_store: "sqlite:a"'));
    expect(() => readSettings(environment)).toThrow('QUIPU_EVNT_STORE: no setting has this name');
  });

  it('names its keys after the variables', () => {
    expect(['PORT', 'QUIPU_EVENT_STORE'].map(configKeyOf)).toEqual(['port', 'event_store']);
  });
});
