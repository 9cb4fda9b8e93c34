/** What a server may do for chats beyond text, as catalogs name it. */
export const SERVER_FEATURES = [
  'tools',
  'json_schema',
  'json_object',
  'logprobs',
  'choices',
  'images',
  'audio',
  'logit_bias',
  'penalties',
] as const;
export type ServerFeature = (typeof SERVER_FEATURES)[number];
