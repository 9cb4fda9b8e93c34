import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
if (!require('node:crypto').hash || !require('node:zlib').crc32) {
  console.error(
    'verify-package needs Node 20.15, 22.2 or later; this is ' +
      process.version +
      '. ' +
      'Nothing was verified.',
  );
  process.exit(2);
}
('use strict');

// apps/verifier/verify-package.main.ts
var import_node_util = require('util');

// libs/areas/packages/verification/describe-package.ts
var describePackage = ({ manifest, licence, rootFingerprint, log, notProved }) => {
  const { package_uuid: uuid, package_name: name, model, archive, members } = manifest;
  return {
    fields: {
      package_uuid: uuid,
      package_name: name,
      model: model.id,
      archive_sha256: archive.sha256,
      files: members.length,
      created_at: manifest.created_at,
      hardware_architecture: manifest.hardware_architecture,
      licence_id: licence.id,
      licence_not_before: licence.notBefore,
      licence_expires_at: licence.expiresAt,
      root_sha256: rootFingerprint,
      log,
      not_proved: notProved,
    },
    text: [
      `The package ${name} (${uuid}) is verified: ${members.length} files of ${model.id}.`,
      `archive  sha256:${archive.sha256}`,
      `licence  ${licence.id}, from ${licence.notBefore} to ${licence.expiresAt}`,
      `log      ${log.origin}, event ${log.index} of ${log.size}`,
      `root     ${rootFingerprint}`,
      ...notProved.map((one) => `Not proved: ${one}.`),
    ].join('\n'),
  };
};

// libs/areas/packages/verification/package.error.ts
var PackageError = class extends Error {
  constructor() {
    super(...arguments);
    this.name = 'PackageError';
  }
};

// libs/areas/packages/verification/verify-package.ts
var import_node_crypto7 = require('crypto');
var import_promises = require('fs/promises');

// libs/platform/audit/merkle.ts
var import_node_crypto = require('crypto');
var HASH_BYTES = 32;
var NODE_PREFIX = 1;
var LEAF_PREFIX = Buffer.from([0]);
var EMPTY_ROOT = (0, import_node_crypto.hash)('sha256', '', 'buffer');
var PROOF_HASHES_MAX = 64;
var leafHashOf = (entry) =>
  (0, import_node_crypto.hash)('sha256', Buffer.concat([LEAF_PREFIX, entry]), 'buffer');
var nodeHashOf = (left, right) => {
  const input = Buffer.allocUnsafe(1 + 2 * HASH_BYTES);
  input[0] = NODE_PREFIX;
  input.set(left, 1);
  input.set(right, 1 + HASH_BYTES);
  return (0, import_node_crypto.hash)('sha256', input, 'buffer');
};
var isOdd = (value) => (value & 1n) === 1n;
var rootFromInclusion = (index, size, leafHash, proof) => {
  if (!(index >= 0 && index < size)) return void 0;
  let node = BigInt(index);
  let last = BigInt(size) - 1n;
  let root = Buffer.from(leafHash);
  for (const sibling of proof) {
    if (last === 0n) return void 0;
    if (isOdd(node) || node === last) {
      root = nodeHashOf(sibling, root);
      while (!isOdd(node) && node !== 0n) {
        node >>= 1n;
        last >>= 1n;
      }
    } else {
      root = nodeHashOf(root, sibling);
    }
    node >>= 1n;
    last >>= 1n;
  }
  return last === 0n ? root : void 0;
};
var isIncluded = ({ index, size, leafHash, proof, root }) => {
  var _a;
  return (
    ((_a = rootFromInclusion(index, size, leafHash, proof)) == null ? void 0 : _a.equals(root)) ===
    true
  );
};

// libs/platform/audit/signed-note.ts
var import_node_crypto3 = require('crypto');

// libs/platform/secrets/ed25519.ts
var import_node_crypto2 = require('crypto');
var SPKI = Buffer.from('302a300506032b6570032100', 'hex');
var PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
var PUBLIC_KEY_BYTES = 32;
var rawPublicKeyOf = (publicKey) =>
  publicKey.export({ format: 'der', type: 'spki' }).subarray(SPKI.length);
var publicKeyOf = (raw) =>
  (0, import_node_crypto2.createPublicKey)({
    key: Buffer.concat([SPKI, raw]),
    format: 'der',
    type: 'spki',
  });

