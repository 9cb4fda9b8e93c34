/**
 * Decodes with pairs of models in a process of its own, for the reasons that the child of language
 * models gives, and in the same way.
 */
import type { LlamaContextSequence, Token } from 'node-llama-cpp';
import type { ToChild } from '#engines/language-model/language-model.protocol.js';
import { TokenDraw } from '#engines/language-model/child/native-calls.js';
import { renderPrompt } from '#engines/language-model/child/prompt.js';
import { CharacterAssembler } from '#engines/language-model/child/token-text.js';
import { CachedSequence } from '#engines/speculative/cached-sequence.js';
import {
  type LoadedPair,
  LoadedPairs,
  ReportedError,
  type SlotPair,
} from '#engines/speculative/loaded-pairs.js';
import { type ComparedRequest, PairComparison } from '#engines/speculative/pair-comparison.js';
import { decodePair, type Round } from '#engines/speculative/pair-decoder.js';
import * as rules from '#engines/speculative/rejection-sampling.js';
import type {
  FromChild,
  Piece,
  SpeculativeChildSettings,
  SpeculativeCounts,
  SpeculativeTask,
} from '#engines/speculative/speculative.protocol.js';

/** A long prompt is read in pieces, so that a cancellation need not wait for all of it. */
const PROMPT_PIECE_TOKENS = 256;
/** A comparison ends at either of these: requests that come meanwhile wait for it. */
const COMPARED_TOKENS_MAX = 64;
const COMPARED_MS_MAX = 500;

interface Job {
  readonly id: number;
  cancelled: boolean;
  unread: number;
  wake: () => void;
}

const settings = JSON.parse(process.argv[2] ?? '{}') as SpeculativeChildSettings;
const { loadedPairsMax, contextTokensMax, comparisonShare, unreadDeltasMax } = settings;
const pairs = new LoadedPairs(
  { pairsMax: loadedPairsMax, contextTokensMax },
  () => new PairComparison(comparisonShare),
);
const jobs = new Map<number, Job>();
/** The started requests, and the running ones: a request is compared only if it ran alone. */
let started = 0;
let running = 0;
let comparing: Promise<void> = Promise.resolve();

const send = (message: FromChild): void => {
  process.send?.([message]);
};

/** Sends text once the reader is not too far behind. */
const sendPieces = async (
  job: Job,
  pieces: readonly Piece[],
  counts: SpeculativeCounts,
): Promise<void> => {
  const shown = pieces.filter(([text]) => text !== '');
  if (shown.length === 0) return;
  while (job.unread >= unreadDeltasMax && !job.cancelled) {
    await new Promise<void>((resolve) => (job.wake = resolve));
  }
  if (job.cancelled) return;
  job.unread += 1;
  send({ type: 'pieces', id: job.id, pieces: shown, counts });
};

type Reader = InstanceType<typeof CachedSequence>;

const readPrompt = async (model: Reader, ids: readonly number[], job: Job): Promise<void> => {
  for (let at = 0; at < ids.length && !job.cancelled; at += PROMPT_PIECE_TOKENS) {
    await model.evaluate(ids.slice(at, at + PROMPT_PIECE_TOKENS), 0);
  }
};

interface Answer {
  readonly ids: readonly Token[];
  readonly tokens: number;
  readonly decodingMs: number;
  readonly stopTokens: ReadonlySet<Token>;
}

/** The sums over the rounds of an answer. */
class Tally {
  tokens = 0;
  ended = false;
  private targetCalls = 0;
  private draftTokens = 0;
  private acceptedTokens = 0;
  private readonly target: Reader;
  private readonly draft: Reader;

  constructor(target: Reader, draft: Reader) {
    this.target = target;
    this.draft = draft;
  }

  add({ drafted, accepted, ended }: Round): void {
    this.targetCalls += 1;
    this.draftTokens += drafted;
    this.acceptedTokens += accepted;
    this.ended = ended;
  }

  get counts(): SpeculativeCounts {
    const { targetCalls, draftTokens, acceptedTokens, target, draft } = this;
    return {
      targetCalls,
      draftTokens,
      acceptedTokens,
      plainCalls: this.tokens + (this.ended ? 1 : 0),
      targetEvaluatedTokens: target.evaluatedTokens,
      draftEvaluatedTokens: draft.evaluatedTokens,
    };
  }
}

