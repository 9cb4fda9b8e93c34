import { Injectable } from '@nestjs/common';
import { type ChatOrder } from '#platform/chats/chat-order.js';
import {
  type TextAnswer,
  TextChatStrategy,
  type TextEnd,
} from '#platform/chats/text-chat.strategy.js';
import { RoomAttestation } from '../attestation/room-attestation.js';
import { type EnclaveChat, EnclaveChats } from './enclave-chats.js';

/** The routing mode of sealed prompts. */
export const ENCLAVE_MODE = 'cleanroom_enclave_infer';

/** Chats whose prompt and reply are sealed; the content of the answer is the sealed reply. */
@Injectable()
export class EnclaveChatStrategy extends TextChatStrategy<EnclaveChat> {
  constructor(
    private readonly chats: EnclaveChats,
    private readonly attestation: RoomAttestation,
  ) {
    super();
  }

  protected override async begin(
    order: ChatOrder,
    signal: AbortSignal,
  ): Promise<TextAnswer<EnclaveChat>> {
    const end = await this.chats.answer(order, signal);
    return {
      rig: null,
      attempts: [],
      ...(end.pace && { pace: end.pace }),
      texts: textsOf(end),
    };
  }

  protected override endOf({ answer, keyId, usage, entry, cut }: EnclaveChat): TextEnd {
    const { teeType, attestationStatus } = this.attestation.status;
    const enclave = {
      enclave_key_id: keyId,
      tee_type: teeType,
      attestation_status: attestationStatus,
    };
    const finishReason = cut ? null : answer.finishReason;
    return { usage, entry, cut, finishReason, fields: { enclave } };
  }
}

/** A sealed reply has no parts: an answer that is cut delivers nothing. */
async function* textsOf(end: EnclaveChat): AsyncGenerator<string, EnclaveChat, void> {
  if (!end.cut) yield await Promise.resolve(end.answer.reply.toString('base64'));
  return end;
}
