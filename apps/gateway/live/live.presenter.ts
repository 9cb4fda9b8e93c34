import { type OpenedSession } from '#areas/live/session-opener.js';
import { type LiveFrame } from '#areas/live/live-session.js';
import { EMBEDDED_MODEL } from '#areas/live/frames/frame-maker.js';
import { type LiveSessionRecord } from '#areas/live/session/session.decider.js';
import { IMAGE_SIDE } from '#areas/live/scenes.engine.js';
import { rigNumberOf } from '#platform/tasks/rig-name.js';
import { type LiveFrameDto, type LiveSessionDto } from './live.dto.js';

export const presentSession = (
  { token, rig, iceServers }: OpenedSession,
  signallingUrl: string,
): LiveSessionDto => ({
  status: 'success',
  session_token: token,
  assigned_node: {
    rig_id: rigNumberOf(rig.name),
    rig_name: rig.name,
    is_stream_certified: rig.badge !== null && rig.badge !== 'none',
    badge_level: rig.badge ?? 'none',
    est_ping_ms: rig.pingMs,
  },
  ice_servers: iceServers,
  ws_signaling_url: `${signallingUrl}?session=${token}`,
});

export const presentFrame = (
  frame: LiveFrame,
  { width, height }: LiveSessionRecord,
  isWanted: boolean,
): LiveFrameDto => ({
  status: 'success',
  frame_id: frame.frameId,
  model: EMBEDDED_MODEL,
  tensor_engine: frame.engine,
  inference_time_ms: tenths(frame.inferenceMs),
  fps_rendered: frame.fps === null ? null : tenths(frame.fps),
  metrics: { cuda_vram_mb: 0, glass_to_glass_latency_ms: frame.glassToGlassMs },
  steps: frame.steps,
  resampling: {
    from: `${IMAGE_SIDE}x${IMAGE_SIDE}`,
    to: `${width}x${height}`,
    method: 'bicubic',
  },
  ...deliveryOf(frame, isWanted),
});

const deliveryOf = (
  { isSent, file }: LiveFrame,
  isWanted: boolean,
): Pick<LiveFrameDto, 'delivered_by' | 'frame_png_base64'> => {
  if (isSent) return { delivered_by: 'data_channel' };
  if (!isWanted) return { delivered_by: 'nowhere' };
  return { delivered_by: 'response', frame_png_base64: Buffer.from(file).toString('base64') };
};

const tenths = (value: number): number => Math.round(value * 10) / 10;
