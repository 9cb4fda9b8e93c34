import { isIP } from 'node:net';
import { availableParallelism, homedir, hostname } from 'node:os';
import path from 'node:path';
import { type InjectionToken } from '@nestjs/common';
import { z } from 'zod';
import { type SmtpOptions } from '#platform/mail/smtp/smtp-mailer.js';
import { type Area } from '#platform/runtime/areas/area.js';
import { type ElectionTarget } from '#platform/runtime/lease/reader-leases.js';
import {
  type AnySettings,
  type InstallationFacts,
  SettingsError,
  type Variable,
  type Variables,
} from '#platform/runtime/areas/settings.js';
import { areas } from './areas.js';
import {
  type BlobsTarget,
  type BusTarget,
  platformVariables,
  type PlatformValues,
} from './platform.variables.js';
import { unknownVariables } from './unknown-variables.js';

/** The variables of a process with these areas, by name. */
export const variablesOf = (registered: readonly Area[]): Readonly<Record<string, Variable>> =>
  Object.assign(
    {},
    platformVariables,
    ...registered.flatMap(({ settings }) =>
      settings.map(({ variables }) => variables as Variables),
    ),
  ) as Record<string, Variable>;

export type EventStoreTarget =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'eventstoredb'; readonly url: string; readonly prefix: string };

export type ReadStoreTarget =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'mongodb'; readonly url: string };

/** The address at which the embedded event store is served by the protocol of EventStoreDB. */
export interface GrpcSettings {
  readonly host: string;
  readonly port: number;
  /** PEM files; null for plain text without credentials, on the loopback address only. */
  readonly tls: { readonly certificateFile: string; readonly keyFile: string } | null;
}

export interface Settings {
  readonly host: string;
  readonly port: number;
  /** Where and to whom the process shows its reports. */
  readonly operations: {
    readonly host: string;
    readonly port: number | undefined;
    readonly token: string | undefined;
  };
  /** Absolute. */
  readonly home: string;
  /** Absolute; every process of a fleet needs the same key. */
  readonly masterKeyFile: string;
  readonly eventStore: EventStoreTarget;
  /** The same server, as its administrator; for the command that creates the log's user. */
  readonly eventStoreAdmin: string | undefined;
  readonly readStore: ReadStoreTarget;
  readonly bus: BusTarget;
  /** A folder is absolute. */
  readonly blobs: BlobsTarget;
  /** The name of this process in the fleet. */
  readonly instance: string;
  /** Where the process is; null: in no region. */
  readonly region: string | null;
  /** The name under which a worker registers as a rig. */
  readonly rigName: string | undefined;
  /** The engines that a worker runs; undefined: all that can run on its machine. */
  readonly workerEngines: readonly string[] | undefined;
  /** How many processes of a standalone answer requests. */
  readonly processes: number;
  /** Whether a standalone on embedded read models runs its projections and sagas in a thread. */
  readonly hasProjectorThread: boolean;
  /** The time to live of a lease, the interval of its renewals, and where processes compete. */
  readonly lease: {
    readonly ttlMs: number;
    readonly renewMs: number;
    readonly election: ElectionTarget;
  };
  readonly grpc: GrpcSettings | undefined;
  readonly trustProxy: number | readonly string[];
  readonly corsOrigins: readonly string[];
  /** Null: no mail is sent. */
  readonly mail: SmtpOptions | null;
  readonly logLevel: string;
  readonly drainSeconds: number;
  readonly bodyLimitBytes: number;
  /** Requests a minute, in this process; 0 for no limit. */
  readonly requestRates: { readonly perAccount: number; readonly perKey: number };
  /** Of all bodies that are being received. */
  readonly receivingBytesMax: number;
  /** The time limit for the arrival of a request. */
  readonly receiveMsMax: number;
  /** The time limit for the arrival of a form with a file. */
  readonly uploadMsMax: number;
  /** The time limit for its next bytes. */
  readonly uploadIdleMsMax: number;
  /** The settings of the areas, by the token under which their services inject them. */
  readonly ofAreas: ReadonlyMap<InjectionToken, unknown>;
}

const SQLITE = 'sqlite:';

const fileOf = (setting: string | undefined, fallback: string): string =>
  path.resolve(setting ? expandHome(setting) : fallback);

/** The file of a `sqlite:` setting or the default one; undefined for a server's URL. */
const sqliteFileOf = (setting: string | undefined, fallback: string): string | undefined => {
  if (setting === undefined) return path.resolve(fallback);
  return setting.startsWith(SQLITE) ? fileOf(setting.slice(SQLITE.length), fallback) : undefined;
};

const eventStoreOf = (setting: string | undefined, home: string, prefix = ''): EventStoreTarget => {
  const file = sqliteFileOf(setting, path.join(home, 'events.db'));
  return file === undefined
    ? { kind: 'eventstoredb', url: setting ?? '', prefix }
    : { kind: 'sqlite', file };
};

