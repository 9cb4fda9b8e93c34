import { type JsonObject } from './swarm-models.port.js';

/** The text that a chunk adds, and how its only choice ended: null before that. */
export const choiceOf = ({
  choices,
}: JsonObject): { readonly text: string; readonly finish: unknown } => {
  const [choice] = Array.isArray(choices) ? (choices as readonly JsonObject[]) : [];
  const delta = choice?.['delta'] as JsonObject | null | undefined;
  const content = delta?.['content'];
  return { text: typeof content === 'string' ? content : '', finish: choice?.['finish_reason'] };
};
