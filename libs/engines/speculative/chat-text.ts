/** Messages as tokens, and tokens as text. The child process loads it. */
import {
  SpecialToken,
  SpecialTokensText,
  type ChatHistoryItem,
  type LlamaModel,
  type LlamaText,
  type resolveChatWrapper,
  type Token,
} from 'node-llama-cpp';
import type { ChatMessage } from '../language-model/language-model.protocol.js';

/** A character of UTF-8 has at most four bytes, and every token holds at least one. */
const CHARACTER_TOKENS_MAX = 4;
/** Some tokenizers write a word differently after another; this many say which. */
const PRECEDING_TOKENS = 8;
const INCOMPLETE = '\uFFFD';

export type ChatWrapper = NonNullable<ReturnType<typeof resolveChatWrapper>>;

export interface Prompt {
  readonly ids: Token[];
  readonly stopTokens: ReadonlySet<number>;
  readonly stopTexts: readonly string[];
}

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

const isControl = ({ values }: LlamaText): boolean =>
  values.some((value) => value instanceof SpecialToken || value instanceof SpecialTokensText);

/** By the chat template of the model, with the answer's turn open. */
export const renderPrompt = (
  model: LlamaModel,
  wrapper: ChatWrapper,
  messages: readonly ChatMessage[],
): Prompt => {
  const opened: ChatHistoryItem = { type: 'model', response: [] };
  const chatHistory = [...messages.map(historyItem), opened];
  const { contextText, stopGenerationTriggers } = wrapper.generateContextState({ chatHistory });
  const stopTokens = new Set<number>();
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

/** Joins tokens into whole characters: one cut inside a character is held until it is complete. */
export class CharacterAssembler {
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