const readStoreOf = (setting: string | undefined, home: string): ReadStoreTarget => {
  const file = sqliteFileOf(setting, path.join(home, 'views.db'));
  return file === undefined ? { kind: 'mongodb', url: setting ?? '' } : { kind: 'sqlite', file };
};

const blobsOf = (target: BlobsTarget | undefined, home: string): BlobsTarget => {
  if (target?.kind === 's3') return target;
  return { kind: 'file', folder: fileOf(target?.folder, path.join(home, 'blobs')) };
};

const expandHome = (file: string): string =>
  file.startsWith('~/') ? path.join(homedir(), file.slice(2)) : file;

/** The URL of the configured address, without the zone of an IPv6 address. */
export const listeningUrl = ({ host, port }: Pick<Settings, 'host' | 'port'>): string => {
  const [address = host] = host.split('%', 1);
  return `http://${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
};

/** Replaces the users and passwords of URLs in a text. */
export const withoutSecrets = (text: string): string => text.replace(/\/\/[^@/\s]*@/g, '//***@');

/** Whether processes may share the read models. A lease then elects the writer. */
export const isShared = ({ readStore }: Settings): boolean => readStore.kind !== 'sqlite';

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/** Host, process id and a random suffix: a restarted process gets another name. */
const instanceName = (): string => {
  const host = hostname()
    .toLowerCase()
    .replace(/[^a-z0-9.-]/g, '-')
    .slice(0, 40);
  const suffix = Math.trunc(Math.random() * 36 ** 4).toString(36);
  return `${/^[a-z]/.test(host) ? '' : 'q-'}${host}-${process.pid}-${suffix}`;
};

const grpcOf = (variables: PlatformValues): GrpcSettings | undefined => {
  const { QUIPU_GRPC_PORT: port, QUIPU_GRPC_TLS_CERT: cert, QUIPU_GRPC_TLS_KEY: key } = variables;
  if (port === undefined) return undefined;
  const host = variables.QUIPU_GRPC_HOST ?? variables.HOST;
  const isTls = cert !== undefined && key !== undefined;
  const tls = isTls ? { certificateFile: fileOf(cert, cert), keyFile: fileOf(key, key) } : null;
  return { host, port, tls };
};

const PROCESSES_MAX = 8;

const isEmbedded = (store: string | undefined): boolean => store?.startsWith(SQLITE) ?? true;

const hasEmbeddedStores = (variables: PlatformValues): boolean =>
  isEmbedded(variables.QUIPU_EVENT_STORE) && isEmbedded(variables.QUIPU_READ_STORE);

/** Leaves a core to the writer of the log, projections and sagas. */
const processesOf = (variables: PlatformValues): number => {
  if (variables.QUIPU_PROCESSES !== undefined) return variables.QUIPU_PROCESSES;
  if (!hasEmbeddedStores(variables)) return 1;
  return Math.min(Math.max(availableParallelism() - 1, 1), PROCESSES_MAX);
};

/** On two cores a second thread costs more than it takes off the first one. */
const hasProjectorThread = ({ QUIPU_PROJECTOR_THREAD: chosen }: PlatformValues): boolean =>
  chosen === undefined ? availableParallelism() > 2 : chosen === '1';

/** Contradictions between valid values, as `<variable>: <reason>`. */
const contradictions = (variables: PlatformValues): readonly string[] => {
  const { QUIPU_LEASE_TTL_MS: ttlMs, QUIPU_LEASE_RENEW_MS: renewMs } = variables;
  const { QUIPU_GRPC_TLS_CERT: cert, QUIPU_GRPC_TLS_KEY: key } = variables;
  const wrong: string[] = [];
  if (variables.QUIPU_SMTP_URL !== undefined && variables.QUIPU_MAIL_FROM === undefined) {
    wrong.push('QUIPU_MAIL_FROM: required with QUIPU_SMTP_URL');
  }
  if ((variables.QUIPU_PROCESSES ?? 1) > 1 && !hasEmbeddedStores(variables)) {
    wrong.push('QUIPU_PROCESSES: only with embedded stores; with servers, start more gateways');
  }
  if (renewMs * 3 > ttlMs) {
    wrong.push('QUIPU_LEASE_RENEW_MS: more than a third of QUIPU_LEASE_TTL_MS');
  }
  if ((cert === undefined) !== (key === undefined)) {
    wrong.push(
      `QUIPU_GRPC_TLS_${cert === undefined ? 'CERT' : 'KEY'}: required with the other one`,
    );
  }
  if (variables.QUIPU_LOG_PREFIX !== undefined && isEmbedded(variables.QUIPU_EVENT_STORE)) {
    wrong.push('QUIPU_LOG_PREFIX: only for a log on a server; an embedded log has one owner');
  }
  if (variables.QUIPU_GRPC_PORT === undefined) return wrong;
  const grpc = grpcOf(variables);
  const insecure = variables.QUIPU_GRPC_INSECURE === '1';
  if (variables.QUIPU_EVENT_STORE?.startsWith(SQLITE) === false) {
    wrong.push(
      'QUIPU_GRPC_PORT: serves only the embedded store, but QUIPU_EVENT_STORE is a server',
    );
  }
  if (insecure && grpc && grpc.tls !== null) {
    wrong.push('QUIPU_GRPC_INSECURE: contradicts QUIPU_GRPC_TLS_CERT');
  }
  if (insecure && grpc && !isLoopback(grpc.host)) {
    wrong.push('QUIPU_GRPC_INSECURE: only for a loopback address in QUIPU_GRPC_HOST');
  }
  if (!insecure && cert === undefined && key === undefined) {
    wrong.push('QUIPU_GRPC_TLS_CERT: required with QUIPU_GRPC_PORT, or set QUIPU_GRPC_INSECURE=1');
  }
  return wrong;
};

/** Reads all variables, so that one message names every wrong one. */
const valuesOf = (
  environment: NodeJS.ProcessEnv,
  registered: readonly Area[],
): Readonly<Record<string, unknown>> => {
  const set = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const schemas = Object.entries(variablesOf(registered)).map(
    ([name, { schema }]) => [name, schema] as const,
  );
  const parsed = z.object(Object.fromEntries(schemas)).safeParse(set);
  const faults = [
    ...(parsed.success
      ? contradictions(parsed.data as PlatformValues)
      : parsed.error.issues.map(({ path: at, message }) => `${at.join('.')}: ${message}`)),
    ...unknownVariables(
      Object.keys(set),
      schemas.map(([name]) => name),
    ),
  ];
  if (parsed.success && faults.length === 0) return parsed.data;
  throw new SettingsError(`bad settings\n  ${faults.join('\n  ')}`);
};

/**
 * The settings of a process that runs these areas.
 * @throws SettingsError naming every variable that is wrong
 */
export const readSettings = (
  environment: NodeJS.ProcessEnv,
  registered: readonly Area[] = areas,
): Settings => {
  const values = valuesOf(environment, registered);
  const platform = platformSettings(values as PlatformValues);
  const facts: InstallationFacts = {
    home: platform.home,
    isLogRemote: platform.eventStore.kind !== 'sqlite',
    listeningUrl: listeningUrl(platform),
  };
  const declared = registered.flatMap(({ settings }): readonly AnySettings[] => settings);
  return {
    ...platform,
    ofAreas: new Map(declared.map(({ token, read }) => [token, read(values, facts)])),
  };
};

const mailOf = ({
  QUIPU_SMTP_URL: url,
  QUIPU_MAIL_FROM: from,
}: PlatformValues): SmtpOptions | null =>
  url === undefined || from === undefined ? null : { url, from };

const platformSettings = (values: PlatformValues): Omit<Settings, 'ofAreas'> => {
  const home = path.resolve(expandHome(values.QUIPU_HOME));
  return {
    host: values.HOST,
    port: values.PORT,
    operations: {
      host: values.QUIPU_OPERATIONS_HOST ?? values.HOST,
      port: values.QUIPU_OPERATIONS_PORT,
      token: values.QUIPU_OPERATIONS_TOKEN,
    },
    home,
    masterKeyFile: fileOf(values.QUIPU_MASTER_KEY_FILE, path.join(home, 'master.key')),
    eventStore: eventStoreOf(values.QUIPU_EVENT_STORE, home, values.QUIPU_LOG_PREFIX),
    eventStoreAdmin: values.QUIPU_EVENT_STORE_ADMIN,
    readStore: readStoreOf(values.QUIPU_READ_STORE, home),
    bus: values.QUIPU_BUS,
    blobs: blobsOf(values.QUIPU_BLOBS, home),
    instance: values.QUIPU_INSTANCE ?? instanceName(),
    region: values.QUIPU_REGION ?? null,
    rigName: values.QUIPU_RIG_NAME,
    workerEngines: values.QUIPU_WORKER_ENGINES,
    processes: processesOf(values),
    hasProjectorThread: hasProjectorThread(values),
    lease: {
      ttlMs: values.QUIPU_LEASE_TTL_MS,
      renewMs: values.QUIPU_LEASE_RENEW_MS,
      election: values.QUIPU_ELECTION,
    },
    grpc: grpcOf(values),
    trustProxy: values.QUIPU_TRUST_PROXY,
    corsOrigins: values.QUIPU_CORS_ORIGINS,
    mail: mailOf(values),
    logLevel: values.QUIPU_LOG_LEVEL,
    drainSeconds: values.QUIPU_DRAIN_SECONDS,
    bodyLimitBytes: values.QUIPU_BODY_LIMIT_BYTES,
    requestRates: {
      perAccount: values.QUIPU_ACCOUNT_REQUESTS_PER_MINUTE,
      perKey: values.QUIPU_KEY_REQUESTS_PER_MINUTE,
    },
    receivingBytesMax: values.QUIPU_RECEIVING_BYTES,
    receiveMsMax: values.QUIPU_RECEIVE_SECONDS * 1_000,
    uploadMsMax: values.QUIPU_UPLOAD_SECONDS * 1_000,
    uploadIdleMsMax: values.QUIPU_UPLOAD_IDLE_SECONDS * 1_000,
  };
};
