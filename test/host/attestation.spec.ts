/** A TPM in software (swtpm) makes real quotes; `tpm2_checkquote` is the oracle. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { appraise, NO_REFERENCES } from '#engines/attestation/appraisal.js';
import { BINDING, binding } from '#engines/attestation/binding.fixture.js';
import { bindingDigest } from '#engines/attestation/binding.js';
import { TpmAttester } from '#engines/attestation/tpm/tpm.attester.js';
import { akSha256Of, type TpmEvidence } from '#engines/attestation/tpm/verify-quote.js';
import { requireProgram } from '../servers/required-program.js';

const run = promisify(execFile);
const START_MS = 10_000;

describe('quotes of a TPM 2.0', () => {
  let folder: string;
  let tpm: ChildProcess;
  let tcti: string;

  beforeAll(async () => {
    await requireProgram('swtpm');
    await requireProgram('tpm2_quote');
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-tpm-'));
    const socket = path.join(folder, 'tpm');
    tcti = `swtpm:path=${socket}`;
    const words = ['socket', '--tpm2', '--tpmstate', `dir=${folder}`, '--flags', 'startup-clear'];
    const server = ['--server', `type=unixio,path=${socket}`];
    const control = ['--ctrl', `type=unixio,path=${socket}.ctrl`];
    tpm = spawn('swtpm', [...words, ...server, ...control], { stdio: 'ignore' });
    const deadline = Date.now() + START_MS;
    while (!existsSync(socket)) {
      if (Date.now() > deadline) throw new Error('swtpm has not started');
      await sleep(20);
    }
  });

  afterAll(async () => {
    const exited = once(tpm, 'exit');
    tpm.kill();
    await exited;
    await rm(folder, { recursive: true });
  });

  const attest = async (bound = BINDING): Promise<TpmEvidence> =>
    (await new TpmAttester(tcti).attest(bound)) as TpmEvidence;

  /** The exit code of the oracle for the parts of the evidence. */
  const checkQuote = async (evidence: TpmEvidence, qualification: Buffer): Promise<number> => {
    const file = (name: string) => path.join(folder, name);
    await writeFile(file('ak.pem'), evidence.ak_pem);
    await writeFile(file('quote'), Buffer.from(evidence.quote, 'base64'));
    await writeFile(file('signature'), Buffer.from(evidence.signature, 'base64'));
    const parts = ['-u', file('ak.pem'), '-m', file('quote'), '-s', file('signature')];
    const checked = run('tpm2_checkquote', [
      ...[...parts, '-g', 'sha256', '-q', qualification.toString('hex')],
    ]);
    return checked.then(
      () => 0,
      (error: unknown) => (error as { readonly code: number }).code,
    );
  };

  it('are verified by us as by tpm2_checkquote', async () => {
    const evidence = await attest();
    const digest = bindingDigest(BINDING);
    expect(await checkQuote(evidence, digest)).toBe(0);
    expect(appraise(evidence, BINDING, NO_REFERENCES, Date.now()).status).toBe('not_attested');

    const other = binding({ nonce: 'another-nonce' });
    expect(await checkQuote(evidence, bindingDigest(other))).not.toBe(0);
    expect(() => appraise(evidence, other, NO_REFERENCES, Date.now())).toThrow(/bound to another/);

    const bytes = Buffer.from(evidence.quote, 'base64');
    bytes.writeUInt8(bytes.readUInt8(40) ^ 1, 40);
    const changed = { ...evidence, quote: bytes.toString('base64') };
    expect(await checkQuote(changed, digest)).not.toBe(0);
    expect(() => appraise(changed, BINDING, NO_REFERENCES, Date.now())).toThrow(/signature/);
  });

  it('are attested with the expected registers, until a register is extended', async () => {
    const evidence = await attest();
    const tpm2 = [{ ak_sha256: akSha256Of(evidence), ...evidence.pcrs }];
    const references = { ...NO_REFERENCES, tpm2 };
    expect(appraise(evidence, BINDING, references, Date.now())).toMatchObject({
      status: 'attested',
      hardwareRootOfTrust: 'tpm2',
    });
    await run('tpm2_pcrextend', ['-T', tcti, `7:sha256=${'ab'.repeat(32)}`]);
    const later = await attest();
    expect(akSha256Of(later)).toBe(akSha256Of(evidence));
    expect(later.pcrs.pcr_7).not.toBe(evidence.pcrs.pcr_7);
    expect(appraise(later, BINDING, references, Date.now()).status).toBe('not_attested');
  });

  it('take turns', async () => {
    const attester = new TpmAttester(tcti);
    const evidence = await Promise.all([1, 2, 3].map(() => attester.attest(BINDING)));
    for (const one of evidence) {
      expect(appraise(one, BINDING, NO_REFERENCES, Date.now()).hardwareRootOfTrust).toBe('tpm2');
    }
  });

  it('fail by name where there is no TPM', async () => {
    const away = new TpmAttester(`swtpm:path=${path.join(folder, 'none')}`);
    await expect(away.attest(BINDING)).rejects.toMatchObject({ code: 'attester_unavailable' });
  });
});
