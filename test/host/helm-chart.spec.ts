import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseAllDocuments, stringify } from 'yaml';
import { z } from 'zod';
import { areas } from '#apps/composition/areas.js';
import { withConfigFile } from '#apps/composition/config-file.js';
import { readSettings, variablesOf } from '#apps/composition/settings.js';
import { type Standalone } from '#apps/processes/standalone.process.js';
import { CHART_SETTINGS } from '../../tools/settings/settings-docs.js';
import { loadQuipu } from '../end-to-end/loaded-quipu.js';
import { scriptedCatalog } from '../end-to-end/quipu.harness.js';
import { FIRST_BUILD_MS_MAX, goProgram } from '../servers/go-program.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const CHART = path.join(ROOT, 'helm/quipu');
const CATALOG = scriptedCatalog('http://127.0.0.1:9/v1');

/** Values of operators. */
const DEPLOYMENTS = {
  standalone: {},
  'standalone with a key, a catalog and an ingress': {
    secret: 'quipu',
    catalog: CATALOG,
    config: { trust_proxy: 1, body_limit_bytes: 2_000_000, cors_origins: ['https://a.example'] },
    ingress: { enabled: true, className: 'nginx', host: 'api.example', tlsSecret: 'tls' },
    standalone: { persistence: { storageClassName: 'fast' } },
  },
  fleet: {
    mode: 'fleet',
    secret: 'quipu',
    secretSettings: ['read_store', 'event_store', 'bus', 'blobs'],
  },
  'fleet with a node of EventStoreDB': {
    mode: 'fleet',
    secret: 'quipu',
    environmentSecrets: ['upstreams'],
    config: { bus: 'kafka://kafka:9092', drain_seconds: 30 },
    catalog: CATALOG,
    eventStore: { enabled: true },
    blobs: { existingClaim: 'blobs' },
    image: { pullSecrets: ['registry'], tag: '0.1.1' },
    gateway: { replicas: 4 },
    nodeSelector: { disk: 'ssd' },
    tolerations: [{ key: 'gpu', operator: 'Exists' }],
    affinity: { nodeAffinity: {} },
    podAnnotations: { team: 'ops' },
  },
};
type Name = keyof typeof DEPLOYMENTS;
const NAMES = Object.keys(DEPLOYMENTS) as Name[];

/** The variables in the Secret of an operator. */
const OF_SECRETS: Readonly<Record<string, string>> = {
  QUIPU_BUS: 'kafka://quipu:changeit@kafka:9093?ssl=true&mechanism=scram-sha-256',
  QUIPU_BLOBS: 's3://blobs',
  QUIPU_EVENT_STORE: 'esdb://quipu:changeit@eventstore:2113?tls=true',
  QUIPU_READ_STORE: 'mongodb://quipu:changeit@mongodb:27017/quipu',
};

const Labels = z.record(z.string(), z.string());
const Probe = z.looseObject({
  httpGet: z.strictObject({ path: z.string(), port: z.string() }),
});
const Container = z.looseObject({
  name: z.string(),
  image: z.string(),
  args: z.array(z.string()).default([]),
  env: z
    .array(
      z.strictObject({ name: z.string(), value: z.string() }).or(
        z.strictObject({
          name: z.string(),
          valueFrom: z.strictObject({
            secretKeyRef: z.strictObject({ name: z.string(), key: z.string() }),
          }),
        }),
      ),
    )
    .default([]),
  envFrom: z.array(z.strictObject({ secretRef: z.strictObject({ name: z.string() }) })).default([]),
  ports: z.array(z.looseObject({ name: z.string() })).default([]),
  startupProbe: Probe.optional(),
  livenessProbe: Probe.optional(),
  readinessProbe: Probe.optional(),
  securityContext: z.looseObject({ allowPrivilegeEscalation: z.literal(false) }),
  volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string() })).default([]),
});
const Workload = z.looseObject({
  kind: z.literal('StatefulSet'),
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({
    serviceName: z.string(),
    replicas: z.int(),
    selector: z.object({ matchLabels: Labels }),
    template: z.looseObject({
      metadata: z.looseObject({ labels: Labels }),
      spec: z.looseObject({
        terminationGracePeriodSeconds: z.int(),
        initContainers: z.array(Container).default([]),
        containers: z.array(Container).min(1),
        volumes: z.array(z.looseObject({ name: z.string() })).default([]),
      }),
    }),
    volumeClaimTemplates: z
      .array(z.looseObject({ metadata: z.looseObject({ name: z.string() }) }))
      .default([]),
  }),
});
type Workload = z.infer<typeof Workload>;
const Manifest = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
  spec: z.record(z.string(), z.unknown()).default({}),
  data: z.record(z.string(), z.string()).default({}),
});

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const run = async (program: string, words: readonly string[], input = ''): Promise<Ran> => {
  const child = spawn(program, words, { stdio: 'pipe' });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  child.stdin.end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, stdout, stderr };
};

