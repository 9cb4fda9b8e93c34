import { type IncomingHttpHeaders } from 'node:http';
import { Tag, TAG_LENGTH_MAX, TAGS_MAX } from '#events/hold.vocabulary.js';
import { faultText } from '#platform/kernel/faults.js';
import { HttpFailure } from '../errors/http-failure.js';

export const TAGS_HEADER = 'x-quipu-tags';

const EXPECTED =
  `at most ${TAGS_MAX} pairs name=value of at most ${TAG_LENGTH_MAX} ASCII characters, ` +
  'joined by commas, each name once';
/** Node reads other bytes as Latin-1. */
const ASCII = /^[ -~]*$/;

/** For the document. */
export const TAGS_PARAMETER = {
  name: 'X-Quipu-Tags',
  in: 'header',
  required: false,
  description:
    `Names of the caller for the request, for its list of requests and its spend: ${EXPECTED}. ` +
    'Pairs of `metadata` in a body are tags too, where they fit one and the header leaves room.',
  schema: { type: 'string' },
  example: 'env=prod,project=alpha',
} as const;

const nameOf = (tag: string): string => tag.slice(0, tag.indexOf('='));

const byName = (one: string, other: string): number => (nameOf(one) < nameOf(other) ? -1 : 1);

/**
 * The tags of a request; undefined where it has none.
 * @throws HttpFailure 400 that names the header
 */
export const tagsOf = ({
  [TAGS_HEADER]: sent,
}: IncomingHttpHeaders): readonly string[] | undefined => {
  if (sent === undefined || sent === '') return undefined;
  const tags = typeof sent === 'string' ? sent.split(',').map((pair) => pair.trim()) : [];
  const names = new Set(tags.map(nameOf));
  const isFit = tags.length > 0 && tags.length <= TAGS_MAX && names.size === tags.length;
  const isText = ASCII.test(String(sent));
  if (isFit && isText && tags.every((tag) => Tag.safeParse(tag).success)) return tags.sort(byName);
  throw new HttpFailure({
    status: 400,
    code: 'invalid_request',
    message: faultText(TAGS_HEADER, EXPECTED, sent),
    param: TAGS_HEADER,
  });
};

/** The tags of the header go before pairs of the body, which are dropped where there is no room. */
export const mergedTags = (ofHeader: readonly string[], ofBody: readonly string[]): string[] => {
  const names = new Set(ofHeader.map(nameOf));
  const others = ofBody.filter((tag) => !names.has(nameOf(tag)));
  return [...ofHeader, ...others].slice(0, TAGS_MAX).sort(byName);
};
