import { type ReadonlySignal, signal } from '@preact/signals';
import type { BusyRequest } from '../../data/sender.ts';

/** What the requests to one repository wait for, so that a view can say it, and end the wait. */
export interface Waits {
  /** Some request was refused for now, again or for long. */
  isBusy: ReadonlySignal<boolean>;
  /** Sends at once what waits, and counts its tries anew. */
  tryNow(): void;
}

/** A first refusal is most often over before anybody has read of it. */
const shownFromTry = 2;
const longWaitMs = 5000;

/** The waits of a sender: each ends in its time, or sooner where there is a connection again or the person says so. */
export function createWaits() {
  const isBusy = signal(false);
  const busy = new Set<object>();
  const wakers = new Set<() => void>();

  function onBusy(request: object, trouble: BusyRequest | undefined): void {
    if (trouble === undefined) busy.delete(request);
    else if (trouble.tries >= shownFromTry || trouble.waitMs > longWaitMs) busy.add(request);
    isBusy.value = busy.size > 0;
  }

  function wait(ms: number, signal: AbortSignal): Promise<'anew' | undefined> {
    return new Promise((resolve, reject) => {
      const end = (outcome?: 'anew') => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        removeEventListener('online', goOn);
        wakers.delete(wake);
        resolve(outcome);
      };
      const goOn = () => end();
      const wake = () => end('anew');
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
