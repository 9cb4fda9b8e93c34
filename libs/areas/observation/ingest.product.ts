import {
  IngestCaptureEvidence,
  IngestHoldEvidence,
} from '#events/observation/observation.evidence.js';
import { defineProduct } from '#platform/ledger/product.js';

export const BYTES_METER = 'observation_bytes';

/** The reading, verification and storage of an image of the Earth. */
export const ingestProduct = defineProduct({
  purpose: 'observation_ingest',
  group: 'compute',
  paced: true,
  title: 'Ingested images of the Earth',
  meters: { [BYTES_METER]: 'bytes of payload, of decompressed content and of decoded samples' },
  holdEvidence: IngestHoldEvidence,
  captureEvidence: IngestCaptureEvidence,
});
