import { useRef, useState } from 'preact/hooks';
import { notify, notifyRefusal } from './notices.tsx';

/**
 * Returns a function that runs one task at a time. It ignores calls during a task, such as the second of two clicks.
 * It uses a ref, because state changes only with the next render.
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

/** Runs one task at a time and returns props that mark the button as busy. A disabled button would lose the focus. */
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
 * Returns a function that runs the action of a button, one at a time. It shows `done`, or the refusal, as a notice.
 *
 * @param after loads the view again
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

/** Ignores the second click of a double click on a button, because another button may have taken its position. */
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
