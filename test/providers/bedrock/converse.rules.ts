/** What Converse refuses in a request whose members are all known. */
import { type ContentBlock, type ConverseRequest, type Message } from './converse.schema.js';

const IMAGES_MAX = 20;

export interface ConverseRules {
  /** The signatures of reasoning that the fake has given out. */
  readonly signatures: ReadonlySet<string>;
}

/** The message of the first violation, or null. */
export const violationOf = (request: ConverseRequest, rules: ConverseRules): string | null =>
  rolesViolation(request.messages) ??
  blocksViolation(request.messages) ??
  resultsViolation(request.messages) ??
  toolsViolation(request) ??
  reasoningViolation(request, rules) ??
  outputViolation(request);

const rolesViolation = (messages: readonly Message[]): string | null => {
  if (messages[0]?.role !== 'user') {
    return (
      'A conversation must start with a user message. Try again with a conversation that starts ' +
      'with a user message.'
    );
  }
  return messages.every(({ role }, n) => role !== messages[n - 1]?.role)
    ? null
    : 'A conversation must alternate between user and assistant roles. Make sure the ' +
        'conversation alternates between user and assistant roles and try again.';
};

const blocksViolation = (messages: readonly Message[]): string | null => {
  for (const [n, { role, content }] of messages.entries()) {
    if (content.length === 0) {
      return `The content field in the Message object at messages.${n} is empty.`;
    }
    if (content.filter(({ image }) => image).length > IMAGES_MAX) return 'too many images';
    for (const [m, block] of content.entries()) {
      const at = `messages.${n}.content.${m}`;
      if (block.text !== undefined && block.text.trim() === '') {
        return (
          `The text field in the ContentBlock object at ${at} is blank. Add text to the text ` +
          'field, and try again.'
        );
      }
      if (role !== 'assistant' && (block.toolUse ?? block.reasoningContent)) {
        return `${at}: a user message cannot have this block`;
      }
      if (role !== 'user' && (block.toolResult ?? block.image)) {
        return `${at}: an assistant message cannot have this block`;
      }
    }
  }
  return null;
};

const usesOf = (message: Message | undefined): readonly string[] =>
  (message?.content ?? []).flatMap(({ toolUse }) => (toolUse ? [toolUse.toolUseId] : []));

const resultsViolation = (messages: readonly Message[]): string | null => {
  for (const [n, message] of messages.entries()) {
    const expected = usesOf(messages[n - 1]);
    const results = message.content.flatMap(({ toolResult }) =>
      toolResult ? [toolResult.toolUseId] : [],
    );
    if (results.length > expected.length) {
      return (
        `The number of toolResult blocks at messages.${n}.content exceeds the number of toolUse ` +
        'blocks of previous turn.'
      );
    }
    const missing = expected.filter((id) => !results.includes(id));
    if (missing.length > 0) {
      const ids = missing.join(', ');
      return `Expected toolResult blocks at messages.${n}.content for the following Ids: ${ids}`;
    }
  }
  const last = usesOf(messages.at(-1));
  return last.length === 0 ? null : `Expected toolResult blocks for the following Ids: ${last[0]}`;
};

const toolsViolation = ({ messages, toolConfig }: ConverseRequest): string | null => {
  const usesTools = messages.some(({ content }) =>
    content.some(({ toolUse, toolResult }) => toolUse ?? toolResult),
  );
  if (usesTools && !toolConfig) {
    return 'The toolConfig field must be defined when using toolUse and toolResult content blocks.';
  }
  const names = (toolConfig?.tools ?? []).flatMap(({ toolSpec }) =>
    toolSpec ? [toolSpec.name] : [],
  );
  const repeated = names.find((name, n) => names.indexOf(name) !== n);
  if (repeated !== undefined) return `The tool ${repeated} is already defined at toolConfig.tools.`;
  const chosen = toolConfig?.toolChoice?.tool?.name;
  return chosen === undefined || names.includes(chosen)
    ? null
    : `The tool ${chosen} in toolConfig.toolChoice is not defined.`;
};

const textOf = ({ reasoningContent }: ContentBlock) => reasoningContent?.reasoningText;

/** Claude verifies signatures, and wants the reasoning before a tool use while it thinks. */
const reasoningViolation = (
  { messages, additionalModelRequestFields = {}, inferenceConfig = {} }: ConverseRequest,
  { signatures }: ConverseRules,
): string | null => {
  for (const [n, { content }] of messages.entries()) {
    for (const [m, block] of content.entries()) {
      const text = textOf(block);
      if (text && !signatures.has(`${text.signature}\n${text.text}`)) {
        return `messages.${n}.content.${m}: Invalid \`signature\` in \`thinking\` block`;
      }
    }
  }
  const { thinking } = additionalModelRequestFields as {
    thinking?: { type?: string; budget_tokens?: number };
  };
  if (thinking?.type !== 'enabled') return null;
  if (inferenceConfig.temperature !== undefined && inferenceConfig.temperature !== 1) {
    return '`temperature` may only be set to 1 when thinking is enabled.';
  }
  if (inferenceConfig.topP !== undefined && inferenceConfig.topP < 0.95) {
    return '`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.';
  }
  const { budget_tokens: budget = 0 } = thinking;
  if (budget < 1_024) return 'thinking.enabled.budget_tokens: should be at least 1024';
  if (budget >= (inferenceConfig.maxTokens ?? Infinity)) {
    return '`max_tokens` must be greater than `thinking.budget_tokens`.';
  }
  const last = messages.findLast(({ role }) => role === 'assistant');
  const [first] = last?.content ?? [];
  return usesOf(last).length > 0 && !first?.reasoningContent
    ? 'Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is ' +
        'enabled, a final `assistant` message must start with a thinking block.'
    : null;
};

const outputViolation = ({ outputConfig }: ConverseRequest): string | null => {
  const schema = outputConfig?.textFormat?.structure.jsonSchema?.schema;
  if (schema === undefined) return null;
  try {
    JSON.parse(schema);
    return null;
  } catch {
    return 'outputConfig.textFormat.structure.jsonSchema.schema: not a JSON document';
  }
};
