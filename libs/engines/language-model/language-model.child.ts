/**
 * Runs models through llama.cpp in a process of its own, so that the event loop that answers HTTP
 * never waits for a token. A thread would do for that, but ending one while llama.cpp works aborts
 * the whole process, and so does every failed assertion inside it; a child only takes itself along.
 *
 * Jest does not transform what a process forks, and Node runs TypeScript only by erasing its types.
 * So this file and those in `child/` are written in erasable syntax and name each other by subpath
 * (`#engines/…`), which is the source in a spec and the build in a gateway.
 */
import {
  getLlama,
  LlamaGrammarEvaluationState,
  LlamaLogLevel,
  resolveChatWrapper,
  SpecialToken,
  SpecialTokensText,
  type ChatHistoryItem,
  type Llama,
  type LlamaContext,
  type LlamaContextSequence,
  type LlamaJsonSchemaGrammar,
  type LlamaModel,
  type LlamaText,
  type Token,
} from 'node-llama-cpp';
import type {
  ChatMessage,
  Failure,
  FromChild,
  GenerationTask,
  ToChild,
  ChildSettings,
} from '#engines/language-model/language-model.protocol.js';
import { ModelAdapters, placementOf } from '#engines/language-model/child/model-adapters.js';
import { reasonOf, ReportedError } from '#engines/language-model/child/reported.error.js';

const SMALL_MODEL_BYTES = 64 * 1024 * 1024;
/**
 * Several threads would spend their time on a small model waiting for each other, and it can afford
 * attention in full precision, with which its logits are those of its trainer.
 */
const SMALL_MODEL_CONTEXT = {
  threads: 1,
  flashAttention: false,
  experimentalKvCacheKeyType: 'F32',
  experimentalKvCacheValueType: 'F32',
} as const;
/** A long prompt is read in pieces, so that a cancellation need not wait for all of it. */
const PROMPT_PIECE_TOKENS = 256;
/** A character of UTF-8 has at most four bytes, and every token holds at least one. */
const CHARACTER_TOKENS_MAX = 4;
/** Some tokenizers write a word differently after another; this many say which. */
const PRECEDING_TOKENS = 8;
/** A complaint of llama.cpp is here this long after the exception that it belongs to. */
const COMPLAINT_MS = 10;
const INCOMPLETE = '\uFFFD';

type ChatWrapper = ReturnType<typeof resolveChatWrapper>;
type GrammarSchema = LlamaJsonSchemaGrammar<never>['schema'];

interface Slot {
  readonly context: LlamaContext;
  readonly sequence: LlamaContextSequence;
  /** The adapter on its weights. */
  placement: string;
}

interface LoadedModel {
  readonly model: LlamaModel;
  readonly wrapper: NonNullable<ChatWrapper>;
  readonly adapters: ModelAdapters;
  readonly idle: Slot[];
}

interface Resident {
  readonly loading: Promise<LoadedModel>;
  users: number;
}

interface Job {
  cancelled: boolean;
  unread: number;
  wake: () => void;
}

const settings = JSON.parse(process.argv[2] ?? '{}') as ChildSettings;
const jobs = new Map<number, Job>();
/** In order of last use, the oldest first. */
const residents = new Map<string, Resident>();
let starting: Promise<Llama> | undefined;
/** What llama.cpp said last of an error: more than the exception it then causes. */
let complaint = '';

const send = (message: FromChild): void => {
  process.send?.(message);
};

const llama = (): Promise<Llama> => {
  starting ??= getLlama({
    gpu: 'auto',
    build: 'never',
    skipDownload: true,
    progressLogs: false,
    logLevel: LlamaLogLevel.error,
    logger: (_level, message) => (complaint = message.trim()),
  });
  return starting;
};

const load = async (modelFile: string): Promise<LoadedModel> => {
  const runtime = await llama();
  complaint = '';
  try {
    const model = await runtime.loadModel({ modelPath: modelFile });
    const adapters = new ModelAdapters(model, settings.adaptersMax, whyFailed);
    return { model, wrapper: resolveChatWrapper(model), adapters, idle: [] };
  } catch (error) {
    throw new ReportedError({ code: 'model_file_invalid', reason: await whyFailed(error) });
  }
};

/** The log comes after the exception, in a turn of its own. */
const whyFailed = async (error: unknown): Promise<string> => {
  await new Promise((resolve) => setTimeout(resolve, COMPLAINT_MS));
  return [reasonOf(error), complaint].filter((text) => text !== '').join(': ');
};

const forget = async (key: string, { loading }: Resident): Promise<void> => {
  residents.delete(key);
  const loaded = await loading.catch(() => undefined);
  await loaded?.model.dispose();
};

