import { TenantDefined, type TenantEvent } from '#events/identity/tenant.events.js';
import { type Decider } from '#platform/kernel/decider.js';

/** The id of the tenant that every user belongs to; its name and colour may change. */
export const DEFAULT_TENANT = 'quipu';

export interface TenantCommand {
  readonly type: 'DefineTenant';
  readonly data: TenantDefined['data'];
}

/** Null: not defined yet. */
export type TenantState = Omit<TenantDefined['data'], 'definedAt'> | null;

const decide = ({ data }: TenantCommand, state: TenantState): readonly TenantEvent[] => {
  const same =
    state?.name === data.name &&
    state.primaryColor === data.primaryColor &&
    state.baseUrl === data.baseUrl;
  return same ? [] : [TenantDefined.of(data)];
};

const evolve = (
  _: TenantState,
  { data: { slug, name, primaryColor, baseUrl } }: TenantEvent,
): TenantState => ({ slug, name, primaryColor, baseUrl });

export const tenantDecider: Decider<TenantCommand, TenantState, TenantEvent> = {
  initialState: null,
  decide,
  evolve,
};
