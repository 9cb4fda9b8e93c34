import { Inject, Injectable } from '@nestjs/common';
import { type DownloadEvidence } from '#events/packages/package.evidence.js';
import { type BlobRange, type BlobRef, Blobs } from '#platform/blobs/blobs.port.js';
import { inOnePiece } from '#platform/blobs/pieces.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type MeterPrice, MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { type PaidOrder } from '#platform/ledger/paid-work/paid-order.js';
import {
  type Charge,
  type HeldRequest,
  PaidRequests,
} from '#platform/ledger/paid-work/paid-request.js';
import { AccountShares } from '#platform/runtime/commands/account-shares.js';
import { cutOf } from '#platform/runtime/commands/request-cut.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import {
  contentHeaderOf,
  contentRangeOf,
  packageBytesOf,
  type PackagePart,
  rangeOf,
} from './archive/package-file.js';
import { type PackageState } from './package.decider.js';
import { bytePriceOf, DOWNLOAD_METER, downloadProduct } from './packages.products.js';
import { reject } from './packages.errors.js';
import { PACKAGE_SETTINGS, type PackageSettings } from './packages.settings.js';
import { archiveBlobOf, restBlobOf, StoredPackages } from './stored-packages.js';

/** `package`: the content with its seal, licence and provenance. `archive`: the content alone. */
export const DOWNLOAD_PARTS = ['package', 'archive'] as const;
export type DownloadPart = (typeof DOWNLOAD_PARTS)[number];

/** A file that can be downloaded. */
export interface DownloadFile {
  readonly name: string;
  readonly bytes: number;
  /** In lower-case hex. */
  readonly sha256: string;
  readonly package: PackageState;
  /** Of the file in its package. */
  readonly offset: number;
}

export interface DownloadOrder extends PaidOrder {
  readonly file: DownloadFile;
  readonly range: Required<BlobRange>;
  readonly signal: AbortSignal;
}

/** Downloads of one account at once, and of all accounts in one process. */
const DOWNLOADS = { total: 32, perAccount: 4, reserve: 8 };
const TURN_MS_MAX = 5_000;

/** Hands packages out, and charges the bytes that were sent. */
@Injectable()
export class PackageDownloads {
  readonly #turns = new AccountShares(DOWNLOADS);

