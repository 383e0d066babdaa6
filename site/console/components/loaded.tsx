import { type ReadonlySignal, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { type Problem, problemOf } from '../api/problem.ts';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';

export type LoadState<Value> =
  | { kind: 'loading' }
  | { kind: 'ready'; value: Value }
  | { kind: 'failed'; problem: Problem };

export interface Loading<Value> {
  state: ReadonlySignal<LoadState<Value>>;
  /** Loads the value again. The view shows the current value until the response arrives. */
  reload: () => Promise<void>;
  /** Replaces the loaded value `from` with `value`. Does nothing if a reload has replaced `from` in the meantime. */
  extend: (from: Value, value: Value) => void;
}

/** Loads a value when the view appears, and again when one of `keys` changes. */
export function useLoading<Value>(load: () => Promise<Value>, keys: readonly string[]): Loading<Value> {
  const loading = useMemo(() => createLoading(load), keys);
  useEffect(() => {
    void loading.reload();
    return loading.drop;
  }, [loading]);
  return loading;
}

/**
 * Creates a loader. It ignores a response that arrives after a call of `drop`, or after the response to a newer
 * request.
 */
export function createLoading<Value>(load: () => Promise<Value>): Loading<Value> & { drop: () => void } {
  const state = signal<LoadState<Value>>({ kind: 'loading' });
  let sent = 0;
  /**
   * The number of the newest request whose response is shown. Responses to older requests may contain outdated data, so
   * they are ignored.
   */
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

export function LoadingNote() {
  return (
    <p class="soft" role="status">
      {texts.loading}
    </p>
  );
}

interface LoadedProps<Value> {
  loading: Loading<Value>;
  children: (value: Value) => ComponentChildren;
}

/** Renders the loaded value, or the error message with a retry button. */
export function Loaded<Value>({ loading, children }: LoadedProps<Value>) {
  const state = loading.state.value;
  if (state.kind === 'loading') return <LoadingNote />;
  if (state.kind === 'ready') return children(state.value);
  return (
    <div class="notice problem" role="alert">
      <p>{state.problem.message}</p>
      <Button kind="plain" label="Try again" onClick={() => void loading.reload()} />
    </div>
  );
}
