import { count, usd } from '../shell/figures.js';
import { Answered, usePageRead } from '../shell/answer.js';
import { routeOf } from '../shell/api.js';
import { asOf } from '../shell/location.js';

interface Overview {
  readonly position: string;
  readonly balance_usd: number;
  readonly available_usd: number;
  readonly held_usd: number;
  readonly telemetry: {
    readonly burn_rate_per_hour: number;
    readonly runway_hours: number | null;
    readonly runway_days: number | null;
    readonly active_compute_jobs: number;
    readonly total_compute_spend: number;
    readonly total_inference_spend: number;
    readonly lifetime_deposited: number;
  };
}

const HOURS_SHOWN_MAX = 72;

/** Null: no charge in the last 24 hours, so the gateway knows no end. */
const runwayOf = ({ runway_hours: hours, runway_days: days }: Overview['telemetry']): string => {
  if (hours === null || days === null) return 'no charge in 24 hours';
  return hours < HOURS_SHOWN_MAX ? `${count(hours)} hours` : `${count(days)} days`;
};

const figuresOf = (overview: Overview): readonly (readonly [id: string, string, string])[] => {
  const { telemetry } = overview;
  return [
    ['balance', 'Balance', usd(overview.balance_usd)],
    ['available', 'Available', usd(overview.available_usd)],
    ['held', 'Held by running work', usd(overview.held_usd)],
    ['burn', 'Burn per hour, of a day', usd(telemetry.burn_rate_per_hour)],
    ['runway', 'Runway', runwayOf(telemetry)],
    ['active', 'Running work with a hold', count(telemetry.active_compute_jobs)],
    ['inference', 'Charged for inference', usd(telemetry.total_inference_spend)],
    ['compute', 'Charged for compute', usd(telemetry.total_compute_spend)],
    ['deposited', 'Deposited', usd(telemetry.lifetime_deposited)],
  ];
};

const HomePage = () => {
  const overview = usePageRead<Overview>(() =>
    routeOf('/api/v1/billing/overview.php', { asOf: asOf.value }),
  );
  return (
    <>
      <h1>Home</h1>
      <Answered state={overview}>
        {(found) => (
          <dl class="figures">
            {figuresOf(found).map(([id, name, figure]) => (
              <div key={id}>
                <dt>{name}</dt>
                <dd id={id}>{figure}</dd>
              </div>
            ))}
          </dl>
        )}
      </Answered>
    </>
  );
};

export default HomePage;
