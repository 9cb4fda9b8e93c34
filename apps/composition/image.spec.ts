import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type CommonOptions } from '../cli/invocation.js';
import { createProgram } from '../cli/program.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const DOCKER = path.join(ROOT, 'docker');

const textOf = (name: string): Promise<string> => readFile(path.join(ROOT, name), 'utf8');

interface Exit {
  readonly code: number | null;
  readonly output: string;
}

const run = async (
  command: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Exit> => {
  const child = spawn(command, args, { env: environment });
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  child.stderr.on('data', (data: Buffer) => (output += data.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
};

/** The quoted words of a list in a source. */
const listIn = async (file: string, name: string): Promise<readonly string[]> => {
  const list = new RegExp(`const ${name} = \\[(.*?)\\]`, 's').exec(await textOf(file))?.[1] ?? '';
  return [...list.matchAll(/'([^']+)'/g)].map(([, word = '']) => word);
};

/** The paths that the build lets in, by the file beside the Dockerfile. */
const letIn = async (): Promise<readonly string[]> => {
  const lines = (await textOf('docker/Dockerfile.dockerignore')).split('\n');
  const [first, ...rest] = lines.filter((line) => line !== '' && !line.startsWith('#'));
  expect(first).toBe('*');
  return rest.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
};

const isWithin = (roots: readonly string[], file: string): boolean =>
  roots.some((root) => file === root || file.startsWith(`${root}/`));

describe('the image', () => {
  it('runs the Node that the packages name', async () => {
    const { dependencies } = JSON.parse(await textOf('package.json')) as {
      readonly dependencies: { readonly node: string };
    };
    const bases = [...(await textOf('docker/Dockerfile')).matchAll(/^FROM (node:\S+)/gm)];
    expect(bases.map(([, image]) => image)).toEqual([
      expect.stringMatching(`^node:${dependencies.node}-bookworm-slim@sha256:[\\da-f]{64}$`),
    ]);
  });

  it('contains every folder that the build compiles, and no secret', async () => {
    const compiled = await listIn('tools/build/compile.mjs', 'ROOTS');
    const roots = await letIn();
    expect(compiled.length).toBeGreaterThan(0);
    expect(roots).toEqual(expect.arrayContaining([...compiled]));
    expect(roots.filter((root) => /^docker(\/(secrets|\.env|models)|$)/.test(root))).toEqual([]);
  });

  it('copies only what exists and is let in', async () => {
    const copies = (await textOf('docker/Dockerfile')).matchAll(/^COPY (?!--)(.+) \S+$/gm);
    const copied = [...copies].flatMap(([, sources = '']) => sources.split(' '));
    expect(copied).toContain('models');
    const roots = await letIn();
    for (const source of copied.filter((one) => one !== '.')) {
      expect([source, isWithin(roots, source)]).toEqual([source, true]);
      await access(path.join(ROOT, source));
    }
  });

  it('builds the guide of every document that it shows, and serves it', async () => {
    const roots = [...(await letIn())];
    // Up to the first pattern of a path.
    const documents = (await listIn('tools/docs/readme-pages.ts', 'SOURCES')).map((glob) =>
      glob.replace(/\/\*.*$/, ''),
    );
    expect(documents).toContain('docker/README.md');
    expect(documents.filter((one) => !isWithin(roots, one))).toEqual([]);
    const file = await textOf('docker/Dockerfile');
    const place = /'(\S*docs\/dist)'/.exec(await textOf('apps/gateway/guide/serve-guide.ts'))?.[1];
    const served = path.join('/app/bundle/apps/gateway/guide', place ?? '');
    const [built, run] = file.split(/^FROM base AS run$/m);
    expect(built).toMatch(/node dist\/tools\/docs\/generate\.js[^]*npm --prefix docs run build/);
    expect(run).toContain(`COPY --from=build ${served} ${served.replace('/app/', '')}`);
  });
});

describe('the entry point', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-entrypoint-'));
    await writeFile(path.join(folder, 'node'), '#!/bin/sh\necho "$@"\n');
    await chmod(path.join(folder, 'node'), 0o755);
  });

  afterEach(() => rm(folder, { recursive: true }));

  const enter = (...args: readonly string[]): Promise<Exit> =>
    run(path.join(DOCKER, 'entrypoint.sh'), args, {
      PATH: `${folder}:${process.env['PATH'] ?? ''}`,
    });

  it.each(['standalone', 'gateway', 'projector', 'worker', 'event-store'])(
    'starts a %s',
    async (name) => {
      const { code, output } = await enter(name);
      expect(output.trim().split(' ').slice(0, 5)).toEqual([
        '--enable-source-maps',
        '--max-semi-space-size=16',
        '--initial-old-space-size=96',
        '--heap-growing-percent=60',
        '--no-allocation-site-pretenuring',
      ]);
      const [, main = ''] = /.*\/bundle\/(.*)\.js$/.exec(output.trim()) ?? [];
      expect(await textOf(`${main}.ts`)).toContain('runProcess');
      expect(code).toBe(0);
    },
  );

  it('starts the standalone process by default', async () => {
    expect((await enter()).output).toContain('bundle/apps/processes/standalone.main.js');
  });

  it('passes its arguments to the command line', async () => {
    const { output } = await enter('quipu', 'user', 'create', '--email', 'a@b');
    expect(output).toMatch(/bundle\/apps\/cli\/main\.js user create --email a@b\n$/);
  });

  it('rejects an unknown process', async () => {
    expect(await enter('reactor')).toEqual({
      code: 2,
      output: expect.stringContaining('there is no process reactor: standalone, gateway,'),
    });
  });
});

