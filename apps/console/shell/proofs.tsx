import { useSignal } from '@preact/signals';
import { messageOf } from './answer.js';
import { instant } from './figures.js';
import { type AnswerOf } from './routes.js';
import { checkProof, type ProofVerdict } from '../../../packages/client/inclusion-proof.js';

type ProvenEvent = AnswerOf<'/audit/requests/{request_id}'>['events'][number];

interface ProofsProps {
  readonly events: readonly ProvenEvent[];
  readonly verifierKey: string;
}

const signedText = (isSigned: ProofVerdict['isSigned']): string => {
  if (isSigned === null) return 'This browser has no Ed25519, so the signature is not checked.';
  return isSigned
    ? 'The log has signed the checkpoint.'
    : 'The checkpoint does not have the signature of the log.';
};

const Verdict = ({ verdict }: { readonly verdict: ProofVerdict }) => {
  const holds = verdict.isIncluded && verdict.isSigned !== false;
  return (
    <span class={holds ? 'success' : 'failure'}>
      {verdict.isIncluded
        ? `Included in the tree of ${verdict.size} events. `
        : `Not in the tree of ${verdict.size} events: the event or the proof was changed. `}
      {signedText(verdict.isSigned)}
    </span>
  );
};

type Checked = ReadonlyMap<number, ProofVerdict | string>;

/** The browser computes the root of the tree from the bytes of each event. */
export const Proofs = ({ events, verifierKey }: ProofsProps) => {
  const checked = useSignal<Checked>(new Map());
  const check = async (): Promise<void> => {
    const verdicts = events.map(async ({ leaf, encoding, proof }) => {
      const verdict = checkProof({ encoding, proof, verifierKey }).catch(messageOf);
      return [leaf, await verdict] as const;
    });
    checked.value = new Map(await Promise.all(verdicts));
  };
  return (
    <>
      <p>
        <button type="button" onClick={() => void check()}>
          Check the proofs in this browser
        </button>
      </p>
      <ul id="proofs">
        {events.map(({ leaf, type, stream, recorded_at: at }) => {
          const verdict = checked.value.get(leaf);
          return (
            <li key={leaf}>
              {type} in <code>{stream}</code>, leaf {leaf}, {instant(at)}.{' '}
              {typeof verdict === 'string' && <span class="failure">{verdict}</span>}
              {typeof verdict === 'object' && <Verdict verdict={verdict} />}
            </li>
          );
        })}
      </ul>
      <p class="quiet">
        The key of the log is <code>{verifierKey}</code>. Compare it with the key that you know from
        elsewhere: an operator who changes history can change this answer too.
      </p>
    </>
  );
};
