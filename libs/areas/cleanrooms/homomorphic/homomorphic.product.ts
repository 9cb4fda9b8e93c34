import {
  HomomorphicCaptureEvidence,
  HomomorphicHoldEvidence,
} from '#events/cleanrooms/enclave.evidence.js';
import { defineProduct } from '#platform/ledger/product.js';

export const MULTIPLICATION_METER = 'fhe_multiplications';
export const ROTATION_METER = 'fhe_rotations';

/** An evaluation on ciphertexts, by the operations that it takes. */
export const homomorphicProduct = defineProduct({
  purpose: 'cleanroom_fhe_evaluation',
  group: 'compute',
  paced: true,
  title: 'Evaluations on ciphertexts',
  meters: {
    [MULTIPLICATION_METER]: 'multiplications of ciphertexts',
    [ROTATION_METER]: 'rotations of ciphertexts',
  },
  holdEvidence: HomomorphicHoldEvidence,
  captureEvidence: HomomorphicCaptureEvidence,
});
