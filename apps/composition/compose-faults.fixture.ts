import path from 'node:path';
import {
  type Deployment,
  type Files,
  deploymentOf,
  isThere,
  type Service,
  variablesIn,
  writtenDeploymentOf,
} from './compose.fixture.js';
import { areas } from './areas.js';
import { SettingsError } from '#platform/runtime/areas/settings.js';
import { readSettings, type Settings, variablesOf } from './settings.js';

const VARIABLES = Object.keys(variablesOf(areas));

/** The folders of an image that need a volume. An image that is not listed is a fault. */
const STATE: Readonly<Record<string, readonly string[]>> = {
  quipu: [],
  'nginxinc/nginx-unprivileged': [],
  'eventstore/es-gencert-cli': [],
  'eventstore/eventstore': ['/var/lib/eventstore', '/var/log/eventstore'],
  'apache/kafka': ['/var/lib/kafka/data'],
  mongo: ['/data/db', '/data/configdb'],
  'prom/prometheus': ['/prometheus'],
  'grafana/grafana': ['/var/lib/grafana'],
};

/** The engines need their vendors' users and folders. */
const CONFINED = ['nginxinc/nginx-unprivileged', 'prom/prometheus', 'grafana/grafana'];

/** The time after the drain to settle interrupted requests and to close. */
const SETTLING_SECONDS = 10;
const EXACT_IMAGE = /^[a-z0-9./-]+:v?\d+\.\d+\.\d+(-[a-z0-9-]+)?(@sha256:[\da-f]{64})?$/;
const SECRET_NAME = /PASSWORD|SECRET|TOKEN|_KEY$/;
const REFERENCE = /^\$\{[A-Z_]+:\?[^}]+\}$/;
const OPERATORS = ['secrets/', 'models', 'blobs'];

interface Described {
  readonly name: string;
  readonly service: Service;
  readonly deployment: Deployment;
}
type Rule = (described: Described) => readonly string[];

const unless = (holds: boolean, fault: string): readonly string[] => (holds ? [] : [fault]);

const repositoryOf = ({ image }: Service): string => image.split(':')[0] ?? '';
const isOurs = (service: Service): boolean => repositoryOf(service) === 'quipu';
const isFleet = ({ name }: Deployment): boolean => name === 'quipu';
/** It prepares the log, and opens nothing else. */
const usesLogAlone = ({ name }: Described): boolean => name === 'log-user';
const isOneShot = ({ restart }: Service): boolean => restart === 'no';

