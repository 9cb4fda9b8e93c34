import { ValidateBy, type ValidationOptions } from 'class-validator';

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/;

/** ISO 8601 UTC with milliseconds, or null for a text that is no instant of the calendar. */
export const instantOf = (text: string): string | null => {
  const [, day = '', minute = ''] = /^(.{10})T(.{5})/.exec(text) ?? [];
  const isOfCalendar = INSTANT.test(text) && isTime(`${day}T${minute}:00.000Z`);
  return isOfCalendar && isFinite(Date.parse(text)) ? new Date(text).toISOString() : null;
};

/** `Date` reads the 30th of February as the 1st of March. */
const isTime = (text: string): boolean => {
  const time = Date.parse(text);
  return isFinite(time) && new Date(time).toISOString() === text;
};

/** A date and time with an offset or `Z`. */
export const IsInstant = (options?: ValidationOptions): PropertyDecorator =>
  ValidateBy(
    {
      name: 'isInstant',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && instantOf(value) !== null,
      },
    },
    options,
  );
