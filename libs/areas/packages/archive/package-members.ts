/** The files of a package, as they lie in its tar archive: the content, and beside it the rest. */
export const CONTENT = 'content.tar';
export const LICENCE = 'licence.jwt';
export const MANIFEST = 'manifest.json';
/** In the format of minisign. */
export const MINISIGNATURE = 'manifest.json.minisig';
/** 64 bytes, as OpenSSL takes them. */
export const SIGNATURE = 'manifest.json.sig';
export const MINISIGN_KEY = 'minisign.pub';
/** An in-toto statement in a DSSE envelope. */
export const PROVENANCE = 'provenance.dsse.json';
/** The roots of the keys, from the first version on. */
export const ROOTS = 'roots.json';
export const SEAL_KEY = 'seal.pub.pem';

export const PACKAGE_MEMBERS: readonly string[] = [
  CONTENT,
  LICENCE,
  MANIFEST,
  MINISIGNATURE,
  SIGNATURE,
  MINISIGN_KEY,
  PROVENANCE,
  ROOTS,
  SEAL_KEY,
];

export const MANIFEST_FORMAT = 'quipu.package.v1';

/** A file of the content. */
export interface ManifestMember {
  readonly path: string;
  readonly sha256: string;
  readonly size: number;
}

/** The seal signs the canonical JSON of it. */
export interface Manifest {
  readonly archive: ManifestMember;
  readonly created_at: string;
  readonly format: typeof MANIFEST_FORMAT;
  readonly hardware_architecture: string | null;
  readonly key_id: string;
  readonly members: readonly ManifestMember[];
  readonly model: { readonly id: string; readonly sha256: string };
  readonly package_name: string;
  readonly package_uuid: string;
  readonly root_version: number;
}
