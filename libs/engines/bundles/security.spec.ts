import { describe, expect, it } from '@jest/globals';
import { BLOCK_TYPES, type Bundle } from './bundle.js';
import { decodeBundle, encodeBundle } from './bundle.codec.js';
import { addConfidentiality, openConfidentiality } from './confidentiality.js';
import { addIntegrity, checkIntegrity } from './integrity.js';
import { SCOPE_MASK } from './security-block.js';

/** The examples of RFC 9173, appendix A. */
const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'));
const PRIMARY = '88070000820282010282028202018202820201820018281a000f4240';
const CONTENT = '526561647920746f2067656e657261746520612033322d62797465207061796c6f6164';
const AGE = '85070200004319012c';
const PLAIN = `9f${PRIMARY}850101000058 23${CONTENT}ff`.replace(' ', '');
const HMAC_KEY = hex('1a2b1a2b1a2b1a2b1a2b1a2b1a2b1a2b');
const AES_KEY = hex('71776572747975696f70617364666768');
const AES_LONG_KEY = hex('71776572747975696f7061736466676871776572747975696f70617364666768');
const WRAPPING_KEY = hex('6162636465666768696a6b6c6d6e6f70');
const IV = hex('5477656c7665313231323132');
const CIPHERTEXT = '3a09c1e63fe23a7f66a59c7303837241e070b02619fc59c5214a22f08cd70795e73e9a';

const INTEGRITY =
  '850b0200005856810101018202820201828201078203008181820158403bdc69b3a34a2b5d3a8554368bd1e808f606' +
  '219d2a10a846eae3886ae4ecc83c4ee550fdfb1cc636b904e2f1a73e303dcd4b6ccece003e95e8164dcc89a156e1';
const CONFIDENTIALITY =
  '850c02010058508101020182028202018482014c5477656c766531323132313282020182035818' +
  '69c411276fecddc4780df42c8a2af89296fabf34d7fae70082040081' +
  '81820150efa4b5ac0108e3816c5606479801bc04';
const SEVERAL =
  '850b030000585c8200020101820282030082820105820300828182015820cac6ce8e4c5dae57988b757e49a6dd1431' +
  'dc04763541b2845098265bc817241b81820158203ed614c0d97f49b3633627779aa18a338d212bf3c92b97759d9739' +
  'cd50725596850c04010058348101020182028202018382014c5477656c766531323132313282020182040081818201' +
  '50efa4b5ac0108e3816c5606479801bc04';
const FULL_SCOPE =
  '9f88070000820282010282028202018202820201820018281a000f4240850c02010058498203010201820282020183' +
  '82014c5477656c76653132313231328202038204078281820150220ffc45c8a901999ecc60991dd78b2981820150d2' +
  'c51cb2481792dae8b21d848cede99b850b0300005846438ed6208eb1c1ffb94d952175167df0902902064a2983910c' +
  '4fb2340790bf420a7d1921d5bf7c4721e02ab87a93ab1e0b75cf62e4948727c8b5dae46ed2af05439b880291918501' +
  '01000058 2390eab6457593379298a8724e16e61f837488e127212b59ac91f8a86287b7d07630a122ff';

const bundleOf = (text: string): Bundle => decodeBundle(hex(text.replaceAll(' ', '')));
const hexOf = (bundle: Bundle): string => Buffer.from(encodeBundle(bundle)).toString('hex');
const source = 'ipn:2.1';
const notAuthentic = expect.objectContaining({ code: 'not_authentic' });

const signed = (bundle: Bundle, number: number, targets: readonly number[], variant: 5 | 6 | 7) =>
  addIntegrity(bundle, {
    ...{ key: HMAC_KEY, number, targets, variant },
    // In example A.3 another node than the source of the bundle signs.
    source: variant === 5 ? 'ipn:3.0' : source,
    scope: variant === 6 ? SCOPE_MASK : 0,
  });

describe('integrity blocks', () => {
  it('sign the payload as in example A.1', () => {
    const bundle = signed(bundleOf(PLAIN), 2, [1], 7);
    expect(hexOf(bundle)).toBe(`9f${PRIMARY}${INTEGRITY}85010100005823${CONTENT}ff`);
    expect(checkIntegrity(bundle, 2, HMAC_KEY)).toMatchObject({ targets: [1], source });
  });

  it('sign the primary block and an extension as in example A.3', () => {
    const aged = bundleOf(`9f${PRIMARY}${AGE}85010100005823${CONTENT}ff`);
    const bundle = addConfidentiality(signed(aged, 3, [0, 2], 5), {
      ...{ key: AES_KEY, wrappedBy: null, iv: IV, number: 4, targets: [1], source },
      ...{ variant: 1, scope: 0 },
    });
    // The order of the blocks between primary block and payload is free.
    const [confidentiality, integrity, age, payload] = bundle.blocks;
    const blocks = [integrity, confidentiality, age, payload].flatMap((block) => block ?? []);
    const ordered = hexOf({ ...bundle, blocks });
    expect(ordered).toBe(`9f${PRIMARY}${SEVERAL}${AGE}85010100005823${CIPHERTEXT}ff`);
    expect(checkIntegrity(bundle, 3, HMAC_KEY).targets).toEqual([0, 2]);
  });

  it('do not verify with another key, content, header or source', () => {
    const bundle = signed(bundleOf(PLAIN), 2, [1], 6);
    const other = hex('00'.repeat(16));
    expect(() => checkIntegrity(bundle, 2, other)).toThrow(notAuthentic);
    for (const change of [
      { ...bundle, primary: { ...bundle.primary, lifetimeMs: 999 } },
      {
        ...bundle,
        blocks: bundle.blocks.map((block) =>
          block.type === BLOCK_TYPES.payload ? { ...block, data: hex('00') } : block,
        ),
      },
    ]) {
      expect(() => checkIntegrity(change, 2, HMAC_KEY)).toThrow(notAuthentic);
    }
  });
});

describe('confidentiality blocks', () => {
  it('encrypt the payload with a wrapped key as in example A.2', () => {
    const bundle = addConfidentiality(bundleOf(PLAIN), {
      ...{ key: AES_KEY, wrappedBy: WRAPPING_KEY, iv: IV, number: 2, targets: [1], source },
      ...{ variant: 1, scope: 0 },
    });
    expect(hexOf(bundle)).toBe(`9f${PRIMARY}${CONFIDENTIALITY}85010100005823${CIPHERTEXT}ff`);
    expect(hexOf(openConfidentiality(bundle, 2, WRAPPING_KEY))).toBe(PLAIN);
    expect(() => openConfidentiality(bundle, 2, AES_KEY)).toThrow(notAuthentic);
  });

  it('encrypt a signature with all headers in scope as in example A.4', () => {
    const integral = signed(bundleOf(PLAIN), 3, [1], 6);
    const bundle = addConfidentiality(integral, {
      ...{ key: AES_LONG_KEY, wrappedBy: null, iv: IV, number: 2, targets: [3, 1], source },
      ...{ variant: 3, scope: SCOPE_MASK },
    });
    expect(hexOf(bundle)).toBe(FULL_SCOPE.replaceAll(' ', ''));
    const opened = openConfidentiality(bundleOf(FULL_SCOPE), 2, AES_LONG_KEY);
    expect(checkIntegrity(opened, 3, HMAC_KEY).targets).toEqual([1]);
    expect(() =>
      openConfidentiality(
        { ...bundle, primary: { ...bundle.primary, lifetimeMs: 1 } },
        2,
        AES_LONG_KEY,
      ),
    ).toThrow(notAuthentic);
  });
});
