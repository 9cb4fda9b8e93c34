/** The features of a server for chats beyond text, as catalogs name them. */
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
