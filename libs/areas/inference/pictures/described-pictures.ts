import { Inject, Injectable, Optional } from '@nestjs/common';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { type ChatBody, type ChatMessage, type ChatOrder } from '#platform/chats/chat-order.js';
import { PictureError } from '#platform/pictures/picture.js';
import { rejectedField } from '#platform/runtime/commands/rejected-request.js';
import { RIGS } from '../ports.js';
import { type JsonObject } from '../rigs/chat-backend.js';
import { type RigRouter } from '../rigs/rig-router.js';
import { isObject } from '../rigs/token-usage.js';
import {
  DESCRIPTION_LENGTH_MAX,
  type DescribedPicture,
  PictureDescriber,
} from './picture-describer.port.js';

/** Pictures of a chat. */
export const PICTURES_MAX = 4;
const DATA_URL = /^data:image\/png;base64,/i;
/** Bounds a hold, before a picture was looked at. */
const UNSEEN = 'x'.repeat(DESCRIPTION_LENGTH_MAX);

/** A chat whose pictures are described for a model that reads text alone. */
export interface PicturedChat {
  /** As long as its description can become: for the hold. */
  readonly bounded: ChatOrder;
  linesAt(atMs: number): PriceLine[];
  /** Looks at the pictures. @throws RejectedRequestError for one that cannot be read */
  describe(signal: AbortSignal): Promise<DescribedChat>;
}

export interface DescribedChat {
  readonly order: ChatOrder;
  readonly pictures: readonly DescribedPicture[];
}

/** Puts descriptions in the place of pictures, where no rig of the model sees. */
@Injectable()
export class DescribedPictures {
  constructor(
    @Inject(RIGS) private readonly rigs: Pick<RigRouter, 'speaks'>,
    /** Absent in a process without the area that looks. */
    @Optional() private readonly describer?: PictureDescriber,
  ) {}

  /**
   * Null for a chat without pictures, and where a rig of its model sees or none takes words.
   * @throws RejectedRequestError for pictures that cannot be described
   */
  of(order: ChatOrder): PicturedChat | null {
    const { body, accountId, others, original } = order;
    const { describer } = this;
    // Several prompts have no place for the descriptions of one.
    if (!describer || others || original?.untranslated !== undefined) return null;
    const found = picturesIn(body);
    if (found.length === 0 || !this.#takesWords(body.model)) return null;
    if (found.length > PICTURES_MAX) {
      const why = `expected at most ${PICTURES_MAX} pictures, received ${found.length}`;
      throw rejectedField('messages', why);
    }
    const files = found.map(fileOf);
    return {
      bounded: withTexts(
        order,
        found.map(() => UNSEEN),
      ),
      linesAt: (atMs) => describer.linesOf(files.length, atMs),
      describe: async (signal) => {
        const pictures: DescribedPicture[] = [];
        for (const [at, { file, param }] of files.entries()) {
          try {
            pictures.push(await describer.describe(accountId, file, signal));
          } catch (error) {
            if (!(error instanceof PictureError)) throw error;
            throw rejectedField(param, `picture ${at + 1} cannot be read: ${error.message}`);
          }
        }
        return {
          order: withTexts(
            order,
            pictures.map(({ text }) => text),
          ),
          pictures,
        };
      },
    };
  }

  #takesWords(model: string): boolean {
    return !this.rigs.speaks(model, 'images') && this.rigs.speaks(model, 'described_images');
  }
}

interface FoundPicture {
  readonly part: JsonObject;
  /** Its place in the body. */
  readonly param: string;
}

const partsOf = ({ content }: ChatMessage): readonly unknown[] =>
  Array.isArray(content) ? content : NO_PARTS;
const NO_PARTS: readonly unknown[] = [];

const isPicture = (part: unknown): part is JsonObject =>
  isObject(part) && part['type'] === 'image_url';

const picturesIn = ({ messages }: ChatBody): readonly FoundPicture[] => {
  const found: FoundPicture[] = [];
  messages.forEach((message, n) => {
    partsOf(message).forEach((part, m) => {
      if (isPicture(part)) found.push({ part, param: `messages[${n}].content[${m}].image_url` });
    });
  });
  return found;
};

/** @throws RejectedRequestError for a picture at a URL, and for other formats */
const fileOf = ({ part, param }: FoundPicture) => {
  const named = part['image_url'];
  const url = isObject(named) ? named['url'] : named;
  if (typeof url === 'string' && DATA_URL.test(url)) {
    return { file: Buffer.from(url.slice(url.indexOf(',') + 1), 'base64'), param };
  }
  const why = 'expected a data: URL of a PNG file, which is described for this model';
  throw rejectedField(param, why);
};

/** @param texts of the pictures, in their order */
const withTexts = ({ original: _, ...order }: ChatOrder, texts: readonly string[]): ChatOrder => {
  const left = [...texts];
  const messages = order.body.messages.map((message) =>
    partsOf(message).some(isPicture)
      ? {
          ...message,
          content: partsOf(message).map((part) =>
            isPicture(part) ? { type: 'text', text: left.shift() ?? '' } : part,
          ),
        }
      : message,
  );
  return { ...order, body: { ...order.body, messages } };
};
