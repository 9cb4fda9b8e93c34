import { type LostRig } from '#events/inference/chat.evidence.js';
import { REASON_OF_PART, type ScoreParts, totalOf } from './rig-choice.js';

/** Rigs that lost a choice and are named. */
export const LOST_RIGS_MAX = 16;

/** A rig that could have been chosen, with the parts of its score. */
export interface ScoredRig {
  readonly rig: string;
  readonly parts: ScoreParts;
}

const PARTS = Object.keys(REASON_OF_PART) as readonly (keyof ScoreParts)[];

/** Why a rig with a slot lost against the winner. */
export const lostTo = (winner: ScoreParts, { rig, parts }: ScoredRig): LostRig => {
  let [reason, worst]: [LostRig['reason'], number] = ['equal', 0];
  for (const part of PARTS) {
    const behind = parts[part] - winner[part];
    if (behind > worst) [reason, worst] = [REASON_OF_PART[part], behind];
  }
  return { rig, reason, score: rounded(totalOf(parts)) };
};

export const rounded = (score: number): number => Math.round(score * 1_000) / 1_000;