/** Drops idle models, the longest unused first, until the limit holds; busy ones may exceed it. */
const makeRoom = async (): Promise<void> => {
  for (const [key, resident] of [...residents]) {
    if (residents.size <= settings.loadedModelsMax) return;
    if (resident.users === 0) await forget(key, resident);
  }
};

const withModel = async (
  { modelFile, fileVersion }: GenerationTask,
  use: (loaded: LoadedModel) => Promise<void>,
): Promise<void> => {
  const key = `${modelFile}\n${fileVersion}`;
  const resident = residents.get(key) ?? { loading: load(modelFile), users: 0 };
  residents.delete(key);
  residents.set(key, resident);
  resident.users += 1;
  try {
    await use(await resident.loading);
  } catch (error) {
    // A failed load is not remembered: the file may be repaired.
    await resident.loading.catch(() => residents.delete(key));
    throw error;
  } finally {
    resident.users -= 1;
    await makeRoom();
  }
};

/** One context per running request: its tokens do not depend on what runs beside it. */
const withSlot = async (
  { model, adapters, idle }: LoadedModel,
  { adapter }: GenerationTask,
  use: (slot: Slot, adapterSwapMs: number | null) => Promise<void>,
): Promise<void> => {
  const placement = placementOf(adapter);
  const inPlace = idle.findIndex((one) => one.placement === placement);
  // With none in place, -1 takes the last.
  let [slot] = idle.splice(inPlace, 1);
  if (slot === undefined) {
    const max = Math.min(settings.contextTokensMax, model.trainContextSize);
    const context = await model.createContext({
      contextSize: { max },
      sequences: 1,
      ...(model.size < SMALL_MODEL_BYTES ? SMALL_MODEL_CONTEXT : {}),
    });
    slot = { context, sequence: context.getSequence(), placement: '' };
  }
  try {
    let adapterSwapMs: number | null = null;
    if (slot.placement !== placement) {
      adapterSwapMs = await adapters.place(slot.context, adapter);
      slot.placement = placement;
    }
    await use(slot, adapterSwapMs);
  } catch (error) {
    // A rejected prompt was never read; after any other failure the state is unknown.
    if (error instanceof ReportedError) idle.push(slot);
    else {
      adapters.leave(slot.context);
      await slot.context.dispose();
    }
    throw error;
  }
  await slot.sequence.clearHistory();
  idle.push(slot);
};

const historyItem = ({ role, content }: ChatMessage): ChatHistoryItem => {
  switch (role) {
    case 'system':
      return { type: 'system', text: content };
    case 'user':
      return { type: 'user', text: content };
    case 'assistant':
      return { type: 'model', response: [content] };
  }
};

/** A state for one answer: it rules out the tokens that the JSON Schema does not allow next. */
const grammarOf = async (model: LlamaModel, { jsonSchema }: GenerationTask) => {
  if (jsonSchema === undefined) return undefined;
  const grammar = await (await llama()).createGrammarForJsonSchema(jsonSchema as GrammarSchema);
  const state = new LlamaGrammarEvaluationState({ model, grammar });
  return { state, stopTexts: grammar.stopGenerationTriggers.map(String) };
};

interface Prompt {
  readonly ids: Token[];
  readonly stopTokens: ReadonlySet<Token>;
  readonly stopTexts: readonly string[];
}

const renderPrompt = (
  { model, wrapper }: Pick<LoadedModel, 'model' | 'wrapper'>,
  messages: readonly ChatMessage[],
): Prompt => {
  const opened: ChatHistoryItem = { type: 'model', response: [] };
  const chatHistory = [...messages.map(historyItem), opened];
  const { contextText, stopGenerationTriggers } = wrapper.generateContextState({ chatHistory });
  const stopTokens = new Set<Token>();
  const stopTexts: string[] = [];
  for (const trigger of stopGenerationTriggers) {
    const ids = trigger.tokenize(model.tokenizer);
    const [first] = ids;
    if (ids.length === 1 && first !== undefined && isControl(trigger)) stopTokens.add(first);
    else if (!trigger.values.some((value) => value instanceof SpecialToken)) {
      stopTexts.push(trigger.toString());
    }
  }
  const ids = contextText.tokenize(model.tokenizer);
  // Wrappers always write a first token; whether the model was trained with one, its file says.
  if (!model.tokens.shouldPrependBosToken && ids[0] === model.tokens.bos) ids.shift();
  return { ids, stopTokens, stopTexts };
};

const isControl = ({ values }: LlamaText): boolean =>
  values.some((value) => value instanceof SpecialToken || value instanceof SpecialTokensText);

/** Joins tokens into whole characters: one cut inside a character is held until it is complete. */
class CharacterAssembler {
  private readonly model: LlamaModel;
  private pending: Token[] = [];
  private preceding: Token[] = [];

