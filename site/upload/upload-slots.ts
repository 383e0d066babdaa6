/** Limits the number of concurrent requests. The others wait in order. */
export interface UploadSlots {
  /** Resolves with a function that releases the slot. Rejects with the signal's reason. */
  take(signal: AbortSignal): Promise<() => void>;
}

export function createUploadSlots(count: number): UploadSlots {
  let free = count;
  const waiting = new Set<() => void>();

  function give(): void {
    const [next] = waiting;
    if (next === undefined) free += 1;
    else {
      waiting.delete(next);
      next();
    }
  }

  return {
    async take(signal) {
      signal.throwIfAborted();
      if (free > 0) free -= 1;
      else {
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        const abort = () => {
          // Rejects only if no slot was given at the same moment.
          if (waiting.delete(resolve)) reject(signal.reason);
        };
        waiting.add(resolve);
        signal.addEventListener('abort', abort, { once: true });
        await promise.finally(() => signal.removeEventListener('abort', abort));
      }
      let isGiven = false;
      return () => {
        if (!isGiven) give();
        isGiven = true;
      };
    },
  };
}
