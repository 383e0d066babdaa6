import { expect, test } from 'vitest';
import { createLoading } from '../../../site/console/components/loaded.tsx';

/** Returns a source whose answers arrive in the order that a test chooses. */
function fixture() {
  const answers: ((value: string) => void)[] = [];
  const loading = createLoading(() => new Promise<string>((resolve) => answers.push(resolve)));
  return { loading, answers };
}

test('a late response does not replace the response of a newer request', async () => {
  const { loading, answers } = fixture();
  const [before, after] = [loading.reload(), loading.reload()];
  answers[1]?.('after the change');
  await after;
  answers[0]?.('before the change');
  await before;
  expect(loading.state.value).toEqual({ kind: 'ready', value: 'after the change' });
});

test('responses in the order of their requests are all shown', async () => {
  const { loading, answers } = fixture();
  const [before, after] = [loading.reload(), loading.reload()];
  answers[0]?.('first');
  await before;
  expect(loading.state.value).toEqual({ kind: 'ready', value: 'first' });
  answers[1]?.('second');
  await after;
  expect(loading.state.value).toEqual({ kind: 'ready', value: 'second' });
});

test('a response after the view closes is not shown, and the reopened view requests again', async () => {
  const { loading, answers } = fixture();
  const gone = loading.reload();
  loading.drop();
  const again = loading.reload();
  answers[0]?.('too late');
  await gone;
  expect(loading.state.value).toEqual({ kind: 'loading' });
  answers[1]?.('reloaded');
  await again;
  expect(loading.state.value).toEqual({ kind: 'ready', value: 'reloaded' });
});

test('a next page is not shown after a reload has replaced the list', async () => {
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
