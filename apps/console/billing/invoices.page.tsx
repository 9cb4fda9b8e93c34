import { usd } from '../shell/figures.js';
import { Answered, usePageRead } from '../shell/answer.js';
import { addressOf, addressWith, asOf, query } from '../shell/location.js';
import { type AnswerOf, routeOf } from '../shell/routes.js';
import { type Column, Table } from '../shell/table.js';

type Invoice = AnswerOf<'/api/v1/billing/invoices.php'>['invoices'][number];

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

const COLUMNS: readonly Column<Invoice>[] = [
  { name: 'Created, UTC', cell: (invoice) => invoice.created_at },
  { name: 'Type', cell: (invoice) => invoice.invoice_type },
  { name: 'Reference', cell: (invoice) => <Reference {...invoice} /> },
  { name: 'Method', cell: (invoice) => invoice.payment_method },
  { name: 'Status', cell: (invoice) => invoice.status },
  { name: 'Amount', isNumber: true, cell: (invoice) => usd(invoice.amount) },
];

const InvoicesPageView = () => {
  const state = usePageRead(() =>
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
              <Table
                label="Deposits, invoices and statements"
                columns={COLUMNS}
                rows={invoices}
                keyOf={({ id }) => id}
              />
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
