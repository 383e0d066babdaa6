import { type ReadonlySignal, signal } from '@preact/signals';
import type { BusyRequest } from '../../data/sender.ts';

/** The waiting requests to one repository. A view can show them and end the wait. */
export interface Waits {
  /** True when a request waits after repeated refusals or for a long time. */
  isBusy: ReadonlySignal<boolean>;
  /** Sends waiting requests at once and resets their retry counters. */
  tryNow(): void;
}

/** A first refusal usually ends before a user could read a notice. */
const shownFromTry = 2;
const longWaitMs = 5000;

/** Creates the waits of a sender. A wait ends by its timeout, by the browser's `online` event, or by `tryNow`. */
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
