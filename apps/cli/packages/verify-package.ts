import { describePackage } from '#areas/packages/verification/describe-package.js';
import { PackageError } from '#areas/packages/verification/package.error.js';
import { type PackageReport, verifyPackage } from '#areas/packages/verification/verify-package.js';
import { CommandFailure, usage } from '../command-failure.js';
import { type CommonOptions, type Outcome } from '../invocation.js';

export interface VerifyPackageOptions extends CommonOptions {
  readonly file: string;
  readonly root?: string;
}

/** Needs no installation: everything is in the package. */
export const verifyFile = async (options: VerifyPackageOptions): Promise<Outcome> => {
  const { fields, text } = describePackage(await verified(options));
  return { json: fields, text };
};

/** @throws CommandFailure `package_not_verified` with the reason */
export const verified = async ({ file, root }: VerifyPackageOptions): Promise<PackageReport> => {
  try {
    return await verifyPackage(file, { root: root ?? null, nowMs: Date.now() });
  } catch (error) {
    if (error instanceof PackageError) {
      throw new CommandFailure('package_not_verified', error.message);
    }
    throw usage(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
};
