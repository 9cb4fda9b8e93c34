import { type JsonObject, RigError } from './chat-backend.js';
import { type ChatFeature, type Need, STATED_FEATURES } from './chat-features.js';
import { type Rig, type RigState } from './rig-state.js';
import { RouteError } from './route-error.js';

/** The model, and the only rig that may answer, if the caller names one. */
interface Wanted {
  readonly model: string;
  readonly pin?: string | undefined;
}

/** @throws RouteError for a field that belongs to the operator of one of the rigs */
export const rejectFields = (candidates: readonly RigState[], body: JsonObject): void => {
  for (const { rig } of candidates) rejectOperatorField(rig, body);
};

/**
 * Those of the rigs that do all that a request needs.
 * @throws RouteError that names what is missing, where there is none
 */
export const ableTo = (
  needs: readonly Need[],
  candidates: readonly RigState[],
  target: Wanted,
): readonly RigState[] => {
  if (needs.length === 0) return candidates;
  const able = candidates.filter(({ rig }) => needs.every((need) => hasFeature(rig, need)));
  return able.length > 0 ? able : rejectNeeds(needs, candidates, target);
};

export const hasFeature = ({ features }: Rig, { feature }: Pick<Need, 'feature'>): boolean =>
  features === undefined ? !STATED_FEATURES.has(feature) : features.has(feature);

/** Said instead of the name of a feature that callers do not know as one. */
const REASONS: Partial<Record<ChatFeature, string>> = {
  private_urls: 'expected data, or an http or https URL with a public host and no credentials',
};

const rejectNeeds = (
  needs: readonly Need[],
  candidates: readonly RigState[],
  { model, pin }: Wanted,
): never => {
  const nowhere = needs.filter((need) => !candidates.some(({ rig }) => hasFeature(rig, need)));
  // Each is to be had, at different rigs: all of them are at fault.
  const missing = nowhere.length > 0 ? nowhere : needs;
  const reason = missing.flatMap(({ feature }) => REASONS[feature] ?? [])[0];
  const names = missing.map(({ feature }) => feature).join(' and ');
  const lacks =
    pin === undefined
      ? `no rig of the model ${model} has the feature`
      : `rig ${pin} does not have the feature`;
  const param = missing[0]?.param ?? '';
  throw refused('routing', param, `'${param}' is refused: ${reason ?? `${lacks} ${names}`}`);
};

const rejectOperatorField = ({ name, operatorFields }: Rig, body: JsonObject): void => {
  const param = operatorFields?.firstIn(body);
  if (param === undefined) return;
  const message = `'${param}' is refused: it belongs to the operator of the model`;
  throw refused(name, param, message);
};

/** As a rig refuses a field. */
export const refused = (rig: string, param: string, message: string): RouteError => {
  const upstreamError = {
    message,
    type: 'invalid_request_error',
    param,
    code: 'unsupported_parameter',
  };
  const rigError = new RigError('refused', `rig ${rig}: ${message}`, {
    status: 400,
    upstreamError,
  });
  return new RouteError('refused', message, [], { rigError });
};
