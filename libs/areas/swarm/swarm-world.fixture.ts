import { type Clock } from '#platform/kernel/clock.js';
import { FakeLedger } from '#platform/ledger/ledger.fake.js';
import { PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { type EngineDefinition } from '#platform/tasks/engine.js';
import { Tasks } from '#platform/tasks/tasks.port.js';
import { type Usage } from '#platform/chats/chat-usage.js';
import { type TokenRate, TokenTariff } from '#platform/chats/token-tariff.js';
import { ConsensusChats } from './consensus/consensus-chats.js';
import { ConsensusPlanner } from './consensus/consensus-plan.js';
import { Proposals } from './consensus/proposals.js';
import { type ChatAsked } from './chat-asked.js';
import { SpeculativeChats } from './speculative/speculative-chats.js';
import { SpeculativeSource } from './speculative/speculative-source.js';
import {
  type AcceptedPart,
  type JsonObject,
  MemberFailedError,
  type ModelAnswer,
  type ModelStream,
  type SwarmModel,
  SwarmModels,
} from './swarm-models.port.js';

export const NOW_MS = Date.parse('2026-11-21T05:00:00.000Z');
const REQUEST_ID = '01890a5d-ac96-774b-bcce-b302099a8057';

export const CHAT: ChatAsked = {
  messages: [{ role: 'user', content: 'What is a quipu?' }],
  maxTokens: 10,
  temperature: 0.7,
  topP: null,
  seed: 7,
  stop: [],
};

export const caller = () => ({
  accountId: '7',
  receivedAtMs: NOW_MS,
  context: contextOf(REQUEST_ID, 'user:7'),
});

/** A micro-dollar for a token of a prompt, two for one of an answer. */
const RATE: TokenRate = {
  version: 1,
  inputMicroUsdPerMtok: '1000000',
  outputMicroUsdPerMtok: '2000000',
  batchDiscountPercent: 0,
};

const model = (id: string, more: Partial<SwarmModel> = {}): SwarmModel => ({
  id,
  file: null,
  draft: null,
  contextTokens: 4_096,
  maxOutputTokens: 10,
  chargesCancelled: id !== 'beta',
  rigs: [{ name: `rig-${id}`, kind: 'openai', isUp: true }],
  ...more,
});

const embedded = (id: string, draft: string | null): SwarmModel =>
  model(id, { file: `/${id}.gguf`, draft, rigs: [{ name: 'own', kind: 'embedded', isUp: true }] });

/** How the models of the fake behave. */
export interface Behaviour {
  /** The behaviour of a member; it may wait for the signal. */
  ask: (model: string, signal: AbortSignal) => Promise<string>;
  /** The texts of a stream; it may throw in between. */
  texts: (signal: AbortSignal) => AsyncGenerator<string, void, void>;
  /** Before the first page of an upstream. */
  begin?: () => Promise<void>;
}

/** Of a request that its rig had accepted when the caller left. */
export class LeftError extends MemberFailedError {
  constructor(readonly accepted: AcceptedPart) {
    super('the caller left');
  }
}

export const leftAt = (rig: string): LeftError =>
  new LeftError({ rig, usage: { promptTokens: 5, completionTokens: 0, source: 'counted' } });

export const chunkOf = (content: string): JsonObject => ({
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
});

class ScriptedModels extends SwarmModels {
  readonly #models = [
    model('alpha'),
    model('beta'),
    embedded('target', 'draft'),
    embedded('draft', null),
  ];

  constructor(private readonly behaviour: Behaviour) {
    super();
  }

  override list = (): readonly SwarmModel[] => this.#models;
  override find = (id: string): SwarmModel | undefined => this.#models.find((one) => one.id === id);
  override tariffOf = (id: string) =>
    TokenTariff.at({ rateFor: () => RATE, idOf: (name) => name }, id, NOW_MS);
  override boundOf = () => ({ inputTokens: 50, outputTokens: 10, terms: {} });
  override speculationOf = () => Promise.resolve(null);
  override acceptedOf = (error: unknown): AcceptedPart | null =>
    error instanceof LeftError ? error.accepted : null;

  override async ask(
    { model: id }: JsonObject,
    rig: string,
    signal: AbortSignal,
  ): Promise<ModelAnswer> {
    const text = await this.behaviour.ask(String(id), signal);
    return { rig, text, usage: { promptTokens: 4, completionTokens: 2, source: 'provider' } };
  }

  override async stream({ model: id }: JsonObject, signal: AbortSignal): Promise<ModelStream> {
    const { behaviour } = this;
    await behaviour.begin?.();
    async function* pages(): AsyncGenerator<readonly JsonObject[], Usage, void> {
      let completionTokens = 0;
      for await (const text of behaviour.texts(signal)) {
        completionTokens += 1;
        yield [chunkOf(text)];
      }
      return { promptTokens: 6, completionTokens, source: 'provider' };
    }
    return { rig: `rig-${String(id)}`, attempts: 1, pages: pages() };
  }
}

class ScriptedTasks extends Tasks {
  override readonly seesLocalFiles = true;

  constructor(private readonly behaviour: Behaviour) {
    super();
  }

  override async *run<Input, Piece, End>(
    { piece, end }: EngineDefinition<Input, Piece, End>,
    _input: Input,
    signal: AbortSignal,
  ): AsyncGenerator<Piece, End | null, void> {
    let completionTokens = 0;
    for await (const text of this.behaviour.texts(signal)) {
      completionTokens += 1;
      yield piece.parse([text, completionTokens, 6]);
    }
    if (signal.aborted) return null;
    const counts = { draftTokens: 5, acceptedTokens: 1, targetCalls: 1, plainCalls: 2 };
    return end.parse({
      promptTokens: 6,
      completionTokens,
      finishReason: 'stop',
      comparison: null,
      counts: { ...counts, targetEvaluatedTokens: 11, draftEvaluatedTokens: 10 },
    });
  }
}

export const SETTINGS = { synthesisModel: null, requestMsMax: 60_000 };

export const chatsOn = (behaviour: Behaviour, paid: PaidRequests, clock: Clock) => {
  const models = new ScriptedModels(behaviour);
  const hash = (text: string): string => Buffer.from(text).toString('hex').slice(0, 64);
  const planner = new ConsensusPlanner(models, SETTINGS, clock);
  const proposals = new Proposals(models);
  const source = new SpeculativeSource(new ScriptedTasks(behaviour), models);
  return {
    consensus: new ConsensusChats(models, planner, paid, proposals, hash),
    speculative: new SpeculativeChats(models, paid, source, hash, SETTINGS, clock),
  };
};

export const startWorld = (behaviour: Behaviour) => {
  const ledger = new FakeLedger();
  const clock = { now: () => NOW_MS };
  const paid = new PaidRequests(ledger, { settleMsMax: 60_000 }, clock);
  return { ledger, ...chatsOn(behaviour, paid, clock) };
};

export const memberFailed = (): Promise<never> =>
  Promise.reject(new MemberFailedError('rig x is down'));
