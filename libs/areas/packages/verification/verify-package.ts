import { createHash, type KeyObject, verify } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { verifyCheckpoint } from '#platform/audit/checkpoint.js';
import { isIncluded, leafHashOf } from '#platform/audit/merkle.js';
import { NoteError, parseVerifierKey } from '#platform/audit/signed-note.js';
import { parseProof } from '#platform/audit/tlog-proof.js';
import { canonicalJson } from '#platform/kernel/canonical-json.js';
import {
  CONTENT,
  LICENCE,
  type Manifest,
  MANIFEST,
  MANIFEST_FORMAT,
  type ManifestMember,
  MINISIGN_KEY,
  MINISIGNATURE,
  PACKAGE_MEMBERS,
  PROVENANCE,
  ROOTS,
  SEAL_KEY,
  SIGNATURE,
} from '../archive/package-members.js';
import {
  EVENT_BYPRODUCT,
  PAYLOAD_TYPE,
  preAuthOf,
  PROOF_BYPRODUCT,
  STATEMENT_TYPE,
} from '../archive/provenance.js';
import { isMinisigned, minisignKeyOf } from '../keys/minisign.js';
import {
  demandSuccessor,
  fingerprintOf,
  keyIdOf,
  keysOf,
  readRoot,
  type RoleName,
  type Root,
} from '../keys/root-metadata.js';
import { type Licence, readLicence } from './read-licence.js';
import { PackageError } from './package.error.js';
import { type MemberPlace, membersIn, piecesOf, readAt } from './tar-reader.js';

export interface PackageTrust {
  /** The fingerprint of a root that is known from elsewhere; null: the first root is believed. */
  readonly root: string | null;
  /** In milliseconds since the Unix epoch. */
  readonly nowMs: number;
}

export interface PackageReport {
  readonly manifest: Manifest;
  readonly licence: Licence;
  /** Of the newest root in the package. */
  readonly rootFingerprint: string;
  readonly log: { readonly origin: string; readonly size: number; readonly index: number };
  readonly notProved: readonly string[];
  /** Where each file of the content is in the package. */
  readonly content: readonly MemberPlace[];
}

/** Files beside the content are read into memory. */
const SMALL_BYTES_MAX = 1 << 20;

/** @throws PackageError with the reason, which names the altered file */
export const verifyPackage = async (path: string, trust: PackageTrust): Promise<PackageReport> => {
  const file = await open(path);
  try {
    return await verifyOpen(file, trust);
  } finally {
    await file.close();
  }
};

const verifyOpen = async (file: FileHandle, trust: PackageTrust): Promise<PackageReport> => {
  const whole = { name: 'the package', at: 0, bytes: (await file.stat()).size };
  const members = new Map((await membersIn(file, whole)).map((one) => [one.name, one]));
  demand(
    [...members.keys()].join() === PACKAGE_MEMBERS.join(),
    'the package lacks a file, or has another one',
  );
  const textOf = async (name: string): Promise<Buffer> => {
    const { at, bytes } = members.get(name) ?? missing(name);
    demand(bytes <= SMALL_BYTES_MAX, `${name} is altered: it is too large`);
    return readAt(file, at, bytes);
  };
  const roots = rootsIn(await textOf(ROOTS));
  const text = await textOf(MANIFEST);
  const manifest = manifestIn(text);
  const root =
    roots[manifest.root_version - 1] ?? reject(`${ROOTS} lacks version ${manifest.root_version}`);
  demand(root.expires > manifest.created_at, `root ${root.version} had expired before the sealing`);
  const seal = keyOf(root, 'seal', manifest.key_id);
  demand(
    verify(null, text, seal, await textOf(SIGNATURE)),
    `${MANIFEST} or ${SIGNATURE} is altered`,
  );
  const minisignature = String(await textOf(MINISIGNATURE));
  demand(isMinisigned(text, minisignature, seal), `${MINISIGNATURE} is altered`);
  demand(String(await textOf(MINISIGN_KEY)) === minisignKeyOf(seal), `${MINISIGN_KEY} is altered`);
  demand(String(await textOf(SEAL_KEY)) === pemOf(seal), `${SEAL_KEY} is altered`);
  const content = await verifyContent(file, members.get(CONTENT) ?? missing(CONTENT), manifest);
  const licence = readLicence(String(await textOf(LICENCE)), keysOf(root, 'licence'), manifest);
  const log = verifyProvenance(await textOf(PROVENANCE), root, seal, manifest);
  const newest = roots.at(-1) ?? root;
  const pinned = trust.root === null || roots.some((one) => fingerprintOf(one) === trust.root);
  demand(pinned, 'no root in the package has the known fingerprint');
  const nowAt = new Date(trust.nowMs).toISOString();
  demand(licence.notBefore <= nowAt, `the licence begins at ${licence.notBefore}`);
  demand(nowAt < licence.expiresAt, `the licence ended at ${licence.expiresAt}`);
  return {
    manifest,
    licence,
    rootFingerprint: fingerprintOf(newest),
    log,
    notProved: notProvedOf(trust, newest, nowAt),
    content,
  };
};

const notProvedOf = ({ root }: PackageTrust, { expires }: Root, nowAt: string): string[] => [
  ...(root === null ? ['who made the root: no fingerprint was given'] : []),
  ...(expires <= nowAt ? [`that the keys are still in use: the root expired at ${expires}`] : []),
  'the date: the clock of this machine is believed',
  'the hardware: its class is a label',
];

const rootsIn = (text: Buffer): readonly Root[] => {
  const list = parsed(text, ROOTS);
  demand(Array.isArray(list) && list.length > 0, `${ROOTS} is altered: it has no roots`);
  const roots: Root[] = [];
  for (const one of list as readonly unknown[]) {
    const signed = readRoot(one);
    demandSuccessor(signed, roots.at(-1));
    roots.push(signed.signed);
  }
  return roots;
};

