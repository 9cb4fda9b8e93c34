import {
  DepositCaptureEvidence,
  DepositHoldEvidence,
} from '#events/cleanrooms/enclave.evidence.js';
import { defineProduct } from '#platform/ledger/product.js';

export const ROWS_METER = 'cleanroom_rows';

/** An encrypted deposit of rows; a rejected one costs nothing. */
export const depositProduct = defineProduct({
  purpose: 'cleanroom_deposit',
  group: 'compute',
  title: 'Rows of clean rooms',
  meters: { [ROWS_METER]: 'rows that were accepted' },
  holdEvidence: DepositHoldEvidence,
  captureEvidence: DepositCaptureEvidence,
});
