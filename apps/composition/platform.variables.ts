import { isIP } from 'node:net';
import { z } from 'zod';
import { RigName } from '#events/catalog/rate-card.events.js';
import { Region } from '#events/vocabulary.js';
import { BusError } from '#platform/bus/bus.errors.js';
import { BlobError } from '#platform/blobs/blobs.errors.js';
import { readS3Url, type S3Target } from '#platform/blobs/s3/s3-url.js';
import { type KafkaTarget, readKafkaUrl } from '#platform/bus/kafka/kafka-url.js';
import { type ElectionTarget } from '#platform/runtime/lease/reader-leases.js';
import { type ValuesOf, variable, wholeNumber } from '#platform/runtime/areas/settings.js';

export type BusTarget = { readonly kind: 'memory' } | ({ readonly kind: 'kafka' } & KafkaTarget);

export type BlobsTarget =
  { readonly kind: 'file'; readonly folder: string } | ({ readonly kind: 's3' } & S3Target);

const FILE = 'file:';

/** A folder as it was given, or a bucket. */
const BlobsSetting = z
  .string()
  .transform((value, context): BlobsTarget => {
    if (value.startsWith(FILE) && value !== FILE) {
      return { kind: 'file', folder: value.slice(FILE.length) };
    }
    try {
      return { kind: 's3', ...readS3Url(value) };
    } catch (error) {
      if (!(error instanceof BlobError)) throw error;
      context.addIssue({ code: 'custom', message: `expected file:<folder>, or ${error.message}` });
      return z.NEVER;
    }
  })
  .optional();

/** The name of a process, which leases and topics of the bus contain. */
const INSTANCE = /^[a-z][a-z0-9.-]{0,62}$/;

/** A port of Node's HTTP server; 0 lets the system choose. */
const Port = wholeNumber(0, 65_535);

/** An address or a host name that a URL accepts unchanged. */
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
 * The proxies whose `X-Forwarded-For` is trusted: `0` none, `1` … the number of hops, or a list of
 * addresses and CIDR ranges.
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

const isOrigin = (text: string): boolean =>
  /^https?:/.test(text) && URL.parse(text)?.origin === text;

const Origins = z
  .string()
  .default('')
  .transform((value) => (value === '' ? [] : value.split(',').map((entry) => entry.trim())))
  .refine(
    (origins) => origins.every(isOrigin),
    'expected origins with commas between them, such as https://app.example.org',
  );

/** `sqlite:<file>`, or a URL whose scheme names a server. */
const store = (schemes: RegExp, expected: string) =>
  z
    .string()
    .refine((value) => /^sqlite:.+/.test(value) || schemes.test(value), `expected ${expected}`)
    .optional();

/** The message about a bad URL omits the URL, which may contain a password. */
const BusSetting = z
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

