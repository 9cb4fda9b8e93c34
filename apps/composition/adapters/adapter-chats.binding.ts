import {
  AdapterChats,
  type AdapterPrompt,
  type AdapterReply,
} from '#areas/adapters/adapter-chats.port.js';
import { type CompleteChatHandler } from '#areas/inference/complete-chat.handler.js';

/** Prompts with an adapter, as chats: with their rules, their rigs and their prices. */
export class GatewayChats extends AdapterChats {
  /** @param chats absent in a process without the area */
  constructor(private readonly chats: Pick<CompleteChatHandler, 'execute'> | undefined) {
    super();
  }

  async complete(asked: AdapterPrompt, signal: AbortSignal): Promise<AdapterReply> {
    if (!this.chats) throw new Error('this process has no chats');
    const { model, adapterId, prompt, system, maxTokens, temperature, seed, ...request } = asked;
    const instructions = system === null ? [] : [{ role: 'system', content: system }];
    const body = {
      model,
      messages: [...instructions, { role: 'user', content: prompt }],
      adapter: adapterId,
      max_tokens: maxTokens,
      temperature,
      seed,
    };
    const order = { ...request, body, routingMode: 'auto' };
    const { text, usage, entry, pace } = await this.chats.execute(order, signal);
    const { promptTokens, completionTokens } = usage;
    return { ...replyIn(text), promptTokens, completionTokens, entry, ...(pace && { pace }) };
  }
}

/** An embedded rig answers in this shape. */
interface Completion {
  readonly choices: readonly [
    { readonly message: { readonly content: string }; readonly finish_reason: string },
  ];
  readonly adapter_swap_ms?: number | null;
}

const replyIn = (json: string): Pick<AdapterReply, 'text' | 'finishReason' | 'swapMs'> => {
  const { choices, adapter_swap_ms: swapMs = null } = JSON.parse(json) as Completion;
  const [{ message, finish_reason: finishReason }] = choices;
  return { text: message.content, finishReason, swapMs };
};
