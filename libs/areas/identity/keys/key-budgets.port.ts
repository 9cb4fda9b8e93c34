import { type UserId } from '#events/vocabulary.js';

/** Whether what a key may spend is limited. The composition root binds it. */
export abstract class KeyBudgets {
  /** @param line the id under which the key counts */
  abstract limits(userId: UserId, line: string): Promise<boolean>;
}
