/** The kinds of rigs: servers by the interface that they speak, and the engine here. */
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
