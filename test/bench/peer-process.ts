import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from '../servers/server-process.js';
import { footprintOf } from './load/process-tree.js';

/** How to start one peer; `PORT` is added to the environment at its start. */
export interface PeerProgram {
  readonly name: string;
  /** Default: the Node that runs the bench. */
  readonly executable?: string;
  readonly args: (port: number) => readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Answers 200 once the peer would serve a request. */
  readonly readyPath: string;
}

export interface PeerProcess {
  readonly pid: number;
  readonly port: number;
  /** From spawn to the first 200 on the ready path. */
  readonly startUpMs: number;
  readonly rssAtReadyBytes: number;
  readonly stop: () => Promise<void>;
}

const READY_POLL_MS = 5;
const READY_MS_MAX = 120_000;
const STOP_MS_MAX = 5_000;

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Peers never outlive the bench, however it ends. */
export const keepUntilExit = (child: ChildProcess): void => {
  running.add(child);
  child.once('exit', () => running.delete(child));
};

const answers200 = (port: number, readyPath: string): Promise<boolean> =>
  new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path: readyPath, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    request.on('error', () => resolve(false));
  });

const hasEnded = ({ pid, exitCode, signalCode }: ChildProcess): boolean =>
  pid === undefined || exitCode !== null || signalCode !== null;

const untilReady = async (
  program: PeerProgram,
  child: ChildProcess,
  port: number,
  logPath: string,
): Promise<void> => {
  const deadlineMs = performance.now() + READY_MS_MAX;
  while (!(await answers200(port, program.readyPath))) {
    if (hasEnded(child) || performance.now() > deadlineMs) {
      const log = readFileSync(logPath, 'utf8').slice(-2_000);
      throw new Error(`${program.name} did not become ready; its last words:\n${log}`);
    }
    await delay(READY_POLL_MS);
  }
};

const stop = async (child: ChildProcess): Promise<void> => {
  if (hasEnded(child)) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const impatience = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX);
  await exited;
  clearTimeout(impatience);
};

/** Output goes to a file: an undrained pipe would slow a peer that writes much. */
export const startPeer = async (program: PeerProgram, directory: string): Promise<PeerProcess> => {
  const [port = 0] = await freePorts(1);
  const logPath = path.join(directory, `${program.name}.log`);
  const log = openSync(logPath, 'a');
  const startedAtMs = performance.now();
  const child = spawn(program.executable ?? process.execPath, program.args(port), {
    env: { ...process.env, NODE_ENV: 'production', ...program.environment, PORT: String(port) },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  keepUntilExit(child);
  // One that cannot be started has no exit code.
  child.once('error', (error) => writeFileSync(logPath, String(error), { flag: 'a' }));
  await untilReady(program, child, port, logPath);
  const startUpMs = performance.now() - startedAtMs;
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program.name} has no process id`);
  const { rssBytes: rssAtReadyBytes } = footprintOf(pid);
  return { pid, port, startUpMs, rssAtReadyBytes, stop: () => stop(child) };
};
