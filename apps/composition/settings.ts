import { isIP } from 'node:net';
import { homedir, hostname } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { BusError } from '#platform/bus/bus.errors.js';
import { type KafkaTarget, readKafkaUrl } from '#platform/bus/kafka/kafka-url.js';

/** It names the holder of a lease and a topic of the bus. */
const INSTANCE = /^[a-z][a-z0-9.-]{0,62}$/;

const seconds = (fallback: number) => z.coerce.number().int().min(1).max(86_400).default(fallback);

/** A whole number that Node's HTTP server takes as a port; 0 lets the system choose. */
const Port = z.coerce.number().int().min(0).max(65_535);

/** Where a URL would take it as it stands: an address, or a name that is not one gone wrong. */
const isHost = (host: string): boolean =>
  isIP(host) !== 0 ||
  (URL.canParse(`http://${host}`) && new URL(`http://${host}`).hostname === host.toLowerCase());

/** An address or a CIDR range. */
const isNetwork = (text: string): boolean => {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  if (bits === undefined) return true;
  return /^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128);
};

/**
 * Which proxies may name the client in `X-Forwarded-For`: `0` none, `1` … the number of hops, or a
 * list of addresses and CIDR ranges.
 */
const TrustProxy = z
  .string()
  .default('0')
  .transform((value) =>
    /^\d+$/.test(value) ? Number(value) : value.split(',').map((entry) => entry.trim()),
  )
  .refine(
    (value) => typeof value === 'number' || value.every(isNetwork),
    'expected a number of hops, or addresses and CIDR ranges with commas between them',
  );

/** `sqlite:<file>`, or a URL whose scheme names a server. */
const store = (schemes: RegExp, expected: string) =>
  z
    .string()
    .refine((value) => /^sqlite:.+/.test(value) || schemes.test(value), `expected ${expected}`)
    .optional();

/** Names with commas between them. */
const Names = z
  .string()
  .transform((value) => value.split(',').map((name) => name.trim()))
  .refine((names) => names.every((name) => name !== ''), 'expected names with commas between them')
  .optional();

/** What is wrong with a URL is told without the URL, in which a password may stand. */
const BusTarget = z
  .string()
  .default('memory:')
  .transform((value, context): BusTarget => {
    if (value === 'memory:') return { kind: 'memory' };
    try {
      return { kind: 'kafka', ...readKafkaUrl(value) };
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
      context.addIssue({ code: 'custom', message: `expected memory:, or ${error.message}` });
      return z.NEVER;
    }
  });

const Milliseconds = z.coerce.number().int().max(600_000);

const Environment = z.object({
  HOST: z.string().refine(isHost, 'expected an address or a host name').default('127.0.0.1'),
  PORT: Port.default(8080),
  QUIPU_HOME: z.string().min(1).default('.quipu'),
  QUIPU_MASTER_KEY_FILE: z.string().min(1).optional(),
  QUIPU_CATALOG: z.string().min(1).optional(),
  QUIPU_EVENT_STORE: store(
    /^(esdb|kurrentdb)(\+discover)?:\/\/[^/]/,
    'sqlite:<file>, esdb://…, esdb+discover://…, kurrentdb://… or kurrentdb+discover://…',
  ),
  QUIPU_READ_STORE: store(
    /^mongodb(\+srv)?:\/\/[^/]/,
    'sqlite:<file>, mongodb://… or mongodb+srv://…',
  ),
  QUIPU_BUS: BusTarget,
  QUIPU_INSTANCE: z
    .string()
    .regex(INSTANCE, 'expected a letter, then up to 62 of a-z 0-9 . -')
    .optional(),
  QUIPU_WORKER_ENGINES: Names,
  QUIPU_LEASE_TTL_MS: Milliseconds.min(1_000).default(10_000),
  QUIPU_LEASE_RENEW_MS: Milliseconds.min(100).default(3_000),
  QUIPU_GRPC_HOST: z.string().refine(isHost, 'expected an address or a host name').optional(),
  QUIPU_GRPC_PORT: Port.optional(),
  QUIPU_GRPC_TLS_CERT: z.string().min(1).optional(),
  QUIPU_GRPC_TLS_KEY: z.string().min(1).optional(),
  QUIPU_GRPC_INSECURE: z.enum(['0', '1']).default('0'),
  QUIPU_TRUST_PROXY: TrustProxy,
  QUIPU_WEB_URL: z.url({ protocol: /^https?$/ }).optional(),
  QUIPU_LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info'),
  QUIPU_DRAIN_SECONDS: seconds(30),
  QUIPU_REQUEST_SECONDS: seconds(600),
  QUIPU_SETTLE_SECONDS: seconds(60),
  QUIPU_KEEP_ALIVE_SECONDS: seconds(15),
  QUIPU_BODY_LIMIT_BYTES: z.coerce.number().int().min(1_024).max(1_073_741_824).default(4_194_304),
});

