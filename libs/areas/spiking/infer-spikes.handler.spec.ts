import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { paidWorkContract } from '#platform/ledger/paid-work/paid-work.contract.js';
import { RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { InferSpikesCommand } from './infer-spikes.handler.js';
import { SpikingRunError } from './spiking.errors.js';
import { type OpenNetworks } from './spiking.engine.js';
import {
  card,
  engineError,
  folderOf,
  handlerOn,
  openSpiking,
  orderOf,
  run,
  settings,
  WEIGHTS,
} from './spiking-world.fixture.js';

const never = new AbortController().signal;

paidWorkContract('spiking', {
  requestMsMax: settings.runMsMax,
  open: async (paid, clock, work) => {
    const folder = await folderOf({ knots: card });
    const handler = handlerOn(paid, clock, folder, {
      run: async () => {
        await rm(folder, { recursive: true });
        work();
        return run();
      },
    });
    return (order, signal) =>
      handler.execute(new InferSpikesCommand({ ...orderOf(), ...order }, signal));
  },
});

describe('a run of a spiking network', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await folderOf({ knots: card });
  });

  afterAll(() => rm(folder, { recursive: true }));

  const open = (answer: OpenNetworks['run'] = () => Promise.resolve(run())) => {
    const world = openSpiking(folder, { run: answer });
    const infer = (changes = {}, signal = never) =>
      world.handler.execute(new InferSpikesCommand(orderOf(changes), signal));
    return { ...world, infer };
  };

  it('holds the worst case of the timesteps, then charges what was counted', async () => {
    const { ledger, infer } = open();
    const { entry, energy, measuredJoulesHost } = await infer();
    expect(ledger.calls).toEqual(['place', 'capture completed']);
    expect(ledger.placed).toMatchObject({
      purpose: 'spiking_run',
      lines: [
        { meter: 'synaptic_events', quantity: 5 + 8 * 20 },
        { meter: 'macs', quantity: 100 + 8 * 10 },
      ],
      rateCardVersion: 3,
      evidence: { slug: card.slug, neuron: 'LIFNode', timesteps: 8 },
      expiresAt: '2026-11-22T15:01:01.000Z',
    });
    expect(ledger.captured).toMatchObject({
      rig: null,
      lines: [
        { meter: 'synaptic_events', quantity: 30 },
        { meter: 'macs', quantity: 120 },
      ],
      excess: [],
      usageSource: 'counted',
      model: card.slug,
      evidence: {
        weightsSha256: WEIGHTS,
        meterVersion: 1,
        gridGramsPerKwh: 480,
        inputHash: 'hash of "a cord"',
        counts: { spikes: 6, macs: 120, acs: 33, annMacs: 150 },
      },
    });
    expect(entry.chargedMicroUsd).toBe(30n * 2n + 120n * 3n);
    expect(energy.fp32.joules).toBeCloseTo((120 * 4.6 + 33 * 0.9) * 1e-12, 20);
    expect(measuredJoulesHost).toBe(0.25);
  });

  it('is never charged above its hold; the excess is recorded', async () => {
    const { ledger, infer } = open(() => Promise.resolve(run({ macs: 181, synapticEvents: 165 })));
    await infer();
    expect(ledger.captured).toMatchObject({
      lines: [{ quantity: 165 }, { quantity: 180 }],
      excess: [{ meter: 'macs', quantity: 1 }],
      evidence: { counts: { macs: 181 } },
    });
  });

  it('passes on what was asked', async () => {
    const asked: unknown[] = [];
    const { infer } = open((input) => {
      asked.push(input);
      return Promise.resolve(run());
    });
    const changes = { neuron: 'PLIFNode', timesteps: 2, raster: true, input: [1, 2], session: 's' };
    await infer(changes);
    expect(asked).toEqual([
      {
        slug: card.slug,
        inputData: [1, 2],
        timesteps: 2,
        neuron: 'PLIFNode',
        raster: true,
        session: '7:s',
      },
    ]);
  });

  it.each([
    ['input_invalid', { code: 'snn_input_invalid' }],
    ['weights_invalid', { kind: 'away' }],
    ['crashed', { kind: 'away' }],
    ['boom', { kind: 'failed' }],
  ])('is free when the engine fails: %s', async (code, meaning) => {
    const { ledger, infer } = open(() => Promise.reject(engineError(code)));
    await expect(infer()).rejects.toMatchObject(meaning);
    expect(ledger.calls).toEqual(['place', 'release upstream_failed']);
  });

  it('is free when a worker has other weights than its price is of', async () => {
    const { ledger, infer } = open(() =>
      Promise.resolve({ ...run(), weightsSha256: 'b2'.repeat(32) }),
    );
    await expect(infer()).rejects.toThrow(SpikingRunError);
    expect(ledger.calls).toEqual(['place', 'release upstream_failed']);
  });

  it('is free when its caller leaves', async () => {
    const { ledger, infer } = open();
    const left = AbortSignal.abort(new RequestCutError('client_gone'));
    await expect(infer({}, left)).rejects.toThrow(RequestCutError);
    expect(ledger.calls).toEqual(['place', 'release client_gone']);
  });

  it.each([
    [{ model: 'snnlib/none' }, 'snn_model_unknown', card.slug],
    [{ neuron: 'ContinuousLIFNode' as const }, 'snn_neuron_unsupported', 'LIFNode, PLIFNode'],
  ])('is rejected before a hold: %p', async (changes, code, named) => {
    const { ledger, infer } = open();
    await expect(infer(changes)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(named),
    });
    expect(ledger.calls).toEqual([]);
  });

  it('is not for sale without prices', async () => {
    const { ledger, handler } = openSpiking(
      folder,
      { run: () => Promise.resolve(run()) },
      { inForce: () => undefined },
    );
    const command = new InferSpikesCommand(orderOf(), never);
    await expect(handler.execute(command)).rejects.toMatchObject({ code: 'snn_not_priced' });
    expect(ledger.calls).toEqual([]);
  });
});
