import { Inject, Injectable } from '@nestjs/common';
import { randomInt } from 'node:crypto';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type TokenQuantities, type Usage } from '#platform/chats/chat-usage.js';
import { type ChargedUsage } from '#platform/chats/token-tariff.js';
import { ofModel } from '#platform/ledger/price-card.js';
import { underStep } from '#platform/ledger/steps.js';
import { type WorstCase } from '#platform/ledger/paid-work/paid-request.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { bodyOf, type ChatAsked } from '../chat-asked.js';
import { reject } from '../swarm.errors.js';
import { type SwarmModel, SwarmModels } from '../swarm-models.port.js';
import { consensusProduct } from '../swarm.products.js';
import { SWARM_SETTINGS, type SwarmSettings } from '../swarm.settings.js';
import { chooseMembers, type Member, proposersOf } from './members.js';
import { addedBytesMax } from './synthesis.js';

export const FANOUT_DEFAULT = 3;
export const FANOUT_MAX = 8;
export const AGGREGATOR = 'aggregator';

const SEED_BELOW = 2 ** 31;

export interface ConsensusAsked {
  readonly chat: ChatAsked;
  readonly fanout: number;
  /** Null for the model that the settings name. */
  readonly synthesisModel: string | null;
  /** Ids of the models that propose; null for the members in the catalog. */
  readonly memberModels: readonly string[] | null;
}

/** Who takes part, and what each step may cost. */
export interface ConsensusPlan {
  readonly synthesis: SwarmModel;
  readonly members: readonly Member[];
  /** Of every step. */
  readonly worst: WorstCase;
  /** The lines of a charge for the work of a step, and what is doubtful about its usage. */
  charged(step: string, model: SwarmModel, usage: Usage): ChargedUsage;
  /** Of the synthesis. */
  readonly outputTokens: number;
  /** The most that one member may write. */
  readonly proposalTokensMax: number;
}

@Injectable()
export class ConsensusPlanner {
  constructor(
    private readonly models: SwarmModels,
    @Inject(SWARM_SETTINGS) private readonly settings: SwarmSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError for models that cannot take part, or for a chat that is too long */
  plan({ chat, fanout, synthesisModel, memberModels }: ConsensusAsked): ConsensusPlan {
    const synthesis = this.#synthesisModel(synthesisModel);
    const proposers = memberModels?.map((id) => this.#member(id)) ?? proposersOf(this.#all());
    const members = chooseMembers(proposers, fanout, chat.seed ?? randomInt(SEED_BELOW));
    if (members.length === 0) {
      reject('member_model_unknown', 'no model of the catalog has a rig that is up');
    }
    const now = this.clock.now();
    const tariffs = new Map(
      [synthesis, ...members.map(({ model }) => model)].map((model) => [
        model.id,
        this.models.tariffOf(model.id, now) ?? unknown(model.id),
      ]),
    );
    const tariffOf = ({ id }: SwarmModel) => tariffs.get(id) ?? unknown(id);
    const { terms, ...asked } = this.models.boundOf(bodyOf(synthesis.id, chat));
    const inStep = (step: string, { id }: SwarmModel, lines: readonly PriceLine[]) =>
      underStep(step, ofModel(id, lines));
    const charged: ConsensusPlan['charged'] = (step, model, usage) => {
      const { lines, doubts } = tariffOf(model).charged(usage, terms);
      return { lines: inStep(step, model, lines), doubts };
    };
    const heldIn = (step: string, model: SwarmModel, bound: TokenQuantities) =>
      inStep(step, model, tariffOf(model).held(bound, terms));
    const bounds = members.map(({ model }) => this.models.boundOf(bodyOf(model.id, chat)));
    const proposalTokensMax = Math.max(...bounds.map(({ outputTokens }) => outputTokens));
    // A byte-level tokenizer spends at most one token on a byte.
    const added = addedBytesMax(members.length, proposalTokensMax);
    const inputTokens = Math.min(synthesis.contextTokens, asked.inputTokens + added);
    const bound = { ...asked, inputTokens };
    const lines = members.flatMap(({ step, model }, index) =>
      heldIn(step, model, bounds[index] ?? bound),
    );
    return {
      synthesis,
      members,
      charged,
      proposalTokensMax,
      outputTokens: bound.outputTokens,
      worst: {
        purpose: consensusProduct.purpose,
        model: synthesis.id,
        lines: [...lines, ...heldIn(AGGREGATOR, synthesis, bound)],
        rateCardVersion: tariffOf(synthesis).rateCardVersion,
        evidence: {
          synthesisModel: synthesis.id,
          members: members.map(({ step, model, rig, seed }) => ({
            step,
            model: model.id,
            rig,
            seed,
          })),
        },
        pricedAtMs: now,
        requestMsMax: this.settings.requestMsMax,
      },
    };
  }

  #synthesisModel(asked: string | null): SwarmModel {
    const id = asked ?? this.settings.synthesisModel ?? proposersOf(this.#all())[0]?.id;
    const found = id === undefined ? undefined : this.models.find(id);
    if (found) return found;
    const named = id ?? 'that merges proposals';
    const detail = `the model ${named} is not in the catalog; see GET /v1/models`;
    return reject('synthesis_model_unknown', detail);
  }

  #member(id: string): SwarmModel {
    return this.models.find(id) ?? unknown(id);
  }

  #all(): readonly SwarmModel[] {
    return this.models.list();
  }
}

const unknown = (id: string): never =>
  reject('member_model_unknown', `the model ${id} is not in the catalog; see GET /v1/models`);