  constructor(model: LlamaModel) {
    this.model = model;
  }

  push(token: Token): string {
    this.pending.push(token);
    const text = this.model.detokenize(this.pending, false, this.preceding);
    if (text.endsWith(INCOMPLETE) && this.pending.length < CHARACTER_TOKENS_MAX) return '';
    this.preceding = [...this.preceding, ...this.pending].slice(-PRECEDING_TOKENS);
    this.pending = [];
    return text;
  }

  /** What is complete of the rest; half a character at a cut-off end is dropped. */
  flush(): string {
    const text = this.model.detokenize(this.pending, false, this.preceding);
    this.pending = [];
    return text.replace(/\uFFFD+$/, '');
  }
}

/** Sends a delta once the reader is not too far behind. */
const sendDelta = async (
  id: number,
  job: Job,
  text: string,
  completionTokens: number,
): Promise<void> => {
  while (job.unread >= settings.unreadDeltasMax && !job.cancelled) {
    await new Promise<void>((resolve) => (job.wake = resolve));
  }
  if (job.cancelled || text === '') return;
  job.unread += 1;
  send({ type: 'delta', id, text, completionTokens });
};

const readPrompt = async (sequence: LlamaContextSequence, ids: Token[], job: Job) => {
  for (let at = 0; at < ids.length && !job.cancelled; at += PROMPT_PIECE_TOKENS) {
    await sequence.evaluateWithoutGeneratingNewTokens(ids.slice(at, at + PROMPT_PIECE_TOKENS));
  }
};

const answer = async (
  id: number,
  job: Job,
  task: GenerationTask,
  { model, wrapper }: LoadedModel,
  { sequence }: Slot,
  adapterSwapMs: number | null,
): Promise<void> => {
  const { ids, stopTokens, stopTexts } = renderPrompt({ model, wrapper }, task.messages);
  const contextTokens = sequence.contextSize;
  if (ids.length >= contextTokens) {
    throw new ReportedError({ code: 'prompt_too_long', promptTokens: ids.length, contextTokens });
  }
  const grammar = await grammarOf(model, task);
  const allStopTexts = [...stopTexts, ...(grammar?.stopTexts ?? [])];
  const swap = task.adapter === undefined ? {} : { adapterSwapMs };
  send({ type: 'prompt', id, promptTokens: ids.length, stopTexts: allStopTexts, ...swap });
  const tokensMax = Math.min(task.maxTokens, contextTokens - ids.length);
  const { temperature, topP, seed } = task;
  const characters = new CharacterAssembler(model);
  let completionTokens = 0;
  let finishReason: 'stop' | 'length' = tokensMax > 0 ? 'stop' : 'length';

  await readPrompt(sequence, ids.slice(0, -1), job);
  const options = {
    temperature,
    topP,
    topK: 0,
    minP: 0,
    seed,
    ...(grammar && { grammarEvaluationState: grammar.state }),
  };
  const tokens = sequence.evaluate(ids.slice(-1), options);
  while (!job.cancelled && finishReason !== 'length') {
    const { value: token, done = false } = await tokens.next();
    if (done || token === undefined || stopTokens.has(token)) break;
    completionTokens += 1;
    await sendDelta(id, job, characters.push(token), completionTokens);
    if (completionTokens >= tokensMax) finishReason = 'length';
  }
  await tokens.return();
  await sendDelta(id, job, characters.flush(), completionTokens);
  send({ type: 'done', id, completionTokens, finishReason });
};

const generate = async (id: number, task: GenerationTask): Promise<void> => {
  const job: Job = { cancelled: false, unread: 0, wake: () => undefined };
  jobs.set(id, job);
  try {
    await withModel(task, (loaded) =>
      withSlot(loaded, task, (slot, swapMs) => answer(id, job, task, loaded, slot, swapMs)),
    );
  } catch (error) {
    const failure: Failure =
      error instanceof ReportedError
        ? error.failure
        : { code: 'model_failed', reason: reasonOf(error) };
    send({ type: 'failed', id, failure });
  } finally {
    jobs.delete(id);
  }
};

const close = async (): Promise<void> => {
  if (starting !== undefined) await (await starting).dispose();
  process.disconnect();
};

process.on('message', (message: ToChild) => {
  switch (message.type) {
    case 'generate':
      void generate(message.id, message.task);
      return;
    case 'read':
    case 'cancel': {
      const job = jobs.get(message.id);
      if (job === undefined) return;
      if (message.type === 'read') job.unread -= 1;
      else job.cancelled = true;
      job.wake();
      return;
    }
    case 'close':
      void close();
      return;
  }
});

// A terminal sends its signals to the whole group; the parent drains and then says `close`.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit(0));
