import type { ListedObject } from '../../data/objects.ts';
import { Problem } from '../api/problem.ts';
import { Button } from '../components/button.tsx';
import type { OpenRepository } from './open-repository.ts';
import type { Waits } from './waits.ts';

/** The props of a dialog that acts on the selected files and folders. */
export interface SelectionProps {
  /** The keys of files, and prefixes of folders with their final slash. */
  names: readonly string[];
  repository: OpenRepository;
  /** The objects that the page already shows. They need no further request. */
  listed: readonly ListedObject[];
  /** Called after the action with a sentence about its result. */
  onDone: (sentence: string) => void;
  onClose: () => void;
}

/**
 * Returns the message to show for an error. Errors of the data client already have messages that users can understand.
 */
export function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : 'An error occurred in this page. Try again.';
}

/** Converts an error of the data client to a `Problem` that a form can show. */
export function refusalOf(error: unknown): Problem {
  return new Problem(0, 'failed', messageOf(error));
}

/** Tells the user that the page is retrying requests, and shows a button that retries at once. */
export function BusyNotice({ waits }: { waits: Waits }) {
  return (
    <div role="status">
      {waits.isBusy.value && (
        <p class="notice">
          The storage does not answer correctly at the moment. The page retries for one or two minutes. No data is lost.{' '}
          <Button label="Try again" onClick={waits.tryNow} />
        </p>
      )}
    </div>
  );
}

export function Refusal({ sentence, onRetry }: { sentence: string; onRetry?: (() => void) | undefined }) {
  return (
    <p class="notice" role="alert">
      {sentence} {onRetry !== undefined && <Button label="Try again" onClick={onRetry} />}
    </p>
  );
}
