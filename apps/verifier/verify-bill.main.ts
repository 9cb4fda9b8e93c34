/**
 * The verifier of bills as a program of its own: `npm run verifier` makes one file of it, which
 * needs Node and nothing else.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { BillError } from '#areas/audit/bill/bill.error.js';
import { describeBill, type Trust, verifyBill } from '#areas/audit/bill/verify-bill.js';

const USAGE = `Usage: node verify-bill.mjs <statement.zip> [options]

Recomputes the statement from the events of the archive, and proves that they are all in the log.

  --key <key>      the verifier key of the log, known from elsewhere
  --witness <key>  the verifier key of a witness that must have cosigned; may be repeated
  --quorum <n>     how many of the witnesses must have; default: all
  --json           print JSON

Exit codes: 0 proved; 1 not proved; 2 bad usage.`;

const OPTIONS = {
  key: { type: 'string' },
  witness: { type: 'string', multiple: true },
  quorum: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

interface Words {
  readonly file: string;
  readonly trust: Trust;
  readonly json: boolean;
}

/** Undefined for words that are no use of the program. */
const read = (words: readonly string[]): Words | undefined => {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      options: OPTIONS,
      allowPositionals: true,
    });
    const { key, witness, quorum, json = false, help = false } = values;
    const [file, ...more] = positionals;
    const isNumber = quorum === undefined || /^\d{1,3}$/.test(quorum);
    if (help || file === undefined || more.length > 0 || !isNumber) return undefined;
    const trust = {
      ...(key !== undefined && { key }),
      ...(witness && { witnesses: witness }),
      ...(quorum !== undefined && { quorum: Number(quorum) }),
    };
    return { file, trust, json };
  } catch {
    return undefined;
  }
};

const main = (words: readonly string[]): void => {
  const asked = read(words);
  if (!asked) {
    process.stderr.write(`${USAGE}\n`);
    process.exitCode = 2;
    return;
  }
  try {
    const report = verifyBill(readFileSync(asked.file), asked.trust);
    const text = asked.json ? JSON.stringify({ success: true, ...report }) : describeBill(report);
    process.stdout.write(`${text}\n`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const isRefuted = error instanceof BillError;
    const code = isRefuted ? 'bill_not_proved' : 'unreadable';
    const failure = { success: false, code, message: reason };
    // A file that cannot be read, or a defect of this program, says nothing of the bill.
    const text = `${isRefuted ? 'NOT proved' : 'cannot verify'}: ${reason}`;
    process.stderr.write(`${asked.json ? JSON.stringify(failure) : text}\n`);
    process.exitCode = 1;
  }
};

main(process.argv.slice(2));
