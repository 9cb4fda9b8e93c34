/** The ports of sessions to other areas, in addition to the ledger. The composition binds them. */
import { type Badge } from '#events/rigs/rig.events.js';
import { type ImageEnd, type ImageTask } from './scenes.engine.js';

/** A registered rig that draws the frames of a session. */
export interface AssignedRig {
  readonly name: string;
  /** Null without a certification that is valid now. */
  readonly badge: Badge | null;
  /** The median of round trips from the gateway; null: in the same process, or not measured. */
  readonly pingMs: number | null;
}

/** The registered rigs. The class is the injection token. */
export abstract class LiveRigs {
  /** Of the rigs that draw pictures the one with the least load; null: there is none. */
  abstract assign(): Promise<AssignedRig | null>;
}

/** Draws one frame with the embedded model. The class is the injection token. */
export abstract class FrameEngine {
  /**
   * @param rig draws, where it is a worker that is up; else any process that can
   * @returns null when the signal aborted
   * @throws TaskError
   */
  abstract draw(task: ImageTask, rig: string, signal: AbortSignal): Promise<ImageEnd | null>;
}
