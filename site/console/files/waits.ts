import { type ReadonlySignal, signal } from '@preact/signals';
import type { BusyRequest } from '../../data/sender.ts';

/**
 * The requests to one repository that wait for a retry. A view can show that requests wait, and can retry them at once.
 */
export interface Waits {
  /** True when a request has been refused several times, or has waited for a long time. */
  isBusy: ReadonlySignal<boolean>;
  /** Sends all waiting requests at once, and resets their counts of attempts. */
  tryNow(): void;
}

/**
 * The number of failed attempts after which the notice appears. The wait after the first failure usually ends before a
 * user could read a notice.
 */
const shownFromTry = 2;
const longWaitMs = 5000;

/**
 * Creates the object that tracks waiting requests. A wait ends after its delay, when the browser is online again, or
 * when `tryNow` is called.
 */
export function createWaits() {
  const isBusy = signal(false);
  const busy = new Set<object>();
  const wakers = new Set<() => void>();

  function onBusy(request: object, trouble: BusyRequest | undefined): void {
    if (trouble === undefined) busy.delete(request);
    else if (trouble.tries >= shownFromTry || trouble.waitMs > longWaitMs) busy.add(request);
    isBusy.value = busy.size > 0;
  }

  function wait(ms: number, signal: AbortSignal): Promise<'reset' | undefined> {
    return new Promise((resolve, reject) => {
      const end = (outcome?: 'reset') => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        removeEventListener('online', goOn);
        wakers.delete(wake);
        resolve(outcome);
      };
      const goOn = () => end();
      const wake = () => end('reset');
      const abort = () => {
        reject(signal.reason);
        end();
      };
      const timer = setTimeout(goOn, ms);
      signal.addEventListener('abort', abort, { once: true });
      addEventListener('online', goOn);
      wakers.add(wake);
    });
  }

  const waits: Waits = {
    isBusy,
    tryNow: () => {
      for (const wake of [...wakers]) wake();
    },
  };
  return { waits, onBusy, wait };
}
