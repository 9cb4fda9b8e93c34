import { Map as ImmutableMap } from 'immutable';
import { PartnerNumbered } from '#events/partners/partner.events.js';
import { PartnerId } from '#events/partners/partner.vocabulary.js';
import { type Decider } from '#platform/kernel/decider.js';

export interface NumberPartner {
  readonly type: 'NumberPartner';
  readonly data: { readonly slug: string; readonly numberedAt: string };
}

/** The id of each slug. */
export type PartnerNumbers = ImmutableMap<string, PartnerId>;

/** Gives slugs their ids: one each, without gaps. */
export const partnerNumbersDecider: Decider<NumberPartner, PartnerNumbers, PartnerNumbered> = {
  initialState: ImmutableMap(),
  decide: ({ data }, ids) =>
    ids.has(data.slug)
      ? []
      : [PartnerNumbered.of({ ...data, partnerId: PartnerId.parse(ids.size + 1) })],
  evolve: (ids, { data }) => ids.set(data.slug, data.partnerId),
};
