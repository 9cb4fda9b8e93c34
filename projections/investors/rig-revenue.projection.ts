import { type Earning, EarningsAccrued } from '#events/payouts/earning.events.js';
import { plus } from '#platform/kernel/money.js';
import { type Projection } from '#platform/kernel/projection.js';
import { investorKey } from './rig-shares.projection.js';

/** Decimal micro-dollars. */
export interface RigRevenue {
  /** The source of the revenue: an hour, a rig on a day, or a rig. */
  readonly of: string;
  readonly rig: string | null;
  readonly charges: number;
  /** The charges of customers for the investor's share. */
  readonly gross: string;
  /** The amount that the investor is owed for it. */
  readonly net: string;
  /** The last hour with a charge, `YYYY-MM-DDTHH` in UTC. */
  readonly lastHour: string;
}

type OfInvestor = Extract<Earning, { readonly kind: 'investor' }>;

/** Keys of an hour order by time. */
export const hourPrefix = (investorId: number): string => `hour/${investorKey(investorId)}/`;
/** Keys of a day order by time, then by rig. */
export const dayPrefix = (investorId: number): string => `day/${investorKey(investorId)}/`;
export const rigPrefix = (investorId: number): string => `rig/${investorKey(investorId)}/`;

const DAY = 'YYYY-MM-DD'.length;

const keysOf = ({ investorId, rig, hour }: OfInvestor): readonly string[] => [
  `${hourPrefix(investorId)}${hour}`,
  `${dayPrefix(investorId)}${hour.slice(0, DAY)}/${rig}`,
  `${rigPrefix(investorId)}${rig}`,
];

const ofInvestors = (earnings: readonly Earning[]): readonly OfInvestor[] =>
  earnings.filter((earning) => earning.kind === 'investor');

const add = (was: RigRevenue, { charges, hour, ...earning }: OfInvestor): RigRevenue => ({
  ...was,
  charges: was.charges + charges,
  gross: plus(was.gross, earning.grossMicroUsd),
  net: plus(was.net, earning.earnedMicroUsd),
  lastHour: was.lastHour > hour ? was.lastHour : hour,
});

/** What did the shares of an investor earn, in each hour, on each rig and day, and on each rig? */
export const rigRevenue: Projection<EarningsAccrued, RigRevenue> = {
  name: 'rig-revenue',
  version: 1,
  on: { EarningsAccrued },
  keys: ({ data }) => [...new Set(ofInvestors(data.earnings).flatMap(keysOf))],
  initial: (key) => {
    const [kind, , of = '', rig = null] = key.split('/');
    const nothing = { charges: 0, gross: '0', net: '0', lastHour: '' };
    return { of, rig: kind === 'rig' ? of : rig, ...nothing };
  },
  project: ({ data }, document, key) =>
    ofInvestors(data.earnings)
      .filter((earning) => keysOf(earning).includes(key))
      .reduce(add, document),
};
