import { Injectable } from '@nestjs/common';
import { bodyOf, type ChatAsked } from '../chat-asked.js';
import { SwarmRunError } from '../swarm.errors.js';
import {
  type AcceptedPart,
  MemberFailedError,
  type ModelAnswer,
  SwarmModels,
} from '../swarm-models.port.js';
import { type Member } from './members.js';

/** The outcome of a member. */
export type Outcome =
  | { readonly member: Member; readonly answer: ModelAnswer }
  | {
      readonly member: Member;
      readonly failure: string;
      /** Of an answer that was aborted. */
      readonly accepted?: AcceptedPart | null;
    };

export type Answered = Extract<Outcome, { answer: unknown }>;

export const isAnswered = (outcome: Outcome): outcome is Answered => 'answer' in outcome;

/** The part of a member's work that is charged; null for one that failed. */
export const chargedPart = (outcome: Outcome): AcceptedPart | null =>
  isAnswered(outcome) ? outcome.answer : (outcome.accepted ?? null);

/** Asks all members at the same time. */
@Injectable()
export class Proposals {
  constructor(private readonly models: SwarmModels) {}

  /**
   * In the order of the members. At least one has answered, unless the signal ended them.
   * @throws SwarmRunError `no_proposal`
   */
  async gather(
    members: readonly Member[],
    chat: ChatAsked,
    signal: AbortSignal,
  ): Promise<readonly Outcome[]> {
    // A defect in one of them stops the others, and is thrown once they have ended.
    const stop = new AbortController();
    const either = AbortSignal.any([signal, stop.signal]);
    const asked = members.map(async (member) => {
      try {
        return await this.#ask(member, chat, either);
      } catch (error) {
        stop.abort();
        throw error;
      }
    });
    const settled = await Promise.allSettled(asked);
    const outcomes = settled.map((one) => {
      if (one.status === 'fulfilled') return one.value;
      throw one.reason;
    });
    if (!signal.aborted && !outcomes.some(isAnswered))
      throw new SwarmRunError('no_proposal', reasonOf(outcomes));
    return outcomes;
  }

  async #ask(member: Member, chat: ChatAsked, signal: AbortSignal): Promise<Outcome> {
    const { model, rig, seed } = member;
    try {
      const answer = await this.models.ask(bodyOf(model.id, { ...chat, seed }), rig, signal);
      if (answer.text.trim() === '') return { member, failure: `rig ${rig} gave an empty answer` };
      return { member, answer };
    } catch (error) {
      if (!(error instanceof MemberFailedError)) throw error;
      const accepted = model.chargesCancelled ? this.models.acceptedOf(error) : null;
      return { member, failure: error.message, accepted };
    }
  }
}

const reasonOf = (outcomes: readonly Outcome[]): string => {
  const failures = outcomes.map((outcome) => ('failure' in outcome ? outcome.failure : ''));
  return `no member of the consensus answered: ${[...new Set(failures)].join('; ')}`;
};
