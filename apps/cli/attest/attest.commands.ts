import { command, commandGroup, type DeclareCommands } from '../declare-command.js';
import { type CommonOptions } from '../invocation.js';
import { type VerifyReceiptOptions } from './verify-receipt.js';

export const declareCommands: DeclareCommands = (program, invoke) => {
  const attest = commandGroup(
    program,
    'attest',
    'Verify attestation receipts, and print their key.',
  );
  command(attest, 'verify', 'Verify the receipt of a clean room; needs no installation.')
    .argument('<file>', 'the verification_receipt of an attestation, or its whole answer')
    .option('--nonce <nonce>', 'the nonce that was sent')
    .option('--signer <file>', 'the public key of the installation, as PEM, known from elsewhere')
    .option('--references <file>', 'the expected measurements, as JSON')
    .action((file: string, options: Omit<VerifyReceiptOptions, 'file'>) =>
      invoke({ ...options, file }, async () => (await import('./verify-receipt.js')).verifyFile),
    );
  command(
    attest,
    'key',
    'Print the public key that signs the receipts of this installation.',
  ).action((options: CommonOptions) =>
    invoke(options, async () => (await import('./print-key.js')).printKey),
  );
};
