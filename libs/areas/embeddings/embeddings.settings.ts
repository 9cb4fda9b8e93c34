import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';

export const EMBEDDINGS_SETTINGS = Symbol('EmbeddingsSettings');

export interface EmbeddingsSettings {
  /** The longest a request may run. */
  readonly requestMsMax: number;
}

export const embeddingsSettings = defineSettings({
  token: EMBEDDINGS_SETTINGS,
  variables: {
    QUIPU_EMBEDDINGS_SECONDS: variable(
      wholeNumber(1, 86_400).default(300),
      'the longest a request for embeddings may run; its hold outlives it by ' +
        '`QUIPU_SETTLE_SECONDS`',
    ),
  },
  read: ({ QUIPU_EMBEDDINGS_SECONDS: seconds }): EmbeddingsSettings => ({
    requestMsMax: seconds * 1_000,
  }),
});
