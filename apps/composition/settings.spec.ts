import { readdir, readFile } from 'node:fs/promises';
import { availableParallelism, homedir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { CATALOG_SETTINGS } from '#areas/catalog/catalog.settings.js';
import { IDENTITY_SETTINGS } from '#areas/identity/identity.settings.js';
import { KEEP_ALIVE_MS } from '#areas/streams/streams.settings.js';
import { REQUEST_LIMITS } from '#areas/inference/ports.js';
import { PAID_WORK_SETTINGS } from '#platform/ledger/paid-work/paid-work.settings.js';
import { SettingsError } from '#platform/runtime/areas/settings.js';
import { listeningUrl, readSettings, withoutSecrets } from './settings.js';
import { COMPOSE_VARIABLES } from './unknown-variables.js';

const TENANT_AT_Q = { baseUrl: 'https://q.example' };

const messageOf = (environment: NodeJS.ProcessEnv): string => {
  try {
    readSettings(environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  throw new Error('accepted');
};

describe('settings', () => {
  it('all have a default', () => {
    const home = path.resolve('.quipu');
    const { instance, ofAreas, ...settings } = readSettings({});
    expect(instance).toMatch(/^[a-z][a-z0-9.-]{0,62}$/);
    expect(settings).toEqual({
      host: '127.0.0.1',
      port: 8080,
      operations: { host: '127.0.0.1', port: undefined, token: undefined },
      home,
      masterKeyFile: path.join(home, 'master.key'),
      eventStore: { kind: 'sqlite', file: path.join(home, 'events.db') },
      readStore: { kind: 'sqlite', file: path.join(home, 'views.db') },
      bus: { kind: 'memory' },
      blobs: { kind: 'file', folder: path.join(home, 'blobs') },
      workerEngines: undefined,
      region: null,
      rigName: undefined,
      // On two cores one.
      processes: Math.min(Math.max(availableParallelism() - 1, 1), 8),
      hasProjectorThread: availableParallelism() > 2,
      lease: { ttlMs: 10_000, renewMs: 3_000, election: { kind: 'log' } },
      grpc: undefined,
      requestRates: { perAccount: 0, perKey: 0 },
      trustProxy: 0,
      corsOrigins: [],
      logLevel: 'info',
      mail: null,
      drainSeconds: 30,
      bodyLimitBytes: 4_194_304,
      receivingBytesMax: 67_108_864,
      receiveMsMax: 60_000,
      uploadMsMax: 3_600_000,
      uploadIdleMsMax: 30_000,
    });
    expect(ofAreas.get(CATALOG_SETTINGS)).toMatchObject({
      localModelsFolder: path.join(home, 'models'),
    });
    expect(ofAreas.get(IDENTITY_SETTINGS)).toMatchObject({
      tenant: { baseUrl: 'http://127.0.0.1:8080' },
    });
    expect(ofAreas.get(REQUEST_LIMITS)).toEqual({ requestMsMax: 600_000 });
    expect(ofAreas.get(PAID_WORK_SETTINGS)).toEqual({ settleMsMax: 60_000 });
    expect(ofAreas.get(KEEP_ALIVE_MS)).toBe(15_000);
  });

  it.each([
    ['QUIPU_CATALOG', '/etc/catalog.yaml', CATALOG_SETTINGS, { catalogFile: '/etc/catalog.yaml' }],
    ['QUIPU_WEB_URL', 'https://q.example', IDENTITY_SETTINGS, { tenant: TENANT_AT_Q }],
    ['QUIPU_REQUEST_SECONDS', '5', REQUEST_LIMITS, { requestMsMax: 5_000 }],
    ['QUIPU_SETTLE_SECONDS', '5', PAID_WORK_SETTINGS, { settleMsMax: 5_000 }],
  ])('of the areas read %s', (name, value, token, expected) => {
    expect(readSettings({ [name]: value }).ofAreas.get(token)).toMatchObject(expected);
  });

  it('tell an area whether the log is on another machine', () => {
    const { ofAreas } = readSettings({ QUIPU_EVENT_STORE: 'esdb://log:2113?tls=false' });
    expect(ofAreas.get(CATALOG_SETTINGS)).toMatchObject({ rateCardsPollMs: 250 });
    expect(ofAreas.get(IDENTITY_SETTINGS)).toMatchObject({ credentialsFreshMs: 250 });
    expect(readSettings({}).ofAreas.get(IDENTITY_SETTINGS)).not.toHaveProperty(
      'credentialsFreshMs',
    );
  });

  it('treat an empty variable as unset', () => {
    const named = { QUIPU_INSTANCE: 'one' };
    expect(readSettings({ ...named, PORT: '', QUIPU_CATALOG: '' })).toEqual(readSettings(named));
  });

  it.each([
    ['PORT', '0', { port: 0 }],
    ['PORT', '65535', { port: 65_535 }],
    ['HOST', '::', { host: '::', operations: { host: '::' } }],
    ['QUIPU_OPERATIONS_PORT', '9090', { operations: { host: '127.0.0.1', port: 9_090 } }],
    ['QUIPU_OPERATIONS_HOST', '::1', { host: '127.0.0.1', operations: { host: '::1' } }],
    ['QUIPU_OPERATIONS_TOKEN', 'x'.repeat(16), { operations: { token: 'x'.repeat(16) } }],
    ['HOST', 'Quipu.example', { host: 'Quipu.example' }],
    [
      'QUIPU_HOME',
      '/srv/quipu',
      { home: '/srv/quipu', eventStore: { kind: 'sqlite', file: '/srv/quipu/events.db' } },
    ],
    ['QUIPU_HOME', '~/q', { home: path.join(homedir(), 'q') }],
    ['QUIPU_MASTER_KEY_FILE', '/run/secrets/quipu', { masterKeyFile: '/run/secrets/quipu' }],
    [
      'QUIPU_EVENT_STORE',
      'sqlite:/data/log.db',
      { eventStore: { kind: 'sqlite', file: '/data/log.db' } },
    ],
    ...['esdb', 'esdb+discover', 'kurrentdb', 'kurrentdb+discover'].map(
      (scheme) =>
        [
          'QUIPU_EVENT_STORE',
          `${scheme}://admin:secret@log:2113?tls=true`,
          {
            eventStore: {
              kind: 'eventstoredb',
              url: `${scheme}://admin:secret@log:2113?tls=true`,
              prefix: '',
            },
          },
        ] as const,
    ),
    [
      'QUIPU_READ_STORE',
      'sqlite:~/views.db',
      {
        readStore: { kind: 'sqlite', file: path.join(homedir(), 'views.db') },
        home: path.resolve('.quipu'),
      },
    ],
    ...['mongodb://views:27017/quipu', 'mongodb+srv://views/quipu'].map(
      (url) => ['QUIPU_READ_STORE', url, { readStore: { kind: 'mongodb', url } }] as const,
    ),
    ['QUIPU_BUS', 'memory:', { bus: { kind: 'memory' } }],
    [
      'QUIPU_BUS',
      'kafka://one:9092,two',
      { bus: { kind: 'kafka', client: 'kafkajs', brokers: ['one:9092', 'two:9092'] } },
    ],
    [
      'QUIPU_BUS',
      'kafka+platformatic://one:9092',
      { bus: { kind: 'kafka', client: 'platformatic', brokers: ['one:9092'] } },
    ],
    ['QUIPU_BLOBS', 'file:/data/blobs', { blobs: { kind: 'file', folder: '/data/blobs' } }],
    ['QUIPU_BLOBS', 'file:~/b', { blobs: { kind: 'file', folder: path.join(homedir(), 'b') } }],
    [
      'QUIPU_BLOBS',
      's3://quipu/prod?region=eu-west-1',
      {
        blobs: {
          kind: 's3',
          bucket: 'quipu',
          prefix: 'prod/',
          region: 'eu-west-1',
          pathStyle: false,
        },
      },
    ],
    ['QUIPU_INSTANCE', 'gateway-1', { instance: 'gateway-1' }],
    ['QUIPU_WORKER_ENGINES', 'text, count', { workerEngines: ['text', 'count'] }],
    [
      'QUIPU_LEASE_TTL_MS',
      '30000',
      { lease: { ttlMs: 30_000, renewMs: 3_000, election: { kind: 'log' } } },
    ],
    [
      'QUIPU_LEASE_RENEW_MS',
      '500',
      { lease: { ttlMs: 10_000, renewMs: 500, election: { kind: 'log' } } },
    ],
    [
      'QUIPU_ELECTION',
      'etcd://a:2379,b:2379/fleet-7',
      {
        lease: {
          ttlMs: 10_000,
          renewMs: 3_000,
          election: {
            kind: 'etcd',
            endpoints: ['http://a:2379', 'http://b:2379'],
            name: 'fleet-7',
          },
        },
      },
    ],
    ['QUIPU_TRUST_PROXY', '2', { trustProxy: 2 }],
    ['QUIPU_TRUST_PROXY', '10.0.0.0/8, ::1', { trustProxy: ['10.0.0.0/8', '::1'] }],
    [
      'QUIPU_CORS_ORIGINS',
      'https://app.example.org, http://localhost:3000',
      { corsOrigins: ['https://app.example.org', 'http://localhost:3000'] },
    ],
    ['QUIPU_LOG_LEVEL', 'debug', { logLevel: 'debug' }],
    ['QUIPU_DRAIN_SECONDS', '5', { drainSeconds: 5 }],
    ['QUIPU_BODY_LIMIT_BYTES', '1024', { bodyLimitBytes: 1_024 }],
    ['QUIPU_RECEIVING_BYTES', '65536', { receivingBytesMax: 65_536 }],
    ['QUIPU_RECEIVE_SECONDS', '5', { receiveMsMax: 5_000 }],
    ['QUIPU_UPLOAD_SECONDS', '90', { uploadMsMax: 90_000 }],
    ['QUIPU_UPLOAD_IDLE_SECONDS', '9', { uploadIdleMsMax: 9_000 }],
  ])('%s=%s', (name, value, settings) => {
    expect(readSettings({ [name]: value })).toMatchObject(settings);
  });

  it.each([
    ['PORT', '70000'],
    ['PORT', '-1'],
    ['PORT', 'http'],
    ['PORT', '80.5'],
    ['PORT', ' '],
    ['PORT', ' 80'],
    ['PORT', '1e3'],
    ['PORT', '0x1F90'],
    ['PORT', '+80'],
    ['PORT', '9'.repeat(400)],
    ['HOST', ' '],
    ['QUIPU_HOME', ' '],
    ['QUIPU_MASTER_KEY_FILE', ' '],
    ['HOST', '999.1.1.1'],
    ['HOST', 'a/b'],
    ['HOST', 'a:80'],
    ['QUIPU_OPERATIONS_PORT', '9090/tcp'],
    ['QUIPU_OPERATIONS_HOST', 'a/b'],
    ['QUIPU_OPERATIONS_TOKEN', 'x'.repeat(15)],
    ['QUIPU_OPERATIONS_TOKEN', 'two words of a token'],
    ['QUIPU_TRUST_PROXY', 'nginx'],
    ['QUIPU_TRUST_PROXY', '-1'],
    ['QUIPU_TRUST_PROXY', '10.0.0.0/33'],
    ['QUIPU_TRUST_PROXY', '10.0.0.0/8,'],
    ['QUIPU_CORS_ORIGINS', '*'],
    ['QUIPU_CORS_ORIGINS', 'https://app.example.org/'],
    ['QUIPU_CORS_ORIGINS', 'app.example.org,'],
    ['QUIPU_CORS_ORIGINS', 'file:///tmp'],
    ['QUIPU_EVENT_STORE', 'http://localhost:2113'],
    ['QUIPU_EVENT_STORE', 'esdb://'],
    ['QUIPU_EVENT_STORE', 'sqlite:'],
    ['QUIPU_READ_STORE', 'postgres://localhost'],
    ['QUIPU_READ_STORE', 'mongodb://'],
    ['QUIPU_BUS', 'amqp://localhost'],
    ['QUIPU_BUS', 'kafka://'],
    ['QUIPU_BUS', 'memory:shared'],
    ['QUIPU_BLOBS', 'file:'],
    ['QUIPU_BLOBS', '/data/blobs'],
    ['QUIPU_BLOBS', 's3://Quipu'],
    ['QUIPU_INSTANCE', 'Gateway 1'],
    ['QUIPU_INSTANCE', '1-gateway'],
    ['QUIPU_WORKER_ENGINES', 'text,'],
    ['QUIPU_LEASE_TTL_MS', '999'],
    ['QUIPU_LEASE_RENEW_MS', '99'],
    ['QUIPU_LEASE_RENEW_MS', '3334'],
    ['QUIPU_GRPC_PORT', 'esdb'],
    ['QUIPU_GRPC_INSECURE', 'yes'],
    ['QUIPU_WEB_URL', 'quipu'],
    ['QUIPU_WEB_URL', 'ftp://quipu.example'],
    ['QUIPU_SMTP_URL', 'https://mail.example'],
    ['QUIPU_MAIL_FROM', 'quipu'],
    ['QUIPU_LOG_LEVEL', 'loud'],
    ['QUIPU_DRAIN_SECONDS', '0'],
    ['QUIPU_REQUEST_SECONDS', 'forever'],
    ['QUIPU_SETTLE_SECONDS', '0'],
    ['QUIPU_KEEP_ALIVE_SECONDS', '86401'],
    ['QUIPU_BODY_LIMIT_BYTES', '1'],
    ['QUIPU_RECEIVING_BYTES', '65535'],
    ['QUIPU_RECEIVE_SECONDS', '0'],
  ])('name the wrong variable: %s=%s', (name, value) => {
    expect(messageOf({ [name]: value })).toMatch(new RegExp(`^bad settings\\n  ${name}: .+$`));
  });

  it('need a sender of mails with a mail server', () => {
    const message = messageOf({ QUIPU_SMTP_URL: 'smtp://mail.example' });
    expect(message).toBe('bad settings\n  QUIPU_MAIL_FROM: required with QUIPU_SMTP_URL');
  });

  it.each([
    ['QUIPU_PORT', 'PORT'],
    ['QUIPU_GRPC_PRT', 'QUIPU_GRPC_PORT'],
    ['QUIPU_DRAIN_SECOND', 'QUIPU_DRAIN_SECONDS'],
    ['QUIPU_TRUST_PROXIES', 'QUIPU_TRUST_PROXY'],
    ['quipu_home', 'QUIPU_HOME'],
    ['QUIPU_REQUESTS_SECOND', 'QUIPU_REQUEST_SECONDS'],
  ])('reject %s, which no setting has, with the nearest name', (name, nearest) => {
    expect(messageOf({ [name]: '1' })).toBe(
      `bad settings\n  ${name}: no setting has this name; the nearest is ${nearest}`,
    );
  });

  it('leave the names of others alone, and names that only the compose files read', async () => {
    const others = { PATH: '/bin', QUIPUS: '1', QUIPU_UNSET: '', QUIPU_TEST_CACHE: '/cache' };
    const folder = path.resolve(import.meta.dirname, '../../docker');
    const files = (await readdir(folder)).filter((file) => file.endsWith('.yaml'));
    const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));
    const used = texts.join('').match(/(?<=\$\{)QUIPU_[A-Z_]+/g) ?? [];
    const ofCompose = Object.fromEntries(COMPOSE_VARIABLES.map((name) => [name, '1']));
    expect(() => readSettings({ ...others, ...ofCompose })).not.toThrow();
    const settings = ['QUIPU_BLOBS', 'QUIPU_WEB_URL'];
    expect(new Set(used)).toEqual(new Set([...COMPOSE_VARIABLES, ...settings]));
  });

  const served = { QUIPU_GRPC_PORT: '2113' };
  const insecure = { ...served, QUIPU_GRPC_INSECURE: '1' };
  const tls = { QUIPU_GRPC_TLS_CERT: '/tls/cert.pem', QUIPU_GRPC_TLS_KEY: '/tls/key.pem' };

  it('serve the embedded store in plain text on a loopback address, or with TLS anywhere', () => {
    expect(readSettings(insecure).grpc).toEqual({ host: '127.0.0.1', port: 2_113, tls: null });
    expect(readSettings({ ...insecure, HOST: '0.0.0.0', QUIPU_GRPC_HOST: '::1' }).grpc).toEqual({
      host: '::1',
      port: 2_113,
      tls: null,
    });
    expect(readSettings({ ...served, ...tls, HOST: '0.0.0.0' }).grpc).toEqual({
      host: '0.0.0.0',
      port: 2_113,
      tls: { certificateFile: '/tls/cert.pem', keyFile: '/tls/key.pem' },
    });
  });

  it.each([
    ['QUIPU_GRPC_TLS_CERT', served],
    ['QUIPU_GRPC_TLS_KEY', { ...served, QUIPU_GRPC_TLS_CERT: '/tls/cert.pem' }],
    ['QUIPU_GRPC_TLS_CERT', { ...served, QUIPU_GRPC_TLS_KEY: '/tls/key.pem' }],
    ['QUIPU_GRPC_INSECURE', { ...insecure, ...tls }],
    ['QUIPU_GRPC_INSECURE', { ...insecure, HOST: '0.0.0.0' }],
    ['QUIPU_GRPC_INSECURE', { ...insecure, QUIPU_GRPC_HOST: 'quipu.example' }],
    ['QUIPU_GRPC_PORT', { ...insecure, QUIPU_EVENT_STORE: 'esdb://log:2113' }],
    ['QUIPU_PROCESSES', { QUIPU_PROCESSES: '2', QUIPU_EVENT_STORE: 'esdb://log:2113' }],
    ['QUIPU_PROCESSES', { QUIPU_PROCESSES: '2', QUIPU_READ_STORE: 'mongodb://views' }],
  ])('reject contradictions, by name: %s', (name, environment) => {
    expect(messageOf(environment)).toMatch(new RegExp(`^bad settings\\n  ${name}: .+$`));
  });

  it.each([
    ['QUIPU_EVENT_STORE', 'http://admin:hunter2@log'],
    ['QUIPU_READ_STORE', 'mongo://admin:hunter2@views'],
    ['QUIPU_BUS', 'kafka://admin:hunter2@one:port'],
    ['QUIPU_BUS', 'kafka://admin:hunter2@one:9092?mechanism=none'],
    ['QUIPU_BLOBS', 's3://quipu?endpoint=https://admin:hunter2@s3'],
  ])('never repeat a password: %s=%s', (name, value) => {
    expect(messageOf({ [name]: value })).not.toContain('hunter2');
  });

  it('run one process where the stores are on servers', () => {
    expect(readSettings({ QUIPU_READ_STORE: 'mongodb://views' }).processes).toBe(1);
    expect(readSettings({ QUIPU_PROCESSES: '3' }).processes).toBe(3);
  });

  it('run the projector in a thread or not, as they say', () => {
    expect(readSettings({ QUIPU_PROJECTOR_THREAD: '1' }).hasProjectorThread).toBe(true);
    expect(readSettings({ QUIPU_PROJECTOR_THREAD: '0' }).hasProjectorThread).toBe(false);
  });

  it('hide users and passwords of URLs in a text', () => {
    const text = withoutSecrets('cannot reach mongodb://admin:hunter2@one,two/quipu: refused');
    expect(text).toBe('cannot reach mongodb://***@one,two/quipu: refused');
    expect(withoutSecrets('http://one/a@b')).toBe('http://one/a@b');
  });

  it.each([
    ['127.0.0.1', 'http://127.0.0.1:8080'],
    ['::1', 'http://[::1]:8080'],
    ['fe80::1%eth0', 'http://[fe80::1]:8080'],
    ['localhost', 'http://localhost:8080'],
  ])('build the URL of the host %s', (host, url) => {
    expect(listeningUrl({ host, port: 8080 })).toBe(url);
  });

  it('name every wrong variable', () => {
    const message = messageOf({ PORT: 'x', QUIPU_BUS: 'x', QUIPU_HOME: '/srv' });
    expect(message).toContain('\n  PORT: ');
    expect(message).toContain('\n  QUIPU_BUS: ');
    expect(message).not.toContain('QUIPU_HOME');
  });
});
