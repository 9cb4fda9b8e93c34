import { Inject, Injectable } from '@nestjs/common';
import { type ChargedLine } from '#events/hold.vocabulary.js';
import { type PaidOrder } from '#platform/ledger/paid-work/paid-order.js';
import { type HeldRequest, PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { withinHold } from '#platform/ledger/paid-work/within-hold.js';
import { cutOf } from '#platform/runtime/request-cut.js';
import { type Usage } from '#platform/chats/chat-usage.js';
import { TEXT_HASHER, type TextHasher } from '#platform/secrets/keyed-hasher.js';
import { bodyOf } from '../chat-asked.js';
import { choiceOf } from '../chunk-text.js';
import { type ModelStream, SwarmModels } from '../swarm-models.port.js';
import { releaseReason, startTexts, type SwarmStream, type SwarmTexts } from '../swarm-stream.js';
import { AGREEMENT_PERCENT, agreementOf } from './agreement.js';
import {
  AGGREGATOR,
  type ConsensusAsked,
  type ConsensusPlan,
  ConsensusPlanner,
} from './consensus-plan.js';
import { type ConsensusReport } from './consensus-report.js';
import { costTreeOf } from './cost-tree.js';
import { isAnswered, type Outcome, Proposals } from './proposals.js';
import { fittingTexts, synthesisMessages } from './synthesis.js';

export interface ConsensusOrder extends PaidOrder, ConsensusAsked {}

interface Work {
  readonly order: ConsensusOrder;
  readonly plan: ConsensusPlan;
  readonly held: HeldRequest;
  readonly outcomes: readonly Outcome[];
  readonly synthesis: ModelStream;
  readonly signal: AbortSignal;
}

/** Proposals of several models and their synthesis, under one hold and one charge. */
@Injectable()
export class ConsensusChats {
  constructor(
    private readonly models: SwarmModels,
    private readonly planner: ConsensusPlanner,
    private readonly paid: PaidRequests,
    private readonly proposals: Proposals,
    @Inject(TEXT_HASHER) private readonly hash: TextHasher,
  ) {}

  /**
   * Resolves with the first text of the synthesis.
   * @param signal aborted with a `RequestCutError` when the caller leaves or the time is up
   * @throws DomainError, SwarmRunError, RequestCutError, the errors of inference: without a charge
   */
  async begin(order: ConsensusOrder, signal: AbortSignal): Promise<SwarmStream<ConsensusReport>> {
    const plan = this.planner.plan(order);
    const held = await this.paid.admit({ ...order, signal }, plan.worst);
    const work = await this.#synthesize(order, plan, held, signal);
    const { rig, attempts } = work.synthesis;
    const texts = await startTexts(this.#texts(work));
    return { rig, attempts, texts, ...held.pace };
  }

  async #synthesize(
    order: ConsensusOrder,
    plan: ConsensusPlan,
    held: HeldRequest,
    signal: AbortSignal,
  ): Promise<Work> {
    const { chat } = order;
    const { synthesis: model, outputTokens, proposalTokensMax } = plan;
    try {
      const outcomes = await this.proposals.gather(plan.members, chat, signal);
      const answers = outcomes.filter(isAnswered).map(({ answer }) => answer);
      const texts = fittingTexts(
        answers.map(({ text, usage: { completionTokens } }) => ({ text, completionTokens })),
        {
          outputTokens,
          proposalTokensMax,
          contextTokens: model.contextTokens,
          promptTokens: Math.max(...answers.map(({ usage }) => usage.promptTokens)),
        },
      );
      const messages = synthesisMessages(chat.messages, texts);
      const body = bodyOf(model.id, { ...chat, messages, maxTokens: outputTokens });
      const synthesis = await this.models.stream(body, signal);
      return { order, plan, held, outcomes, synthesis, signal };
    } catch (error) {
      const cut = cutOf(signal);
      await held.release(releaseReason(cut ?? error));
      throw cut ?? error;
    }
  }

  async *#texts(work: Work): SwarmTexts<ConsensusReport> {
    const { held, synthesis, signal } = work;
    let reply = '';
    let finishReason: 'stop' | 'length' = 'stop';
    let isSettled = false;
    try {
      let next = await synthesis.pages.next();
      for (; !next.done; next = await synthesis.pages.next()) {
        for (const chunk of next.value) {
          const { text, finish } = choiceOf(chunk);
          if (finish === 'length') finishReason = finish;
          reply += text;
          if (text !== '') yield text;
        }
      }
      const usage = next.value;
      const cut = cutOf(signal);
      isSettled = true;
      if (cut && usage.completionTokens === 0) {
        await held.release(cut.reason);
        throw cut;
      }
      const used = linesOf(work, usage);
      const report = reportOf(work, withinHold(used, held.lines).charged);
      const outcome = cut?.reason ?? 'completed';
      const entry = await held.capture({
        ...held.charged(used),
        outcome,
        model: report.synthesisModel,
        usageSource: sourceOf(work, usage),
        evidence: this.#evidence(work, report, reply),
      });
      return { usage: totalOf(work, usage), finishReason, entry, cut, report };
    } catch (error) {
      const cut = cutOf(signal);
      if (isSettled) throw error;
      isSettled = true;
      await held.release(releaseReason(cut ?? error));
      throw cut ?? error;
    } finally {
      if (!isSettled) {
        await synthesis.pages[Symbol.asyncDispose]();
        await held.release('client_gone');
      }
    }
  }

  #evidence({ order, outcomes }: Work, report: ConsensusReport, reply: string) {
    const members = report.members.map(({ step, model, rig, seed, agrees }, index) => {
      const outcome = outcomes[index];
      const text = outcome && isAnswered(outcome) ? outcome.answer.text : null;
      return { step, model, rig, seed, agrees, replyHash: text === null ? null : this.hash(text) };
    });
    return {
      synthesisModel: report.synthesisModel,
      members,
      agreementPercent: AGREEMENT_PERCENT,
      promptHash: this.hash(JSON.stringify(order.chat.messages)),
      replyHash: this.hash(reply),
    };
  }
}

