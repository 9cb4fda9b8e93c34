/** The kinds of rigs of the catalog: a server, by its interface, or the engine here. */
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
