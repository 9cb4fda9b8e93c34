/** Whole networks of the engine against their ports to torch, SpikingJelly and ncps. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { cfcCell } from '#engines/spiking/models/closed-form-continuous.model.js';
import { tensorOf, type DataTensor } from '#engines/spiking/operations/tensor.js';
import {
  recording,
  runInEngine,
  trainedNetwork,
  type TrainedNetwork,
} from './spiking/engine-run.fixture.js';
import { comparableFigures, expectedLayers, expectedTotals } from './spiking/expected-counts.js';
import { networkVectors } from './spiking/vectors.js';

const networks = networkVectors();

const furthest = (one: ArrayLike<number>, other: readonly number[]): number =>
  Math.max(...other.map((value, at) => Math.abs(value - (one[at] ?? NaN))));

describe.each(Object.entries(networks))('%s', (name, { runs, weightsSha256 }) => {
  let network: TrainedNetwork;

  beforeAll(async () => {
    network = await trainedNetwork(name);
  });

  it('was recorded with the weights of today', () => {
    expect(network.weightsSha256).toBe(weightsSha256);
  });

  const numbered = runs.map((run, index) => [index + 1, run.head, run] as const);

  it.each(numbered)('run %d (%s) fires the same spikes and has the same logits', (...[, , run]) => {
    const own = runInEngine(network, run);
    expect(own.spikes).toEqual(run.spikes);
    expect(own.logits).toHaveLength(run.logits.length);
    expect(furthest(own.logits, run.logits)).toBeLessThan(1e-5);
  });

  it.each(numbered)('run %d (%s) is counted as SpikingJelly counts it', (...[, , run]) => {
    const { layers, totals } = runInEngine(network, run);
    expect(layers).toEqual(expectedLayers(name, run));
    const expected = expectedTotals(name, run);
    for (const figure of comparableFigures(name, run)) {
      expect({ [figure]: totals[figure] }).toEqual({ [figure]: expected[figure] });
    }
  });

  it('was recorded from inputs that make a difference', () => {
    for (const head of ['native', 'text']) {
      const logits = runs.filter((run) => run.head === head).map((run) => run.logits.join());
      expect(logits).toHaveLength(3);
      expect(new Set(logits).size).toBeGreaterThan(1);
    }
  });
});

describe('the CfC cell of ncps', () => {
  const gating = networks['closed-form-continuous']?.gating;
  if (gating === undefined) throw new Error('no states of a CfC cell were recorded');
  const { x, state, times, states } = gating;
  const row = (rows: readonly (readonly number[])[]): DataTensor =>
    tensorOf(Float32Array.from(rows.flat()), [1, 1, rows[0]?.length ?? 0]);
  let own: readonly Float32Array[];

  beforeAll(async () => {
    const { operations } = recording(await trainedNetwork('closed-form-continuous'), 1);
    own = times.map((time) => cfcCell(operations, row(x), row(state), row([[time]])).values);
  });

  it('has the same state whenever the next input comes', () => {
    for (const [index, expected] of states.entries()) {
      expect(furthest(own[index] ?? [], expected)).toBeLessThan(1e-6);
    }
  });

  it('moves each unit one way only as time passes', () => {
    const directions = (states[0] ?? []).map((_, unit) => {
      const path = own.map((values) => values[unit] ?? NaN);
      const changes = path.slice(1).map((value, index) => value - (path[index] ?? NaN));
      const [rises, falls] = [changes.some((by) => by > 1e-7), changes.some((by) => by < -1e-7)];
      expect([rises, falls]).not.toEqual([true, true]);
      return rises ? 'up' : 'down';
    });
    expect(new Set(directions)).toEqual(new Set(['up', 'down']));
  });
});

describe('the logic tensor network', () => {
  it('holds the rules as surely', async () => {
    const runs = networks['neuro-symbolic-ltn']?.runs ?? [];
    expect(runs).toHaveLength(6);
    for (const run of runs) {
      const own = runInEngine(await trainedNetwork('neuro-symbolic-ltn'), run).notes.get('rules');
      expect(own).toHaveLength(11);
      expect(furthest(own ?? [], run.rules ?? [])).toBeLessThan(1e-5);
    }
  });
});

describe('the equivariant network', () => {
  it('has the same logits and spikes for points that are turned and moved', async () => {
    const network = await trainedNetwork('se3-equivariant-gnn');
    const [one, turned, stretched] = (networks['se3-equivariant-gnn']?.runs ?? []).map((run) =>
      runInEngine(network, run),
    );
    expect(turned?.spikes).toEqual(one?.spikes);
    expect(furthest(turned?.logits ?? [], [...(one?.logits ?? [])])).toBeLessThan(1e-5);
    expect(stretched?.spikes).not.toEqual(one?.spikes);
  });
});

describe('the modern Hopfield network', () => {
  const runs = (networks['modern-hopfield']?.runs ?? []).map(
    (run, index) => [index + 1, run.head, run] as const,
  );

  it.each(runs)('run %d (%s) descends through the same energies', async (...[, , run]) => {
    const own = runInEngine(await trainedNetwork('modern-hopfield'), run).notes.get('energies');
    expect(own).toHaveLength(run.energies?.length ?? NaN);
    expect(furthest(own ?? [], run.energies ?? [])).toBeLessThan(1e-5);
    for (const [index, energy] of (own ?? []).slice(1).entries()) {
      expect(energy).toBeLessThan((own?.[index] ?? NaN) + 1e-6);
    }
  });

  it('ends a native run at a fixed point', () => {
    const native = runs.filter(([, head]) => head === 'native');
    expect(native.length).toBeGreaterThan(0);
    for (const [, , { movesNext, energies }] of native) {
      expect(movesNext).toBeLessThan(1e-4);
      expect(energies?.length).toBeGreaterThan(2);
    }
  });
});
