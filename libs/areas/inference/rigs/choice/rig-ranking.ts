import { type RigModelCost } from '../rig-attempt.js';
import { type RigState } from '../rig-state.js';
import { rounded } from './lost-rig.js';
import { choiceAmong, type ChoiceWeights, type ScoreParts, totalOf } from './rig-choice.js';

/** A rig as a plain chat of a model would see it now. */
export interface RankedRig {
  readonly rig: string;
  /** Why it would not be asked now; null: it would be, in its turn. */
  readonly absence: 'down' | 'full' | null;
  /** Lower is better. */
  readonly score: number;
  readonly parts: ScoreParts;
  /** By which equals are drawn. */
  readonly weight: number;
  /** Undefined: the catalog states none. */
  readonly cost: RigModelCost | undefined;
}

/** The rigs of a model, in the order in which a chat without wishes would ask them. */
export const rankingOf = (
  rigs: readonly RigState[],
  model: string,
  nowMs: number,
  weights: ChoiceWeights,
): readonly RankedRig[] => {
  const facts = { model, dialect: 'chat', preference: undefined, warm: undefined, nowMs } as const;
  const choice = choiceAmong(rigs, facts, weights);
  const ranked = rigs.map((state): RankedRig => {
    const parts: ScoreParts = { ...state.healthOf(nowMs, model), ...choice.of(state) };
    const absent = state.hasSlot ? null : 'full';
    return {
      rig: state.rig.name,
      absence: state.isUp(nowMs, model) ? absent : 'down',
      score: rounded(totalOf(parts)),
      parts,
      weight: state.weightOf(model),
      cost: state.rig.costs?.get(model),
    };
  });
  return ranked.sort(
    (one, other) =>
      Number(one.absence !== null) - Number(other.absence !== null) || one.score - other.score,
  );
};
