import {
  type PackageEvent,
  PackageExpired,
  PackageOrdered,
  PackageReady,
  PackageSealed,
} from '#events/packages/package.events.js';
import { type Saga, type SagaAction } from '#platform/kernel/saga.js';

export interface OnPackage {
  readonly accountId: string;
  readonly packageUuid: string;
}

export type PackageContentCommand =
  | { readonly type: 'SettlePackageContent'; readonly data: OnPackage }
  | { readonly type: 'ExpirePackage'; readonly data: OnPackage };

const TIMER = 'expiry';

const react = ({ type, data }: PackageEvent): readonly SagaAction<PackageContentCommand>[] => {
  const { accountId, packageUuid } = data;
  const command = { type: 'ExpirePackage', data: { accountId, packageUuid } } as const;
  const content = { type: 'SettlePackageContent', data: { accountId, packageUuid } } as const;
  const settle = { kind: 'command', command: content } as const;
  switch (type) {
    case 'PackageOrdered':
      return [{ kind: 'schedule', timer: TIMER, dueAt: data.dropAt, command }];
    case 'PackageSealed':
      return [settle];
    case 'PackageReady':
      return [settle, { kind: 'schedule', timer: TIMER, dueAt: data.downloadUntil, command }];
    case 'PackageExpired':
      return [{ kind: 'cancel', timer: TIMER }, settle];
  }
};

/**
 * The log decides which content is kept: a package that was sealed retains its blobs, and one that
 * has expired releases them. The handlers do so at once; the saga does what a crash left undone.
 */
export const packageContentSaga: Saga<PackageEvent, object, PackageContentCommand> = {
  name: 'package-content',
  on: { PackageOrdered, PackageSealed, PackageReady, PackageExpired },
  key: ({ data }) => data.packageUuid,
  initialState: {},
  evolve: (state, { type }) => (type === 'PackageExpired' ? null : state),
  react,
};
