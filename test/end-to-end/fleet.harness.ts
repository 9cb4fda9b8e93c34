import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Script, startUpstream, type Upstream } from '#areas/inference/rigs/upstream.fake.js';
import { type RuntimeReport } from '#apps/operations/runtime.readiness.js';
import { type Bootstrap } from '#apps/composition/bootstrap.js';
import { freePorts } from '../servers/server-process.js';
import { eventually } from './quipu.harness.js';
import { asOperator, OPERATIONS_TOKEN } from '#apps/operations/operations.fixture.js';

const APPS = path.resolve(import.meta.dirname, '../../bundle/apps');

/** The processes of a fleet, as `npm run start:<name>` starts them. */
export type AppName = 'standalone' | 'event-store' | 'gateway' | 'projector' | 'worker' | 'cli';

/** The compiled file of a process, below `bundle/apps`. */
export const mainOf = (app: AppName): string =>
  app === 'cli' ? 'cli/main.js' : `processes/${app}.main.js`;

/** A process of the fleet, from its compiled file. */
export class Member {
  output = '';
  #child: ChildProcess | undefined;

  constructor(
    readonly name: string,
    private readonly app: AppName,
    readonly port: number,
    private readonly environment: NodeJS.ProcessEnv,
  ) {}

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Resolves when the process reports that it is ready. */
  async start(): Promise<this> {
    this.spawn();
    await this.ready();
    return this;
  }

  spawn(): void {
    const main = path.join(APPS, mainOf(this.app));
    if (!existsSync(main)) throw new Error(`${main} is missing: run npm run build first`);
    const child = spawn(process.execPath, [main], {
      env: {
        PATH: process.env['PATH'],
        QUIPU_OPERATIONS_TOKEN: OPERATIONS_TOKEN,
        ...this.environment,
        PORT: String(this.port),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const hear = (chunk: Buffer): void => void (this.output += chunk.toString());
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    this.#child = child;
  }

  async ready(): Promise<void> {
    let details: readonly string[] = [];
    const isReady = async (): Promise<boolean> => {
      const { exitCode } = this.#child ?? {};
      if (typeof exitCode === 'number') {
        throw new Error(`${this.name} ended with ${exitCode}: ${this.output}`);
      }
      const report = await this.report();
      details = report?.details ?? ['it does not answer'];
      return report?.status === 'ready';
    };
    await eventually(isReady).catch((cause: unknown) => {
      throw new Error(`${this.name} is not ready: ${details.join('; ')}`, { cause });
    });
  }

  /** The health report; undefined while the process does not answer. */
  async report(): Promise<RuntimeReport | undefined> {
    const response = await fetch(`${this.url}/health/ready`, asOperator).catch(() => undefined);
    return response && ((await response.json()) as RuntimeReport);
  }

  /** Resolves to the exit code, or null after a signal. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child;
    if (!child) return null;
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    }
    return child.exitCode;
  }

  /** Resolves to the exit code of a process that ends by itself. */
  async ended(): Promise<number | null> {
    const child = this.#child;
    if (child?.exitCode === null) await once(child, 'exit');
    return child?.exitCode ?? null;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }
}

export interface FleetRequest extends Omit<RequestInit, 'headers'> {
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Fleet {
  readonly home: string;
  readonly upstream: Upstream;
  readonly node: Member;
  readonly gateways: readonly [Member, Member];
  readonly projectors: readonly [Member, Member];
  readonly credentials: Bootstrap;
  /** Each gateway has its own catalog file, as on separate machines. */
  catalogFile(gateway: 0 | 1): string;
  /** With the key of the first account, unless the headers have another. */
  request(gateway: Member, route: string, init?: FleetRequest): Promise<Response>;
  /** Runs `quipu` on the engines of the fleet. */
  quipu(...args: readonly string[]): Promise<unknown>;
  leader(): Promise<Member | undefined>;
  close(): Promise<void>;
}

export interface FleetOptions {
  readonly leaseTtlMs: number;
  readonly leaseRenewMs: number;
  readonly catalogOf: (baseUrl: string) => string;
  /** The environment of every gateway and projector, to select other stores. */
  readonly environment?: NodeJS.ProcessEnv;
}

/**
 * The embedded event store, two gateways and two projectors in separate processes, on
 * read models in one file.
 */
export const startFleet = async (script: Script, options: FleetOptions): Promise<Fleet> => {
  const home = await mkdtemp(path.join(tmpdir(), 'quipu-fleet-'));
  const upstream = await startUpstream(script);
  const catalogFile = (gateway: number): string => path.join(home, `catalog-${gateway}.yaml`);
  for (const gateway of [0, 1]) {
    await writeFile(catalogFile(gateway), options.catalogOf(upstream.baseUrl));
  }
  const [grpcPort = 0, nodePort = 0] = await freePorts(2);
  const own = { QUIPU_HOME: home, QUIPU_LOG_LEVEL: 'warn' };
  const node = new Member('event-store', 'event-store', nodePort, {
    ...own,
    QUIPU_GRPC_PORT: String(grpcPort),
    QUIPU_GRPC_INSECURE: '1',
  });
  const shared = {
    ...own,
    QUIPU_EVENT_STORE: `esdb://127.0.0.1:${grpcPort}?tls=false`,
    QUIPU_LEASE_TTL_MS: String(options.leaseTtlMs),
    QUIPU_LEASE_RENEW_MS: String(options.leaseRenewMs),
    QUIPU_DRAIN_SECONDS: '5',
    ...options.environment,
  };
  const member = async (app: 'gateway' | 'projector', index: number): Promise<Member> => {
    const name = `${app}-${index}`;
    const [port = 0] = await freePorts(1);
    const environment = { ...shared, QUIPU_INSTANCE: name, QUIPU_CATALOG: catalogFile(index) };
    return new Member(name, app, port, environment);
  };
  const gateways = [await member('gateway', 0), await member('gateway', 1)] as const;
  const projectors = [await member('projector', 0), await member('projector', 1)] as const;
  const fleet = [node, ...projectors, ...gateways];
  const close = async (): Promise<void> => {
    await Promise.all([...projectors, ...gateways].map((one) => one.end('SIGKILL')));
    await node.end('SIGKILL');
    await upstream.close();
    await rm(home, { recursive: true, force: true });
  };
  try {
    await node.start();
    // Concurrently: any of them may create the first account.
    for (const one of [...projectors, ...gateways]) one.spawn();
    await Promise.all(fleet.map((one) => one.ready()));
    const text = await readFile(path.join(home, 'bootstrap.json'), 'utf8');
    const credentials = JSON.parse(text) as Bootstrap;
    return {
      home,
      upstream,
      node,
      gateways,
      projectors,
      credentials,
      catalogFile,
      request: (gateway, route, { headers, ...init } = {}) =>
        fetch(gateway.url + route, {
          ...init,
          headers: { authorization: `Bearer ${credentials.api_key}`, ...headers },
        }),
      quipu: (...args) => runCli(shared, args),
      leader: () => leaderOf(projectors),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

const leaderOf = async (projectors: readonly Member[]): Promise<Member | undefined> => {
  for (const projector of projectors) {
    if ((await projector.report())?.lease?.role === 'leader') return projector;
  }
  return undefined;
};

/** @returns the printed JSON */
export const runCli = async (
  environment: NodeJS.ProcessEnv,
  args: readonly string[],
): Promise<unknown> => {
  const child = spawn(process.execPath, [path.join(APPS, 'cli/main.js'), ...args, '--json'], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`quipu ${args.join(' ')} ended with ${code}: ${output}`);
  return JSON.parse(output);
};
