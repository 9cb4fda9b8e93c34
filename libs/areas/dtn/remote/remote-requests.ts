import { createPublicKey, hash, randomBytes, type KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type RemoteEvent, remoteEvents } from '#events/dtn/remote.events.js';
import { labelsOf } from '#events/hold.vocabulary.js';
import { type UserId } from '#events/vocabulary.js';
import { Blobs } from '#platform/blobs/blobs.port.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { plusMs } from '#platform/kernel/instants.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { priceOf } from '#platform/ledger/price.js';
import { type CommandContext, followUp } from '#platform/runtime/commands/command-context.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { maySee, type Reader } from '#platform/runtime/projections/reader.js';
import { CLOCK, CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { privateKeyOf, rawPublicKeyOf } from '#platform/secrets/ed25519.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import { reject } from '../dtn.errors.js';
import { DTN_SETTINGS, type DtnSettings } from '../dtn.settings.js';
import { HandOverBundleCommand, HandOverBundleHandler } from '../hand-over.handler.js';
import { type Priority } from '../routing/contact-plan.js';
import { StoredBundles } from '../stored-bundles.js';
import { RemoteFunds } from './remote-funds.js';
import {
  type RemoteCommand,
  remoteRequestDecider,
  type RemoteState,
} from './remote-request.decider.js';
import { type Grant, signGrant, verifiedReceipt } from './signed-grant.js';

const GRANT_KEY = 'dtn-grants';
const MS_PER_SECOND = 1_000;
/** Marks of the template around a message are tokens, too. */
const TEMPLATE_TOKENS = 64;

export interface RemoteOrder {
  readonly accountId: string;
  readonly userId: UserId;
  readonly node: string;
  readonly messages: Grant['messages'];
  readonly maxTokens: number;
  readonly lifetimeSec: number;
  readonly priority: Priority;
}

export interface ShownRequest {
  readonly state: RemoteState;
  /** Null without one, and after the user is erased. */
  readonly text: string | null;
}

export const receiptEndpointOf = (node: string): string => `${node}receipts`;

/** Requests that other nodes carry out while they are disconnected, up to a signed hold. */
@Injectable()
export class RemoteRequests {
  readonly #runner: CommandRunner<RemoteCommand, RemoteState, RemoteEvent>;

  constructor(
    @Inject(EVENT_STORE) eventStore: EventStore,
    @Inject(CODEC) codec: EventCodec,
    private readonly blobs: Blobs,
    private readonly bundles: StoredBundles,
    private readonly handOver: HandOverBundleHandler,
    private readonly funds: RemoteFunds,
    private readonly ledger: Ledger,
    @Inject(SECRETS) private readonly secrets: Pick<Secrets, 'key'>,
    @Inject(DTN_SETTINGS) private readonly settings: DtnSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    const decider = remoteRequestDecider;
    this.#runner = new CommandRunner({ decider, eventStore, codec: codec.for(remoteEvents) });
  }

  /** The raw public key of the grants, which nodes trust: base64url. */
  publicKey(): string {
    return rawPublicKeyOf(createPublicKey(this.#key())).toString('base64url');
  }

  /** @throws DomainError */
  async place(order: RemoteOrder, context: CommandContext): Promise<ShownRequest> {
    const requestId = derivedId('remote request', context.requestId);
    const known = await this.#stateOf(requestId);
    if (known.placed) return this.#shown(known);
    if (!this.settings.nodeKeys.has(order.node)) {
      return reject('remote_node_unknown', `node: ${order.node} has no key here`);
    }
    await this.ledger.demandFunds(order.accountId, context.requestId);
    const cause = { id: requestId, correlationId: context.correlationId };
    // The key and the labels of the caller are on both holds.
    const step = (what: string): CommandContext => ({
      ...followUp(cause, what, context.actor),
      ...labelsOf(context),
    });
    const sending = step('hand over');
    const request = this.#requestOf(order, requestId, derivedId('bundle', sending.requestId));
    const holdId = derivedId('hold', requestId);
    const hold = await this.funds.place(request, holdId, step('hold'));
    const data = { ...request, hold };
    const { state } = await this.#run(requestId, { type: 'PlaceRequest', data }, step('place'));
    const sent = await this.#send(order, state, sending).catch(async (error: unknown) => {
      await this.#giveUp(requestId, context);
      throw error;
    });
    if (sent) return this.#shown(state);
    await this.#giveUp(requestId, context);
    return reject('remote_not_stored', 'the bundle of the request was not stored');
  }

  /**
   * A receipt that came as a bundle, in any order and any number.
   * @returns whether a node has signed it for a request of this installation
   */
  async receive(jws: string): Promise<boolean> {
    for (const [node, key] of this.settings.nodeKeys) {
      const receipt = await verifiedReceipt(jws, key);
      if (receipt?.node !== node) continue;
      const { request_id: requestId, nonce, hold_id: holdId, text, status } = receipt;
      const { placed, settled } = await this.#stateOf(requestId);
      const isOf = placed?.node === node && placed.nonce === nonce && placed.hold.holdId === holdId;
      if (!isOf) return false;
      if (settled) return true;
      const receiptSha256 = hash('sha256', jws);
      const answer =
        status === 'completed' ? await this.bundles.put(Buffer.from(text), placed.userId) : null;
      const used = {
        promptTokens: Math.min(receipt.prompt_tokens, placed.promptTokensMax),
        completionTokens: Math.min(receipt.completion_tokens, placed.completionTokensMax),
      };
      const data = { status, ...used, receiptSha256, answer, receivedAt: instant(this.clock) };
      const cause = { id: requestId, correlationId: requestId };
      const context = followUp(cause, `receipt ${receiptSha256}`, 'system');
      await this.#run(requestId, { type: 'RecordReceipt', data }, context);
      const blob = { address: answer ?? '', owner: `user:${placed.userId}` };
      if (answer !== null) await this.blobs.retainOrReport(blob, `remote:${requestId}`);
      return true;
    }
    return false;
  }

  /** @throws DomainError `remote_request_not_found` */
  async find(requestId: string, reader: Reader): Promise<ShownRequest> {
    const state = UUID.test(requestId) ? await this.#stateOf(requestId) : null;
    if (state?.placed && maySee(reader, state.placed.accountId)) return this.#shown(state);
    return reject('remote_request_not_found', 'there is no such request');
  }

  async expire(requestId: string, context: CommandContext, isUnsent = false): Promise<void> {
    const data = { expiredAt: instant(this.clock), isUnsent };
    await this.#run(requestId, { type: 'ExpireRequest', data }, context);
  }

  async settle(requestId: string, context: CommandContext): Promise<void> {
    await this.funds.settle(await this.#stateOf(requestId), context);
  }

  #requestOf(order: RemoteOrder, requestId: string, bundleId: string) {
    const { accountId, userId, node, messages, maxTokens, lifetimeSec } = order;
    const placedAt = instant(this.clock);
    // A token has at least one byte.
    const bytes = messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
    return {
      ...{ requestId, accountId, placedAt, userId, node, bundleId },
      nonce: randomBytes(16).toString('hex'),
      promptTokensMax: bytes + TEMPLATE_TOKENS * (messages.length + 1),
      completionTokensMax: maxTokens,
      expiresAt: plusMs(placedAt, lifetimeSec * MS_PER_SECOND),
    };
  }

  /** False where no bundle is stored. */
  async #send(
    { messages, lifetimeSec, priority }: RemoteOrder,
    { placed }: RemoteState,
    context: CommandContext,
  ): Promise<boolean> {
    if (!placed) return false;
    const { accountId, userId, node, hold } = placed;
    const grant: Grant = {
      ...{ request_id: placed.requestId, hold_id: hold.holdId, account: accountId },
      ...{ product: 'remote_chat', upper_micro_usd: String(priceOf(hold.lines)) },
      prompt_tokens_max: placed.promptTokensMax,
      completion_tokens_max: placed.completionTokensMax,
      exp: Math.floor(Date.parse(placed.expiresAt) / MS_PER_SECOND),
      ...{ node, reply_to: receiptEndpointOf(this.settings.node), nonce: placed.nonce, messages },
    };
    const jws = await signGrant(grant, this.#key());
    const bundle = await this.handOver.execute(
      new HandOverBundleCommand(
        {
          ...{ accountId, userId, priority, lifetimeSec },
          ...{ source: `${this.settings.node}remote`, destination: `${node}requests` },
          payload: Buffer.from(jws).toString('base64'),
        },
        context,
      ),
    );
    return bundle.status !== 'rejected';
  }

  async #giveUp(requestId: string, { correlationId, actor }: CommandContext): Promise<void> {
    const context = followUp({ id: requestId, correlationId }, 'unsent', actor);
    await this.expire(requestId, context, true);
  }

  async #shown(state: RemoteState): Promise<ShownRequest> {
    const { placed, settled } = state;
    if (!placed || !settled || settled.answer === null) return { state, text: null };
    const blob = { address: settled.answer, owner: `user:${placed.userId}` };
    const { content } = await this.blobs.open(blob);
    return { state, text: Buffer.concat(await Array.fromAsync(content)).toString() };
  }

  #key(): KeyObject {
    return privateKeyOf(this.secrets.key(GRANT_KEY));
  }

  async #stateOf(requestId: string): Promise<RemoteState> {
    return (await this.#runner.stateOf(streamOf(requestId))).state;
  }

  #run(requestId: string, command: RemoteCommand, context: CommandContext) {
    return this.#runner.run(streamOf(requestId), command, context);
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const streamOf = (requestId: string): string => `remote-${requestId}`;

/** A command of `remote-requests.saga.ts`. Each may come twice. */
abstract class OnRemoteRequest extends Command<void> {
  constructor(
    readonly requestId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

export class ExpireRemoteRequestCommand extends OnRemoteRequest {}
export class SettleRemoteRequestCommand extends OnRemoteRequest {}

@CommandHandler(ExpireRemoteRequestCommand)
export class ExpireRemoteRequestHandler implements ICommandHandler<ExpireRemoteRequestCommand> {
  constructor(private readonly requests: RemoteRequests) {}

  execute({ requestId, context }: ExpireRemoteRequestCommand): Promise<void> {
    return this.requests.expire(requestId, context);
  }
}

@CommandHandler(SettleRemoteRequestCommand)
export class SettleRemoteRequestHandler implements ICommandHandler<SettleRemoteRequestCommand> {
  constructor(private readonly requests: RemoteRequests) {}

  execute({ requestId, context }: SettleRemoteRequestCommand): Promise<void> {
    return this.requests.settle(requestId, context);
  }
}
