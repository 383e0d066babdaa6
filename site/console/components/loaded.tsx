import { type ReadonlySignal, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { type Problem, problemOf } from '../api/problem.ts';
import { texts } from '../texts.ts';

export type LoadState<Value> =
  | { kind: 'loading' }
  | { kind: 'ready'; value: Value }
  | { kind: 'failed'; problem: Problem };

export interface Loading<Value> {
  state: ReadonlySignal<LoadState<Value>>;
  /** What is shown stays until the new answer is there. */
  reload: () => Promise<void>;
  /** Shows more of the same: dropped where an answer has taken the place of `from` meanwhile, which begins anew. */
  extend: (from: Value, value: Value) => void;
}

/** Loads when the view appears and when one of `keys` changes. */
export function useLoading<Value>(load: () => Promise<Value>, keys: readonly string[]): Loading<Value> {
  const loading = useMemo(() => createLoading(load), keys);
  useEffect(() => {
    void loading.reload();
    return loading.drop;
  }, [loading]);
  return loading;
}

/** An answer that comes after nobody waits for it any more, or after that of a later request, is dropped. */
export function createLoading<Value>(load: () => Promise<Value>): Loading<Value> & { drop: () => void } {
  const state = signal<LoadState<Value>>({ kind: 'loading' });
  let sent = 0;
  /** Of the latest that was shown; what was sent up to it may be from before a change. */
  let shown = 0;
  return {
    state,
    async reload() {
      sent += 1;
      const own = sent;
      const show = (next: LoadState<Value>) => {
        if (own <= shown) return;
        shown = own;
        state.value = next;
      };
      try {
        show({ kind: 'ready', value: await load() });
      } catch (error) {
        show({ kind: 'failed', problem: problemOf(error) });
      }
    },
    extend(from: Value, value: Value) {
      const { value: now } = state;
      if (now.kind === 'ready' && now.value === from) state.value = { kind: 'ready', value };
    },
    drop() {
      shown = sent;
    },
  };
}

/** What was loaded, or why there is nothing, with a way to try again. */
export function Loaded<Value>({
  loading,
  children,
}: {
  loading: Loading<Value>;
  children: (value: Value) => ComponentChildren;
}) {
  const state = loading.state.value;
  if (state.kind === 'loading')
    return (
      <p class="soft" role="status">
        {texts.loading}
      </p>
    );
  if (state.kind === 'ready') return children(state.value);
  return (
    <div class="notice problem" role="alert">
      <p>{state.problem.message}</p>
      <button type="button" class="plain" onClick={() => void loading.reload()}>
        {texts.tryAgain}
      </button>
    </div>
  );
}
