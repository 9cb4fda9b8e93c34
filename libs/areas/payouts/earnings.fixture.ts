import { ChargeAdjusted, HoldCaptured } from '#events/billing/account.events.js';
import { type ChargedLine } from '#events/hold.vocabulary.js';
import { RigShareAllocated } from '#events/investors/investor.events.js';
import { PartnerMemberJoined, PartnerRegistered } from '#events/partners/partner.events.js';
import { PartnerId } from '#events/partners/partner.vocabulary.js';
import { UserId } from '#events/vocabulary.js';

/** Facts from which shares follow. */

export const AT = '2026-11-22T05:30:00.000Z';
export const HOUR = '2026-11-22T05';
export const ANDES = PartnerId.parse(1);
export const INVESTOR = UserId.parse(9);
export const ACCOUNT = '7';

export const registered = (share: number, partnerId = ANDES): PartnerRegistered =>
  PartnerRegistered.of({
    partnerId,
    registrationId: '01890a5d-ac96-774b-bcce-b302099a8101',
    slug: 'andes-cloud',
    name: 'Andes Cloud',
    branding: {
      primaryColor: '#7a3e1d',
      accentColor: '#c9a227',
      bodyBgColor: '#ffffff',
      cardBgColor: '#f5f0e8',
    },
    revenueShareBasisPoints: share,
    revenueShareMaxBasisPoints: 10_000,
    registeredAt: AT,
  });

export const joined = (accountId = ACCOUNT, partnerId = ANDES): PartnerMemberJoined =>
  PartnerMemberJoined.of({
    userId: UserId.parse(Number(accountId)),
    accountId,
    partnerId,
    capacity: 'sub_user',
    joinedAt: AT,
  });

export const allocated = (
  rig: string,
  shareBasisPoints: number,
  platformFeeBasisPoints: number,
  investorId = INVESTOR,
): RigShareAllocated =>
  RigShareAllocated.of({
    allocationId: `01890a5d-ac96-774b-bcce-${String(investorId).padStart(12, '0')}`,
    rig,
    investorId,
    shareBasisPoints,
    platformFeeBasisPoints,
    gpus: 4,
    purchasePriceMicroUsd: '12000000000',
    purchasedOn: '2026-10-01',
    allocatedAt: AT,
  });

/** A charge of whole micro-dollars, on one rig or on none. */
export const charge = (
  amount: bigint,
  rig: string | null = 'press',
  accountId = ACCOUNT,
): HoldCaptured => chargeOf(amount, { rig, lines: [] }, accountId);

export const chargeOf = (
  amount: bigint,
  work: { readonly rig: string | null; readonly lines: ChargedLine[] },
  accountId = ACCOUNT,
): HoldCaptured =>
  HoldCaptured.of({
    accountId,
    holdId: '5b0e9a52-8f0c-4a37-9d3c-2f6f6f0f3f61',
    purpose: 'chat_completion',
    ...work,
    usageSource: 'provider',
    excess: [],
    outcome: 'completed',
    evidence: {},
    placedAt: AT,
    capturedAt: AT,
    group: 'inference',
    rateCardVersion: 1,
    amountMicroUsd: amount.toString(),
    releasedMicroUsd: '0',
    availableMicroUsd: '0',
  });

/** Above zero: given back. */
export const correction = (amount: bigint, accountId = ACCOUNT): ChargeAdjusted =>
  ChargeAdjusted.of({
    accountId,
    adjustmentId: 'slow-answers',
    adjustmentNumber: 1,
    kind: 'credit_note',
    amountMicroUsd: amount.toString(),
    refersTo: { month: '2026-11', holdId: null },
    rerating: null,
    reason: 'slow answers',
    adjustedAt: AT,
    availableMicroUsd: '0',
  });
