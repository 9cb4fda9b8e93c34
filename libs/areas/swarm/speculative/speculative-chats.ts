import { OUTPUT_METER } from '#events/token-meters.js';
import { Inject, Injectable } from '@nestjs/common';
import { type ChargedLine } from '#events/hold.vocabulary.js';
import { doubtsOf, type UsageDoubt } from '#events/token-usage.vocabulary.js';
import { type TariffTerms, type TokenTariff } from '#platform/chats/token-tariff.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type PaidOrder } from '#platform/ledger/paid-work/paid-order.js';
import { type HeldRequest, PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { cutOf, type RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { TEXT_HASHER, type TextHasher } from '#platform/secrets/keyed-hasher.js';
import { bodyOf, type ChatAsked } from '../chat-asked.js';
import { reject } from '../swarm.errors.js';
import { type AcceptedPart, SwarmModels } from '../swarm-models.port.js';
import { speculativeProduct } from '../swarm.products.js';
import { SWARM_SETTINGS, type SwarmSettings } from '../swarm.settings.js';
import { releaseReason, startTexts, type SwarmStream, type SwarmTexts } from '../swarm-stream.js';
import { chooseVerifier, type Verifier, type VerifierAsked } from './pair-choice.js';
import { type SpeculativeReport } from './speculative-report.js';
import { SpeculativeSource, type TextSource } from './speculative-source.js';

export const DRAFT_TOKENS_DEFAULT = 5;
export const DRAFT_TOKENS_MAX = 16;

export interface SpeculativeOrder extends PaidOrder, VerifierAsked {
  readonly chat: ChatAsked;
}

interface Held {
  readonly order: SpeculativeOrder;
  readonly verifier: Verifier;
  readonly held: HeldRequest;
  readonly tariff: TokenTariff;
  readonly terms: TariffTerms;
}

interface Work extends Held {
  readonly source: TextSource;
  readonly signal: AbortSignal;
}

/** Answers of a target with a draft: holds, decodes, charges the tokens of the answer. */
@Injectable()
export class SpeculativeChats {
  constructor(
    private readonly models: SwarmModels,
    private readonly paid: PaidRequests,
    private readonly source: SpeculativeSource,
    @Inject(TEXT_HASHER) private readonly hash: TextHasher,
    @Inject(SWARM_SETTINGS) private readonly settings: SwarmSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Resolves with the first text.
   * @param signal aborted with a `RequestCutError` when the caller leaves or the time is up
   * @throws DomainError, SwarmRunError, the errors of inference: without a charge; RequestCutError,
   *   with a charge for the prompt if the caller left and the rig had accepted it
   */
  async begin(
    order: SpeculativeOrder,
    signal: AbortSignal,
  ): Promise<SwarmStream<SpeculativeReport>> {
    const verifier = chooseVerifier(this.models, order);
    const { id } = verifier.model;
    const pricedAtMs = this.clock.now();
    const tariff =
      this.models.tariffOf(id, pricedAtMs) ??
      reject('swarm_model_unknown', `the model ${id} has no price`);
    const { terms, ...bound } = this.models.boundOf(bodyOf(id, order.chat));
    const held = await this.paid.admit(order, {
      purpose: speculativeProduct.purpose,
      model: verifier.model.id,
      lines: tariff.held(bound, terms),
      rateCardVersion: tariff.rateCardVersion,
      shrink: order.chat.maxTokens === null ? { meter: OUTPUT_METER, atLeast: 1 } : null,
      evidence: modelsOf(verifier),
      pricedAtMs,
      requestMsMax: this.settings.requestMsMax,
    });
    const begun = { order, verifier, held, tariff, terms };
    const source = await this.#open(begun, signal);
    const texts = this.#texts({ ...begun, source, signal });
    const { rig, attempts } = source;
    return { rig, attempts, texts: await startTexts(texts), ...held.pace };
  }

  async #open(work: Held, signal: AbortSignal): Promise<TextSource> {
    const { order, verifier, held } = work;
    const { chat, draftTokensMax } = order;
    const limit = held.lines.find(({ meter }) => meter === OUTPUT_METER)?.quantity ?? 1;
    const asked = { ...chat, maxTokens: limit };
    if (verifier.kind === 'pair') {
      const steps = draftTokensMax ?? DRAFT_TOKENS_DEFAULT;
      return this.source.ofPair(verifier, asked, steps, signal);
    }
    try {
      const { id, rigs } = verifier.model;
      const rig = rigs.find(({ isUp }) => isUp) ?? rigs[0];
      return await this.source.ofUpstream(bodyOf(id, asked), rig?.name ?? '', signal);
    } catch (error) {
      const cut = cutOf(signal);
      if (cut) return this.#endCut(work, this.models.acceptedOf(error), cut);
      await held.release(releaseReason(error));
      throw error;
    }
  }

  /** Ends work without a text: a caller that left pays for an accepted prompt. @throws cut */
  async #endCut(work: Held, accepted: AcceptedPart | null, cut: RequestCutError): Promise<never> {
    const { held, verifier } = work;
    const isCharged = cut.reason === 'client_gone' && verifier.model.chargesCancelled;
    if (!isCharged || !accepted || accepted.usage.promptTokens === 0) {
      await held.release(cut.reason);
      throw cut;
    }
    const charged = chargedOf(work, accepted);
    await held.capture({
      ...held.charged(charged.lines),
      usageSource: accepted.usage.source,
      outcome: cut.reason,
      evidence: this.#evidence(work, NOT_MEASURED, null, charged.doubts),
    });
    throw cut;
  }

  async *#texts(work: Work): SwarmTexts<SpeculativeReport> {
    const { held, source, signal } = work;
    let reply = '';
    let isSettled = false;
    try {
      let next = await source.texts.next();
      for (; !next.done; next = await source.texts.next()) {
        reply += next.value;
        yield next.value;
      }
      const { usage, finishReason, measured } = next.value;
      const written = { rig: source.rig, usage };
      const report = reportOf(work, measured);
      const cut = cutOf(signal);
      isSettled = true;
      if (cut && usage.completionTokens === 0) return await this.#endCut(work, written, cut);
      const charged = chargedOf(work, written);
      const entry = await held.capture({
        ...held.charged(charged.lines),
        usageSource: usage.source,
        outcome: cut?.reason ?? 'completed',
        evidence: this.#evidence(work, report, reply, charged.doubts),
      });
      return { usage, finishReason, entry, cut, report };
    } catch (error) {
      const cut = cutOf(signal);
      if (isSettled) throw error;
      isSettled = true;
      await held.release(releaseReason(cut ?? error));
      throw cut ?? error;
    } finally {
      if (!isSettled) {
        await source.texts[Symbol.asyncDispose]();
        await held.release('client_gone');
      }
    }
  }

  #evidence(
    { order, verifier }: Held,
    { counts, source }: Pick<SpeculativeReport, 'counts' | 'source'>,
    reply: string | null,
    usageDoubts: readonly UsageDoubt[],
  ) {
    const steps = order.draftTokensMax ?? DRAFT_TOKENS_DEFAULT;
    return {
      ...modelsOf(verifier),
      counts,
      source,
      draftTokensMax: verifier.kind === 'pair' ? steps : null,
      promptHash: this.hash(JSON.stringify(order.chat.messages)),
      replyHash: reply === null ? null : this.hash(reply),
      ...doubtsOf([{ usageDoubts }]),
    };
  }
}

const modelsOf = (verifier: Verifier) => ({
  model: verifier.model.id,
  draftModel: verifier.kind === 'pair' ? verifier.draft.id : null,
});

const chargedOf = ({ tariff, terms }: Held, { rig, usage }: AcceptedPart) => {
  const { lines, doubts } = tariff.charged(usage, terms);
  return { lines: lines.map((line): ChargedLine => ({ ...line, rig })), doubts };
};

const NOT_MEASURED = { counts: null, source: null, speedup: null, comparedRequests: 0 };

const reportOf = (
  { verifier, source: { rig } }: Work,
  measured: Partial<SpeculativeReport> | null,
): SpeculativeReport => ({
  ...NOT_MEASURED,
  ...measured,
  ...modelsOf(verifier),
  generatorNode: rig,
  verifierNode: rig,
});
