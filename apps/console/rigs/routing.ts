import { type AnswerOf } from '../shell/routes.js';

/** Rigs as the gateway that answers sees them. */
export type Routing = AnswerOf<'/api/v1/routing'>;
export type RoutedRig = Routing['rigs'][number];

type Ranking = NonNullable<Routing['ranking']>;

export type RankedRig = Ranking['rigs'][number];
export type TokenCost = Ranking['price'];
