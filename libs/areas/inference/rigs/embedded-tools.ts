import { type JsonObject } from './chat-backend.js';
import { rejection } from './field-rejection.js';
import { type TextTools } from './text-request.js';
import { grammarSchemaOf } from './json-grammar.js';
import { isObject } from './token-usage.js';

/** As many as the OpenAI API takes. */
const TOOLS_MAX = 128;
const NAME = /^[\w-]{1,64}$/;
/** A function without parameters is called with an empty object. */
const NO_PARAMETERS: JsonObject = { type: 'object', properties: {} };

type ToolFunction = TextTools['functions'][number];

/**
 * The tools that the model may call, or must; undefined for none.
 * @throws RigError refused, with the field that names what it cannot honour
 */
export const toolsOf = (rig: string, body: JsonObject): TextTools | undefined => {
  const { tools: listed, tool_choice: choice } = body;
  const tools = listed ?? [];
  if (!Array.isArray(tools)) throw rejection(rig, 'tools', 'invalid_type', 'it must be a list');
  if (tools.length > TOOLS_MAX) {
    throw rejection(rig, 'tools', 'invalid_value', `it has more than ${TOOLS_MAX} tools`);
  }
  const functions = tools.map((tool: unknown, index) => functionOf(rig, tool, `tools[${index}]`));
  const repeated = functions.findIndex(
    ({ name }, index) => functions.findIndex((one) => one.name === name) < index,
  );
  if (repeated !== -1) {
    const why = 'another tool has this name';
    throw rejection(rig, `tools[${repeated}].function.name`, 'invalid_value', why);
  }
  return chosen(rig, functions, choice ?? 'auto');
};

const chosen = (
  rig: string,
  functions: readonly ToolFunction[],
  choice: unknown,
): TextTools | undefined => {
  if (choice === 'none') return undefined;
  if (choice === 'auto') return functions.length === 0 ? undefined : { functions, choice };
  if (choice === 'required') {
    if (functions.length > 0) return { functions, choice };
    throw rejection(rig, 'tool_choice', 'invalid_value', 'there are no tools');
  }
  const name = isObject(choice) && isObject(choice['function']) ? choice['function']['name'] : null;
  if (typeof name !== 'string') {
    const why = 'it must be none, auto, required, or name a function';
    throw rejection(rig, 'tool_choice', 'unsupported_value', why);
  }
  const named = functions.filter((one) => one.name === name);
  if (named.length > 0) return { functions: named, choice: 'required' };
  throw rejection(rig, 'tool_choice', 'invalid_value', 'it names no function of tools');
};

const functionOf = (rig: string, tool: unknown, param: string): ToolFunction => {
  const { type, function: declared } = isObject(tool) ? tool : ({} as JsonObject);
  if (type !== 'function' || !isObject(declared)) {
    throw rejection(rig, `${param}.type`, 'unsupported_value', 'this model calls functions only');
  }
  const { name, description, parameters } = declared;
  if (typeof name !== 'string' || !NAME.test(name)) {
    const why = 'it must have 1 to 64 letters, digits, underscores and dashes';
    throw rejection(rig, `${param}.function.name`, 'invalid_value', why);
  }
  const described = typeof description === 'string' && { description };
  return { name, ...described, parameters: argumentsOf(rig, parameters, `${param}.function`) };
};

const argumentsOf = (rig: string, parameters: unknown, param: string): JsonObject => {
  if (parameters === undefined || parameters === null) return NO_PARAMETERS;
  const field = `${param}.parameters`;
  if (!isObject(parameters))
    throw rejection(rig, field, 'invalid_type', 'it must be a JSON Schema');
  if (Object.keys(parameters).length === 0) return NO_PARAMETERS;
  const read = grammarSchemaOf(parameters);
  if (!('schema' in read)) throw rejection(rig, field, 'unsupported_value', read.fault);
  if (read.schema['type'] === 'object') return read.schema;
  throw rejection(rig, field, 'unsupported_value', 'it must be of the type object');
};
