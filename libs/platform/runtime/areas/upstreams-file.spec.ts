import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SettingsFile } from './settings-file.js';
import {
  addressOf,
  authorizationOf,
  modelsOf,
  readUpstreams,
  UpstreamModel,
  UpstreamServer,
} from './upstreams-file.js';

const Server = UpstreamServer.extend({ painters: modelsOf(UpstreamModel) });

const server = (changes: object = {}) => ({ name: 'a', base_url: 'http://127.0.0.1', ...changes });

describe('a file of upstreams', () => {
  let file: string;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-upstreams-'));
    file = path.join(folder, 'upstreams.json');
    process.env['QUIPU_SPEC_UPSTREAM_KEY'] = 'of the spec';
  });

  afterAll(async () => {
    delete process.env['QUIPU_SPEC_UPSTREAM_KEY'];
    await rm(folder, { recursive: true });
  });

  const read = async (content: unknown) => {
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
    return readUpstreams(new SettingsFile('QUIPU_SPEC', file), Server, ['painters']);
  };

  it('lists servers and their models', async () => {
    const named = server({ api_key_env: 'QUIPU_SPEC_UPSTREAM_KEY', painters: [{ id: 'x' }] });
    expect(await read({ servers: [named, server({ name: 'b' })] })).toEqual([
      named,
      { ...server({ name: 'b' }), painters: [] },
    ]);
  });

  it.each<[string, unknown, string]>([
    ['is not JSON', '{', 'is not JSON'],
    ['lists nothing', {}, 'servers'],
    ['lists 17 servers', { servers: Array(17).fill(server()) }, 'servers'],
    ['has an unknown field', { servers: [server({ url: 'x' })] }, 'url: this field is not'],
    ['has an address of a file', { servers: [server({ base_url: 'file:///etc' })] }, 'base_url'],
    ['has a strange name', { servers: [server({ name: 'A b' })] }, 'name'],
    ['lists a server twice', { servers: [server(), server()] }, 'name: a is listed twice'],
    [
      'lists a model twice',
      {
        servers: [
          server({ painters: [{ id: 'x' }] }),
          server({ name: 'b', painters: [{ id: 'x' }] }),
        ],
      },
      'painters: x is listed twice',
    ],
    [
      'lists 65 models',
      { servers: [server({ painters: Array.from({ length: 65 }, (_, id) => ({ id: `${id}` })) })] },
      'painters',
    ],
    [
      'names a variable that is not set',
      { servers: [server({ api_key_env: 'QUIPU_SPEC_NO' })] },
      'the server a needs the variable QUIPU_SPEC_NO, which is not set',
    ],
  ])('that %s is rejected with its name', async (_, content, message) => {
    const work = read(content);
    await expect(work).rejects.toThrow(`QUIPU_SPEC: ${file}: `);
    await expect(work).rejects.toThrow(message);
  });
});

describe('a request to an upstream', () => {
  it('is below its base, with the key that its variable holds now', () => {
    const bare = server({ base_url: 'http://a/v1/' });
    expect(addressOf(bare, '/images')).toBe('http://a/v1/images');
    expect(authorizationOf(bare)).toEqual({});
    const keyed = server({ api_key_env: 'QUIPU_SPEC_UPSTREAM_KEY' });
    expect(authorizationOf(keyed)).toEqual({});
    process.env['QUIPU_SPEC_UPSTREAM_KEY'] = 'a key';
    expect(authorizationOf(keyed)).toEqual({ authorization: 'Bearer a key' });
    delete process.env['QUIPU_SPEC_UPSTREAM_KEY'];
  });
});
