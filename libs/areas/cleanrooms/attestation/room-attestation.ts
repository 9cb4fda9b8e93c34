import { createPublicKey, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type RoomRecord } from '#projections/cleanrooms/cleanrooms.projection.js';
import { reject } from '../cleanrooms.errors.js';
import { type EnclaveStatus } from '../enclave-actions.port.js';
import { EnclaveHost, keyIdOf } from '../enclave/enclave-host.js';
import {
  type AttesterChoice,
  ENCLAVE_SETTINGS,
  type EnclaveSettings,
} from '../enclave/enclave.settings.js';
import {
  type Appraisal,
  appraise,
  AttestationError,
  type Attester,
  type Binding,
  claimsOf,
  NitroAttester,
  Nonce,
  signReceipt,
  SoftwareAttester,
  TpmAttester,
} from './attestation.engine.js';
import { ReceiptSigner } from './receipt-signer.js';

const NONCE_BYTES = 32;

/** Attests the enclave for rooms, and signs the receipts. */
@Injectable()
export class RoomAttestation {
  readonly #attester: Attester;
  #lastStatus: Appraisal['status'] | null = null;

  constructor(
    private readonly enclave: EnclaveHost,
    private readonly signer: ReceiptSigner,
    @Inject(ENCLAVE_SETTINGS) private readonly settings: EnclaveSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.#attester = attesterOf(settings.attester);
  }

  /** The type of the attester, and the result of its last attestation in this process. */
  get status(): EnclaveStatus {
    const { teeType } = this.#attester;
    const first = teeType === 'software' ? 'self_reported' : 'not_attested';
    return { teeType, attestationStatus: this.#lastStatus ?? first };
  }

  /**
   * The fields of the answer.
   * @param nonce of the caller; undefined: the server draws one
   * @throws DomainError
   */
  async attest(
    { cleanroomId, name }: RoomRecord,
    nonce: unknown,
  ): Promise<Readonly<Record<string, unknown>>> {
    const asked = nonceOf(nonce);
    const identity = await this.enclave.identity();
    const binding: Binding = {
      nonce: asked ?? randomBytes(NONCE_BYTES).toString('base64url'),
      cleanroomUuid: cleanroomId,
      enclaveKeySpki: identity.spki.toString('base64'),
      log: [...identity.log],
    };
    const { appraisal, claims, receipt } = await this.#receiptOf(binding);
    this.#lastStatus = appraisal.status;
    return {
      cleanroom_name: name,
      tee_type: appraisal.teeType,
      attestation_status: appraisal.status,
      hardware_root_of_trust: appraisal.hardwareRootOfTrust,
      pcr_measurements: appraisal.pcrs,
      enclave_public_key_pem: createPublicKey({ key: identity.spki, format: 'der', type: 'spki' })
        .export({ format: 'pem', type: 'spki' })
        .toString(),
      verification_receipt: receipt,
      attestation_reason: appraisal.reason,
      pcr_semantics: appraisal.semantics,
      enclave_key_id: keyIdOf(identity),
      nonce: binding.nonce,
      nonce_source: asked === null ? 'server' : 'caller',
      receipt_signer_sha256: this.signer.sha256(),
      issued_at: isoOf(claims.iat),
      expires_at: isoOf(claims.exp),
    };
  }

  async #receiptOf(binding: Binding) {
    try {
      const evidence = await this.#attester.attest(binding);
      const atMs = this.clock.now();
      const appraisal = appraise(evidence, binding, this.settings.references, atMs);
      const claims = claimsOf({ issuer: 'quipu', binding, evidence, appraisal, atMs });
      return { appraisal, claims, receipt: await signReceipt(claims, this.signer.key()) };
    } catch (error) {
      if (!(error instanceof AttestationError)) throw error;
      return reject('cleanroom_attester_unavailable', error.message);
    }
  }
}

const attesterOf = (choice: AttesterChoice): Attester => {
  switch (choice.kind) {
    case 'software':
      return new SoftwareAttester();
    case 'tpm2':
      return new TpmAttester(choice.tcti);
    case 'aws_nitro':
      return new NitroAttester(choice.program);
  }
};

/** @throws DomainError `cleanroom_nonce_invalid` */
const nonceOf = (value: unknown): string | null => {
  if (value === undefined || value === null) return null;
  const { data, error } = Nonce.safeParse(value);
  if (data !== undefined) return data;
  return reject('cleanroom_nonce_invalid', `nonce: ${error.issues[0]?.message}`);
};

const isoOf = (seconds: number): string => new Date(seconds * 1e3).toISOString();
