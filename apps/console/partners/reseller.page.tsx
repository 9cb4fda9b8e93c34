import { Answered, usePageRead } from '../shell/answer.js';
import { type Fact, Facts } from '../shell/facts.js';
import { count, instant, usd } from '../shell/figures.js';
import { addressOf, asOf } from '../shell/location.js';
import { type AnswerOf, routeOf } from '../shell/routes.js';
import { partnerAsked } from './partner.js';

type Overview = AnswerOf<'/api/v1/partners/overview.php'>;

const factsOf = ({ partner, metrics, ...overview }: Overview): readonly Fact[] => [
  ['Partner', partner.partner_name],
  ['Share', `${partner.revenue_share_pct} % of at most ${partner.revenue_share_max_pct} %`],
  ['Users', count(metrics.sub_users_count)],
  ['Rigs', count(metrics.fleet_rigs_count)],
  ['Charged this month', usd(metrics.monthly_volume_usd)],
  ['Earned this month', usd(metrics.reseller_earnings_usd)],
  ['Charged in all', usd(metrics.lifetime_volume_usd)],
  ['Earned in all', usd(metrics.lifetime_earnings_usd)],
  ['Accrued through, UTC', instant(overview.accrued_through)],
];

const ResellerFigures = ({ partner }: { readonly partner: string | undefined }) => {
  const state = usePageRead(() =>
    routeOf('/api/v1/partners/overview.php', { partner_id: partner, asOf: asOf.value }),
  );
  return (
    <Answered state={state}>
      {(overview) => (
        <>
          <Facts facts={factsOf(overview)} />
          <p>
            <a
              data-page
              href={addressOf('/reseller/users', { partner: String(overview.partner.id) })}
            >
              Its users
            </a>
          </p>
        </>
      )}
    </Answered>
  );
};

const ResellerPage = () => {
  const partner = partnerAsked();
  return (
    <>
      <h1>Reseller</h1>
      <>
        {partner === null ? (
          <p>
            Choose one of the{' '}
            <a data-page href={addressOf('/partners')}>
              partners
            </a>
            .
          </p>
        ) : (
          <ResellerFigures key={partner} partner={partner} />
        )}
      </>
    </>
  );
};

export default ResellerPage;
