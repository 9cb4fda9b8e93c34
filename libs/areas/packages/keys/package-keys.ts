import { createPublicKey, type KeyObject, randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { packageRootEvents, type PackageRootPublished } from '#events/packages/package.events.js';
import { parseVerifierKey } from '#platform/audit/signed-note.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { canonicalJson } from '#platform/kernel/canonical-json.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext, contextOf } from '#platform/runtime/commands/command-context.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CLOCK, CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { privateKeyOf } from '#platform/secrets/ed25519.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import { reject } from '../packages.errors.js';
import { PackagingLog } from '../packaging-log.port.js';
import { PackageError } from '../verification/package.error.js';
import { type PublishRoot, type PublishedRoots, rootDecider } from './root.decider.js';
import {
  demandSuccessor,
  keyIdOf,
  keysOf,
  readRoot,
  type Root,
  rootOf,
  type SignedRoot,
  withSignature,
} from './root-metadata.js';

const STREAM = 'package-root';
const DAY_MS = 86_400_000;
const VALID_DAYS = 365;
/** The installation renews a root that it may sign itself within so many days of its end. */
const RENEWAL_DAYS = 30;

/** A key pair of the installation. */
export interface SigningKey {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly id: string;
}

/** The change of a root that its successor makes. */
export interface RootChange {
  /** Whether seals and licences get new keys. */
  readonly rotates: boolean;
  /** The new keys of the root role; null: the same ones. */
  readonly rootKeys: { readonly keys: readonly KeyObject[]; readonly threshold: number } | null;
}

/** The keys of seals and licences, derived from the master key, and their root. */
@Injectable()
export class PackageKeys {
  readonly #runner: CommandRunner<PublishRoot, PublishedRoots, PackageRootPublished>;

  constructor(
    private readonly log: PackagingLog,
    @Inject(SECRETS) private readonly secrets: Pick<Secrets, 'key'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(EVENT_STORE) eventStore: EventStore,
    @Inject(CODEC) codec: EventCodec,
  ) {
    const decider = rootDecider;
    this.#runner = new CommandRunner({ decider, eventStore, codec: codec.for(packageRootEvents) });
  }

  /** The published roots, from the first version on; empty before the first package. */
  async published(): Promise<readonly SignedRoot[]> {
    const { state } = await this.#runner.stateOf(STREAM);
    return state.map((json) => readRoot(JSON.parse(json)));
  }

  /**
   * The published roots; the last one is in force. Makes the first one, and renews one that ends
   * soon, where the installation may.
   * @throws DomainError `package_root_expired`
   */
  async inForce(): Promise<readonly SignedRoot[]> {
    const roots = await this.published();
    const last = roots.at(-1);
    if (last && !this.#endsWithin(last.signed, RENEWAL_DAYS)) return roots;
    const next = await this.signed(await this.next({ rotates: false, rootKeys: null }));
    if (this.#mayFollow(next, last)) return this.publish(next, contextOf(randomUUID(), 'system'));
    if (last && !this.#endsWithin(last.signed, 0)) return roots;
    const detail = 'the root of the keys has expired; sign and publish the next one';
    return reject('package_root_expired', detail);
  }

  /** The next root, without signatures. */
  async next({ rotates, rootKeys }: RootChange): Promise<SignedRoot> {
    const last = (await this.published()).at(-1)?.signed;
    const generation = (last?.generation ?? 1) + (rotates && last ? 1 : 0);
    const own = { keys: [this.#keyOf('root', 1).publicKey], threshold: 1 };
    const kept = last && { keys: keysOf(last, 'root'), threshold: last.roles.root.threshold };
    const of = (role: 'seal' | 'licence') => ({
      keys: [this.#keyOf(role, generation).publicKey],
      threshold: 1,
    });
    const log = { keys: [parseVerifierKey(this.log.key()).publicKey], threshold: 1 };
    const roles = { root: rootKeys ?? kept ?? own, seal: of('seal'), licence: of('licence'), log };
    const expires = new Date(this.clock.now() + VALID_DAYS * DAY_MS).toISOString();
    const signed = rootOf(roles, { expires, generation, version: (last?.version ?? 0) + 1 });
    return { signatures: [], signed };
  }

  /** With the signature of the installation. */
  signed(root: SignedRoot): Promise<SignedRoot> {
    const { privateKey, id } = this.#keyOf('root', 1);
    return Promise.resolve(withSignature(root, privateKey, id));
  }

  /** @throws DomainError `package_root_invalid` without enough signatures, or of another version */
  async publish(root: SignedRoot, context: CommandContext): Promise<readonly SignedRoot[]> {
    const last = (await this.published()).at(-1);
    try {
      demandSuccessor(root, last?.signed);
    } catch (error) {
      if (!(error instanceof PackageError)) throw error;
      return reject('package_root_invalid', error.message);
    }
    const { version } = root.signed;
    const data = { version, root: canonicalJson(root), publishedAt: instant(this.clock) };
    await this.#runner.run(STREAM, { type: 'PublishRoot', data }, context);
    return this.published();
  }

  /** The key of a role in a root. @throws DomainError `package_root_invalid` where it lacks it */
  signerOf(root: Root, role: 'seal' | 'licence'): SigningKey {
    const key = this.#keyOf(role, root.generation);
    if (root.roles[role].keyids.includes(key.id)) return key;
    const detail = `root ${root.version} has other keys for the role ${role}`;
    return reject('package_root_invalid', detail);
  }

  #keyOf(role: 'root' | 'seal' | 'licence', generation: number): SigningKey {
    const privateKey = privateKeyOf(this.secrets.key(`package-${role}-${generation}`));
    const publicKey = createPublicKey(privateKey);
    return { privateKey, publicKey, id: keyIdOf(publicKey) };
  }

  #endsWithin({ expires }: Root, days: number): boolean {
    return Date.parse(expires) - this.clock.now() <= days * DAY_MS;
  }

  #mayFollow(root: SignedRoot, last: SignedRoot | undefined): boolean {
    try {
      demandSuccessor(root, last?.signed);
      return true;
    } catch (error) {
      if (error instanceof PackageError) return false;
      throw error;
    }
  }
}
