import { hash, randomUUID, sign } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { SignJWT } from 'jose';
import { z } from 'zod';
import { PackageOrdered, type PackageSealed } from '#events/packages/package.events.js';
import { type PackageProgress } from '#events/packages/package.job.js';
import { Blobs } from '#platform/blobs/blobs.port.js';
import { inOnePiece } from '#platform/blobs/pieces.js';
import {
  type Finished,
  type JobAttempt,
  type JobRunner,
  type Progress,
} from '#platform/jobs/job-type.js';
import { canonicalJson } from '#platform/kernel/canonical-json.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import {
  ContentChangedError,
  writeArchive,
  type WrittenArchive,
} from './archive/archive-writer.js';
import { contentOf } from './archive/content.js';
import { packageBytesOf, restOf } from './archive/package-file.js';
import {
  CONTENT,
  LICENCE,
  type Manifest,
  MANIFEST,
  MANIFEST_FORMAT,
  MINISIGN_KEY,
  MINISIGNATURE,
  PROVENANCE,
  ROOTS,
  SEAL_KEY,
  SIGNATURE,
} from './archive/package-members.js';
import { envelopeOf, statementOf } from './archive/provenance.js';
import { readVerifiers } from './archive/read-verifiers.js';
import { archiveBytesOf } from './archive/tar.js';
import { minisignatureOf, minisignKeyOf } from './keys/minisign.js';
import { PackageKeys, type SigningKey } from './keys/package-keys.js';
import { type Root, type SignedRoot } from './keys/root-metadata.js';
import { type PackageState } from './package.decider.js';
import { PACKAGE_METER } from './packages.products.js';
import { reject } from './packages.errors.js';
import { PACKAGE_SETTINGS, type PackageSettings } from './packages.settings.js';
import { PackagingLog } from './packaging-log.port.js';
import { ResidentModels } from './resident-models.port.js';
import { StoredPackages, subjectOf } from './stored-packages.js';

/** The order, which the request and the job record, and its limit. */
export const PackageInput = z.strictObject({
  order: PackageOrdered.schema,
  packagesMax: z.int().positive(),
});
export const PackageResult = z.strictObject({ packageUuid: z.uuid() });
export type PackageInput = z.infer<typeof PackageInput>;
export type PackageResult = z.infer<typeof PackageResult>;

const DAY_MS = 86_400_000;
const REPORT_EVERY_MS = 1_000;
const ANY_HARDWARE = 'any';

/** An archive, and the root that names the key of its seal. */
interface Sealing {
  readonly archive: WrittenArchive;
  readonly roots: readonly SignedRoot[];
  readonly root: Root;
  readonly key: SigningKey;
}

/**
 * Makes packages. An attempt writes the archive again, whose bytes are the same; the first event of
 * the packaging counts.
 */
@Injectable()
export class Packager implements JobRunner<
  PackageInput,
  PackageProgress,
  PackageResult,
  PackageResult
