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
import type { ChatMessage, Tools } from '#engines/language-model/language-model.protocol.js';

export type ChatWrapper = NonNullable<ReturnType<typeof resolveChatWrapper>>;

export interface Prompt {
  readonly ids: Token[];
  readonly stopTokens: ReadonlySet<Token>;
  /** Plain texts that end the model's turn. */
  readonly stopTexts: readonly string[];
}

/** Messages as the model's own chat template writes them, with the assistant's turn opened. */
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
  const ids = state.contextText.tokenize(model.tokenizer);
  // Wrappers always write a first token; whether the model was trained with one, its file says.
  if (!model.tokens.shouldPrependBosToken && ids[0] === model.tokens.bos) ids.shift();
  return { ids, stopTokens, stopTexts };
};

/** The answer continues the turn of a call whose result has come, and opens a turn otherwise. */
const historyOf = (messages: readonly ChatMessage[]): ChatHistoryItem[] => {
  const history = messages.map(historyItem);
  const isAnswered = (messages.at(-1)?.calls ?? []).length > 0;
  return isAnswered ? history : [...history, { type: 'model', response: [] }];
};

const historyItem = ({ role, content, calls = [] }: ChatMessage): ChatHistoryItem => {
  switch (role) {
    case 'system':
      return { type: 'system', text: content };
    case 'user':
      return { type: 'user', text: content };
    case 'assistant': {
      const said = content === '' && calls.length > 0 ? [] : [content];
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
