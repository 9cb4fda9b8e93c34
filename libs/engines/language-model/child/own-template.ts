import { Template } from '@huggingface/jinja';
import { LlamaText, type LlamaModel, SpecialTokensText, type Token } from 'node-llama-cpp';
import type { ChatMessage } from '#engines/language-model/language-model.protocol.js';

/**
 * Encloses the number of a message as a placeholder of its content: no text of a template has it.
 */
const MARK = '\uE0A7\uE0A8';
const MARKS = /\uE0A7\uE0A8(\d+)\uE0A7\uE0A8/u;

type Render = (messages: readonly Pick<ChatMessage, 'role' | 'content'>[]) => string;

/** The templates of loaded models; null for a model without one that can be read. */
const renders = new WeakMap<LlamaModel, Render | null>();

const renderOf = (model: LlamaModel): Render | null => {
  const known = renders.get(model);
  if (known !== undefined) return known;
  const made = newRender(model);
  renders.set(model, made);
  return made;
};

const newRender = ({ fileInfo, tokens }: LlamaModel): Render | null => {
  const source: unknown = fileInfo.metadata.tokenizer.chat_template;
  if (typeof source !== 'string') return null;
  try {
    const template = new Template(source);
    // The first token is not part of the text: the file of the model says whether it has one.
    const fixed = { bos_token: '', eos_token: tokens.eosString ?? '', add_generation_prompt: true };
    return (messages) => template.render({ messages, ...fixed });
  } catch {
    return null;
  }
};

/**
 * Messages without calls, as the Jinja of the model itself writes them. Only the text of the
 * template has control tokens: what a message spells is text.
 * @returns null where the model has no template, or one that rejects the messages or changes what
 *   they say in another way than by trimming it
 */
export const ownPrompt = (model: LlamaModel, messages: readonly ChatMessage[]): Token[] | null => {
  const render = renderOf(model);
  if (!render) return null;
  try {
    const said = messages.map(({ role, content }) => ({ role, content }));
    const marked = render(said.map((one, n) => ({ ...one, content: `${MARK}${n}${MARK}` })));
    const pieces = marked.split(MARKS);
    const text = render(said);
    for (const trims of [false, true]) {
      const contents = said.map(({ content }) => (trims ? content.trim() : content));
      const filled = pieces.map((piece, n) =>
        n % 2 === 0 ? piece : (contents[Number(piece)] ?? ''),
      );
      if (filled.join('') === text) return idsOf(model, filled);
    }
    return null;
  } catch {
    return null;
  }
};

/** @param pieces texts of the template and of messages in turn */
const idsOf = (model: LlamaModel, pieces: readonly string[]): Token[] => {
  const text = LlamaText(pieces.map((one, n) => (n % 2 === 0 ? new SpecialTokensText(one) : one)));
  const ids = text.tokenize(model.tokenizer);
  const { bos, shouldPrependBosToken } = model.tokens;
  return shouldPrependBosToken && bos !== null ? [bos, ...ids] : ids;
};
