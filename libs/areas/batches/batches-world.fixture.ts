import { createHash } from 'node:crypto';
import { pino } from 'pino';
import { doubtsOf, type UsageDoubt } from '#events/token-usage.vocabulary.js';
import { UserId } from '#events/vocabulary.js';
import {
  type AcceptedItem,
  type BatchEndpoint,
  type ItemAnswer,
  type ItemRequest,
  type ItemRetry,
} from '#platform/batches/batch-endpoint.js';
import { RejectedRequestError } from '#platform/runtime/commands/rejected-request.js';
import {
  type BlobRef,
  Blobs,
  type OpenBlob,
  type PutOptions,
  type StoredBlob,
  type SweepReport,
} from '#platform/blobs/blobs.port.js';
import { BlobError } from '#platform/blobs/blobs.errors.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { BatchFiles, type BatchInputFile, type BatchOutputFile } from './batch-files.port.js';

export const NOW = '2026-11-22T06:00:00.000Z';
export const BATCH_ID = '01890a5d-ac96-474b-8cce-b302099a8057';
export const ACCOUNT_ID = '7';
export const USER_ID = UserId.parse(7);
export const PATH = '/v1/echo';
export const MODEL = 'acme/echo';
export const silent = pino({ level: 'silent' });

/** A line of an input file that asks for `text`. */
export const inputLine = (customId: string, body: object = {}): string =>
  JSON.stringify({
    custom_id: customId,
    method: 'POST',
    url: PATH,
    body: { model: MODEL, text: customId, ...body },
  });

/** The valid lines of an input file: `line-1`, `line-2`, … */
export const inputOf = (lines: number): string =>
  Array.from({ length: lines }, (_, index) => `${inputLine(`line-${index + 1}`)}\n`).join('');

// eslint-disable-next-line @typescript-eslint/require-await -- a stream of text in memory
export async function* piecesOf(text: string, size = 64): AsyncGenerator<Uint8Array, void, void> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += size) {
    yield bytes.subarray(start, start + size);
  }
}

export const gather = async (pieces: AsyncIterable<Uint8Array>): Promise<string> =>
  Buffer.concat(await Array.fromAsync(pieces)).toString('utf8');

/** The values of a JSONL file. */
export const jsonl = (text: string): readonly Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** Files in memory. */
export class FakeFiles extends BatchFiles {
  readonly inputs = new Map<string, { readonly purpose: string; readonly text: string }>();
  readonly outputs = new Map<string, { readonly name: string; readonly text: string }>();

  override find(_accountId: string, fileId: string): Promise<BatchInputFile | undefined> {
    const file = this.inputs.get(fileId);
    if (!file) return Promise.resolve(undefined);
    const { purpose, text } = file;
    const content = () => Promise.resolve(piecesOf(text));
    return Promise.resolve({ purpose, bytes: Buffer.byteLength(text), content });
  }

  override async create(
    { name, content }: BatchOutputFile,
    { requestId }: CommandContext,
  ): Promise<string> {
    const id = `file-${requestId}`;
    this.outputs.set(id, { name, text: await gather(content) });
    return id;
  }

  /** The content of an output or error file. */
  textOf(fileId: string | null): string {
    return this.outputs.get(fileId ?? '')?.text ?? '';
  }
}

/** Blobs in memory, with who retains them. */
export class FakeBlobs extends Blobs {
  readonly contents = new Map<string, Buffer>();
  readonly holders = new Map<string, Set<string>>();

  override async put(
    source: AsyncIterable<Uint8Array>,
    { owner }: PutOptions,
  ): Promise<StoredBlob> {
    const content = Buffer.concat(await Array.fromAsync(source));
    const address = createHash('sha256').update(String(owner)).update(content).digest('hex');
    this.contents.set(address, content);
    return { address, owner, bytes: content.length };
  }

  override open({ address }: BlobRef): Promise<OpenBlob> {
    const content = this.contents.get(address);
    if (!content) return Promise.reject(new BlobError('blob-not-found', address));
    return Promise.resolve({ bytes: content.length, content: piecesOf(content.toString('utf8')) });
  }

  override retain({ address }: BlobRef, holder: string): Promise<void> {
    this.holders.set(address, (this.holders.get(address) ?? new Set()).add(holder));
    return Promise.resolve();
  }

  protected override reportMissing(address: string, holder: string): void {
    throw new Error(`${holder} has lost ${address}`);
  }

  override release({ address }: BlobRef, holder: string): Promise<void> {
    this.holders.get(address)?.delete(holder);
    return Promise.resolve();
  }

  /** Addresses that a holder retains. */
  get retained(): readonly string[] {
    return [...this.holders].flatMap(([address, { size }]) => (size > 0 ? [address] : []));
  }

  override sweep(): Promise<SweepReport> {
    return Promise.reject(new Error('nothing is swept'));
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }
}

/** A temporary error of an endpoint, as when its rig is away. */
export class AwayError extends Error {
  constructor(readonly retry: ItemRetry) {
    super('it is away');
  }
}

/** Two rigs answer: `mill` the texts that end in an even digit, `press` the others. */
const rigOf = (text: string): string => (/[02468]$/.test(text) ? 'mill' : 'press');

/** Answers a body with its own text; a token is a character. */
export class EchoEndpoint implements BatchEndpoint {
  /** The texts that were asked, in order. */
  readonly asked: string[] = [];
  /** About the usage of some texts. */
  readonly doubts = new Map<string, readonly UsageDoubt[]>();
  before: (text: string, signal: AbortSignal) => Promise<void> = () => Promise.resolve();

  accept(body: unknown): AcceptedItem {
    const { model, text } = body as { readonly model: string; readonly text: unknown };
    if (typeof text !== 'string') {
      const message = 'text: must be a text';
      throw new RejectedRequestError({
        status: 400,
        code: 'invalid_request',
        message,
        param: 'text',
      });
    }
    return { model, bound: { input_tokens: text.length, output_tokens: 100 } };
  }

  price(model: string) {
    if (model !== MODEL) return undefined;
    const perUnits = 1_000_000;
    const linesOf = (quantities: Readonly<Record<string, number>>) =>
      Object.entries(quantities).map(([meter, quantity]) => ({
        meter,
        quantity,
        unitPriceMicroUsd: '500000',
        perUnits,
      }));
    return { rateCardVersion: 3, discountPercent: 50, linesOf };
  }

  async run({ body }: ItemRequest, signal: AbortSignal): Promise<ItemAnswer> {
    this.accept(body);
    const { text } = body as { readonly text: string };
    this.asked.push(text);
    await this.before(text, signal);
    signal.throwIfAborted();
    const rig = rigOf(text);
    const used = [
      { meter: 'input_tokens', quantity: text.length, rig },
      { meter: 'output_tokens', quantity: 2, rig },
    ];
    return { body: { echo: text }, used, ...doubtsOf([{ usageDoubts: this.doubts.get(text) }]) };
  }

  retryOf(error: unknown): ItemRetry {
    return error instanceof AwayError ? error.retry : 'never';
  }
}
