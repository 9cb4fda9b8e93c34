/** Accounting is synchronous and small; answers are computed on a thread of the engine. */
export {
  ACCOUNTANT_VERSION,
  epsilonAbove,
  epsilonBelow,
  epsilonOf,
  rhoLimitOf,
  rhoOfPure,
} from '#engines/privacy/accountant.js';
