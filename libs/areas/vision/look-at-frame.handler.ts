import { Injectable } from '@nestjs/common';
import { type HoldPace, type LedgerEntry } from '#platform/ledger/hold.js';
import { type PaidOrder } from '#platform/ledger/paid-work/paid-order.js';
import { PictureError } from '#platform/pictures/picture.js';
import { cutOf } from '#platform/runtime/commands/request-cut.js';
import { LookAdmission } from './look-admission.js';
import { EMBEDDED_DETECTOR, Looker, type LookOrder } from './looker.js';
import { LiveFrames } from './ports.js';
import { reject, VisionError } from './vision.errors.js';
import { type SeenObject, type VisionEnd, type VisionMode } from './vision.engine.js';
import { type VisionStream, VisionStreams } from './vision-streams.js';

export interface FrameOrder extends Omit<PaidOrder, 'signal'> {
  readonly look: Pick<LookOrder, 'mode' | 'confidence' | 'overlap'>;
  /** A PNG file; null: the last frame of the session. */
  readonly file: Uint8Array | null;
  readonly sessionId: string | null;
  /** The caller's name for the stream that the frame is of. */
  readonly streamId: string | null;
  /** As the caller names the frame. */
  readonly frameId: string | null;
}

export type TrackedObject = SeenObject & { readonly trackId: number | null };

/** A frame that was looked at and paid. */
export interface FrameAnswer {
  readonly frameId: string;
  /** `embedded:<name>@<SHA-256 of the weights>` or `classical:<mode>`. */
  readonly engine: string;
  readonly elapsedMs: number;
  /** Of the engine, over its last frames. */
  readonly framesPerSecond: number | null;
  readonly objects: readonly TrackedObject[];
  readonly anomaly: VisionEnd['anomaly'];
  /** Null for a frame without a stream. */
  readonly stream: {
    readonly frames: number;
    readonly tracks: number;
    readonly framesPerSecond: number | null;
  } | null;
  readonly entry: LedgerEntry;
  readonly pace?: HoldPace;
}

interface Frame {
  readonly file: Uint8Array;
  readonly frameId: string;
  readonly stream: VisionStream | null;
}

/** Finds the frame, holds the price, looks, follows its objects, charges. Without the bus. */
@Injectable()
export class LookAtFrameHandler {
  constructor(
    private readonly looker: Looker,
    private readonly admission: LookAdmission,
    private readonly streams: VisionStreams,
    private readonly live: LiveFrames,
  ) {}

  /**
   * @param signal aborted with a `RequestCutError` when the caller leaves or the time is up
   * @throws DomainError, VisionError, RequestCutError; after a hold that is released
   */
  async execute(order: FrameOrder, signal: AbortSignal): Promise<FrameAnswer> {
    const frame = await this.#frameOf(order);
    const { stream } = frame;
    const look = (): Promise<FrameAnswer> => this.#look(order, frame, signal);
    return stream ? stream.inOrder(look) : look();
  }

  async #look(order: FrameOrder, frame: Frame, signal: AbortSignal): Promise<FrameAnswer> {
    const { accountId, receivedAtMs, context, confirm, look, sessionId } = order;
    const { file, frameId, stream } = frame;
    const admitted = await this.admission.admit(
      { accountId, receivedAtMs, context, signal, ...(confirm && { confirm }) },
      { mode: look.mode, source: sessionId === null ? 'request' : 'session' },
    );
    const background = stream?.background ?? null;
    let end: VisionEnd;
    try {
      end = await this.looker.look({ ...look, accountId, file, background }, signal);
    } catch (error) {
      const cut = cutOf(signal);
      await admitted.release(cut?.reason ?? reasonOf(error));
      if (cut || !(error instanceof PictureError)) throw cut ?? error;
      return reject('vision_image_unreadable', `image_base64: ${error.message}`);
    }
    const { objects, anomaly, elapsedMs } = end;
    const engine = engineOf(look.mode, end);
    const entry = await admitted.capture({ engine, objects: objects.length, file });
    return {
      frameId,
      engine,
      elapsedMs,
      framesPerSecond: this.looker.framesPerSecond,
      objects: followed(end, stream, receivedAtMs),
      anomaly,
      stream: stream && {
        frames: stream.frames,
        tracks: stream.tracker.tracks,
        framesPerSecond: stream.framesPerSecond,
      },
      entry,
      ...admitted.pace,
    };
  }

  /** @throws DomainError for a source that does not exist */
  async #frameOf(order: FrameOrder): Promise<Frame> {
    const { accountId, sessionId, streamId, look, context } = order;
    const { file, frameId } = await this.#sourceOf(order);
    const name = streamId === null ? null : `stream/${streamId}`;
    const key = sessionId === null ? name : `session/${sessionId}`;
    if (key === null && look.mode === 'motion') {
      const detail = 'stream_id: motion is what differs from the frames of a stream before';
      return reject('vision_stream_needed', detail);
    }
    const stream = key === null ? null : this.streams.of(accountId, key);
    return { file, frameId: order.frameId ?? frameId ?? context.requestId, stream };
  }

  async #sourceOf({
    accountId,
    file,
    sessionId,
  }: FrameOrder): Promise<{ readonly file: Uint8Array; readonly frameId: string | null }> {
    if (sessionId === null) {
      if (file) return { file, frameId: null };
      return reject('vision_source_invalid', 'image_base64: expected it, or a session_id');
    }
    const live = await this.live.frameOf(accountId, sessionId);
    if (live === undefined) {
      return reject('vision_session_not_found', `there is no session ${sessionId}`);
    }
    // An image that comes with a session is a frame of it.
    if (file) return { file, frameId: null };
    if (live) return live;
    return reject('vision_session_empty', `the session ${sessionId} has no frame yet`);
  }
}

const followed = (
  { objects, background }: VisionEnd,
  stream: VisionStream | null,
  nowMs: number,
): TrackedObject[] => {
  if (!stream) return objects.map((object) => ({ ...object, trackId: null }));
  if (background !== null) stream.background = background;
  const ids = stream.tracker.follow(objects);
  stream.seen(nowMs);
  return objects.map((object, at) => ({ ...object, trackId: ids[at] ?? null }));
};

export const engineOf = (mode: VisionMode, { weightsSha256 }: VisionEnd): string =>
  mode === 'detect' ? `embedded:${EMBEDDED_DETECTOR}@${weightsSha256}` : `classical:${mode}`;

const reasonOf = (error: unknown) => {
  if (error instanceof PictureError) return 'refused';
  return error instanceof VisionError ? 'upstream_failed' : 'internal_error';
};
