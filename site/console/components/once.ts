import { useRef, useState } from 'preact/hooks';
import { notify, notifyRefusal } from './notices.tsx';

/**
 * Returns a function that runs one task at a time. It ignores calls while a task runs, such as the second of two fast
 * clicks.
 * A ref holds the flag, because Preact state would change only with the next render, after the second click.
 */
export function useOneAtATime(): (run: () => Promise<unknown>) => Promise<void> {
  const isRunning = useRef(false);
  return async (run) => {
    if (isRunning.current) return;
    isRunning.current = true;
    try {
      await run();
    } finally {
      isRunning.current = false;
    }
  };
}

/**
 * Runs one task at a time, and returns props that mark the button as busy. The button is not disabled, because a
 * disabled button loses the focus.
 */
export function useBusy() {
  const [isBusy, setBusy] = useState(false);
  const oneAtATime = useOneAtATime();
  const run = (work: () => Promise<unknown>) =>
    oneAtATime(async () => {
      setBusy(true);
      try {
        await work();
      } finally {
        setBusy(false);
      }
    });
  return { run, busy: busyWhile(isBusy) };
}

/**
 * Returns a function that runs the action of a button, one at a time. It then shows a notice with the text `done`, or
 * with the API's error.
 *
 * @param after loads the view's data again after the action
 */
export function useAction(after: () => Promise<unknown>) {
  const { run, busy } = useBusy();
  const act = (send: () => Promise<unknown>, done?: string) =>
    run(async () => {
      try {
        await send();
        if (done !== undefined) notify(done);
      } catch (error) {
        notifyRefusal(error);
      }
      await after();
    });
  return { act, busy };
}

export function busyWhile(isBusy: boolean) {
  return { 'aria-disabled': isBusy ? ('true' as const) : undefined };
}

/**
 * Ignores the second click of a double click on a button. After the first click, another button may be at the same
 * position.
 */
export function ignoreSecondClicks(): void {
  addEventListener(
    'click',
    (event) => {
      if (event.detail < 2 || !(event.target instanceof Element) || event.target.closest('button') === null) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    },
    { capture: true },
  );
}
