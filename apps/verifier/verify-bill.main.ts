/**
 * The verifier of bills and of archives of the log as a program of its own. `npm run verifier`
 * makes one file of it, which needs Node and nothing else.
 */
import { createReadStream, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ProofError } from '#areas/audit/proof/proof.error.js';
import { isArchive } from '#areas/audit/archive/archive-file.js';
import { describeArchive, verifyArchive } from '#areas/audit/archive/verify-archive.js';
import { describeBill, verifyBill } from '#areas/audit/bill/verify-bill.js';
import { type Trust } from '#areas/audit/proof/trusted-checkpoint.js';

const USAGE = `Usage: node verify-bill.mjs <file> [options]

Of a statement (statement.zip): recomputes it from the events of the archive, and proves that they
are all in the log. Of an archive of the log (quipu log export): proves that its events are a range
of the log, whole and in its order.

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

interface Verified {
  readonly report: object;
  readonly text: string;
}

/** By the first bytes of the file. */
const verify = async ({ file, trust }: Words): Promise<Verified> => {
  const beginning = createReadStream(file, { end: 1 });
  const first = Buffer.concat((await beginning.toArray()) as Buffer[]);
  if (isArchive(first)) {
    const report = await verifyArchive(createReadStream(file), trust);
    return { report, text: describeArchive(report) };
  }
  const report = verifyBill(readFileSync(file), trust);
  return { report, text: describeBill(report) };
};

const main = async (words: readonly string[]): Promise<void> => {
  const asked = read(words);
  if (!asked) {
    process.stderr.write(`${USAGE}\n`);
    process.exitCode = 2;
    return;
  }
  try {
    const { report, text } = await verify(asked);
    const output = asked.json ? JSON.stringify({ success: true, ...report }) : text;
    process.stdout.write(`${output}\n`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const isRefuted = error instanceof ProofError;
    const code = isRefuted ? 'not_proved' : 'unreadable';
    const failure = { success: false, code, message: reason };
    // A file that cannot be read, or a defect of this program, says nothing of its content.
    const text = `${isRefuted ? 'NOT proved' : 'cannot verify'}: ${reason}`;
    process.stderr.write(`${asked.json ? JSON.stringify(failure) : text}\n`);
    process.exitCode = 1;
  }
};

void main(process.argv.slice(2));
