import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { faultsOf } from './compose-faults.fixture.js';
import { deploymentOf, DOCKER, type Files, readFiles } from './compose.fixture.js';

const FLEET = ['compose.yaml'];
const CLUSTER = ['compose.yaml', 'compose.eventstoredb-cluster.yaml'];
const TLS = ['compose.yaml', 'compose.tls.yaml'];
const STANDALONE = ['compose.standalone.yaml'];

const MONITORING = 'compose.monitoring.yaml';

const files = readFiles(...new Set([...FLEET, ...CLUSTER, ...TLS, ...STANDALONE, MONITORING]));

/** The `.env` of an operator, with passwords. */
const variables = Object.fromEntries(
  readFileSync(path.join(DOCKER, 'example.env'), 'utf8')
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line))
    .map((line): [string, string] => [line.split('=')[0] ?? '', line.split('=')[1] || '0a1b2c']),
);

const planted = (name: string, right: string | RegExp, wrong: string): Files => {
  const text = files[name] ?? '';
  const changed = text.replace(right, wrong);
  if (changed === text) throw new Error(`${name} has no ${right}`);
  return { ...files, [name]: changed };
};

describe('the compose files', () => {
  it.each([
    ['the fleet', FLEET],
    ['the fleet on a cluster of EventStoreDB', CLUSTER],
    ['the fleet in TLS', TLS],
    ['the fleet on a cluster and in TLS', [...CLUSTER, 'compose.tls.yaml']],
    ['one process', STANDALONE],
  ])('have no fault: %s', (_, names) => {
    expect(faultsOf(files, names, variables)).toEqual([]);
  });

  it('start enough processes of each kind to survive the loss of one', () => {
    const { services } = deploymentOf(files, FLEET, variables);
    const replicas = Object.entries(services).map(([name, { deploy }]) => [name, deploy.replicas]);
    expect(Object.fromEntries(replicas)).toEqual({
      nginx: 1,
      gateway: 2,
      projector: 2,
      worker: 2,
      quipu: 1,
      eventstore: 1,
      kafka: 1,
      mongodb: 1,
      prometheus: 1,
      grafana: 1,
    });
  });

  it('run the same EventStoreDB alone and as a cluster', () => {
    const { services } = deploymentOf(files, CLUSTER, variables);
    const nodes = ['eventstore', 'eventstore-2', 'eventstore-3'].map((name) => services[name]);
    const alone = deploymentOf(files, FLEET, variables).services['eventstore'];
    expect(new Set(nodes.map((node) => node?.image))).toEqual(new Set([alone?.image]));
    const insecure = nodes.map((node) => node?.environment['EVENTSTORE_INSECURE']);
    expect(insecure).toEqual(['false', 'false', 'false']);
    const logs = nodes.map((node) => node?.volumes.find(({ target }) => target.includes('/lib/')));
    expect(new Set(logs.map((log) => log?.source)).size).toBe(3);
  });

  it('run the version of this tree by default', () => {
    const { version } = JSON.parse(readFileSync(path.join(DOCKER, '../package.json'), 'utf8')) as {
      readonly version: string;
    };
    const written = [...FLEET, ...STANDALONE].map((name) => files[name]).join('\n');
    const tags = [...written.matchAll(/quipu:\$\{QUIPU_VERSION:-([^}]+)\}/g)].map(([, tag]) => tag);
    expect([...tags, variables['QUIPU_VERSION']]).toEqual([version, version, version]);
  });

  it('keep files of operators out of git', () => {
    const ignored = readFileSync(path.join(DOCKER, '.gitignore'), 'utf8').split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['.env', 'secrets/', 'models/', 'blobs/']));
  });
});

const PASSWORD = /\$\{MONGODB_PASSWORD:\?[^}]*\}/;

