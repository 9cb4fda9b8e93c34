import {
  type AdapterEvent,
  AdapterRemoved,
  AdapterUploaded,
} from '#events/adapters/adapter.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { notFound, reject } from './adapters.errors.js';

export type AdapterCommand =
  | {
      readonly type: 'UploadAdapter';
      readonly data: {
        readonly adapter: AdapterUploaded['data'];
        /** Adapters that the account may have. */
        readonly adaptersMax: number;
      };
    }
  | {
      readonly type: 'RemoveAdapter';
      readonly data: { readonly asked: string; readonly removedAt: string };
    };

type Uploaded = AdapterUploaded['data'];

/** The uploaded adapters of an account, by id. */
export interface AccountAdapters {
  readonly present: ReadonlyMap<string, Uploaded>;
  /** Their content may still be kept. */
  readonly removed: ReadonlyMap<string, Uploaded>;
}

/** By its id or its slug. */
export const findIn = ({ present }: AccountAdapters, asked: string): Uploaded | undefined =>
  present.get(asked) ?? [...present.values()].find(({ slug }) => slug === asked);

/**
 * Whether the account may have another adapter of this slug. It is asked before the weights are
 * stored, so that a rejected upload stores nothing, and again with the event.
 * @throws DomainError `adapter_slug_taken`, `adapter_limit_reached`
 */
export const demandRoomFor = (
  { present }: AccountAdapters,
  slug: string,
  adaptersMax: number,
): void => {
  if ([...present.values()].some((one) => one.slug === slug)) {
    reject('adapter_slug_taken', `the account has an adapter ${slug}; remove it first`);
  }
  if (present.size >= adaptersMax) {
    reject('adapter_limit_reached', `an account has at most ${adaptersMax} adapters`);
  }
};

/** A repeated request has the id of the first one. */
export const isKnown = ({ present, removed }: AccountAdapters, adapterId: string): boolean =>
  present.has(adapterId) || removed.has(adapterId);

const upload = (
  state: AccountAdapters,
  adapter: Uploaded,
  adaptersMax: number,
): readonly AdapterEvent[] => {
  const { adapterId, slug } = adapter;
  if (isKnown(state, adapterId)) return [];
  demandRoomFor(state, slug, adaptersMax);
  return [AdapterUploaded.of(adapter)];
};

const decide = (
  { type, data }: AdapterCommand,
  state: AccountAdapters,
): readonly AdapterEvent[] => {
  switch (type) {
    case 'UploadAdapter':
      return upload(state, data.adapter, data.adaptersMax);
    case 'RemoveAdapter': {
      const found = findIn(state, data.asked) ?? notFound(data.asked);
      const { adapterId, accountId, slug, userId, blob } = found;
      const { removedAt } = data;
      return [AdapterRemoved.of({ adapterId, accountId, slug, userId, blob, removedAt })];
    }
  }
};

const evolve = (state: AccountAdapters, { type, data }: AdapterEvent): AccountAdapters => {
  const { present, removed } = state;
  const { adapterId } = data;
  switch (type) {
    case 'AdapterUploaded':
      return { removed, present: new Map([...present, [adapterId, data]]) };
    case 'AdapterRemoved': {
      const adapter = present.get(adapterId);
      if (!adapter) return state;
      return {
        present: new Map([...present].filter(([id]) => id !== adapterId)),
        removed: new Map([...removed, [adapterId, adapter]]),
      };
    }
  }
};

export const adapterDecider: Decider<AdapterCommand, AccountAdapters, AdapterEvent> = {
  initialState: { present: new Map(), removed: new Map() },
  decide,
  evolve,
};
