import { FakeLedger } from '#platform/ledger/ledger.fake.js';
import { PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { type Clock } from '#platform/kernel/clock.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { type CheckedEmbeddings, checkEmbeddings } from './checked-embeddings.js';
import { CreateEmbeddingsHandler } from './create-embeddings.handler.js';
import { EmbeddingAdmission } from './embedding-admission.js';
import { type EmbeddingAsked, readEmbeddingBody } from './embedding-body.js';
import {
  type EmbeddingModel,
  EmbeddingModels,
  EmbeddingRigs,
  type RigEmbeddings,
  type RigOrder,
  type RigsFailure,
} from './ports.js';

export const NOW = Date.parse('2026-11-22T10:00:00.000Z');
const REQUEST_ID = '01996f4e-0000-7000-8000-000000000001';

export const MODEL: EmbeddingModel = {
  id: 'small',
  upstreamId: 'small-1',
  contextTokens: 100,
  dimensions: 4,
  chargesCancelled: true,
};

/** One model, at a micro-dollar a token, and half of it in a batch. */
export class OneModel extends EmbeddingModels {
  constructor(private readonly served: EmbeddingModel = MODEL) {
    super();
  }

  override model(id: string) {
    return id === this.served.id ? this.served : undefined;
  }

  override rateFor(modelId: string) {
    if (modelId !== this.served.id) return undefined;
    return {
      version: 3,
      inputMicroUsdPerMtok: '1000000',
      outputMicroUsdPerMtok: '0',
      batchDiscountPercent: 50,
    };
  }

  override idOf(name: string) {
    return this.model(name)?.id;
  }
}

/** An error of the scripted rigs. */
export class RigsError extends Error {
  constructor(readonly failure: RigsFailure) {
    super('no rig answered');
  }
}

/** One rig that answers by its script. */
export class ScriptedRigs extends EmbeddingRigs {
  readonly asked: RigOrder[] = [];
  rejection: Error | null = null;
  answer: () => Promise<RigEmbeddings> = () => Promise.reject(new Error('nothing was scripted'));

  override check(): void {
    if (this.rejection) throw this.rejection;
  }

  override rejectFields(): void {
    this.check();
  }

  override embed(order: RigOrder) {
    this.asked.push(order);
    return this.answer();
  }

  override failureOf(error: unknown) {
    return error instanceof RigsError ? error.failure : null;
  }
}

export const askedOf = (body: object = {}): EmbeddingAsked => {
  const read = readEmbeddingBody({ model: MODEL.id, input: 'knots', ...body });
  if ('asked' in read) return read.asked;
  throw new Error(read.invalid.message);
};

export const checkedOf = (body: object = {}): CheckedEmbeddings =>
  checkEmbeddings(askedOf(body), new OneModel());

/** The answer to inputs: a vector for each. */
export const answerTo = (inputs: number, promptTokens = 2): RigEmbeddings => ({
  rig: 'built-in',
  attempts: [{ startedMs: 0, endedMs: 1 }],
  vectors: Array.from({ length: inputs }, () => 'AACAPwAAAAA='),
  dimensions: 2,
  modelAnswered: 'small-1',
  usage: { promptTokens, source: 'provider' },
});

export const SETTINGS = { requestMsMax: 1_000 };

export const handlerOn = (
  paid: PaidRequests,
  models: EmbeddingModels,
  rigs: EmbeddingRigs,
  clock: Clock,
): CreateEmbeddingsHandler => {
  const hash = (text: string): string => `hash of ${text}`;
  const admission = new EmbeddingAdmission(models, paid, rigs, hash, SETTINGS, clock);
  return new CreateEmbeddingsHandler(models, admission, rigs, hash);
};

/** The handler on fakes. */
export const openEmbeddings = (model: EmbeddingModel = MODEL) => {
  const [models, rigs, ledger] = [new OneModel(model), new ScriptedRigs(), new FakeLedger()];
  const clock = { now: () => NOW };
  const paid = new PaidRequests(ledger, { settleMsMax: 60_000 }, clock);
  const handler = handlerOn(paid, models, rigs, clock);
  const create = (body: object = {}, signal = new AbortController().signal) =>
    handler.execute(
      {
        accountId: '7',
        receivedAtMs: NOW,
        asked: askedOf(body),
        context: contextOf(REQUEST_ID, 'user:7'),
      },
      signal,
    );
  return { models, rigs, ledger, create };
};
