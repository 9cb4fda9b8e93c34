/** The kinds of rigs in the catalog: servers, by their interface, and the engine here. */
export const RIG_KINDS = [
  'openai',
  'anthropic',
  'azure-openai',
  'gemini',
  'vertex',
  'bedrock',
  'embedded',
] as const;
export type RigKind = (typeof RIG_KINDS)[number];
