import { Inject, Injectable } from '@nestjs/common';
import { type ChargedLine } from '#events/hold.vocabulary.js';
import { doubtsOf, type UsageDoubt } from '#events/token-usage.vocabulary.js';
import { type PaidOrder } from '#platform/ledger/paid-work/paid-order.js';
import { type HeldRequest, PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { withinHold } from '#platform/ledger/paid-work/within-hold.js';
import { sumOfUsage, type Usage } from '#platform/chats/chat-usage.js';
import { cutOf, type RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { TEXT_HASHER, type TextHasher } from '#platform/secrets/keyed-hasher.js';
import { bodyOf } from '../chat-asked.js';
import { choiceOf } from '../chunk-text.js';
import {
  type AcceptedPart,
  type ModelStream,
  type SwarmModel,
  SwarmModels,
} from '../swarm-models.port.js';
import { releaseReason, startTexts, type SwarmStream, type SwarmTexts } from '../swarm-stream.js';
import { AGREEMENT_PERCENT, agreementOf } from './agreement.js';
import {
  AGGREGATOR,
  type ConsensusAsked,
  type ConsensusPlan,
  ConsensusPlanner,
} from './consensus-plan.js';
import { type ConsensusReport, type ReportedMember } from './consensus-report.js';
import { costTreeOf } from './cost-tree.js';
import { chargedPart, isAnswered, type Outcome, Proposals } from './proposals.js';
import { fittingTexts, synthesisMessages } from './synthesis.js';

export interface ConsensusOrder extends PaidOrder, ConsensusAsked {}

interface Proposed {
  readonly order: ConsensusOrder;
  readonly plan: ConsensusPlan;
  readonly held: HeldRequest;
  readonly outcomes: readonly Outcome[];
}

interface Charged {
  readonly lines: readonly ChargedLine[];
  readonly doubts: readonly UsageDoubt[];
}

interface Work extends Proposed {
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
   * @throws DomainError, SwarmRunError, the errors of inference: without a charge; RequestCutError,
   *   with a charge for the work that rigs had accepted if the caller left
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
    let outcomes: readonly Outcome[] = [];
    try {
      outcomes = await this.proposals.gather(plan.members, chat, signal);
      signal.throwIfAborted();
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
      const accepted = model.chargesCancelled ? this.models.acceptedOf(error) : null;
      if (cut) return this.#endCut({ order, plan, held, outcomes }, accepted, cut);
      await held.release(releaseReason(error));
      throw error;
    }
  }

  /**
   * Ends work that has no text: a caller that left pays for the work that rigs had accepted.
   * @throws cut
   */
  async #endCut(
    work: Proposed,
    synthesis: AcceptedPart | null,
    cut: RequestCutError,
  ): Promise<never> {
    const { held, outcomes } = work;
    const used = chargedOf(work, synthesis);
    if (cut.reason !== 'client_gone' || used.lines.length === 0) {
      await held.release(cut.reason);
      throw cut;
    }
    await held.capture({
      ...held.charged(used.lines),
      outcome: cut.reason,
      usageSource: sourceOf(work, synthesis),
      evidence: this.#evidence(work, agreedIn(outcomes).members, null, used.doubts),
    });
    throw cut;
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
      const written = { rig: synthesis.rig, usage: next.value };
      const cut = cutOf(signal);
      isSettled = true;
      if (cut && written.usage.completionTokens === 0) {
        const { chargesCancelled } = work.plan.synthesis;
        return await this.#endCut(work, chargesCancelled ? written : null, cut);
      }
      const used = chargedOf(work, written);
      const report = reportOf(work, withinHold(used.lines, held.lines).charged);
      const outcome = cut?.reason ?? 'completed';
      const entry = await held.capture({
        ...held.charged(used.lines),
        outcome,
        usageSource: sourceOf(work, written),
        evidence: this.#evidence(work, report.members, reply, used.doubts),
      });
      return { usage: totalOf(work, written), finishReason, entry, cut, report };
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

  #evidence(
    { order, plan, outcomes }: Proposed,
    reported: readonly ReportedMember[],
    reply: string | null,
    usageDoubts: readonly UsageDoubt[],
  ) {
    const members = reported.map(({ step, model, rig, seed, agrees }, index) => {
      const outcome = outcomes[index];
      const text = outcome && isAnswered(outcome) ? outcome.answer.text : null;
      return { step, model, rig, seed, agrees, replyHash: text === null ? null : this.hash(text) };
    });
    return {
      synthesisModel: plan.synthesis.id,
      members,
      agreementPercent: AGREEMENT_PERCENT,
      promptHash: this.hash(JSON.stringify(order.chat.messages)),
      replyHash: reply === null ? null : this.hash(reply),
      ...doubtsOf([{ usageDoubts }]),
    };
  }
}

/** The charges of each member whose work is charged, and of the synthesis. */
const chargedOf = ({ plan, outcomes }: Proposed, synthesis: AcceptedPart | null): Charged => {
  const lines: ChargedLine[] = [];
  const doubts = new Set<UsageDoubt>();
  const add = (step: string, model: SwarmModel, part: AcceptedPart | null): void => {
    if (!part) return;
    const charged = plan.charged(step, model, part.usage);
    lines.push(...charged.lines.map((line) => ({ ...line, rig: part.rig })));
    for (const doubt of charged.doubts) doubts.add(doubt);
  };
  for (const one of outcomes) add(one.member.step, one.member.model, chargedPart(one));
  add(AGGREGATOR, plan.synthesis, synthesis);
  return { lines, doubts: [...doubts] };
};

const sourceOf = (work: Proposed, synthesis: AcceptedPart | null): Usage['source'] =>
  usagesOf(work, synthesis).every(({ source }) => source === 'provider') ? 'provider' : 'counted';

const usagesOf = ({ outcomes }: Proposed, synthesis: AcceptedPart | null): readonly Usage[] =>
  [...outcomes.map(chargedPart), synthesis].flatMap((part) => (part ? [part.usage] : []));

/** Of all steps: what the charge is made of. */
const totalOf = (work: Proposed, synthesis: AcceptedPart): Usage => {
  const [first = synthesis.usage, ...others] = usagesOf(work, synthesis);
  return others.reduce<Usage>(sumOfUsage, first);
};

const reportOf = (
  { plan, outcomes, synthesis }: Work,
  charged: readonly ChargedLine[],
): ConsensusReport => {
  const { members, confidence } = agreedIn(outcomes);
  return {
    synthesisModel: plan.synthesis.id,
    synthesizerNode: synthesis.rig,
    members,
    confidence,
    costTree: costTreeOf(charged),
  };
};

const agreedIn = (
  outcomes: readonly Outcome[],
): Pick<ConsensusReport, 'members' | 'confidence'> => {
  const { agrees, confidence } = agreementOf(
    outcomes.filter(isAnswered).map(({ answer }) => answer.text),
  );
  const votes = agrees.values();
  const members = outcomes.map((outcome): ReportedMember => {
    const { step, model, rig, seed } = outcome.member;
    const failure = isAnswered(outcome) ? null : outcome.failure;
    const vote = failure === null && votes.next().value === true;
    return { step, model: model.id, rig, seed, failure, agrees: vote };
  });
  return { members, confidence };
};
