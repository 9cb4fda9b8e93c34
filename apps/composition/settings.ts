import { isIP } from 'node:net';
import { homedir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';

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

const Environment = z.object({
  HOST: z.string().refine(isHost, 'expected an address or a host name').default('127.0.0.1'),
  PORT: Port.default(8080),
  QUIPU_HOME: z.string().min(1).default('.quipu'),
  QUIPU_CATALOG: z.string().min(1).optional(),
  QUIPU_EVENT_STORE: z
    .string()
    .regex(/^sqlite:.+/, 'expected sqlite:<file>')
    .optional(),
  QUIPU_READ_STORE: z
    .string()
    .regex(/^sqlite:.+/, 'expected sqlite:<file>')
    .optional(),
  QUIPU_BUS: z.literal('memory:').default('memory:'),
  QUIPU_TRUST_PROXY: TrustProxy,
  QUIPU_WEB_URL: z.url({ protocol: /^https?$/ }).optional(),
  QUIPU_LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info'),
  QUIPU_DRAIN_SECONDS: seconds(30),
  QUIPU_REQUEST_SECONDS: seconds(600),
  QUIPU_SETTLE_SECONDS: seconds(60),
  QUIPU_KEEP_ALIVE_SECONDS: seconds(15),
  QUIPU_BODY_LIMIT_BYTES: z.coerce.number().int().min(1_024).max(1_073_741_824).default(4_194_304),
});

export interface Settings {
  readonly host: string;
  readonly port: number;
  /** Absolute. */
  readonly home: string;
  /** Absolute; undefined for the catalog that ships. */
  readonly catalogFile: string | undefined;
  readonly eventsFile: string;
  readonly viewsFile: string;
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

const fileOf = (setting: string | undefined, fallback: string): string =>
  path.resolve(setting ? expandHome(setting.slice('sqlite:'.length)) : fallback);

const expandHome = (file: string): string =>
  file.startsWith('~/') ? path.join(homedir(), file.slice(2)) : file;

/** Where the settings say it listens; a zone of an IPv6 address has no place in a URL. */
export const listeningUrl = ({ host, port }: Pick<Settings, 'host' | 'port'>): string => {
  const [address = host] = host.split('%', 1);
  return `http://${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
};

/** @throws SettingsError naming every variable that is wrong */
export const readSettings = (environment: NodeJS.ProcessEnv): Settings => {
  const named = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = Environment.safeParse(named);
  if (!parsed.success) {
    const faults = parsed.error.issues.map(
      ({ path: at, message }) => `${at.join('.')}: ${message}`,
    );
    throw new SettingsError(`bad settings\n  ${faults.join('\n  ')}`);
  }
  const { data } = parsed;
  const home = path.resolve(expandHome(data.QUIPU_HOME));
  return {
    host: data.HOST,
    port: data.PORT,
    home,
    catalogFile: data.QUIPU_CATALOG ? path.resolve(data.QUIPU_CATALOG) : undefined,
    eventsFile: fileOf(data.QUIPU_EVENT_STORE, path.join(home, 'events.db')),
    viewsFile: fileOf(data.QUIPU_READ_STORE, path.join(home, 'views.db')),
    trustProxy: data.QUIPU_TRUST_PROXY,
    webUrl: data.QUIPU_WEB_URL,
    logLevel: data.QUIPU_LOG_LEVEL,
    drainSeconds: data.QUIPU_DRAIN_SECONDS,
    requestSeconds: data.QUIPU_REQUEST_SECONDS,
    settleSeconds: data.QUIPU_SETTLE_SECONDS,
    keepAliveSeconds: data.QUIPU_KEEP_ALIVE_SECONDS,
    bodyLimitBytes: data.QUIPU_BODY_LIMIT_BYTES,
  };
};
