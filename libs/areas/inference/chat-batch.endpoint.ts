import { Inject, Injectable } from '@nestjs/common';
import {
  type AcceptedLine,
  type BatchEndpoint,
  type BatchPrice,
  type LineAnswer,
  LineRefusedError,
  type LineRequest,
  type LineRetry,
  type Quantities,
} from '#platform/batches/batch-endpoint.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type ChatBody, deepFieldsOf, readChatBody } from './chat-body.js';
import { type InferenceErrorCode } from './inference.errors.js';
import {
  MODEL_CATALOG,
  type ModelCatalog,
  RIGS,
  type ServedModel,
  type TokenQuantities,
} from './ports.js';
import { type RigRouter } from './rigs/rig-router.js';
import { RouteError } from './rigs/route-error.js';
import { pinnedRig } from './routing-mode.js';
import { LEVELS_MAX, tokenBounds } from './token-bound.js';
import { batchLinesOf, INPUT_METER, OUTPUT_METER } from './token-lines.js';
import { upstreamBody } from './upstream-body.js';

export const CHAT_PATH = '/v1/chat/completions';

/** A line that has been checked. */
interface Checked {
  readonly body: ChatBody;
  readonly model: ServedModel;
  readonly pin: string | undefined;
  readonly bound: TokenQuantities;
}

/** Chat completions as lines of a batch: the rules and rigs of interactive ones, without a hold. */
@Injectable()
export class ChatBatchEndpoint implements BatchEndpoint {
  constructor(
    @Inject(MODEL_CATALOG) private readonly catalog: ModelCatalog,
    @Inject(RIGS) private readonly rigs: RigRouter,
  ) {}

  accept(value: unknown): AcceptedLine {
    const { body, bound } = this.#check(value);
    return { model: body.model, bound: quantitiesOf(bound) };
  }

  price(modelId: string, atMs: number): BatchPrice | undefined {
    const rate = this.catalog.model(modelId) && this.catalog.rateFor(modelId, atMs);
    if (!rate) return undefined;
    return {
      rateCardVersion: rate.version,
      discountPercent: rate.batchDiscountPercent,
      linesOf: (quantities) =>
        batchLinesOf(
          {
            inputTokens: quantities[INPUT_METER] ?? 0,
            outputTokens: quantities[OUTPUT_METER] ?? 0,
          },
          rate,
        ),
    };
  }

  async run({ body: value }: LineRequest, signal: AbortSignal): Promise<LineAnswer> {
    const { body, model, pin, bound } = this.#check(value);
    const request = {
      body: upstreamBody(body, model, bound),
      promptTokensMax: bound.inputTokens,
      isBatch: true,
    };
    const { answer, rig } = await this.rigs.complete(
      {
        model: model.id,
        priority: 'batch',
        requestFor: () => request,
        ...(pin !== undefined && { pin }),
      },
      signal,
    );
    const { completion, usage } = answer;
    return {
      body: { ...completion, model: body.model, routing_mode: body.routing_mode },
      usage: quantitiesOf({
        inputTokens: Math.min(usage.promptTokens, bound.inputTokens),
        outputTokens: Math.min(usage.completionTokens, bound.outputTokens),
      }),
      rig,
    };
  }

  retryOf(error: unknown): LineRetry {
    if (!(error instanceof RouteError)) return 'never';
    switch (error.kind) {
      case 'overloaded':
      case 'down':
        return 'always';
      case 'failed':
        return 'limited';
      case 'model-not-served':
      case 'rig-unknown':
      case 'rig-without-model':
      case 'refused':
      case 'cancelled':
        return 'never';
    }
  }

  #check(value: unknown): Checked {
    refuseDeepFields(value);
    const read = readChatBody(value);
    if ('invalid' in read) {
      const { code, message, param } = read.invalid;
      throw refused(code, message, param);
    }
    const { body } = read;
    if (body.stream) {
      throw refused('invalid_request', 'stream: a line of a batch cannot be streamed', 'stream');
    }
    if (body.cleanroom_uuid != null) {
      const detail = 'clean rooms are not part of this release; leave cleanroom_uuid out';
      throw new DomainError<InferenceErrorCode>('routing_mode_unavailable', detail);
    }
    const pin = pinnedRig(body.routing_mode);
    const model = this.catalog.model(body.model);
    if (!model) {
      const detail = `the model ${body.model} is not in the catalog; see GET /v1/models`;
      throw new DomainError<InferenceErrorCode>('model_not_found', detail);
    }
    this.rigs.refuseFields({ model: model.id, ...(pin !== undefined && { pin }) }, body);
    return { body, model, pin, bound: tokenBounds(body, model) };
  }
}

/** The HTTP edge bounds the body of a request as it is parsed; a line is bounded here. */
const refuseDeepFields = (value: unknown): void => {
  if (typeof value !== 'object' || value === null) return;
  const [field] = deepFieldsOf(value);
  if (field === undefined) return;
  const message = `${field}: is nested deeper than ${LEVELS_MAX} levels`;
  throw refused('body_too_complex', message, field);
};

const refused = (code: string, message: string, param: string | null): LineRefusedError =>
  new LineRefusedError({ status: 400, code, message, ...(param !== null && { param }) });

const quantitiesOf = ({ inputTokens, outputTokens }: TokenQuantities): Quantities => ({
  [INPUT_METER]: inputTokens,
  [OUTPUT_METER]: outputTokens,
});
