import { Inject, Injectable } from '@nestjs/common';
import { type ChatGuard, ChatGuards, type GuardedWork } from '#platform/chats/chat-guards.port.js';
import { GuardedChat } from './chats/guarded-chat.js';
import { GUARD_SETTINGS, type GuardSettings } from './guards.settings.js';
import { HitRecorder } from './hit-recorder.js';
import { type GuardRule, isFor } from './rules/guard-rule.js';
import { GuardWebhooks } from './webhooks/guard-webhooks.js';

/** The rules of the operator, for each chat. */
@Injectable()
export class Guards extends ChatGuards {
  readonly #rules: readonly GuardRule[];

  constructor(
    @Inject(GUARD_SETTINGS) { rules }: Pick<GuardSettings, 'rules'>,
    readonly hits: HitRecorder,
    readonly webhooks: GuardWebhooks,
  ) {
    super();
    this.#rules = rules;
  }

  override of(work: GuardedWork): ChatGuard | undefined {
    if (this.#rules.length === 0) return undefined;
    const rules = this.#rules.filter((rule) => isFor(rule, work));
    return rules.length === 0 ? undefined : new GuardedChat(rules, work, this);
  }
}
