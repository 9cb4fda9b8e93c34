import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';

export interface OrbitSettings {
  /** The age of elements from which answers have a warning. */
  readonly elementDaysMax: number;
}

export const ORBIT_SETTINGS = Symbol('OrbitSettings');

export const orbitSettings = defineSettings({
  token: ORBIT_SETTINGS,
  variables: {
    QUIPU_ORBIT_ELEMENT_DAYS: variable(
      wholeNumber(1, 365).default(5),
      'the age in days from which passes warn that the elements of the satellite are old',
    ),
  },
  read: ({ QUIPU_ORBIT_ELEMENT_DAYS: elementDaysMax }): OrbitSettings => ({ elementDaysMax }),
});
