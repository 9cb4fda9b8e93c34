import { Answered, usePageRead } from '../shell/answer.js';
import { type AnswerOf, routeOf } from '../shell/routes.js';
import { textIn, WriteForm } from '../shell/write-form.js';

const ROUTE = routeOf('/api/v1/billing/invoice_details');

type InvoiceDetails = AnswerOf<'/api/v1/billing/invoice_details'>;

/** An empty field is one that invoices do not show. */
const bodyOf = (form: FormData): object => ({
  name: textIn(form, 'name'),
  address: textIn(form, 'address') || null,
  tax_id: textIn(form, 'tax_id') || null,
});

const Seller = ({ seller }: InvoiceDetails) =>
  seller === null ? (
    <p>The operator has not stated who sells: the settings of the installation do.</p>
  ) : (
    <p>
      Invoices are of {[seller.name, seller.address, seller.tax_id].filter(Boolean).join(', ')}.
    </p>
  );

const Customer = ({ customer }: InvoiceDetails) => (
  <WriteForm label="Save" route={ROUTE} method="PUT" bodyOf={bodyOf} keepsFields>
    <label>
      Name of the customer
      <input name="name" required maxLength={200} defaultValue={customer?.name ?? ''} />
    </label>
    <label>
      Address
      <input name="address" maxLength={500} defaultValue={customer?.address ?? ''} />
    </label>
    <label>
      Tax number, which is not verified
      <input name="tax_id" maxLength={50} defaultValue={customer?.tax_id ?? ''} />
    </label>
  </WriteForm>
);

const InvoiceDetailsPage = () => {
  const state = usePageRead(() => ROUTE);
  return (
    <>
      <h1>Parties of invoices</h1>
      <Answered state={state}>
        {(found) => (
          <>
            <Seller {...found} />
            <Customer {...found} />
            <p class="quiet">A closed statement keeps the parties that it had.</p>
          </>
        )}
      </Answered>
    </>
  );
};

export default InvoiceDetailsPage;
