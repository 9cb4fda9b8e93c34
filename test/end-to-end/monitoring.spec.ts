import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parser } from '@prometheus-io/lezer-promql';
import { Registry } from 'prom-client';
import { parse } from 'yaml';
import { z } from 'zod';
import { areas } from '#apps/composition/areas.js';
import { failureCodesOf } from '#apps/gateway/openapi/failure-codes.js';
import { asOperator } from '#apps/operations/operations.fixture.js';
import { Fleet } from '#apps/worker/worker.fixture.js';
import { FleetOperations } from '#areas/fleet/fleet.operations.js';
import { DESCRIPTION } from '#areas/fleet/worker-rig.fixture.js';
import { json, sse, chunksOf, eventOf } from '#areas/inference/rigs/upstream.fake.js';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { Areas } from '#platform/runtime/areas/area.js';
import { CountingLog, countingEngine } from '#platform/tasks/counting.engine.fake.js';
import { drain } from '#platform/tasks/drain.fixture.js';
import { answering, chatRequest, eventually, startWorld, type World } from './quipu.harness.js';
import { CONTRACT, uploadText, vectorCatalog } from './vector-stores.fixture.js';

const DOCKER = path.resolve(import.meta.dirname, '../../docker');
const textOf = (file: string): string => readFileSync(path.join(DOCKER, file), 'utf8');

/** Prometheus adds them to each series of a target. */
const TARGET_LABELS = ['job', 'instance', 'process'];

const Panel = z.strictObject({
  id: z.int(),
  type: z.literal('timeseries'),
  title: z.string(),
  description: z.string().optional(),
  datasource: z.strictObject({ type: z.literal('prometheus'), uid: z.literal('${datasource}') }),
  gridPos: z.strictObject({ x: z.int(), y: z.int(), w: z.int(), h: z.int() }),
  fieldConfig: z.looseObject({}),
  targets: z
    .array(z.strictObject({ refId: z.string(), expr: z.string(), legendFormat: z.string() }))
    .min(1),
});
const Dashboard = z.looseObject({
  uid: z.string(),
  title: z.string(),
  templating: z.object({
    list: z.tuple([
      z.looseObject({ name: z.literal('datasource'), query: z.literal('prometheus') }),
    ]),
  }),
  panels: z.array(Panel),
});

const dashboards = readdirSync(path.join(DOCKER, 'grafana/dashboards')).map((file) =>
  Dashboard.parse(JSON.parse(textOf(`grafana/dashboards/${file}`))),
);

const Rules = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^Quipu[A-Za-z]+$/),
          expr: z.string(),
          for: z.string().optional(),
          labels: z.strictObject({ severity: z.enum(['warning', 'critical']) }),
          annotations: z.strictObject({ summary: z.string() }),
        }),
      ),
    }),
  ),
});
const rules = Rules.parse(parse(textOf('prometheus/alerts.yaml'))).groups.flatMap(
  (group) => group.rules,
);

/** Every expression, by the name of its panel or rule. */
const expressions: readonly (readonly [string, string])[] = [
  ...dashboards.flatMap(({ title, panels }) =>
    panels.flatMap((panel) =>
      panel.targets.map(({ expr, refId }) => [`${title}: ${panel.title} ${refId}`, expr] as const),
    ),
  ),
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
];

interface Named {
  readonly metrics: readonly string[];
  readonly labels: readonly string[];
}

/** The metrics and labels of an expression. @throws Error where it is not PromQL */
const namedIn = (written: string): Named => {
  const expr = written.replaceAll('$__rate_interval', '5m');
  const [metrics, labels] = [new Set<string>(), new Set<string>()];
  parser.parse(expr).iterate({
    enter: ({ type, from, to }) => {
      if (type.isError) throw new Error(`not PromQL at ${from}: ${expr}`);
      if (type.name === 'Identifier') metrics.add(expr.slice(from, to));
      if (type.name === 'LabelName') labels.add(expr.slice(from, to));
    },
  });
  return { metrics: [...metrics], labels: [...labels] };
};

