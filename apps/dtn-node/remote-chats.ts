import { randomBytes, type KeyObject } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  ANSWER_LENGTH_MAX,
  type Grant,
  type Receipt,
  signReceipt,
  verifiedGrant,
} from '#areas/dtn/remote/signed-grant.js';
import { type Logger } from 'pino';
import { type LanguageModelEngine } from '#engines/language-model/language-model.engine.js';
import { privateKeyOf } from '#platform/secrets/ed25519.js';
import { type Answer } from './bundle-node.js';
import { type KeptBundle, type NodeStore } from './node-store.js';

const KEY_FILE = 'node.key';
const SEED_BYTES = 32;
const MS_PER_SECOND = 1_000;
/** A receipt travels longer than its request lives, so that a late one is recorded. */
const LATE_MS = 86_400_000;
const CHAT_MS_MAX = 120_000;

/** The key that signs the receipts of this node; the first start makes it. */
export const nodeKeyOf = (home: string): KeyObject => {
  const file = path.join(home, KEY_FILE);
  if (!existsSync(file)) writeFileSync(file, randomBytes(SEED_BYTES), { mode: 0o600, flag: 'wx' });
  return privateKeyOf(readFileSync(file));
};

export interface RemoteChatParts {
  readonly node: string;
  /** Of the installation whose grants are honoured. */
  readonly grantKey: KeyObject;
  readonly key: KeyObject;
  readonly store: Pick<NodeStore, 'claim'>;
  readonly engine: Pick<LanguageModelEngine, 'stream'>;
  /** A GGUF file. */
  readonly modelFile: string;
  readonly now: () => number;
  readonly logger: Pick<Logger, 'error'>;
}

type Used = Pick<Receipt, 'status' | 'prompt_tokens' | 'completion_tokens' | 'text'>;

const NOTHING: Used = { status: 'failed', prompt_tokens: 0, completion_tokens: 0, text: '' };

/** Answers paid chats up to their signed holds, without any connection, and signs receipts. */
export class RemoteChats {
  constructor(private readonly parts: RemoteChatParts) {}

  /** Null for a bundle of another service, and for one that no valid grant pays for. */
  readonly serve = async (bundle: KeptBundle, payload: Uint8Array): Promise<Answer | null> => {
    const { node, grantKey, store, now, key } = this.parts;
    if (bundle.destination !== `${node}requests`) return null;
    const grant = await verifiedGrant(Buffer.from(payload).toString(), grantKey);
    if (grant?.node !== node || grant.exp * MS_PER_SECOND <= now()) return null;
    if (!(await store.claim(grant.hold_id, bundle, now()))) return null;
    const used = await this.#chat(grant);
    const receipt: Receipt = {
      ...{
        request_id: grant.request_id,
        hold_id: grant.hold_id,
        nonce: grant.nonce,
        node,
        ...used,
      },
      finished_at: new Date(now()).toISOString(),
    };
    return {
      destination: grant.reply_to,
      payload: Buffer.from(await signReceipt(receipt, key)),
      lifetimeMs: Math.max(0, grant.exp * MS_PER_SECOND - now()) + LATE_MS,
    };
  };

  async #chat(grant: Grant): Promise<Used> {
    const { engine, modelFile } = this.parts;
    const { messages, prompt_tokens_max: promptMax, completion_tokens_max: maxTokens } = grant;
    const request = { modelFile, messages, temperature: 0 };
    try {
      const counted = await used(engine.stream({ ...request, maxTokens: 0 }, signal()));
      if (counted.prompt_tokens > promptMax) return NOTHING;
      return await used(engine.stream({ ...request, maxTokens }, signal()));
    } catch (error) {
      // The account does not pay for a model that fails; the receipt says so at once.
      this.parts.logger.error({ err: error, request: grant.request_id }, 'a chat failed');
      return NOTHING;
    }
  }
}

const signal = (): AbortSignal => AbortSignal.timeout(CHAT_MS_MAX);

const used = async (stream: ReturnType<LanguageModelEngine['stream']>): Promise<Used> => {
  let text = '';
  for (;;) {
    const { value, done } = await stream.next();
    if (!done) {
      text += value;
      continue;
    }
    const { promptTokens, completionTokens } = value;
    return {
      status: 'completed',
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      text: text.slice(0, ANSWER_LENGTH_MAX),
    };
  }
};
