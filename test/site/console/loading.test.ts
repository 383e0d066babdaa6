import { expect, test } from 'vitest';
import { createLoading } from '../../../site/console/components/loaded.tsx';

/** Returns a source whose answers arrive in the order that a test chooses. */
function fixture() {
  const answers: ((value: string) => void)[] = [];
  const loading = createLoading(() => new Promise<string>((resolve) => answers.push(resolve)));
  return { loading, answers };
}

test('an answer that comes after that of a later request is not shown in its place', async () => {
  const { loading, answers } = fixture();
  const [before, after] = [loading.reload(), loading.reload()];
  answers[1]?.('after the change');
  await after;
  answers[0]?.('before the change');
  await before;
  expect(loading.state.value).toEqual({ kind: 'ready', value: 'after the change' });
});

test('answers in their order are each shown, so that what is slow shows something', async () => {
  const { loading, answers } = fixture();
  const [before, after] = [loading.reload(), loading.reload()];
  answers[0]?.('first');
  await before;
  expect(loading.state.value).toEqual({ kind: 'ready', value: 'first' });
  answers[1]?.('second');
  await after;
  expect(loading.state.value).toEqual({ kind: 'ready', value: 'second' });
});

test('what comes after the view is gone is not shown, and a view that is there again asks anew', async () => {
  const { loading, answers } = fixture();
  const gone = loading.reload();
  loading.drop();
  const again = loading.reload();
  answers[0]?.('too late');
  await gone;
  expect(loading.state.value).toEqual({ kind: 'loading' });
  answers[1]?.('anew');
  await again;
  expect(loading.state.value).toEqual({ kind: 'ready', value: 'anew' });
});

test('what follows on an answer is not shown once another has taken its place', async () => {
  const { loading, answers } = fixture();
  const before = loading.reload();
  answers[0]?.('first');
  await before;
  const after = loading.reload();
  answers[1]?.('after a change');
  await after;
  loading.extend('first', 'first and second');
  expect(loading.state.value).toEqual({ kind: 'ready', value: 'after a change' });
  loading.extend('after a change', 'after a change, and second');
  expect(loading.state.value).toEqual({ kind: 'ready', value: 'after a change, and second' });
});