/** Name, original text, replacement, expected fault. */
const VIOLATIONS: readonly (readonly [string, string | RegExp, string, string])[] = [
  ['a misspelt variable', 'QUIPU_TRUST_PROXY:', 'QUIPU_TRUST_PROXIES:', 'is no setting'],
  ['a bad value', "QUIPU_TRUST_PROXY: '1'", 'QUIPU_TRUST_PROXY: nginx', 'QUIPU_TRUST_PROXY: '],
  ['a bad engine', 'kafka://kafka', 'amqp://kafka', 'QUIPU_BUS: '],
  [
    'an engine without a service',
    'esdb://eventstore:',
    'esdb://eventstor:',
    'eventstor is no service',
  ],
  ['a missing dependency', '  kafka: { condition: service_healthy }\n', '', 'wait for kafka'],
  ['an engine without a common network', '[edge, engines]', '[edge]', 'is on none of its networks'],
  ['no event store', /QUIPU_EVENT_STORE: .*/, "QUIPU_EVENT_STORE: ''", 'in its container'],
  ['no bus', 'kafka://kafka:9092', "'memory:'", 'its bus ends with the process'],
  ['a key of its own', '/run/secrets/quipu_master_key', '/tmp/key', 'another master key'],
  ['no key', 'secrets: [quipu_master_key]', 'secrets: []', 'another master key'],
  ['a secret without a file', /quipu_master_key:\n/, 'master_key:\n', 'no secret quipu_master_key'],
  ['a secret in the tree', './secrets/master.key', './master.key', 'may be committed'],
  ['a password in clear text', PASSWORD, 'hunter2', 'QUIPU_READ_STORE holds a password'],
  [
    'another password in clear text',
    /(PASSWORD: )\$\{MONGODB_PASSWORD:\?[^}]*\}/,
    '$1hunter2',
    'MONGO_INITDB_ROOT_PASSWORD holds a secret',
  ],
  ['a variable without default', ':-127.0.0.1:8080}:8080', '}:8080', 'QUIPU_PUBLISH} has neither'],
  [
    'an undocumented variable',
    '{QUIPU_MODELS:',
    '{QUIPU_FOLDER:',
    'QUIPU_FOLDER is not in example.env',
  ],
  ['the latest image', /kafka:4\.1\.2\S*/, 'kafka:latest', 'is not an exact version'],
  ['an inexact version', 'mongo:8.0.26', 'mongo:8.0', 'is not an exact version'],
  ['an unknown image', 'mongo:8.0.26', 'postgres:18.1.0', 'STATE does not list its image'],
  ['no health check', /healthcheck:\n {6}test: \[CMD, mongosh.*\n/, 'healthcheck:\n', 'no health'],
  [
    'a start before its dependency',
    'gateway: { condition: service_healthy',
    'gateway: { condition: service_started',
    'gateway to be service_started',
  ],
  [
    'state in a container',
    /.*\/var\/lib\/eventstore\n/,
    '',
    'eventstore is lost with the container',
  ],
  ['an undeclared volume', /\n {2}kafka-data: \{\}/, '', 'there is no volume kafka-data'],
  ['an unused volume', '\nvolumes:\n', '\nvolumes:\n  spare: {}\n', 'no service uses the volume'],
  ['a file that is not there', './nginx.conf', './ngnix.conf', 'there is no file ngnix.conf'],
  ['no Dockerfile', 'docker/Dockerfile', 'Dockerfile', 'there is no file ../Dockerfile'],
  [
    'engines on a public network',
    'internal: true',
    'internal: false',
    'kafka: engines leads outside',
  ],
  [
    'an engine with a published port',
    '    image: mongo',
    "    ports: ['27017:27017']\n    image: mongo",
    'publishes a port',
  ],
  [
    'a short stop_grace_period',
    'stop_grace_period: 45s',
    'stop_grace_period: 30s',
    'over before its drain',
  ],
  ['a longer drain', "DRAIN_SECONDS: '30'", "DRAIN_SECONDS: '60'", 'over before its drain'],
  ['a process of root', /user: \$.*/, "user: '0:0'", 'it runs as root'],
  ['a writable file system', 'read_only: true', 'read_only: false', 'can be written'],
  ['capabilities', 'cap_drop: [ALL]', 'cap_drop: []', 'it keeps capabilities'],
  ['no init', 'init: true', 'init: false', 'no init process reaps its children'],
];

describe('faults of compose files', () => {
  it.each(VIOLATIONS)('are found: %s', (_, right, wrong, fault) => {
    const faults = faultsOf(planted('compose.yaml', right, wrong), FLEET, variables);
    expect(faults).toContainEqual(expect.stringContaining(fault));
  });

  it('are found in an override file', () => {
    const changed = planted(
      'compose.eventstoredb-cluster.yaml',
      '@eventstore:2113,',
      '@eventstor:2113,',
    );
    expect(faultsOf(changed, CLUSTER, variables)).toContain('gateway: eventstor is no service');
  });

  it.each([
    ['quipu-home:/var', 'quipu-home:/srv', '/var/lib/quipu is lost with the container'],
    [':/app/catalog.yaml', ':/app/models.yaml', 'it has no catalog of the operator'],
    ['./secrets/upstreams.env', './secrets/blobs.env', 'it has no keys of upstreams'],
  ])('are found in a single process: %s', (right, wrong, fault) => {
    const changed = planted('compose.standalone.yaml', right, wrong);
    expect(faultsOf(changed, STANDALONE, variables)).toEqual([`quipu: ${fault}`]);
  });

  it('include the owner and mode of a secret, which Compose ignores', () => {
    const long = '{ source: quipu_master_key, mode: 0400 }';
    const changed = planted('compose.yaml', '[quipu_master_key]', `[${long}]`);
    expect(() => faultsOf(changed, FLEET, variables)).toThrow(/expected a string/);
  });

  it('include missing limits', () => {
    const changed = planted('compose.yaml', "limits: { cpus: '1', memory: 256m }", 'limits: {}');
    expect(() => faultsOf(changed, FLEET, variables)).toThrow(/memory/);
  });
});
