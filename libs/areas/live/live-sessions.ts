import { randomUUID } from 'node:crypto';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { type Logger } from 'pino';
import { type LiveEnd } from '#events/live/live.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { isUnpayable } from '#platform/ledger/paid-work/ledger-rejection.js';
import { type CommandContext, contextOf } from '#platform/runtime/commands/command-context.js';
import { ProcessFacts } from '#platform/runtime/process/process-facts.js';
import { CLOCK, LOGGER } from '#platform/runtime/tokens.js';
import { demandModel, FrameMaker } from './frames/frame-maker.js';
import { reject } from './live.errors.js';
import { LiveError } from './live.failures.js';
import { LivePeers } from './live-peers.js';
import { LIVE_SETTINGS, type LiveSettings } from './live.settings.js';
import { type FrameWish, type LiveFrame, LiveSession } from './live-session.js';
import { type LiveSessionRecord, openOf } from './session/session.decider.js';
import {
  MINUTE_MS,
  type OpenedSession,
  SessionOpener,
  type SessionOrder,
} from './session-opener.js';
import { SessionHosts } from './session-hosts.js';
import { SessionFunds } from './session/session-funds.js';
import { sessionIdOf, SessionStreams } from './session/session-streams.js';
import { SignallingConnection, type SignalSocket } from './signalling/signalling-connection.js';

/** Sessions of all accounts in this process. */
export const SESSIONS_MAX = 64;
/** A minute is renewed this long before its end. */
const RENEW_MS = 15_000;
const TICK_MS = 1_000;

export interface AskedFrame {
  readonly token: string;
  readonly accountId: string;
  readonly model: string | null;
  readonly wish: FrameWish;
}

export interface DrawnFrame {
  readonly frame: LiveFrame;
  readonly session: LiveSessionRecord;
}

/** A session in the memory of the process that serves it. */
interface Served {
  readonly session: LiveSession;
  connection: SignallingConnection | null;
  /** The renewal or the end that is under way. */
  change: Promise<void> | null;
  /** Whether the client knows that its account cannot pay. */
  isNoticed: boolean;
}