const answer = async (
  job: Job,
  task: SpeculativeTask,
  pair: LoadedPair,
  slots: SlotPair,
): Promise<Answer> => {
  const { ids, stopTokens, stopTexts } = renderPrompt(
    pair.target,
    pair.wrapper,
    task.messages,
    undefined,
  );
  const { contextSize } = slots.target.sequence;
  const contextTokens = Math.min(contextSize, slots.draft.sequence.contextSize);
  if (ids.length >= contextTokens) {
    throw new ReportedError({ code: 'prompt_too_long', promptTokens: ids.length, contextTokens });
  }
  const comparison = pair.comparison.result;
  send({ type: 'prompt', id: job.id, promptTokens: ids.length, stopTexts, comparison });
  const tokensMax = Math.min(task.maxTokens, contextTokens - ids.length);
  const target = new CachedSequence(slots.target.sequence, task);
  const draft = new CachedSequence(slots.draft.sequence, task);
  await readPrompt(target, ids.slice(0, -1), job);
  await readPrompt(draft, ids.slice(0, -1), job);
  const rounds = decodePair({ target, draft }, ids, {
    rules,
    random: rules.randomFrom(task.seed),
    isEnd: (token) => stopTokens.has(token as Token),
    draftTokensMax: task.draftTokensMax,
    tokensMax,
  });
  const characters = new CharacterAssembler(pair.target);
  const tally = new Tally(target, draft);
  let decodingMs = 0;
  while (!job.cancelled) {
    const startedAt = performance.now();
    const { value: round, done } = await rounds.next();
    decodingMs += performance.now() - startedAt;
    if (done === true) break;
    tally.add(round);
    const pieces = round.tokens.map((token): Piece => {
      tally.tokens += 1;
      return [characters.push(token as Token), tally.tokens];
    });
    await sendPieces(job, pieces, tally.counts);
  }
  const { tokens, counts, ended } = tally;
  await sendPieces(job, [[characters.flush(), tokens]], counts);
  const finishReason = ended || tokens < tokensMax ? 'stop' : 'length';
  send({ type: 'answered', id: job.id, completionTokens: tokens, finishReason, counts });
  return { ids, tokens, decodingMs, stopTokens };
};

/** Decodes a part of the answer plainly, with the cache that the prompt has left. */
const decodePlainly = async (
  { temperature, topP, seed }: SpeculativeTask,
  sequence: LlamaContextSequence,
  { ids, tokens, decodingMs, stopTokens }: Answer,
): Promise<ComparedRequest | null> => {
  const wanted = Math.min(tokens, COMPARED_TOKENS_MAX);
  const start = ids.length - 1;
  await sequence.eraseContextTokenRanges([{ start, end: sequence.nextTokenIndex }]);
  const startedAt = performance.now();
  const draw = new TokenDraw(sequence.model, { temperature, topP, seed }, undefined);
  let [plainTokens, plainMs] = [0, 0];
  let unread = ids.slice(-1);
  while (plainTokens < wanted && plainMs < COMPARED_MS_MAX) {
    const { token } = await draw.next(sequence, unread);
    if (stopTokens.has(token) || sequence.model.isEogToken(token)) break;
    unread = [token];
    plainTokens += 1;
    plainMs = performance.now() - startedAt;
  }
  draw.dispose();
  return plainTokens === 0 ? null : { tokens, speculativeMs: decodingMs, plainTokens, plainMs };
};

const compare = async (
  task: SpeculativeTask,
  { comparison }: LoadedPair,
  sequence: LlamaContextSequence,
  given: Answer,
): Promise<void> => {
  if (!comparison.isDue(Math.min(given.tokens, COMPARED_TOKENS_MAX))) return;
  const compared = decodePlainly(task, sequence, given);
  comparing = compared.then(
    () => undefined,
    () => undefined,
  );
  const request = await compared;
  if (request) comparison.record(request);
};

const generate = async (id: number, task: SpeculativeTask): Promise<void> => {
  const job: Job = { id, cancelled: false, unread: 0, wake: () => undefined };
  jobs.set(id, job);
  await comparing;
  [started, running] = [started + 1, running + 1];
  const [startedBefore, isAlone] = [started, running === 1];
  try {
    await pairs.use(task, (pair) =>
      pairs.withSlots(pair, async (slots) => {
        const given = await answer(job, task, pair, slots);
        pair.comparison.decoded(given.decodingMs);
        const ranAlone = isAlone && started === startedBefore;
        if (ranAlone) await compare(task, pair, slots.target.sequence, given);
      }),
    );
    send({ type: 'done', id });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const failure =
      error instanceof ReportedError ? error.failure : ({ code: 'model_failed', reason } as const);
    send({ type: 'failed', id, failure });
  } finally {
    running -= 1;
    jobs.delete(id);
  }
};

const hear = (message: ToChild<SpeculativeTask>): void => {
  switch (message.type) {
    case 'generate':
      void generate(message.id, message.task);
      return;
    case 'read':
    case 'cancel': {
      const job = jobs.get(message.id);
      if (job === undefined) return;
      if (message.type === 'read') job.unread -= message.deltas;
      else job.cancelled = true;
      job.wake();
      return;
    }
    case 'stop':
      throw new Error('a speculative answer has one choice, which is cancelled as a whole');
    case 'close':
      void pairs.close().then(() => process.disconnect());
      return;
  }
};

process.on('message', (messages) => {
  for (const message of messages as readonly ToChild<SpeculativeTask>[]) hear(message);
});

// A terminal sends its signals to the whole group; the parent drains and then says `close`.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit(0));
