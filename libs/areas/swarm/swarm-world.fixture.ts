import { type PriceLine } from '#events/hold.vocabulary.js';
import {
  type Capture,
  type HoldEnd,
  type HoldOrder,
  type PlacedHold,
  type Release,
} from '#platform/ledger/hold.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { contextOf } from '#platform/runtime/command-context.js';
import { type EngineDefinition } from '#platform/tasks/engine.js';
import { Tasks } from '#platform/tasks/tasks.port.js';
import { ConsensusChats } from './consensus/consensus-chats.js';
import { ConsensusPlanner } from './consensus/consensus-plan.js';
import { Proposals } from './consensus/proposals.js';
import { type ChatAsked } from './chat-asked.js';
import { SpeculativeChats } from './speculative/speculative-chats.js';
import { SpeculativeSource } from './speculative/speculative-source.js';
import { SwarmAdmission } from './swarm-admission.js';
import {
  type JsonObject,
  MemberFailedError,
  type ModelAnswer,
  type ModelStream,
  type SwarmModel,
  SwarmModels,
  type SwarmUsage,
  type TokenCounts,
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

export const caller = (confirm?: () => Promise<boolean>) => ({
  accountId: '7',
  receivedAtMs: NOW_MS,
  context: contextOf(REQUEST_ID, 'user:7'),
  ...(confirm && { confirm }),
});

const linesOf = ({ inputTokens, outputTokens }: TokenCounts): readonly PriceLine[] => [
  { meter: 'input_tokens', quantity: inputTokens, unitPriceMicroUsd: '1', perUnits: 1 },
  { meter: 'output_tokens', quantity: outputTokens, unitPriceMicroUsd: '2', perUnits: 1 },
];

/** Records how holds end. */
export class RecordedLedger extends Ledger {
  readonly orders: HoldOrder[] = [];
  readonly captures: Capture[] = [];
  readonly ends: string[] = [];

  override demandFunds(): void {
    throw new Error('swarms price their orders at once');
  }

  override place(order: HoldOrder): Promise<PlacedHold> {
    this.orders.push(order);
    const { lines, expiresAt } = order;
    return Promise.resolve({ lines, expiresAt, amountMicroUsd: 9n, availableMicroUsd: 1n });
  }

  override renew(): Promise<PlacedHold> {
    throw new Error('a swarm renews no hold');
  }

  override capture(capture: Capture) {
    this.captures.push(capture);
    this.ends.push(`capture ${capture.outcome}`);
    return Promise.resolve({ eventId: 'e', chargedMicroUsd: 9n, availableMicroUsd: 1n });
  }

  override release({ reason }: Release): Promise<void> {
    this.ends.push(`release ${reason}`);
    return Promise.resolve();
  }

  override settle(): Promise<HoldEnd> {
    return Promise.resolve('free');
  }
}

const model = (id: string, more: Partial<SwarmModel> = {}): SwarmModel => ({
  id,
  file: null,
  draft: null,
  contextTokens: 4_096,
  maxOutputTokens: 10,
  rigs: [{ name: `rig-${id}`, kind: 'openai', isUp: true }],
  ...more,
});

const embedded = (id: string, draft: string | null): SwarmModel =>
  model(id, { file: `/${id}.gguf`, draft, rigs: [{ name: 'own', kind: 'embedded', isUp: true }] });

/** How the models of the fake behave. */
export interface Behaviour {
  /** What a member does; it may wait for the signal. */
  ask: (model: string, signal: AbortSignal) => Promise<string>;
  /** The texts of a stream; it may throw in between. */
  texts: (signal: AbortSignal) => AsyncGenerator<string, void, void>;
}

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
  override priceOf = () => ({ rateCardVersion: 1, linesOf });
  override boundOf = () => ({ inputTokens: 50, outputTokens: 10 });
  override speculationOf = () => Promise.resolve(null);

  override async ask(
    { model: id }: JsonObject,
    rig: string,
    signal: AbortSignal,
  ): Promise<ModelAnswer> {
    const text = await this.behaviour.ask(String(id), signal);
    return { rig, text, usage: { promptTokens: 4, completionTokens: 2, source: 'provider' } };
  }

  override stream({ model: id }: JsonObject, signal: AbortSignal): Promise<ModelStream> {
    const { behaviour } = this;
    async function* pages(): AsyncGenerator<readonly JsonObject[], SwarmUsage, void> {
      let completionTokens = 0;
      for await (const text of behaviour.texts(signal)) {
        completionTokens += 1;
        yield [chunkOf(text)];
      }
      return { promptTokens: 6, completionTokens, source: 'provider' };
    }
    return Promise.resolve({ rig: `rig-${String(id)}`, attempts: 1, pages: pages() });
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

export const startWorld = (behaviour: Behaviour) => {
  const ledger = new RecordedLedger();
  const models = new ScriptedModels(behaviour);
  const settings = { synthesisModel: null, requestMsMax: 60_000 };
  const clock = { now: () => NOW_MS };
  const admission = new SwarmAdmission(ledger, settings, clock);
  const hash = (text: string): string => Buffer.from(text).toString('hex').slice(0, 64);
  const planner = new ConsensusPlanner(models, settings, clock);
  const proposals = new Proposals(models);
  const source = new SpeculativeSource(new ScriptedTasks(behaviour), models);
  return {
    ledger,
    consensus: new ConsensusChats(models, planner, admission, proposals, hash),
    speculative: new SpeculativeChats(models, admission, source, hash, clock),
  };
};

export const memberFailed = (): Promise<never> =>
  Promise.reject(new MemberFailedError('rig x is down'));