/** Opens, serves, renews and ends the sessions of this process. Called without the bus. */
@Injectable()
export class LiveSessions implements OnModuleDestroy {
  readonly #served = new Map<string, Served>();
  /** Sessions that are being opened, by account. */
  readonly #opening = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly streams: SessionStreams,
    private readonly funds: SessionFunds,
    private readonly opener: SessionOpener,
    private readonly peers: LivePeers,
    private readonly maker: FrameMaker,
    private readonly hosts: SessionHosts,
    private readonly facts: ProcessFacts,
    @Inject(LIVE_SETTINGS) private readonly settings: LiveSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const inTime = (): AbortSignal => AbortSignal.timeout(FRAME_MS_MAX);
    hosts.answer(FRAME, (asked: AskedFrame) => this.frame(asked, inTime()));
    hosts.answer(LATEST, ({ token, accountId }: Pick<AskedFrame, 'token' | 'accountId'>) =>
      this.latestFrame(token, accountId),
    );
    hosts.answer(CONNECTABLE, ({ token }: Pick<AskedFrame, 'token'>) =>
      this.demandConnectable(token),
    );
    hosts.answer(MOVED, ({ sessionId }: { readonly sessionId: string }) =>
      this.#leaveTo(sessionId),
    );
  }

  /** @throws DomainError, LiveError */
  async open(order: SessionOrder, context: CommandContext): Promise<OpenedSession> {
    demandModel(order.model);
    const { accountId } = order;
    this.#demandPlace(accountId);
    this.#opening.set(accountId, (this.#opening.get(accountId) ?? 0) + 1);
    try {
      const { record, ...opened } = await this.opener.open(order, context);
      const served = this.#serve(record);
      if (order.prompt !== null) served.session.wish({ prompt: order.prompt });
      return opened;
    } finally {
      const left = (this.#opening.get(accountId) ?? 1) - 1;
      if (left === 0) this.#opening.delete(accountId);
      else this.#opening.set(accountId, left);
    }
  }

  /** Draws one frame of a session. @throws DomainError, LiveError; the reason of the signal */
  async frame(asked: AskedFrame, signal: AbortSignal): Promise<DrawnFrame> {
    const elsewhere = await this.#elsewhere(FRAME, asked.token, asked);
    if (elsewhere) return elsewhere.value as DrawnFrame;
    const served = await this.#find(asked.token, asked.accountId);
    demandModel(asked.model);
    const frame = await served.session.frame(asked.wish, signal);
    return { frame, session: served.session.record };
  }

  /**
   * The last frame of a session; null before the first.
   * @throws DomainError `live_session_not_found`, `live_session_ended`
   */
  async latestFrame(token: string, accountId: string): Promise<LiveFrame | null> {
    const elsewhere = await this.#elsewhere(LATEST, token, { token, accountId });
    if (elsewhere) return elsewhere.value as LiveFrame | null;
    return (await this.#find(token, accountId)).session.latest;
  }

  /**
   * Checks a token before its connection is opened.
   * @throws DomainError `live_session_not_found`, `live_session_ended`, `live_signalling_open`
   */
  async demandConnectable(token: string): Promise<void> {
    if (await this.#elsewhere(CONNECTABLE, token, { token })) return;
    const sessionId = sessionIdOf(token);
    const served = sessionId === undefined ? undefined : this.#served.get(sessionId);
    if (served) rejectSecond(served);
    else openOf(sessionId === undefined ? null : await this.streams.stateOf(sessionId));
  }

  /** Takes the signalling connection of a session. @throws as `demandConnectable` */
  async connect(token: string, socket: SignalSocket): Promise<SignallingConnection> {
    const served = await this.#find(token, null);
    rejectSecond(served);
    const { session } = served;
    const connection: SignallingConnection = new SignallingConnection(session, socket, {
      clock: this.clock,
      onBye: () => this.#end(served, 'hang_up'),
      onClose: () => this.#left(served, connection),
    });
    served.connection = connection;
    const { sessionId, host: before } = session.record;
    const data = { host: this.facts.instance, connectedAt: instant(this.clock) };
    try {
      session.record = await this.#run(sessionId, { type: 'ConnectClient', data });
    } catch (error) {
      served.connection = null;
      throw error;
    }
    if (before !== data.host) await this.hosts.ask(before, MOVED, { sessionId }).catch(() => null);
    session.client = connection;
    session.lastActiveMs = this.clock.now();
    connection.begin(await this.peers.thread.encodesVideo());
    return connection;
  }

  async onModuleDestroy(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    const all = [...this.#served.values()];
    this.#served.clear();
    for (const { connection } of all) connection?.close(GOING_AWAY, 'the gateway restarts');
    await Promise.all(all.map((served) => this.#leave(served).catch(() => undefined)));
    for (const { session } of all) session.end();
  }

  /** Renews and ends what is due. */
  async look(): Promise<void> {
    await Promise.all([...this.#served.values()].map((served) => this.#keep(served)));
  }

  #demandPlace(accountId: string): void {
    const all = [...this.#served.values()].map(({ session }) => session.record.accountId);
    const opening = this.#opening.get(accountId) ?? 0;
    const own = all.filter((account) => account === accountId).length + opening;
    if (own >= this.settings.sessionsMax) {
      const limit = `${own} of ${this.settings.sessionsMax} sessions of the account are open`;
      return reject('too_many_live_sessions', limit);
    }
    if (all.length >= SESSIONS_MAX) throw new LiveError('busy', 'too many sessions; try again');
  }

  #serve(record: LiveSessionRecord): Served {
    const served: Served = {
      session: new LiveSession(record, {
        peers: this.peers.thread,
        maker: this.maker,
        clock: this.clock,
        logger: this.logger,
        onBye: () => void this.#end(served, 'hang_up'),
      }),
      connection: null,
      change: null,
      isNoticed: false,
    };
    this.#served.set(record.sessionId, served);
    this.#timer ??= setInterval(() => void this.look(), TICK_MS).unref();
    return served;
  }

  /**
   * A session that this process does not serve is taken over: its process has ended, or its client
   * has come here.
   * @param accountId null: the token is the only credential
   */
  async #find(token: string, accountId: string | null): Promise<Served> {
    const sessionId = sessionIdOf(token);
    const known = sessionId === undefined ? undefined : this.#served.get(sessionId);
    const served = known ?? (sessionId === undefined ? null : await this.#takeOver(sessionId));
    const isOwn = accountId === null || served?.session.record.accountId === accountId;
    if (!served || !isOwn) {
      return reject('live_session_not_found', 'session_token: there is no such session');
    }
    // The tick that ends it may come later.
    if (instant(this.clock) >= served.session.record.expiresAt) {
      await this.#end(served, 'expired');
      return reject('live_session_ended', 'session_token: the session has ended (expired)');
    }
    return served;
  }

  /** Asks the process of a session that this one does not serve; null where there is none. */
  async #elsewhere(
    name: string,
    token: string,
    argument: unknown,
  ): Promise<{ readonly value: unknown } | null> {
    const sessionId = sessionIdOf(token);
    if (sessionId === undefined || this.#served.has(sessionId)) return null;
    const record = await this.streams.stateOf(sessionId);
    if (!record || record.end || record.host === this.facts.instance) return null;
    return this.hosts.ask(record.host, name, argument);
  }

  /** The client has connected to another process, which serves the session from now on. */
  async #leaveTo(sessionId: string): Promise<void> {
    const served = this.#served.get(sessionId);
    this.#served.delete(sessionId);
    served?.session.end();
    return Promise.resolve();
  }

  async #takeOver(sessionId: string): Promise<Served> {
    const record = openOf(await this.streams.stateOf(sessionId));
    return this.#served.get(sessionId) ?? this.#serve(record);
  }

  async #keep(served: Served): Promise<void> {
    if (served.change) return;
    const nowMs = this.clock.now();
    const { session, connection } = served;
    const { expiresAt, heldUntil } = session.record;
    connection?.look(nowMs);
    if (nowMs >= Date.parse(expiresAt)) return this.#end(served, 'expired');
    const isSilent = nowMs - session.lastActiveMs >= this.settings.silenceMs;
    if (isSilent && !connection && !session.hasChannel) return this.#end(served, 'silence');
    if (nowMs < Date.parse(heldUntil) - RENEW_MS) return;
    return this.#change(served, () => this.#renew(served));
  }

  async #renew(served: Served): Promise<void> {
    const { session } = served;
    const { record } = session;
    const { sessionId, heldUntil } = record;
    const nowMs = this.clock.now();
    const until = isoOf(Math.max(Date.parse(heldUntil), nowMs) + MINUTE_MS);
    const context = contextOf(randomUUID(), ACTOR);
    try {
      const lines = await this.funds.renew(record, until, context);
      const { instance: host } = this.facts;
      const renewed = { host, heldUntil: until, frames: session.frames, renewedAt: isoOf(nowMs) };
      const data = { ...renewed, lines: [...lines] };
      session.record = await this.streams.run(sessionId, { type: 'RenewSession', data }, context);
      served.isNoticed = false;
    } catch (error) {
      if (isUnpayable(error)) return this.#unpayable(served, nowMs);
      if (error instanceof DomainError) this.#drop(served, 'moved');
      else this.logger.warn({ err: error }, 'a stream session could not be renewed');
    }
  }

  /** The client hears it once; the session ends with the minute that is paid. */
  async #unpayable(served: Served, nowMs: number): Promise<void> {
    const { heldUntil } = served.session.record;
    if (nowMs >= Date.parse(heldUntil)) return this.#finish(served, 'funds');
    if (served.isNoticed) return;
    served.isNoticed = true;
    served.session.tell({ type: 'notice', reason: 'funds', ends_at: heldUntil });
  }

  #end(served: Served, reason: Exclude<LiveEnd, 'lapsed'>): Promise<void> {
    return this.#change(served, () => this.#finish(served, reason));
  }

  async #finish(served: Served, reason: Exclude<LiveEnd, 'lapsed'>): Promise<void> {
    const { sessionId } = served.session.record;
    if (!this.#served.has(sessionId)) return;
    const data = {
      ...{ host: this.facts.instance, reason, frames: served.session.frames },
      endedAt: instant(this.clock),
    };
    // The saga charges it.
    await this.#run(sessionId, { type: 'EndSession', data });
    this.#drop(served, reason);
  }

  #drop(served: Served, reason: string): void {
    const { session, connection } = served;
    this.#served.delete(session.record.sessionId);
    session.tell({ type: 'bye', reason });
    served.connection = null;
    session.client = null;
    connection?.close(NORMAL, reason);
    session.end();
    if (this.#served.size > 0 || !this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  /** The client may come back, until the session is silent for too long. */
  async #left(served: Served, connection: SignallingConnection): Promise<void> {
    if (served.connection !== connection) return;
    served.connection = null;
    served.session.client = null;
    served.session.lastActiveMs = this.clock.now();
    await this.#leave(served).catch((error: unknown) => {
      this.logger.warn({ err: error }, 'the leave of a client could not be recorded');
    });
  }

  async #leave({ session: { record, frames } }: Served): Promise<void> {
    const data = { host: this.facts.instance, frames, leftAt: instant(this.clock) };
    await this.#run(record.sessionId, { type: 'LeaveSession', data });
  }

  /** One change of a session at a time. */
  #change(served: Served, work: () => Promise<void>): Promise<void> {
    const change = (served.change ?? Promise.resolve())
      .then(work)
      .catch((error: unknown) => {
        this.logger.warn({ err: error }, 'a change of a stream session has failed');
      })
      .finally(() => {
        if (served.change === change) served.change = null;
      });
    served.change = change;
    return change;
  }

  #run(
    sessionId: string,
    command: Parameters<SessionStreams['run']>[1],
  ): Promise<LiveSessionRecord> {
    return this.streams.run(sessionId, command, contextOf(randomUUID(), ACTOR));
  }
}

const ACTOR = 'live-sessions';
const [FRAME, LATEST, CONNECTABLE, MOVED] = [
  'live.frame',
  'live.latest',
  'live.connectable',
  'live.moved',
];
/** Of a frame that another process asks for. */
const FRAME_MS_MAX = 30_000;
const NORMAL = 1_000;
const GOING_AWAY = 1_001;

const isoOf = (ms: number): string => new Date(ms).toISOString();

const rejectSecond = ({ connection }: Served): void => {
  if (connection) reject('live_signalling_open', 'session: its signalling connection is open');
};
