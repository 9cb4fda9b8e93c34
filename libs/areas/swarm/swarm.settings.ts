import { z } from 'zod';
import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';

export interface SwarmSettings {
  /** The model that synthesizes where a request names none; null: the first of the catalog. */
  readonly synthesisModel: string | null;
  /** The longest a request may take. */
  readonly requestMsMax: number;
}

export const SWARM_SETTINGS = Symbol('SwarmSettings');

export const swarmSettings = defineSettings({
  token: SWARM_SETTINGS,
  variables: {
    QUIPU_SYNTHESIS_MODEL: variable(
      z.string().min(1).max(256).optional(),
      'the model that merges the proposals of a consensus; default: the first of the catalog',
    ),
    QUIPU_SWARM_SECONDS: variable(
      wholeNumber(1, 3_600).default(600),
      'the longest that a speculative or a consensus request may take',
    ),
  },
  read: (values): SwarmSettings => ({
    synthesisModel: values.QUIPU_SYNTHESIS_MODEL ?? null,
    requestMsMax: values.QUIPU_SWARM_SECONDS * 1_000,
  }),
});
