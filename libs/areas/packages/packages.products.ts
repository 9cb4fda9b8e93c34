import { type PriceLine } from '#events/hold.vocabulary.js';
import {
  DownloadEvidence,
  PackageCaptureEvidence,
  PackageHoldEvidence,
} from '#events/packages/package.evidence.js';
import { type MeterPriceList } from '#platform/ledger/meter-prices.port.js';
import { defineProduct } from '#platform/ledger/product.js';
import { reject } from './packages.errors.js';

export const PACKAGE_METER = 'package_bytes';
export const DOWNLOAD_METER = 'package_download_bytes';

export const packageProduct = defineProduct({
  purpose: 'scif_package',
  group: 'compute',
  title: 'Air-gapped packages of models',
  meters: { [PACKAGE_METER]: 'bytes of the archive' },
  holdEvidence: PackageHoldEvidence,
  captureEvidence: PackageCaptureEvidence,
});

export const downloadProduct = defineProduct({
  purpose: 'scif_download',
  group: 'compute',
  title: 'Downloads of air-gapped packages',
  meters: { [DOWNLOAD_METER]: 'bytes that were sent' },
  holdEvidence: DownloadEvidence,
  captureEvidence: DownloadEvidence,
});

/** The price of bytes on one rate card. */
export interface BytePrice {
  readonly rateCardVersion: number;
  lineOf(bytes: number): PriceLine;
}

/** @throws DomainError `package_not_priced` where the rate card lacks the meter */
export const bytePriceOf = (list: MeterPriceList | undefined, meter: string): BytePrice => {
  const price = list?.prices.get(meter);
  if (!list || !price) {
    const detail = `the catalog of this installation has no price for the meter ${meter}`;
    return reject('package_not_priced', detail);
  }
  return {
    rateCardVersion: list.rateCardVersion,
    lineOf: (quantity) => ({ meter, quantity, ...price }),
  };
};
