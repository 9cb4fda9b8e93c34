/**
 * What a session costs, drawn and sent as the area live does it: its sessions, the thread of the
 * engine, the thread of the files, and the thread of the peers. CPU time counts, since the machine
 * may be shared.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
// Relative, because this folder has a package.json of its own and with it no subpath imports.
import { ImageDiffusionEngine } from '../../libs/engines/image-diffusion/image-diffusion.engine.js';
import { type PeerThread } from '../../libs/engines/webrtc/peer-thread.js';
import { FrameMaker } from '../../libs/areas/live/frames/frame-maker.js';
import { LiveSession } from '../../libs/areas/live/live-session.js';
import { FRAMES_METER } from '../../libs/areas/live/live.product.js';
import { type LiveSessionRecord } from '../../libs/areas/live/session/session.decider.js';
import { AccountId, UserId } from '../../events/vocabulary.js';
import { keepUntilExit } from './peer-process.js';
import { type ClientOrder, type ClientReply } from './stream-clients.js';

/** Defaults of the route. */
const [FPS, SIDE] = [4, 512];
const SESSIONS = [1, 4, 16] as const;
const [WARM_MS, WINDOW_MS, SETTLE_MS_MAX] = [3_000, 10_000, 5_000];
const HELD_UNTIL = '2100-01-01T00:00:00.000Z';

interface SessionsRun {
  /** Of the slowest session. */
  readonly framesPerSecond: number;
  readonly stepsMin: number;
  /** Of the server; null: there was no frame. */
  readonly cpuMsPerFrame: number | null;
  readonly sent: number;
  readonly received: number;
}

const recordOf = (sessionId: string): LiveSessionRecord => ({
  ...{ sessionId, accountId: AccountId.parse('7'), userId: UserId.parse(7), modelAsked: null },
  ...{ width: SIDE, height: SIDE, targetFps: FPS, rig: null, host: 'bench', frames: 0 },
  ...{ openedAt: HELD_UNTIL, heldUntil: HELD_UNTIL, expiresAt: HELD_UNTIL },
  ...{ isUsed: true, end: null },
  hold: {
    ...{ holdId: sessionId, rateCardVersion: 1 },
    lines: [{ meter: FRAMES_METER, quantity: 1e6, unitPriceMicroUsd: '1', perUnits: 1 }],
  },
});

/** The other ends, in a process of their own. */
const startClients = () => {
  const child = fork(path.join(import.meta.dirname, 'stream-clients.js'));
  keepUntilExit(child);
  const ask = async (order: ClientOrder): Promise<ClientReply> => {
    child.send(order);
    const [reply] = (await once(child, 'message')) as [ClientReply];
    return reply;
  };
  return {
    offer: async (peer: string): Promise<string> => {
      const reply = await ask({ kind: 'offer', peer });
      return 'sdp' in reply ? reply.sdp : '';
    },
    answer: (peer: string, sdp: string) => void child.send({ kind: 'answer', peer, sdp }),
    received: async (): Promise<number> => {
      const reply = await ask({ kind: 'count' });
      return 'received' in reply ? reply.received : 0;
    },
    close: () => child.disconnect(),
  };
};

const measured = async (sessions: readonly LiveSession[]) => {
  await sleep(WARM_MS);
  const framesBefore = sessions.map(({ frames }) => frames);
  const [startedAt, cpuBefore] = [performance.now(), process.cpuUsage()];
  await sleep(WINDOW_MS);
  const seconds = (performance.now() - startedAt) / 1e3;
  const { user, system } = process.cpuUsage(cpuBefore);
  const frames = sessions.map((session, at) => session.frames - (framesBefore[at] ?? 0));
  const all = frames.reduce((sum, one) => sum + one, 0);
  return {
    framesPerSecond: Math.min(...frames) / seconds,
    stepsMin: Math.min(...sessions.map(({ latest }) => latest?.steps ?? 0)),
    cpuMsPerFrame: all === 0 ? null : (user + system) / 1e3 / all,
  };
};

const runSessions = async (
  count: number,
  thread: PeerThread,
  maker: FrameMaker,
): Promise<SessionsRun> => {
  const clients = startClients();
  let sent = 0;
  const peers = {
    negotiate: thread.negotiate.bind(thread),
    show: () => undefined,
    // Frames on their way are waited for, before the peers end.
    end: () => undefined,
    send: (...[peer, message]: Parameters<PeerThread['send']>) => {
      sent += 1;
      return thread.send(peer, message);
    },
  };
  const clock = { now: () => performance.now() };
  const logger = { warn: (...parts: unknown[]) => console.error(...parts) };
  const ids = Array.from({ length: count }, (_, at) => `sessions-${count}-${at}`);
  const sessions: LiveSession[] = [];
  for (const id of ids) {
    const services = { peers, maker, clock, logger, onBye: () => undefined };
    const session = new LiveSession(recordOf(id), services);
    session.wish({ prompt: 'a large red star on white' });
    clients.answer(id, await session.negotiate(await clients.offer(id)));
    sessions.push(session);
  }
  const figures = await measured(sessions);
  for (const session of sessions) session.end();
  const giveUpAt = performance.now() + SETTLE_MS_MAX;
  let received = await clients.received();
  while (received < sent && performance.now() < giveUpAt) {
    await sleep(50);
    received = await clients.received();
  }
  for (const id of ids) thread.end(id);
  clients.close();
  return { ...figures, sent, received };
};

/** Sessions that a core sustains at the frame rate, with more and more of them open. */
export const measureSessions = async (thread: PeerThread): Promise<void> => {
  const engine = new ImageDiffusionEngine([path.resolve('models')]);
  const maker = new FrameMaker({ draw: (task, _rig, signal) => engine.run(task, signal) });
  for (const count of SESSIONS) {
    const run = await runSessions(count, thread, maker);
    const { framesPerSecond, stepsMin, cpuMsPerFrame, sent, received } = run;
    const perCore = cpuMsPerFrame === null ? null : 1e3 / (cpuMsPerFrame * FPS);
    process.stdout.write(
      `${count} sessions at ${FPS} frames/s of ${SIDE}x${SIDE}: ${perCore?.toFixed(1) ?? '-'} ` +
        `sessions per core, ${cpuMsPerFrame?.toFixed(1) ?? '-'} CPU ms a frame of ${stepsMin} ` +
        `steps or more, ${framesPerSecond.toFixed(2)} frames/s in the slowest, ` +
        `${sent - received} of ${sent} messages lost\n`,
    );
  }
  await maker.onModuleDestroy();
  await engine.close();
};
