import { fromDecimal, toUsd } from '#platform/kernel/money.js';
import { allDocuments } from '#platform/runtime/projections/all-documents.js';
import { type DocumentReader } from '#platform/runtime/projections/document-reader.js';
import {
  type ComputeNode,
  computeNodes,
} from '#projections/statistics/compute-nodes.projection.js';
import { nodeTelemetry, type Samples } from '#projections/statistics/node-telemetry.projection.js';
import { platformCharges } from '#projections/statistics/platform-charges.projection.js';
import { type Slot, slotsIn } from './slots.js';
import { type Grouped, published, publishedPoints } from './suppression.js';
import { DAY_MS, HOUR_MS, pointsOf, type Window, windowOf } from './timespan.js';

/** A node counts for this time after it was seen last. */
export const NODE_KNOWN_MS = 30 * DAY_MS;
/** A rig is online for this time after it has worked, and a worker after its last sample. */
export const NODE_ONLINE_MS = HOUR_MS;

/** Groups of nodes that are too small for a label of their own. */
const OTHER_BRANDS = 'other';

export interface PlatformFigures {
  readonly nodes: number;
  readonly nodesOnline: number;
  /** Null: no node that is online reports it. */
  readonly units: number | null;
  readonly tflops: number | null;
  /** Null: not reported, or by too few nodes. */
  readonly temperatureC: number | null;
  readonly powerW: number | null;
  /** Null: of too few accounts. */
  readonly inferences24h: number | null;
  readonly revenueUsd: number | null;
  /** When each point begins, ISO 8601 UTC. */
  readonly points: readonly string[];
  readonly revenueTrendUsd: readonly (number | null)[];
  readonly brands: readonly { readonly brand: string; readonly nodes: number }[];
  readonly temperatureTrendC: readonly (number | null)[];
  readonly powerTrendW: readonly (number | null)[];
}

interface FigureTerms {
  readonly lengthMs: number;
  readonly groupMin: number;
  readonly nowMs: number;
}

/** Every figure from the documents alone, so that every fold of the log gives the same ones. */
export const platformFigures = async (
  reader: DocumentReader,
  { lengthMs, groupMin, nowMs }: FigureTerms,
): Promise<PlatformFigures> => {
  const window = windowOf(lengthMs, nowMs);
  const charges = await slotsIn(reader, platformCharges, window);
  const lastDay = await slotsIn(reader, platformCharges, windowOf(DAY_MS, nowMs));
  const telemetry = await slotsIn(reader, nodeTelemetry, window);
  const starts = pointsOf(window);
  const revenue = inPoints(charges, window).map((slots) => revenueOf(slots));
  const answered = lastDay.map(({ document }) => ({
    value: document.inferences,
    members: document.accounts,
  }));
  const trendOf = (quantity: 'temperatureC' | 'powerW') =>
    inPoints(telemetry, window).map((slots) =>
      meanOf(
        slots.map(({ document }) => document[quantity]),
        groupMin,
      ),
    );
  return {
    ...nodeFigures(await nodesIn(reader), nowMs, groupMin),
    inferences24h: published(answered, groupMin),
    revenueUsd: inUsd(published(revenue, groupMin)),
    points: starts.map((startMs) => new Date(startMs).toISOString()),
    revenueTrendUsd: publishedPoints(revenue, groupMin).map(inUsd),
    temperatureTrendC: trendOf('temperatureC'),
    powerTrendW: trendOf('powerW'),
  };
};

/** Micro-dollars are integers: a sum of numbers is exact up to 2^53 of them. */
const inUsd = (microUsd: number | null): number | null =>
  microUsd === null ? null : toUsd(BigInt(microUsd));

const inPoints = <Document>(
  slots: readonly Slot<Document>[],
  window: Window,
): readonly (readonly Slot<Document>[])[] => {
  const { pointMs } = window;
  const byPoint = Map.groupBy(slots, ({ startMs }) => Math.floor(startMs / pointMs) * pointMs);
  return pointsOf(window).map((startMs) => byPoint.get(startMs) ?? []);
};

const revenueOf = (
  slots: readonly Slot<{ readonly charged: string; readonly accounts: readonly string[] }>[],
): Grouped => ({
  value: Number(slots.reduce((sum, { document }) => sum + fromDecimal(document.charged), 0n)),
  members: [...new Set(slots.flatMap(({ document }) => document.accounts))],
});

const meanOf = (samples: readonly Samples[], groupMin: number): number | null => {
  const nodes = new Set(samples.flatMap((one) => one.nodes));
  const count = samples.reduce((sum, one) => sum + one.count, 0);
  if (count === 0 || nodes.size < groupMin) return null;
  return rounded(samples.reduce((sum, one) => sum + one.sum, 0) / count);
};

/** To hundredths. */
const rounded = (value: number): number => Math.round(value * 100) / 100;

const nodesIn = async (reader: DocumentReader): Promise<readonly ComputeNode[]> => {
  const { documents: nodes } = await allDocuments(reader, computeNodes);
  return nodes.map(({ document }) => document);
};

const isOnline = ({ workedAt, reported, seenAt }: ComputeNode, sinceMs: number): boolean => {
  if (reported !== null) return reported.isOnline && Date.parse(seenAt) >= sinceMs;
  return workedAt !== null && Date.parse(workedAt) >= sinceMs;
};

type NodeFigures = Pick<
  PlatformFigures,
  'nodes' | 'nodesOnline' | 'units' | 'tflops' | 'temperatureC' | 'powerW' | 'brands'
>;

const nodeFigures = (all: readonly ComputeNode[], nowMs: number, groupMin: number): NodeFigures => {
  const nodes = all.filter(({ seenAt }) => Date.parse(seenAt) >= nowMs - NODE_KNOWN_MS);
  const online = nodes.filter((node) => isOnline(node, nowMs - NODE_ONLINE_MS));
  const valuesOf = (quantity: 'units' | 'tflops' | 'temperatureC' | 'powerW') =>
    online.flatMap(({ reported }) => reported?.[quantity] ?? []);
  const total = (values: readonly number[]): number | null =>
    values.length === 0 ? null : rounded(values.reduce((sum, value) => sum + value, 0));
  const mean = (values: readonly number[]): number | null =>
    values.length === 0 || values.length < groupMin
      ? null
      : rounded(values.reduce((sum, value) => sum + value, 0) / values.length);
  return {
    nodes: nodes.length,
    nodesOnline: online.length,
    units: total(valuesOf('units')),
    tflops: total(valuesOf('tflops')),
    temperatureC: mean(valuesOf('temperatureC')),
    powerW: mean(valuesOf('powerW')),
    brands: brandsOf(nodes, groupMin),
  };
};

/** Brands of too few nodes are one group; it is left out where it is too small itself. */
const brandsOf = (nodes: readonly ComputeNode[], groupMin: number): PlatformFigures['brands'] => {
  const counts = new Map<string, number>();
  for (const { reported } of nodes) {
    const brand = reported?.brand ?? null;
    if (brand !== null) counts.set(brand, (counts.get(brand) ?? 0) + 1);
  }
  const brands = [...counts].map(([brand, count]) => ({ brand, nodes: count }));
  const shown = brands.filter((one) => one.nodes >= groupMin);
  const others = brands.filter((one) => one.nodes < groupMin);
  const other = others.reduce((sum, one) => sum + one.nodes, 0);
  const sorted = shown.sort(
    (one, two) => two.nodes - one.nodes || (one.brand < two.brand ? -1 : 1),
  );
  return other >= groupMin && other > 0
    ? [...sorted, { brand: OTHER_BRANDS, nodes: other }]
    : sorted;
};
