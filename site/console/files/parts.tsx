import type { ListedObject } from '../../data/objects.ts';
import { Problem } from '../api/problem.ts';
import { Button } from '../components/button.tsx';
import type { OpenRepository } from './open-repository.ts';
import type { Waits } from './waits.ts';

/** The props of a dialog that acts on selected names. */
export interface SelectionProps {
  /** Keys, and folder prefixes with their final slash. */
  names: readonly string[];
  repository: OpenRepository;
  /** The objects of the shown page. No request is needed for them. */
  listed: readonly ListedObject[];
  /** Called with a sentence about the result. */
  onDone: (sentence: string) => void;
  onClose: () => void;
}

/** Returns the message for an error of the files view. Its errors have messages for users. */
export function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : 'An error occurred in this page. Try again.';
}

/** Returns the refusal for a form of the files view. */
export function refusalOf(error: unknown): Problem {
  return new Problem(0, 'failed', messageOf(error));
}

/** Says that requests are being retried, with a button that retries at once. */
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
