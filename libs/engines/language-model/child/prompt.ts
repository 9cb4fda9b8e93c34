import {
  type ChatHistoryItem,
  type ChatModelFunctions,
  type LlamaModel,
  type LlamaText,
  type resolveChatWrapper,
  SpecialToken,
  SpecialTokensText,
  type Token,
} from 'node-llama-cpp';
import { ownPrompt } from '#engines/language-model/child/own-template.js';
import type { ChatMessage, Tools } from '#engines/language-model/language-model.protocol.js';

export type ChatWrapper = NonNullable<ReturnType<typeof resolveChatWrapper>>;

export interface Prompt {
  readonly ids: Token[];
  readonly stopTokens: ReadonlySet<Token>;
  /** Plain texts that end the model's turn. */
  readonly stopTexts: readonly string[];
}

/**
 * Messages as the model's own chat template writes them, with the assistant's turn opened. The
 * syntax of tools and calls is the one that node-llama-cpp knows.
 */
export const renderPrompt = (
  model: LlamaModel,
  wrapper: ChatWrapper,
  messages: readonly ChatMessage[],
  tools: Tools | undefined,
): Prompt => {
  const state = wrapper.generateContextState({
    chatHistory: historyOf(messages),
    ...(tools && { availableFunctions: functionsOf(tools), documentFunctionParams: true }),
  });
  const stopTokens = new Set<Token>();
  const stopTexts: string[] = [];
  for (const trigger of state.stopGenerationTriggers) {
    const ids = trigger.tokenize(model.tokenizer);
    const [first] = ids;
    if (ids.length === 1 && first !== undefined && isControl(trigger)) stopTokens.add(first);
    else if (!trigger.values.some((value) => value instanceof SpecialToken)) {
      stopTexts.push(trigger.toString());
    }
  }
  const isPlain = !tools && messages.every(({ calls = [] }) => calls.length === 0);
  const own = isPlain ? ownPrompt(model, messages) : null;
  return { ids: own ?? idsOf(model, state.contextText), stopTokens, stopTexts };
};

/** Wrappers always write a first token; whether the model was trained with one, its file says. */
const idsOf = (model: LlamaModel, text: LlamaText): Token[] => {
  const ids = text.tokenize(model.tokenizer);
  if (!model.tokens.shouldPrependBosToken && ids[0] === model.tokens.bos) ids.shift();
  return ids;
};

/** An answer continues the turn of a call whose result has come, and opens a turn otherwise. */
const historyOf = (messages: readonly ChatMessage[]): ChatHistoryItem[] => {
  const history: ChatHistoryItem[] = [];
  let isCalling = false;
  for (const message of [...messages, OPENED]) {
    const item = historyItem(message);
    const turn = history.at(-1);
    if (isCalling && turn?.type === 'model' && item.type === 'model') {
      turn.response.push(...item.response);
    } else history.push(item);
    isCalling = (message.calls ?? []).length > 0;
  }
  return history;
};

/** The message that the model continues. */
const OPENED: ChatMessage = { role: 'assistant', content: '' };

const historyItem = ({ role, content, calls = [] }: ChatMessage): ChatHistoryItem => {
  switch (role) {
    case 'system':
      return { type: 'system', text: content };
    case 'user':
      return { type: 'user', text: content };
    case 'assistant': {
      const said = content === '' ? [] : [content];
      const called = calls.map(({ name, arguments: params, result }) => ({
        type: 'functionCall' as const,
        name,
        params,
        result,
      }));
      return { type: 'model', response: [...said, ...called] };
    }
  }
};

const functionsOf = ({ functions }: Tools): ChatModelFunctions =>
  Object.fromEntries(
    functions.map(({ name, description, parameters }) => [
      name,
      { ...(description !== undefined && { description }), params: parameters },
    ]),
  ) as unknown as ChatModelFunctions;

const isControl = ({ values }: LlamaText): boolean =>
  values.some((value) => value instanceof SpecialToken || value instanceof SpecialTokensText);
