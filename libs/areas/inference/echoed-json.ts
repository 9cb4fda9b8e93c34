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

/**
 * A quote inside a JSON string is escaped, so the text that is looked for can only be a field; the
 * only one with this value is the one that was parsed.
 */
const withModel = (source: string, sent: unknown, asked: string): string | null => {
  if (typeof sent !== 'string') return null;
  const field = `"model":${JSON.stringify(sent)}`;
  const at = source.indexOf(field);
  if (at < 0 || source.includes('"model"', at + field.length)) return null;
  if (source.lastIndexOf('"model"', at - 1) >= 0) return null;
  if (sent === asked) return source;
  return `${source.slice(0, at)}"model":${JSON.stringify(asked)}${source.slice(at + field.length)}`;
};
