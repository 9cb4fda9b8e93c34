import {
  DownloadEvidence,
  PackageCaptureEvidence,
  PackageHoldEvidence,
} from '#events/packages/package.evidence.js';
import {
  type MeterPrice,
  meterPrice,
  type MeterPriceList,
} from '#platform/ledger/meter-prices.port.js';
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

/** @throws DomainError `package_not_priced` where the rate card lacks the meter */
export const bytePriceOf = (list: MeterPriceList | undefined, meter: string): MeterPrice =>
  meterPrice(list, meter, (detail) => reject('package_not_priced', detail));
