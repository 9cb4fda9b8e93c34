import {
  type Earned,
  type PartnerOverview,
  type PartnerPage,
} from '#areas/partners/partner.queries.js';
import { type ListedSubUser, type SubUserPage } from '#areas/partners/sub-users.handler.js';
import { type Branding } from '#events/partners/partner.vocabulary.js';
import { toUsd } from '#platform/kernel/money.js';
import { type PartnerProfile } from '#projections/partners/partners.projection.js';
import { type PageDto, presentPage } from '../pages/page.dto.js';
import {
  type BrandingDto,
  type PartnerDto,
  type PartnerListDto,
  type PartnerOverviewDto,
  type PartnerResultDto,
  type SubUserDto,
  type SubUserListDto,
} from './partners.dto.js';

const BASIS_POINTS_PER_PERCENT = 100;

/** A percentage of two decimals as a whole number. */
export const basisPointsOf = (percent: number): number =>
  Math.round(percent * BASIS_POINTS_PER_PERCENT);

export const brandingOf = (branding: BrandingDto): Branding => ({
  primaryColor: branding.primary_color,
  accentColor: branding.accent_color,
  bodyBgColor: branding.body_bg_color,
  cardBgColor: branding.card_bg_color,
});

export const presentPartner = (partner: PartnerProfile): PartnerDto => ({
  id: partner.partnerId,
  partner_name: partner.name,
  partner_slug: partner.slug,
  revenue_share_pct: partner.revenueShareBasisPoints / BASIS_POINTS_PER_PERCENT,
  revenue_share_max_pct: partner.revenueShareMaxBasisPoints / BASIS_POINTS_PER_PERCENT,
  branding: {
    primary_color: partner.branding.primaryColor,
    accent_color: partner.branding.accentColor,
    body_bg_color: partner.branding.bodyBgColor,
    card_bg_color: partner.branding.cardBgColor,
  },
  fleet_rigs: partner.fleetRigs,
  registered_at: partner.registeredAt,
});

const presentEarned = (month: Earned, lifetime: Earned) => ({
  monthly_volume_usd: toUsd(month.gross),
  reseller_earnings_usd: toUsd(month.earned),
  lifetime_volume_usd: toUsd(lifetime.gross),
  lifetime_earnings_usd: toUsd(lifetime.earned),
});

export const presentOverview = (overview: PartnerOverview): PartnerOverviewDto => ({
  success: true,
  partner: presentPartner(overview.partner),
  metrics: {
    sub_users_count: overview.partner.subUsers,
    fleet_rigs_count: overview.partner.fleetRigs.length,
    ...presentEarned(overview.month, overview.lifetime),
  },
  accrued_through: overview.accruedThrough,
  position: overview.position.toString(),
});

export const presentResult = ({ partner, position }: PartnerOverview): PartnerResultDto => ({
  success: true,
  partner: presentPartner(partner),
  position: position.toString(),
});

export const presentPartners = (query: PageDto, found: PartnerPage): PartnerListDto => ({
  ...presentPage(query, found),
  partners: found.partners.map(presentPartner),
});

export const presentSubUsers = (query: PageDto, found: SubUserPage): SubUserListDto => ({
  ...presentPage(query, found),
  sub_users: found.subUsers.map(presentSubUser),
});

const statusOf = ({ user, leftAt }: ListedSubUser): SubUserDto['status'] => {
  if (!user) return 'erased';
  return leftAt === null ? 'active' : 'left';
};

/** A user who has left is shown without the e-mail address: it is the partner's no more. */
const presentSubUser = (listed: ListedSubUser): SubUserDto => ({
  user_id: listed.userId,
  username: listed.user?.username ?? null,
  email: listed.leftAt === null ? (listed.user?.email ?? null) : null,
  status: statusOf(listed),
  joined_at: listed.joinedAt,
  left_at: listed.leftAt,
  ...presentEarned(listed.month, listed.lifetime),
  charges: listed.lifetime.charges,
  last_charged_hour: listed.lifetime.lastHour && `${listed.lifetime.lastHour}:00:00.000Z`,
});
