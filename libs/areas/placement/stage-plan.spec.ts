import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type FreeRig, stagesOn, type StageSize } from './rig-memory.js';
import { type LinkSpeed, planStages, type StageOrder, type StagePlan } from './stage-plan.js';

const host = (name: string, freeBytes: number): FreeRig => ({
  name,
  memories: [{ device: null, freeBytes }],
});

const devices = (name: string, ...free: readonly number[]): FreeRig => ({
  name,
  memories: free.map((freeBytes, device) => ({ device, freeBytes })),
});

const order = (ppDegree: number, tpDegree = 1, shardBytes = 10): StageOrder => ({
  ppDegree,
  tpDegree,
  shardBytes,
});

const speedOf =
  (speeds: Readonly<Record<string, number | null>>): LinkSpeed =>
  (one, other) =>
    speeds[`${one}${other}`] ?? speeds[`${other}${one}`] ?? null;

const NOT_MEASURED: LinkSpeed = () => null;

const rigsOf = (plan: ReturnType<typeof planStages>): string =>
  'shards' in plan ? plan.shards.map(({ rig }) => rig).join('') : 'no plan';

describe('the room of a rig', () => {
  it('is its memory for whole stages, on a host', () => {
    expect(stagesOn(host('a', 59), order(9, 2), 9)).toEqual([
      [null, null],
      [null, null],
    ]);
    expect(stagesOn(host('a', 59), order(9), 3)).toHaveLength(3);
    expect(stagesOn(host('a', 9), order(1), 9)).toEqual([]);
  });

  it('is a device for each part of a stage, on devices', () => {
    expect(stagesOn(devices('a', 20, 10, 10), order(9, 2), 9)).toEqual([
      [0, 1],
      [0, 2],
    ]);
    expect(stagesOn(devices('a', 100), order(1, 2), 9)).toEqual([]);
    expect(stagesOn(devices('a', 9, 100), order(1, 2), 9)).toEqual([]);
  });
});

describe('a plan', () => {
  it('has one rig where one has room, the one with the least memory left', () => {
    const rigs = [host('a', 100), host('b', 40), host('c', 30)];
    expect(rigsOf(planStages(order(4), rigs, NOT_MEASURED))).toBe('bbbb');
    expect(planStages(order(4), rigs, NOT_MEASURED)).toMatchObject({ links: [] });
  });

  it('has the fewest rigs, and of these the fastest slowest link', () => {
    const rigs = [host('a', 20), host('b', 20), host('c', 20), host('d', 10)];
    const speeds = speedOf({ ab: 5, ac: 9, bc: 7 });
    const plan = planStages(order(4), rigs, speeds);
    expect(rigsOf(plan)).toBe('aacc');
    expect(plan).toMatchObject({ links: [{ from: 'a', to: 'c', kilobitsPerSecond: 9 }] });
    const long = planStages(order(6), rigs, speeds);
    expect(rigsOf(long)).toBe('aaccbb');
  });

  it('prefers a slow link to one that could not be measured', () => {
    const rigs = [host('a', 20), host('b', 20), host('c', 20)];
    const speeds = speedOf({ ab: null, ac: null, bc: 0 });
    expect(rigsOf(planStages(order(4), rigs, speeds))).toBe('bbcc');
    expect(rigsOf(planStages(order(4), rigs, NOT_MEASURED))).toBe('aabb');
  });

  it('keeps the parts of a stage together, with their ranks', () => {
    const rigs = [devices('a', 10, 10), devices('b', 10, 10)];
    const plan = planStages(order(2, 2), rigs, speedOf({ ab: 1 }));
    expect(plan).toMatchObject({
      shards: [
        { stage: 0, rank: 0, rig: 'a', device: 0, memoryBytes: 10 },
        { stage: 0, rank: 1, rig: 'a', device: 1, memoryBytes: 10 },
        { stage: 1, rank: 0, rig: 'b', device: 0, memoryBytes: 10 },
        { stage: 1, rank: 1, rig: 'b', device: 1, memoryBytes: 10 },
      ],
    });
  });

  it('does not exist without room, and says how much is missing', () => {
    const rigs = [host('a', 45), host('b', 9)];
    expect(planStages(order(3, 2), rigs, NOT_MEASURED)).toEqual({
      stagesPlaceable: 2,
      missingMemoryBytes: 20,
      rigsUsable: 1,
      rigsRegistered: 2,
    });
    expect(planStages(order(1), [], NOT_MEASURED)).toMatchObject({ stagesPlaceable: 0 });
  });
});

