import { describe, expect, it } from '@jest/globals';
import { paidWorkContract } from '#platform/ledger/paid-work/paid-work.contract.js';
import { RequestCutError } from '#platform/runtime/commands/request-cut.js';
import {
  answerTo,
  askedOf,
  handlerOn,
  MODEL,
  OneModel,
  openEmbeddings,
  RigsError,
  ScriptedRigs,
  SETTINGS,
} from './embeddings-world.fixture.js';

const REFUSED = { reason: 'refused', isCancelled: false, used: null, retry: 'never' } as const;
const LEFT = { reason: 'client_gone', isCancelled: true, used: null, retry: 'never' } as const;
const USED = {
  rig: 'built-in',
  attempts: 1,
  usage: { promptTokens: 3, source: 'counted' },
} as const;

const leaving = (reason: 'client_gone' | 'timed_out' = 'client_gone') =>
  AbortSignal.abort(new RequestCutError(reason));

paidWorkContract('embeddings', {
  requestMsMax: SETTINGS.requestMsMax,
  open: (paid, clock, work) => {
    const rigs = new ScriptedRigs();
    rigs.answer = async () => {
      await Promise.resolve();
      work();
      return answerTo(1);
    };
    const handler = handlerOn(paid, new OneModel(), rigs, clock);
    return Promise.resolve((order, signal) =>
      handler.execute({ ...order, asked: askedOf() }, signal),
    );
  },
});

describe('embeddings for a caller', () => {
  it('are held in the worst case before a rig is asked, and charged after', async () => {
    const { rigs, ledger, create } = openEmbeddings();
    rigs.answer = () => {
      expect(ledger.orders).toHaveLength(1);
      expect(ledger.captures).toEqual([]);
      return Promise.resolve(answerTo(2));
    };
    const { vectors, usage, entry } = await create({ input: ['größe', 'x'.repeat(500)] });
    // 7 bytes and 4 around them; the context of the model.
    expect(ledger.orders).toMatchObject([
      {
        purpose: 'embedding',
        lines: [{ meter: 'input_tokens', quantity: 111, unitPriceMicroUsd: '1000000' }],
        rateCardVersion: 3,
        evidence: { modelAsked: 'small', inputs: 2 },
        expiresAt: '2026-11-22T10:01:01.000Z',
      },
    ]);
    expect(rigs.asked).toMatchObject([
      { model: 'small', promptTokensMax: 111, body: { model: 'small-1' }, priority: 'interactive' },
    ]);
    expect(ledger.captures).toMatchObject([
      {
        outcome: 'completed',
        rig: 'built-in',
        lines: [{ quantity: 2 }],
        excess: [],
        usageSource: 'provider',
        evidence: {
          models: { asked: 'small', sent: 'small-1', answered: 'small-1' },
          dimensions: 2,
          inputHash: 'hash of ["größe","' + 'x'.repeat(500) + '"]',
          outputHash: 'hash of [[1,0],[1,0]]',
        },
      },
    ]);
    expect({ vectors, usage, entry }).toMatchObject({
      vectors: [
        [1, 0],
        [1, 0],
      ],
      entry: { chargedMicroUsd: 2n },
    });
    expect(ledger.ends).toEqual(['capture completed']);
  });

  it('are charged up to the bound, with the excess recorded', async () => {
    const { rigs, ledger, create } = openEmbeddings();
    rigs.answer = () => Promise.resolve(answerTo(1, 50));
    await create({ input: 'knots' });
    expect(ledger.captures).toMatchObject([
      { lines: [{ quantity: 9 }], excess: [{ meter: 'input_tokens', quantity: 41 }] },
    ]);
  });

  it.each([
    [{ model: 'none' }, 'embedding_model_not_found'],
    [{ dimensions: 5 }, 'dimensions_out_of_range'],
    [{ input: Array(3).fill(Array(100_001).fill(1)) }, 'embedding_inputs_too_long'],
  ])('are refused before anything is written: %#', async (body, code) => {
    const { ledger, create } = openEmbeddings();
    await expect(create(body)).rejects.toMatchObject({ code });
    expect(ledger.orders).toEqual([]);
  });

  it('are refused before anything is written when no rig can take them', async () => {
    const { rigs, ledger, create } = openEmbeddings();
    rigs.rejection = new RigsError(REFUSED);
    await expect(create()).rejects.toBe(rigs.rejection);
    expect(ledger.orders).toEqual([]);
  });

  it('are free when no rig answers', async () => {
    const { rigs, ledger, create } = openEmbeddings();
    const error = new RigsError(REFUSED);
    rigs.answer = () => Promise.reject(error);
    await expect(create()).rejects.toBe(error);
    expect(ledger.ends).toEqual(['release refused']);
  });

  it('are free after a defect', async () => {
    const { rigs, ledger, create } = openEmbeddings();
    rigs.answer = () => Promise.reject(new TypeError('a defect'));
    await expect(create()).rejects.toThrow('a defect');
    expect(ledger.ends).toEqual(['release internal_error']);
  });

  it('cost what was done for a caller that left', async () => {
    const { rigs, ledger, create } = openEmbeddings();
    rigs.answer = () => Promise.reject(new RigsError({ ...LEFT, used: USED }));
    await expect(create({}, leaving())).rejects.toMatchObject({ reason: 'client_gone' });
    expect(ledger.captures).toMatchObject([
      {
        outcome: 'client_gone',
        usageSource: 'counted',
        lines: [{ quantity: 3 }],
        evidence: { dimensions: null, outputHash: null, models: { answered: null } },
      },
    ]);
    expect(ledger.ends).toEqual(['capture client_gone']);
  });

  it.each([
    ['whose request no rig had accepted', MODEL, leaving(), null, 'client_gone'],
    [
      'of a model that charges nothing',
      { ...MODEL, chargesCancelled: false },
      leaving(),
      USED,
      'client_gone',
    ],
    ['whose time was up', MODEL, leaving('timed_out'), USED, 'timed_out'],
  ])('are free for a caller %s', async (_, model, signal, used, reason) => {
    const { rigs, ledger, create } = openEmbeddings(model);
    rigs.answer = () => Promise.reject(new RigsError({ ...LEFT, used }));
    await expect(create({}, signal)).rejects.toMatchObject({ reason });
    expect(ledger.ends).toEqual([`release ${reason}`]);
  });
});
