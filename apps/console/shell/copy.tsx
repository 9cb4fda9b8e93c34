import { useSignal } from '@preact/signals';

export interface CopyProps {
  /** Of the button. */
  readonly label: string;
  readonly text: string;
}

/** Shows a text and copies it. */
export const Copy = ({ label, text }: CopyProps) => {
  const outcome = useSignal('');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      outcome.value = 'Copied.';
    } catch {
      outcome.value = 'The browser denies access to the clipboard: copy the text.';
    }
  };
  return (
    <div class="copy">
      <pre tabIndex={0}>{text}</pre>
      <button type="button" onClick={() => void copy()}>
        {label}
      </button>{' '}
      <span role="status">{outcome.value}</span>
    </div>
  );
};
