import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialogs.tsx';
import { texts } from '../texts.ts';
import { placing } from './connection-form.tsx';
import { failedIn } from './connection-test.tsx';
import type { Test, Verdict } from './connection-verdict.ts';

export type OpenAnswer = 'test' | 'open' | 'stay';

interface OpenDialogProps {
  name: string;
  /** The verdict on the settings to be saved. */
  verdict: Verdict;
  test: Test | undefined;
  /** True when the draft has changes besides the access. */
  savesMore: boolean;
  onAnswer: (answer: OpenAnswer) => void;
}

/** Warns before a connection without a passed test is opened to other accounts. */
export function OpenDialog({ name, verdict, test, savesMore, onAnswer }: OpenDialogProps) {
  const why =
    verdict === 'failed' && test !== undefined
      ? `The test failed at: ${failedIn(test)}. New repositories may not work.`
      : verdict === 'partly'
        ? 'Writing was not tested. Uploads to new repositories may fail.'
        : 'These settings are not tested. New repositories may not work.';
  return (
    <Dialog title={`Open ${name} without a passed test?`} onClose={() => onAnswer('stay')}>
      <p>{why}</p>
      {savesMore && <p>The test first saves your other changes. “{placing}” stays unchanged until the test passes.</p>}
      <p class="actions">
        <Button kind="button" label="Test first" onClick={() => onAnswer('test')} />
        <Button label="Open without test" onClick={() => onAnswer('open')} />
        <Button kind="plain" label={texts.cancel} onClick={() => onAnswer('stay')} />
      </p>
    </Dialog>
  );
}
