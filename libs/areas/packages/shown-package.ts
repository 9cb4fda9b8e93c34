import { type PackageState } from './package.decider.js';
import { type StoredPackages } from './stored-packages.js';

export const PACKAGE_STATUSES = ['queued', 'sealed', 'ready', 'expired'] as const;

/** A package as its account sees it. */
export interface ShownPackage extends PackageState {
  readonly status: (typeof PACKAGE_STATUSES)[number];
  /** Null before the package is ready. */
  readonly licenceToken: string | null;
}

export const showPackage = async (
  found: PackageState,
  packages: StoredPackages,
): Promise<ShownPackage> => ({
  ...found,
  status: statusOf(found, packages),
  licenceToken: await packages.licenceOf(found),
});

const statusOf = (found: PackageState, packages: StoredPackages): ShownPackage['status'] => {
  if (packages.isExpired(found)) return 'expired';
  if (found.ready) return 'ready';
  return found.sealed ? 'sealed' : 'queued';
};
