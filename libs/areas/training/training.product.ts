import {
  TrainingCaptureEvidence,
  TrainingHoldEvidence,
} from '#events/training/training.evidence.js';
import { defineProduct } from '#platform/ledger/product.js';

/** Milliseconds in which the two threads of a training work. */
export const TRAINING_METER = 'training_ms';

const common = {
  group: 'compute',
  meters: { [TRAINING_METER]: 'milliseconds of training on two threads' },
  holdEvidence: TrainingHoldEvidence,
  captureEvidence: TrainingCaptureEvidence,
} as const;

export const distillationProduct = defineProduct({
  ...common,
  purpose: 'distillation',
  title: 'Distillations',
});

export const fineTuningProduct = defineProduct({
  ...common,
  purpose: 'fine_tuning',
  title: 'Fine-tunings',
});
