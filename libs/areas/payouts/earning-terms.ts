import { RigShareAllocated, RigShareEnded } from '#events/investors/investor.events.js';
import {
  PartnerMemberJoined,
  PartnerMemberLeft,
  PartnerRegistered,
  RevenueShareChanged,
} from '#events/partners/partner.events.js';
import { type PartnerId } from '#events/partners/partner.vocabulary.js';
import { type UserId } from '#events/vocabulary.js';

/** The events that decide the division of a charge. */
export const termEvents = [
  PartnerRegistered,
  RevenueShareChanged,
  PartnerMemberJoined,
  PartnerMemberLeft,
  RigShareAllocated,
  RigShareEnded,
] as const;

export type TermEvent =
  | PartnerRegistered
  | RevenueShareChanged
  | PartnerMemberJoined
  | PartnerMemberLeft
  | RigShareAllocated
  | RigShareEnded;

export interface PartnerTerms {
  readonly partnerId: PartnerId;
  readonly shareBasisPoints: number;
}

export interface RigTerms {
  readonly allocationId: string;
  readonly investorId: UserId;
  readonly shareBasisPoints: number;
  readonly platformFeeBasisPoints: number;
}

/** The terms at one position of the log. */
export class EarningTerms {
  /** The partner of each account. */
  readonly #partners = new Map<string, PartnerId>();
  readonly #shares = new Map<PartnerId, number>();
  readonly #nodes = new Map<string, readonly RigTerms[]>();

  apply({ type, data }: TermEvent): void {
    switch (type) {
      case 'PartnerRegistered':
      case 'RevenueShareChanged':
        this.#shares.set(data.partnerId, data.revenueShareBasisPoints);
        return;
      case 'PartnerMemberJoined':
        if (data.capacity === 'sub_user') this.#partners.set(data.accountId, data.partnerId);
        return;
      case 'PartnerMemberLeft':
        if (data.capacity === 'sub_user') this.#partners.delete(data.accountId);
        return;
      case 'RigShareAllocated':
        this.#nodes.set(data.rig, [...this.ofRig(data.rig), data]);
        return;
      case 'RigShareEnded':
        this.#nodes.set(
          data.rig,
          this.ofRig(data.rig).filter(({ allocationId }) => allocationId !== data.allocationId),
        );
    }
  }

  /** Null: the account is no sub-user of a partner. */
  ofAccount(accountId: string): PartnerTerms | null {
    const partnerId = this.#partners.get(accountId);
    if (partnerId === undefined) return null;
    return { partnerId, shareBasisPoints: this.#shares.get(partnerId) ?? 0 };
  }

  ofRig(rig: string): readonly RigTerms[] {
    return this.#nodes.get(rig) ?? [];
  }
}
