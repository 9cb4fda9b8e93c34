import { type AnswerOf } from '../shell/routes.js';
/** The difference that a price list makes. */
export type Proposal = AnswerOf<'/api/v1/price_proposals', 'POST'>;

/** A price of a proposal, or the reason why a model keeps its prices. */
export interface ProposedPrice {
  readonly model: string;
  readonly price: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly note: string;
}

/** One row for each price that changes, then one for each model that stays. */
export const proposedPrices = ({ models }: Proposal): readonly ProposedPrice[] => [
  ...models.flatMap(({ model, listed, changes, notes }) =>
    changes.map(({ field, from, to }, index) => ({
      model,
      price: field,
      from,
      to,
      note: index === 0 ? [`as ${listed ?? model}`, ...notes].join('; ') : '',
    })),
  ),
  ...models
    .filter(({ changes }) => changes.length === 0)
    .map(({ model, problem }) => ({
      model,
      price: 'stays',
      from: null,
      to: null,
      note: problem ?? 'has these prices',
    })),
];
