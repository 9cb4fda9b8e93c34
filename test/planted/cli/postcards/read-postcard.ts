import { type CommonOptions, type Invocation, type Outcome } from '#apps/cli/invocation.js';
import { withQuipu } from '#apps/cli/quipu.context.js';
import { PostcardQuery } from '../../postcards/postcard.handler.js';
import { postcards } from '../../postcards/postcards.projection.js';

export interface ReadPostcardOptions extends CommonOptions {
  readonly account: string;
  readonly id: string;
}

export const readPostcard = async (
  { account, id }: ReadPostcardOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const needs = {
    areas: ['postcards', 'billing', 'jobs'],
    installation: 'exists',
    projections: [postcards],
  } as const;
  const { status, words } = await withQuipu(invocation, needs, ({ queries }) =>
    queries.execute(new PostcardQuery(account, id)),
  );
  return { json: { id, status, words }, text: `Postcard ${id}: ${status}` };
};
