import { z } from 'zod';
import { defineSettings, variable } from '#platform/runtime/areas/settings.js';
import { withoutTrailing } from '#platform/kernel/trailing.js';

/** The bases that clients are set up with, each with its version; null where there is none. */
export interface EntryPoints {
  readonly global: string | null;
  readonly uk: string | null;
  readonly na: string | null;
  readonly apac: string | null;
}

export interface FleetSettings {
  /** Null: none is configured, and answers do not show any. */
  readonly entryPoints: EntryPoints | null;
}

export const FLEET_SETTINGS = Symbol('FleetSettings');

const BaseUrl = z
  .url({ protocol: /^https?$/ })
  .transform((url) => withoutTrailing(url, '/'))
  .optional();

export const fleetSettings = defineSettings({
  token: FLEET_SETTINGS,
  variables: {
    QUIPU_API_URL: variable(
      BaseUrl,
      'the base of the API as log-ins and `/v1/models` show it: `https://api.example.org/v1`',
    ),
    QUIPU_API_URL_UK: variable(BaseUrl, 'its regional base for the UK and Europe'),
    QUIPU_API_URL_NA: variable(BaseUrl, 'its regional base for North America'),
    QUIPU_API_URL_APAC: variable(BaseUrl, 'its regional base for Asia-Pacific'),
  },
  read: (values): FleetSettings => {
    const entryPoints: EntryPoints = {
      global: values.QUIPU_API_URL ?? null,
      uk: values.QUIPU_API_URL_UK ?? null,
      na: values.QUIPU_API_URL_NA ?? null,
      apac: values.QUIPU_API_URL_APAC ?? null,
    };
    const isConfigured = Object.values(entryPoints).some((url) => url !== null);
    return { entryPoints: isConfigured ? entryPoints : null };
  },
});
