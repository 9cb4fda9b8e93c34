/**
 * A chat template is a program, and the program of an unknown author may run for ever. So none of a
 * file is run: the file that is made has one of ours.
 */
import { CHAT_TEMPLATE } from '../training/files/gguf.js';
import { reject } from './model-import.errors.js';
import { type ChatTemplate } from './model-import.protocol.js';
import { type ReadModel } from './read-model.js';

const TEMPLATES: Readonly<Record<ChatTemplate, string>> = {
  chatml: CHAT_TEMPLATE,
  plain: "{% for message in messages %}{{ message['content'] + '\\n' }}{% endfor %}",
};

const MARKS = ['<|im_start|>', '<|im_end|>'];
const CONTROL = 3;

export const textOf = (template: ChatTemplate): string => TEMPLATES[template];

/** @throws ModelImportError `unsupported` for a template of another kind */
export const chatTemplateOf = (asked: ChatTemplate | null, model: ReadModel): ChatTemplate => {
  const { tokens, types } = model.vocabulary;
  const hasMarks = MARKS.every((mark) => types[tokens.indexOf(mark)] === CONTROL);
  if (asked === 'chatml' && !hasMarks) {
    const detail = `card.chat_template: chatml needs the control tokens ${MARKS.join(' and ')}`;
    return reject('unsupported', detail);
  }
  return asked ?? ownTemplate(model) ?? (hasMarks ? 'chatml' : 'plain');
};

const ownTemplate = ({ template }: ReadModel): ChatTemplate | null => {
  if (template === null) return null;
  const known = (['chatml', 'plain'] as const).find(
    (one) => spacesOut(TEMPLATES[one]) === spacesOut(template),
  );
  const names = 'name chatml or plain in card.chat_template';
  return known ?? reject('unsupported', `its chat template is no known one; ${names}`);
};

/** Templates are written with more and less space, and with either kind of quotes. */
const spacesOut = (template: string): string =>
  template
    .replaceAll(/\s+/g, '')
    .replaceAll('"', "'")
    .replaceAll('{%-', '{%')
    .replaceAll('-%}', '%}');
