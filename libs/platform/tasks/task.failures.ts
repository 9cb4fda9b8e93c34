import { type AnyEngineDefinition, type FailureScope } from './engine.js';
import { TaskError } from './task.error.js';

/** Codes that every engine's tasks may fail with. */
const PLATFORM_FAILURES = {
  /** The process has as many tasks as it takes. */
  busy: 'elsewhere',
  /** The task arrived after its `take-by`. */
  expired: 'elsewhere',
  /** The process or the engine is stopping. */
  closed: 'elsewhere',
  /** The body was sealed with another master key, or does not match the schema. */
  unreadable: 'final',
  /** The input does not match the engine's schema. */
  invalid_input: 'final',
  /** The engine failed without a code that it declares. */
  failed: 'final',
  /** No worker took the task in time, or the bus cannot be reached. */
  no_worker: 'final',
  /** The worker that ran the task sends no more replies. */
  worker_lost: 'final',
  /** The task does not fit into a message. */
  task_too_large: 'final',
} as const satisfies Readonly<Record<string, FailureScope>>;

export type PlatformFailureCode = keyof typeof PLATFORM_FAILURES;

type Declared = Pick<AnyEngineDefinition, 'failures'>;

/** Undefined for a code that nothing declares. */
const scopeOf = ({ failures }: Declared, code: string): FailureScope | undefined => {
  const known: Readonly<Record<string, FailureScope>> = { ...failures, ...PLATFORM_FAILURES };
  return Object.hasOwn(known, code) ? known[code] : undefined;
};

/** Whether another worker may succeed where one failed with this code. */
export const helpsElsewhere = (engine: Declared, code: string): boolean =>
  scopeOf(engine, code) === 'elsewhere';

/** The error of an engine with a declared code. */
export const taskErrorOf = (engine: Declared, cause: unknown): TaskError => {
  if (cause instanceof TaskError) return cause;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : '';
  const message = cause instanceof Error ? cause.message : String(cause);
  const isDeclared = typeof code === 'string' && scopeOf(engine, code) !== undefined;
  return new TaskError(isDeclared ? code : 'failed', message, { cause });
};
