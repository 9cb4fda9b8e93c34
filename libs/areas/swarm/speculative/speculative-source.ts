import { Injectable } from '@nestjs/common';
import { outageOf, TaskError, type TaskOutage } from '#platform/tasks/task.error.js';
import { Tasks } from '#platform/tasks/tasks.port.js';
import { type Usage } from '#platform/chats/chat-usage.js';
import { type ChatAsked } from '../chat-asked.js';
import { choiceOf } from '../chunk-text.js';
import { reject, SwarmRunError } from '../swarm.errors.js';
import { type JsonObject, SwarmModels } from '../swarm-models.port.js';
import { type Verifier } from './pair-choice.js';
import { digestOf, speculativeEngine, type SpeculativeModelFile } from './speculative.engine.js';
import { type SpeculativeReport } from './speculative-report.js';
import { differenceOf, statedSpeculation } from './upstream-speculation.js';

/** How texts ended that came of a verifier. */
export interface SourceEnd {
  readonly usage: Usage;
  readonly finishReason: 'stop' | 'length';
  readonly measured: Pick<
    SpeculativeReport,
    'counts' | 'source' | 'speedup' | 'comparedRequests'
  > | null;
}

export interface TextSource {
  readonly rig: string;
  readonly attempts: number;
  /** Also returns what was used when the signal aborts. */
  readonly texts: AsyncGenerator<string, SourceEnd, void>;
}

type Pair = Extract<Verifier, { kind: 'pair' }>;

/** Texts of a pair, which runs as a task, or of an upstream. */
@Injectable()
export class SpeculativeSource {
  constructor(
    private readonly tasks: Tasks,
    private readonly models: SwarmModels,
  ) {}

  ofPair(
    pair: Pair,
    asked: ChatAsked & { readonly maxTokens: number },
    draftTokensMax: number,
    signal: AbortSignal,
  ): TextSource {
    return { rig: pair.rig, attempts: 1, texts: this.#run(pair, asked, draftTokensMax, signal) };
  }

  /** @throws the errors of inference before the first page */
  async ofUpstream(body: JsonObject, rig: string, signal: AbortSignal): Promise<TextSource> {
    const before = await this.models.speculationOf(rig);
    // Only then the last chunk has the usage, and with it the figures of a vLLM.
    const sent = { ...body, stream_options: { include_usage: true } };
    const { pages, rig: answering, attempts } = await this.models.stream(sent, signal);
    const counters = answering === rig ? before : null;
    const difference = async () =>
      differenceOf(counters, counters && (await this.models.speculationOf(rig)));
    return { rig: answering, attempts, texts: readPages(pages, difference) };
  }

  async *#run(
    { targetFile, draftFile }: Pair,
    { messages, maxTokens, temperature, topP, seed, stop }: Parameters<this['ofPair']>[1],
    draftTokensMax: number,
    signal: AbortSignal,
  ): AsyncGenerator<string, SourceEnd, void> {
    let usage: Usage = { promptTokens: 0, completionTokens: 0, source: 'provider' };
    try {
      const task = {
        target: await this.#named(targetFile),
        draft: await this.#named(draftFile),
        messages,
        maxTokens,
        temperature,
        draftTokensMax,
        ...(topP !== null && { topP }),
        ...(seed !== null && { seed }),
        ...(stop.length > 0 && { stop }),
      };
      const pieces = this.tasks.run(speculativeEngine, task, signal);
      let next = await pieces.next();
      for (; !next.done; next = await pieces.next()) {
        const [text, completionTokens, promptTokens = usage.promptTokens] = next.value;
        usage = { ...usage, completionTokens, promptTokens };
        yield text;
      }
      if (next.value === null) return { usage, finishReason: 'stop', measured: null };
      const { promptTokens, completionTokens, finishReason, counts, comparison } = next.value;
      const measured = {
        counts: counts && {
          draftTokens: counts.draftTokens,
          acceptedTokens: counts.acceptedTokens,
          targetCalls: counts.targetCalls,
          plainCalls: counts.plainCalls,
        },
        source: counts && ('engine' as const),
        speedup: comparison?.speedup ?? null,
        comparedRequests: comparison?.requests ?? 0,
      };
      return { usage: { ...usage, promptTokens, completionTokens }, finishReason, measured };
    } catch (error) {
      throw meaningOf(error);
    }
  }

  /** Another machine has the model at another path. */
  async #named(path: string): Promise<SpeculativeModelFile> {
    return this.tasks.seesLocalFiles ? { path } : { sha256: await digestOf(path) };
  }
}

/** The texts of chunks in OpenAI's shape, and the figures that one of them may have. */
async function* readPages(
  pages: AsyncGenerator<readonly JsonObject[], Usage, void>,
  difference: () => Promise<ReturnType<typeof differenceOf>>,
): AsyncGenerator<string, SourceEnd, void> {
  let stated: ReturnType<typeof statedSpeculation> = null;
  let finishReason: SourceEnd['finishReason'] = 'stop';
  let next = await pages.next();
  for (; !next.done; next = await pages.next()) {
    for (const chunk of next.value) {
      stated = statedSpeculation(chunk) ?? stated;
      const { text, finish } = choiceOf(chunk);
      if (finish === 'length') finishReason = finish;
      if (text !== '') yield text;
    }
  }
  const found = stated ?? (await difference());
  const measured = found && { ...found, speedup: null, comparedRequests: 0 };
  return { usage: next.value, finishReason, measured };
}

const MESSAGES: Readonly<Record<TaskOutage, string>> = {
  busy: 'the pairs of models are busy; try again',
  away: 'no process can run this pair of models now; try again',
  failed: 'the pair of models did not finish',
};
/** Of the engine: another worker may have the models. */
const AWAY = ['crashed', 'model_file_missing'];

const meaningOf = (error: unknown): unknown => {
  if (!(error instanceof TaskError)) return error;
  const { code, message } = error;
  switch (code) {
    case 'vocabulary_mismatch':
      return asRejection(() => reject('draft_model_unsuitable', message));
    case 'prompt_too_long':
      return asRejection(() => reject('swarm_context_exceeded', message));
    case 'task_too_large':
      return asRejection(() =>
        reject('swarm_context_exceeded', 'the messages are too large for a message to a worker'),
      );
    default: {
      const outage = outageOf(error, AWAY);
      return new SwarmRunError(outage, MESSAGES[outage], { cause: error });
    }
  }
};

const asRejection = (rejecting: () => never): unknown => {
  try {
    return rejecting();
  } catch (error) {
    return error;
  }
};