describe('the Helm chart', () => {
  const closing: (() => Promise<unknown>)[] = [];
  let folder: string;
  let helm: string;
  let checker: string;

  beforeAll(async () => {
    const from = { folder: 'test/host/helm', files: ['go.mod', 'go.sum', 'main.go'] };
    helm = await goProgram({ ...from, name: 'helm', package: 'helm.sh/helm/v4/cmd/helm' });
    checker = await goProgram({ ...from, name: 'kubernetes-manifests', package: '.' });
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-helm-'));
    closing.push(() => rm(folder, { recursive: true }));
  }, FIRST_BUILD_MS_MAX);

  afterAll(async () => {
    for (const close of closing.toReversed()) await close();
  });

  const withValues = async (command: readonly string[], values: object): Promise<Ran> => {
    const file = path.join(await mkdtemp(path.join(folder, 'values-')), 'values.yaml');
    await writeFile(file, stringify(values));
    return run(helm, [...command, '--values', file]);
  };

  const render = (values: object): Promise<Ran> => withValues(['template', 'acme', CHART], values);

  const manifestsOf = async (name: Name): Promise<readonly z.infer<typeof Manifest>[]> => {
    const { stdout } = await render(DEPLOYMENTS[name]);
    return parseAllDocuments(stdout)
      .map((document) => document.toJS() as unknown)
      .filter((document) => document !== null)
      .map((document) => Manifest.parse(document));
  };

  const workloadsOf = async (name: Name): Promise<readonly Workload[]> =>
    (await manifestsOf(name))
      .filter(({ kind }) => kind === 'StatefulSet')
      .map((manifest) => Workload.parse(manifest));

  it.each(NAMES)('has nothing for Helm to complain of: %s', async (name) => {
    const { code, stdout, stderr } = await withValues(
      ['lint', '--strict', CHART],
      DEPLOYMENTS[name],
    );
    expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
  });

  it.each(NAMES)('renders manifests that Kubernetes decodes strictly: %s', async (name) => {
    const rendered = await render(DEPLOYMENTS[name]);
    expect(rendered).toMatchObject({ code: 0, stderr: '' });
    expect(await run(checker, [], rendered.stdout)).toMatchObject({ code: 0, stderr: '' });
    const spoilt = rendered.stdout.replace('terminationGracePeriodSeconds', 'graceSeconds');
    expect(await run(checker, [], spoilt)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('unknown field "spec.template.spec.graceSeconds"'),
    });
  });

  it.each(NAMES)('starts processes with settings that they read: %s', async (name) => {
    const manifests = await manifestsOf(name);
    const data = manifests.find(({ kind }) => kind === 'ConfigMap')?.data;
    const config = path.join(folder, `${name}.yaml`);
    await writeFile(config, data?.['quipu.yaml'] ?? '');
    const known = Object.keys(variablesOf(areas));
    const ours = (await workloadsOf(name)).filter(({ metadata }) =>
      /-(standalone|gateway|projector|worker)$/.test(metadata.name),
    );
    expect(ours).toHaveLength(name.startsWith('fleet') ? 3 : 1);
    for (const { metadata, spec } of ours) {
      const { containers, terminationGracePeriodSeconds } = spec.template.spec;
      const [container] = containers;
      const environment = Object.fromEntries(
        (container?.env ?? []).map((one) =>
          'value' in one
            ? [one.name, one.value]
            : [one.name, OF_SECRETS[one.valueFrom.secretKeyRef.key]],
        ),
      );
      expect(known).toEqual(expect.arrayContaining(Object.keys(environment)));
      const isFleet = name.startsWith('fleet');
      const isWorker = metadata.name.endsWith('worker');
      const names = container?.envFrom.map(({ secretRef }) => secretRef.name) ?? [];
      expect(names.includes('quipu')).toBe('secret' in DEPLOYMENTS[name] && !isWorker);
      const secrets = isFleet && !isWorker ? OF_SECRETS : {};
      const given = { ...secrets, ...environment, QUIPU_CONFIG: config };
      const settings = readSettings(await withConfigFile(given));
      expect(settings.operations.port).toBe(9_090);
      expect(settings.home).toBe('/var/lib/quipu/home');
      expect(settings.eventStore.kind).toBe(isFleet && !isWorker ? 'eventstoredb' : 'sqlite');
      expect(settings.bus.kind).toBe(isFleet ? 'kafka' : 'memory');
      expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(settings.drainSeconds + 15);
    }
  });

  it.each(NAMES)('joins services, budgets and volumes to pods: %s', async (name) => {
    const manifests = await manifestsOf(name);
    const workloads = await workloadsOf(name);
    const selects = (selector: unknown) => {
      const labels = Object.entries(Labels.parse(selector));
      return workloads.filter(({ spec }) =>
        labels.every(([key, value]) => spec.template.metadata.labels[key] === value),
      );
    };
    for (const { kind, spec } of manifests) {
      if (kind === 'Service') {
        const [pod, ...others] = selects(spec['selector']);
        expect(others).toEqual([]);
        const ports = pod?.spec.template.spec.containers.flatMap((one) => one.ports) ?? [];
        for (const { targetPort } of spec['ports'] as { readonly targetPort: string }[])
          expect(ports.map((port) => port.name)).toContain(targetPort);
      }
      if (kind === 'PodDisruptionBudget') {
        const { matchLabels } = spec['selector'] as { readonly matchLabels: unknown };
        expect(selects(matchLabels)).toHaveLength(1);
      }
    }
    const services = manifests.filter(({ kind }) => kind === 'Service');
    for (const { spec } of workloads) {
      expect(selects(spec.selector.matchLabels)).toHaveLength(1);
      expect(services.map(({ metadata }) => metadata.name)).toContain(spec.serviceName);
      const { containers, initContainers, volumes } = spec.template.spec;
      const claims = spec.volumeClaimTemplates.map(({ metadata }) => metadata.name);
      const there = [...volumes.map((volume) => volume.name), ...claims];
      const mounted = [...containers, ...initContainers].flatMap((one) => one.volumeMounts);
      expect(there.toSorted()).toEqual([...new Set(mounted.map((one) => one.name))].toSorted());
    }
  });

  it('confines its processes', async () => {
    for (const name of NAMES) {
      for (const { metadata, spec } of await workloadsOf(name)) {
        const { containers, initContainers, ...pod } = spec.template.spec;
        expect(pod).toMatchObject({
          automountServiceAccountToken: false,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        });
        const readOnlyRootFilesystem = metadata.name.endsWith('eventstore') ? undefined : true;
        for (const { securityContext } of [...containers, ...initContainers]) {
          const { capabilities, readOnlyRootFilesystem: isReadOnly } = securityContext;
          expect(capabilities).toEqual({ drop: ['ALL'] });
          expect(isReadOnly).toBe(readOnlyRootFilesystem);
        }
      }
    }
  });

  it('probes paths that processes answer, and names processes of the image', async () => {
    const { startStandalone } = await loadQuipu();
    const home = path.join(folder, 'home');
    const catalog = path.join(folder, 'catalog.yaml');
    await writeFile(catalog, CATALOG);
    const environment = { QUIPU_HOME: home, QUIPU_CATALOG: catalog, QUIPU_LOG_LEVEL: 'silent' };
    const quipu: Standalone = await startStandalone(environment);
    closing.push(() => quipu.stop());
    const entrypoint = await readFile(path.join(ROOT, 'docker/entrypoint.sh'), 'utf8');
    const processes = /^ {2}([a-z -]+(?:\| [a-z-]+ ?)+)\)$/m.exec(entrypoint)?.[1]?.split(/ \| /);
    for (const name of NAMES) {
      const ours = (await workloadsOf(name)).filter(
        ({ metadata }) => !metadata.name.endsWith('eventstore'),
      );
      for (const { spec } of ours) {
        for (const { args, ports, ...probes } of spec.template.spec.containers) {
          expect(processes).toEqual(expect.arrayContaining(args));
          const { startupProbe, livenessProbe, readinessProbe } = probes;
          const paths = [startupProbe, livenessProbe, readinessProbe].map(
            (probe) => probe?.httpGet,
          );
          expect(paths).not.toContain(undefined);
          for (const get of paths) {
            expect(ports.map((port) => port.name)).toContain(get?.port);
            expect((await fetch(`${quipu.url}${get?.path}`)).status).toBe(200);
          }
        }
      }
    }
  });

  it.each([
    [{ config: { event_stores: 'x' } }, 'event_stores'],
    [{ config: { port: 80 } }, 'port'],
    [{ gateways: { replicas: 2 } }, 'gateways'],
    [{ mode: 'cluster' }, 'mode'],
    [{ mode: 'fleet' }, 'secret: a fleet needs a Secret'],
    [{ mode: 'fleet', secret: 'quipu' }, 'config.event_store: a fleet needs it'],
    [
      { ...DEPLOYMENTS.fleet, secretSettings: ['event_store', 'read_store'] },
      'config.bus: a fleet',
    ],
    [
      { ...DEPLOYMENTS.fleet, secretSettings: ['event_store', 'read_store', 'bus'] },
      'config.blobs',
    ],
    [{ ingress: { enabled: true } }, 'ingress.host'],
  ])('rejects %j', async (values, reason) => {
    const { code, stderr } = await render(values);
    expect(code).toBe(1);
    expect(stderr).toContain(reason);
  });

  it('leaves the settings that it gives itself to no operator', async () => {
    const [workload] = await workloadsOf('standalone with a key, a catalog and an ingress');
    const names = workload?.spec.template.spec.containers[0]?.env.map(({ name }) => name) ?? [];
    // The entry point of the image names the process; the catalog and the file are values.
    const given = [...CHART_SETTINGS.filter((name) => name !== 'QUIPU_INSTANCE')];
    expect(names.toSorted()).toEqual([...given, 'QUIPU_CATALOG', 'QUIPU_CONFIG'].toSorted());
  });

  it('has the version of this tree', async () => {
    const [chart] = parseAllDocuments(await readFile(path.join(CHART, 'Chart.yaml'), 'utf8'));
    const { version } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8')) as {
      readonly version: string;
    };
    expect(chart?.toJS()).toMatchObject({ version, appVersion: version });
  });
});
