import { Inject, Injectable } from '@nestjs/common';
import { type UserId } from '#events/vocabulary.js';
import { type HoldPace, type LedgerEntry } from '#platform/ledger/hold.js';
import { ChatGuards, guardedBody } from '#platform/chats/chat-guards.port.js';
import { type PaidOrder } from '#platform/ledger/paid-work/paid-order.js';
import { PictureError } from '#platform/pictures/picture.js';
import { withText } from '#platform/pictures/png-text.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type CommandContext, followUp } from '#platform/runtime/commands/command-context.js';
import { cutOf } from '#platform/runtime/commands/request-cut.js';
import { type AdmittedImages, ImageAdmission } from './image-admission.js';
import { type ImagesAsked, type Size } from './image-body.js';
import { CLAIM_KEYWORD, claimText } from './image-claim.js';
import { ImagesError } from './images.errors.js';
import { IMAGES_SETTINGS, type ImagesSettings } from './images.settings.js';
import { type Painted, type Painter } from './painter.js';
import { Painters } from './painters.js';
import { Pictures } from '#platform/pictures/pictures.js';
import { ImageClaims, ImageFiles, type LogPlace } from './ports.js';

export interface ImagesOrder extends Omit<PaidOrder, 'signal'> {
  readonly userId: UserId;
  readonly asked: ImagesAsked;
  /** A PNG file to start from; null: from noise. */
  readonly start: Uint8Array | null;
}

export interface MadeImage extends Pick<Painted, 'engine' | 'revisedPrompt' | 'seed'> {
  /** The id of its file, where a URL was asked for; else the file. */
  readonly stored: { readonly id: string } | { readonly file: Buffer };
  readonly claim: string;
}

/** Pictures that have been paid for. */
export interface ImagesAnswer {
  readonly model: string;
  readonly asked: ImagesAsked;
  /** Pixels of a side before resampling; null: nothing was resampled here. */
  readonly side: number | null;
  readonly steps: number | null;
  readonly images: readonly MadeImage[];
  readonly entry: LedgerEntry;
  readonly pace?: HoldPace;
}

interface Making {
  readonly order: ImagesOrder;
  readonly painter: Painter;
  readonly log: LogPlace | null;
  readonly signal: AbortSignal;
}

/** Holds the price, makes the pictures, signs and stores them, charges. Called without the bus. */
@Injectable()
export class CreateImagesHandler {
  constructor(
    private readonly painters: Painters,
    private readonly admission: ImageAdmission,
    private readonly pictures: Pictures,
    private readonly files: ImageFiles,
    private readonly claims: ImageClaims,
    private readonly guards: ChatGuards,
    @Inject(IMAGES_SETTINGS) private readonly settings: ImagesSettings,
  ) {}

  /**
   * @param signal aborted with a `RequestCutError` when the caller leaves or the time is up
   * @throws DomainError, ImagesError, RequestCutError; after a hold that is released, or charged
   *   for the pictures that were made
   */
  async execute(given: ImagesOrder, signal: AbortSignal): Promise<ImagesAnswer> {
    const painter = this.painters.of(given.asked.model);
    painter.check(given);
    const order = { ...given, asked: await this.#guarded(given, painter.model) };
    const { asked, start } = order;
    const { engine, isEmbedded } = painter;
    const { accountId, receivedAtMs, context, confirm } = order;
    const paid = { accountId, receivedAtMs, context, ...(confirm && { confirm }) };
    const admitted = await this.admission.admit({ ...paid, asked, engine, isEmbedded, signal });
    const made: MadeImage[] = [];
    try {
      const log = await this.claims.place();
      const making: Making = { order, painter, log, signal };
      for await (const painted of painter.paint({ accountId, asked, start }, signal)) {
        made.push(await this.#finish(painted, made.length + 1, making));
      }
    } catch (error) {
      await settle(admitted, made, error, signal);
      throw cutOf(signal) ?? error;
    }
    const entry = await admitted.capture(made, 'completed');
    return {
      model: painter.model,
      asked,
      side: painter.side,
      steps: isEmbedded ? asked.steps : null,
      images: made,
      entry,
      ...admitted.pace,
    };
  }

  /** @throws as `guardedBody` */
  async #guarded({ accountId, context, asked }: ImagesOrder, model: string): Promise<ImagesAsked> {
    const { prompt, others } = asked;
    const work = { accountId, model: asked.model ?? model, requestId: context.requestId };
    return { ...asked, ...(await guardedBody(this.guards, work, { prompt, others })) };
  }

  async #finish(painted: Painted, image: number, making: Making): Promise<MadeImage> {
    const { order, log, signal } = making;
    const { engine, revisedPrompt, seed } = painted;
    const { requestId } = order.context;
    const { file, ...pixels } = await this.#written(painted, making, signal);
    const text = claimText({
      requestId,
      image,
      images: order.asked.images,
      engine,
      ...pixels,
      log,
    });
    const claim = this.claims.sign(text);
    const claimed = withText(Buffer.from(file), CLAIM_KEYWORD, claim);
    const stored =
      order.asked.format === 'b64_json'
        ? { file: claimed }
        : { id: await this.#store(claimed, order, image) };
    return { engine, revisedPrompt, seed, stored, claim };
  }

  /** @throws ImagesError for a file of an upstream that cannot be read */
  async #written({ made }: Painted, { order, painter }: Making, signal: AbortSignal) {
    const { thread } = this.pictures;
    try {
      if ('file' in made) return { file: made.file, ...(await thread.measure(made.file, signal)) };
      // Pixels of an upstream are kept as they are.
      const size = painter.side === null ? sizeOf(made) : order.asked.size;
      return { ...size, ...(await thread.encode(made, size, signal)) };
    } catch (error) {
      if (!(error instanceof PictureError)) throw error;
      const detail = `the picture cannot be read: ${error.message}`;
      throw new ImagesError('failed', detail, { cause: error });
    }
  }

  #store(content: Buffer, order: ImagesOrder, image: number): Promise<string> {
    const { accountId, userId, context } = order;
    const { fileSecondsMax: expiresAfterSeconds } = this.settings;
    const file = { accountId, userId, content, expiresAfterSeconds };
    return this.files.create(file, contextOfImage(context, image));
  }
}

const sizeOf = ({ width, height }: Size): Size => ({ width, height });

const contextOfImage = (
  { requestId: id, correlationId, actor }: CommandContext,
  image: number,
): CommandContext => followUp({ id, correlationId }, `image ${image}`, actor);

/** Nothing was delivered: free, unless the caller left pictures that were made for it. */
const settle = async (
  admitted: AdmittedImages,
  made: readonly MadeImage[],
  error: unknown,
  signal: AbortSignal,
): Promise<void> => {
  const cut = cutOf(signal);
  if (cut?.reason === 'client_gone' && made.length > 0) {
    await admitted.capture(made, 'client_gone');
    return;
  }
  await admitted.release(cut?.reason ?? reasonOf(error));
};

const reasonOf = (error: unknown) => {
  if (error instanceof DomainError) return 'refused';
  return error instanceof ImagesError ? 'upstream_failed' : 'internal_error';
};
