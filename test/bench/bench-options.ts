import path from 'node:path';
import { parseArgs } from 'node:util';

/** The parts that need Node alone: measured unless something else is asked for. */
const NODE_PARTS = [
  'mock',
  'bare',
  'floor',
  'portkey',
  'quipu',
  'batches',
  'event-store',
  'jobs',
  'workflows',
] as const;
/** The parts that are measured on servers of Java or Go. */
const SERVER_PARTS = ['fleet', 'rebuild', 'worker'] as const;
const PARTS = [...NODE_PARTS, ...SERVER_PARTS, 'cores'] as const;
/** LiteLLM takes part when the caller has installed it and names its program. */
export type Part = (typeof PARTS)[number] | 'litellm';

export interface BenchOptions {
  readonly parts: ReadonlySet<Part>;
  readonly connections: readonly number[];
  readonly rounds: number;
  readonly windowMs: number;
  readonly warmUpMs: number;
  /** How long each lane is asked at most before the first round; 0 for not at all. */
  readonly breakInMs: number;
  /** How many accounts share the load of the many-accounts lane. */
  readonly accounts: number;
  /** Homes and logs are written here; fsync costs what this file system makes it cost. */
  readonly directory: string;
  readonly jsonPath: string | undefined;
  /** Enough to see that everything runs; the figures say little. */
  readonly isQuick: boolean;
  /** Where the time of a chat goes, instead of everything else. */
  readonly isProfile: boolean;
  /** Where the table for publication goes; undefined measures everything else instead. */
  readonly reportPath: string | undefined;
  /** The program of LiteLLM; undefined if it takes no part. */
  readonly litellm: string | undefined;
}

const partNamed = (name: string): Part => {
  const part = PARTS.find((known) => known === name);
  if (part) return part;
  throw new Error(`--only ${name}: expected all, or some of ${PARTS.join(', ')}`);
};

const partsNamed = (names: string): readonly Part[] =>
  names === 'all' ? PARTS : names.split(',').map(partNamed);

const positive = (option: string, text: string): number => {
  const value = Number(text);
  if (value > 0 && Number.isFinite(value)) return value;
  throw new Error(`--${option} ${text}: expected a positive number`);
};

const notNegative = (option: string, text: string): number => {
  const value = Number(text);
  if (text !== '' && value >= 0 && Number.isFinite(value)) return value;
  throw new Error(`--${option} ${text}: expected 0 or a positive number`);
};

const whole = (option: string, text: string): number => {
  const value = positive(option, text);
  if (Number.isInteger(value)) return value;
  throw new Error(`--${option} ${text}: expected a whole number`);
};

export const readOptions = (args: readonly string[]): BenchOptions => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', default: NODE_PARTS.join(',') },
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      'break-in': { type: 'string' },
      connections: { type: 'string' },
      accounts: { type: 'string', default: '16' },
      directory: { type: 'string', default: 'node_modules/.cache/bench' },
      json: { type: 'string' },
      profile: { type: 'boolean', default: false },
      report: { type: 'boolean', default: false },
      'report-file': { type: 'string', default: 'bench-report.md' },
      litellm: { type: 'string' },
    },
  });
  const windowS = positive('seconds', values.seconds ?? (values.quick ? '1' : '3'));
  const { litellm } = values;
  const connections =
    values.connections ?? (values.profile ? '50' : values.report ? '1,50' : '1,10,50');
  return {
    parts: new Set([...partsNamed(values.only), ...(litellm ? (['litellm'] as const) : [])]),
    connections: connections.split(',').map((text) => whole('connections', text)),
    rounds: whole('rounds', values.rounds ?? (values.quick ? '1' : '3')),
    windowMs: windowS * 1000,
    warmUpMs: values.quick ? 500 : 1000,
    breakInMs: notNegative('break-in', values['break-in'] ?? (values.quick ? '0' : '40')) * 1000,
    accounts: whole('accounts', values.accounts),
    directory: path.resolve(values.directory),
    jsonPath: values.json,
    isQuick: values.quick,
    isProfile: values.profile,
    reportPath: values.report ? values['report-file'] : undefined,
    litellm,
  };
};