// libs/platform/audit/signed-note.ts
var NoteError = class extends Error {
  constructor() {
    super(...arguments);
    this.name = 'NoteError';
  }
};
var ED25519 = 1;
var ED25519_COSIGNATURE = 4;
var ID_BYTES = 4;
var SIGNATURE_BYTES = 64;
var TIMESTAMP_BYTES = 8;
var NOTE_BYTES_MAX = 1e6;
var SIGNATURES_MAX = 100;
var SIGNATURE_LINE = /^— (\S+) (\S+)$/;
var NAME = /^[^\s+]+$/u;
var CONTROL = /[\u0000-\u0009\u000b-\u001f]/;
var isKeyName = (name) => NAME.test(name) && !CONTROL.test(name);
var fromBase64 = (text) => {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : void 0;
};
var keyIdOf = (name, type, raw) =>
  (0, import_node_crypto3.hash)(
    'sha256',
    Buffer.concat([
      Buffer.from(`${name}
`),
      Buffer.from([type]),
      raw,
    ]),
    'buffer',
  )
    .subarray(0, ID_BYTES)
    .toString('hex');
var parseVerifierKey = (text) => {
  const [name = '', id = '', ...rest] = text.split('+');
  const bytes = fromBase64(rest.join('+'));
  const type = bytes == null ? void 0 : bytes[0];
  if (!isKeyName(name) || !bytes || !/^[0-9a-f]{8}$/.test(id)) {
    throw new NoteError('a verifier key is <name>+<8 hexadecimal digits>+<base64>');
  }
  if (type !== ED25519 && type !== ED25519_COSIGNATURE) {
    throw new NoteError(`the key of ${name} is of type ${type}, and only Ed25519 is supported`);
  }
  const raw = bytes.subarray(1);
  if (raw.length !== PUBLIC_KEY_BYTES) throw new NoteError(`the key of ${name} has another length`);
  if (keyIdOf(name, type, raw) !== id) throw new NoteError(`the id of the key of ${name} is wrong`);
  return { name, id, type, publicKey: publicKeyOf(raw) };
};
var messageOf = (type, text, seconds) =>
  Buffer.from(
    type === ED25519
      ? text
      : `cosignature/v1
time ${seconds}
${text}`,
  );
var parseNote = (note) => {
  if (Buffer.byteLength(note) > NOTE_BYTES_MAX) throw new NoteError('the note is too long');
  if (CONTROL.test(note)) throw new NoteError('the note has a control character');
  if (!note.isWellFormed()) throw new NoteError('the note is no Unicode text');
  const at = note.lastIndexOf('\n\n');
  if (at < 0 || !note.endsWith('\n')) throw new NoteError('the note has no signature');
  const lines = note.slice(at + 2, -1);
  const text = note.slice(0, at + 1);
  return {
    text,
    signatures:
      lines === ''
        ? []
        : parseSignatures(`${lines}
`),
  };
};
var parseSignatures = (lines) => {
  if (!lines.endsWith('\n')) throw new NoteError('a signature line has no end');
  const signatures = lines.slice(0, -1).split('\n').map(parseSignature);
  if (signatures.length > SIGNATURES_MAX) throw new NoteError('the note has too many signatures');
  return signatures;
};
var parseSignature = (line) => {
  const [, name = '', base64 = ''] = SIGNATURE_LINE.exec(line) ?? [];
  const bytes = fromBase64(base64);
  if (!isKeyName(name) || !bytes || bytes.length <= ID_BYTES) {
    throw new NoteError('a signature line is "— <name> <base64>"');
  }
  return { name, id: bytes.subarray(0, ID_BYTES).toString('hex'), bytes: bytes.subarray(ID_BYTES) };
};
var isValid = (text, { type, publicKey }, bytes) => {
  const timestamp = type === ED25519 ? Buffer.alloc(0) : bytes.subarray(0, TIMESTAMP_BYTES);
  if (bytes.length !== timestamp.length + SIGNATURE_BYTES) return false;
  const seconds = type === ED25519 ? 0n : timestamp.readBigUInt64BE();
  if (seconds >= 2n ** 63n) return false;
  return (0, import_node_crypto3.verify)(
    null,
    messageOf(type, text, seconds),
    publicKey,
    bytes.subarray(timestamp.length),
  );
};
var signersOf = ({ text, signatures }, known) => {
  const signers = /* @__PURE__ */ new Set();
  for (const { name, id, bytes } of signatures) {
    const key = known.find((one) => one.name === name && one.id === id);
    if (!key) continue;
    if (!isValid(text, key, bytes)) throw new NoteError(`the signature of ${name} is wrong`);
    signers.add(key);
  }
  return [...signers];
};

