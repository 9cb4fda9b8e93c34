import { ProofError, demand } from '../proof/proof.error.js';
import { type DecodedEvent, decodeEvent } from '../proof/decoded-event.js';
import { type Fields, listOf, parseFields, textOf, wholeOf } from '../proof/json-fields.js';
import { readZip } from './zip-reader.js';

/** The files of a bill. */
export const BILL_FILES = {
  about: 'README.txt',
  manifest: 'manifest.json',
  statement: 'statement.json',
  events: 'events.jsonl',
  rateCards: 'rate-cards.jsonl',
  checkpoint: 'checkpoint.txt',
  key: 'log.vkey',
} as const;

export const BILL_FORMAT = 'quipu.bill/1';

/** An event with the proof that it is in the log. */
export interface ExportedEvent {
  readonly leaf: number;
  readonly encoding: Buffer;
  /** From the sibling of the leaf up to the child of the root. */
  readonly proof: readonly Buffer[];
}

export interface ArchivedEvent extends ExportedEvent {
  readonly event: DecodedEvent;
}

export interface BillArchive {
  readonly accountId: string;
  readonly month: string;
  /** The stream of the account. */
  readonly stream: string;
  readonly statement: Fields;
  readonly events: readonly ArchivedEvent[];
  readonly rateCards: readonly ArchivedEvent[];
  /** A signed note. */
  readonly checkpoint: string;
  /** As the archive says; a verifier should know the key from elsewhere. */
  readonly key: string;
}

/** One line of `events.jsonl` and `rate-cards.jsonl`, with its line break. */
export const eventLine = ({ leaf, encoding, proof }: ExportedEvent): string =>
  `${JSON.stringify({
    leaf,
    encoding: encoding.toString('base64'),
    proof: proof.map((hash) => hash.toString('base64')),
  })}\n`;

const base64 = (text: string, what: string): Buffer => {
  const bytes = Buffer.from(text, 'base64');
  demand(bytes.toString('base64') === text, `${what} is no base64`);
  return bytes;
};

const parseEvent = (line: string, index: number): ArchivedEvent => {
  const what = `event ${index}`;
  const fields = parseFields(line, what);
  const encoding = base64(textOf(fields, 'encoding'), `the encoding of ${what}`);
  const proof = listOf(fields, 'proof').map((hash) => {
    demand(typeof hash === 'string', `the proof of ${what} is damaged`);
    return base64(hash, `the proof of ${what}`);
  });
  return { leaf: wholeOf(fields, 'leaf'), encoding, proof, event: decodeEvent(encoding) };
};

const linesOf = (file: Buffer): readonly string[] => {
  const text = file.toString('utf8');
  if (text === '') return [];
  demand(text.endsWith('\n'), 'a file of events is cut short');
  return text.slice(0, -1).split('\n');
};

/** @throws ProofError */
export const readBill = (zip: Buffer): BillArchive => {
  const files = readZip(zip);
  const known: readonly string[] = Object.values(BILL_FILES);
  for (const name of files.keys()) demand(known.includes(name), `the file ${name} is unknown`);
  const file = (name: string): Buffer => {
    const content = files.get(name);
    if (!content) throw new ProofError(`the archive has no ${name}`);
    return content;
  };
  const manifest = parseFields(file(BILL_FILES.manifest).toString(), BILL_FILES.manifest);
  const format = textOf(manifest, 'format');
  demand(format === BILL_FORMAT, `the format is ${format}, and this verifier reads ${BILL_FORMAT}`);
  return {
    accountId: textOf(manifest, 'accountId'),
    month: textOf(manifest, 'month'),
    stream: textOf(manifest, 'stream'),
    statement: parseFields(file(BILL_FILES.statement).toString(), BILL_FILES.statement),
    events: linesOf(file(BILL_FILES.events)).map(parseEvent),
    rateCards: linesOf(file(BILL_FILES.rateCards)).map(parseEvent),
    checkpoint: file(BILL_FILES.checkpoint).toString(),
    key: file(BILL_FILES.key).toString().trimEnd(),
  };
};
