import { type LiveSessions } from '#areas/live/live-sessions.js';
import { type LiveFrame, LiveFrames } from '#areas/vision/ports.js';
import { DomainError } from '#platform/kernel/domain-error.js';

/** A live session is named by its token, and its frames are numbered. */
export class SessionFrames extends LiveFrames {
  constructor(private readonly sessions: Pick<LiveSessions, 'latestFrame'>) {
    super();
  }

  override async frameOf(accountId: string, token: string): Promise<LiveFrame | null | undefined> {
    try {
      const frame = await this.sessions.latestFrame(token, accountId);
      return frame && { frameId: String(frame.frameId), file: frame.file };
    } catch (error) {
      if (error instanceof DomainError) return undefined;
      throw error;
    }
  }
}