const ETCD = /^etcd(s?):\/\/([^/@?#]+)(?:\/([a-z][a-z0-9-]{0,62}))?$/;

/** Where processes elect the one that runs projections and sagas. */
const ElectionSetting = z
  .string()
  .default('log:')
  .transform((value, context): ElectionTarget => {
    if (value === 'log:') return { kind: 'log' };
    const [, tls, hosts = '', name = 'quipu'] = ETCD.exec(value) ?? [];
    const endpoints = hosts.split(',').map((host) => `http${tls ?? ''}://${host}`);
    if (tls !== undefined && endpoints.every((one) => URL.canParse(one))) {
      return { kind: 'etcd', endpoints, name };
    }
    context.addIssue({
      code: 'custom',
      message: 'expected log:, or etcd://host:port,…/name or etcds://host:port,…/name',
    });
    return z.NEVER;
  });

const RequestsPerMinute = wholeNumber(0, 60_000_000);

const MILLISECONDS_MAX = 600_000;
const GIBIBYTE = 1_073_741_824;

/** Names, separated by commas. */
const Names = z
  .string()
  .transform((value) => value.split(',').map((name) => name.trim()))
  .refine((names) => names.every((name) => name !== ''), 'expected names with commas between them')
  .optional();

/** The variables of the platform: every process reads them. */
export const platformVariables = {
  HOST: variable(
    z.string().refine(isHost, 'expected an address or a host name').default('127.0.0.1'),
    'the address that the process listens on',
  ),
  PORT: variable(
    Port.default(8080),
    'the port that the process listens on; port 0 lets the system choose',
  ),
  QUIPU_OPERATIONS_PORT: variable(
    Port.optional(),
    'a further port with all of `/health/ready` and `/metrics`, which callers cannot reach',
  ),
  QUIPU_OPERATIONS_HOST: variable(
    z.string().refine(isHost, 'expected an address or a host name').optional(),
    'the address of that port',
    '`HOST`',
  ),
  QUIPU_OPERATIONS_TOKEN: variable(
    z
      .string()
      .regex(/^[\x21-\x7e]{16,512}$/, 'expected 16 to 512 printable characters without spaces')
      .optional(),
    'opens all of `/health/ready` and `/metrics` on any port, as `Authorization: Bearer`; with a ' +
      'token the operations port requires it too',
  ),
  QUIPU_CONFIG: variable(
    z.string().optional(),
    'the file with settings, under variables of the same name',
    '`quipu.yaml` in the working directory, where it exists',
  ),
  QUIPU_HOME: variable(
    z.string().regex(/\S/, 'expected a folder').default('.quipu'),
    'the folder of the log, read models, keys, stored answers, `bootstrap.json` and `models/`',
  ),
  QUIPU_MASTER_KEY_FILE: variable(
    z.string().regex(/\S/, 'expected a file').optional(),
    'the key from which every other key derives; the same in all processes of a fleet',
    '`<QUIPU_HOME>/master.key`',
  ),
  QUIPU_INSTANCE: variable(
    z.string().regex(INSTANCE, 'expected a letter, then up to 62 of a-z 0-9 . -').optional(),
    'the name of this process in a fleet: a letter, then up to 62 of `a-z 0-9 . -`',
    'host, process id and a random suffix',
  ),
  QUIPU_REGION: variable(
    Region.optional(),
    'where this gateway or worker is: a letter, then up to 31 of `a-z 0-9 -`. `auto` prefers the ' +
      'rigs of the region, and rigs that belong to none',
  ),
  QUIPU_RIG_NAME: variable(
    RigName.optional(),
    'the name under which a worker registers as a rig, stable over restarts: what `rig_{id}` pins',
    '`worker-` and a hash of the name of the process',
  ),
  QUIPU_EVENT_STORE: variable(
    store(
      /^(esdb|kurrentdb)(\+discover)?:\/\/[^/]/,
      'sqlite:<file>, esdb://…, esdb+discover://…, kurrentdb://… or kurrentdb+discover://…',
    ),
    'the log; or `esdb://…`, `esdb+discover://…`, `kurrentdb://…`, `kurrentdb+discover://…`',
    '`sqlite:<QUIPU_HOME>/events.db`',
  ),
  QUIPU_LOG_PREFIX: variable(
    z
      .string()
      .regex(/^[a-z0-9][a-z0-9_.]{0,39}$/, 'expected up to 40 of a-z, 0-9, _ and .')
      .optional(),
    'the prefix of the streams of this installation, where several share the server of the log',
  ),
  QUIPU_EVENT_STORE_ADMIN: variable(
    z
      .string()
      .regex(/^(esdb|kurrentdb)(\+discover)?:\/\/[^/]/, 'expected esdb://… or kurrentdb://…')
      .optional(),
    'the same server with the name and password of an administrator, for `quipu log user` alone',
  ),
  QUIPU_READ_STORE: variable(
    store(/^mongodb(\+srv)?:\/\/[^/]/, 'sqlite:<file>, mongodb://… or mongodb+srv://…'),
    'read models, which may be deleted, since the log rebuilds them; or `mongodb://…`, ' +
      '`mongodb+srv://…`, then with stored answers and subject keys, which may not',
    '`sqlite:<QUIPU_HOME>/views.db`',
  ),
  QUIPU_BUS: variable(
    BusSetting,
    'messages between processes; or `kafka://host:port,…`, `kafka+platformatic://host:port,…`; ' +
      '`?prefix=` names an installation on a shared broker',
    '`memory:`',
  ),
  QUIPU_BLOBS: variable(
    BlobsSetting,
    'files of callers and results of jobs, which may not be deleted; or ' +
      '`s3://bucket/prefix?endpoint=…&region=…&path-style=true`, with the credentials of the ' +
      'AWS variables',
    '`file:<QUIPU_HOME>/blobs`',
  ),
  QUIPU_WORKER_ENGINES: variable(
    Names,
    'the engines that a worker runs, with commas between them, such as `text`',
    'all that can run',
  ),
  QUIPU_PROCESSES: variable(
    wholeNumber(1, 64).optional(),
    'the processes of a standalone that answer requests on its port; above 1, the first process ' +
      'runs projections, sagas and jobs for them. Only with embedded stores',
    'the cores less one, 8 at most',
  ),
  QUIPU_PROJECTOR_THREAD: variable(
    z.enum(['0', '1']).optional(),
    '`1`: a standalone runs projections and sagas in a thread of their own; `0`, and always with ' +
      '`mongodb://…`: on the thread that answers requests',
    '`1` with more than two cores',
  ),
  QUIPU_LEASE_TTL_MS: variable(
    wholeNumber(1_000, MILLISECONDS_MAX).default(10_000),
    'another process takes the leases of readers over after this long without a renewal',
  ),
  QUIPU_LEASE_RENEW_MS: variable(
    wholeNumber(100, MILLISECONDS_MAX).default(3_000),
    'how often a holder renews its leases: at most a third of their time to live',
  ),
  QUIPU_ELECTION: variable(
    ElectionSetting,
    'where processes of a fleet elect the holder of a reader group, the same in all of them: ' +
      '`log:`, with renewals in the read store, or `etcd://host:port,…/name`, `etcds://…` with TLS',
    '`log:`',
  ),
  QUIPU_GRPC_PORT: variable(
    Port.optional(),
    'serves the embedded log by the protocol of EventStoreDB; port 0 lets the system choose',
  ),
  QUIPU_GRPC_HOST: variable(
    z.string().refine(isHost, 'expected an address or a host name').optional(),
    'the address of that server',
    '`HOST`',
  ),
  QUIPU_GRPC_TLS_CERT: variable(
    z.string().regex(/\S/, 'expected a file').optional(),
    'the certificate of that server, a PEM file; its callers send the API key of an Admin as ' +
      'password',
  ),
  QUIPU_GRPC_TLS_KEY: variable(
    z.string().regex(/\S/, 'expected a file').optional(),
    'the private key of that certificate, a PEM file',
  ),
  QUIPU_GRPC_INSECURE: variable(
    z.enum(['0', '1']).default('0'),
    '`1`: plain text without credentials, on a loopback address only',
  ),
  QUIPU_TRUST_PROXY: variable(
    TrustProxy,
    'proxies that may name the client: a number of hops, or addresses and ranges',
  ),
  QUIPU_CORS_ORIGINS: variable(
    Origins,
    'origins whose pages may call the gateway (CORS), such as `https://app.example.org`',
    'none',
  ),
  QUIPU_SMTP_URL: variable(
    z.url({ protocol: /^smtps?$/, error: 'expected smtp:// or smtps://' }).optional(),
    'the mail server: `smtp://user:password@host:587` or `smtps://…`; without one no mail is sent',
  ),
  QUIPU_MAIL_FROM: variable(
    z
      .string()
      .regex(/^[^\r\n@]+@[^\r\n@]+$/, 'expected an address, such as Quipu <quipu@example.com>')
      .max(320)
      .optional(),
    'the sender of mails; required with `QUIPU_SMTP_URL`',
  ),
  QUIPU_LOG_LEVEL: variable(
    z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info'),
    '`fatal` … `debug`, or `silent`',
  ),
  QUIPU_DRAIN_SECONDS: variable(
    wholeNumber(1, 86_400).default(30),
    'how long a stop waits for open requests before it cuts them short',
  ),
  QUIPU_BODY_LIMIT_BYTES: variable(
    wholeNumber(1_024, GIBIBYTE).default(4_194_304),
    'the largest request body; without valid credentials it is 16384 bytes at most',
  ),
  QUIPU_RECEIVING_BYTES: variable(
    wholeNumber(65_536, 16 * GIBIBYTE).default(67_108_864),
    'bytes of unfinished request bodies in memory, of all connections; above it 503',
  ),
  QUIPU_RECEIVE_SECONDS: variable(
    wholeNumber(1, 3_600).default(60),
    'how long the headers and the body of a request may take to arrive; after it 408',
  ),
  QUIPU_UPLOAD_SECONDS: variable(
    wholeNumber(1, 86_400).default(3_600),
    'how long a file may take to arrive; after it 408',
  ),
  QUIPU_UPLOAD_IDLE_SECONDS: variable(
    wholeNumber(1, 3_600).default(30),
    'how long a file that arrives may pause, and its caller stay without credentials; after it 408',
  ),
  QUIPU_ACCOUNT_REQUESTS_PER_MINUTE: variable(
    RequestsPerMinute.default(0),
    'the requests of one account that the gateways of one port answer in a minute; `0`: no limit',
  ),
  QUIPU_KEY_REQUESTS_PER_MINUTE: variable(
    RequestsPerMinute.default(0),
    'the requests with one key or access token that the gateways of one port answer in a ' +
      'minute; `0`: no limit',
  ),
} as const;

export type PlatformValues = ValuesOf<typeof platformVariables>;