const keyOf = (root: Root, role: RoleName, id: string): KeyObject =>
  keysOf(root, role).find((key) => keyIdOf(key) === id) ??
  reject(`the key ${id} does not have the role ${role} in root ${root.version}`);

const manifestIn = (text: Buffer): Manifest => {
  const manifest = parsed(text, MANIFEST) as Manifest | null;
  const isCanonical = canonicalJson(manifest) === String(text);
  return manifest && isCanonical && isOfFormat(manifest)
    ? manifest
    : reject(`${MANIFEST} is altered: it is not canonical`);
};

const isOfFormat = ({ format }: { readonly format: string }): boolean => format === MANIFEST_FORMAT;

/** Names each altered file. */
const verifyContent = async (
  file: FileHandle,
  place: MemberPlace,
  { archive, members }: Manifest,
): Promise<readonly MemberPlace[]> => {
  const content = await membersIn(file, place);
  const stated = new Map(members.map((one) => [one.path, one]));
  const whole = createHash('sha256');
  const altered: string[] = [];
  let at = place.at;
  for (const member of content) {
    for await (const piece of piecesOf(file, { at, bytes: member.at - at })) whole.update(piece);
    const own = createHash('sha256');
    for await (const piece of piecesOf(file, member)) {
      whole.update(piece);
      own.update(piece);
    }
    if (!isStated(stated.get(member.name), member, own.digest('hex'))) altered.push(member.name);
    stated.delete(member.name);
    at = member.at + member.bytes;
  }
  const rest = { at, bytes: place.at + place.bytes - at };
  for await (const piece of piecesOf(file, rest)) whole.update(piece);
  demand(altered.length === 0, `altered in ${CONTENT}: ${altered.join(', ')}`);
  demand(stated.size === 0, `missing in ${CONTENT}: ${[...stated.keys()].join(', ')}`);
  const isWhole = isStated(archive, place, whole.digest('hex'));
  demand(isWhole, `${CONTENT} is altered between its files`);
  return content;
};

const isStated = (
  stated: ManifestMember | undefined,
  { bytes }: MemberPlace,
  sha256: string,
): boolean => stated?.size === bytes && stated.sha256 === sha256;

const verifyProvenance = (
  text: Buffer,
  root: Root,
  seal: KeyObject,
  { archive, package_uuid: uuid }: Manifest,
): PackageReport['log'] => {
  const envelope = parsed(text, PROVENANCE) as Envelope | null;
  const payload = Buffer.from(String(envelope?.payload), 'base64');
  const signature = Buffer.from(String(envelope?.signatures?.[0]?.sig), 'base64');
  const isSigned = verify(null, preAuthOf(PAYLOAD_TYPE, payload), seal, signature);
  demand(isSigned && envelope?.payloadType === PAYLOAD_TYPE, `${PROVENANCE} is altered`);
  const statement = parsed(payload, PROVENANCE) as Statement | null;
  const isOfArchive =
    statement?._type === STATEMENT_TYPE &&
    statement.subject?.[0]?.digest?.sha256 === archive.sha256;
  demand(isOfArchive, `${PROVENANCE} is of another archive`);
  const { builder, byproducts } = statement.predicate.runDetails;
  const byName = (name: string): Buffer =>
    Buffer.from(byproducts.find((one) => one.name === name)?.content ?? '', 'base64');
  const event = byName(EVENT_BYPRODUCT);
  const names = event.includes(archive.sha256) && event.includes(uuid);
  demand(names, `the event of ${PROVENANCE} does not name the archive`);
  return includedIn(event, String(byName(PROOF_BYPRODUCT)), builder.id, root);
};

/** The signature of the seal covers these fields. */
interface Envelope {
  readonly payload?: unknown;
  readonly payloadType?: unknown;
  readonly signatures?: readonly { readonly sig?: unknown }[];
}
interface Statement {
  readonly _type?: unknown;
  readonly subject?: readonly { readonly digest?: { readonly sha256?: unknown } }[];
  readonly predicate: {
    readonly runDetails: {
      readonly builder: { readonly id: string };
      readonly byproducts: readonly { readonly name: string; readonly content: string }[];
    };
  };
}

const includedIn = (event: Buffer, proofText: string, builder: string, root: Root) => {
  try {
    const key = parseVerifierKey(builder.replace(/^urn:quipu:log:/, ''));
    keyOf(root, 'log', keyIdOf(key.publicKey));
    const { index, hashes, checkpoint } = parseProof(proofText);
    const { size, root: tree, origin } = verifyCheckpoint(checkpoint, key);
    const leafHash = leafHashOf(event);
    const isProved = isIncluded({ index, size, leafHash, proof: [...hashes], root: tree });
    demand(isProved, 'the log does not have the event of the packaging');
    return { origin, size, index };
  } catch (error) {
    if (!(error instanceof NoteError)) throw error;
    return reject(`the proof of ${PROVENANCE} is wrong: ${error.message}`);
  }
};

const parsed = (text: Buffer, name: string): unknown => {
  try {
    return JSON.parse(String(text));
  } catch {
    return reject(`${name} is altered: it is no JSON`);
  }
};

const pemOf = (key: KeyObject): string => String(key.export({ format: 'pem', type: 'spki' }));

function demand(condition: boolean, reason: string): asserts condition {
  if (!condition) throw new PackageError(reason);
}

const reject = (reason: string): never => {
  throw new PackageError(reason);
};

const missing = (name: string): never => reject(`the package lacks ${name}`);
