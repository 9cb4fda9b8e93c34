import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Bootstrap } from '#apps/composition/bootstrap.js';
import { asOperator } from '#apps/operations/operations.fixture.js';
import { SCOPES } from '#events/identity/key-policy.vocabulary.js';
import { type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { Member, runCli } from '../end-to-end/fleet.harness.js';
import { auditOf } from '../fault/ledger-of-log.js';
import { freePorts } from '../servers/server-process.js';
import { type Credentials } from './hostile-request.arbitrary.js';
import { type OpenApiDocument } from './openapi.operations.js';

/** No failed attempt comes from this address. */
const FRIENDLY_ADDRESS = '192.0.2.1';

/** A gateway on the embedded stores, in a process that an attack may end. */
export interface Attacked {
  readonly url: string;
  readonly credentials: Bootstrap;
  document(): Promise<OpenApiDocument>;
  /**
   * The keys of the first user and the token of an open session, by the names of the document. A
   * request may end the session; each log-in costs the hash of a password.
   * @param last credentials that are returned while their session is open
   */
  logIn(last?: Credentials): Promise<Credentials>;
  /** Every event of the log, in order. */
  events(): Promise<readonly RecordedEvent[]>;
  /** The faults of the process and its ledger; empty if there are none. */
  wounds(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/**
 * @param catalog the text of the catalog file
 * @param ofProcess variables of the process alone, which the command line beside it does not get
 */
export const startAttacked = async (
  catalog: string,
  environment: NodeJS.ProcessEnv = {},
  ofProcess: NodeJS.ProcessEnv = {},
): Promise<Attacked> => {
  const home = await mkdtemp(path.join(tmpdir(), 'quipu-attack-'));
  const catalogFile = path.join(home, 'catalog.yaml');
  await writeFile(catalogFile, catalog);
  const [port = 0] = await freePorts(1);
  const variables = {
    QUIPU_HOME: home,
    QUIPU_CATALOG: catalogFile,
    QUIPU_LOG_LEVEL: 'error',
    QUIPU_DRAIN_SECONDS: '2',
    // A stream of the ledger has no other end.
    QUIPU_EVENT_STREAM_SECONDS: '1',
    // Addresses of callers are chosen here.
    QUIPU_TRUST_PROXY: '1',
    ...environment,
  };
  const member = new Member('attacked', 'standalone', port, { ...variables, ...ofProcess });
  await member.start();
  const { url } = member;
  const text = await readFile(path.join(home, 'bootstrap.json'), 'utf8');
  const credentials = JSON.parse(text) as Bootstrap;
  const log = await openSqliteEventStore({ file: path.join(home, 'events.db') });
  const events = async () => (await Array.fromAsync(log.readAll())).flat();
  return {
    url,
    credentials,
    document: async () => (await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument,
    logIn: async (last) => (last && (await isOpen(url, last)) ? last : logIn(url, credentials)),
    events,
    wounds: async () => [
      ...(await processWounds(member)),
      ...ledgerWounds(await events()),
      ...(await auditWounds(variables)),
    ],
    close: async () => {
      await member.end('SIGTERM');
      await log.close();
      await rm(home, { recursive: true, force: true });
    },
  };
};

const isOpen = async (url: string, last: Credentials): Promise<boolean> => {
  const authorization = `Bearer ${last['app-token'] ?? ''}`;
  const headers = { authorization, 'x-forwarded-for': FRIENDLY_ADDRESS };
  return (await fetch(`${url}/api/v1/auth/me`, { headers })).ok;
};

const logIn = async (url: string, bootstrap: Bootstrap): Promise<Credentials> => {
  const { username, password, api_key, renter_key } = bootstrap;
  const response = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': FRIENDLY_ADDRESS },
    body: JSON.stringify({ username, password, app_name: 'attack', scopes: SCOPES }),
  });
  const { access_token } = (await response.json()) as { access_token: string };
  return { 'api-key': api_key, 'renter-key': renter_key, 'app-token': access_token };
};

/** The log level is `error`: an honest failure writes nothing. */
const processWounds = async ({ url, output }: Member): Promise<readonly string[]> => {
  const ready = await fetch(`${url}/health/ready`, asOperator).catch(() => undefined);
  const lines = output.split('\n').filter((line) => line.startsWith('{'));
  return [
    ...(ready?.status === 200 ? [] : [`/health/ready answers ${ready?.status ?? 'nothing'}`]),
    ...lines.map((line) => `it logged ${line.slice(0, 1_000)}`),
  ];
};

const ledgerWounds = (events: readonly RecordedEvent[]): readonly string[] => {
  const { accounts, faults } = auditOf(events);
  const open = [...accounts.values()].flatMap(({ holds }) => [...holds.keys()]);
  return [
    ...faults.map((fault) => `the ledger is broken: ${JSON.stringify(fault)}`),
    ...open.map((hold) => `the hold ${hold} is open`),
  ];
};

/** `quipu ledger check` on the same home, while the gateway runs. */
const auditWounds = async (environment: NodeJS.ProcessEnv): Promise<readonly string[]> => {
  const report = (await runCli(environment, ['ledger', 'check'])) as { balanced: boolean };
  return report.balanced ? [] : [`ledger check fails: ${JSON.stringify(report)}`];
};
