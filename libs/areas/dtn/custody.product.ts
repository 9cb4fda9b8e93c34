import { CustodyCaptureEvidence, CustodyHoldEvidence } from '#events/dtn/custody.evidence.js';
import { defineProduct } from '#platform/ledger/product.js';

export const BUNDLE_METER = 'custody_bundles';
export const BYTE_HOUR_METER = 'custody_byte_hours';

/** The custody of a bundle, from its acceptance to its end. */
export const custodyProduct = defineProduct({
  purpose: 'bundle_custody',
  group: 'compute',
  title: 'Custody of bundles',
  meters: {
    [BUNDLE_METER]: 'bundles that were accepted',
    [BYTE_HOUR_METER]: 'bytes of the encoded bundle times the hours of its custody that have begun',
  },
  holdEvidence: CustodyHoldEvidence,
  captureEvidence: CustodyCaptureEvidence,
});