  constructor(
    private readonly packages: StoredPackages,
    private readonly blobs: Blobs,
    private readonly paid: PaidRequests,
    private readonly prices: MeterPrices,
    @Inject(PACKAGE_SETTINGS) private readonly settings: PackageSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `package_not_found`, `package_not_ready`, `package_expired` */
  async find(accountId: string, packageUuid: string, part: DownloadPart): Promise<DownloadFile> {
    const found = await this.packages.find(accountId, packageUuid);
    const { order, sealed, ready } = found;
    if (this.packages.isExpired(found)) {
      return reject('package_expired', `the package ${packageUuid} can no longer be downloaded`);
    }
    if (!sealed || !ready) {
      return reject('package_not_ready', `the package ${packageUuid} is not ready; see its job`);
    }
    const name = `${order.packageName}${part === 'archive' ? '.content' : ''}.tar`;
    return part === 'archive'
      ? {
          name,
          bytes: sealed.archiveBytes,
          sha256: sealed.archiveSha256,
          package: found,
          offset: contentRangeOf(sealed.archiveBytes).start,
        }
      : { name, bytes: ready.bytes, sha256: ready.sha256, package: found, offset: 0 };
  }

  /**
   * Holds the price of the range, and opens it. The charge is durable before the last piece, and
   * when the iteration ends early.
   * @throws DomainError `package_downloads_busy`, `package_not_priced`; the errors of the ledger
   */
  async open({ file, range, ...order }: DownloadOrder): Promise<AsyncIterableIterator<Uint8Array>> {
    const endTurn = await this.#turn(order);
    try {
      const pricedAtMs = this.clock.now();
      const price = bytePriceOf(this.prices.inForce(pricedAtMs), DOWNLOAD_METER);
      const evidence: DownloadEvidence = {
        packageUuid: file.package.order.packageUuid,
        sha256: file.sha256,
        ...range,
      };
      const held = await this.paid.admit(order, {
        purpose: downloadProduct.purpose,
        lines: [price.lineOf(range.end - range.start)],
        rateCardVersion: price.rateCardVersion,
        evidence,
        pricedAtMs,
        requestMsMax: this.settings.downloadMsMax,
      });
      const paid = { held, price, evidence };
      return await begun(this.#charged({ file, range, ...order }, paid, endTurn));
    } catch (error) {
      endTurn();
      throw error;
    }
  }

  async #turn({ accountId, signal }: Pick<DownloadOrder, 'accountId' | 'signal'>) {
    const tooLong = AbortSignal.timeout(TURN_MS_MAX);
    try {
      return await this.#turns.enter(accountId, 1, AbortSignal.any([signal, tooLong]));
    } catch (error) {
      if (signal.aborted) throw error;
      const detail = `an account has ${DOWNLOADS.perAccount} downloads at once`;
      return reject('package_downloads_busy', detail, { retry_after_seconds: 5 });
    }
  }

  async *#charged(
    { file, range, signal }: DownloadOrder,
    { held, price, evidence }: Held,
    endTurn: () => void,
  ): AsyncGenerator<Uint8Array> {
    const bytes = range.end - range.start;
    let sent = 0;
    let hasFailed = false;
    const capture = (outcome: Charge['outcome']): Promise<unknown> => {
      const lines = held.charged([price.lineOf(sent)]);
      return held.capture({ ...lines, evidence, usageSource: 'counted', outcome });
    };
    try {
      const inPackage = { start: file.offset + range.start, end: file.offset + range.end };
      for await (const piece of rangeOf(this.#partsOf(file.package), inPackage)) {
        signal.throwIfAborted();
        sent += piece.length;
        // The charge is durable before the answer ends.
        if (sent === bytes) await capture('completed');
        yield piece;
      }
    } catch (error) {
      hasFailed = true;
      throw error;
    } finally {
      endTurn();
      const early = cutOf(signal)?.reason ?? (hasFailed ? 'upstream_failed' : 'client_gone');
      if (sent === 0) await held.release(early);
      else if (sent < bytes) await capture(early);
    }
  }

  #partsOf({ order, sealed, ready }: PackageState): readonly PackagePart[] {
    if (!sealed || !ready) return [];
    const header = contentHeaderOf(sealed.archiveBytes);
    const blob = (ref: BlobRef, bytes: number): PackagePart => ({
      bytes,
      read: (range) => this.#read(ref, range),
    });
    const content = blob(archiveBlobOf(order, sealed), sealed.archiveBytes);
    const restBytes = ready.bytes - packageBytesOf(sealed.archiveBytes, 0);
    return [
      {
        bytes: header.length,
        read: ({ start, end }) => inOnePiece(header.subarray(start, end)),
      },
      content,
      blob(restBlobOf(order, ready), restBytes),
    ];
  }

  async *#read(ref: BlobRef, range: BlobRange): AsyncGenerator<Uint8Array> {
    yield* (await this.blobs.open(ref, range)).content;
  }
}

/**
 * A generator that has yielded its first piece. Ending it runs its `finally`, which an unread
 * generator would skip.
 */
const begun = async <Piece>(
  generator: AsyncGenerator<Piece>,
): Promise<AsyncIterableIterator<Piece>> => {
  let first: IteratorResult<Piece> | undefined = await generator.next();
  const pieces: AsyncIterableIterator<Piece> = {
    next: () => {
      const next = first === undefined ? generator.next() : Promise.resolve(first);
      first = undefined;
      return next;
    },
    return: () => generator.return(undefined),
    [Symbol.asyncIterator]: () => pieces,
  };
  return pieces;
};

interface Held {
  readonly held: HeldRequest;
  readonly price: MeterPrice;
  readonly evidence: DownloadEvidence;
}
