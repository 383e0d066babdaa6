import { useRef, useState } from 'preact/hooks';

/**
 * Runs one thing at a time: what is asked for meanwhile, as by the second of two clicks, is not done. At once, where a
 * state is only there with the next drawing.
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

/** The same for a button, which says that it works by `busy`: one that is disabled meanwhile would lose the focus. */
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

export function busyWhile(isBusy: boolean) {
  return { 'aria-disabled': isBusy ? ('true' as const) : undefined };
}

/**
 * The second click of a double click presses no button: the first has done what the button says, and what is there now may
 * be another one.
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
