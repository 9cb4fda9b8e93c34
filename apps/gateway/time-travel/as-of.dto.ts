import { z } from 'zod';
import { faultText } from '#platform/kernel/faults.js';
import { type AsOf } from '#platform/runtime/history/as-of.js';
import { TextField } from '../fields/request-fields.js';
import { HttpFailure } from '../errors/http-failure.js';

const POSITION = /^\d{1,19}$/;
const POSITION_OR_INSTANT =
  /^(\d{1,19}|\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d))?)$/;
/** Both know the calendar. A day is its beginning in UTC, as in `replay --from`. */
const DayOrInstant = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);
const EXPECTED =
  'a number of events of the log, a day such as 2026-01-31 or an instant such as ' +
  '2026-01-31T12:00:00Z';

/** The query of a route that can answer for a past state of the log. */
export class AsOfDto {
  @TextField({
    required: false,
    description:
      'Answers as of a past state of the log: the number of its events, as in `position` of an ' +
      'earlier answer, ' +
      'an instant in ISO 8601 with its time zone, or a day, which is its beginning in UTC. ' +
      'Without it the answer is the present one.',
    example: '2026-01-31T12:00:00Z',
    matches: POSITION_OR_INSTANT,
    expected: EXPECTED,
  })
  readonly asOf?: string;
}

/** @throws HttpFailure for a date that the calendar does not have */
export const asOfOf = ({ asOf }: AsOfDto): AsOf | undefined => {
  if (asOf === undefined) return undefined;
  if (POSITION.test(asOf)) return { size: BigInt(asOf) };
  if (!DayOrInstant.safeParse(asOf).success) {
    throw new HttpFailure({
      status: 400,
      code: 'invalid_as_of',
      message: faultText('asOf', EXPECTED, asOf),
      param: 'asOf',
    });
  }
  return { instant: new Date(asOf).toISOString() };
};