/** How many rigs a plan has, and its slowest link; null for no plan. Fewer and faster is better. */
type Score = readonly [number, number] | null;

const NAMES = ['a', 'b', 'c', 'd'];

/** Whether the stages fit on the rig, by trying every device for every part. */
const fits = ({ memories }: FreeRig, stages: number, { tpDegree, shardBytes }: StageSize) => {
  const isHost = memories[0]?.device === null;
  const place = (free: readonly number[], stage: number, rank: number, after: number): boolean => {
    if (stage === stages) return true;
    if (rank === tpDegree) return place(free, stage + 1, 0, -1);
    return free.some((bytes, device) => {
      if (bytes < shardBytes || (!isHost && device <= after)) return false;
      return place(free.with(device, bytes - shardBytes), stage, rank + 1, device);
    });
  };
  return place(
    memories.map(({ freeBytes }) => freeBytes),
    0,
    0,
    -1,
  );
};

/** Every rig for every stage. Stages of one rig follow each other. */
const exhaustive = (wanted: StageOrder, rigs: readonly FreeRig[], speed: LinkSpeed): Score => {
  let best: Score = null;
  const visit = (assigned: readonly FreeRig[]): void => {
    if (assigned.length < wanted.ppDegree) {
      for (const rig of rigs) visit([...assigned, rig]);
      return;
    }
    const used = [...new Set(assigned)];
    const crossings = assigned.slice(1).flatMap((rig, index) => {
      const before = assigned[index];
      return before === undefined || before === rig ? [] : [speed(before.name, rig.name) ?? -1];
    });
    if (crossings.length !== used.length - 1) return;
    const fit = used.every((rig) =>
      fits(rig, assigned.filter((one) => one === rig).length, wanted),
    );
    if (!fit) return;
    const score = [used.length, Math.min(...crossings)] as const;
    const isBetter =
      best === null || score[0] < best[0] || (score[0] === best[0] && score[1] > best[1]);
    if (isBetter) best = score;
  };
  visit([]);
  return best;
};

const scoreOf = ({ shards, links }: StagePlan): Score => [
  new Set(shards.map(({ rig }) => rig)).size,
  Math.min(...links.map(({ kilobitsPerSecond }) => kilobitsPerSecond ?? -1)),
];

const memory = fc.integer({ min: 0, max: 35 });
const anyRig = (name: string) =>
  fc.oneof(
    memory.map((bytes) => host(name, bytes)),
    fc.array(memory, { minLength: 1, maxLength: 3 }).map((free) => devices(name, ...free)),
  );
const anyRigs = fc
  .integer({ min: 0, max: 4 })
  .chain((count) => fc.tuple(...NAMES.slice(0, count).map(anyRig)));
const anySpeeds = fc
  .tuple(...Array.from({ length: 6 }, () => fc.option(fc.integer({ min: 0, max: 4 }))))
  .map(([ab, ac, ad, bc, bd, cd]) => {
    const speeds = { ab, ac, ad, bc, bd, cd };
    return Object.fromEntries(Object.entries(speeds).map(([link, one]) => [link, one ?? null]));
  });

describe('the plan of any small order', () => {
  it('is as good as the best of all assignments, and fits', () => {
    const cases = fc.tuple(
      anyRigs,
      anySpeeds,
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 3 }),
    );
    fc.assert(
      fc.property(cases, ([rigs, speeds, ppDegree, tpDegree]) => {
        const wanted = order(ppDegree, tpDegree);
        const speed = speedOf(speeds);
        const plan = planStages(wanted, rigs, speed);
        const best = exhaustive(wanted, rigs, speed);
        expect('shards' in plan ? scoreOf(plan) : null).toEqual(best);
        if ('shards' in plan) expectsToFit(plan, rigs, wanted);
      }),
      { numRuns: 400 },
    );
  });
});

const expectsToFit = ({ shards }: StagePlan, rigs: readonly FreeRig[], wanted: StageOrder) => {
  const places = shards.map(({ stage, rank }) => `${stage} ${rank}`);
  const all = Array.from({ length: wanted.ppDegree }, (_, stage) =>
    Array.from({ length: wanted.tpDegree }, (__, rank) => `${stage} ${rank}`),
  );
  expect(places).toEqual(all.flat());
  for (const { name, memories } of rigs) {
    for (const { device, freeBytes } of memories) {
      const here = shards.filter((shard) => shard.rig === name && shard.device === device);
      expect(here.length * wanted.shardBytes).toBeLessThanOrEqual(freeBytes);
    }
  }
};
