import { ProofError } from '#areas/audit/proof/proof.error.js';
import { type Trust } from '#areas/audit/proof/trusted-checkpoint.js';
import { CommandFailure } from '../command-failure.js';

/** The keys that the caller of a verification knows. */
export interface TrustOptions {
  readonly key?: string;
  readonly witness?: readonly string[];
  readonly quorum?: number;
}

export const trustOf = ({ key, witness, quorum }: TrustOptions): Trust => ({
  ...(key !== undefined && { key }),
  ...(witness && { witnesses: witness }),
  ...(quorum !== undefined && { quorum }),
});

/** @throws CommandFailure with the code where the file is not proved */
export const orNotProved = async <Result>(
  code: string,
  verify: () => Result | Promise<Result>,
): Promise<Result> => {
  try {
    return await verify();
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    throw new CommandFailure(code, error.message);
  }
};
