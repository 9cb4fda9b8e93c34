import { describe, expect, it } from '@jest/globals';
import { type Clock } from '#platform/kernel/clock.js';
import { FakeLedger } from '#platform/ledger/ledger.fake.js';
import { PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { paidWorkContract } from '#platform/ledger/paid-work/paid-work.contract.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { NOW, SETTINGS } from '../embeddings-world.fixture.js';
import { readRerankBody } from '../rerank.js';
import { ScoreHandler } from './score.handler.js';
import { rankingAsked, readModerationBody, type ScoringAsked } from './scoring-asked.js';
import {
  type RigScores,
  type ScoringFailure,
  ScoringModels,
  type ScoringOrder,
  ScoringRigs,
  type ScoringTask,
} from './scoring.ports.js';

class OneOfEach extends ScoringModels {
  constructor(private readonly tasks: readonly ScoringTask[] = ['rerank', 'moderation']) {
    super();
  }

  override all(task: ScoringTask) {
    const model = { id: task, upstreamId: `${task}-1`, contextTokens: 100, chargesCancelled: true };
    return this.tasks.includes(task) ? [model] : [];
  }

  override rateFor() {
    return {
      version: 3,
      inputMicroUsdPerMtok: '1000000',
      outputMicroUsdPerMtok: '0',
      searchMicroUsdPerThousand: '2000000',
      batchDiscountPercent: 50,
    };
  }

  override idOf(name: string) {
    return name === 'chats' ? name : undefined;
  }
}

class RigsError extends Error {
  constructor(readonly failure: ScoringFailure) {
    super('no rig answered');
  }
}

class ScriptedRigs extends ScoringRigs {
  readonly asked: ScoringOrder[] = [];
  answer: () => Promise<RigScores> = () => Promise.reject(new Error('nothing was scripted'));

  override check(): void {
    // Every rig is up.
  }

  override score(order: ScoringOrder) {
    this.asked.push(order);
    return this.answer();
  }

  override failureOf(error: unknown) {
    return error instanceof RigsError ? error.failure : null;
  }
}

const ANSWER: RigScores = {
  rig: 'theirs',
  attempts: [{ startedMs: 0, endedMs: 1 }],
  results: [{ index: 0, relevance_score: 1 }],
  id: null,
  modelAnswered: 'one',
  usage: { promptTokens: 2, source: 'provider' },
};

const rankingOf = (documents: readonly string[], query = 'aa', model = 'rerank'): ScoringAsked => {
  const read = readRerankBody({ model, query, documents });
  if ('asked' in read) return rankingAsked(read.asked);
  throw new Error(read.invalid.message);
};

const moderationOf = (input: unknown, model?: string): ScoringAsked => {
  const read = readModerationBody({ input, ...(model !== undefined && { model }) });
  if ('asked' in read) return read.asked;
  throw new Error(read.invalid.message);
};

const handlerOn = (
  paid: PaidRequests,
  rigs: ScoringRigs,
  clock: Clock,
  models: ScoringModels = new OneOfEach(),
) => new ScoreHandler(models, paid, rigs, (text) => `hash of ${text}`, SETTINGS, clock);

const open = (models: ScoringModels = new OneOfEach()) => {
  const [rigs, ledger] = [new ScriptedRigs(), new FakeLedger()];
  rigs.answer = () => Promise.resolve(ANSWER);
  const clock = { now: () => NOW };
  const paid = new PaidRequests(ledger, { settleMsMax: 60_000 }, clock);
  const handler = handlerOn(paid, rigs, clock, models);
  const context = contextOf('01996f4e-0000-7000-8000-000000000001', 'user:7');
  const score = (asked: ScoringAsked, signal = new AbortController().signal) =>
    handler.execute({ accountId: '7', receivedAtMs: NOW, asked, context }, signal);
  return { rigs, ledger, score };
};

paidWorkContract('scores', {
  requestMsMax: SETTINGS.requestMsMax,
  open: (paid, clock, work) => {
    const rigs = new ScriptedRigs();
    rigs.answer = async () => {
      await Promise.resolve();
      work();
      return ANSWER;
    };
    const handler = handlerOn(paid, rigs, clock);
    return Promise.resolve((order, signal) =>
      handler.execute({ ...order, asked: rankingOf(['b']) }, signal),
    );
  },
});

describe('scores for a caller', () => {
  it('are held for each document with the query, and for the searches', async () => {
    const { rigs, ledger, score } = open();
    await score(rankingOf(['größe', ...Array<string>(200).fill('x'.repeat(400))]));
    // 2 + 7 + 8 bytes; the context of the model 200 times. Two pieces for each long document.
    expect(ledger.orders).toMatchObject([
      {
        purpose: 'ranking',
        lines: [
          { meter: 'input_tokens', quantity: 20_017 },
          { meter: 'searches', quantity: 5 },
        ],
        evidence: { modelAsked: 'rerank', items: 201 },
      },
    ]);
    expect(rigs.asked).toMatchObject([
      { counted: { searches: 3 }, body: { model: 'rerank-1', top_n: 201 } },
    ]);
    expect(ledger.captures).toMatchObject([
      { lines: [{ meter: 'input_tokens', quantity: 2 }], evidence: { items: 201 } },
    ]);
  });

  it('are charged up to the bound, with the excess recorded', async () => {
    const { rigs, ledger, score } = open();
    const usage = { promptTokens: 50, searches: 3, source: 'provider' } as const;
    rigs.answer = () => Promise.resolve({ ...ANSWER, usage });
    await score(moderationOf('knots'));
    // A moderation has no searches, whatever the rig states.
    expect(ledger.captures).toMatchObject([
      { lines: [{ quantity: 13 }], excess: [{ meter: 'input_tokens', quantity: 37 }] },
    ]);
  });

  it.each([
    ['an unknown model', moderationOf('a', 'none'), 'there is no model none; see GET /v1/models'],
    ['a model of another kind', rankingOf(['b'], 'a', 'chats'), 'chats is of another kind'],
  ])('are refused by the name of %s, before anything is written', async (_, asked, message) => {
    const { ledger, score } = open();
    await expect(score(asked)).rejects.toThrow(message);
    expect(ledger.orders).toEqual([]);
  });

  it.each([
    [moderationOf('a'), 'moderation_model_not_found', 'a model of kind moderation'],
    [moderationOf('a', 'm'), 'moderation_model_not_found', 'a model of kind moderation'],
    [rankingOf(['b']), 'rerank_model_not_found', 'a model of kind rerank'],
  ])('say what the catalog lacks: %#', async (asked, code, missing) => {
    const error: unknown = await open(new OneOfEach([]))
      .score(asked)
      .catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code, message: expect.stringContaining(missing) });
  });

  it('cost the work that was done for a caller that left, and nothing before', async () => {
    const left = { reason: 'client_gone', isCancelled: true } as const;
    const usage = { promptTokens: 1, source: 'counted' } as const;
    const leaving = () => AbortSignal.abort(new RequestCutError('client_gone'));
    const { rigs, ledger, score } = open();
    rigs.answer = () =>
      Promise.reject(new RigsError({ ...left, used: { rig: 'theirs', attempts: 1, usage } }));
    await expect(score(rankingOf(['b']), leaving())).rejects.toMatchObject({ reason: left.reason });
    expect(ledger.captures).toMatchObject([
      { outcome: 'client_gone', lines: [{ quantity: 1 }], evidence: { outputHash: null } },
    ]);
    rigs.answer = () => Promise.reject(new RigsError({ ...left, used: null }));
    await expect(score(rankingOf(['b']), leaving())).rejects.toMatchObject({ reason: left.reason });
    expect(ledger.ends).toEqual(['capture client_gone', 'release client_gone']);
  });
});
