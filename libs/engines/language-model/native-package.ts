import { findPackageJSON } from 'node:module';

/** Null, or why models cannot run on this machine. Reads the file system and loads nothing. */
export const missingPackage = (name = 'node-llama-cpp'): string | null => {
  try {
    if (findPackageJSON(name, import.meta.url) !== undefined) return null;
  } catch {
    // Node throws for an absent package.
  }
  return `the package ${name} is not installed`;
};
