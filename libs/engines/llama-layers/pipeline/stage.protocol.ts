/** The messages between the head of a pipeline and a stage, in addition to frames. */
import { type LayerRange } from '../model/layer-range.js';

/** The first message of the parent, over the channel of the process. */
export interface StageStart {
  readonly secret: string;
  /** The address to listen at. */
  readonly host: string;
}

/** The stage's answer: it listens. */
export interface StageReady {
  readonly port: number;
}

/** Texts of the head over its WebSocket; each is answered in order. */
export type StageCall =
  | { readonly call: 'load'; readonly modelFile: string; readonly range: LayerRange }
  /** `url` of the next stage; null where the results go back to the head. */
  | { readonly call: 'connect'; readonly url: string | null };

export type StageAnswer =
  { readonly ok: true } | { readonly ok: false; readonly code: string; readonly message: string };

/** An unrequested message of a stage: frames no longer reach the next stage. */
export interface StageEvent {
  readonly event: 'link_lost';
}

/** Measured by one stage during one request. */
export interface StageTimes {
  readonly frames: number;
  /** Sum over frames of the time from sending to receiving; null without a shared clock. */
  readonly transportMs: number | null;
  readonly computeMs: number;
}

/** The payload of a release on its way through the stages, in their order. */
export type ReleaseReport = readonly (StageTimes | null)[];
