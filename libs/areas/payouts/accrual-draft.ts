import { type ChargeAdjusted, type HoldCaptured } from '#events/billing/account.events.js';
import {
  type Beneficiary,
  beneficiaryOf,
  type EarningsAccrued,
  type EarningSource,
} from '#events/payouts/earning.events.js';
import { fromDecimal, type MicroUsd, toDecimal } from '#platform/kernel/money.js';
import { type AmountOfRig, amountsByRig } from '#platform/ledger/rig-lines.js';
import { type Fractions } from './fractions.js';
import { type EarningTerms } from './earning-terms.js';

/** A whole in basis points. */
const WHOLE = 10_000n;
/** Parts of a micro-dollar: shares of shares of fees are whole numbers of them. */
const PARTS = WHOLE ** 3n;

interface Sum {
  readonly source: EarningSource;
  readonly hour: string;
  charges: number;
  gross: MicroUsd;
  earned: MicroUsd;
}

/** Money that an account is charged, or given back. */
interface Movement {
  readonly accountId: string;
  /** ISO 8601. */
  readonly at: string;
  readonly amount: MicroUsd;
  /** 0 for a correction. */
  readonly charges: 0 | 1;
  /** The parts of it by rig. */
  readonly rigs: readonly AmountOfRig[];
}

/** The fields of an accrual that a draft gives: all but the range and the instant. */
export type Accrued = Omit<EarningsAccrued['data'], 'after' | 'through' | 'accruedAt'>;

/** Towards minus infinity, so that a correction takes back what the charge gave. */
const wholeOf = (parts: bigint): MicroUsd =>
  parts >= 0n ? parts / PARTS : -((-parts + PARTS - 1n) / PARTS);

/** Divides an amount as another one is divided, to the micro-dollar. */
const inProportion = (amount: MicroUsd, parts: readonly AmountOfRig[]): readonly AmountOfRig[] => {
  const total = parts.reduce((sum, part) => sum + part.amount, 0n);
  if (total === 0n) return [];
  let passed = 0n;
  return parts.map(({ rig, amount: part }) => {
    const before = (amount * passed) / total;
    passed += part;
    return { rig, amount: (amount * passed) / total - before };
  });
};

/**
 * Divides charges, in the order of the log. A partner earns its share of a charge. An investor
 * earns its share of the rest for the rig, less the fee of the platform. The platform has the rest.
 * A beneficiary is owed the exact sum of its shares rounded down: the fraction is carried from one
 * charge to the next.
 */
export class AccrualDraft {
  readonly #sums = new Map<string, Sum>();
  readonly #fractions = new Map<Beneficiary, Fractions>();
  #charges = 0;
  #charged: MicroUsd = 0n;
  #earned: MicroUsd = 0n;

  /** @param carried the fractions of a beneficiary before the first charge */
  constructor(private readonly carried: (beneficiary: Beneficiary) => Fractions) {}

  /** How many earnings it has; none: no one has earned. */
  get size(): number {
    return this.#sums.size;
  }

  add(charge: HoldCaptured['data'], terms: EarningTerms): void {
    const { accountId, capturedAt: at } = charge;
    const amount = fromDecimal(charge.amountMicroUsd);
    this.#charges += 1;
    this.#divide({ accountId, at, amount, charges: 1, rigs: amountsByRig(charge) }, terms);
  }

  /**
   * Takes back what a correction gives back, by the terms in force when it is made.
   * @param charge that is corrected; null for a correction of a month, which concerns no rig
   */
  correct(
    { accountId, adjustedAt: at, amountMicroUsd }: ChargeAdjusted['data'],
    charge: HoldCaptured['data'] | null,
    terms: EarningTerms,
  ): void {
    const amount = -fromDecimal(amountMicroUsd);
    const rigs = charge ? inProportion(amount, amountsByRig(charge)) : [];
    this.#divide({ accountId, at, amount, charges: 0, rigs }, terms);
  }

  toAccrued(): Accrued {
    const earnings = [...this.#sums.values()].map(({ source, hour, charges, gross, earned }) => ({
      ...source,
      hour,
      charges,
      grossMicroUsd: toDecimal(gross),
      earnedMicroUsd: toDecimal(earned),
    }));
    const carried = [...this.#fractions].map(([beneficiary, { gross, earned }]) => ({
      beneficiary,
      gross: toDecimal(gross),
      earned: toDecimal(earned),
    }));
    return {
      charges: this.#charges,
      chargedMicroUsd: toDecimal(this.#charged),
      platformMicroUsd: toDecimal(this.#charged - this.#earned),
      earnings,
      carried,
    };
  }

  #divide({ accountId, at, amount, charges, rigs }: Movement, terms: EarningTerms): void {
    const hour = at.slice(0, 'YYYY-MM-DDTHH'.length);
    this.#charged += amount;
    const partner = terms.ofAccount(accountId);
    const partnerShare = BigInt(partner?.shareBasisPoints ?? 0);
    if (partner) {
      const source = { kind: 'partner', partnerId: partner.partnerId, accountId } as const;
      const earned = amount * partnerShare * WHOLE ** 2n;
      this.#earn(source, { hour, charges }, { gross: amount * PARTS, earned });
    }
    for (const { rig, amount: ofRig } of rigs) {
      if (rig === null) continue;
      for (const { investorId, shareBasisPoints, platformFeeBasisPoints } of terms.ofRig(rig)) {
        const share = BigInt(shareBasisPoints);
        const net = WHOLE - BigInt(platformFeeBasisPoints);
        const gross = ofRig * share * WHOLE ** 2n;
        const earned = ofRig * (WHOLE - partnerShare) * share * net;
        this.#earn({ kind: 'investor', investorId, rig }, { hour, charges }, { gross, earned });
      }
    }
  }

  #earn(
    source: EarningSource,
    { hour, charges }: Pick<Sum, 'hour' | 'charges'>,
    { gross, earned }: Fractions,
  ): void {
    const beneficiary = beneficiaryOf(source);
    const before = this.#fractions.get(beneficiary) ?? this.carried(beneficiary);
    const parts = { gross: before.gross + gross, earned: before.earned + earned };
    const whole = { gross: wholeOf(parts.gross), earned: wholeOf(parts.earned) };
    this.#fractions.set(beneficiary, {
      gross: parts.gross - whole.gross * PARTS,
      earned: parts.earned - whole.earned * PARTS,
    });
    const sum = this.#sumOf(source, hour);
    sum.charges += charges;
    sum.gross += whole.gross;
    sum.earned += whole.earned;
    this.#earned += whole.earned;
  }

  #sumOf(source: EarningSource, hour: string): Sum {
    const key = `${hour}\n${Object.values(source).join('\n')}`;
    const known = this.#sums.get(key);
    if (known) return known;
    const sum: Sum = { source, hour, charges: 0, gross: 0n, earned: 0n };
    this.#sums.set(key, sum);
    return sum;
  }
}
