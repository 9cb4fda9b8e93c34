import { Facts, orDash } from '../shell/facts.js';
import { instant, usd } from '../shell/figures.js';
import { type Filter } from '../shell/filters.js';
import { type ListAnswer, listPage } from '../shell/list.js';
import { addressWith, query } from '../shell/location.js';
import { session } from '../shell/session.js';
import { type Column } from '../shell/table.js';
import { textIn, WriteDialog } from '../shell/write-form.js';

interface Payout {
  readonly payout_id: string;
  readonly beneficiary: string;
  readonly status: string;
  readonly amount_usd: number;
  readonly tax: { readonly rate_pct: number; readonly withheld_usd: number } | null;
  readonly net_usd: number | null;
  readonly requested_at: string;
  readonly ended_at: string | null;
  readonly reason: string | null;
}

interface Payouts extends ListAnswer {
  readonly balance?: {
    readonly accrued_usd: number;
    readonly open_usd: number;
    readonly paid_usd: number;
    readonly withheld_usd: number;
    readonly available_usd: number;
  };
  readonly payouts: readonly Payout[];
}

const COLUMNS: readonly Column<Payout>[] = [
  { name: 'Requested, UTC', cell: (payout) => instant(payout.requested_at) },
  {
    name: 'For',
    cell: ({ beneficiary }) => (
      <a data-page href={addressWith({ beneficiary })}>
        {beneficiary}
      </a>
    ),
  },
  {
    name: 'Status',
    cell: ({ status, reason }) => (reason === null ? status : `${status}: ${reason}`),
  },
  { name: 'Amount', isNumber: true, cell: (payout) => usd(payout.amount_usd) },
  { name: 'Withheld', isNumber: true, cell: ({ tax }) => orDash(tax?.withheld_usd, usd) },
  { name: 'Net', isNumber: true, cell: (payout) => orDash(payout.net_usd, usd) },
  { name: 'Ended, UTC', cell: (payout) => orDash(payout.ended_at, instant) },
];

const Balance = ({ balance }: Payouts) =>
  balance && (
    <Facts
      facts={[
        ['Earned', usd(balance.accrued_usd)],
        ['Requested and open', usd(balance.open_usd)],
        ['Paid', usd(balance.paid_usd)],
        ['Withheld', usd(balance.withheld_usd)],
        ['Available', usd(balance.available_usd)],
      ]}
    />
  );

/** For an Admin: the next steps of a payout that waits. */
const Decide = ({ beneficiary, payout_id: id, status }: Payout) => {
  const route = `/api/v1/payouts/${beneficiary}/${id}`;
  return (
    <>
      {status === 'requested' && (
        <WriteDialog
          opens={`Approve ${id}`}
          explains="The payout may be paid."
          label="Approve"
          route={`${route}/approve`}
          bodyOf={(form) => ({ country: textIn(form, 'country') })}
        >
          <label>
            Country of the payee, such as DE
            <input name="country" required pattern="[A-Z]{2}" />
          </label>
        </WriteDialog>
      )}
      <WriteDialog
        opens={`Reject ${id}`}
        explains="The amount is available to its beneficiary again."
        label="Reject"
        route={`${route}/reject`}
        bodyOf={(form) => ({ reason: textIn(form, 'reason') })}
      >
        <label>
          Reason
          <input name="reason" required maxLength={200} />
        </label>
      </WriteDialog>
    </>
  );
};

const BENEFICIARY: Filter = { name: 'beneficiary', label: 'For, such as partner-1' };

const shared = {
  isTimed: true,
  rowsOf: ({ payouts }: Payouts) => payouts,
  keyOf: (payout: Payout) => `${payout.beneficiary} ${payout.payout_id}`,
  columns: COLUMNS,
};

/** Of one beneficiary, who need not be named by a user with earnings. */
const OfBeneficiary = listPage<Payouts, Payout>({
  ...shared,
  title: 'Payouts',
  route: '/api/v1/payouts',
  filters: [BENEFICIARY],
  empty: (
    <>
      No payout was requested. <code>POST /api/v1/payouts</code> requests one.
    </>
  ),
  above: (answer) => <Balance {...answer} />,
});

const Open = listPage<Payouts, Payout>({
  ...shared,
  columns: [...COLUMNS, { name: 'Decide', cell: (payout) => <Decide {...payout} /> }],
  title: 'Open payouts',
  route: '/api/v1/payouts/open',
  filters: [BENEFICIARY],
  empty: 'No payout waits for a decision.',
});

/** An Admin without a beneficiary sees the payouts that wait. */
const PayoutsPage = () => {
  const isAdmin = session.value?.user?.role === 'Admin';
  const isOpen = isAdmin && !query.value.has('beneficiary');
  return isOpen ? <Open /> : <OfBeneficiary />;
};

export default PayoutsPage;
