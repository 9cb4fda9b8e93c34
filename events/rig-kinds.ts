/** What a rig of the catalog is: a server, by the interface that it speaks, or the engine here. */
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
