import { instant, usd } from '../shell/figures.js';
import { listPage } from '../shell/list.js';
import { addressOf, goTo } from '../shell/location.js';
import { type AnswerOf, routeOf } from '../shell/routes.js';
import { type Column } from '../shell/table.js';
import { textIn, WriteDialog } from '../shell/write-form.js';
import { useAwaited } from './awaited.js';

type CryptoInvoices = AnswerOf<'/api/v1/billing/crypto_invoices'>;
type CryptoInvoice = CryptoInvoices['invoices'][number];

/** Where the state of the list is from, and how the next invoice comes to be. */
const Watch = ({ invoices }: CryptoInvoices) => {
  const isAwaited = useAwaited(invoices.map(({ status }) => status));
  return (
    <>
      {isAwaited && <p class="quiet">A payment is awaited: the list follows the chain.</p>}
      <WriteDialog
        opens="Pay in a crypto-currency"
        label="Make the invoice"
        route={routeOf('/api/v1/billing/create_crypto_invoice.php')}
        explains="The invoice fixes the price for some minutes, and has an address of its own."
        bodyOf={(form) => ({
          amount_usd: Number(textIn(form, 'amount')),
          currency: textIn(form, 'currency'),
        })}
        onDone={({ invoice_id: id }) => goTo(addressOf(`/payments/${id}`))}
      >
        <label>
          Dollars
          <input name="amount" type="number" min="0.01" step="0.01" required />
        </label>
        <label>
          Currency, such as BTC or SOL
          <input name="currency" pattern="[A-Z]{2,8}" required />
        </label>
      </WriteDialog>
    </>
  );
};

const COLUMNS: readonly Column<CryptoInvoice>[] = [
  { name: 'Made, UTC', cell: (invoice) => instant(invoice.created_at) },
  {
    name: 'Invoice',
    cell: ({ invoice_id: id }) => (
      <a data-page href={addressOf(`/payments/${id}`)}>
        {id}
      </a>
    ),
  },
  { name: 'Status', cell: ({ status }) => status },
  { name: 'Worth', isNumber: true, cell: (invoice) => usd(invoice.amount_fiat) },
  {
    name: 'To pay',
    isNumber: true,
    cell: (invoice) => `${invoice.crypto_amount} ${invoice.crypto_currency}`,
  },
  { name: 'Network', cell: ({ network }) => network },
  { name: 'Paid', isNumber: true, cell: (invoice) => invoice.paid_amount },
  { name: 'Credited', isNumber: true, cell: (invoice) => usd(invoice.credited_usd) },
  { name: 'Price until, UTC', cell: (invoice) => instant(invoice.expires_at) },
];

export default listPage({
  title: 'Crypto invoices',
  route: '/api/v1/billing/crypto_invoices',
  isTimed: true,
  rowsOf: ({ invoices }) => invoices,
  keyOf: ({ invoice_id: id }) => id,
  columns: COLUMNS,
  empty: 'No crypto invoice yet. Make one, and pay it from a wallet.',
  above: (answer) => <Watch {...answer} />,
});
