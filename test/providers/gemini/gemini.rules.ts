/** What the API refuses in a request whose fields are all known. */
import { type Content, type GenerateRequest, type Part } from './gemini.schema.js';

/** Exactly one of these is the data of a part. */
const DATA = ['text', 'inlineData', 'fileData', 'functionCall', 'functionResponse'] as const;

const IMAGES = ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif'];
const MEDIA = /^(audio|video)\/|^application\/pdf$|^text\//;

export interface ModelRules {
  /** As models from Gemini 3 on: the first call of each step needs its signature. */
  readonly needsSignatures: boolean;
  /** The signatures that the fake has given out. */
  readonly signatures: ReadonlySet<string>;
}

/** The documented value for a conversation whose signatures are lost. */
const SKIPPED = 'skip_thought_signature_validator';

/** The message of the first violation, or null. */
export const violationOf = (request: GenerateRequest, rules: ModelRules): string | null =>
  contentsViolation(request.contents) ??
  turnsViolation(request.contents) ??
  toolsViolation(request) ??
  configViolation(request) ??
  signatureViolation(request.contents, rules);

const contentsViolation = (contents: readonly Content[]): string | null => {
  if (contents.length === 0) {
    return '* GenerateContentRequest.contents: contents is not specified\n';
  }
  for (const [n, { role, parts }] of contents.entries()) {
    if (role === undefined && contents.length > 1) {
      return 'Please use a valid role: user, model.';
    }
    const at = `GenerateContentRequest.contents[${n}].parts`;
    if (parts.length === 0) return `* ${at}: contents.parts must not be empty.\n`;
    for (const [m, part] of parts.entries()) {
      const present = DATA.filter((field) => part[field] !== undefined);
      if (present.length !== 1) {
        return `* ${at}[${m}].data: required oneof field 'data' must have one initialized field\n`;
      }
      const type = part.inlineData?.mimeType;
      if (type !== undefined && !IMAGES.includes(type) && !MEDIA.test(type)) {
        return `Unsupported MIME type: ${type}`;
      }
    }
  }
  return null;
};

const callsOf = ({ parts }: Content): readonly Part[] =>
  parts.filter(({ functionCall }) => functionCall !== undefined);
const responsesOf = ({ parts }: Content): readonly Part[] =>
  parts.filter(({ functionResponse }) => functionResponse !== undefined);

/** Calls follow a turn of the user, responses follow their calls, as many of them. */
const turnsViolation = (contents: readonly Content[]): string | null => {
  for (const [n, content] of contents.entries()) {
    const before = contents[n - 1];
    const calls = callsOf(content);
    const responses = responsesOf(content);
    if (calls.length > 0 && content.role !== 'model') return 'Function calls are of the model.';
    if (calls.length > 0 && before?.role !== 'user') {
      return (
        'Please ensure that function call turn comes immediately after a user turn or after a ' +
        'function response turn.'
      );
    }
    if (responses.length > 0 && (!before || callsOf(before).length === 0)) {
      return (
        'Please ensure that function response turn comes immediately after a function call ' +
        'turn.'
      );
    }
    const expected = before ? callsOf(before) : [];
    if (expected.length !== responses.length) {
      return (
        'Please ensure that the number of function response parts is equal to the number of ' +
        'function call parts of the function call turn.'
      );
    }
    const names = new Set(expected.map(({ functionCall }) => functionCall?.name));
    const foreign = responses.find(({ functionResponse }) => !names.has(functionResponse?.name));
    if (foreign) return `There is no call of the function ${foreign.functionResponse?.name}.`;
    if (responses.length > 0 && content.role !== 'user') return 'Responses are of the user.';
  }
  return contents.at(-1)?.role === 'model' && callsOf(contents.at(-1) as Content).length > 0
    ? 'Please ensure that the number of function response parts is equal to the number of ' +
        'function call parts of the function call turn.'
    : null;
};

const toolsViolation = ({ tools = [], toolConfig }: GenerateRequest): string | null => {
  const names = tools.flatMap(({ functionDeclarations = [] }) =>
    functionDeclarations.map(({ name }) => name),
  );
  if (new Set(names).size < names.length) return 'Duplicate function declaration found.';
  for (const tool of tools) {
    if (Object.keys(tool).length !== 1) return 'tools[0].tool_type: one type is required.';
    for (const declaration of tool.functionDeclarations ?? []) {
      const { parameters, parametersJsonSchema } = declaration;
      if (parameters !== undefined && parametersJsonSchema !== undefined) {
        return 'parameters and parameters_json_schema are mutually exclusive.';
      }
    }
  }
  const { mode = 'AUTO', allowedFunctionNames } = toolConfig?.functionCallingConfig ?? {};
  if (allowedFunctionNames && mode !== 'ANY' && mode !== 'VALIDATED') {
    return 'Function calling config: allowed_function_names is only for the mode ANY.';
  }
  if (mode === 'ANY' && names.length === 0) {
    return 'Function calling mode is ANY, but no function declarations are given.';
  }
  const unknown = allowedFunctionNames?.find((name) => !names.includes(name));
  return unknown === undefined ? null : `Function ${unknown} is not in function_declarations.`;
};

const configViolation = ({ generationConfig = {} }: GenerateRequest): string | null => {
  const { responseSchema, responseJsonSchema, responseMimeType, thinkingConfig } = generationConfig;
  if (responseSchema !== undefined && responseJsonSchema !== undefined) {
    return 'response_schema and response_json_schema are mutually exclusive.';
  }
  const hasSchema = responseSchema !== undefined || responseJsonSchema !== undefined;
  if (hasSchema && (responseMimeType ?? 'text/plain') === 'text/plain') {
    return 'Response schema is not supported with mime type: text/plain';
  }
  if (generationConfig.logprobs !== undefined && generationConfig.responseLogprobs !== true) {
    return 'logprobs needs response_logprobs.';
  }
  return thinkingConfig?.thinkingBudget !== undefined && thinkingConfig.thinkingLevel !== undefined
    ? 'You can only set only one of thinking budget and thinking level.'
    : null;
};

/** The current turn begins with the last content of the user that is no response. */
const signatureViolation = (contents: readonly Content[], rules: ModelRules): string | null => {
  const start = contents.findLastIndex(
    (content) => content.role === 'user' && responsesOf(content).length === 0,
  );
  for (const [n, content] of contents.entries()) {
    for (const { thoughtSignature: signature } of content.parts) {
      if (signature === undefined) continue;
      if (!rules.signatures.has(signature) && signature !== SKIPPED) {
        return 'Corrupted thought signature.';
      }
    }
    const [first] = callsOf(content);
    if (rules.needsSignatures && n > start && first && first.thoughtSignature === undefined) {
      return (
        'Function call is missing a thought_signature in functionCall parts. Additional data, ' +
        `function call \`default_api:${first.functionCall?.name}\` , position ${n}.`
      );
    }
  }
  return null;
};
