import { Button } from '../components/button.tsx';
import type { Loading } from '../components/loaded.tsx';
import { busyWhile } from '../components/once.ts';
import { type Testing, TestOutcome } from '../platform/connection-test.tsx';
import type { Loaded } from './own.ts';

interface OwnTestProps extends Loaded {
  loading: Loading<Loaded>;
  testing: Testing;
}

/**
 * Tests a connection of an account. Reloads the connection after the test, because a passed test makes a draft usable.
 */
export function OwnTest({ connection: { read_only, state }, etag, loading, testing }: OwnTestProps) {
  const { tested, isBusy, run } = testing;
  const reload = async () => {
    await loading.reload();
    const now = loading.state.value;
    return now.kind === 'ready' ? now.value.etag : undefined;
  };
  const test = (access: 'read' | 'read_write') => !isBusy && void run(access, etag, reload);
  const busy = busyWhile(isBusy);
  return (
    <>
      <p>
        {read_only
          ? 'The test lists and reads. It changes nothing in the storage.'
          : 'The test lists, and writes, reads and deletes a small object directly below the base prefix.'}
      </p>
      <p class="actions">
        <Button
          kind="button"
          label="Test connection"
          {...busy}
          onClick={() => test(read_only ? 'read' : 'read_write')}
        />
        {!read_only && state !== 'draft' && <Button label="Test reading only" {...busy} onClick={() => test('read')} />}
      </p>
      <TestOutcome testing={testing} test={tested?.etag === etag ? tested?.test : undefined} />
    </>
  );
}
