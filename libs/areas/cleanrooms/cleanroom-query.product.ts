import {
  PrivacyCaptureEvidence,
  PrivacyHoldEvidence,
} from '#events/cleanrooms/privacy.evidence.js';
import { defineProduct } from '#platform/ledger/product.js';

export const SPENDS_METER = 'privacy_spends';
export const ROWS_METER = 'synthetic_rows';

/**
 * An answer of a clean room. Its price depends on the query alone: a price by the rows of the room
 * would tell their number without noise.
 */
export const cleanroomQueryProduct = defineProduct({
  purpose: 'cleanroom_query',
  group: 'compute',
  paced: true,
  title: 'Answers of clean rooms',
  meters: {
    [SPENDS_METER]: 'answers that spend privacy budget',
    [ROWS_METER]: 'synthetic rows',
  },
  holdEvidence: PrivacyHoldEvidence,
  captureEvidence: PrivacyCaptureEvidence,
});
