import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { OUTPUT_METER } from '#events/token-meters.js';
import { type ChatBody, type ChatOrder } from '#platform/chats/chat-order.js';
import { type Usage } from '#platform/chats/chat-usage.js';
import { type Clock } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type HoldPace, type LedgerEntry } from '#platform/ledger/hold.js';
import { type HeldRequest, PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { rejectedField } from '#platform/runtime/commands/rejected-request.js';
import { cutOf, type RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type CleanroomsErrorCode, reject } from '../cleanrooms.errors.js';
import { CleanroomFailure } from '../cleanrooms.failures.js';
import { Rooms } from '../rooms.js';
import { roomIdOf, sealedContentsOf } from '../sealed-chat.js';
import { enclaveChatProduct } from './enclave-chat.product.js';
import { EnclaveHost, keyIdOf, sealInfo } from './enclave-host.js';
import { type EnclaveModel, EnclaveModels } from './enclave-models.port.js';
import { EnclaveError, type SealedAnswer } from './enclave.engine.js';
import { ENCLAVE_SETTINGS, type EnclaveSettings } from './enclave.settings.js';
import { RoomTurns, TURNS } from './room-turns.js';

/** Of a sealed prompt, before base64. */
export const PROMPT_BYTES_MAX = 1_048_576;
export const REQUEST_MS_MAX = TURNS.waitMsMax + 300_000;
/** Tokens that the template of a model adds to the texts of a prompt. */
const TEMPLATE_TOKENS = 256;

/** A sealed answer that has been paid for. */
export interface EnclaveChat {
  readonly answer: SealedAnswer;
  readonly keyId: string;
  readonly usage: Usage;
  /** Null where nothing was written and nothing charged. */
  readonly entry: LedgerEntry | null;
  readonly cut: RequestCutError | null;
  readonly pace?: HoldPace;
}

interface Asked {
  readonly cleanroomId: string;
  readonly message: Buffer;
  readonly keyId: string | null;
  readonly maxTokens: number | null;
}

/** Answers sealed prompts by the enclave process; neither prompt nor reply is open here. */
@Injectable()
export class EnclaveChats {
  constructor(
    private readonly enclave: EnclaveHost,
    private readonly models: EnclaveModels,
    private readonly rooms: Rooms,
    private readonly turns: RoomTurns,
    private readonly paid: PaidRequests,
    @Inject(ENCLAVE_SETTINGS) private readonly settings: EnclaveSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError, RejectedRequestError, RequestCutError: without a charge */
  async answer(order: ChatOrder, signal: AbortSignal): Promise<EnclaveChat> {
    const asked = askedOf(order.body);
    await this.rooms.find(asked.cleanroomId, order.accountId);
    const model = this.#modelOf(order.body.model);
    const keyId = keyIdOf(await this.enclave.demandKey(asked.keyId));
    const pricedAtMs = this.clock.now();
    const tariff =
      this.models.tariffOf(model.id, pricedAtMs) ??
      reject('cleanroom_not_priced', `the model ${model.id} has no price`);
    const bound = boundOf(asked, model);
    const evidence = evidenceOf(asked, model);
    const held = await this.paid.admit(order, {
      purpose: enclaveChatProduct.purpose,
      model: model.id,
      lines: tariff.held(bound, {}),
      rateCardVersion: tariff.rateCardVersion,
      shrink: asked.maxTokens === null ? { meter: OUTPUT_METER, atLeast: 1 } : null,
      evidence,
      pricedAtMs,
      requestMsMax: REQUEST_MS_MAX,
    });
    const answer = await this.#written(order, asked, { held, bound }, signal);
    const { promptTokens, completionTokens } = answer;
    const usage = { promptTokens, completionTokens, source: 'counted' } as const;
    const cut = cutOf(signal) ?? null;
    const end = { answer, keyId, usage, cut, ...held.pace };
    if (cut && completionTokens === 0) {
      await held.release(cut.reason);
      return { ...end, entry: null };
    }
    const entry = await held.capture({
      ...held.charged(tariff.charged(usage, {}).lines),
      usageSource: 'counted',
      outcome: cut?.reason ?? 'completed',
      evidence: { ...evidence, promptTokens, completionTokens },
    });
    return { ...end, entry };
  }

  async #written(
    { accountId }: ChatOrder,
    { cleanroomId, message }: Asked,
    { held, bound }: { readonly held: HeldRequest; readonly bound: Bound },
    signal: AbortSignal,
  ): Promise<SealedAnswer> {
    const maxTokens = held.lines.find(({ meter }) => meter === OUTPUT_METER)?.quantity ?? 1;
    const aad = promptAad(cleanroomId, accountId, this.settings.model);
    const order = { info: sealInfo(cleanroomId), aad, message, maxTokens };
    const asked = { ...order, promptTokensMax: bound.inputTokens };
    try {
      const infer = () => this.enclave.infer(asked, signal);
      return await this.turns.run(accountId, infer, signal);
    } catch (error) {
      const cut = cutOf(signal);
      const isRefused =
        error instanceof EnclaveError ||
        error instanceof DomainError ||
        error instanceof CleanroomFailure;
      const reason = cut?.reason ?? (isRefused ? 'refused' : 'internal_error');
      await held.release(reason).catch(() => undefined);
      throw cut ?? errorOf(error);
    }
  }

  /** @throws DomainError `cleanroom_model_unavailable` */
  #modelOf(asked: string): EnclaveModel {
    const { model } = this.settings;
    const found = asked === model ? this.models.find(model) : undefined;
    if (found && found.file !== null) return found;
    const detail = `model: the enclave of this installation has ${model}, received ${asked}`;
    return reject('cleanroom_model_unavailable', detail);
  }
}

