/**
 * The messages between the processes that ask and the workers. Headers name the task, the run and
 * the order; bodies hold what callers ask and what engines answer, and are sealed.
 */
import { z } from 'zod';
import { type EngineDefinition } from './engine.js';

/** Tasks of one engine. Each attempt has a key of its own, so it may reach another worker. */
export const tasksTopicOf = (engine: string): string => `quipu.tasks.${engine}`;

/** Tasks of any engine for one worker; their header `engine` says which. */
export const pinnedTasksTopicOf = (worker: string): string => `quipu.worker-tasks.${worker}`;

/** Tasks of one engine whose answer no process waits for; every worker reads all of them. */
export const cancellationsTopicOf = (engine: string): string => `quipu.cancellations.${engine}`;

export const isCancellations = (topic: string): boolean =>
  topic.startsWith(cancellationsTopicOf(''));

/** The group in which workers share the tasks of one engine. */
export const workersGroupOf = (engine: string): string => `quipu.workers.${engine}`;

/** Replies to the tasks of one process, of all engines; keyed by task to keep pages in order. */
export const repliesTopicOf = (instance: string): string => `quipu.replies.${instance}`;

/** Header values are strings; instants are milliseconds since the Unix epoch. */
const Whole = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number);

export const TaskHeaders = z.object({
  task: z.uuid(),
  /** From 1; attempts of one task may run at once, and the first to start wins. */
  attempt: Whole,
  'reply-topic': z.string(),
  /** A worker that gets the task later does not start it. */
  'take-by': Whole,
});
export type TaskHeaders = z.infer<typeof TaskHeaders>;

/** Of a task for one worker. */
export const PinnedTaskHeaders = z.object({ engine: z.string() });

export const CancellationHeaders = z.object({
  task: z.uuid(),
  /** The last attempt that is cancelled; a later one may still be offered. */
  through: Whole,
  /** The run that continues, as `runId` names it; empty for none. */
  except: z.string(),
});

/** One attempt at one worker. */
export const runId = (attempt: number, worker: string): string => `${attempt}@${worker}`;

export const ReplyHeaders = z.object({
  /** `beat`: the run continues and has nothing to hand over yet. */
  kind: z.enum(['started', 'page', 'beat', 'failed']),
  task: z.uuid(),
  attempt: Whole,
  worker: z.string(),
  /** Counted in the run from 0 without a gap; a repeat has a number that was seen. */
  number: Whole,
});
export type ReplyHeaders = z.infer<typeof ReplyHeaders>;
export type ReplyKind = ReplyHeaders['kind'];

/** The body of a `page`. */
export interface Page<Piece, End> {
  readonly pieces: readonly Piece[];
  /** Of the last page only. */
  readonly end?: End;
}

/** The schema of an engine's pages. */
export const pageOf = <Piece, End>({
  piece,
  end,
}: Pick<EngineDefinition<unknown, Piece, End>, 'piece' | 'end'>): z.ZodType<Page<Piece, End>> =>
  z.strictObject({ pieces: z.array(piece), end: end.exactOptional() });

/** The body of a `failed`. */
export const TaskFailure = z.strictObject({ code: z.string(), message: z.string() });
export type TaskFailure = z.infer<typeof TaskFailure>;

/** The text with which a body is sealed: the body opens in its own place only. */
export const taskPlace = (engine: string, task: string, attempt: number): string =>
  `task/${engine}/${task}/${attempt}`;
export const replyPlace = (
  engine: string,
  { kind, task, attempt, worker, number }: ReplyHeaders,
): string => `reply/${engine}/${task}/${attempt}/${worker}/${number}/${kind}`;