> {
  constructor(
    private readonly models: ResidentModels,
    private readonly packages: StoredPackages,
    private readonly keys: PackageKeys,
    private readonly log: PackagingLog,
    private readonly blobs: Blobs,
    @Inject(PACKAGE_SETTINGS) private readonly settings: PackageSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async *run(
    { accountId, input: { order, packagesMax } }: JobAttempt<PackageInput>,
    signal: AbortSignal,
  ): AsyncGenerator<Progress<PackageProgress, PackageResult>, Finished<PackageResult>, void> {
    const { packageUuid } = order;
    await this.packages.order(order, packagesMax, contextOf(packageUuid, 'system'));
    const found = await this.packages.find(accountId, packageUuid);
    const model = await this.models.find(order.model, accountId);
    if (model.sha256 !== order.modelSha256) {
      throw new ContentChangedError(`${order.model} has other weights than when it was ordered`);
    }
    const verifiers = await readVerifiers(this.settings.verifierFolder);
    const files = contentOf(model, order.hardwareArchitecture, verifiers);
    const bytes = archiveBytesOf(files);
    const state = { written: 0 };
    const onBytes = (written: number): void => void (state.written = written);
    const owner = model.isOwned ? subjectOf(order.userId) : null;
    const writing = writeArchive(this.blobs, files, owner, { onBytes, signal });
    yield* untilSettled(writing, () => progressOf(state.written, bytes));
    const archive = await writing;
    yield progressOf(bytes, bytes);
    const sealed = await this.#seal(found, archive, model.isOwned);
    await this.#finish(sealed.state, sealed.sealing);
    return { result: { packageUuid }, ...usedOf(bytes, bytes) };
  }

  async #seal(
    { order, sealed }: PackageState,
    archive: WrittenArchive,
    isOwned: boolean,
  ): Promise<{ readonly state: PackageState; readonly sealing: Sealing }> {
    const roots = await this.keys.inForce();
    const root = (sealed ? roots[sealed.rootVersion - 1] : roots.at(-1))?.signed;
    if (!root) return reject('package_root_invalid', 'the root of the package is not published');
    const key = this.keys.signerOf(root, 'seal');
    const sealing = { archive, roots, root, key };
    const manifest = manifestOf(order, sealing);
    const data: PackageSealed['data'] = {
      packageUuid: order.packageUuid,
      accountId: order.accountId,
      archiveSha256: archive.sha256,
      archiveBytes: archive.bytes,
      archiveBlob: archive.address,
      isOwned,
      manifestSha256: hash('sha256', manifest),
      seal: sign(null, manifest, key.privateKey).toString('base64'),
      keyId: key.id,
      rootVersion: root.version,
      sealedAt: instant(this.clock),
    };
    const state = await this.packages.seal(data, contextOf(sealIdOf(order.packageUuid), 'system'));
    if (state.isExpired) return reject('package_expired', 'the package has expired');
    if (state.sealed?.archiveSha256 !== archive.sha256) {
      throw new ContentChangedError('the archive differs from the sealed one');
    }
    return { state, sealing };
  }

  async #finish({ order }: PackageState, sealing: Sealing): Promise<void> {
    const { packageUuid, accountId, licenceDays } = order;
    const nowMs = this.clock.now();
    const licence = {
      id: randomUUID(),
      notBeforeMs: Math.floor(nowMs / 1_000) * 1_000,
      expiresAtMs: (Math.floor(nowMs / 1_000) + licenceDays * 86_400) * 1_000,
    };
    const token = await this.#licence(order, sealing, licence);
    const rest = restOf(sealing.archive.bytes, await this.#filesOf(order, sealing, token));
    const owner = subjectOf(order.userId);
    const { address } = await this.blobs.put(inOnePiece(rest), { owner });
    const data = {
      packageUuid,
      accountId,
      restBlob: address,
      bytes: packageBytesOf(sealing.archive.bytes, rest.length),
      sha256: sealing.archive.packageSha256(rest),
      sealedLicence: await this.packages.sealLicence(order, token),
      licenceId: licence.id,
      licensedUntil: new Date(licence.expiresAtMs).toISOString(),
      downloadUntil: new Date(nowMs + this.settings.downloadDays * DAY_MS).toISOString(),
      readyAt: new Date(nowMs).toISOString(),
    };
    await this.packages.finish(data, contextOf(readyIdOf(packageUuid), 'system'));
  }

  /** The files beside the content. */
  async #filesOf(
    order: PackageState['order'],
    sealing: Sealing,
    token: string,
  ): Promise<ReadonlyMap<string, Buffer>> {
    const { roots, key } = sealing;
    const manifest = manifestOf(order, sealing);
    const event = await this.log.prove(sealIdOf(order.packageUuid));
    const statement = statementOf(JSON.parse(String(manifest)) as Manifest, event);
    const { privateKey, publicKey } = key;
    const trusted = `package_uuid:${order.packageUuid}`;
    const texts: readonly (readonly [string, string])[] = [
      [LICENCE, token],
      [MINISIGNATURE, minisignatureOf(manifest, trusted, privateKey, publicKey)],
      [MINISIGN_KEY, minisignKeyOf(publicKey)],
      [PROVENANCE, envelopeOf(statement, privateKey, publicKey)],
      [ROOTS, canonicalJson(roots)],
      [SEAL_KEY, String(publicKey.export({ format: 'pem', type: 'spki' }))],
    ];
    return new Map([
      [MANIFEST, manifest],
      [SIGNATURE, sign(null, manifest, privateKey)],
      ...texts.map(([name, text]) => [name, Buffer.from(text)] as const),
    ]);
  }

  #licence(
    { packageUuid, accountId, hardwareArchitecture }: PackageState['order'],
    { archive, root }: Sealing,
    licence: { readonly id: string; readonly notBeforeMs: number; readonly expiresAtMs: number },
  ): Promise<string> {
    const key = this.keys.signerOf(root, 'licence');
    return new SignJWT({
      package_uuid: packageUuid,
      archive_sha256: archive.sha256,
      hardware_class: hardwareArchitecture ?? ANY_HARDWARE,
    })
      .setProtectedHeader({ alg: 'EdDSA', kid: key.id, typ: 'JWT' })
      .setSubject(`account:${accountId}`)
      .setJti(licence.id)
      .setIssuedAt(licence.notBeforeMs / 1_000)
      .setNotBefore(licence.notBeforeMs / 1_000)
      .setExpirationTime(licence.expiresAtMs / 1_000)
      .sign(key.privateKey);
  }
}

const manifestOf = (order: PackageState['order'], { archive, key, root }: Sealing): Buffer => {
  const manifest: Manifest = {
    archive: { path: CONTENT, sha256: archive.sha256, size: archive.bytes },
    created_at: order.orderedAt,
    format: MANIFEST_FORMAT,
    hardware_architecture: order.hardwareArchitecture,
    key_id: key.id,
    members: archive.members,
    model: { id: order.model, sha256: order.modelSha256 },
    package_name: order.packageName,
    package_uuid: order.packageUuid,
    root_version: root.version,
  };
  return Buffer.from(canonicalJson(manifest));
};

/** The ids of the requests that record a packaging: the log is asked for the first one. */
const sealIdOf = (packageUuid: string): string => derivedId('package-seal', packageUuid);
const readyIdOf = (packageUuid: string): string => derivedId('package-ready', packageUuid);

const usedOf = (bytesWritten: number, bytes: number) => ({
  shown: { bytesWritten, bytes },
  usage: [{ meter: PACKAGE_METER, quantity: bytesWritten }],
});

const progressOf = (
  bytesWritten: number,
  bytes: number,
): Progress<PackageProgress, PackageResult> => ({
  done: bytesWritten,
  total: bytes,
  checkpoint: null,
  ...usedOf(bytesWritten, bytes),
});

/** Reports until the work has ended; its error is the awaiting caller's. */
async function* untilSettled<Report>(
  work: Promise<unknown>,
  report: () => Report,
): AsyncGenerator<Report> {
  const settled = work.then(
    () => true,
    () => true,
  );
  while (!(await Promise.race([settled, sleep(REPORT_EVERY_MS, false, { ref: false })])))
    yield report();
}
