import { randomUUID } from 'node:crypto';
import { Template } from '@huggingface/jinja';
import { type ChatMessage } from '../../language-model/language-model.protocol.js';
import { ModelFailedError } from '../../language-model/language-model.engine.errors.js';
import { unsupported } from '../llama-layers.errors.js';
import { type LlamaHeader } from '../model/llama.header.js';
import { type TextPart } from './tokenizer.js';

/** Renders messages with the chat template of the file. */
export class ChatPrompt {
  readonly #template: Template;
  readonly #tokens: { readonly bos_token: string; readonly eos_token: string };

  /** @throws LayersError `model_unsupported` for a file without a template */
  constructor({ metadata }: LlamaHeader) {
    const source = metadata.get('tokenizer.chat_template');
    this.#template = new Template(
      typeof source === 'string' ? source : unsupported('it has no tokenizer.chat_template'),
    );
    const tokens = metadata.get('tokenizer.ggml.tokens');
    const spelled = (key: string): string => {
      const id = metadata.get(`tokenizer.ggml.${key}`);
      const token: unknown = Array.isArray(tokens) && typeof id === 'number' ? tokens[id] : '';
      return typeof token === 'string' ? token : '';
    };
    this.#tokens = { bos_token: spelled('bos_token_id'), eos_token: spelled('eos_token_id') };
  }

  /**
   * The template writes marks in place of the messages, so that what a message spells cannot be
   * taken for the template's.
   * @param opensAnswer whether it ends where the assistant begins to answer
   * @throws ModelFailedError when the template refuses the messages
   */
  render(messages: readonly ChatMessage[], opensAnswer = true): readonly TextPart[] {
    const nonce = randomUUID();
    const marked = messages.map(({ role }, at) => ({ role, content: `[${nonce}-${at}]` }));
    const rendered = this.#write(marked, opensAnswer);
    return rendered
      .split(new RegExp(`\\[${nonce}-(\\d+)\\]`))
      .map((text, at) =>
        at % 2 === 0
          ? { text, isTemplate: true }
          : { text: messages[Number(text)]?.content ?? '', isTemplate: false },
      );
  }

  #write(messages: readonly ChatMessage[], opensAnswer: boolean): string {
    try {
      return this.#template.render({
        ...this.#tokens,
        messages,
        add_generation_prompt: opensAnswer,
      });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ModelFailedError(`its chat template refuses the messages: ${reason}`);
    }
  }
}