// libs/platform/audit/checkpoint.ts
var SIZE = /^(0|[1-9]\d{0,15})$/;
var parseTreeSize = (text) => {
  const size = SIZE.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(size) ? size : void 0;
};
var parseCheckpoint = (text) => {
  const [origin = '', sizeText = '', rootText = '', ...rest] = text.split('\n');
  const size = parseTreeSize(sizeText);
  const root = fromBase64(rootText);
  const hasEnd = rest.at(-1) === '' && !rest.slice(0, -1).includes('');
  if (
    origin === '' ||
    size === void 0 ||
    (root == null ? void 0 : root.length) !== HASH_BYTES ||
    !hasEnd
  ) {
    throw new NoteError('a checkpoint is an origin, a tree size and a root hash, each on a line');
  }
  return { origin, size, root };
};
var verifyCheckpoint = (note, log, witnesses = []) => {
  const parsed2 = parseNote(note);
  const checkpoint = parseCheckpoint(parsed2.text);
  if (checkpoint.origin !== log.name) {
    throw new NoteError(`the checkpoint is of ${checkpoint.origin}, not of ${log.name}`);
  }
  const signers = signersOf(parsed2, [log, ...witnesses]);
  if (!signers.includes(log)) throw new NoteError(`${log.name} has not signed the checkpoint`);
  return { ...checkpoint, note: parsed2, witnesses: signers.filter((one) => one !== log) };
};

// libs/platform/audit/tlog-proof.ts
var FORMAT = 'c2sp.org/tlog-proof@v1';
var parseProof = (text) => {
  var _a;
  const at = text.indexOf('\n\n');
  const [format, ...lines] = at < 0 ? [] : text.slice(0, at).split('\n');
  if (format !== FORMAT) throw new NoteError(`a proof begins with ${FORMAT}`);
  if (((_a = lines[0]) == null ? void 0 : _a.startsWith('extra ')) === true) {
    if (fromBase64(lines[0].slice('extra '.length)) === void 0) {
      throw new NoteError('the extra data of the proof is not base64');
    }
    lines.shift();
  }
  const [indexLine = '', ...hashTexts] = lines;
  const index = indexLine.startsWith('index ')
    ? parseTreeSize(indexLine.slice('index '.length))
    : void 0;
  if (index === void 0) throw new NoteError('the proof has no index');
  return { index, hashes: hashTexts.map(parseHash), checkpoint: text.slice(at + 2) };
};
var parseHash = (text, count) => {
  const hash5 = fromBase64(text);
  if ((hash5 == null ? void 0 : hash5.length) !== HASH_BYTES || count >= PROOF_HASHES_MAX) {
    throw new NoteError('the proof has a line that is no hash');
  }
  return hash5;
};

// libs/platform/kernel/canonical-json.ts
var canonicalJson = (value) => JSON.stringify(value, sorted);
var sorted = (_, value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(byName))
    : value;
var byName = ([one], [other]) => (one < other ? -1 : 1);

