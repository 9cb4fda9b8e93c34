import { type KeyObject, sign } from 'node:crypto';
import { canonicalJson } from '#platform/kernel/canonical-json.js';
import { keyIdOf } from '../keys/root-metadata.js';
import { CONTENT, type Manifest } from './package-members.js';

/** In-toto statements (v1) with the predicate of SLSA (provenance v1), in DSSE envelopes. */

export const PAYLOAD_TYPE = 'application/vnd.in-toto+json';
export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
export const PREDICATE_TYPE = 'https://slsa.dev/provenance/v1';
const BUILD_TYPE = 'urn:quipu:package:v1';
/** The names of the by-products of the predicate. */
export const EVENT_BYPRODUCT = 'packaging-event';
export const PROOF_BYPRODUCT = 'inclusion-proof';

/** The event of the log that names the archive, and its proof. */
export interface LoggedEvent {
  /** The canonical bytes of the event. */
  readonly encoding: Buffer;
  /** By C2SP tlog-proof. */
  readonly proof: string;
  readonly position: bigint;
  /** Of its leaf. */
  readonly index: number;
  /** The verifier key of the log. */
  readonly logKey: string;
}

/** The bytes that an envelope signs. */
export const preAuthOf = (payloadType: string, payload: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `),
    payload,
  ]);

export const statementOf = (manifest: Manifest, event: LoggedEvent): object => ({
  _type: STATEMENT_TYPE,
  subject: [{ name: CONTENT, digest: { sha256: manifest.archive.sha256 } }],
  predicateType: PREDICATE_TYPE,
  predicate: {
    buildDefinition: {
      buildType: BUILD_TYPE,
      externalParameters: {
        hardware_architecture: manifest.hardware_architecture,
        model_source: manifest.model.id,
        package_name: manifest.package_name,
      },
      resolvedDependencies: [
        { name: manifest.model.id, digest: { sha256: manifest.model.sha256 } },
      ],
    },
    runDetails: {
      builder: { id: `urn:quipu:log:${event.logKey}` },
      metadata: { invocationId: manifest.package_uuid, startedOn: manifest.created_at },
      byproducts: [
        {
          name: EVENT_BYPRODUCT,
          mediaType: 'application/octet-stream',
          content: event.encoding.toString('base64'),
          annotations: { index: event.index, position: String(event.position) },
        },
        {
          name: PROOF_BYPRODUCT,
          mediaType: 'text/plain',
          content: Buffer.from(event.proof).toString('base64'),
        },
      ],
    },
  },
});

export const envelopeOf = (statement: object, privateKey: KeyObject, publicKey: KeyObject) => {
  const payload = Buffer.from(canonicalJson(statement));
  const signature = sign(null, preAuthOf(PAYLOAD_TYPE, payload), privateKey);
  return canonicalJson({
    payload: payload.toString('base64'),
    payloadType: PAYLOAD_TYPE,
    signatures: [{ keyid: keyIdOf(publicKey), sig: signature.toString('base64') }],
  });
};
