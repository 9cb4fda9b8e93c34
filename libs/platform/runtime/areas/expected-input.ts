import { z } from 'zod';
import { receivedText, UNSUPPORTED_FIELD } from '#platform/kernel/faults.js';

const TYPES: Readonly<Record<string, string>> = {
  array: 'an array',
  bigint: 'an integer',
  boolean: 'true or false',
  int: 'an integer',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a string',
};

const FORMATS: Readonly<Record<string, string>> = {
  base64: 'Base64',
  date: 'a day such as 2026-01-31',
  datetime: 'an ISO 8601 instant',
  email: 'an e-mail address',
  url: 'a URL',
  uuid: 'a UUID',
};

const UNITS: Readonly<Record<string, string>> = { string: ' characters', array: ' elements' };

const sized = (origin: string, bound: string, size: number | bigint): string =>
  `${TYPES[origin] ?? 'a value'} of ${bound} ${size}${UNITS[origin] ?? ''}`;

const expectedBy = (issue: z.core.$ZodRawIssue): string | undefined => {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return issue.values.map((value) => JSON.stringify(value)).join(' or ');
    case 'too_small':
      return sized(
        issue.origin,
        issue.inclusive === false ? 'more than' : 'at least',
        issue.minimum,
      );
    case 'too_big':
      return sized(
        issue.origin,
        issue.inclusive === false ? 'less than' : 'at most',
        issue.maximum,
      );
    case 'not_multiple_of':
      return `a multiple of ${issue.divisor}`;
    case 'invalid_format':
      return FORMATS[issue.format] ?? `a string that matches ${issue.pattern ?? issue.format}`;
    case 'invalid_union':
      return 'another form';
    case 'invalid_key':
    case 'invalid_element':
    case 'unrecognized_keys':
    case 'custom':
      return undefined;
  }
};

/** The messages of schemas that have none of their own, in the style of `faultText`. */
z.config({
  localeError: (issue) => {
    if (issue.code === 'unrecognized_keys') return `${issue.keys.join(', ')}: ${UNSUPPORTED_FIELD}`;
    const expected = expectedBy(issue);
    return expected && `expected ${expected}, received ${receivedText(issue.input)}`;
  },
});
