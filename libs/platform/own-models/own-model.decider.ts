import {
  type OwnModelEvent,
  OwnModelRegistered,
  OwnModelRemoved,
} from '#events/platform/own-model.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { DomainError } from '#platform/kernel/domain-error.js';

export type OwnModelErrorCode =
  | 'own_model_not_found'
  | 'own_model_name_taken'
  | 'own_model_limit_reached'
  | 'own_model_too_large';

export const reject = (code: OwnModelErrorCode, detail: string): never => {
  throw new DomainError<OwnModelErrorCode>(code, detail);
};

export type OwnModel = OwnModelRegistered['data'];

export type OwnModelCommand =
  | {
      readonly type: 'RegisterOwnModel';
      readonly data: { readonly model: OwnModel; readonly modelsMax: number };
    }
  | {
      readonly type: 'RemoveOwnModel';
      readonly data: { readonly slug: string; readonly removedAt: string };
    };

/** The models of an account, by id. */
export interface AccountModels {
  readonly present: ReadonlyMap<string, OwnModel>;
  /** Their content may still be kept. */
  readonly removed: ReadonlyMap<string, OwnModel>;
}

export const NO_MODELS: AccountModels = { present: new Map(), removed: new Map() };

const bySlug = ({ present }: AccountModels, slug: string): OwnModel | undefined =>
  [...present.values()].find((model) => model.slug === slug);

const register = (
  state: AccountModels,
  model: OwnModel,
  modelsMax: number,
): readonly OwnModelEvent[] => {
  const { present, removed } = state;
  // A repeated request has the id of the first one.
  if (present.has(model.modelId) || removed.has(model.modelId)) return [];
  if (bySlug(state, model.slug)) {
    return reject('own_model_name_taken', `the account has a model ${nameOf(model)}`);
  }
  if (present.size >= modelsMax) {
    const detail = `an account has at most ${modelsMax} models of its own; delete one first`;
    return reject('own_model_limit_reached', detail);
  }
  return [OwnModelRegistered.of(model)];
};

const decide = (
  { type, data }: OwnModelCommand,
  state: AccountModels,
): readonly OwnModelEvent[] => {
  switch (type) {
    case 'RegisterOwnModel':
      return register(state, data.model, data.modelsMax);
    case 'RemoveOwnModel': {
      const { slug, removedAt } = data;
      const found =
        bySlug(state, slug) ??
        reject('own_model_not_found', `the account has no model of its own called ${slug}`);
      const { modelId, accountId, blob } = found;
      return [OwnModelRemoved.of({ modelId, accountId, slug, blob, removedAt })];
    }
  }
};

const evolve = (state: AccountModels, { type, data }: OwnModelEvent): AccountModels => {
  const { present, removed } = state;
  switch (type) {
    case 'OwnModelRegistered':
      return { removed, present: new Map([...present, [data.modelId, data]]) };
    case 'OwnModelRemoved': {
      const model = present.get(data.modelId);
      if (!model) return state;
      return {
        present: new Map([...present].filter(([id]) => id !== data.modelId)),
        removed: new Map([...removed, [data.modelId, model]]),
      };
    }
  }
};

export const ownModelDecider: Decider<OwnModelCommand, AccountModels, OwnModelEvent> = {
  initialState: NO_MODELS,
  decide,
  evolve,
};

/** `{owner}/{slug}`, as requests name the model. */
export const nameOf = ({ accountId, slug }: Pick<OwnModel, 'accountId' | 'slug'>): string =>
  `${accountId}/${slug}`;
