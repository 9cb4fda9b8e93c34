import { type PackagePage } from '#areas/packages/package.queries.js';
import { type ShownPackage } from '#areas/packages/shown-package.js';
import { estimateErrorPct } from '#platform/jobs/estimate-error.js';
import { presentPage } from '../pages/page.dto.js';
import {
  type PackageDetailsDto,
  type PackageListDto,
  type PackagesPageDto,
  type ScifPackageDto,
} from './packages.dto.js';

const fieldsOf = ({ order, sealed, licenceToken }: ShownPackage) => ({
  success: true as const,
  package_uuid: order.packageUuid,
  package_name: order.packageName,
  ed25519_signature_seal: sealed?.seal ?? null,
  license_token: licenceToken,
  checksum_sha256: sealed?.archiveSha256 ?? null,
  export_tar_url: `/api/v1/scif/download?package_uuid=${order.packageUuid}`,
});

export const presentPackage = (shown: ShownPackage): ScifPackageDto => fieldsOf(shown);

export const presentDetails = (shown: ShownPackage): PackageDetailsDto => {
  const { order, sealed, ready, status } = shown;
  return {
    ...fieldsOf(shown),
    status,
    model: order.model,
    hardware_architecture: order.hardwareArchitecture,
    ordered_at: order.orderedAt,
    estimated_bytes: order.estimatedBytes,
    estimate_error_pct: sealed && estimateErrorPct(order.estimatedBytes, sealed.archiveBytes),
    bytes: ready?.bytes ?? null,
    download_sha256: ready?.sha256 ?? null,
    licensed_until: ready?.licensedUntil ?? null,
    download_until: ready?.downloadUntil ?? null,
  };
};

export const presentPackages = (query: PackagesPageDto, page: PackagePage): PackageListDto => ({
  ...presentPage(query, page),
  packages: page.packages.map(presentDetails),
});