type Variables = z.infer<typeof Environment>;

/** Every variable that is read; whatever describes a deployment is held against them. */
export const settingNames: readonly string[] = Object.keys(Environment.shape);

export type EventStoreTarget =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'eventstoredb'; readonly url: string };

export type ReadStoreTarget =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'mongodb'; readonly url: string };

export type BusTarget = { readonly kind: 'memory' } | ({ readonly kind: 'kafka' } & KafkaTarget);

/** Where the embedded event store is served by the protocol of EventStoreDB. */
export interface GrpcSettings {
  readonly host: string;
  readonly port: number;
  /** PEM files; null for plain text without credentials, on the loopback address only. */
  readonly tls: { readonly certificateFile: string; readonly keyFile: string } | null;
}

export interface Settings {
  readonly host: string;
  readonly port: number;
  /** Absolute. */
  readonly home: string;
  /** Absolute; every process of a fleet needs the same key. */
  readonly masterKeyFile: string;
  /** Absolute; undefined for the catalog that ships. */
  readonly catalogFile: string | undefined;
  readonly eventStore: EventStoreTarget;
  readonly readStore: ReadStoreTarget;
  readonly bus: BusTarget;
  /** This process among those of the fleet. */
  readonly instance: string;
  /** The engines that a worker runs; undefined for all that can run on its machine. */
  readonly workerEngines: readonly string[] | undefined;
  /** For how long a holder's silence is borne, and how often it is heard of. */
  readonly lease: { readonly ttlMs: number; readonly renewMs: number };
  readonly grpc: GrpcSettings | undefined;
  readonly trustProxy: number | readonly string[];
  /** The web host as login replies show it; undefined until the port is known. */
  readonly webUrl: string | undefined;
  readonly logLevel: string;
  readonly drainSeconds: number;
  /** The longest a chat request may run; its hold outlives it. */
  readonly requestSeconds: number;
  /** How long a hold outlives its request: time to settle it before the sweep may. */
  readonly settleSeconds: number;
  readonly keepAliveSeconds: number;
  readonly bodyLimitBytes: number;
}

/** A setting is missing or wrong; the message names it, and the start stops. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

const SQLITE = 'sqlite:';

const fileOf = (setting: string | undefined, fallback: string): string =>
  path.resolve(setting ? expandHome(setting) : fallback);

/** The file of a `sqlite:` setting or the default one; undefined for a server's URL. */
const sqliteFileOf = (setting: string | undefined, fallback: string): string | undefined => {
  if (setting === undefined) return path.resolve(fallback);
  return setting.startsWith(SQLITE) ? fileOf(setting.slice(SQLITE.length), fallback) : undefined;
};

const eventStoreOf = (setting: string | undefined, home: string): EventStoreTarget => {
  const file = sqliteFileOf(setting, path.join(home, 'events.db'));
  return file === undefined
    ? { kind: 'eventstoredb', url: setting ?? '' }
    : { kind: 'sqlite', file };
};

const readStoreOf = (setting: string | undefined, home: string): ReadStoreTarget => {
  const file = sqliteFileOf(setting, path.join(home, 'views.db'));
  return file === undefined ? { kind: 'mongodb', url: setting ?? '' } : { kind: 'sqlite', file };
};

const expandHome = (file: string): string =>
  file.startsWith('~/') ? path.join(homedir(), file.slice(2)) : file;

