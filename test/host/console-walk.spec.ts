/** Bombadil walks through the console in Chromium while money moves. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AuditedAccount } from '#areas/billing/ledger-audit.js';
import { type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { chatRequest } from '../end-to-end/quipu.harness.js';
import { auditOf } from '../fault/ledger-of-log.js';
import { requireProgram } from '../servers/required-program.js';
import { type ConsoleWorld, openConsole } from './console.fixture.js';

const BOMBADIL = path.resolve(
  import.meta.dirname,
  `../../node_modules/@antithesishq/bombadil/binaries/bombadil-${process.platform}-${process.arch}`,
);
const SPECIFICATION = path.resolve(import.meta.dirname, 'console-walk.bombadil.mjs');
const WALK_S = 12;
/** A busy machine needs more than one. */
const WALKS_MAX = 5;
const WALK_MS_MAX = 60_000;
/** Every link of the navigation is in the window. */
const WINDOW = ['--width=1280', '--height=2600'];
/** Fewer balances, or of fewer positions, prove little. */
const BALANCES_MIN = 16;
const POSITIONS_MIN = 2;
const ACCOUNT = '1';
const MICRO_PER_USD = 1e6;

/** A balance as a page showed it: see `console-walk.bombadil.mjs`. */
interface Shown {
  readonly address: string;
  readonly sum: string;
  readonly scope: string | null;
  readonly position: string;
  readonly amount: string;
  readonly text: string;
}

interface TraceEntry {
  readonly snapshots: readonly { readonly name: string | null; readonly value: unknown }[];
}

const sumOf = (accounts: readonly AuditedAccount[], sum: string, month: string): bigint =>
  accounts.reduce((total, account) => total + amountOf(account, sum, month), 0n);

const amountOf = (account: AuditedAccount, sum: string, month: string): bigint => {
  const { deposited, charged, held, adjusted } = account;
  switch (sum) {
    case 'deposited':
      return deposited;
    case 'held':
      return held;
    case 'balance':
      return deposited - charged + adjusted;
    case 'available':
      return deposited - charged + adjusted - held;
    case 'closing':
      return [...account.months]
        .filter(([booked]) => booked <= month)
        .reduce((left, [, one]) => left + one.deposited - one.charged + one.adjusted, 0n);
    default:
      throw new Error(`no sum of an account is named ${sum}`);
  }
};

/** Folds the log up to the position of a balance, without the program that showed it. */
const foldOf = (log: readonly RecordedEvent[], { sum, scope, position }: Shown): bigint => {
  const { accounts } = auditOf(log.filter((event) => event.position <= BigInt(position)));
  const own = accounts.get(ACCOUNT);
  const folded = scope === 'all' ? [...accounts.values()] : own ? [own] : [];
  return sumOf(folded, sum, scope ?? '');
};

describe('a walk through the console', () => {
  let console: ConsoleWorld;
  let folder: string;
  let cookie: string;

  beforeAll(async () => {
    console = await openConsole();
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-walk-'));
    const tab = await console.openTab();
    const { username, password } = console.world.credentials;
    await tab.signIn(username, password);
    await tab.page.waitForSelector('#balance');
    const [session] = await tab.context.cookies();
    cookie = `${session?.name}=${session?.value}; Path=/; Secure; HttpOnly`;
    await tab.context.close();
  });

  afterAll(() => console.close());

  /** Chats and deposits until the walk ends, one after the other. */
  const moveMoney = async (isOver: () => boolean): Promise<void> => {
    const { api_key: key } = console.world.credentials;
    for (let turn = 0; !isOver(); turn += 1) {
      await console.post('/v1/chat/completions', key, chatRequest());
      const deposit = { deposit_id: `walk-${turn}`, amount_usd: 0.25, reason: 'the walk' };
      await console.post(`/api/v1/accounts/${ACCOUNT}/deposits`, key, deposit);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  };

  /** @returns the balances that it saw */
  const walk = async (trace: string): Promise<readonly Shown[]> => {
    const chromium = await requireProgram('chromium');
    const words = [
      ...['browser', 'test', `${console.world.quipu.url}/console`, SPECIFICATION],
      ...['--headless', '--no-sandbox', '--exit-on-violation', `--time-limit=${WALK_S}s`],
      ...[
        `--cookie=${cookie}`,
        `--output-path=${path.dirname(trace)}`,
        '--instrument-javascript=',
        ...WINDOW,
      ],
    ];
    const environment = { ...process.env, CHROME: chromium, RUST_LOG: 'error' };
    const ran = promisify(execFile)(BOMBADIL, words, { env: environment, timeout: WALK_MS_MAX });
    // It ends with another status than 0 when a property of the specification does not hold.
    const failure = await ran.then(
      () => '',
      (error: unknown) => {
        const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
        return `${stdout}\n${stderr}`;
      },
    );
    expect({ trace, failure }).toEqual({ trace, failure: '' });
    return (await readFile(trace, 'utf8'))
      .split('\n')
      .filter((line) => line !== '')
      .flatMap((line) => (JSON.parse(line) as TraceEntry).snapshots)
      .filter(({ name }) => name === 'balances')
      .flatMap(({ value }) => value as readonly Shown[]);
  };

  const judge = async (trace: string): Promise<readonly Shown[]> => {
    const shown = await walk(trace);
    const log = await console.world.log();
    const balances = shown.map((one) => [one, Math.round(Number(one.amount) * MICRO_PER_USD)]);
    const folded = shown.map((one) => [one, Number(foldOf(log, one))]);
    expect({ trace, balances }).toEqual({ trace, balances: folded });
    return shown;
  };

  it('shows no balance that differs from the fold of the log at its position', async () => {
    let isOver = false;
    const moving = moveMoney(() => isOver);
    const shown: Shown[] = [];
    try {
      for (let walks = 1; walks <= WALKS_MAX && shown.length < BALANCES_MIN; walks += 1) {
        shown.push(...(await judge(path.join(folder, String(walks), 'trace.jsonl'))));
      }
    } finally {
      isOver = true;
    }
    await moving;
    expect(shown.length).toBeGreaterThanOrEqual(BALANCES_MIN);
    const positions = new Set(shown.map(({ position }) => position));
    expect(positions.size).toBeGreaterThanOrEqual(POSITIONS_MIN);
    // A walk that failed keeps its trace, by which Bombadil repeats its steps.
    await rm(folder, { recursive: true });
  });
});
