import { UserId } from '#events/vocabulary.js';
import { type Quipu } from '../quipu.context.js';
import { accountOf } from '../user-option.js';

/** The areas that the commands compose: partners, and the areas that its ports are bound to. */
export const PARTNER_NEEDS = {
  areas: ['identity', 'billing', 'partners'],
  installation: 'exists',
  projections: [],
} as const;

/** @throws CommandFailure `user_not_found` */
export const userIdOf = async (quipu: Quipu, username: string): Promise<UserId> =>
  UserId.parse(Number(await accountOf(quipu, username)));
