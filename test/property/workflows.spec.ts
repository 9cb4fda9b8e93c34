import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { STEP_METER } from '#areas/workflows/workflow.product.js';
import { type Crash, WorkflowsWorld } from './workflows-world.fixture.js';

/** Every kind of node, a retry, a join and a chain that the hold grows for. */
const everything = {
  inputs: { word: {} },
  concurrency: 2,
  nodes: [
    { name: 'a', kind: 'knot', parameters: { text: '{{ inputs.word }}', knots: 2 } },
    {
      name: 'b',
      kind: 'knot',
      parameters: { text: 'b', mood: 'shaky' },
      retry: { attempts_max: 3, first_pause_ms: 1_000 },
    },
    { name: 'down', kind: 'knot', parameters: { text: 'never', mood: 'down' } },
    {
      name: 'each',
      kind: 'map',
      after: ['a', 'b'],
      parameters: {
        items: ['x', '{{ nodes.a.output.text }}', '{{ nodes.b.output.text }}'],
        tool: 'knot',
        parameters: { text: '{{ item }}-{{ index }}' },
      },
    },
    {
      name: 'choose',
      kind: 'branch',
      after: ['each'],
      parameters: {
        cases: [
          {
            when: { value: '{{ nodes.each.output[1].text }}', operator: 'contains', to: 'wool' },
            then: ['left'],
          },
        ],
        otherwise: ['right'],
      },
    },
    { name: 'left', kind: 'wait', after: ['choose'], parameters: { seconds: 90 } },
    { name: 'right', kind: 'knot', after: ['choose'], parameters: { text: 'right' } },
    {
      name: 'rescue',
      kind: 'knot',
      after: ['down', 'left'],
      trigger_rule: 'one_failed',
      parameters: { text: 'rescue' },
    },
    {
      name: 'join',
      kind: 'knot',
      after: ['left', 'right', 'rescue'],
      trigger_rule: 'none_failed',
      parameters: { text: '{{ nodes.rescue.output.text }}{{ nodes.left.status }}', knots: 3 },
    },
  ],
};

const undisturbed = async (definition: object, inputs: Readonly<Record<string, string>>) => {
  const world = await WorkflowsWorld.open(definition);
  await world.start(inputs);
  world.boot();
  await world.drive();
  return { result: await world.result(), appends: world.appends };
};

const disturbed = async (
  definition: object,
  inputs: Readonly<Record<string, string>>,
  crashes: readonly Crash[],
) => {
  const world = await WorkflowsWorld.open(definition);
  await world.start(inputs);
  await world.driveThrough(crashes);
  return world;
};

