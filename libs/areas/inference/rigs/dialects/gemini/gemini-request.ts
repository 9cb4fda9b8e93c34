import { always } from '#platform/chats/honoured-fields.js';
import { type JsonObject } from '../../chat-backend.js';
import { rejectedField } from '../../field-rejection.js';
import {
  checkFields,
  functionsOf,
  limitOf,
  numberOf,
  outputFormatOf,
  present,
  reasoningWishOf,
  stopOf,
  type ToolChoice,
  toolChoiceOf,
} from '../chat/chat-fields.js';
import { type Call, conversationOf, type Part, type Result, type Turn } from '../chat/turns.js';

/** Fields of a chat that Gemini has beside the fields of every provider. */
const HONOURED = {
  top_k: always,
  presence_penalty: always,
  frequency_penalty: always,
  logprobs: always,
  top_logprobs: always,
  web_search_options: always,
};

const CANDIDATES_MAX = 8;
const STOPS_MAX = 5;
const SEED_MAX = 2 ** 31 - 1;

/** Ids that are made here, where Gemini gives a call none. */
export const MADE_ID = 'call_quipu_';

/** Google's documented value for a call without its signature, such as a call of another model. */
const NO_SIGNATURE = 'skip_thought_signature_validator';

/** Models before Gemini 3 think by a budget, and verify no signatures. */
const isOld = (model: string): boolean => /^gemini-[12][.-]/.test(model);

/** The body of `generateContent`. @throws RigError `refused` that names the untranslatable part */
export const geminiBody = (body: JsonObject): JsonObject => {
  checkFields(body, HONOURED);
  const model = String(body['model']);
  const { instructions, turns } = conversationOf(body['messages']);
  const functions = functionsOf(body);
  const tools = [
    ...(functions.length > 0 ? [{ functionDeclarations: functions.map(declarationOf) }] : []),
    ...((body['web_search_options'] ?? null) === null ? [] : [{ googleSearch: {} }]),
  ];
  const isStrict = functions.some((tool) => tool.isStrict);
  return present({
    contents: turns.map((turn) => contentOf(turn, model)),
    systemInstruction:
      instructions.length === 0 ? undefined : { parts: instructions.map(({ text }) => ({ text })) },
    tools: tools.length === 0 ? undefined : tools,
    toolConfig: callingOf(toolChoiceOf(body), isStrict),
    generationConfig: configOf(body, model),
  });
};

const declarationOf = ({ name, description, schema }: ReturnType<typeof functionsOf>[number]) =>
  present({ name, description, parametersJsonSchema: schema });

/** Gemini keeps arguments to their schema in the mode `VALIDATED`. */
const callingOf = (choice: ToolChoice | undefined, isStrict: boolean): JsonObject | undefined => {
  switch (choice?.mode) {
    case undefined:
    case 'auto':
      return isStrict ? { functionCallingConfig: { mode: 'VALIDATED' } } : undefined;
    case 'none':
      return { functionCallingConfig: { mode: 'NONE' } };
    case 'required':
      return { functionCallingConfig: { mode: 'ANY' } };
    case 'named':
      return { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: [choice.name] } };
  }
};

const configOf = (body: JsonObject, model: string): JsonObject => {
  const format = outputFormatOf(body);
  return present({
    maxOutputTokens: limitOf(body),
    temperature: body['temperature'] ?? undefined,
    topP: body['top_p'] ?? undefined,
    topK: body['top_k'] ?? undefined,
    candidateCount: numberOf(body, 'n', CANDIDATES_MAX),
    stopSequences: stopOf(body, STOPS_MAX),
    seed: numberOf(body, 'seed', SEED_MAX),
    presencePenalty: body['presence_penalty'] ?? undefined,
    frequencyPenalty: body['frequency_penalty'] ?? undefined,
    ...logprobsOf(body),
    responseMimeType: format.type === 'text' ? undefined : 'application/json',
    responseJsonSchema: format.type === 'json_schema' ? format.schema : undefined,
    thinkingConfig: thinkingOf(body, model),
  });
};

const TOP_LOGPROBS_MAX = 20;

const logprobsOf = (body: JsonObject): JsonObject => {
  const most = numberOf(body, 'top_logprobs', TOP_LOGPROBS_MAX);
  if (body['logprobs'] !== true) return {};
  return { responseLogprobs: true, ...(most !== undefined && { logprobs: most }) };
};

const LEVELS: readonly string[] = ['minimal', 'low', 'medium', 'high'];

/** The budgets that Google's own translation of the efforts has. */
const BUDGETS: Readonly<Record<string, number>> = {
  none: 0,
  minimal: 1_024,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
};

const thinkingOf = (body: JsonObject, model: string): JsonObject | undefined => {
  const wish = reasoningWishOf(body);
  if (!wish) return undefined;
  const { effort, tokensMax, isShown } = wish;
  const includeThoughts = isShown && effort !== 'none';
  if (tokensMax !== undefined) return { includeThoughts, thinkingBudget: tokensMax };
  if (effort === undefined) return { includeThoughts };
  const known = isOld(model) ? Object.keys(BUDGETS) : LEVELS;
  if (!known.includes(effort)) {
    const why = `${model} knows ${known.join(', ')}`;
    throw rejectedField('reasoning_effort', 'unsupported_value', why);
  }
  return isOld(model)
    ? { includeThoughts, thinkingBudget: BUDGETS[effort] }
    : { includeThoughts, thinkingLevel: effort.toUpperCase() };
};

const contentOf = (turn: Turn, model: string): JsonObject =>
  turn.role === 'user'
    ? { role: 'user', parts: turn.parts.map(partOf) }
    : { role: 'model', parts: signedParts(turn, model) };

const partOf = (part: Part): JsonObject => {
  switch (part.type) {
    case 'text':
      return { text: part.text };
    case 'media':
      return { inlineData: { mimeType: part.mimeType, data: part.data } };
    case 'call':
      return { functionCall: { ...idOf(part), name: part.name, args: part.input } };
    case 'result':
      return { functionResponse: { ...idOf(part), name: part.name, response: responseOf(part) } };
  }
};

const idOf = ({ id }: Call | Result): JsonObject => (id.startsWith(MADE_ID) ? {} : { id });

/** An object, as Gemini wants one: that of the tool, or its text. */
const responseOf = ({ parts, id }: Result): JsonObject => {
  const texts = parts.map((part) => {
    if (part.type === 'text') return part.text;
    throw rejectedField(part.at, 'unsupported_value', `the result of ${id} must be a text`);
  });
  const output = texts.join('\n');
  try {
    const parsed: unknown = JSON.parse(output);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) {
      return parsed as JsonObject;
    }
  } catch {
    // A text that is no JSON is the output as it is.
  }
  return { output };
};

/**
 * The parts of a model's turn with their signatures. Of parallel calls only the first has one,
 * which newer models want in every turn that is not over yet.
 */
const signedParts = ({ parts }: Turn, model: string): readonly JsonObject[] => {
  const firstCall = parts.find(({ type }) => type === 'call');
  return parts.map((part) => {
    const needed = part === firstCall && !isOld(model) ? NO_SIGNATURE : undefined;
    const signature = 'signature' in part ? part.signature : needed;
    return { ...partOf(part), ...(signature !== undefined && { thoughtSignature: signature }) };
  });
};
