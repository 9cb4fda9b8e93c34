import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fastifyOf, { type FastifyInstance } from 'fastify';
import { serveGuide } from './serve-guide.js';

const PAGE = `<!doctype html>
<script id="check">let a = 1;</script>
<script src="/docs/guide/assets/app.js" type="module"></script>
<script>let b = 2;</script>`;

describe('the guide', () => {
  let fastify: FastifyInstance;
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-guide-'));
    fastify = fastifyOf();
    serveGuide(fastify, path.join(folder, 'dist'));
  });

  afterEach(async () => {
    await fastify.close();
    await rm(folder, { recursive: true });
  });

  const write = async (file: string, text: string): Promise<void> => {
    const target = path.join(folder, file);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, text);
    await writeFile(`${target}.gz`, gzipSync(text));
  };

  const get = (url: string) => fastify.inject({ url, headers: { 'accept-encoding': 'identity' } });

  it('names the command that builds it, until it is built', async () => {
    for (const url of ['/docs/guide', '/docs/guide/start']) {
      const { statusCode, body } = await get(url);
      expect([statusCode, body]).toEqual([404, expect.stringContaining('npm run docs')]);
    }
    await write('dist/index.html', PAGE);
    expect((await get('/docs/guide')).body).toBe(PAGE);
  });

  it('allows the inline scripts of a page by their hashes, and no other', async () => {
    await write('dist/guides/start.html', PAGE);
    await write('dist/index.html', PAGE);
    const { headers } = await get('/docs/guide/guides/start');
    expect(headers['content-security-policy']).toContain(
      "script-src 'self' 'sha256-xY6QKfH9PRsQnLz56nj6MBwiK5oHg+im1Jkpdp1x/Ck=' ",
    );
    const scripts = /script-src ([^;]+)/.exec(String(headers['content-security-policy']))?.[1];
    expect(scripts?.split(' ')).toHaveLength(3);
    expect(scripts).not.toContain('unsafe');
    expect(headers['cache-control']).toBe('no-cache');
  });

  it('has a page at its address with a slash, and with its extension', async () => {
    await write('dist/start.html', PAGE);
    await write('dist/index.html', PAGE);
    for (const url of ['/docs/guide/', '/docs/guide/start', '/docs/guide/start.html']) {
      expect([url, (await get(url)).statusCode]).toEqual([url, 200]);
    }
  });

  it('has assets that browsers keep, compressed where a browser takes it', async () => {
    await write('dist/assets/app.js', 'let c = 3;');
    await write('dist/index.html', PAGE);
    const url = '/docs/guide/assets/app.js';
    const { headers, body } = await get(url);
    expect([headers['content-type'], body]).toEqual([
      'text/javascript; charset=utf-8',
      'let c = 3;',
    ]);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    const zipped = await fastify.inject({ url, headers: { 'accept-encoding': 'gzip' } });
    expect(zipped.headers['content-encoding']).toBe('gzip');
  });

  it('has pictures that browsers show', async () => {
    await write('dist/assets/home.png', 'a picture');
    await write('dist/index.html', PAGE);
    const { headers } = await get('/docs/guide/assets/home.png');
    expect(headers['content-type']).toBe('image/png');
  });

  it('has the pages of a build after the start', async () => {
    await write('dist/index.html', PAGE);
    expect((await get('/docs/guide/later')).statusCode).toBe(404);
    await write('dist/later.html', PAGE);
    await write('dist/index.html', PAGE);
    expect((await get('/docs/guide/later')).statusCode).toBe(200);
  });

  it('has no file beside it', async () => {
    await write('dist/index.html', PAGE);
    await write('secret.html', 'secret');
    for (const name of ['../secret.html', '..%2fsecret.html', '%2e%2e/secret', 'none', 'assets']) {
      const { statusCode, body } = await get(`/docs/guide/${name}`);
      expect([name, statusCode]).toEqual([name, 404]);
      expect(body).not.toBe('secret');
    }
  });
});
