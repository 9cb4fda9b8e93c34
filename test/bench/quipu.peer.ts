import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { UPSTREAM_MODEL } from './load/workload.js';
import { type PeerProgram, startPeer } from './peer-process.js';

/** The model that callers ask Quipu for; its catalog maps it to the upstream's own name. */
export const QUIPU_MODEL = `acme/${UPSTREAM_MODEL}`;

type AppName = 'standalone' | 'gateway' | 'projector' | 'worker' | 'event-store' | 'cli';

/** The bundle is what `npm start` runs; the modules it was made from have paths of their own. */
type Build = 'bundle' | 'dist';

const mainOf = (app: AppName, build: Build = 'bundle'): string =>
  path.resolve(build, 'apps', app === 'cli' ? 'cli/main.js' : `processes/${app}.main.js`);

/** The load comes from one account. */
export const NO_REQUEST_LIMITS = {
  QUIPU_ACCOUNT_REQUESTS_PER_MINUTE: '0',
  QUIPU_KEY_REQUESTS_PER_MINUTE: '0',
} as const;

/** As `npm start` has them. */
const FLAGS = [
  '--enable-source-maps',
  '--max-semi-space-size=16',
  '--initial-old-space-size=96',
  '--heap-growing-percent=60',
  '--no-allocation-site-pretenuring',
];
/** More than the longest run could spend. */
const CREDIT_USD = '10000';

/** The price of one answer of the upstream in its catalog: 24 and 20 tokens, rounded up. */
export const ANSWER_MICRO_USD = 16;

const run = promisify(execFile);

const CONTEXT = 8_192;

const catalogFor = (upstreamPort: number, context: number): string => `rigs:
  - name: bench
    kind: openai
    base_url: http://127.0.0.1:${upstreamPort}/v1
    max_concurrency: 1024
models:
  - id: ${QUIPU_MODEL}
    upstream_id: ${UPSTREAM_MODEL}
    owned_by: acme
    rigs: [bench]
    context: ${context}
    max_output: 4096
    price: { input_usd_per_mtok: 0.15, output_usd_per_mtok: 0.60 }
`;

/** Of the processes that the bench starts. */
export const OPERATIONS_TOKEN = 'operations-of-the-bench';

export interface QuipuHome {
  readonly program: PeerProgram;
  readonly environment: Readonly<Record<string, string>>;
  readonly directory: string;
}

/** A process of Quipu, as its npm script starts it. */
export const quipuProgram = (
  app: AppName,
  environment: Readonly<Record<string, string>>,
  build?: Build,
): PeerProgram => {
  const main = mainOf(app, build);
  if (!existsSync(main)) throw new Error(`${main} is missing: run the build first`);
  return {
    name: app,
    args: () => [...FLAGS, main],
    environment: { ...environment, QUIPU_OPERATIONS_TOKEN: OPERATIONS_TOKEN },
    readyPath: '/health/ready',
  };
};

/** A home without a log, so that a start on it is a first start. */
export const freshQuipuHome = async (
  directory: string,
  upstreamPort: number,
  context = CONTEXT,
): Promise<QuipuHome> => {
  const home = await mkdtemp(path.join(directory, 'quipu-home-'));
  // The folder of a catalog is watched, and each write of a store in it would be looked at.
  const catalog = path.join(await mkdtemp(path.join(directory, 'catalog-')), 'catalog.yaml');
  await writeFile(catalog, catalogFor(upstreamPort, context));
  const environment = { QUIPU_HOME: home, QUIPU_CATALOG: catalog, ...NO_REQUEST_LIMITS };
  return { program: quipuProgram('standalone', environment), environment, directory: home };
};

const textField = (json: string, field: string): string => {
  const value = (JSON.parse(json) as Record<string, unknown>)[field];
  if (typeof value === 'string') return value;
  throw new Error(`expected a "${field}" in ${json}`);
};

const cli = async (home: QuipuHome, ...args: readonly string[]): Promise<string> => {
  const { stdout } = await run(process.execPath, [mainOf('cli'), ...args, '--json'], {
    env: { ...process.env, ...home.environment },
  });
  return stdout;
};

const credit = (home: QuipuHome, username: string): Promise<string> =>
  cli(home, 'account', 'credit', '--user', username, '--usd', CREDIT_USD, '--reason', 'bench');

export interface QuipuKeys {
  readonly hot: string;
  readonly many: readonly string[];
}

/** A first start makes the bootstrap account. */
export const startOnce = async ({ program, directory }: QuipuHome): Promise<void> => {
  const server = await startPeer(program, path.dirname(directory));
  await server.stop();
};

/** After a first start. The bootstrap account is the hot one; the command line makes the many. */
export const openAccounts = async (home: QuipuHome, accounts: number): Promise<QuipuKeys> => {
  const bootstrap = await readFile(path.join(home.directory, 'bootstrap.json'), 'utf8');
  await credit(home, textField(bootstrap, 'username'));
  const many: string[] = [];
  for (let index = 1; index <= accounts; index += 1) {
    const username = `bench-${index}`;
    const email = `${username}@example.com`;
    const identity = ['--username', username, '--email', email, '--role', 'renter'];
    many.push(textField(await cli(home, 'user', 'create', ...identity), 'api_key'));
    await credit(home, username);
  }
  return { hot: textField(bootstrap, 'api_key'), many };
};

/**
 * Checks that every answer and nothing else was charged once, that each account is the sum of its
 * events, and that the read model agrees.
 * @throws when one of them is false
 */
export const checkLedger = async (home: QuipuHome, answers: number): Promise<void> => {
  const charged = textField(await cli(home, 'ledger', 'check'), 'charged_micro_usd');
  const due = answers * ANSWER_MICRO_USD;
  if (Number(charged) !== due) throw new Error(`charged ${charged} micro-USD instead of ${due}`);
};