interface Bound {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** A token takes a byte at least, so the length of the message bounds them. */
const boundOf = ({ message, maxTokens }: Asked, model: EnclaveModel): Bound => ({
  inputTokens: Math.min(message.length + TEMPLATE_TOKENS, model.contextTokens),
  outputTokens: Math.min(maxTokens ?? model.maxOutputTokens, model.contextTokens),
});

/** The associated data of a prompt: it opens for this room, account and model only. */
export const promptAad = (cleanroomId: string, accountId: string, model: string): string =>
  ['quipu/prompt/1', cleanroomId, accountId, model].join('\n');

/** @throws RejectedRequestError */
const askedOf = (body: ChatBody): Asked => {
  const cleanroomId = roomIdOf(body, ['enclave_key_id']);
  const [message, ...others] = sealedContentsOf(body, 'a prompt that is sealed', PROMPT_BYTES_MAX);
  if (!message || others.length > 0) {
    throw rejectedField('messages', 'expected one message, which is the sealed prompt');
  }
  const { enclave_key_id: keyId = null } = body;
  if (keyId !== null && typeof keyId !== 'string') {
    throw rejectedField('enclave_key_id', 'expected the enclave_key_id of an attestation');
  }
  const limits = [body.max_tokens, body.max_completion_tokens].filter((limit) => limit != null);
  return {
    cleanroomId,
    message,
    keyId,
    maxTokens: limits.length === 0 ? null : Math.min(...limits),
  };
};

const evidenceOf = ({ cleanroomId, message }: Asked, { id }: EnclaveModel) => ({
  cleanroomId,
  model: id,
  sealedSha256: hash('sha256', message),
});

const errorOf = (error: unknown): unknown => {
  if (!(error instanceof EnclaveError)) return error;
  const { code, message } = error;
  switch (code) {
    case 'unsealable':
      return domainError(
        'cleanroom_prompt_unreadable',
        'messages[0].content: not sealed for this enclave key, room, account and model',
      );
    case 'prompt_invalid':
      return domainError('cleanroom_prompt_invalid', message);
    case 'prompt_too_long':
      return domainError('cleanroom_prompt_too_long', message);
    case 'model_missing':
      return domainError('cleanroom_model_unavailable', message);
    case 'model_failed':
    case 'crashed':
    case 'closed':
      return domainError('cleanroom_enclave_unavailable', `${message}; try again`);
  }
};

const domainError = (code: CleanroomsErrorCode, detail: string): DomainError =>
  new DomainError<CleanroomsErrorCode>(code, detail);
