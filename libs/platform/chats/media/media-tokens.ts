import { audioSecondsMax, WAV_HEADER_BYTES } from './audio-seconds.js';
import { HEADER_BYTES_MAX, imageSizeIn } from './image-size.js';
import { audioTokensMax, imageTokensMax, type MediaRule } from './media-rules.js';

type Part = Readonly<Record<string, unknown>>;

/**
 * The most tokens of an image or a recording in a prompt, by the rules of the rigs that may answer:
 * the most of them. Undefined for a part of another kind; Infinity where a rule states no most.
 * @param rules none: Infinity
 */
export const mediaTokensMax = (part: unknown, rules: readonly MediaRule[]): number | undefined => {
  if (!isObject(part)) return undefined;
  const image = imageIn(part);
  if (image) {
    const { url, detail } = image;
    const size = url === undefined ? undefined : sizeOf(url);
    return mostOf(rules, (rule) => imageTokensMax(rule, { size, detail }));
  }
  const audio = audioIn(part);
  if (audio === undefined) return undefined;
  const header = Buffer.from(audio.slice(0, base64LengthOf(WAV_HEADER_BYTES)), 'base64');
  const seconds = audioSecondsMax(header, (audio.length / 4) * 3);
  return mostOf(rules, (rule) => audioTokensMax(rule, seconds));
};

const isObject = (value: unknown): value is Part =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const mostOf = (rules: readonly MediaRule[], tokensOf: (rule: MediaRule) => number): number =>
  rules.length === 0 ? Infinity : Math.max(...rules.map(tokensOf));

interface ImagePart {
  /** Undefined: neither a URL nor data that can be read. */
  readonly url: string | undefined;
  readonly detail: unknown;
}

/** `image_url` of chats, `input_image` of responses, `image` of messages. */
const imageIn = (part: Part): ImagePart | undefined => {
  const { type, image_url: image, source, detail } = part;
  if (type === 'image_url' || type === 'input_image') {
    return isObject(image)
      ? { url: textOf(image['url']), detail: image['detail'] ?? detail }
      : { url: textOf(image), detail };
  }
  if (type !== 'image') return undefined;
  const data = isObject(source) && source['type'] === 'base64' ? textOf(source['data']) : undefined;
  return { url: data === undefined ? undefined : `data:;base64,${data}`, detail: undefined };
};

const audioIn = ({ type, input_audio: audio }: Part): string | undefined =>
  type === 'input_audio' && isObject(audio) ? textOf(audio['data']) : undefined;

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

const DATA_URL = /^data:[^,]{0,200};base64,/i;

const sizeOf = (url: string) => {
  const prefix = DATA_URL.exec(url.slice(0, 256))?.[0];
  if (prefix === undefined) return undefined;
  const base64 = url.slice(prefix.length, prefix.length + base64LengthOf(HEADER_BYTES_MAX));
  return imageSizeIn(Buffer.from(base64, 'base64'));
};

const base64LengthOf = (bytes: number): number => Math.ceil(bytes / 3) * 4;
