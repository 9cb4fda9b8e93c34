import { Answered, usePageRead, useRead } from '../shell/answer.js';
import { type Fact, Facts, orDash } from '../shell/facts.js';
import { instant } from '../shell/figures.js';
import { OfNow } from '../shell/list.js';
import { addressOf } from '../shell/location.js';
import { type AnswerOf, routeOf } from '../shell/routes.js';
import { session } from '../shell/session.js';

type TaxStatus = AnswerOf<'/api/v1/tax_status'>;
type Party = NonNullable<AnswerOf<'/api/v1/billing/invoice_details'>['seller']>;

const yesNo = (is: boolean): string => (is ? 'yes' : 'no');

const partyOf = (party: Party | null): string =>
  party === null
    ? 'not set'
    : [party.name, party.address, party.tax_id].filter((one) => one !== null).join(', ');

const taxOf = (tax: TaxStatus): readonly Fact[] => [
  ['Country', [tax.iso_country, tax.region].filter((one) => one !== null).join(', ') || 'not set'],
  ['Business', orDash(tax.business, yesNo)],
  ['Exempt', orDash(tax.tax_exempt, yesNo)],
  ['VAT', orDash(tax.vat_rate_pct, (percent) => `${percent} %`)],
  ['Set, UTC', orDash(tax.set_at, instant)],
];

const SettingsPage = () => {
  const details = usePageRead(() => routeOf('/api/v1/billing/invoice_details'));
  const tax = useRead(() => routeOf('/api/v1/tax_status'));
  const user = session.value?.user;
  return (
    <>
      <h1>Settings</h1>
      <OfNow />
      <Facts
        facts={[
          ['User', user?.username ?? '–'],
          ['Role', user?.role ?? '–'],
        ]}
      />
      <p class="pages">
        {[
          ['/sessions', 'Sessions'],
          ['/keys', 'Keys'],
          ['/budgets', 'Budgets and alerts'],
          ['/webhooks', 'Webhooks'],
        ].map(([page = '', name]) => (
          <a key={page} data-page href={addressOf(page)}>
            {name}
          </a>
        ))}
      </p>
      <h2>On invoices</h2>
      <Answered state={details}>
        {({ seller, customer }) => (
          <Facts
            facts={[
              ['From', partyOf(seller)],
              ['To', partyOf(customer)],
            ]}
          />
        )}
      </Answered>
      <h2>Tax</h2>
      <Answered state={tax}>{(found) => <Facts facts={taxOf(found)} />}</Answered>
    </>
  );
};

export default SettingsPage;
