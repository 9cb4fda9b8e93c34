import path from 'node:path';
import { BLOB_BYTES_MAX } from '#platform/blobs/blobs.port.js';
import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';

export interface PackageSettings {
  /** Packages of an account that can be downloaded or are being made. */
  readonly packagesMax: number;
  /** The largest model that is packaged. */
  readonly modelBytesMax: number;
  /** From the end of the packaging on. */
  readonly downloadDays: number;
  /** How long the request for a package waits for it. */
  readonly waitMsMax: number;
  /** The longest time of one download. */
  readonly downloadMsMax: number;
  /** Holds `verify.mjs` and `verify.sh`. */
  readonly verifierFolder: string;
}

export const PACKAGE_SETTINGS = Symbol('PackageSettings');

/** The verifiers that ship with Quipu, seen from the compiled file. */
const SHIPPED = path.resolve(import.meta.dirname, '../../../../offline');

/** The largest blob, less 64 MiB for the files beside the weights. */
const MODEL_BYTES_MAX = BLOB_BYTES_MAX - 64 * 1_024 ** 2;
const WAIT_MS_MAX = 10_000;
const DOWNLOAD_MS_MAX = 3_600_000;

export const packageSettings = defineSettings({
  token: PACKAGE_SETTINGS,
  variables: {
    QUIPU_PACKAGES_MAX: variable(
      wholeNumber(1, 1_000).default(20),
      'how many packages (SCIF) of an account are being made or can be downloaded',
    ),
    QUIPU_PACKAGE_DOWNLOAD_DAYS: variable(
      wholeNumber(1, 365).default(7),
      'how long a package can be downloaded',
    ),
  },
  read: (values): PackageSettings => ({
    packagesMax: values.QUIPU_PACKAGES_MAX,
    modelBytesMax: MODEL_BYTES_MAX,
    downloadDays: values.QUIPU_PACKAGE_DOWNLOAD_DAYS,
    waitMsMax: WAIT_MS_MAX,
    downloadMsMax: DOWNLOAD_MS_MAX,
    verifierFolder: SHIPPED,
  }),
});
