import { FRAMES_METER } from '#events/vision/vision.meters.js';
import { VisionCaptureEvidence, VisionHoldEvidence } from '#events/vision/vision.evidence.js';
import { defineProduct } from '#platform/ledger/product.js';

/** A frame that was looked at. */
export const visionProduct = defineProduct({
  purpose: 'vision',
  group: 'inference',
  paced: true,
  title: 'Frames looked at',
  meters: { [FRAMES_METER]: 'frames that the embedded detector or a classical pipeline looked at' },
  holdEvidence: VisionHoldEvidence,
  captureEvidence: VisionCaptureEvidence,
});
