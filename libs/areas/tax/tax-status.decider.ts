import { TaxStatusSet } from '#events/tax/tax-status.events.js';
import { type Decider } from '#platform/kernel/decider.js';

export type TaxStatusCommand =
  /** By the holder of the account. What the operator has verified was for another country. */
  | {
      readonly type: 'DeclareCountry';
      readonly data: Pick<TaxStatusSet['data'], 'accountId' | 'country' | 'region' | 'setAt'>;
    }
  /** By the operator. */
  | { readonly type: 'SetTaxStatus'; readonly data: TaxStatusSet['data'] };

/** Null: nothing was set yet. */
export type TaxStatusState = Omit<TaxStatusSet['data'], 'setAt'> | null;

const UNVERIFIED = { taxExempt: false, business: false, treatyClaimed: false } as const;

const decide = ({ type, data }: TaxStatusCommand, state: TaxStatusState): TaxStatusSet[] => {
  switch (type) {
    case 'DeclareCountry': {
      const moved = state?.country !== data.country || state.region !== data.region;
      return moved ? [TaxStatusSet.of({ ...UNVERIFIED, ...data })] : [];
    }
    case 'SetTaxStatus': {
      const same =
        state?.country === data.country &&
        state.region === data.region &&
        state.taxExempt === data.taxExempt &&
        state.business === data.business &&
        state.treatyClaimed === data.treatyClaimed;
      return same ? [] : [TaxStatusSet.of(data)];
    }
  }
};

const evolve = (_: TaxStatusState, { data: { setAt, ...status } }: TaxStatusSet): TaxStatusState =>
  status;

export const taxStatusDecider: Decider<TaxStatusCommand, TaxStatusState, TaxStatusSet> = {
  initialState: null,
  decide,
  evolve,
};
