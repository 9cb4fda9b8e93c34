/** Texts in the JSON of requests and answers. */

type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Fields of a body that choose who answers, and no prompt. */
const CHOICES: ReadonlySet<string> = new Set([
  ...['model', 'models', 'provider', 'adapter', 'routing_mode', 'cleanroom_uuid'],
]);

/** Names and references of a message, part or call; another value of them has another meaning. */
const REFERENCES: ReadonlySet<string> = new Set([
  ...['type', 'role', 'id', 'object', 'model', 'finish_reason', 'status'],
  ...['tool_call_id', 'tool_use_id', 'call_id', 'item_id', 'file_id'],
  ...['signature', 'encrypted_content', 'media_type', 'format'],
]);

/** An object of the interface, and not of the arguments of a tool. */
const isOfInterface = ({ type, role, object }: JsonObject): boolean =>
  [type, role, object].some((value) => typeof value === 'string');

/** Bytes in text: pictures, audio, files and what only their provider can read. */
const isBytes = (name: string, text: string, { media_type, format, type }: JsonObject): boolean =>
  text.startsWith('data:') ||
  (name === 'data' &&
    (media_type !== undefined || format !== undefined || type === 'redacted_thinking'));

/** A provider rejects signed reasoning that was changed. */
const isSigned = (name: string, { signature }: JsonObject): boolean =>
  name === 'thinking' && typeof signature === 'string';

const isText = (name: string, text: string, parent: JsonObject): boolean =>
  !(isOfInterface(parent) && REFERENCES.has(name)) &&
  !isBytes(name, text, parent) &&
  !isSigned(name, parent);

type Change = (text: string) => string;

const changed = (value: unknown, change: Change, name: string, parent: JsonObject): unknown => {
  if (typeof value === 'string') return isText(name, value, parent) ? change(value) : value;
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    const next = list.map((one) => changed(one, change, name, parent));
    return next.some((one, n) => one !== list[n]) ? next : value;
  }
  return isObject(value) ? changedFields(value, change) : value;
};

/**
 * The same object where no text is changed.
 * @param isLeft whether a field stays as it is
 */
const changedFields = <Fields extends JsonObject>(
  fields: Fields,
  change: Change,
  isLeft: (name: string) => boolean = () => false,
): Fields => {
  const next: Record<string, unknown> = {};
  let isChanged = false;
  for (const [name, value] of Object.entries(fields)) {
    next[name] = isLeft(name) ? value : changed(value, change, name, fields);
    isChanged ||= next[name] !== value;
  }
  // A text is changed to a text.
  return isChanged ? (next as Fields) : fields;
};

/** A body of a request with changed texts; the same where none is. */
export const withTexts = <Body extends JsonObject>(body: Body, change: Change): Body =>
  changedFields(body, change, (name) => CHOICES.has(name));

/** A part of an answer, such as a message; the same where none is changed. */
export const withAnswerTexts = <Part extends JsonObject>(part: Part, change: Change): Part =>
  changedFields(part, change);

/** The texts of a body, each once. */
export const textsOf = (body: JsonObject, into: Set<string>): void => {
  withTexts(body, (text) => {
    if (text !== '') into.add(text);
    return text;
  });
};
