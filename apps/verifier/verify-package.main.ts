/**
 * The verifier of packages as a program of its own. `offline/verify.mjs` is one file of it, which
 * is in every package and needs Node and nothing else.
 */
import { parseArgs } from 'node:util';
import { describePackage } from '#areas/packages/verification/describe-package.js';
import { PackageError } from '#areas/packages/verification/package.error.js';
import { verifyPackage } from '#areas/packages/verification/verify-package.js';

const USAGE = `Usage: node verify.mjs <package.tar> [--root <fingerprint>] [--json]

Verifies the seal, the files, the licence and the provenance of a package, without a network.

  --root <fingerprint>  a root of the keys, known from elsewhere: 64 hexadecimal digits
  --json                print JSON

Exit codes: 0 verified; 1 not verified; 2 bad usage.`;

const OPTIONS = { root: { type: 'string' }, json: { type: 'boolean' } } as const;

const read = (words: readonly string[]) => {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      options: OPTIONS,
      allowPositionals: true,
    });
    const [file, ...more] = positionals;
    const { root = null, json = false } = values;
    const isRoot = root === null || /^[0-9a-f]{64}$/.test(root);
    return file === undefined || more.length > 0 || !isRoot ? undefined : { file, root, json };
  } catch {
    return undefined;
  }
};

const main = async (words: readonly string[]): Promise<void> => {
  const asked = read(words);
  if (!asked) {
    process.stderr.write(`${USAGE}\n`);
    process.exitCode = 2;
    return;
  }
  const { file, root, json } = asked;
  try {
    const { fields, text } = describePackage(
      await verifyPackage(file, { root, nowMs: Date.now() }),
    );
    process.stdout.write(`${json ? JSON.stringify({ success: true, ...fields }) : text}\n`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const isRefuted = error instanceof PackageError;
    const code = isRefuted ? 'package_not_verified' : 'unreadable';
    // A file that cannot be read, or a defect of this program, says nothing of the package.
    const text = `${isRefuted ? 'NOT verified' : 'cannot verify'}: ${reason}`;
    process.stderr.write(
      `${json ? JSON.stringify({ success: false, code, message: reason }) : text}\n`,
    );
    process.exitCode = 1;
  }
};

void main(process.argv.slice(2));
