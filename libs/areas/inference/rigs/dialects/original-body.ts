import { type CallerDialect } from '#platform/chats/chat-order.js';
import { type FieldChanges, fieldIn, withFields } from '#platform/kernel/json-fields.js';
import { type ChatChunk, type ChatRequest, type JsonObject } from '../chat-backend.js';
import { keepOriginal, sourceOf } from '../json-source.js';
import { type EventReader, type StreamPiece } from './dialect.js';

type Original = NonNullable<ChatRequest['original']>;

/** The caller's own request, if it is of this dialect. */
export const originalIn = (
  { original }: Pick<ChatRequest, 'original'>,
  dialect: CallerDialect,
): Original | undefined => (original?.dialect === dialect ? original : undefined);

/** Fields of Quipu that no provider knows. */
const OWN_FIELDS: FieldChanges = {
  routing_mode: undefined,
  cleanroom_uuid: undefined,
  timesteps: undefined,
  adapter: undefined,
  provider: undefined,
  models: undefined,
};

/** The caller's bytes, with these fields changed and Quipu's own fields removed. */
export const originalBody = ({ bytes }: Original, changes: FieldChanges): Buffer =>
  withFields(bytes, { ...OWN_FIELDS, ...changes });

/**
 * The fields in which a body for a rig differs from the body that it was made from.
 * @param set fields that replace fields of the body for the rig
 */
export const changesBetween = (
  before: JsonObject,
  after: JsonObject,
  set: JsonObject,
): FieldChanges => {
  const changes: Record<string, string | undefined> = {};
  for (const field in before) {
    if (!Object.hasOwn(after, field) && !Object.hasOwn(set, field)) changes[field] = undefined;
  }
  for (const field in after) {
    if (!Object.hasOwn(set, field)) addChange(changes, field, before[field], after[field]);
  }
  for (const field in set) addChange(changes, field, before[field], set[field]);
  return changes;
};

const addChange = (
  changes: Record<string, string | undefined>,
  field: string,
  before: unknown,
  after: unknown,
): void => {
  if (after === before) return;
  // An absent `stream` says the same.
  if (after === false && (before ?? null) === null) return;
  changes[field] = after === undefined ? undefined : JSON.stringify(after);
};

/** JSON with the name of the model that the caller asked for, at the top or below one field. */
const renamed = (json: Buffer, model: unknown, below: string | null): Buffer => {
  if (below === null) {
    return fieldIn(json, 'model') ? withFields(json, { model: JSON.stringify(model) }) : json;
  }
  const inner = fieldIn(json, below);
  if (inner?.[0] !== OPEN_BRACE) return json;
  return withFields(json, { [below]: renamed(inner, model, null).toString() });
};

const OPEN_BRACE = 0x7b;

const shownModel = ({ shownModel: shown, body }: Original): unknown => shown ?? body['model'];

/** A whole answer as the provider sent it, with the model that the caller asked for. */
export const originalAnswer = (
  request: ChatRequest,
  dialect: CallerDialect,
  answer: JsonObject,
): string | undefined => {
  const original = originalIn(request, dialect);
  const source = sourceOf(answer);
  if (!original || source === undefined) return undefined;
  return renamed(Buffer.from(source), shownModel(original), null).toString();
};

/**
 * Reads events as chunks of a chat, each with the event itself: one chunk for each event, even
 * for an event without a meaning in a chat.
 */
export class OriginalEvents implements EventReader {
  constructor(
    private readonly inner: EventReader,
    private readonly model: unknown,
    /** The field of an event that names the model within it. */
    private readonly below: string,
  ) {}

  read(data: string, name: string | undefined): StreamPiece | null {
    const piece = this.inner.read(data, name);
    if (!piece || piece.error) return piece;
    const chunk: ChatChunk = { choices: [], ...piece.chunks[0] };
    const named = data.includes('"model"')
      ? renamed(Buffer.from(data), this.model, this.below).toString()
      : data;
    const lines = named.split('\n').map((line) => `data: ${line}`);
    keepOriginal(chunk, [...(name === undefined ? [] : [`event: ${name}`]), ...lines].join('\n'));
    return { ...piece, chunks: [chunk] };
  }
}

/** A reader of a stream, which keeps the events of an original of this dialect. */
export const readerFor = (
  request: ChatRequest,
  dialect: CallerDialect,
  below: string,
  inner: EventReader,
): EventReader => {
  const original = originalIn(request, dialect);
  return original ? new OriginalEvents(inner, shownModel(original), below) : inner;
};
