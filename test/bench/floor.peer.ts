import { hash } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type PeerProgram } from './peer-process.js';
import { ANSWER_MICRO_USD } from './quipu.peer.js';

const LOG_FILE = 'floor.db';

export interface FloorHome {
  readonly program: PeerProgram;
  readonly logPath: string;
}

/** A folder of its own for each start: the chain begins with its log. */
export const freshFloor = async (directory: string, upstreamPort: number): Promise<FloorHome> => {
  const logPath = path.join(await mkdtemp(path.join(directory, 'floor-')), LOG_FILE);
  const program = {
    name: 'floor',
    args: () => [path.join(import.meta.dirname, 'peers', 'floor-proxy.js')],
    environment: { UPSTREAM_PORT: String(upstreamPort), FLOOR_LOG: logPath },
    readyPath: '/',
  };
  return { program, logPath };
};

interface FloorEvent {
  readonly type: string;
  readonly data: { readonly amountMicroUsd?: string };
}

/**
 * Checks that the floor keeps its promises, as Quipu must: every answer and nothing else is charged
 * once, and every event is sealed with the ones before it.
 * @throws when one of them is false
 */
export const checkFloor = (logPath: string, answers: number): void => {
  const log = new DatabaseSync(logPath, { readOnly: true });
  let seal = '';
  let charged = 0n;
  for (const row of log.prepare('SELECT event, seal FROM log ORDER BY position').iterate()) {
    seal = hash('sha256', seal + String(row['event']));
    if (seal !== row['seal']) throw new Error(`the chain of the floor breaks at ${seal}`);
    const { type, data } = JSON.parse(String(row['event'])) as FloorEvent;
    if (type === 'HoldCaptured') charged += BigInt(data.amountMicroUsd ?? 0);
  }
  log.close();
  const due = BigInt(answers * ANSWER_MICRO_USD);
  if (charged !== due) throw new Error(`the floor charged ${charged} micro-USD instead of ${due}`);
};
