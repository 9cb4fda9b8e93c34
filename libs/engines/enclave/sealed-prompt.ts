/** Reads a prompt in the enclave process. Erasable syntax, as `hpke.ts`. */
import type { ChatMessage } from '#engines/language-model/language-model.protocol.js';

export const MESSAGES_MAX = 1_000;
const ROLES = ['system', 'user', 'assistant'] as const;
const TEMPERATURE_DEFAULT = 0.7;

export interface Prompt {
  readonly messages: readonly ChatMessage[];
  readonly temperature: number;
  readonly topP: number;
  readonly seed: number | null;
}

/**
 * The prompt in the bytes of a message, or the field at fault. The answer never quotes a value: it
 * leaves the enclave.
 */
export const promptOf = (bytes: Uint8Array): Prompt | string => {
  const fields = fieldsOf(bytes);
  if (fields === null) return 'prompt: expected a JSON object';
  const { messages, temperature = TEMPERATURE_DEFAULT, top_p: topP = 1, seed = null } = fields;
  if (!Array.isArray(messages) || messages.length === 0 || messages.length > MESSAGES_MAX) {
    return `messages: expected an array of 1 to ${MESSAGES_MAX} messages`;
  }
  const fault = messages.findIndex((message) => !isMessage(message));
  if (fault >= 0) return `messages[${fault}]: expected a role and a content that is text`;
  if (!isBetween(temperature, 0, 2)) return 'temperature: expected a number from 0 to 2';
  if (!isBetween(topP, 0, 1)) return 'top_p: expected a number from 0 to 1';
  if (seed !== null && !Number.isSafeInteger(seed)) return 'seed: expected a whole number';
  return {
    messages: (messages as readonly ChatMessage[]).map(({ role, content }) => ({ role, content })),
    temperature,
    topP,
    seed: seed as number | null,
  };
};

const fieldsOf = (bytes: Uint8Array): Readonly<Record<string, unknown>> | null => {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    return null;
  }
};

const isMessage = (value: unknown): value is ChatMessage =>
  typeof value === 'object' &&
  value !== null &&
  'role' in value &&
  ROLES.some((role) => role === value.role) &&
  'content' in value &&
  typeof value.content === 'string';

const isBetween = (value: unknown, minimum: number, maximum: number): value is number =>
  typeof value === 'number' && value >= minimum && value <= maximum;
