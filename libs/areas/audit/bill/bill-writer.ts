import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { BILL_FILES, BILL_FORMAT, type ExportedEvent, eventLine } from './bill-archive.js';

/** The parts of a bill. */
export interface BillParts {
  readonly accountId: string;
  readonly month: string;
  readonly stream: string;
  readonly statement: object;
  /** All events of the account, up to the end of the statement. */
  readonly events: AsyncIterable<ExportedEvent> | Iterable<ExportedEvent>;
  readonly rateCards: readonly ExportedEvent[];
  /** A signed note. */
  readonly checkpoint: string;
  readonly key: string;
}

/** The first time that a zip archive can have, so that one bill always has the same bytes. */
const MTIME = new Date(1980, 0, 1);
const OPTIONS = { mtime: MTIME, forceDosTimestamp: true } as const;

const ABOUT = `This archive proves a monthly statement.

${BILL_FILES.statement}     the statement
${BILL_FILES.events}       every event of the account, with a proof that it is in the log
${BILL_FILES.rateCards}   the price lists that the charges name, with the same proofs
${BILL_FILES.checkpoint}     the signed size and root of the log (C2SP tlog-checkpoint)
${BILL_FILES.key}           the key of the log; compare it with the one you know

Verify it without a server: node verify-bill.mjs statement.zip --key <key of the log>
`;

/** The archive as it is written; a failure of its events ends it with that error. */
export const writeBill = (parts: BillParts): Readable => {
  const { accountId, month, stream, statement } = parts;
  const zip = new ZipFile();
  const output = Readable.from(zip.outputStream, { objectMode: false });
  const add = (name: string, text: string): void => {
    zip.addBuffer(Buffer.from(text), name, OPTIONS);
  };
  const manifest = { format: BILL_FORMAT, accountId, month, stream };
  add(BILL_FILES.about, ABOUT);
  add(BILL_FILES.manifest, `${JSON.stringify(manifest, null, 2)}\n`);
  add(BILL_FILES.statement, `${JSON.stringify(statement, null, 2)}\n`);
  add(BILL_FILES.checkpoint, parts.checkpoint);
  add(BILL_FILES.key, `${parts.key}\n`);
  add(BILL_FILES.rateCards, parts.rateCards.map(eventLine).join(''));
  const events = Readable.from(linesOf(parts.events), { objectMode: false });
  zip.once('error', (error: Error) => output.destroy(error));
  zip.addReadStream(events, BILL_FILES.events, OPTIONS);
  zip.end();
  return output;
};

async function* linesOf(events: BillParts['events']): AsyncGenerator<Buffer> {
  for await (const event of events) yield Buffer.from(eventLine(event));
}
