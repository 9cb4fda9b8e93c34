import { pino } from 'pino';
import { liveEvents } from '#events/live/live.events.js';
import { UserId } from '#events/vocabulary.js';
import { FakeLedger } from '#platform/ledger/ledger.fake.js';
import { PaidProcesses } from '#platform/ledger/paid-work/paid-process.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { EventCodec } from '#platform/runtime/commands/event-codec.js';
import { FaultyEventStore } from '#platform/runtime/faulty-stores.fake.js';
import { ProcessCalls } from '#platform/runtime/process/process-calls.js';
import { ProcessFacts } from '#platform/runtime/process/process-facts.js';
import { type FrameMaker, type FrameOrder, type MadeFrame } from './frames/frame-maker.js';
import { type LivePeers } from './live-peers.js';
import { LiveSessions } from './live-sessions.js';
import { SessionOpener, type SessionOrder } from './session-opener.js';
import { type LiveSettings } from './live.settings.js';
import { type FrameWish } from './live-session.js';
import { type PeerMessage, type PeerThread } from './peers.engine.js';
import { LINES } from './session/session.fixture.js';
import { SessionHosts } from './session-hosts.js';
import { SessionFunds } from './session/session-funds.js';
import { SessionStreams } from './session/session-streams.js';
import { type SignalSocket } from './signalling/signalling-connection.js';
import { type ServerMessage } from './signalling/client-messages.js';

export const NOW = Date.parse('2026-11-26T05:00:00.000Z');

type Events = Parameters<PeerThread['negotiate']>[2];

/** The peers of a process, by hand. */
export class ScriptedPeers {
  readonly events = new Map<string, Events>();
  readonly sent: PeerMessage[] = [];
  readonly ended: string[] = [];
  readonly shown: Uint8Array[] = [];
  terms: Parameters<PeerThread['negotiate']>[3] = null;
  failure: Error | null = null;
  answer: () => Promise<string> = () => Promise.resolve('v=0');

  async negotiate(
    peer: string,
    _sdp: string,
    events: Events,
    terms: ScriptedPeers['terms'] = null,
  ): Promise<string> {
    this.terms = terms;
    if (this.failure) throw this.failure;
    this.events.set(peer, events);
    return this.answer();
  }

  encodesVideo(): Promise<boolean> {
    return Promise.resolve(false);
  }

  show(_peer: string, pixels: Uint8Array): void {
    this.shown.push(pixels);
  }

  send(_peer: string, message: PeerMessage): Promise<boolean> {
    this.sent.push(message);
    return Promise.resolve(true);
  }

  end(peer: string): void {
    this.ended.push(peer);
  }

  /** The events of the only peer. */
  get only(): Events {
    const [events] = this.events.values();
    if (!events) throw new Error('there is no peer');
    return events;
  }
}

/** Draws at once, or when `finish` is called. */
export class ScriptedMaker {
  readonly orders: FrameOrder[] = [];
  readonly finish: (() => void)[] = [];
  isHeld = false;
  failure: Error | null = null;

  async make(order: FrameOrder): Promise<MadeFrame> {
    this.orders.push(order);
    if (this.isHeld) await new Promise<void>((resolve) => this.finish.push(resolve));
    if (this.failure) throw this.failure;
    const pixels = `frame ${this.orders.length}`;
    return { pixels, file: Buffer.from(pixels), engine: 'embedded:x@y', inferenceMs: 10 };
  }

  read(file: Uint8Array): Promise<string> {
    return Promise.resolve(`read ${Buffer.from(file).toString()}`);
  }
}

/** The other end of a signalling connection. */
export class ScriptedSocket implements SignalSocket {
  readonly heard: ServerMessage[] = [];
  closedWith: { readonly code: number; readonly reason: string } | null = null;
  pings = 0;

  send(text: string): void {
    this.heard.push(JSON.parse(text) as ServerMessage);
  }

  close(code: number, reason: string): void {
    this.closedWith = { code, reason };
  }

  ping(): void {
    this.pings += 1;
  }
}

const SETTINGS: LiveSettings = {
  ...{ sessionsMax: 2, tokenMs: 600_000, silenceMs: 60_000, ports: null, bind: null },
  ...{ announced: null, stunUrls: [], stunPort: 0, turn: null },
};

export const ORDER: SessionOrder = {
  ...{ accountId: '7', userId: UserId.parse(7), model: null, width: 64, height: 64 },
  ...{ targetFps: 4, prompt: 'a red star', host: 'localhost' },
};

const open: LiveSessions[] = [];

/** Ends the streams of the sessions that a test has left. */
export const closeLive = async (): Promise<void> => {
  await Promise.all(open.splice(0).map((sessions) => sessions.onModuleDestroy()));
};

/** The sessions of one process on its own log, with a ledger, peers and a painter by hand. */
export const openLive = (
  log = new FaultyEventStore(),
  instance = 'one',
  calls = new ProcessCalls(),
) => {
  const ledger = new FakeLedger();
  const clock = { atMs: NOW, now: () => clock.atMs };
  const processes = new PaidProcesses(ledger, clock);
  const prices = new Map(LINES.map(({ meter, quantity: _, ...price }) => [meter, price]));
  const list = { inForce: () => ({ rateCardVersion: 3, prices }) };
  const streams = new SessionStreams(log, new EventCodec(liveEvents));
  const peers = new ScriptedPeers();
  const maker = new ScriptedMaker();
  const servers = [{ urls: 'stun:localhost:3478' }];
  const live = { thread: peers, iceServers: () => Promise.resolve(servers) };
  const network = live as unknown as LivePeers;
  const funds = new SessionFunds(processes, list, clock);
  const rigs = {
    assign: () => Promise.resolve({ name: 'built-in', badge: 'gold' as const, pingMs: null }),
  };
  const facts = new ProcessFacts({ instance, sharesBus: false, runsReactions: true });
  const sessions = new LiveSessions(
    streams,
    funds,
    new SessionOpener(streams, funds, rigs, network, facts, SETTINGS, clock),
    network,
    maker as unknown as FrameMaker,
    new SessionHosts(calls),
    facts,
    SETTINGS,
    clock,
    pino({ level: 'silent' }),
  );
  open.push(sessions);
  let requests = 0;
  const openOne = async (more: Partial<SessionOrder> = {}): Promise<string> => {
    requests += 1;
    const id = `01996f4e-0000-7000-8000-${String(requests).padStart(12, '0')}`;
    return (await sessions.open({ ...ORDER, ...more }, contextOf(id, 'user:7'))).token;
  };
  const draw = (token: string, wish: FrameWish = {}, accountId = '7') =>
    sessions.frame({ token, accountId, model: null, wish }, new AbortController().signal);
  /** Moves the clock on by steps of a second, looking after each. */
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      clock.atMs += 1_000;
      await sessions.look();
    }
  };
  const events = async () => (await Array.fromAsync(log.readAll())).flat();
  return { log, ledger, clock, peers, maker, sessions, open: openOne, draw, pass, events };
};
