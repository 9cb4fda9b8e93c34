import { Answered, usePageRead } from '../shell/answer.js';
import { type Fact, Facts, orDash } from '../shell/facts.js';
import { count, instant, usd, usdOfMicro } from '../shell/figures.js';
import { OfNow } from '../shell/list.js';
import { addressOf } from '../shell/location.js';
import { type PageProps } from '../shell/page.js';
import { type AnswerOf, routeOf } from '../shell/routes.js';

type Rental = AnswerOf<'/api/v1/rentals/{id}'>['rental'];

const isEnforced = (is: boolean): string => (is ? 'enforced' : 'not enforced on this machine');

const factsOf = (rental: Rental): readonly Fact[] => [
  ['Status', rental.error === null ? rental.status : `${rental.status}: ${rental.error.message}`],
  ['Rig', rental.rig],
  ['Image', rental.image ?? '–'],
  ['Ports', `${rental.first_port} to ${rental.last_port}`],
  ['Engine', rental.engine ?? '–'],
  ['Limits', orDash(rental.limits_enforced, isEnforced)],
  ['An hour', usd(rental.hourly_usd)],
  ['Seconds', count(rental.seconds)],
  ['Charged', orDash(rental.charge?.amount_micro_usd, usdOfMicro)],
  ['Exit code', orDash(rental.exit_code)],
  ['Ordered, UTC', instant(rental.submitted_at)],
  ['Started, UTC', orDash(rental.started_at, instant)],
  ['Ended, UTC', orDash(rental.ended_at, instant)],
];

const RentalPage = ({ parameters }: PageProps) => {
  const id = parameters['id'] ?? '';
  const state = usePageRead(() => routeOf('/api/v1/rentals/{id}', { id }));
  return (
    <>
      <h1>Rental {parameters['id']}</h1>
      <OfNow />
      <Answered state={state}>
        {({ rental }) => (
          <>
            <Facts facts={factsOf(rental)} />
            <p class="pages">
              <a data-page href={addressOf(`/jobs/${rental.job_uuid}`)}>
                Its job
              </a>
              <a href={`/api/v1/rentals/${id}/logs`} download={`rental-${id}.log`}>
                Its output
              </a>
            </p>
          </>
        )}
      </Answered>
    </>
  );
};

export default RentalPage;