/** The labels of each metric in texts of `/metrics`. */
const exportedIn = (texts: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> => {
  const exported = new Map<string, Set<string>>();
  for (const [, name = '', pairs = ''] of texts
    .join('\n')
    .matchAll(/^([a-z_0-9]+)(?:\{(.*)\})? [^ ]+$/gm)) {
    const labels = exported.get(name) ?? new Set(TARGET_LABELS);
    for (const [, label = ''] of pairs.matchAll(/([a-z_]+)="/g)) labels.add(label);
    exported.set(name, labels);
  }
  return exported;
};

describe('the dashboards and the alert rules', () => {
  const closing: (() => Promise<unknown>)[] = [];
  let exported: ReadonlyMap<string, ReadonlySet<string>>;

  const scrape = async (url: string): Promise<string> =>
    (await fetch(`${url}/metrics`, asOperator)).text();

  /** After a chat, a stream, a failure at a rig and a job. */
  const metricsOfStandalone = async (): Promise<string> => {
    const world: World = await startWorld(
      [answering('Knots', '.'), sse(chunksOf('Knots', '.').map(eventOf)), json(500, {})],
      { catalogOf: vectorCatalog },
    );
    closing.push(() => world.close());
    const { openai } = world;
    const { completions } = openai.chat;
    await completions.create(chatRequest());
    await Array.fromAsync(await completions.create({ ...chatRequest(), stream: true }));
    await expect(completions.create(chatRequest())).rejects.toMatchObject({ status: 502 });
    const store = await openai.vectorStores.create({ name: 'Harbour' });
    const { id } = await uploadText(openai, 'contract.txt', CONTRACT);
    await openai.vectorStores.fileBatches.create(store.id, { file_ids: [id] });
    const isDone = async () =>
      (await scrape(world.quipu.url)).includes('quipu_job_attempts_total{');
    await eventually(isDone);
    return scrape(world.quipu.url);
  };

  /** After a task. */
  const metricsOfWorker = async (): Promise<string> => {
    const fleet = new Fleet(createInProcessBus());
    closing.push(() => fleet.close());
    const engine = countingEngine(new CountingLog());
    const { url } = await fleet.worker('worker-1', { engines: [engine] });
    const input = { text: 'a bb', pauseMs: 0, failsWith: '' };
    const { signal } = new AbortController();
    await drain(fleet.gateway().tasks.run(engine, input, signal));
    await eventually(async () => (await scrape(url)).includes('quipu_worker_tasks_total{'));
    return scrape(url);
  };

  /** Of a process that knows a rig of a worker. */
  const metricsOfRigs = async (): Promise<string> => {
    const registry = new Registry();
    const rig = { presence: 'up', drain: 'none', description: { ...DESCRIPTION, region: 'uk' } };
    const list = () => Promise.resolve({ documents: [{ document: { rig } }], position: 0n });
    await new FleetOperations({ list } as never, registry).collect();
    return registry.metrics();
  };

  beforeAll(async () => {
    const parts = [metricsOfStandalone(), metricsOfWorker(), metricsOfRigs()];
    exported = exportedIn([...(await Promise.all(parts)), 'up 1']);
  });

  afterAll(async () => {
    for (const close of closing.toReversed()) await close();
  });

  it.each(expressions)('name only metrics and labels that processes export: %s', (_, expr) => {
    const { metrics, labels } = namedIn(expr);
    expect(metrics).not.toEqual([]);
    for (const metric of metrics) {
      expect([...exported.keys()]).toContain(metric);
      expect([...(exported.get(metric) ?? [])]).toEqual(expect.arrayContaining([...labels]));
    }
  });

  it('name codes of failures that the gateway answers with 5xx', () => {
    const codes = failureCodesOf(new Areas(areas));
    const failing = codes.filter(({ status }) => status >= 500).map(({ code }) => code);
    const named = rules.flatMap(({ expr }) => /error_type=~"([^"]+)"/.exec(expr)?.[1]?.split('|'));
    const known = named.filter((code) => code !== undefined && code !== 'internal_error');
    expect(known.length).toBeGreaterThan(5);
    expect(failing).toEqual(expect.arrayContaining(known));
  });

  it('fill a grid of 24 columns without overlap', () => {
    for (const { panels } of dashboards) {
      expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
      const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) => {
        expect(x + w).toBeLessThanOrEqual(24);
        return Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.floor(n / w)}`);
      });
      expect(new Set(cells).size).toBe(cells.length);
    }
  });

  it('are where Prometheus and Grafana look for them', () => {
    const rulesFile = '/etc/prometheus/alerts.yaml';
    for (const name of ['prometheus', 'standalone']) {
      const { rule_files: files } = parse(textOf(`prometheus/${name}.yaml`)) as {
        readonly rule_files: readonly string[];
      };
      expect(files).toEqual([rulesFile]);
    }
    const compose = textOf('compose.monitoring.yaml');
    expect(compose).toContain(`./prometheus/alerts.yaml:${rulesFile}:ro`);
    const { providers } = parse(textOf('grafana/provisioning/dashboards/quipu.yaml')) as {
      readonly providers: readonly { readonly options: { readonly path: string } }[];
    };
    for (const { options } of providers)
      expect(compose).toContain(`./grafana/dashboards:${options.path}:ro`);
  });
});

describe('the reading of an expression', () => {
  it('finds each metric and label, and rejects what is no PromQL', () => {
    expect(namedIn('sum by (a) (rate(x_total{b!=""}[5m])) / y')).toEqual({
      metrics: ['x_total', 'y'],
      labels: ['a', 'b'],
    });
    expect(() => namedIn('sum by (a (rate(x')).toThrow('not PromQL');
  });
});
