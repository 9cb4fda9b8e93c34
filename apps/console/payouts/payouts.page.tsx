import { Facts, orDash } from '../shell/facts.js';
import { instant, usd } from '../shell/figures.js';
import { type Filter, Filters } from '../shell/filters.js';
import { listPage } from '../shell/list.js';
import { addressWith, query } from '../shell/location.js';
import { type AnswerOf, routeOf } from '../shell/routes.js';
import { session } from '../shell/session.js';
import { type Column } from '../shell/table.js';
import { textIn, WriteDialog } from '../shell/write-form.js';

type Payouts = AnswerOf<'/api/v1/payouts'>;
type Payout = Payouts['payouts'][number];

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

const Balance = ({ balance }: Payouts) => (
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
  const payout = { beneficiary, payout_id: id };
  return (
    <>
      {status === 'requested' && (
        <WriteDialog
          opens={`Approve ${id}`}
          explains="The payout may be paid."
          label="Approve"
          route={routeOf('/api/v1/payouts/{beneficiary}/{payout_id}/approve', payout)}
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
        route={routeOf('/api/v1/payouts/{beneficiary}/{payout_id}/reject', payout)}
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

const BENEFICIARY: Filter<'beneficiary'> = { name: 'beneficiary', label: 'For, such as partner-1' };

const shared = {
  isTimed: true,
  rowsOf: ({ payouts }: Pick<Payouts, 'payouts'>) => payouts,
  keyOf: (payout: Payout) => `${payout.beneficiary} ${payout.payout_id}`,
  columns: COLUMNS,
};

/** Of one beneficiary, who need not be named by a user with earnings. */
const OfBeneficiary = listPage({
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

const Open = listPage({
  ...shared,
  columns: [...COLUMNS, { name: 'Decide', cell: (payout) => <Decide {...payout} /> }],
  title: 'Open payouts',
  route: '/api/v1/payouts/open',
  above: () => <Filters filters={[BENEFICIARY]} />,
  empty: 'No payout waits for a decision.',
});

/** An Admin without a beneficiary sees the payouts that wait. */
const PayoutsPage = () => {
  const isAdmin = session.value?.user?.role === 'Admin';
  const isOpen = isAdmin && !query.value.has('beneficiary');
  return isOpen ? <Open /> : <OfBeneficiary />;
};

export default PayoutsPage;
