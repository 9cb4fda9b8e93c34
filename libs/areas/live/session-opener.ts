import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { labelsOf } from '#events/hold.vocabulary.js';
import { type UserId } from '#events/vocabulary.js';
import { type Clock } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type CommandContext, followUp } from '#platform/runtime/commands/command-context.js';
import { ProcessFacts } from '#platform/runtime/process/process-facts.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { LiveError } from './live.failures.js';
import { LivePeers } from './live-peers.js';
import { LIVE_SETTINGS, type LiveSettings } from './live.settings.js';
import { type AssignedRig, LiveRigs } from './ports.js';
import { type LiveSessionRecord } from './session/session.decider.js';
import { SessionFunds } from './session/session-funds.js';
import { sessionIdOf, SessionStreams } from './session/session-streams.js';
import { type IceServer } from './turn-credentials.js';

const TOKEN_BYTES = 32;
export const MINUTE_MS = 60_000;

export interface SessionOrder {
  readonly accountId: string;
  readonly userId: UserId;
  readonly model: string | null;
  readonly width: number;
  readonly height: number;
  readonly targetFps: number;
  readonly prompt: string | null;
  /** By which the client reaches the gateway. */
  readonly host: string;
}

export interface OpenedSession {
  readonly token: string;
  readonly rig: AssignedRig;
  readonly iceServers: readonly IceServer[];
}

/** Assigns the rig of a session, draws its token, and holds its first minute. */
@Injectable()
export class SessionOpener {
  constructor(
    private readonly streams: SessionStreams,
    private readonly funds: SessionFunds,
    private readonly rigs: LiveRigs,
    private readonly peers: LivePeers,
    private readonly facts: ProcessFacts,
    @Inject(LIVE_SETTINGS) private readonly settings: Pick<LiveSettings, 'tokenMs'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError, LiveError */
  async open(
    { prompt: _, host, model: modelAsked, ...terms }: SessionOrder,
    context: CommandContext,
  ): Promise<OpenedSession & { readonly record: LiveSessionRecord }> {
    await this.funds.demand(terms.accountId);
    const rig = await this.rigs.assign();
    if (!rig) throw new LiveError('away', 'no registered rig draws frames now; try again');
    const token = `live_${randomBytes(TOKEN_BYTES).toString('base64url')}`;
    const sessionId = sessionIdOf(token) ?? '';
    const nowMs = this.clock.now();
    const expiresAtMs = nowMs + this.settings.tokenMs;
    const session = {
      ...terms,
      ...{ sessionId, modelAsked, rig: rig.name, host: this.facts.instance },
      openedAt: isoOf(nowMs),
      heldUntil: isoOf(nowMs + MINUTE_MS),
      expiresAt: isoOf(expiresAtMs),
    };
    const iceServers = await this.peers.iceServers(host, sessionId, expiresAtMs);
    const hold = await this.funds.place(session, onSession(context, 'place', sessionId));
    try {
      const data = { ...session, hold };
      const record = await this.streams.run(sessionId, { type: 'OpenSession', data }, context);
      return { token, rig, iceServers, record };
    } catch (error) {
      // After any other error the session may be in the log; it then lapses.
      if (error instanceof DomainError) {
        await this.funds.abandon(session, hold, onSession(context, 'free', sessionId));
      }
      throw error;
    }
  }
}

const isoOf = (ms: number): string => new Date(ms).toISOString();

const onSession = (
  { requestId: id, correlationId, actor, ...labels }: CommandContext,
  what: string,
  sessionId: string,
): CommandContext => ({
  ...followUp({ id, correlationId }, `${what} ${sessionId}`, actor),
  ...labelsOf(labels),
});
