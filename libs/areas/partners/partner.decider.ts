import {
  type PartnerEvent,
  PartnerProfileChanged,
  PartnerRegistered,
  RevenueShareChanged,
} from '#events/partners/partner.events.js';
import { type Branding } from '#events/partners/partner.vocabulary.js';
import { type Decider } from '#platform/kernel/decider.js';
import { reject } from './partners.errors.js';

export type PartnerCommand =
  | { readonly type: 'RegisterPartner'; readonly data: PartnerRegistered['data'] }
  | { readonly type: 'ChangeProfile'; readonly data: PartnerProfileChanged['data'] }
  | {
      readonly type: 'ChangeRevenueShare';
      readonly data: Omit<RevenueShareChanged['data'], 'revenueShareMaxBasisPoints'> & {
        /** Null: as it is. */
        readonly revenueShareMaxBasisPoints: number | null;
      };
    };

/** Null: not registered. */
export type PartnerState = {
  readonly registrationId: string;
  readonly name: string;
  readonly branding: Branding;
  readonly shareBasisPoints: number;
  readonly shareMaxBasisPoints: number;
} | null;

const demandCeiling = (share: number, ceiling: number): void => {
  if (share <= ceiling) return;
  const most = `${ceiling / 100} percent`;
  reject('share_above_ceiling', `the revenue share of the partner is at most ${most}`);
};

const register = (
  data: PartnerRegistered['data'],
  state: PartnerState,
): readonly PartnerEvent[] => {
  if (state?.registrationId === data.registrationId) return [];
  if (state) reject('partner_slug_taken', `there is a partner ${data.slug} already`);
  demandCeiling(data.revenueShareBasisPoints, data.revenueShareMaxBasisPoints);
  return [PartnerRegistered.of(data)];
};

const isSameBranding = (one: Branding, other: Branding): boolean =>
  one.primaryColor === other.primaryColor &&
  one.accentColor === other.accentColor &&
  one.bodyBgColor === other.bodyBgColor &&
  one.cardBgColor === other.cardBgColor;

const decide = ({ type, data }: PartnerCommand, state: PartnerState): readonly PartnerEvent[] => {
  if (type === 'RegisterPartner') return register(data, state);
  if (!state) return reject('partner_not_found', `there is no partner ${data.partnerId}`);
  switch (type) {
    case 'ChangeProfile':
      return state.name === data.name && isSameBranding(state.branding, data.branding)
        ? []
        : [PartnerProfileChanged.of(data)];
    case 'ChangeRevenueShare': {
      const { revenueShareBasisPoints: share } = data;
      const ceiling = data.revenueShareMaxBasisPoints ?? state.shareMaxBasisPoints;
      demandCeiling(share, ceiling);
      return share === state.shareBasisPoints && ceiling === state.shareMaxBasisPoints
        ? []
        : [RevenueShareChanged.of({ ...data, revenueShareMaxBasisPoints: ceiling })];
    }
  }
};

const evolve = (state: PartnerState, { type, data }: PartnerEvent): PartnerState => {
  switch (type) {
    case 'PartnerRegistered':
      return {
        registrationId: data.registrationId,
        name: data.name,
        branding: data.branding,
        shareBasisPoints: data.revenueShareBasisPoints,
        shareMaxBasisPoints: data.revenueShareMaxBasisPoints,
      };
    case 'PartnerProfileChanged':
      return state && { ...state, name: data.name, branding: data.branding };
    case 'RevenueShareChanged':
      return (
        state && {
          ...state,
          shareBasisPoints: data.revenueShareBasisPoints,
          shareMaxBasisPoints: data.revenueShareMaxBasisPoints,
        }
      );
  }
};

/** One partner and its terms. */
export const partnerDecider: Decider<PartnerCommand, PartnerState, PartnerEvent> = {
  initialState: null,
  decide,
  evolve,
};
