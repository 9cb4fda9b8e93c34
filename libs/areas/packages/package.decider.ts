import {
  type PackageEvent,
  PackageExpired,
  PackageOrdered,
  PackageReady,
  PackageSealed,
} from '#events/packages/package.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { reject } from './packages.errors.js';

export type PackageCommand =
  | {
      readonly type: 'OrderPackage';
      readonly data: { readonly order: PackageOrdered['data']; readonly packagesMax: number };
    }
  | { readonly type: 'SealPackage'; readonly data: PackageSealed['data'] }
  | { readonly type: 'FinishPackage'; readonly data: PackageReady['data'] }
  | {
      readonly type: 'ExpirePackage';
      readonly data: Pick<PackageExpired['data'], 'packageUuid' | 'expiredAt'>;
    };

/** A package, and how far it is. */
export interface PackageState {
  readonly order: PackageOrdered['data'];
  readonly sealed: PackageSealed['data'] | null;
  readonly ready: PackageReady['data'] | null;
  readonly isExpired: boolean;
}

/** The packages of an account by id, in the order of their orders. */
export type AccountPackages = ReadonlyMap<string, PackageState>;

/** @throws DomainError `package_limit_reached` */
export const demandRoom = (packages: AccountPackages, packagesMax: number): void => {
  const open = [...packages.values()].filter(({ isExpired }) => !isExpired).length;
  if (open < packagesMax) return;
  const detail = `the account has ${open} packages of ${packagesMax}; they expire by themselves`;
  reject('package_limit_reached', detail);
};

const decide = (
  { type, data }: PackageCommand,
  packages: AccountPackages,
): readonly PackageEvent[] => {
  if (type === 'OrderPackage') {
    const { order, packagesMax } = data;
    if (packages.has(order.packageUuid)) return [];
    demandRoom(packages, packagesMax);
    return [PackageOrdered.of(order)];
  }
  const known = packages.get(data.packageUuid);
  if (!known || known.isExpired) return [];
  switch (type) {
    case 'SealPackage':
      return known.sealed ? [] : [PackageSealed.of(data)];
    case 'FinishPackage':
      return known.sealed && !known.ready ? [PackageReady.of(data)] : [];
    case 'ExpirePackage': {
      const dueAt = known.ready?.downloadUntil ?? known.order.dropAt;
      const { packageUuid, accountId } = known.order;
      const { expiredAt } = data;
      return expiredAt >= dueAt ? [PackageExpired.of({ packageUuid, accountId, expiredAt })] : [];
    }
  }
};

const changed = (
  packages: AccountPackages,
  packageUuid: string,
  change: Partial<PackageState>,
): AccountPackages => {
  const known = packages.get(packageUuid);
  return known ? new Map(packages).set(packageUuid, { ...known, ...change }) : packages;
};

const evolve = (packages: AccountPackages, { type, data }: PackageEvent): AccountPackages => {
  const { packageUuid } = data;
  switch (type) {
    case 'PackageOrdered': {
      const order = { order: data, sealed: null, ready: null, isExpired: false };
      return new Map(packages).set(packageUuid, order);
    }
    case 'PackageSealed':
      return changed(packages, packageUuid, { sealed: data });
    case 'PackageReady':
      return changed(packages, packageUuid, { ready: data });
    case 'PackageExpired':
      return changed(packages, packageUuid, { isExpired: true });
  }
};

export const packageDecider: Decider<PackageCommand, AccountPackages, PackageEvent> = {
  initialState: new Map(),
  decide,
  evolve,
};
