import { texts } from './texts.ts';
import type { Waits } from './waits.ts';

/** Says that requests are being retried, with a button that retries at once. */
export function BusyNotice({ waits }: { waits: Waits }) {
  return (
    <div role="status">
      {waits.isBusy.value && (
        <p class="notice">
          {texts.busy}{' '}
          <button type="button" class="button second" onClick={waits.tryNow}>
            {texts.again}
          </button>
        </p>
      )}
    </div>
  );
}
