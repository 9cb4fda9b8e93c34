import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SERVER = path.join(ROOT, 'bundle/apps/processes/standalone.main.js');
const MANIFEST = path.join(ROOT, 'bundle/manifest.json');

/**
 * Runs in each thread before the program. Prints what is loaded from a file, and the stack of the
 * first listener for SIGTERM.
 */
const REPORTER = `
import { writeSync } from 'node:fs';
import { registerHooks } from 'node:module';
registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) writeSync(1, 'loaded ' + url + '\\n');
    return next(url, context);
  },
});
const { once } = process;
process.once = (event, listener) => {
  if (event === 'SIGTERM') writeSync(1, new Error('listens').stack + '\\n');
  return once.call(process, event, listener);
};
`;

const NODE_MODULES = `${path.join(ROOT, 'node_modules')}${path.sep}`;

/** The package that a file belongs to; undefined for a file of Quipu. */
const packageOf = (file: string): string | undefined => {
  if (!file.startsWith(NODE_MODULES)) return undefined;
  const [scope = '', name = ''] = file.slice(NODE_MODULES.length).split(path.sep);
  return scope.startsWith('@') ? `${scope}/${name}` : scope;
};

const bundledPackages = async (): Promise<readonly string[]> => {
  const manifest = JSON.parse(await readFile(MANIFEST, 'utf8')) as { readonly packages: string[] };
  return manifest.packages;
};

it.each(['apps/processes/standalone.main.js', 'apps/cli/main.js'])(
  '%s names the Node that it needs, on an older one',
  async (main) => {
    const pretend = `Object.defineProperty(process.versions, 'node', { value: '20.15.0' });`;
    const older = `data:text/javascript,${encodeURIComponent(pretend)}`;
    const words = ['--import', older, path.join(ROOT, 'bundle', main)];
    const program = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'pipe'] });
    const [said, [exitCode]] = await Promise.all([text(program.stderr), once(program, 'close')]);
    expect(exitCode).toBe(2);
    expect(said).toMatch(/^Quipu runs on Node 24, and this is v\S+: npm installs the right one/);
  },
);

it('has no package whose compiled files lie beside its code', async () => {
  const packages = await bundledPackages();
  const compiled = packages.flatMap((name) =>
    globSync('**/*.{node,wasm}', { cwd: path.join(NODE_MODULES, name) }).map(
      (file) => `${name}/${file}`,
    ),
  );
  expect(compiled).toEqual([]);
});

describe('a server that starts from the bundle', () => {
  let home: string;
  let output = '';
  let loaded: readonly string[] = [];

  beforeAll(async () => {
    home = await mkdtemp(path.join(os.tmpdir(), 'quipu-bundle-'));
    const reporter = `data:text/javascript,${encodeURIComponent(REPORTER)}`;
    const env = {
      ...process.env,
      NODE_OPTIONS: '',
      QUIPU_HOME: home,
      PORT: '0',
      QUIPU_PROCESSES: '1',
      QUIPU_PROJECTOR_THREAD: '1',
    };
    const flags = ['--enable-source-maps', '--import', reporter, SERVER];
    const server = spawn(process.execPath, flags, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    server.stdout.on('data', (text: Buffer) => (output += text.toString()));
    while (!output.includes('see it metered')) await once(server.stdout, 'data');
    server.kill('SIGTERM');
    await once(server, 'close');
    loaded = [...output.matchAll(/^loaded (\S+)$/gm)].map(([, url = '']) => fileURLToPath(url));
  });

  afterAll(() => rm(home, { recursive: true }));

  it('loads no file of Quipu from elsewhere', () => {
    const own = loaded.filter((file) => packageOf(file) === undefined);
    expect(own).toContain(SERVER);
    expect(own).toContain(path.join(ROOT, 'bundle/apps/processes/projector.worker.js'));
    expect(own.filter((file) => !file.startsWith(path.dirname(MANIFEST)))).toEqual([]);
  });

  it('loads no package that is in the bundle a second time', async () => {
    const packages = await bundledPackages();
    expect(packages).toContain('@nestjs/core');
    const beside = new Set(loaded.map(packageOf));
    expect(beside).toContain('pino');
    expect(packages.filter((name) => beside.has(name))).toEqual([]);
  });

  it('has stacks with positions in TypeScript', () => {
    expect(output).toMatch(/\/apps\/processes\/run-process\.ts:\d+:\d+/);
  });
});