describe('a run of a workflow', () => {
  const inputs = { word: 'wool' };

  it('does all of its work, without a crash', async () => {
    const { result } = await undisturbed(everything, inputs);
    expect(result.status).toBe('completed');
    expect(result.nodes).toMatchObject({
      a: { status: 'succeeded', output: { text: '(wool)' } },
      b: { status: 'succeeded' },
      down: { status: 'failed', code: 'server_down' },
      each: { output: [{ text: '(x-0)' }, { text: '((wool)-1)' }, { text: '((b)-2)' }] },
      choose: { output: { chosen: ['left'] } },
      left: { status: 'succeeded' },
      right: { status: 'skipped' },
      rescue: { status: 'succeeded' },
      join: { output: { text: '((rescue)succeeded)' } },
    });
    // 2 + 1 + 3 items + 1 + 3 knots at 5 micro-dollars.
    expect(result.settlement).toEqual({ outcome: 'charged', amountMicroUsd: '50' });
    expect(result.money).toMatchObject({ held: 0n, charged: 50n, available: 999_950n });
  });

  it('ends as if nothing had happened, wherever one process ends', async () => {
    const { result, appends } = await undisturbed(everything, inputs);
    expect(appends).toBeGreaterThan(25);
    for (let append = 1; append <= appends; append += 1) {
      // Between two appends there may be an effect: both sides of it count.
      const crashes: readonly Crash[] = [
        { append, when: 'after' },
        ...(append % 4 === 0 ? [{ append, when: 'before' } as const] : []),
      ];
      for (const one of crashes) {
        const world = await disturbed(everything, inputs, [one]);
        expect({ ...one, result: await world.result() }).toEqual({ ...one, result });
        expect(world.faults()).toEqual([]);
      }
    }
  });

  const crash = fc.record({
    append: fc.integer({ min: 1, max: 9 }),
    when: fc.constantFrom('before' as const, 'after' as const),
  });
  const RULES = ['all_success', 'one_failed', 'all_done', 'none_failed'] as const;
  const graph = fc
    .array(
      fc.record({
        kind: fc.constantFrom('knot', 'knot', 'wait', 'map'),
        mood: fc.constantFrom('steady', 'steady', 'down', 'shaky'),
        rule: fc.constantFrom(...RULES),
        before: fc.array(fc.nat(), { maxLength: 3 }),
        attempts: fc.integer({ min: 1, max: 2 }),
      }),
      { minLength: 1, maxLength: 7 },
    )
    .map((nodes) => ({
      concurrency: 3,
      nodes: nodes.map(({ kind, mood, rule, before, attempts }, index) => {
        const after = index === 0 ? [] : [...new Set(before.map((one) => `n${one % index}`))];
        const knot = {
          text: `n${index}`,
          mood: attempts === 1 && mood === 'shaky' ? 'down' : mood,
        };
        const parameters = {
          knot,
          wait: { seconds: 5 },
          map: { items: [1, 2], tool: 'knot', parameters: { ...knot, text: '{{ item }}' } },
        };
        return {
          name: `n${index}`,
          kind,
          after,
          trigger_rule: after.length === 0 && rule === 'one_failed' ? 'all_done' : rule,
          parameters: parameters[kind as 'knot'],
          retry: { attempts_max: attempts, first_pause_ms: 10 },
        };
      }),
    }));

  it('ends as if nothing had happened, for any graph and any schedule of crashes', async () => {
    await fc.assert(
      fc.asyncProperty(graph, fc.array(crash, { maxLength: 6 }), async (definition, crashes) => {
        const { result } = await undisturbed(definition, {});
        const world = await disturbed(definition, {}, crashes);
        const ended = await world.result();
        expect(world.faults()).toEqual([]);
        expect(ended.money.held).toBe(0n);
        // Two processes in a row died before they had ended a node.
        if (ended.status === 'parked') expect(crashes.length).toBeGreaterThan(1);
        else expect(ended).toEqual(result);
      }),
      { numRuns: 20 },
    );
  });

  it('is parked by the third process where it killed two, and its money is free', async () => {
    const definition = { nodes: [{ name: 'a', kind: 'knot', parameters: { text: 'a' } }] };
    const death = { append: 1, when: 'after' } as const;
    const once = await disturbed(definition, {}, [death]);
    expect(await once.result()).toMatchObject({ status: 'completed' });
    const twice = await disturbed(definition, {}, [death, death]);
    expect(await twice.result()).toMatchObject({
      status: 'parked',
      settlement: { outcome: 'free' },
      money: { held: 0n, available: 1_000_000n },
      effects: [],
    });
    expect(twice.faults()).toEqual([]);
  });

  it('takes an approval after any number of processes, once', async () => {
    const definition = {
      nodes: [
        { name: 'ask', kind: 'approval' },
        { name: 'act', kind: 'knot', after: ['ask'], parameters: { text: 'go' } },
      ],
    };
    const world = await WorkflowsWorld.open(definition);
    await world.start();
    await world.drive();
    await expect(world.decide('act', true)).rejects.toMatchObject({
      code: 'workflow_approval_not_found',
    });
    world.boot();
    await world.decide('ask', true);
    await expect(world.decide('ask', false)).rejects.toMatchObject({
      code: 'workflow_approval_decided',
    });
    world.boot();
    await world.drive();
    expect((await world.result()).nodes).toMatchObject({
      ask: { output: { approved: true } },
      act: { status: 'succeeded' },
    });
    await expect(world.decide('ask', false)).rejects.toMatchObject({ code: 'workflow_run_ended' });
  });

  it('fails the node that the account cannot pay for, and charges the others', async () => {
    const definition = {
      nodes: [
        { name: 'a', kind: 'knot', parameters: { text: 'a', knots: 2 } },
        {
          name: 'dear',
          kind: 'knot',
          after: ['a'],
          parameters: { text: '{{ nodes.a.output.text }}', knots: 9 },
        },
        {
          name: 'last',
          kind: 'knot',
          after: ['a'],
          parameters: { text: '{{ run.id }}', knots: 1 },
        },
      ],
    };
    const world = await WorkflowsWorld.open(definition, 20);
    await world.start();
    await world.drive();
    const { nodes, money, settlement } = await world.result();
    expect(nodes).toMatchObject({
      a: { status: 'succeeded' },
      dear: { status: 'failed', code: 'insufficient_balance' },
      last: { status: 'succeeded' },
    });
    expect(settlement).toEqual({ outcome: 'charged', amountMicroUsd: '15' });
    expect(money).toMatchObject({ held: 0n, available: 5n });
    expect(world.faults()).toEqual([]);
  });

  it('is charged for its attempts, also of control nodes, and rejected without money', async () => {
    const definition = {
      nodes: [
        { name: 'pause', kind: 'wait', parameters: { seconds: 1 } },
        { name: 'then', kind: 'wait', after: ['pause'], parameters: { seconds: 1 } },
        {
          name: 'each',
          kind: 'map',
          parameters: { items: [1, 2], tool: 'knot', parameters: { text: 'x{{ item }}' } },
        },
      ],
    };
    const prices = new Map([[STEP_METER, { unitPriceMicroUsd: '3', perUnits: 1 }]]);
    const world = await WorkflowsWorld.open(definition, 10_000);
    world.meterPrices = { rateCardVersion: 1, prices };
    await world.start();
    await world.drive();
    const { settlement, lines, money } = await world.result();
    // Five attempts, and two knots at 5 micro-dollars.
    expect(settlement).toEqual({ outcome: 'charged', amountMicroUsd: '25' });
    expect(lines).toMatchObject([[{ meter: STEP_METER, quantity: 5 }, {}, {}]]);
    expect(money).toMatchObject({ held: 0n, available: 9_975n });
    expect(world.faults()).toEqual([]);
    const poor = await WorkflowsWorld.open(definition, 1_000);
    poor.meterPrices = { rateCardVersion: 1, prices };
    await expect(poor.start()).rejects.toMatchObject({ code: 'insufficient_balance' });
  });

  it('renews its hold while it waits, and holds again after a time without a process', async () => {
    const definition = {
      timeout_seconds: 200_000,
      nodes: [
        { name: 'a', kind: 'knot', parameters: { text: 'a' } },
        { name: 'pause', kind: 'wait', after: ['a'], parameters: { seconds: 100_000 } },
        { name: 'b', kind: 'knot', after: ['pause'], parameters: { text: '{{ nodes.a.status }}' } },
      ],
    };
    const world = await WorkflowsWorld.open(definition);
    await world.start();
    await world.drive();
    expect(await world.result()).toMatchObject({
      status: 'completed',
      settlement: { outcome: 'charged', amountMicroUsd: '10' },
    });
    expect(world.story().filter((type) => type === 'WorkflowRunFunded').length).toBeGreaterThan(50);
    expect(world.faults()).toEqual([]);
  });

  it('ends in time, and is charged for its ended nodes', async () => {
    const definition = {
      timeout_seconds: 60,
      nodes: [
        { name: 'a', kind: 'knot', parameters: { text: 'a' } },
        { name: 'pause', kind: 'wait', parameters: { seconds: 600 } },
      ],
    };
    const world = await WorkflowsWorld.open(definition);
    await world.start();
    await world.drive();
    expect(await world.result()).toMatchObject({
      status: 'timed_out',
      nodes: { a: { status: 'succeeded' }, pause: { status: 'cancelled' } },
      settlement: { outcome: 'charged', amountMicroUsd: '5' },
    });
  });
});
