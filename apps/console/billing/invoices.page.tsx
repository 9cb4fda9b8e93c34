import { usd } from '../shell/figures.js';
import { Answered, usePageRead } from '../shell/answer.js';
import { routeOf } from '../shell/api.js';
import { addressOf, addressWith, asOf, query } from '../shell/location.js';

interface Invoice {
  readonly id: number;
  readonly reference_id: string;
  readonly invoice_type: string;
  readonly amount: number;
  readonly payment_method: string;
  readonly status: string;
  readonly created_at: string;
}

interface InvoicesPage {
  readonly position: string;
  readonly page: number;
  readonly total_pages: number;
  readonly total_records: number;
  readonly invoices: readonly Invoice[];
}

const MONTH = /\d{4}-\d{2}$/;

/** A monthly statement has a page; other records are only in the list. */
const Reference = ({ invoice_type: type, reference_id: reference }: Invoice) => {
  const month = type === 'usage' ? MONTH.exec(reference)?.[0] : undefined;
  if (month === undefined) return <>{reference}</>;
  return (
    <a data-page href={addressOf(`/invoices/${month}`)}>
      {reference}
    </a>
  );
};

const Table = ({ invoices }: Pick<InvoicesPage, 'invoices'>) => (
  <div class="scroll" tabIndex={0} role="region" aria-label="Deposits, invoices and statements">
    <table>
      <thead>
        <tr>
          <th scope="col">Created, UTC</th>
          <th scope="col">Type</th>
          <th scope="col">Reference</th>
          <th scope="col">Method</th>
          <th scope="col">Status</th>
          <th scope="col" class="number">
            Amount
          </th>
        </tr>
      </thead>
      <tbody>
        {invoices.map((invoice) => (
          <tr key={invoice.id}>
            <td>{invoice.created_at}</td>
            <td>{invoice.invoice_type}</td>
            <td>
              <Reference {...invoice} />
            </td>
            <td>{invoice.payment_method}</td>
            <td>{invoice.status}</td>
            <td class="number">{usd(invoice.amount)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const InvoicesPageView = () => {
  const state = usePageRead<InvoicesPage>(() =>
    routeOf('/api/v1/billing/invoices.php', {
      page: query.value.get('page'),
      asOf: asOf.value,
    }),
  );
  return (
    <>
      <h1>Invoices and statements</h1>
      <Answered state={state}>
        {({ invoices, page, total_pages: pages, total_records: records }) =>
          records === 0 ? (
            <p>There is no record yet: a deposit or the first charge makes one.</p>
          ) : (
            <>
              <Table invoices={invoices} />
              <p class="pages">
                {page > 1 && (
                  <a data-page href={addressWith({ page: String(page - 1) })}>
                    Newer
                  </a>
                )}
                <span>
                  Page {page} of {pages}
                </span>
                {page < pages && (
                  <a data-page href={addressWith({ page: String(page + 1) })}>
                    Older
                  </a>
                )}
              </p>
            </>
          )
        }
      </Answered>
    </>
  );
};

export default InvoicesPageView;
