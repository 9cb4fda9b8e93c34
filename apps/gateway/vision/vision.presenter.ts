import { type FrameAnswer } from '#areas/vision/look-at-frame.handler.js';
import { type VisionResultDto } from './vision.dto.js';

export const presentFrame = ({
  frameId,
  engine,
  elapsedMs,
  framesPerSecond,
  objects,
  anomaly,
  stream,
}: FrameAnswer): VisionResultDto => ({
  status: 'success',
  frame_id: frameId,
  inference_engine: engine,
  inference_time_ms: elapsedMs,
  fps_throughput: framesPerSecond,
  detections_count: objects.length,
  objects: objects.map(({ label, category, confidence, box, colour, trackId, contour }) => ({
    label,
    category,
    confidence,
    box,
    colour,
    track_id: trackId,
    contour: contour && {
      area_share: contour.areaShare,
      extent: contour.extent,
      elongation: contour.elongation,
      centre: contour.centre,
    },
  })),
  anomaly_alert: anomaly.error > anomaly.threshold,
  anomaly,
  stream: stream && {
    frames: stream.frames,
    tracks: stream.tracks,
    fps: stream.framesPerSecond,
  },
});
