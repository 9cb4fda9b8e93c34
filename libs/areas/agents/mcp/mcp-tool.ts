import {
  type CallToolResult,
  type JsonSchemaValidator,
  type jsonSchemaValidator,
  type Tool,
} from '@modelcontextprotocol/client';
import { ToolError } from '#platform/tools/tool.js';

/** A tool of a server, under the name that agents call it by. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Whether the server says that a repeated call changes nothing. */
  readonly isRepeatable: boolean;
  readonly definition: Tool;
}

/** Of JSON: more is not shown to a planner. */
export const RESULT_CHARACTERS_MAX = 256 * 1_024;
/** Where a server finds the id of a call: the same for every repeat of it. */
export const CALL_ID_META = 'quipu-call-id';

/** As models can call it. */
const NAME_CHARACTERS_MAX = 64;

/** The name of a tool in the characters that models can call. */
export const callableName = (name: string): string =>
  name.toLowerCase().replaceAll(/[^a-z0-9_]/g, '_');

/** None where the name is too long. */
export const toolOf = (prefix: string, definition: Tool): readonly McpTool[] => {
  const { name: theirs, description = '', inputSchema, annotations } = definition;
  const name = `${prefix}${callableName(theirs)}`;
  if (name.length > NAME_CHARACTERS_MAX) return [];
  const isRepeatable = annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
  return [{ name, description, parameters: inputSchema, isRepeatable, definition }];
};

/** A schema of a server is shown, and never compiled: it may be made to take for ever. */
export const UNCHECKED: jsonSchemaValidator = {
  getValidator:
    <Value>(): JsonSchemaValidator<Value> =>
    (data) => ({ valid: true, data: data as Value, errorMessage: undefined }),
};

/** @throws ToolError `mcp_tool_failed`, `mcp_result_too_large` */
export const outputOf = ({ content, structuredContent, isError }: CallToolResult, name: string) => {
  const texts = content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`));
  const text = texts.join('\n');
  if (isError) throw new ToolError('mcp_tool_failed', `${name}: ${text.slice(0, 1_000)}`);
  const output: unknown = structuredContent ?? { text };
  if (JSON.stringify(output).length > RESULT_CHARACTERS_MAX) {
    const detail = `${name} returned more than ${RESULT_CHARACTERS_MAX} characters`;
    throw new ToolError('mcp_result_too_large', detail);
  }
  return output;
};