// libs/areas/packages/archive/package-members.ts
var CONTENT = 'content.tar';
var LICENCE = 'licence.jwt';
var MANIFEST = 'manifest.json';
var MINISIGNATURE = 'manifest.json.minisig';
var SIGNATURE = 'manifest.json.sig';
var MINISIGN_KEY = 'minisign.pub';
var PROVENANCE = 'provenance.dsse.json';
var ROOTS = 'roots.json';
var SEAL_KEY = 'seal.pub.pem';
var PACKAGE_MEMBERS = [
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
var MANIFEST_FORMAT = 'quipu.package.v1';

// libs/areas/packages/keys/root-metadata.ts
var import_node_crypto4 = require('crypto');
var ROLES = ['root', 'seal', 'licence', 'log'];
var SPEC_VERSION = '1.0.31';
var KEYS_MAX = 32;
var INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
var rootKeyOf = (publicKey) => ({
  keytype: 'ed25519',
  keyval: { public: rawPublicKeyOf(publicKey).toString('hex') },
  scheme: 'ed25519',
});
var idOf = (key) => (0, import_node_crypto4.hash)('sha256', canonicalJson(key));
var keyIdOf2 = (publicKey) => idOf(rootKeyOf(publicKey));
var bytesOf = (root) => Buffer.from(canonicalJson(root));
var fingerprintOf = (root) => (0, import_node_crypto4.hash)('sha256', bytesOf(root));
var keysOf = ({ keys, roles }, role) =>
  roles[role].keyids.map((id) => {
    var _a;
    return publicKeyOf(
      Buffer.from(((_a = keys[id]) == null ? void 0 : _a.keyval.public) ?? '', 'hex'),
    );
  });
var signersOf2 = ({ signed, signatures }, signer) =>
  keysOf(signer, 'root').filter((key) => {
    const found = signatures.find(({ keyid }) => keyid === keyIdOf2(key));
    return (
      found &&
      (0, import_node_crypto4.verify)(null, bytesOf(signed), key, Buffer.from(found.sig, 'hex'))
    );
  }).length;
var demandSigned = (root, signer) => {
  const [signers, { threshold }] = [signersOf2(root, signer), signer.roles.root];
  if (signers >= threshold) return;
  throw new PackageError(
    `root ${root.signed.version} has ${signers} signatures of the keys of root ${signer.version}, and needs ${threshold}`,
  );
};
var demandSuccessor = (root, previous) => {
  const expected = ((previous == null ? void 0 : previous.version) ?? 0) + 1;
  const { version } = root.signed;
  if (version !== expected) {
    throw new PackageError(`the root has the version ${version}, and ${expected} is next`);
  }
  if (previous) demandSigned(root, previous);
  demandSigned(root, root.signed);
};
var readRoot = (value) => {
  const root = value;
  if (isSignedRoot(root)) return root;
  throw new PackageError('the text is not the signed metadata of a root');
};
var isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
var isList = (value) => Array.isArray(value) && value.length <= KEYS_MAX;
var isPositive = (value) => Number.isSafeInteger(value) && Number(value) > 0;
var isHex = (value, bytes) =>
  typeof value === 'string' && /^[0-9a-f]+$/.test(value) && value.length === 2 * bytes;
var isSignedRoot = (value) =>
  isObject(value) &&
  isList(value['signatures']) &&
  value['signatures'].every(
    (one) => isObject(one) && isHex(one['keyid'], 32) && isHex(one['sig'], 64),
  ) &&
  isRoot(value['signed']);
var isRoot = (value) =>
  isObject(value) &&
  value['_type'] === 'root' &&
  value['spec_version'] === SPEC_VERSION &&
  isPositive(value['version']) &&
  isPositive(value['generation']) &&
  typeof value['expires'] === 'string' &&
  INSTANT.test(value['expires']) &&
  areKeys(value['keys']) &&
  areRoles(value['roles'], value['keys']);
var areKeys = (value) =>
  isObject(value) &&
  Object.keys(value).length <= KEYS_MAX &&
  Object.entries(value).every(
    ([id, key]) =>
      isObject(key) &&
      isObject(key['keyval']) &&
      isHex(key['keyval']['public'], PUBLIC_KEY_BYTES) &&
      idOf(key) === id,
  );
var areRoles = (value, keys) => isObject(value) && ROLES.every((role) => isRole(value[role], keys));
var isRole = (value, keys) =>
  isObject(value) &&
  isList(value['keyids']) &&
  isPositive(value['threshold']) &&
  value['threshold'] <= value['keyids'].length &&
  new Set(value['keyids']).size === value['keyids'].length &&
  value['keyids'].every((id) => typeof id === 'string' && Object.hasOwn(keys, id));

// libs/areas/packages/archive/provenance.ts
var PAYLOAD_TYPE = 'application/vnd.in-toto+json';
var STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
var EVENT_BYPRODUCT = 'packaging-event';
var PROOF_BYPRODUCT = 'inclusion-proof';
var preAuthOf = (payloadType, payload) =>
  Buffer.concat([
    Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `),
    payload,
  ]);

// libs/areas/packages/keys/minisign.ts
var import_node_crypto5 = require('crypto');
var PREHASHED = 'ED';
var PLAIN = 'Ed';
var KEY_ID_BYTES = 8;
var digestOf = (content) => (0, import_node_crypto5.hash)('blake2b512', content, 'buffer');
var idOf2 = (publicKey) =>
  (0, import_node_crypto5.hash)('sha256', rawPublicKeyOf(publicKey), 'buffer').subarray(
    0,
    KEY_ID_BYTES,
  );
var minisignKeyOf = (publicKey) => {
  const key = Buffer.concat([Buffer.from(PLAIN), idOf2(publicKey), rawPublicKeyOf(publicKey)]);
  return `untrusted comment: seal of Quipu packages
${key.toString('base64')}
`;
};
var isMinisigned = (content, text, publicKey) => {
  const [, line = '', comment = '', whole = ''] = text.split('\n');
  const bytes = Buffer.from(line, 'base64');
  const start = PREHASHED.length + KEY_ID_BYTES;
  const signature = bytes.subarray(start);
  const trusted = Buffer.from(comment.replace(/^trusted comment: /, ''));
  return (
    bytes.subarray(0, PREHASHED.length).toString() === PREHASHED &&
    bytes.subarray(PREHASHED.length, start).equals(idOf2(publicKey)) &&
    (0, import_node_crypto5.verify)(null, digestOf(content), publicKey, signature) &&
    (0, import_node_crypto5.verify)(
      null,
      Buffer.concat([signature, trusted]),
      publicKey,
      Buffer.from(whole, 'base64'),
    )
  );
};

// libs/areas/packages/verification/read-licence.ts
var import_node_crypto6 = require('crypto');
var ALGORITHM = 'EdDSA';
var readLicence = (token, keys, { package_uuid: uuid, archive }) => {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const signed = Buffer.from(`${header}.${payload}`);
  const bytes = Buffer.from(signature, 'base64url');
  const isSigned = keys.some((key) => (0, import_node_crypto6.verify)(null, signed, key, bytes));
  if (!isSigned || partOf(header).alg !== ALGORITHM) {
    throw new PackageError('licence.jwt is altered, or its key is not for licences');
  }
  const claims = partOf(payload);
  if (claims.package_uuid !== uuid || claims.archive_sha256 !== archive.sha256) {
    throw new PackageError('licence.jwt is of another package');
  }
  return {
    id: claims.jti,
    hardwareClass: claims.hardware_class,
    notBefore: instantOf(claims.nbf),
    expiresAt: instantOf(claims.exp),
  };
};
var partOf = (text) => JSON.parse(Buffer.from(text, 'base64url').toString());
var instantOf = (seconds) => new Date(seconds * 1e3).toISOString();

// libs/areas/packages/archive/tar.ts
var BLOCK_BYTES = 512;
var RECORD_BYTES = 20 * BLOCK_BYTES;
var NAME_BYTES_MAX = 100;
var MEMBER_BYTES_MAX = 8 ** 11 - 1;
var CHECKSUM_AT = 148;
var PLAIN_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
var octal = (value, digits) => value.toString(8).padStart(digits, '0');
var headerOf = (name, bytes) => {
  if (!PLAIN_NAME.test(name) || name.length > NAME_BYTES_MAX || bytes > MEMBER_BYTES_MAX) {
    throw new RangeError(`not a member of an archive: ${name} of ${bytes} bytes`);
  }
  const header = Buffer.alloc(BLOCK_BYTES);
  const fields = [
    [0, name],
    [100, octal(420, 7)],
    [108, octal(0, 7)],
    [116, octal(0, 7)],
    [124, octal(bytes, 11)],
    [136, octal(0, 11)],
    // The checksum counts its own field as spaces.
    [CHECKSUM_AT, ' '.repeat(8)],
    [156, '0'],
    [257, 'ustar\x0000'],
    [329, octal(0, 7)],
    [337, octal(0, 7)],
  ];
  for (const [at, text] of fields) header.write(text, at, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, CHECKSUM_AT, 'latin1');
  return header;
};

// libs/areas/packages/verification/tar-reader.ts
var MEMBERS_MAX = 64;
var PIECE_BYTES = 1 << 20;
var membersIn = async (file, { name: archive, at: start, bytes }) => {
  var _a;
  const members = [];
  const end = start + bytes;
  for (let at = start; at + BLOCK_BYTES <= end && members.length < MEMBERS_MAX;) {
    const header = await readAt(file, at, BLOCK_BYTES);
    if (header.every((byte) => byte === 0)) return members;
    const member = memberOf(header, at + BLOCK_BYTES);
    if (!member || member.at + member.bytes > end) break;
    members.push(member);
    at = member.at + Math.ceil(member.bytes / BLOCK_BYTES) * BLOCK_BYTES;
  }
  const last = (_a = members.at(-1)) == null ? void 0 : _a.name;
  const place = last === void 0 ? 'at its beginning' : `after ${last}`;
  throw new PackageError(`${archive} is altered: it has no header of a file ${place}`);
};
var memberOf = (header, at) => {
  const name = header.toString('latin1', 0, header.indexOf(0));
  const bytes = Number.parseInt(header.toString('latin1', 124, 135), 8);
  try {
    return headerOf(name, bytes).equals(header) ? { name, at, bytes } : void 0;
  } catch {
    return void 0;
  }
};
var readAt = async (file, at, bytes) => {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, at);
  if (bytesRead < bytes) throw new PackageError('the file is cut short');
  return buffer;
};
async function* piecesOf(file, { at: start, bytes }) {
  const buffer = Buffer.allocUnsafe(Math.min(PIECE_BYTES, Math.max(bytes, 1)));
  for (let at = start; at < start + bytes;) {
    const length = Math.min(buffer.length, start + bytes - at);
    const { bytesRead } = await file.read(buffer, 0, length, at);
    if (bytesRead === 0) throw new PackageError('the file is cut short');
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

// libs/areas/packages/verification/verify-package.ts
var SMALL_BYTES_MAX = 1 << 20;
var verifyPackage = async (path, trust) => {
  const file = await (0, import_promises.open)(path);
  try {
    return await verifyOpen(file, trust);
  } finally {
    await file.close();
  }
};
var verifyOpen = async (file, trust) => {
  const whole = { name: 'the package', at: 0, bytes: (await file.stat()).size };
  const members = new Map((await membersIn(file, whole)).map((one) => [one.name, one]));
  demand(
    [...members.keys()].join() === PACKAGE_MEMBERS.join(),
    'the package lacks a file, or has another one',
  );
  const textOf = async (name) => {
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
    (0, import_node_crypto7.verify)(null, text, seal, await textOf(SIGNATURE)),
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
var notProvedOf = ({ root }, { expires }, nowAt) => [
  ...(root === null ? ['who made the root: no fingerprint was given'] : []),
  ...(expires <= nowAt ? [`that the keys are still in use: the root expired at ${expires}`] : []),
  'the date: the clock of this machine is believed',
  'the hardware: its class is a label',
];
var rootsIn = (text) => {
  const list = parsed(text, ROOTS);
  demand(Array.isArray(list) && list.length > 0, `${ROOTS} is altered: it has no roots`);
  const roots = [];
  for (const one of list) {
    const signed = readRoot(one);
    demandSuccessor(signed, roots.at(-1));
    roots.push(signed.signed);
  }
  return roots;
};
var keyOf = (root, role, id) =>
  keysOf(root, role).find((key) => keyIdOf2(key) === id) ??
  reject(`the key ${id} does not have the role ${role} in root ${root.version}`);
var manifestIn = (text) => {
  const manifest = parsed(text, MANIFEST);
  const isCanonical = canonicalJson(manifest) === String(text);
  return manifest && isCanonical && isOfFormat(manifest)
    ? manifest
    : reject(`${MANIFEST} is altered: it is not canonical`);
};
var isOfFormat = ({ format }) => format === MANIFEST_FORMAT;
var verifyContent = async (file, place, { archive, members }) => {
  const content = await membersIn(file, place);
  const stated = new Map(members.map((one) => [one.path, one]));
  const whole = (0, import_node_crypto7.createHash)('sha256');
  const altered = [];
  let at = place.at;
  for (const member of content) {
    for await (const piece of piecesOf(file, { at, bytes: member.at - at })) whole.update(piece);
    const own = (0, import_node_crypto7.createHash)('sha256');
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
var isStated = (stated, { bytes }, sha256) =>
  (stated == null ? void 0 : stated.size) === bytes && stated.sha256 === sha256;
var verifyProvenance = (text, root, seal, { archive, package_uuid: uuid }) => {
  var _a, _b, _c, _d, _e;
  const envelope = parsed(text, PROVENANCE);
  const payload = Buffer.from(String(envelope == null ? void 0 : envelope.payload), 'base64');
  const signature = Buffer.from(
    String(
      (_b = (_a = envelope == null ? void 0 : envelope.signatures) == null ? void 0 : _a[0]) == null
        ? void 0
        : _b.sig,
    ),
    'base64',
  );
  const isSigned = (0, import_node_crypto7.verify)(
    null,
    preAuthOf(PAYLOAD_TYPE, payload),
    seal,
    signature,
  );
  demand(
    isSigned && (envelope == null ? void 0 : envelope.payloadType) === PAYLOAD_TYPE,
    `${PROVENANCE} is altered`,
  );
  const statement = parsed(payload, PROVENANCE);
  const isOfArchive =
    (statement == null ? void 0 : statement._type) === STATEMENT_TYPE &&
    ((_e = (_d = (_c = statement.subject) == null ? void 0 : _c[0]) == null ? void 0 : _d.digest) ==
    null
      ? void 0
      : _e.sha256) === archive.sha256;
  demand(isOfArchive, `${PROVENANCE} is of another archive`);
  const { builder, byproducts } = statement.predicate.runDetails;
  const byName2 = (name) => {
    var _a2;
    return Buffer.from(
      ((_a2 = byproducts.find((one) => one.name === name)) == null ? void 0 : _a2.content) ?? '',
      'base64',
    );
  };
  const event = byName2(EVENT_BYPRODUCT);
  const names = event.includes(archive.sha256) && event.includes(uuid);
  demand(names, `the event of ${PROVENANCE} does not name the archive`);
  return includedIn(event, String(byName2(PROOF_BYPRODUCT)), builder.id, root);
};
var includedIn = (event, proofText, builder, root) => {
  try {
    const key = parseVerifierKey(builder.replace(/^urn:quipu:log:/, ''));
    keyOf(root, 'log', keyIdOf2(key.publicKey));
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
var parsed = (text, name) => {
  try {
    return JSON.parse(String(text));
  } catch {
    return reject(`${name} is altered: it is no JSON`);
  }
};
var pemOf = (key) => String(key.export({ format: 'pem', type: 'spki' }));
function demand(condition, reason) {
  if (!condition) throw new PackageError(reason);
}
var reject = (reason) => {
  throw new PackageError(reason);
};
var missing = (name) => reject(`the package lacks ${name}`);

// apps/verifier/verify-package.main.ts
var USAGE = `Usage: node verify.mjs <package.tar> [--root <fingerprint>] [--json]

Verifies the seal, the files, the licence and the provenance of a package, without a network.

  --root <fingerprint>  a root of the keys, known from elsewhere: 64 hexadecimal digits
  --json                print JSON

Exit codes: 0 verified; 1 not verified; 2 bad usage.`;
var OPTIONS = { root: { type: 'string' }, json: { type: 'boolean' } };
var read = (words) => {
  try {
    const { values, positionals } = (0, import_node_util.parseArgs)({
      args: [...words],
      options: OPTIONS,
      allowPositionals: true,
    });
    const [file, ...more] = positionals;
    const { root = null, json = false } = values;
    const isRoot2 = root === null || /^[0-9a-f]{64}$/.test(root);
    return file === void 0 || more.length > 0 || !isRoot2 ? void 0 : { file, root, json };
  } catch {
    return void 0;
  }
};
var main = async (words) => {
  const asked = read(words);
  if (!asked) {
    process.stderr.write(`${USAGE}
`);
    process.exitCode = 2;
    return;
  }
  const { file, root, json } = asked;
  try {
    const { fields, text } = describePackage(
      await verifyPackage(file, { root, nowMs: Date.now() }),
    );
    process.stdout.write(`${json ? JSON.stringify({ success: true, ...fields }) : text}
`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const isRefuted = error instanceof PackageError;
    const code = isRefuted ? 'package_not_verified' : 'unreadable';
    const text = `${isRefuted ? 'NOT verified' : 'cannot verify'}: ${reason}`;
    process.stderr.write(
      `${json ? JSON.stringify({ success: false, code, message: reason }) : text}
`,
    );
    process.exitCode = 1;
  }
};
void main(process.argv.slice(2));
