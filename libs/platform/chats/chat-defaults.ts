/** The temperature of a request that names none, as the interface promises. */
export const TEMPERATURE_DEFAULT = 0.7;

/** Messages of one chat. */
export const MESSAGES_MAX = 4_096;