const settingsOf = ({ environment }: Service): Settings | string => {
  try {
    return readSettings(environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
};

const ourSettings: Rule = ({ service }) => {
  if (!isOurs(service)) return [];
  const unknown = Object.keys(service.environment).filter((key) => !VARIABLES.includes(key));
  const settings = settingsOf(service);
  return [
    ...unknown.map((key) => `${key} is no setting`),
    ...(typeof settings === 'string' ? [settings] : []),
  ];
};

/** The hosts that the settings name. Each must be a service within reach. */
const hostsOf = ({ eventStore, readStore, bus }: Settings): readonly string[] => [
  ...[eventStore, readStore].flatMap((target) => ('url' in target ? hostsIn(target.url) : [])),
  ...(bus.kind === 'kafka' ? bus.brokers.map((broker) => broker.split(':')[0] ?? '') : []),
];

const hostsIn = (url: string): readonly string[] => {
  const [, authority = ''] = /^[a-z+]+:\/\/(?:[^@/]*@)?([^/?]+)/.exec(url) ?? [];
  return authority.split(',').map((host) => host.split(':')[0] ?? '');
};

const reachableEngines: Rule = ({ service, deployment }) => {
  const settings = isOurs(service) ? settingsOf(service) : '';
  if (typeof settings === 'string') return [];
  return hostsOf(settings).flatMap((host) => {
    const engine = deployment.services[host];
    if (!engine) return [`${host} is no service`];
    const shares = engine.networks.some((network) => service.networks.includes(network));
    return [
      ...unless(shares, `${host} is on none of its networks`),
      ...unless(host in service.depends_on, `it does not wait for ${host}`),
    ];
  });
};

/** Processes of a fleet with a log each would start, and lose the log with the container. */
const sharedEngines: Rule = (described) => {
  const { name, service, deployment } = described;
  const settings = isOurs(service) ? settingsOf(service) : '';
  if (typeof settings === 'string' || !isFleet(deployment) || usesLogAlone(described)) return [];
  const { eventStore, readStore, bus } = settings;
  const isShared = eventStore.kind !== 'sqlite' && readStore.kind !== 'sqlite';
  return [
    ...unless(isShared || name === 'worker', 'its stores lie in its container'),
    ...unless(bus.kind !== 'memory', 'its bus ends with the process'),
  ];
};

const masterKey: Rule = (described) => {
  const { service, deployment } = described;
  if (!isOurs(service) || !isFleet(deployment) || usesLogAlone(described)) return [];
  const file = service.environment['QUIPU_MASTER_KEY_FILE'];
  const isMounted = service.secrets.includes('quipu_master_key');
  return unless(isMounted && file === '/run/secrets/quipu_master_key', 'it has another master key');
};

/** A process that serves models has the operator's catalog and the keys of its upstreams. */
const upstreams: Rule = ({ name, service }) => {
  if (!isOurs(service) || !['gateway', 'quipu'].includes(name) || isOneShot(service)) return [];
  const isMounted = service.volumes.some(({ target }) => target === '/app/catalog.yaml');
  const hasKeys = service.env_file.some((file) => file.path === './secrets/upstreams.env');
  return [
    ...unless(isMounted, 'it has no catalog of the operator'),
    ...unless(hasKeys, 'it has no keys of upstreams'),
  ];
};

const drain: Rule = ({ service }) => {
  const settings = isOurs(service) ? settingsOf(service) : '';
  if (typeof settings === 'string' || isOneShot(service)) return [];
  const isEnough = service.stop_grace_period >= settings.drainSeconds + SETTLING_SECONDS;
  return unless(isEnough, 'its stop_grace_period is over before its drain');
};

const confined: Rule = ({ service }) => {
  if (!isOurs(service) && !CONFINED.includes(repositoryOf(service))) return [];
  return [
    ...unless(service.read_only, 'its root file system can be written'),
    ...unless(service.cap_drop.includes('ALL'), 'it keeps capabilities'),
    ...unless(service.init || !isOurs(service), 'no init process reaps its children'),
    ...unless(!service.user.startsWith('0') && service.user !== 'root', 'it runs as root'),
  ];
};

const pinned: Rule = ({ service: { image } }) =>
  unless(EXACT_IMAGE.test(image), `${image} is not an exact version`);

const healthy: Rule = ({ service }) => {
  const hasCheck = (service.healthcheck?.test.length ?? 0) > 0;
  return unless(hasCheck || isOneShot(service), 'it has no health check');
};

const waits: Rule = ({ service, deployment }) =>
  Object.entries(service.depends_on).flatMap(([other, { condition }]) => {
    const target = deployment.services[other];
    if (!target) return [`it waits for ${other}, which is no service`];
    const right = isOneShot(target) ? 'service_completed_successfully' : 'service_healthy';
    return unless(condition === right, `it waits for ${other} to be ${condition}`);
  });

const state: Rule = ({ service, deployment }) => {
  const known = STATE[repositoryOf(service)];
  if (!known) return ['STATE does not list its image'];
  const settings = isOurs(service) ? settingsOf(service) : '';
  const holdsLog = isOurs(service) && typeof settings !== 'string' && !isFleet(deployment);
  const folders = holdsLog ? [settings.home] : known;
  const named = service.volumes.filter(({ isNamed }) => isNamed);
  return [
    ...folders.flatMap((folder) =>
      unless(
        named.some(({ target, isReadOnly }) => target === folder && !isReadOnly),
        `${folder} is lost with the container`,
      ),
    ),
    ...named.flatMap(({ source }) =>
      unless(source in deployment.volumes, `there is no volume ${source}`),
    ),
  ];
};

const present: Rule = ({ service, deployment }) => {
  const mounted = service.volumes.filter(({ isNamed }) => !isNamed).map(({ source }) => source);
  const built = service.build ? [path.join(service.build.context, service.build.dockerfile)] : [];
  const optional = service.env_file.filter(({ required }) => required).map((file) => file.path);
  const files = [...mounted, ...built, ...optional].map((file) => path.normalize(file));
  const ours = files.filter((file) => !OPERATORS.some((folder) => file.startsWith(folder)));
  return [
    ...ours.flatMap((file) => unless(isThere(file), `there is no file ${file}`)),
    ...service.secrets.flatMap((one) =>
      unless(one in deployment.secrets, `there is no secret ${one}`),
    ),
  ];
};

const unpublished: Rule = ({ name, service, deployment }) => {
  const entrances = [isFleet(deployment) ? 'nginx' : 'quipu', 'grafana'];
  return unless(service.ports.length === 0 || entrances.includes(name), 'it publishes a port');
};

const RULES: readonly Rule[] = [
  ourSettings,
  reachableEngines,
  sharedEngines,
  masterKey,
  upstreams,
  drain,
  confined,
  pinned,
  healthy,
  waits,
  state,
  present,
  unpublished,
];

/** Checks the uninterpolated files: interpolation puts passwords in clear text. */
const clearText: Rule = ({ service: { environment } }) =>
  Object.entries(environment).flatMap(([key, value]) => [
    ...unless(
      !SECRET_NAME.test(key) || key.endsWith('_FILE') || REFERENCE.test(value),
      `${key} holds a secret`,
    ),
    ...[...value.matchAll(/:\/\/[^:/]+:([^@]+)@/g)].flatMap(([, password = '']) =>
      unless(REFERENCE.test(password), `${key} holds a password`),
    ),
  ]);

const wholeFaults = ({ services, volumes, networks, secrets }: Deployment): readonly string[] => {
  const used = Object.values(services).flatMap((service) => service.volumes);
  const engines = Object.entries(services).filter(([, { image }]) =>
    /eventstore:|kafka|mongo/.test(image),
  );
  return [
    ...Object.keys(volumes).flatMap((volume) =>
      unless(
        used.some(({ source }) => source === volume),
        `no service uses the volume ${volume}`,
      ),
    ),
    ...engines.flatMap(([name, service]) =>
      service.networks.flatMap((network) =>
        unless(networks[network]?.internal ?? false, `${name}: ${network} leads outside`),
      ),
    ),
    ...Object.entries(secrets).flatMap(([name, { file }]) =>
      unless(file.startsWith('./secrets/'), `the secret ${name} may be committed`),
    ),
  ];
};

const variableFaults = (
  files: Files,
  names: readonly string[],
  variables: Readonly<Record<string, string>>,
): readonly string[] => {
  const used = variablesIn(names.map((name) => files[name] ?? '').join('\n'));
  return [...used].flatMap(([name, without]) => [
    ...unless(name in variables, `${name} is not in example.env`),
    ...unless(without !== '', `\${${name}} has neither a default nor an error`),
  ]);
};

/** The faults of the deployment that Compose would start from these files. */
export const faultsOf = (
  files: Files,
  names: readonly string[],
  variables: Readonly<Record<string, string>>,
): readonly string[] => {
  const faultsIn = (deployment: Deployment, rules: readonly Rule[]): readonly string[] =>
    Object.entries(deployment.services).flatMap(([name, service]) =>
      rules.flatMap((rule) =>
        rule({ name, service, deployment }).map((fault) => `${name}: ${fault}`),
      ),
    );
  const deployment = deploymentOf(files, names, variables);
  return [
    ...faultsIn(deployment, RULES),
    ...faultsIn(writtenDeploymentOf(files, names), [clearText]),
    ...wholeFaults(deployment),
    ...variableFaults(files, names, variables),
  ];
};
