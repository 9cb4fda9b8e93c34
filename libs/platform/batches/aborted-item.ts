import { type UsedUnits } from '#events/hold.vocabulary.js';

/** A run of a line was aborted after a rig had accepted it: it has used something. */
export class AbortedItemError extends Error {
  override readonly name = 'AbortedItemError';

  constructor(
    /** Never above the bound of the line. Each names the rig that accepted it. */
    readonly used: readonly UsedUnits[],
    options?: ErrorOptions,
  ) {
    super('the line was aborted while a rig worked on it', options);
  }
}
