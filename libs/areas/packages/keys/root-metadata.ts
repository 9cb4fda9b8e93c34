import { hash, type KeyObject, sign, verify } from 'node:crypto';
import { canonicalJson } from '#platform/kernel/canonical-json.js';
import { PUBLIC_KEY_BYTES, publicKeyOf, rawPublicKeyOf } from '#platform/secrets/ed25519.js';
import { PackageError } from '../verification/package.error.js';

/**
 * The root of the keys of packages, in the manner of The Update Framework: it names the keys of
 * each role, and how many of them must sign. The keys of its predecessor and its own sign it.
 */
export const ROLES = ['root', 'seal', 'licence', 'log'] as const;
export type RoleName = (typeof ROLES)[number];

interface RootKey {
  readonly keytype: 'ed25519';
  readonly keyval: { readonly public: string };
  readonly scheme: 'ed25519';
}

interface RootRole {
  readonly keyids: readonly string[];
  readonly threshold: number;
}

export interface Root {
  readonly _type: 'root';
  readonly consistent_snapshot: false;
  /** ISO 8601 UTC with milliseconds. */
  readonly expires: string;
  /** Of the keys that the installation derives for seals and licences. */
  readonly generation: number;
  readonly keys: Readonly<Record<string, RootKey>>;
  readonly roles: Readonly<Record<RoleName, RootRole>>;
  readonly spec_version: '1.0.31';
  readonly version: number;
}

export interface SignedRoot {
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
  readonly signed: Root;
}

export const SPEC_VERSION = '1.0.31';
const KEYS_MAX = 32;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const rootKeyOf = (publicKey: KeyObject): RootKey => ({
  keytype: 'ed25519',
  keyval: { public: rawPublicKeyOf(publicKey).toString('hex') },
  scheme: 'ed25519',
});

const idOf = (key: RootKey): string => hash('sha256', canonicalJson(key));

export const keyIdOf = (publicKey: KeyObject): string => idOf(rootKeyOf(publicKey));

/** The public keys of each role, and its threshold. */
export type RoleKeys = Readonly<
  Record<RoleName, { readonly keys: readonly KeyObject[]; readonly threshold: number }>
>;

export const rootOf = (
  roles: RoleKeys,
  facts: Pick<Root, 'expires' | 'generation' | 'version'>,
): Root => {
  const keys = ROLES.flatMap((role) => roles[role].keys).map(rootKeyOf);
  const roleOf = (role: RoleName): RootRole => ({
    keyids: roles[role].keys.map(keyIdOf),
    threshold: roles[role].threshold,
  });
  return {
    _type: 'root',
    consistent_snapshot: false,
    ...facts,
    keys: Object.fromEntries(keys.map((key) => [idOf(key), key])),
    roles: {
      root: roleOf('root'),
      seal: roleOf('seal'),
      licence: roleOf('licence'),
      log: roleOf('log'),
    },
    spec_version: SPEC_VERSION,
  };
};

const bytesOf = (root: Root): Buffer => Buffer.from(canonicalJson(root));

/** The name by which a root is pinned: the SHA-256 of its canonical JSON. */
export const fingerprintOf = (root: Root): string => hash('sha256', bytesOf(root));

/** Adds the signature of a key, or replaces it. */
export const withSignature = (
  signed: SignedRoot,
  privateKey: KeyObject,
  id: string,
): SignedRoot => {
  const sig = sign(null, bytesOf(signed.signed), privateKey).toString('hex');
  const others = signed.signatures.filter(({ keyid }) => keyid !== id);
  return { ...signed, signatures: [...others, { keyid: id, sig }] };
};

/** The keys of a role. */
export const keysOf = ({ keys, roles }: Root, role: RoleName): readonly KeyObject[] =>
  roles[role].keyids.map((id) => publicKeyOf(Buffer.from(keys[id]?.keyval.public ?? '', 'hex')));

/** How many keys of the root role of `signer` have signed the root. */
const signersOf = ({ signed, signatures }: SignedRoot, signer: Root): number =>
  keysOf(signer, 'root').filter((key) => {
    const found = signatures.find(({ keyid }) => keyid === keyIdOf(key));
    return found && verify(null, bytesOf(signed), key, Buffer.from(found.sig, 'hex'));
  }).length;

const demandSigned = (root: SignedRoot, signer: Root): void => {
  const [signers, { threshold }] = [signersOf(root, signer), signer.roles.root];
  if (signers >= threshold) return;
  throw new PackageError(
    `root ${root.signed.version} has ${signers} signatures of the keys of root ` +
      `${signer.version}, and needs ${threshold}`,
  );
};

/** @throws PackageError unless the root may follow its predecessor; undefined: it is the first */
export const demandSuccessor = (root: SignedRoot, previous: Root | undefined): void => {
  const expected = (previous?.version ?? 0) + 1;
  const { version } = root.signed;
  if (version !== expected) {
    throw new PackageError(`the root has the version ${version}, and ${expected} is next`);
  }
  if (previous) demandSigned(root, previous);
  demandSigned(root, root.signed);
};

/** @throws PackageError for JSON that is no signed root */
export const readRoot = (value: unknown): SignedRoot => {
  const root = value as SignedRoot;
  if (isSignedRoot(root)) return root;
  throw new PackageError('the text is not the signed metadata of a root');
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isList = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.length <= KEYS_MAX;

const isPositive = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) > 0;

const isHex = (value: unknown, bytes: number): boolean =>
  typeof value === 'string' && /^[0-9a-f]+$/.test(value) && value.length === 2 * bytes;

const isSignedRoot = (value: unknown): value is SignedRoot =>
  isObject(value) &&
  isList(value['signatures']) &&
  value['signatures'].every(
    (one) => isObject(one) && isHex(one['keyid'], 32) && isHex(one['sig'], 64),
  ) &&
  isRoot(value['signed']);

const isRoot = (value: unknown): boolean =>
  isObject(value) &&
  value['_type'] === 'root' &&
  value['spec_version'] === SPEC_VERSION &&
  isPositive(value['version']) &&
  isPositive(value['generation']) &&
  typeof value['expires'] === 'string' &&
  INSTANT.test(value['expires']) &&
  areKeys(value['keys']) &&
  areRoles(value['roles'], value['keys'] as Root['keys']);

const areKeys = (value: unknown): boolean =>
  isObject(value) &&
  Object.keys(value).length <= KEYS_MAX &&
  Object.entries(value).every(
    ([id, key]) =>
      isObject(key) &&
      isObject(key['keyval']) &&
      isHex(key['keyval']['public'], PUBLIC_KEY_BYTES) &&
      idOf(key as unknown as RootKey) === id,
  );

const areRoles = (value: unknown, keys: Root['keys']): boolean =>
  isObject(value) && ROLES.every((role) => isRole(value[role], keys));

/** The keys of a role differ, so that one signature counts once. */
const isRole = (value: unknown, keys: Root['keys']): boolean =>
  isObject(value) &&
  isList(value['keyids']) &&
  isPositive(value['threshold']) &&
  value['threshold'] <= value['keyids'].length &&
  new Set(value['keyids']).size === value['keyids'].length &&
  value['keyids'].every((id) => typeof id === 'string' && Object.hasOwn(keys, id));
