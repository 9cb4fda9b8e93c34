import { type DescribedPicture } from './pictures/picture-describer.port.js';
import { type JsonObject } from './rigs/chat-backend.js';
import { sourceOf } from './rigs/json-source.js';

/** Fields of a request in its answer: the model id that was asked for, and the routing mode. */
export interface Echo {
  readonly model: string;
  readonly routing_mode: string;
  /** Of pictures that were described for the model. */
  readonly described_images?: readonly DescribedPicture[] | undefined;
}

/**
 * An answer or a chunk as one line of JSON, with the echo in it. Where the rig sent such a line,
 * the line itself is changed in two places: writing the whole again costs several times as much.
 */
export const echoedJson = (answer: JsonObject, echo: Echo): string =>
  (echo.described_images ? null : changedLine(answer, echo)) ??
  JSON.stringify({ ...answer, ...echo });

const changedLine = (answer: JsonObject, { model, routing_mode: mode }: Echo): string | null => {
  const source = sourceOf(answer);
  if (source === undefined || 'routing_mode' in answer) return null;
  if (source.includes('\n') || source.includes('\r')) return null;
  const named = withModel(source, answer['model'], model);
  return named && `${named.slice(0, -1)},"routing_mode":${JSON.stringify(mode)}}`;
};

const NAME = '"model"';

/**
 * A quote inside a JSON string is escaped, so the text that is looked for can only be a field; the
 * only one with this value is the one that was parsed.
 */
const withModel = (source: string, sent: unknown, asked: string): string | null => {
  if (typeof sent !== 'string') return null;
  const name = source.indexOf(NAME);
  if (name < 0) return null;
  const at = name + NAME.length;
  const value = `:${JSON.stringify(sent)}`;
  if (!source.startsWith(value, at) || source.includes(NAME, at)) return null;
  if (sent === asked) return source;
  return `${source.slice(0, at)}:${JSON.stringify(asked)}${source.slice(at + value.length)}`;
};
