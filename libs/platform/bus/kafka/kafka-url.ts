import { BusError } from '../bus.errors.js';
import { type KafkaConnection, type SaslMechanism } from './kafka-client.port.js';
import { PREFIX_LENGTH_MAX } from './topic-names.js';

export type KafkaClientName = 'kafkajs' | 'platformatic';

export interface KafkaTarget extends KafkaConnection {
  readonly client: KafkaClientName;
  /** Before the names of all topics and groups, with a dot between. */
  readonly prefix?: string;
  /** As in `KafkaBusBehaviour`. */
  readonly sessionTimeoutMs?: number;
}

const CLIENTS: Readonly<Record<string, KafkaClientName>> = {
  kafka: 'kafkajs',
  'kafka+platformatic': 'platformatic',
};
const MECHANISMS: readonly SaslMechanism[] = ['plain', 'scram-sha-256', 'scram-sha-512'];
const OPTIONS = ['ssl', 'mechanism', 'prefix', 'session_ms'];
const SESSION_MS = { min: 1_000, max: 300_000 };
const DEFAULT_PORT = 9092;
/** `URL` accepts a single host, so the parts are split here. */
const PARTS = /^([a-z+]+):\/\/(?:([^@/?#]*)@)?([^@/?#]*)\/?(?:\?([^#]*))?$/;
const PREFIX = new RegExp(`^[a-z][a-z0-9-]{0,${PREFIX_LENGTH_MAX - 1}}$`);
const HOST = /^(\[[\da-f:.]+\]|[a-z\d._-]+)(?::(\d{1,5}))?$/i;

/**
 * Reads `kafka://host:port,host:port?ssl=true`, or `kafka+platformatic://…` for the other client.
 * Credentials precede the hosts, percent-encoded: `kafka://user:password@host?ssl=true&
 * mechanism=scram-sha-256`. The default port is 9092, the default mechanism plain. `prefix=acme` is
 * for a cluster that several installations share. `session_ms=6000` is the session timeout of
 * consumers; a broker may allow a smaller range.
 * @throws BusError `invalid-options`; its message never contains the credentials
 */
export const readKafkaUrl = (url: string): KafkaTarget => {
  const [, scheme = '', credentials, hosts = '', query = ''] = PARTS.exec(url) ?? [];
  const client = CLIENTS[scheme];
  if (!client) return reject('it takes kafka://host:port,… or kafka+platformatic://host:port,…');
  const options = new URLSearchParams(query);
  for (const name of options.keys()) {
    if (!OPTIONS.includes(name)) reject(`it has no option ${name}; options: ${OPTIONS.join(', ')}`);
  }
  const ssl = sslOf(options.get('ssl'));
  const sasl = saslOf(credentials, options.get('mechanism'), ssl);
  const prefix = prefixOf(options.get('prefix'));
  const brokers = hosts.split(',').map(brokerOf);
  const sessionTimeoutMs = sessionOf(options.get('session_ms'));
  return {
    client,
    brokers,
    ssl,
    ...(sasl && { sasl }),
    ...(prefix && { prefix }),
    ...(sessionTimeoutMs && { sessionTimeoutMs }),
  };
};

const reject = (detail: string): never => {
  throw new BusError('invalid-options', `the URL of Kafka: ${detail}`);
};

const brokerOf = (text: string): string => {
  const [, host, digits] = HOST.exec(text) ?? [];
  const port = digits === undefined ? DEFAULT_PORT : Number(digits);
  if (host === undefined || port < 1 || port > 65_535) {
    return reject(`${JSON.stringify(text)} is not host:port`);
  }
  return `${host}:${port}`;
};

const sslOf = (text: string | null): boolean => {
  if (text === null || text === 'false') return false;
  return text === 'true' || reject('ssl is true or false');
};

const prefixOf = (text: string | null): string | undefined => {
  if (text === null || PREFIX.test(text)) return text ?? undefined;
  return reject(`prefix is a letter, then up to ${PREFIX_LENGTH_MAX - 1} of a-z 0-9 -`);
};

const sessionOf = (text: string | null): number | undefined => {
  if (text === null) return undefined;
  const { min, max } = SESSION_MS;
  const ms = Number(text);
  if (/^\d+$/.test(text) && ms >= min && ms <= max) return ms;
  return reject(`session_ms is a number of milliseconds, ${min} to ${max}`);
};

const saslOf = (
  credentials: string | undefined,
  named: string | null,
  ssl: boolean,
): KafkaConnection['sasl'] => {
  if (credentials === undefined) {
    return named === null ? undefined : reject('a mechanism needs user:password@ before the hosts');
  }
  const mechanism = MECHANISMS.find((one) => one === (named ?? 'plain'));
  if (!mechanism) return reject(`mechanism is one of ${MECHANISMS.join(', ')}`);
  if (mechanism === 'plain' && !ssl) {
    return reject('mechanism plain sends the password as it is: it takes ssl=true');
  }
  const [username, ...rest] = credentials.split(':');
  const password = rest.join(':');
  if (!username || !password) return reject('credentials are user:password, percent-encoded');
  return { mechanism, username: decoded(username), password: decoded(password) };
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return reject('credentials are user:password, percent-encoded');
  }
};
