import { findPackageJSON } from 'node:module';

const PACKAGE = 'node-llama-cpp';

/** Null, or why models cannot run on this machine. Reads the file system and loads nothing. */
export const missingPackage = (): string | null => {
  try {
    if (findPackageJSON(PACKAGE, import.meta.url) !== undefined) return null;
  } catch {
    // Node throws for an absent package.
  }
  return `the package ${PACKAGE} is not installed`;
};
