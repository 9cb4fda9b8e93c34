import { type ListedKeys } from '#areas/proofs/list-keys.query.js';
import { type VerificationAnswer } from '#areas/proofs/verify-proofs.handler.js';
import { type RegisteredKey } from '#projections/proofs/proof-keys.projection.js';
import { presentPage } from '../pages/page.dto.js';
import {
  type ProofKeyDto,
  type ProofKeyListDto,
  type ProofKeyPageDto,
  type ProofVerificationDto,
} from './proofs.dto.js';

export const presentVerification = ({
  key,
  claimsSha256,
  end,
}: VerificationAnswer): ProofVerificationDto => ({
  verified: end.verified.every(Boolean),
  proof_id: claimsSha256,
  prover_scheme: key.scheme,
  verification_time_ms: end.elapsedMs,
  results: end.verified,
  pairings: end.pairings,
  key_id: key.keyId,
  key_source: key.source,
  curve: key.curve,
});

export const presentKey = (key: RegisteredKey): ProofKeyDto => ({
  key_id: key.keyId,
  sha256: key.sha256,
  scheme: key.scheme,
  curve: key.curve,
  inputs: key.inputs,
  source: key.source,
  registered_at: key.registeredAt,
  retired_at: key.retiredAt,
});

export const presentKeys = (query: ProofKeyPageDto, listed: ListedKeys): ProofKeyListDto => ({
  ...presentPage(query, listed),
  keys: listed.found.map(presentKey),
  built_in: listed.builtIn.map(presentKey),
});
