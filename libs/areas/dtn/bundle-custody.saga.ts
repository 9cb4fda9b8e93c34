import {
  BundleAccepted,
  BundleCancelled,
  BundleDelivered,
  type BundleEvent,
  BundleExpired,
  BundleForwarded,
  BundleRerouted,
  type BookedHop,
  CustodyTransferred,
} from '#events/dtn/dtn.events.js';
import { plusMs } from '#platform/kernel/instants.js';
import { type Saga, type SagaAction } from '#platform/kernel/saga.js';

interface OnBundle<Type extends string> {
  readonly type: Type;
  readonly data: { readonly bundleId: string };
}

export type CustodyCommand =
  | OnBundle<'ExpireBundle'>
  | OnBundle<'RerouteBundle'>
  | OnBundle<'RetainBundle'>
  | OnBundle<'ReleaseBundle'>
  | OnBundle<'ChargeBundle'>;

type CustodyEvent = Exclude<BundleEvent, { readonly type: 'BundleRejected' }>;

const EXPIRY = 'expiry';
const LAPSE = 'lapse';
/** A forwarded bundle of which no report has come is planned again. */
export const RESEND_MS = 86_400_000;

/** When the first contact of the route can no longer take the bundle. */
const lapseOf = (
  bundleId: string,
  route: readonly BookedHop[] | null,
): SagaAction<CustodyCommand> => {
  const [dueAt] = (route ?? []).map(({ lapsesAt }) => lapsesAt).sort();
  return dueAt === undefined
    ? { kind: 'cancel', timer: LAPSE }
    : {
        kind: 'schedule',
        timer: LAPSE,
        dueAt,
        command: { type: 'RerouteBundle', data: { bundleId } },
      };
};

const endOf = (bundleId: string): readonly SagaAction<CustodyCommand>[] => [
  { kind: 'cancel', timer: LAPSE },
  { kind: 'command', command: { type: 'ReleaseBundle', data: { bundleId } } },
  { kind: 'command', command: { type: 'ChargeBundle', data: { bundleId } } },
];

const react = ({ type, data }: CustodyEvent): readonly SagaAction<CustodyCommand>[] => {
  const { bundleId } = data;
  switch (type) {
    case 'BundleAccepted': {
      const expire = { type: 'ExpireBundle', data: { bundleId } } as const;
      return [
        { kind: 'command', command: { type: 'RetainBundle', data: { bundleId } } },
        { kind: 'schedule', timer: EXPIRY, dueAt: data.expiresAt, command: expire },
        lapseOf(bundleId, data.route),
      ];
    }
    case 'BundleRerouted':
      return [lapseOf(bundleId, data.route)];
    case 'BundleForwarded': {
      const dueAt = plusMs(data.forwardedAt, RESEND_MS);
      const command = { type: 'RerouteBundle', data: { bundleId } } as const;
      return [{ kind: 'schedule', timer: LAPSE, dueAt, command }];
    }
    case 'CustodyTransferred':
      return endOf(bundleId);
    case 'BundleCancelled':
      return [{ kind: 'cancel', timer: EXPIRY }, ...endOf(bundleId)];
    case 'BundleDelivered':
    case 'BundleExpired':
      return [{ kind: 'cancel', timer: EXPIRY }, ...(data.endsCustody ? endOf(bundleId) : [])];
  }
};

/** Ends a bundle with its lifetime, plans it again after a lapse, keeps and charges it. */
export const bundleCustodySaga: Saga<CustodyEvent, object, CustodyCommand> = {
  name: 'bundle-custody',
  on: {
    BundleAccepted,
    BundleRerouted,
    BundleForwarded,
    CustodyTransferred,
    BundleDelivered,
    BundleCancelled,
    BundleExpired,
  },
  key: ({ data }) => data.bundleId,
  initialState: {},
  evolve: (state, { type }) =>
    type === 'BundleCancelled' || type === 'BundleDelivered' || type === 'BundleExpired'
      ? null
      : state,
  react,
};
