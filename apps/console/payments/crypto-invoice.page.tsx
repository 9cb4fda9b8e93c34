import { Answered, usePageRead } from '../shell/answer.js';
import { type Fact, Facts } from '../shell/facts.js';
import { instant, usd } from '../shell/figures.js';
import { asOf } from '../shell/location.js';
import { type PageProps } from '../shell/page.js';
import { type AnswerOf, routeOf } from '../shell/routes.js';
import { type Column, Table } from '../shell/table.js';
import { useAwaited } from './awaited.js';

type Payment = CryptoInvoice['payments'][number];
type CryptoInvoice = AnswerOf<'/api/v1/billing/crypto_invoices/{id}'>;

const factsOf = (invoice: CryptoInvoice): readonly Fact[] => [
  ['Status', invoice.status],
  ['To pay', `${invoice.crypto_amount} ${invoice.crypto_currency} on ${invoice.network}`],
  ['Worth', usd(invoice.amount_fiat)],
  ['Paid', `${invoice.paid_amount} ${invoice.crypto_currency}`],
  ['Confirmations asked for', invoice.confirmations],
  ['Credited', usd(invoice.credited_usd)],
  ['Price until, UTC', instant(invoice.expires_at)],
  ['Address', <code key="address">{invoice.pay_address}</code>],
];

const COLUMNS: readonly Column<Payment>[] = [
  { name: 'Paid, UTC', cell: (payment) => instant(payment.paid_at) },
  {
    name: 'Transaction',
    cell: (payment) => (
      <code>
        {payment.txid}:{payment.output}
      </code>
    ),
  },
  { name: 'State', cell: ({ state, late }) => (late ? `${state}, late` : state) },
  { name: 'Amount', isNumber: true, cell: ({ amount }) => amount },
  { name: 'Credited', isNumber: true, cell: (payment) => usd(payment.credited_usd) },
];

/** A page loads from its own origin, which may differ from the gateway's own address. */
const pathOf = (url: string): string => new URL(url, window.location.origin).pathname;

const Watch = ({ status }: CryptoInvoice) =>
  useAwaited([status]) ? <p class="quiet">The payment is awaited: the page follows it.</p> : null;

const CryptoInvoicePage = ({ parameters }: PageProps) => {
  const id = parameters['id'] ?? '';
  const state = usePageRead(() =>
    routeOf('/api/v1/billing/crypto_invoices/{id}', { id, asOf: asOf.value }),
  );
  return (
    <>
      <h1>Payment {parameters['id']}</h1>
      <Answered state={state}>
        {(invoice) => (
          <>
            <Watch {...invoice} />
            <Facts facts={factsOf(invoice)} />
            <p>
              <img
                src={pathOf(invoice.qr_code_url)}
                alt={`QR code of ${invoice.payment_uri}`}
                width="240"
                height="240"
              />
            </p>
            <p>
              <a href={invoice.payment_uri}>Open in a wallet</a>
            </p>
            <h2>Payments</h2>
            {invoice.payments.length === 0 ? (
              <p>No payment is seen yet. It appears here when the network knows it.</p>
            ) : (
              <Table
                label="Payments"
                columns={COLUMNS}
                rows={invoice.payments}
                keyOf={({ txid, output }) => `${txid}:${output}`}
              />
            )}
          </>
        )}
      </Answered>
    </>
  );
};

export default CryptoInvoicePage;