/** The lines of each member that answered, and of the synthesis. */
const linesOf = ({ plan, outcomes, synthesis }: Work, usage: Usage): ChargedLine[] => {
  const branches = outcomes.filter(isAnswered).flatMap(({ member, answer }) => {
    const lines = plan.linesOf(member.step, member.model, tokensOf(answer.usage));
    return lines.map((line): ChargedLine => ({ ...line, rig: answer.rig }));
  });
  const own = plan.linesOf(AGGREGATOR, plan.synthesis, tokensOf(usage));
  return [...branches, ...own.map((line): ChargedLine => ({ ...line, rig: synthesis.rig }))];
};

const tokensOf = ({ promptTokens, completionTokens }: Usage) => ({
  inputTokens: promptTokens,
  outputTokens: completionTokens,
});

const sourceOf = (work: Work, usage: Usage): Usage['source'] =>
  usagesOf(work, usage).every(({ source }) => source === 'provider') ? 'provider' : 'counted';

const usagesOf = ({ outcomes }: Work, usage: Usage): readonly Usage[] => [
  ...outcomes.filter(isAnswered).map(({ answer }) => answer.usage),
  usage,
];

/** Of all steps: what the charge is made of. */
const totalOf = (work: Work, usage: Usage): Usage => {
  const usages = usagesOf(work, usage);
  return {
    promptTokens: usages.reduce((sum, { promptTokens }) => sum + promptTokens, 0),
    completionTokens: usages.reduce((sum, { completionTokens }) => sum + completionTokens, 0),
    source: sourceOf(work, usage),
  };
};

const reportOf = (
  { plan, outcomes, synthesis }: Work,
  charged: readonly ChargedLine[],
): ConsensusReport => {
  const { agrees, confidence } = agreementOf(
    outcomes.filter(isAnswered).map(({ answer }) => answer.text),
  );
  const votes = agrees.values();
  const members = outcomes.map((outcome) => {
    const { step, model, rig, seed } = outcome.member;
    const failure = isAnswered(outcome) ? null : outcome.failure;
    const vote = failure === null && votes.next().value === true;
    return { step, model: model.id, rig, seed, failure, agrees: vote };
  });
  return {
    synthesisModel: plan.synthesis.id,
    synthesizerNode: synthesis.rig,
    members,
    confidence,
    costTree: costTreeOf(charged),
  };
};
