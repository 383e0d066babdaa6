import { Dialog } from '../components/dialogs.tsx';
import { texts } from '../texts.ts';
import { failedIn } from './connection-test.tsx';
import type { Test, Verdict } from './connection-verdict.ts';

export type OpenAnswer = 'test' | 'open' | 'stay';

interface OpenDialogProps {
  name: string;
  /** The verdict on the settings to be saved. */
  verdict: Verdict;
  test: Test | undefined;
  isReadOnly: boolean;
  /** True when the draft has changes besides the access. */
  savesMore: boolean;
  onAnswer: (answer: OpenAnswer) => void;
}

/** Warns before a connection without a passed test is opened to other accounts. */
export function OpenDialog({ name, verdict, test, isReadOnly, savesMore, onAnswer }: OpenDialogProps) {
  const outcome = isReadOnly ? 'reads nothing there' : 'cannot upload';
  const why =
    verdict === 'failed' && test !== undefined
      ? `Its test failed at: ${failedIn(test)}. Whoever makes a repository there ${outcome}.`
      : verdict === 'partly'
        ? 'Writing to it was not tested. If that fails, whoever makes a repository there cannot upload.'
        : `It is not tested with these settings. If they are wrong, whoever makes a repository there ${outcome}.`;
  return (
    <Dialog title={`Open ${name} without a test that passed?`} onClose={() => onAnswer('stay')}>
      <p>{why}</p>
      {savesMore && (
        <p>To test it first, what else you changed is saved. Who places repositories on it stays as it is.</p>
      )}
      <p class="actions">
        <button type="button" class="button" onClick={() => onAnswer('test')}>
          Test it first
        </button>
        <button type="button" class="button second" onClick={() => onAnswer('open')}>
          Open it all the same
        </button>
        <button type="button" class="plain" onClick={() => onAnswer('stay')}>
          {texts.cancel}
        </button>
      </p>
    </Dialog>
  );
}