/** Where the settings say it listens; a zone of an IPv6 address has no place in a URL. */
export const listeningUrl = ({ host, port }: Pick<Settings, 'host' | 'port'>): string => {
  const [address = host] = host.split('%', 1);
  return `http://${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
};

/** As a message may show it: without the user and the password that a URL may hold. */
export const withoutSecrets = (text: string): string => text.replace(/\/\/[^@/\s]*@/g, '//***@');

/** Whether other processes are likely to keep the same read models, so that one of them must. */
export const isShared = ({ readStore }: Settings): boolean => readStore.kind !== 'sqlite';

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/** Its host, the process, and chance: a process that is started anew is another one. */
const instanceName = (): string => {
  const host = hostname()
    .toLowerCase()
    .replace(/[^a-z0-9.-]/g, '-')
    .slice(0, 40);
  const chance = Math.trunc(Math.random() * 36 ** 4).toString(36);
  return `${/^[a-z]/.test(host) ? '' : 'q-'}${host}-${process.pid}-${chance}`;
};

const grpcOf = (variables: Variables): GrpcSettings | undefined => {
  const { QUIPU_GRPC_PORT: port, QUIPU_GRPC_TLS_CERT: cert, QUIPU_GRPC_TLS_KEY: key } = variables;
  if (port === undefined) return undefined;
  const host = variables.QUIPU_GRPC_HOST ?? variables.HOST;
  const isTls = cert !== undefined && key !== undefined;
  const tls = isTls ? { certificateFile: fileOf(cert, cert), keyFile: fileOf(key, key) } : null;
  return { host, port, tls };
};

/** What is right by itself and wrong together, as `<variable>: <why>`. */
const contradictions = (variables: Variables): readonly string[] => {
  const { QUIPU_LEASE_TTL_MS: ttlMs, QUIPU_LEASE_RENEW_MS: renewMs } = variables;
  const { QUIPU_GRPC_TLS_CERT: cert, QUIPU_GRPC_TLS_KEY: key } = variables;
  const wrong: string[] = [];
  if (renewMs * 3 > ttlMs) {
    wrong.push('QUIPU_LEASE_RENEW_MS: more than a third of QUIPU_LEASE_TTL_MS');
  }
  if ((cert === undefined) !== (key === undefined)) {
    wrong.push(`QUIPU_GRPC_TLS_${cert === undefined ? 'CERT' : 'KEY'}: needed beside the other`);
  }
  if (variables.QUIPU_GRPC_PORT === undefined) return wrong;
  const grpc = grpcOf(variables);
  const insecure = variables.QUIPU_GRPC_INSECURE === '1';
  if (variables.QUIPU_EVENT_STORE?.startsWith(SQLITE) === false) {
    wrong.push(
      'QUIPU_GRPC_PORT: only the embedded store is served, and QUIPU_EVENT_STORE is a server',
    );
  }
  if (insecure && grpc && grpc.tls !== null) {
    wrong.push('QUIPU_GRPC_INSECURE: contradicts QUIPU_GRPC_TLS_CERT');
  }
  if (insecure && grpc && !isLoopback(grpc.host)) {
    wrong.push('QUIPU_GRPC_INSECURE: only for a loopback address in QUIPU_GRPC_HOST');
  }
  if (!insecure && cert === undefined && key === undefined) {
    wrong.push('QUIPU_GRPC_TLS_CERT: needed with QUIPU_GRPC_PORT, or QUIPU_GRPC_INSECURE=1');
  }
  return wrong;
};

const variablesOf = (environment: NodeJS.ProcessEnv): Variables => {
  const named = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = Environment.safeParse(named);
  const faults = parsed.success
    ? contradictions(parsed.data)
    : parsed.error.issues.map(({ path: at, message }) => `${at.join('.')}: ${message}`);
  if (parsed.success && faults.length === 0) return parsed.data;
  throw new SettingsError(`bad settings\n  ${faults.join('\n  ')}`);
};

/** @throws SettingsError naming every variable that is wrong */
export const readSettings = (environment: NodeJS.ProcessEnv): Settings => {
  const variables = variablesOf(environment);
  const home = path.resolve(expandHome(variables.QUIPU_HOME));
  return {
    host: variables.HOST,
    port: variables.PORT,
    home,
    masterKeyFile: fileOf(variables.QUIPU_MASTER_KEY_FILE, path.join(home, 'master.key')),
    catalogFile: variables.QUIPU_CATALOG ? path.resolve(variables.QUIPU_CATALOG) : undefined,
    eventStore: eventStoreOf(variables.QUIPU_EVENT_STORE, home),
    readStore: readStoreOf(variables.QUIPU_READ_STORE, home),
    bus: variables.QUIPU_BUS,
    instance: variables.QUIPU_INSTANCE ?? instanceName(),
    workerEngines: variables.QUIPU_WORKER_ENGINES,
    lease: { ttlMs: variables.QUIPU_LEASE_TTL_MS, renewMs: variables.QUIPU_LEASE_RENEW_MS },
    grpc: grpcOf(variables),
    trustProxy: variables.QUIPU_TRUST_PROXY,
    webUrl: variables.QUIPU_WEB_URL,
    logLevel: variables.QUIPU_LOG_LEVEL,
    drainSeconds: variables.QUIPU_DRAIN_SECONDS,
    requestSeconds: variables.QUIPU_REQUEST_SECONDS,
    settleSeconds: variables.QUIPU_SETTLE_SECONDS,
    keepAliveSeconds: variables.QUIPU_KEEP_ALIVE_SECONDS,
    bodyLimitBytes: variables.QUIPU_BODY_LIMIT_BYTES,
  };
};
