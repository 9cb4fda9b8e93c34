import { readFile } from 'node:fs/promises';
import { AUDIT_SETTINGS, type AuditSettings } from '#areas/audit/audit.settings.js';
import { logSignerOf } from '#areas/audit/log-signer.js';
import { CLAIM_KEYWORD, type ImageClaim, parseClaim } from '#areas/images/image-claim.js';
import {
  NoteError,
  parseNote,
  parseVerifierKey,
  signersOf,
  type VerifierKey,
} from '#platform/audit/signed-note.js';
import { TreeReader } from '#platform/audit/tree-reader.js';
import { PictureError } from '#platform/pictures/picture.js';
import { pixelsSha256Of } from '#platform/pictures/picture-task.js';
import { decodePng } from '#platform/pictures/png-decoder.js';
import { textsOf } from '#platform/pictures/png-text.js';
import { CommandFailure, usage } from '../command-failure.js';
import { withInstallation } from '../installation.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';

export interface VerifyImageOptions extends CommonOptions {
  readonly file: string;
  readonly key?: string;
}

/**
 * Checks the claim of a picture: with a key alone, that the log's owner has signed it for these
 * pixels; with an installation, that its log has the request, too.
 */
export const verifyImage = async (
  { file, key }: VerifyImageOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const picture = await readFile(file).catch((error: unknown) => {
    throw usage(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  });
  if (key !== undefined) return outcomeOf(provedClaim(picture, keyOf(key)), null);
  return withInstallation(invocation, 'exists', async ({ engines, settings }) => {
    const { origin } = settings.ofAreas.get(AUDIT_SETTINGS) as AuditSettings;
    const claim = provedClaim(picture, logSignerOf(engines.secrets, origin).key);
    const leaves = await new TreeReader(engines.readStore).leavesOf(claim.requestId);
    if (leaves.length > 0) return outcomeOf(claim, leaves);
    return notProved(`the log has no event of request ${claim.requestId}`);
  });
};

const notProved = (message: string): never => {
  throw new CommandFailure('image_not_proved', message);
};

const keyOf = (key: string): VerifierKey => {
  try {
    return parseVerifierKey(key);
  } catch (error) {
    if (error instanceof NoteError) throw usage(`--key: ${error.message}`);
    throw error;
  }
};

/** @throws CommandFailure for a picture without a claim that the key has signed for its pixels */
const provedClaim = (file: Buffer, key: VerifierKey): ImageClaim => {
  try {
    const texts = textsOf(file, CLAIM_KEYWORD);
    const [text] = texts;
    if (text === undefined || texts.length > 1) {
      return notProved(`the picture has ${texts.length} claims, not one`);
    }
    const note = parseNote(text);
    const claim = parseClaim(note.text);
    if (!claim) return notProved('the text of the picture is no claim');
    if (signersOf(note, [key]).length === 0)
      return notProved(`${key.name} has not signed the claim`);
    const { width, height, ...picture } = decodePng(file);
    const isOfPixels =
      width === claim.width &&
      height === claim.height &&
      pixelsSha256Of({ width, height, ...picture }) === claim.pixelsSha256;
    return isOfPixels ? claim : notProved('the claim is of other pixels');
  } catch (error) {
    if (error instanceof NoteError || error instanceof PictureError)
      return notProved(error.message);
    throw error;
  }
};

const outcomeOf = (claim: ImageClaim, leaves: readonly number[] | null): Outcome => ({
  json: {
    proved: true,
    request_id: claim.requestId,
    image: claim.image,
    images: claim.images,
    engine: claim.engine,
    width: claim.width,
    height: claim.height,
    pixels_sha256: claim.pixelsSha256,
    log_size: claim.log?.size ?? null,
    log_root: claim.log?.root ?? null,
    leaves,
  },
  text: [
    'The claim of the picture is proved.',
    `  request  ${claim.requestId}, picture ${claim.image} of ${claim.images}`,
    `  engine   ${claim.engine}`,
    `  log      ${claim.log ? `${claim.log.size} leaves when it was made` : 'not published then'}`,
    leaves ? `  leaves   ${leaves.join(', ')}` : '  leaves   not looked up: --key needs no log',
  ].join('\n'),
});