describe('the health check', () => {
  let server: Server;
  let status: number;

  beforeEach(async () => {
    server = createServer((request, response) => {
      const { authorization = 'no one' } = request.headers;
      const found = request.url === '/health/ready' ? status : 404;
      response.writeHead(found).end(`{"asked by":"${authorization}"}`);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(() => {
    server.close();
  });

  const check = (environment: Readonly<Record<string, string>>): Promise<Exit> =>
    run(process.execPath, [path.join(DOCKER, 'health-check.mjs'), '/health/ready'], environment);

  it.each([
    [200, 0],
    [503, 1],
  ])('of a process that answers %d exits with %d and prints the answer', async (answered, code) => {
    status = answered;
    const { port } = server.address() as AddressInfo;
    const output = '{"asked by":"no one"}\n';
    expect(await check({ PORT: `${port}` })).toEqual({ code, output });
  });

  it('asks as an operator where the settings let it', async () => {
    status = 200;
    const { port } = server.address() as AddressInfo;
    const operations = { PORT: '1', QUIPU_OPERATIONS_PORT: `${port}` };
    expect(await check(operations)).toMatchObject({ code: 0 });
    const token = { PORT: `${port}`, QUIPU_OPERATIONS_TOKEN: 'knots' };
    expect(await check(token)).toMatchObject({ output: '{"asked by":"Bearer knots"}\n' });
  });

  it('of a process that does not listen exits with 1', async () => {
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    expect(await check({ PORT: `${port}` })).toEqual({
      code: 1,
      output: expect.stringContaining('ECONNREFUSED'),
    });
  });
});

describe('the operator’s page', () => {
  it('names only commands of the command line', async () => {
    const page = (await textOf('docker/README.md')).replaceAll('\\\n', ' ');
    const words = [...page.matchAll(/run --rm (?:-\S+ )*quipu ([^\n`#|>]+)/g)].map(
      ([, line = '']) => line.trim().split(/\s+/),
    );
    expect(words.length).toBeGreaterThan(4);
    for (const args of words) {
      const ran: CommonOptions[] = [];
      const program = await createProgram(
        (options) => {
          ran.push(options);
          return Promise.resolve();
        },
        { output: { writeErr: () => undefined } },
      );
      await program.parseAsync(args, { from: 'user' });
      expect(ran).toHaveLength(1);
    }
  });

  it('names only files that exist', async () => {
    const page = await textOf('docker/README.md');
    const named = new Set(
      [...page.matchAll(/(?:-f |\]\()(docker\/)?([\w./-]+\.(?:yaml|md|conf|env))/g)].map(
        ([, , file]) => file ?? '',
      ),
    );
    expect(named.size).toBeGreaterThan(3);
    for (const file of named) await readFile(path.resolve(DOCKER, file), 'utf8');
  });
});
